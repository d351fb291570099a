/**
 * Changes that fit one step only: what no kind of value gives.
 *
 * @module
 */
import { hash, sha1 } from '#digest';
import { base64, base64Url, compareBytes, joined, urlDecode, urlEncode, utf8Bytes } from '../../signing/bytes.ts';
import type { BlockHash } from '../../signing/etag.ts';
import type { PositionalName, PositionalValues } from '../../signing/file-requests.ts';
import type { Steps } from '../../signing/index.ts';
import { jsonText } from '../../signing/json-text.ts';
import { numberText } from '../../signing/parameters.ts';
import {
  type Context,
  type FileRequest,
  type FlatParameters,
  type HeaderList,
  InputError,
  type Pair,
  type ParameterValue,
  type Piece,
  type ScalarValue,
} from '../../signing/types.ts';
import type { StepChange } from '../kinds.ts';
import { overriding, type StepName, type Wraps } from '../mistake.ts';
import type { Bytes, Change, ChangeNotes, Item, Kind } from './change.ts';
import { DIGESTS } from './digests.ts';
import { ENCODERS } from './encoders.ts';
import { CONTENTS } from './etag.ts';
import { TRIMS } from './headers.ts';
import { NUMBERS } from './numbers.ts';
import { TEXTS } from './texts.ts';

type Own<Name extends StepName> = readonly [id: string, clause: string, wrap: (right: Steps[Name]) => Steps[Name], notes?: ChangeNotes | undefined];

function of<Name extends StepName>(fix: string, changes: readonly Own<Name>[], order = 0): readonly StepChange[] {
  return changes.map(([id, clause, wrap, notes]) => ({
    id,
    clause,
    fix: notes?.fix ?? fix,
    cost: notes?.cost ?? 1,
    order,
    wrap: wrap as unknown as StepChange['wrap'],
  }));
}

/** The same with further steps that the mistake changes. */
const also = (changes: readonly StepChange[], further: Readonly<Record<string, Wraps>>): readonly StepChange[] =>
  changes.map((change) => {
    const own = further[change.id];
    return own ? { ...change, also: own } : change;
  });

// --- §2: the ETag

type Cut = (content: Bytes, size: number) => readonly Bytes[];

const blocksOf: Cut = (content, size) =>
  Number.isFinite(size) ? Array.from({ length: Math.ceil(content.length / size) }, (_, i) => content.subarray(i * size, (i + 1) * size)) : [content];

/** A whole content in memory, of which `cut` makes the blocks that are hashed. */
const cutting =
  (cut: Cut, hashed: (block: Bytes) => Bytes = sha1): ((right: unknown) => (size: number) => BlockHash) =>
  () =>
  (size) => {
    const pieces: Bytes[] = [];
    return {
      update: (piece) => void pieces.push(piece.slice()),
      digests: () => cut(joined(pieces), size).map(hashed),
    };
  };

const OTHER_HASHES = [
  ['md5', 'MD5'],
  ['sha256', 'SHA-256'],
  ['sha384', 'SHA-384'],
  ['sha512', 'SHA-512'],
] as const;

const BUFFER = 64 * 1024;

/** A buffer that is hashed to its end keeps behind the last bytes what it held before. */
function wholeBuffers(content: Bytes): Bytes {
  const rest = content.length % BUFFER;
  if (rest === 0) return content;
  const before = content.subarray(Math.max(0, content.length - BUFFER), content.length - rest);
  return joined([content, before.length > 0 ? before : new Uint8Array(BUFFER - rest)]);
}

export const READINGS: readonly StepChange[] = also(
  [
    ...CONTENTS.changes.map(
      ([id, clause, apply, notes]): StepChange => ({
        id,
        clause,
        fix: notes?.fix ?? CONTENTS.fix,
        cost: notes?.cost ?? 1,
        order: 0,
        wrap: cutting((content, size) => blocksOf(apply(content), size)) as StepChange['wrap'],
      }),
    ),
    ...of<'blockHash'>('cut the content into blocks of 4 MiB, the last one shorter, none empty', [
      [
        'with-empty-last-block',
        'has an empty block at the end of full ones',
        cutting((c, size) => (c.length % size === 0 ? [...blocksOf(c, size), new Uint8Array()] : blocksOf(c, size))),
      ],
      [
        'without-short-block',
        'lacks a last block that is shorter',
        cutting((c, size) => blocksOf(c, size).filter(({ length }, i) => i === 0 || length === size)),
      ],
      [
        'short-block-padded',
        'has zeros at the end of a shorter block',
        cutting((c, size) => blocksOf(c, size).map((block) => joined([block, new Uint8Array(Math.max(0, Math.min(size, 1 << 23) - block.length))]))),
      ],
      ['one-read-of-each-block', 'has the first 64 KiB of each block only', cutting((c, size) => blocksOf(c, size).map((block) => block.subarray(0, BUFFER)))],
      ['whole-buffers', 'has bytes of the read before behind its end', cutting((c, size) => blocksOf(wholeBuffers(c), size))],
      ['whole-content-as-block', 'is hashed whole for each block', cutting((c, size) => blocksOf(c, size).map(() => c))],
      ['full-block-as-large', 'is hashed twice where it is exactly one block', cutting((c, size) => (c.length === size ? [sha1(c)] : blocksOf(c, size)))],
      ['single-hash', 'is hashed as a whole, whatever its size', cutting((c, size) => blocksOf(c, size).map(() => c))],
      ...OTHER_HASHES.map(
        ([id, name]): Own<'blockHash'> => [
          `in-${id}`,
          `is hashed with ${name} in the place of SHA-1`,
          cutting(blocksOf, (block) => hash(id, block)) as Own<'blockHash'>[2],
        ],
      ),
    ]),
  ],
  {
    'single-hash': { fileDigest: (right) => (digests) => right(digests.slice(0, 1)) },
    ...Object.fromEntries(
      OTHER_HASHES.map(([id]): [string, Wraps] => [
        `in-${id}`,
        {
          fileDigest: () => (digests) => (digests.length === 1 && digests[0] ? digests[0] : hash(id, joined(digests))),
        },
      ]),
    ),
  },
);

export const PART_READINGS: readonly StepChange[] = of<'partHash'>('make the ETag of a part the SHA-1 of the part alone', [
  [
    'as-file',
    'has the ETag of a file in it, with block count and blocks',
    () => (_, context) => {
      const { steps } = context;
      const blocks = steps.blockHash(steps.blockSize);
      const digests = (): Uint8Array[] => {
        const own = steps.hashedBlocks(blocks.digests());
        return [steps.etagBytes(own.length, steps.etagDigest(steps.fileDigest(own)), context)];
      };
      return { update: blocks.update, digests };
    },
  ],
]);

const bytesChanges = (fix: string, changes: readonly Change<(bytes: Bytes) => Bytes>[]): Kind<(bytes: Bytes) => Bytes> => ({ fix, changes });

export const DIGEST_BYTES: Kind<(bytes: Bytes) => Bytes> = bytesChanges('use the 20 bytes of the SHA-1 for {noun}', [
  ['hexadecimal', 'is the hexadecimal text of the bytes', (bytes) => utf8Bytes(Buffer.from(bytes).toString('hex'))],
  ['reversed', 'is reversed', (bytes) => bytes.toReversed()],
  ['cut-at-16', 'is cut to 16 bytes', (bytes) => bytes.subarray(0, 16)],
  ['zeros', 'is all zeros where there is nothing', (bytes) => (Buffer.from(bytes).toString('hex').startsWith('da39a3ee5e6b4b0d') ? new Uint8Array(20) : bytes)],
  ['empty', 'is missing where there is nothing', (bytes) => (Buffer.from(bytes).toString('hex').startsWith('da39a3ee5e6b4b0d') ? new Uint8Array() : bytes)],
  ['hashed-again', 'is hashed once more', (bytes) => sha1(bytes)],
  ['base64', 'is the Base64 text of the bytes', (bytes) => utf8Bytes(base64(bytes)), { cost: 2 }],
]);

export const PART_BYTES: readonly StepChange[] = of<'partEtagBytes'>('use the SHA-1 of the part alone for {noun}', [
  ['with-count', 'has the block count before the SHA-1', () => (digest) => joined([Uint8Array.of(1, 0, 0, 0), digest])],
  ['with-zero-count', 'has four zero bytes before the SHA-1', () => (digest) => joined([new Uint8Array(4), digest]), { cost: 2 }],
  ['with-count-behind', 'has the block count behind the SHA-1', () => (digest) => joined([digest, Uint8Array.of(1, 0, 0, 0)]), { cost: 2 }],
]);

// --- §4.2: Password

function clearText(encoded: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(encoded.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0)));
  } catch {
    return encoded;
  }
}

export const WHOLE: readonly StepChange[] = of<'password'>('send and sign the Base64 of the password', [
  ['clear', 'is signed and sent as clear text', () => (text) => text],
  ['encoded-twice', 'is encoded in Base64 twice', (right) => (text, context) => right(right(text, context), context)],
]);

// --- §5.1: the set of parameters

type Nested = Exclude<ParameterValue, ScalarValue | null>;

const isNested = (value: ParameterValue): value is Nested => typeof value === 'object' && value !== null && !('number' in value);

interface Printer {
  readonly text: (text: string) => string;
  readonly words: readonly [yes: string, no: string, none: string];
  readonly list: readonly [open: string, between: string, close: string];
  readonly object: readonly [open: string, between: string, close: string, inner: string];
  /** What a language writes in the place of any object. */
  readonly fixed?: string;
  /** Objects are written in the order of their names, as maps of Go are. */
  readonly sorts?: true;
}

const quoted = (text: string): string => JSON.stringify(text);
const plain = (text: string): string => text;

/** How languages write a list or an object as one text. */
const PRINTERS: readonly (readonly [id: string, clause: string, printer: Printer])[] = [
  [
    'json',
    'is written as JSON',
    {
      text: quoted,
      words: ['true', 'false', 'null'],
      list: ['[', ',', ']'],
      object: ['{', ',', '}', ':'],
    },
  ],
  [
    'json-with-blanks',
    'is written as JSON with blanks',
    {
      text: quoted,
      words: ['true', 'false', 'null'],
      list: ['[', ', ', ']'],
      object: ['{', ', ', '}', ': '],
    },
  ],
  [
    'python',
    'is written as Python prints it',
    {
      text: (text) => `'${text}'`,
      words: ['True', 'False', 'None'],
      list: ['[', ', ', ']'],
      object: ['{', ', ', '}', ': '],
    },
  ],
  [
    'java',
    'is written as Java prints it',
    {
      text: plain,
      words: ['true', 'false', 'null'],
      list: ['[', ', ', ']'],
      object: ['{', ', ', '}', '='],
    },
  ],
  [
    'ruby',
    'is written as Ruby prints it',
    {
      text: quoted,
      words: ['true', 'false', 'nil'],
      list: ['[', ', ', ']'],
      object: ['{', ', ', '}', '=>'],
    },
  ],
  [
    'go',
    'is written as Go prints it',
    {
      text: plain,
      words: ['true', 'false', '<nil>'],
      list: ['[', ' ', ']'],
      object: ['map[', ' ', ']', ':'],
      sorts: true,
    },
  ],
  [
    'javascript',
    'is written as JavaScript prints it',
    {
      text: plain,
      words: ['true', 'false', ''],
      list: ['', ',', ''],
      object: ['', '', '', ''],
      fixed: '[object Object]',
    },
  ],
  [
    'php',
    'is written as PHP prints it',
    {
      text: plain,
      words: ['1', '', ''],
      list: ['', '', ''],
      object: ['', '', '', ''],
      fixed: 'Array',
    },
  ],
  [
    'comma-space',
    'is joined with a comma and a space',
    {
      text: plain,
      words: ['true', 'false', ''],
      list: ['', ', ', ''],
      object: ['', ', ', '', '='],
    },
  ],
  [
    'bare',
    'is joined with nothing between its elements',
    { text: plain, words: ['true', 'false', ''], list: ['', '', ''], object: ['', '', '', ''], sorts: true },
  ],
  [
    'bare-as-given',
    'is joined with nothing between its elements, in the order given',
    { text: plain, words: ['true', 'false', ''], list: ['', '', ''], object: ['', '', '', ''] },
  ],
  ['semicolon', 'is joined with semicolons', { text: plain, words: ['true', 'false', ''], list: ['', ';', ''], object: ['', ';', '', '='] }],
  ['bar', 'is joined with vertical bars', { text: plain, words: ['true', 'false', ''], list: ['', '|', ''], object: ['', '|', '', '='] }],
];

function printed(value: ParameterValue, printer: Printer): string {
  if (typeof value === 'string') return printer.text(value);
  if (value === null) return printer.words[2];
  if (typeof value === 'boolean') return printer.words[value ? 0 : 1];
  if ('number' in value) return value.number;
  const inner = (item: ParameterValue): string => printed(item, printer);
  if ('list' in value) {
    if (printer.fixed === 'Array') return 'Array';
    const [open, between, close] = printer.list;
    return open + value.list.map(inner).join(between) + close;
  }
  if (printer.fixed !== undefined) return printer.fixed;
  const [open, between, close, colon] = printer.object;
  const members = printer.sorts ? [...value.object].sort(([a], [b]) => compareBytes(a, b)) : value.object;
  return open + members.map(([name, item]) => printer.text(name) + colon + inner(item)).join(between) + close;
}

const FLATTEN = 'write a list as Name.0, Name.1 and an object as Name.Key';

const printedLists = PRINTERS.map(([id, clause, printer]): Own<'flattenedList'> => [id, clause, () => (name, list) => [[name, printed({ list }, printer)]]]);
const printedObjects = PRINTERS.map(
  ([id, clause, printer]): Own<'flattenedObject'> => [id, clause, () => (name, object) => [[name, printed({ object }, printer)]]],
);

export const LIST_FORMS: readonly StepChange[] = also(
  of<'flattenedList'>(FLATTEN, [
    [
      'name-repeated',
      'has its own name for each element',
      (right) => (name, items, context) => right(name, items, overriding(context, { elementName: (list) => list })),
    ],
    ...printedLists,
    [
      'one-unwrapped',
      'is the element itself where there is one',
      (right) => (name, items, context) => (items.length === 1 ? context.steps.flattened([[name, items[0] ?? null]], context) : right(name, items, context)),
    ],
    ['left-out', 'is left out', () => () => []],
    [
      'empty-as-text',
      'is the empty text where it is empty',
      (right) => (name, items, context) => (items.length === 0 ? [[name, '']] : right(name, items, context)),
    ],
    [
      'empty-as-brackets',
      'is "[]" where it is empty',
      (right) => (name, items, context) => (items.length === 0 ? [[name, '[]']] : right(name, items, context)),
    ],
    [
      'refused',
      'is refused',
      () => () => {
        throw new InputError('text', 'a list is not taken');
      },
    ],
    [
      'in-list-refused',
      'is refused inside a list',
      (right) => (name, items, context) => {
        if (items.some((item) => isNested(item) && 'list' in item)) throw new InputError('text', 'a list in a list is not taken');
        return right(name, items, context);
      },
    ],
    ...PRINTERS.slice(0, 7).map(
      ([id, clause, printer]): Own<'flattenedList'> => [
        `inner-${id}`,
        `${clause} inside a list`,
        (right) => (name, items, context) =>
          right(
            name,
            items.map((item) => (isNested(item) && 'list' in item ? printed(item, printer) : item)),
            context,
          ),
        { cost: 2 },
      ],
    ),
  ]),
  { 'name-repeated': { checkNames: () => () => undefined } },
);

export const OBJECT_FORMS: readonly StepChange[] = of<'flattenedObject'>(FLATTEN, [
  ...printedObjects,
  ['left-out', 'is left out', () => () => []],
  [
    'refused',
    'is refused',
    () => () => {
      throw new InputError('text', 'an object is not taken');
    },
  ],
  [
    'empty-as-text',
    'is the empty text where it is empty',
    (right) => (name, members, context) => (members.length === 0 ? [[name, '']] : right(name, members, context)),
  ],
  [
    'empty-as-braces',
    'is "{}" where it is empty',
    (right) => (name, members, context) => (members.length === 0 ? [[name, '{}']] : right(name, members, context)),
  ],
]);

export const ITEMS: readonly StepChange[] = of<'listItems'>('keep each element of a list, in its order', [
  ['sorted', 'is sorted', (right) => (items) => [...right(items)].sort((a, b) => (typeof a === 'string' && typeof b === 'string' ? compareBytes(a, b) : 0))],
  ['without-empty', 'lacks its empty elements', (right) => (items) => right(items).filter((item) => item !== '')],
  ['without-null', 'lacks its null elements', (right) => (items) => right(items).filter((item) => item !== null)],
  ['without-duplicates', 'lacks repeated elements', (right) => (items) => right(items).filter((item, i, all) => all.indexOf(item) === i)],
]);

export const MEMBERS: readonly StepChange[] = of<'objectMembers'>('keep each member of an object', [
  ['sorted', 'has its members sorted', (right) => (members) => [...right(members)].sort(([a], [b]) => compareBytes(a, b))],
  ['without-empty', 'lacks its empty members', (right) => (members) => right(members).filter(([, value]) => value !== '')],
  ['without-null', 'lacks its null members', (right) => (members) => right(members).filter(([, value]) => value !== null)],
  ['without-signature', 'lacks a member Signature', (right) => (members) => right(members).filter(([name]) => name !== 'Signature')],
]);

export const NULLS: Kind<(name: string) => FlatParameters> = {
  fix: 'leave a parameter that is null out, or refuse it',
  changes: [
    ['left-out', 'is left out', () => []],
    ['empty', 'is signed and sent as the empty text', (name) => [[name, '']]],
    ...['null', 'None', 'nil', 'undefined', '<nil>', 'NULL', '0', 'false'].map(
      (word): Change<(name: string) => FlatParameters> => [
        `word-${word.replaceAll(/[<>]/g, '')}-${word.length}`,
        `is signed and sent as "${word}"`,
        (name) => [[name, word]],
      ],
    ),
  ],
};

export const PASSWORD_VALUES: readonly StepChange[] = of<'parameterSet'>(
  'encode Password in Base64 once, before signing and sending',
  TEXTS.changes.map(
    ([id, clause, apply, notes]): Own<'parameterSet'> => [
      `password-${id}`,
      `has a Password that ${clause}`,
      (right) => (parameters) =>
        right(parameters).map(([name, value]) => [name, name === 'Password' && typeof value === 'string' ? apply(value) : value] as const),
      { cost: (notes?.cost ?? 1) + 1 },
    ],
  ),
  1,
);

export const NAMES_BEFORE_SORTING: readonly StepChange[] = of<'signedPairs'>(
  'sort and sign the names as they are sent',
  TEXTS.changes.map(
    ([id, clause, apply, notes]): Own<'signedPairs'> => [
      `names-${id}`,
      `has names each of which ${clause} before they are sorted`,
      (right) => (pairs) =>
        right(pairs)
          .map(([name, text]): Pair => [apply(name), text])
          .sort(([a], [b]) => compareBytes(a, b)),
      { cost: (notes?.cost ?? 1) + 1 },
    ],
  ),
  1,
);

const isFalsy = (value: ScalarValue): boolean => (typeof value === 'object' ? Number(value.number) === 0 : !value);

export const PRESENT: readonly StepChange[] = of<'isPresentValue'>('leave out no parameter but missing ones', [
  ['left-out-when-falsy', 'is left out where it is false, 0 or empty', () => (value) => !isFalsy(value)],
  ['left-out-when-empty', 'is left out where its value is the empty text', () => (value) => value !== ''],
  ['left-out-when-blank', 'is left out where its value is blank', () => (value) => typeof value !== 'string' || value.trim() !== ''],
  ['left-out-when-zero', 'is left out where it is 0', () => (value) => typeof value !== 'object' || Number(value.number) !== 0],
  ['left-out-when-false', 'is left out where it is false', () => (value) => value !== false],
  ['left-out-when-boolean', 'is left out where it is a boolean', () => (value) => typeof value !== 'boolean', { cost: 2 }],
  [
    'left-out-when-zero-or-empty',
    'is left out where it is 0 or empty',
    () => (value) => value !== '' && (typeof value !== 'object' || Number(value.number) !== 0),
    { cost: 2 },
  ],
  ['left-out-when-empty-or-false', 'is left out where it is false or empty', () => (value) => value !== '' && value !== false, { cost: 2 }],
]);

export const SIGNED: readonly StepChange[] = also(
  of<'isSignedParameter'>('leave out the parameter that is named exactly Signature, before signing', [
    ['signed-and-replaced', 'is signed, and the new one is sent in its place', () => () => true],
    ['signed', 'is signed like any other', () => () => true],
    ['left-out-in-any-case', 'is left out in any case of its letters', () => (name) => name.toLowerCase() !== 'signature'],
    ['left-out-at-any-depth', 'is left out inside objects as well', () => (name) => name.split('.').at(-1) !== 'Signature'],
    ['left-out-by-prefix', 'is left out with every name that starts like it', () => (name) => !name.startsWith('Signature')],
    ['left-out-by-part', 'is left out with every name that contains it', () => (name) => !name.includes('Signature'), { cost: 2 }],
    ...['PublicKey', 'Action', 'SecurityToken', 'ProjectId', 'Region', 'Zone', 'Password'].map(
      (left): Own<'isSignedParameter'> => [
        `${left.toLowerCase()}-neither`,
        `is left out, and ${left} too`,
        (right) => (name) => right(name) && name !== left,
        { cost: 2 },
      ],
    ),
    ['blank-names-left-out', 'is left out, and parameters with an empty name too', (right) => (name) => right(name) && name !== '', { cost: 2 }],
  ]),
  { 'signed-and-replaced': { isSentParameter: () => (name) => name !== 'Signature' } },
);

export const SENT: readonly StepChange[] = of<'isSentParameter'>('send every parameter that is signed', [
  ['signature-not-sent-twice', 'named Signature is signed, and then replaced', () => (name) => name !== 'Signature'],
  ...['PublicKey', 'Action', 'SecurityToken', 'ProjectId', 'Region', 'Password'].map(
    (left): Own<'isSentParameter'> => [`${left.toLowerCase()}-unsent`, `named ${left} is signed but not sent`, () => (name) => name !== left],
  ),
  ['none-sent', 'is signed but not sent', () => () => false, { cost: 2 }],
]);

const double = (digits: string): string => numberText(`${Number(digits)}`);

/** What a double holds of a number, written in plain digits; its sign stays with `signOfZero`. */
export const HELD: readonly StepChange[] = of<'heldNumber'>('keep the digits of a number as they are given, or use a decimal type', [
  ['double', 'becomes a double and loses digits beyond 2^53', () => double],
  ['fraction-double', 'becomes a double where it has a fraction', () => (digits) => (numberText(digits).includes('.') ? double(digits) : digits)],
  ['whole-double', 'becomes a double where it has no fraction', () => (digits) => (numberText(digits).includes('.') ? digits : double(digits))],
  ['float', 'becomes a float of 32 bits', () => (digits) => numberText(`${Math.fround(Number(digits))}`), { cost: 2 }],
]);

export const ZERO_SIGNS: readonly StepChange[] = of<'signOfZero'>('write zero as 0, whatever its sign', [
  ['kept', 'keeps its sign', () => (digits) => (digits.startsWith('-') ? '-' : '')],
  ['kept-with-fraction', 'keeps its sign where it has a fraction', () => (digits) => (/^-0[.]0+$/.test(digits) ? '-' : '')],
]);

/** How languages print what is no number. */
const WORDS: readonly (readonly [id: string, language: string, nan: string, infinity: string, minus: string])[] = [
  ['python', 'Python', 'nan', 'inf', '-inf'],
  ['go', 'Go', 'NaN', '+Inf', '-Inf'],
  ['java', 'Java', 'NaN', '∞', '-∞'],
  ['javascript', 'JavaScript', 'NaN', 'Infinity', '-Infinity'],
  ['php', 'PHP', 'NAN', 'INF', '-INF'],
];

function refusedNumber(): never {
  throw new InputError('number', 'no number');
}

const finite = (text: string): string => (Number.isFinite(Number(text)) ? `${Number(text)}` : refusedNumber());

/** As Python, Java and others read numbers: with the decimal digits of any script. */
const finiteOfAnyScript = (text: string): string => finite(text.replace(/\p{Nd}/gu, (digit) => `${digitOf(digit)}`));

/** The digits of a script follow each other; the one before its zero is none. */
function digitOf(digit: string): number {
  let code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - 1))) {
    code -= 1;
    value += 1;
  }
  return value;
}

export const OTHER_NUMBERS: Kind<(text: string) => string> = {
  fix: 'refuse a number that has no plain decimal text',
  changes: [
    ['as-written', 'is signed as it is written', (text) => text],
    ['parsed', 'is parsed leniently', finite],
    ['zero', 'is signed as 0', () => '0'],
    ['empty', 'is signed as the empty text', () => ''],
    ['null', 'is signed as null', () => 'null'],
    ['parsed-in-any-script', 'is parsed leniently, digits of other scripts too', finiteOfAnyScript],
    ...WORDS.flatMap(([id, language, nan, infinity, minus]): Change<(text: string) => string>[] => {
      const word = (text: string): string | undefined => ({ NaN: nan, Infinity: infinity, '-Infinity': minus })[text];
      return [
        [id, `is signed as ${language} prints NaN and infinity`, (text) => word(text) ?? refusedNumber()],
        [`${id}-parsed`, `is parsed leniently, NaN and infinity too, as ${language} prints them`, (text) => word(text) ?? finiteOfAnyScript(text)],
      ];
    }),
  ],
};

const SEPARATORS: readonly (readonly [id: string, text: string, said: string])[] = [
  ['equals', '=', 'an equals sign'],
  ['colon', ':', 'a colon'],
  ['space', ' ', 'a space'],
  ['comma', ',', 'a comma'],
  ['ampersand', '&', 'an ampersand'],
  ['line-feed', '\n', 'a line feed'],
  ['bar', '|', 'a vertical bar'],
  ['dot', '.', 'a dot'],
  ['equals-quoted', '="', 'an equals sign and a quote'],
];

type Entry = (name: string, text: string) => string;

export const ENTRIES: Kind<Entry> = {
  fix: 'write the name of a parameter and its value with nothing between or around them',
  changes: [
    ...SEPARATORS.map(([id, mark, said]): Change<Entry> => [id, `has ${said} between name and value`, (name, text) => name + mark + text]),
    ['value-only', 'is the value alone', (_, text) => text],
    ['name-only', 'is the name alone', (name) => name],
    ['value-first', 'has the value before the name', (name, text) => text + name],
    ['unsigned-when-empty', 'is left out where the value is empty', (name, text) => (text === '' ? '' : name + text)],
    ['unsigned-when-null', 'is left out where the value is "null"', (name, text) => (text === 'null' ? '' : name + text)],
    ['unsigned-when-zero', 'is left out where the value is "0"', (name, text) => (text === '0' ? '' : name + text)],
    ['unsigned-when-false', 'is left out where the value is "false"', (name, text) => (text === 'false' ? '' : name + text)],
    ['unsigned-when-blank', 'is left out where the value is blank', (name, text) => (text.trim() === '' ? '' : name + text)],
    ['quoted', 'is written in quotes, as a JSON member', (name, text) => `${quoted(name)}:${quoted(text)}`, { cost: 2 }],
    ['password-clear', 'has the clear text of Password', (name, text) => name + (name === 'Password' ? clearText(text) : text)],
    ['password-encoded-again', 'has the Base64 of Password encoded once more', (name, text) => name + (name === 'Password' ? base64(utf8Bytes(text)) : text)],
  ],
};

/** Layouts of all parameters at once: what stands between a name and its value, and between pairs. */
const MARKS: readonly (readonly [id: string, text: string, said: string])[] = [
  ['equals', '=', '"="'],
  ['colon', ':', '":"'],
  ['space', ' ', 'a space'],
  ['comma', ',', '","'],
  ['bar', '|', '"|"'],
  ['nothing', '', 'nothing'],
];
const BETWEEN: readonly (readonly [id: string, text: string, said: string])[] = [
  ['ampersand', '&', '"&"'],
  ['comma', ',', '","'],
  ['comma-space', ', ', '", "'],
  ['line-feed', '\n', 'a line feed'],
  ['semicolon', ';', '";"'],
  ['bar', '|', '"|"'],
];

export const LAYOUTS: readonly StepChange[] = of<'parametersText'>('join the names and values with nothing between them', [
  ...MARKS.flatMap(([id, mark, said]) =>
    BETWEEN.flatMap(([other, between, saidBetween]): Own<'parametersText'>[] => [
      [
        `${id}-and-${other}`,
        `has ${said} between names and values, and ${saidBetween} between pairs`,
        () => (pairs) => pairs.map(([name, text]) => name + mark + text).join(between),
      ],
      [
        `${id}-and-${other}-encoded`,
        `has ${said} between percent-encoded names and values, and ${saidBetween} between pairs`,
        () => (pairs) => pairs.map(([name, text]) => urlEncode(name) + mark + urlEncode(text)).join(between),
        { cost: 2 },
      ],
    ]),
  ),
  ['form-encoded', 'is a form-encoded query', () => (pairs) => new URLSearchParams(pairs.map(([name, text]): [string, string] => [name, text])).toString()],
  [
    'line-feed-after-pairs',
    'has "=" between names and values, and a line feed behind each pair',
    () => (pairs) => pairs.map(([name, text]) => `${name}=${text}\n`).join(''),
    { cost: 2 },
  ],
  ['json', 'is a JSON object', () => (pairs) => JSON.stringify(Object.fromEntries(pairs))],
  [
    'json-spaced',
    'is a JSON object with spaces',
    () => (pairs) => `{${pairs.map(([name, text]) => `${quoted(name)}: ${quoted(text)}`).join(', ')}}`,
    { cost: 2 },
  ],
  [
    'aliyun',
    'is laid out as the RPC API of Aliyun has it',
    () => (pairs) => `GET&%2F&${urlEncode(pairs.map(([name, text]) => `${urlEncode(name)}=${urlEncode(text)}`).join('&'))}`,
  ],
  [
    'aliyun-post',
    'is laid out as the RPC API of Aliyun has it, for POST',
    () => (pairs) => `POST&%2F&${urlEncode(pairs.map(([name, text]) => `${urlEncode(name)}=${urlEncode(text)}`).join('&'))}`,
    { cost: 2 },
  ],
  [
    'values-first',
    'has all values, then all names',
    () => (pairs) => pairs.map(([, text]) => text).join('') + pairs.map(([name]) => name).join(''),
    { cost: 3 },
  ],
  [
    'names-first',
    'has all names, then all values',
    () => (pairs) => pairs.map(([name]) => name).join('') + pairs.map(([, text]) => text).join(''),
    { cost: 3 },
  ],
]);

const METHODS = ['GET', 'POST'];

export const PREFIXES: readonly StepChange[] = of<'actionText'>(
  'sign the names and values alone',
  [
    ...METHODS.flatMap((method): Own<'actionText'>[] => [
      [`${method.toLowerCase()}-before`, `starts with ${method}`, (right) => (text) => method + right(text)],
      [`${method.toLowerCase()}-line-before`, `starts with the lines ${method} and /`, (right) => (text) => `${method}\n/\n${right(text)}`, { cost: 2 }],
      [`${method.toLowerCase()}-and-path-before`, `starts with ${method}&%2F&`, (right) => (text) => `${method}&%2F&${right(text)}`],
      [
        `${method.toLowerCase()}-as-aliyun`,
        `is laid out as the RPC API of Aliyun has it (${method})`,
        (right) => (text) => `${method}&%2F&${urlEncode(right(text))}`,
      ],
    ]),
    ['slash-before', 'starts with a slash', (right) => (text) => `/${right(text)}`],
    ['question-mark-before', 'starts with a question mark', (right) => (text) => `?${right(text)}`],
    ['target-before', 'starts with /?', (right) => (text) => `/?${right(text)}`],
  ],
  2,
);

type WithKey = Own<'withPrivateKey'>;
const keyed = (id: string, clause: string, text: (text: string, key: string) => string, cost = 1): WithKey => [
  id,
  clause,
  () =>
    (given, key, { steps }) =>
      text(given, steps.actionKey(key)),
  { cost },
];

export const KEY_MARKS: readonly StepChange[] = of<'withPrivateKey'>('append the private key to the text with nothing between', [
  ...SEPARATORS.map(([id, mark, said]) => keyed(`key-after-${id}`, `has ${said} before the private key`, (text, key) => text + mark + key)),
  keyed('key-first', 'starts with the private key instead', (text, key) => key + text),
  keyed('key-at-both-ends', 'has the private key at both ends', (text, key) => key + text + key),
  keyed('key-as-parameter', 'ends with &key= and the private key', (text, key) => `${text}&key=${key}`),
  keyed('key-as-key', 'ends with key= and the private key', (text, key) => `${text}key=${key}`, 2),
  keyed('key-named', 'ends with PrivateKey and the private key', (text, key) => `${text}PrivateKey${key}`),
  keyed('key-named-pair', 'ends with &PrivateKey= and the private key', (text, key) => `${text}&PrivateKey=${key}`, 2),
  keyed('key-and-ampersand', 'ends with an ampersand', (text, key) => `${text}${key}&`, 2),
  keyed('key-as-parameter-key', 'ends with &Key= and the private key', (text, key) => `${text}&Key=${key}`, 2),
  keyed('key-as-secret', 'ends with &secret= and the private key', (text, key) => `${text}&secret=${key}`, 2),
  keyed('key-twice', 'ends with the private key twice', (text, key) => text + key + key, 2),
]);

export const ACTION_DIGESTS: readonly StepChange[] = DIGESTS.changes.map(
  ([id, clause, apply, notes]): StepChange => ({
    id,
    clause,
    fix: notes?.fix ?? 'append the private key to the text and hash it with SHA-1',
    cost: notes?.cost ?? 1,
    order: 0,
    wrap: (() =>
      (_: string, parts: { text: string; privateKey: string }, { steps }: Context) =>
        apply(utf8Bytes(steps.actionKey(parts.privateKey)), steps.actionTextBytes(parts.text))) as StepChange['wrap'],
  }),
);

/** The digest of another scheme, in Base64. */
export const ACTION_SCHEMES: readonly StepChange[] = ACTION_DIGESTS.map(
  (change): StepChange => ({
    ...change,
    id: `${change.id}-base64`,
    clause: `${change.clause}, in Base64`,
    cost: change.cost + 1,
    also: { actionSignatureText: () => base64 },
  }),
);

// --- §4.1, §4.2: the forms of a request

type QueryPair = (name: string, text: string, context: Context) => string;

export const QUERY_PAIRS: Kind<QueryPair> = {
  fix: 'write each pair of a query as name=value, both percent-encoded',
  changes: [
    ['bare', 'is not percent-encoded', (name, text) => `${name}=${text}`],
    [
      'name-only-when-empty',
      'lacks its equals sign where the value is empty',
      (name, text, { steps }) => steps.urlEncode(name) + (text && `=${steps.urlEncode(text)}`),
    ],
    ['colon', 'has a colon between name and value', (name, text, { steps }) => `${steps.urlEncode(name)}:${steps.urlEncode(text)}`],
    ['quoted', 'has its value in quotes', (name, text, { steps }) => `${steps.urlEncode(name)}="${steps.urlEncode(text)}"`],
    ['encoded-whole', 'is percent-encoded with its equals sign', (name, text, { steps }) => steps.urlEncode(`${name}=${text}`)],
  ],
};

type QueryList = (pairs: readonly string[], signature: string) => readonly string[];
const nameOf = (pair: string): string => pair.split('=', 1).join();

export const QUERY_LISTS: Kind<QueryList> = {
  fix: 'send each signed parameter, then Signature last',
  changes: [
    ['signature-first', 'has Signature first', (pairs, signature) => [signature, ...pairs]],
    [
      'signature-sorted-in',
      'has Signature in the order of its name',
      (pairs, signature) => [...pairs, signature].sort((a, b) => compareBytes(urlDecode(nameOf(a)) ?? a, urlDecode(nameOf(b)) ?? b)),
    ],
    ['without-signature', 'lacks Signature', (pairs) => pairs],
    ['without-empty', 'lacks the pairs whose value is empty', (pairs, signature) => [...pairs.filter((pair) => !pair.endsWith('=')), signature]],
    ...['PublicKey', 'Action', 'Region', 'ProjectId', 'SecurityToken'].map(
      (left): Change<QueryList> => [
        `without-${left.toLowerCase()}`,
        `lacks ${left}`,
        (pairs, signature) => [...pairs.filter((pair) => nameOf(pair) !== left), signature],
      ],
    ),
    ...['Sign', 'signature', 'Sig', 'SIGNATURE'].map(
      (name): Change<QueryList> => [
        `signature-named-${name}`,
        `has ${name} in the place of Signature`,
        (pairs, signature) => [...pairs, signature.replace('Signature', name)],
        { cost: 2 },
      ],
    ),
    ['reversed', 'is in descending order', (pairs, signature) => [...pairs.toReversed(), signature], { cost: 2 }],
  ],
};

export const TARGETS: Kind<(query: string) => string> = {
  fix: 'write a slash, a question mark and the query',
  changes: [
    ['without-slash', 'lacks its slash', (query) => `?${query}`],
    ['without-question-mark', 'lacks its question mark', (query) => `/${query}`],
    ['query-only', 'is the query alone', (query) => query],
    ['two-slashes', 'has two slashes', (query) => `//?${query}`],
    ['api-path', 'has the path /api', (query) => `/api?${query}`],
  ],
};

export const JSON_NUMBERS: readonly StepChange[] = of<'jsonValue'>('write numbers as JSON numbers, texts as JSON texts', [
  [
    'as-signed',
    'is the text that is signed',
    (right) => (value, context) => (typeof value === 'object' ? context.steps.valueText(value, context) : right(value, context)),
    { cost: 2 },
  ],
  [
    'minus-zero-kept',
    'is -0 for minus zero',
    (right) => (value, context) =>
      typeof value === 'object' && /^-0(?:[.]0+)?$/.test(value.number) ? context.steps.valueText(value, context) : right(value, context),
    { cost: 2 },
  ],
  ['all-texts', 'is always a JSON text', () => (value, context) => JSON.stringify(context.steps.valueText(value, context))],
  [
    'booleans-as-texts',
    'is a JSON text where it is a boolean',
    (right) => (value, context) => (typeof value === 'boolean' ? `"${value}"` : right(value, context)),
  ],
  [
    'numbers-as-texts',
    'is a JSON text where it is a number',
    (right) => (value, context) => (typeof value === 'object' ? `"${right(value, context)}"` : right(value, context)),
  ],
  ['unescaped', 'is in quotes, but not escaped', (right) => (value, context) => (typeof value === 'string' ? `"${value}"` : right(value, context))],
  [
    'as-written',
    'is a number as it was written',
    (right) => (value, context) => (typeof value === 'object' ? value.number : right(value, context)),
    { cost: 2 },
  ],
]);

export const JSON_NUMBER_TEXTS: readonly StepChange[] = of<'jsonValue'>(
  'write a number as it is signed',
  NUMBERS.changes.map(
    ([id, clause, apply, notes]): Own<'jsonValue'> => [
      id,
      clause,
      (right) => (value, context) => (typeof value === 'object' ? apply(value.number) : right(value, context)),
      notes,
    ],
  ),
);

export const JSON_FORMS: readonly StepChange[] = of<'jsonMembers'>('send the parameters as they are signed: flat', [
  [
    'nested',
    'has lists and objects as they were given',
    (right) => (sent, given, context) => {
      const nested = new Map(given.filter(([, value]) => isNested(value)));
      const isInner = (name: string): boolean => [...nested.keys()].some((outer) => name.startsWith(`${outer}.`) || name === outer);
      const json = PRINTERS[0]?.[2] as Printer;
      const inner = [...nested].map(([name, value]) => `${quoted(name)}:${printed(value, json)}`);
      return [
        ...right(
          sent.filter(([name]) => !isInner(name)),
          given,
          context,
        ),
        ...inner,
      ];
    },
  ],
  [
    'without-empty',
    'lacks the members whose value is empty',
    (right) => (sent, given, context) =>
      right(
        sent.filter(([, value]) => value !== ''),
        given,
        context,
      ),
  ],
  [
    'sorted',
    'is sorted by name',
    (right) => (sent, given, context) =>
      right(
        [...sent].sort(([a], [b]) => compareBytes(a, b)),
        given,
        context,
      ),
    { cost: 3 },
  ],
]);

type Body = Own<'jsonBody'>;
const written = (id: string, clause: string, text: (members: readonly string[], signature: string) => string, cost = 1): Body => [
  id,
  clause,
  () =>
    (members, signature, { steps }) =>
      text(members, steps.jsonSignature(signature)),
  { cost },
];

export const BODIES: readonly StepChange[] = of<'jsonBody'>('send one JSON object with the parameters and Signature', [
  written('without-signature', 'lacks Signature', (members) => `{${members.join(',')}}`),
  written('signature-lower-case', 'has the member signature', (members, signature) => `{${[...members, `"signature":"${signature}"`].join(',')}}`),
  written('in-data', 'has the parameters inside a member', (members, signature) => `{"Data":{${members.join(',')}},"Signature":"${signature}"}`, 2),
  written('in-list', 'is a list around the object', (members, signature) => `[{${[...members, `"Signature":"${signature}"`].join(',')}}]`, 2),
]);

// --- §5.2: the positional lines

export const VERBS: Kind<(method: string) => string> = {
  fix: 'sign the method of the request, in upper case',
  changes: [
    ...['GET', 'PUT', 'POST', 'HEAD', 'DELETE'].map(
      (verb): Change<(method: string) => string> => [`always-${verb.toLowerCase()}`, `is always ${verb}`, () => verb],
    ),
    ['as-given', 'is signed as it was given', (method) => method],
    ['head-as-get', 'is GET for a HEAD request', (method) => (method.toUpperCase() === 'HEAD' ? 'GET' : method.toUpperCase())],
    [
      'unknown-as-get',
      'is GET for a verb that is not known',
      (method) => (['GET', 'PUT', 'POST', 'HEAD', 'DELETE'].includes(method.toUpperCase()) ? method.toUpperCase() : 'GET'),
    ],
    ['put-as-post', 'is POST for a PUT request', (method) => (method.toUpperCase() === 'PUT' ? 'POST' : method.toUpperCase())],
  ],
};

export const POSITIONAL_NAMES: readonly StepChange[] = of<'isPositional'>('find the headers Content-MD5, Content-Type and Date in any case', [
  ['as-spelled', 'is found in its documented case only', () => (header, name) => header === name],
  ['lower-case-only', 'is found in lower case only', () => (header, name) => header === name.toLowerCase()],
  ['title-case', 'is found as Content-Md5 only', () => (header, name) => header === name.replace('MD5', 'Md5')],
  ['spelled-or-lower', 'is found in its documented case or in lower case only', () => (header, name) => header === name || header === name.toLowerCase()],
  ['untrimmed', 'is found only without blanks before the colon', () => (header, name) => header.toLowerCase() === name.toLowerCase()],
  ['by-prefix', 'is found at the start of longer names', () => (header, name) => header.trim().toLowerCase().startsWith(name.toLowerCase())],
  ['by-suffix', 'is found at the end of longer names', () => (header, name) => header.trim().toLowerCase().endsWith(name.toLowerCase())],
  ['by-part', 'is found inside longer names', () => (header, name) => header.toLowerCase().includes(name.toLowerCase()), { cost: 2 }],
  [
    'underscores',
    'is found with underscores for its dashes too',
    () => (header, name) => header.trim().toLowerCase().replaceAll('_', '-') === name.toLowerCase(),
    { cost: 2 },
  ],
  [
    'turkish',
    'is lowered in Turkish, where I becomes ı',
    () => (header, name) => header.trim().replaceAll('I', 'ı').toLowerCase() === name.toLowerCase(),
    { cost: 3 },
  ],
]);

type Values = (values: readonly string[]) => string;
export const REPEATED: Kind<Values> = {
  fix: 'refuse a positional header that comes twice',
  changes: [
    ['first', 'is the first one', (values) => values[0] ?? ''],
    ['last', 'is the last one', (values) => values.at(-1) ?? ''],
    ['comma', 'is all of them, joined with commas', (values) => values.join(',')],
    ['comma-space', 'is all of them, joined with a comma and a space', (values) => values.join(', ')],
    ['bare', 'is all of them, with nothing between', (values) => values.join('')],
    ['empty', 'is empty', (values) => (values.length > 1 ? '' : (values[0] ?? ''))],
  ],
};

export const POSITIONAL_TRIMS: readonly StepChange[] = [
  ...of<'trimPositional'>(
    TRIMS.fix,
    TRIMS.changes.map(([id, clause, apply, notes]): Own<'trimPositional'> => [id, clause, () => apply, notes]),
  ),
];

export const POSITIONAL_LINES: readonly StepChange[] = of<'positionalValue'>(
  'sign the value alone, never the name',
  [
    [
      'named',
      'is signed after its name in lower case and a colon',
      (right) => (headers, name, context) => {
        const value = right(headers, name, context);
        return value && `${name.toLowerCase()}:${value}`;
      },
    ],
    [
      'named-as-spelled',
      'is signed after its name and a colon',
      (right) => (headers, name, context) => {
        const value = right(headers, name, context);
        return value && `${name}:${value}`;
      },
    ],
    [
      'named-always',
      'is signed after its name in lower case and a colon, even where it is absent',
      (right) => (headers, name, context) => `${name.toLowerCase()}:${right(headers, name, context)}`,
    ],
    [
      'named-with-space',
      'is signed after its name, a colon and a space',
      (right) => (headers, name, context) => {
        const value = right(headers, name, context);
        return value && `${name}: ${value}`;
      },
    ],
    [
      'as-sent',
      'is signed with the blanks and folds with which it was sent',
      () =>
        (headers, name, { steps }) =>
          headers.find(([header]) => steps.isPositional(header, name))?.[1] ?? '',
    ],
  ],
  2,
);

type Line = Own<'contentType'>;
const DEFAULT_TYPES = [
  'application/octet-stream',
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/json',
  'binary/octet-stream',
  'multipart/form-data',
  'text/html',
  'application/xml',
  'text/plain; charset=utf-8',
  'application/json; charset=utf-8',
  'application/x-www-form-urlencoded; charset=utf-8',
];
const slugOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

export const TYPE_LINES: readonly StepChange[] = of<'contentType'>(
  'sign Content-Type exactly as it is sent, and an empty line where it is not sent',
  [
    ...DEFAULT_TYPES.flatMap((type): Line[] => [
      [`default-${slugOf(type)}`, `is ${type} where there is no Content-Type`, (right) => (value, headers) => right(value, headers) || type],
      [`always-${slugOf(type)}`, `is always ${type}`, () => () => type, { cost: 2 }],
    ]),
    ...['; charset=utf-8', ';charset=utf-8', '; charset=UTF-8', ';charset=UTF-8'].flatMap((charset): Line[] => [
      [
        `text-with${slugOf(charset)}-${charset.length}${charset.includes('UTF') ? 'u' : 'l'}`,
        `has "${charset}" behind a text type without parameters`,
        (right) => (value, headers) => right(value, headers).replace(/^text\/[^;]*$/, `$&${charset}`),
      ],
      [
        `all-with${slugOf(charset)}-${charset.length}${charset.includes('UTF') ? 'u' : 'l'}`,
        `has "${charset}" behind a type without parameters`,
        (right) => (value, headers) => right(value, headers).replace(/^[^;]+$/, `$&${charset}`),
      ],
    ]),
    ['parameters-spaced', 'has one space behind each semicolon', (right) => (value, headers) => right(value, headers).replace(/;[ \t]*/g, '; ')],
    [
      'parameters-unspaced',
      'has no space around its semicolons',
      (right) => (value, headers) => right(value, headers).replace(/(?<![ \t])[ \t]*;[ \t]*/g, ';'),
    ],
    [
      'type-lower-case',
      'is in lower case up to its parameters',
      (right) => (value, headers) => right(value, headers).replace(/^[^;]*/, (type) => type.toLowerCase()),
    ],
    ['jpeg', 'is image/jpeg for image/jpg', (right) => (value, headers) => right(value, headers).replace('image/jpg', 'image/jpeg'), { cost: 3 }],
    [
      'known-only',
      'is empty unless it is a text, image or application type',
      (right) => (value, headers) => (/^(?:text|image|application)\//.test(right(value, headers)) ? right(value, headers) : ''),
      { cost: 3 },
    ],
    [
      'multipart-without-boundary',
      'lacks the boundary of a multipart type',
      (right) => (value, headers) => right(value, headers).replace(/^(multipart\/[^;]*);.*/s, '$1'),
    ],
  ],
  2,
);

const EMPTY_MD5 = '1B2M2Y8AsgTpgAmY7PhCfg==';
const fromHex = (text: string): string =>
  /^(?:[0-9a-f]{2})+$/i.test(text) ? base64(Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))) : text;
const toHex = (text: string): string => {
  try {
    return Array.from(atob(text), (c) => c.charCodeAt(0).toString(16).padStart(2, '0')).join('');
  } catch {
    return text;
  }
};

export const MD5_LINES: readonly StepChange[] = of<'contentMd5'>(
  'sign Content-MD5 exactly as it is sent, and an empty line where it is not sent',
  [
    ['default-of-nothing', 'is the MD5 of nothing where there is no Content-MD5', (right) => (value, headers) => right(value, headers) || EMPTY_MD5],
    [
      'default-hex-of-nothing',
      'is the hexadecimal MD5 of nothing where there is no Content-MD5',
      (right) => (value, headers) => right(value, headers) || 'd41d8cd98f00b204e9800998ecf8427e',
    ],
    [
      'hexadecimal',
      'is hexadecimal in the place of Base64',
      (right) => (value, headers) => {
        const text = right(value, headers);
        return text && toHex(text);
      },
    ],
    ['hexadecimal-as-base64', 'is Base64 in the place of hexadecimal', (right) => (value, headers) => fromHex(right(value, headers))],
  ],
  2,
);

const hasHeader = (headers: HeaderList, name: string): boolean => headers.some(([own]) => own.trim().toLowerCase() === name.toLowerCase());
const headerOf = (headers: HeaderList, name: string): string => headers.find(([own]) => own.trim().toLowerCase() === name.toLowerCase())?.[1].trim() ?? '';

const DATES_OF = ['X-Svc-Date', 'X-UCloud-Date', 'X-Amz-Date', 'X-Date', 'X-Ms-Date', 'X-Oss-Date', 'X-Acme-Date', 'X-Cos-Date', 'X-Obs-Date'];
const hasPrefixedDate = (headers: HeaderList): boolean => headers.some(([name]) => /^x-(?:[a-z]+-)?date$/i.test(name.trim()));

export const DATE_LINES: readonly StepChange[] = of<'date'>(
  'sign Date exactly as it is sent, and an empty line where it is not sent',
  [
    [
      'empty-beside-extra',
      'is empty where an extra header ends in -Date',
      (right) => (value, headers) => (hasPrefixedDate(headers) ? '' : right(value, headers)),
    ],
    [
      'of-extra',
      'is the value of an extra header that ends in -Date',
      (right) => (value, headers) => headers.find(([name]) => /^x-(?:[a-z]+-)?date$/i.test(name.trim()))?.[1] ?? right(value, headers),
    ],
    [
      'of-extra-when-absent',
      'is the value of an extra header that ends in -Date where Date is absent',
      (right) => (value, headers) => right(value, headers) || (headers.find(([name]) => /^x-(?:[a-z]+-)?date$/i.test(name.trim()))?.[1] ?? ''),
    ],
    [
      'reformatted',
      'is parsed and written again as an HTTP date',
      (right) => (value, headers) => {
        const text = right(value, headers);
        return /(?:Z|GMT|[+-]\d{4})$/.test(text) && !Number.isNaN(Date.parse(text)) ? new Date(text).toUTCString() : text;
      },
    ],
    ...['Thu, 01 Jan 1970 00:00:00 GMT', '0', '1970-01-01T00:00:00Z'].map(
      (text): Own<'date'> => [
        `default-${slugOf(text)}`,
        `is "${text}" where there is no Date`,
        (right) => (value, headers) => right(value, headers) || text,
        { cost: 2 },
      ],
    ),
  ],
  2,
);
void DATES_OF;

/** The value of another header, or nothing beside it. */
export function otherHeader(line: PositionalName): readonly StepChange[] {
  const others = [
    'Content-MD5',
    'Content-Type',
    'Date',
    'Expires',
    'Content-Length',
    'Host',
    'ETag',
    'Content-Encoding',
    'Last-Modified',
    'X-Date',
    'User-Agent',
    'Accept',
  ].filter((name) => name !== line);
  return of<'date'>(
    `sign the value of ${line} on its own line`,
    [
      ...others.flatMap((other): Own<'date'>[] => [
        [`of-${other.toLowerCase()}`, `is the value of ${other}`, () => (_, headers) => headerOf(headers, other), { cost: 2 }],
        [
          `of-${other.toLowerCase()}-when-absent`,
          `is the value of ${other} where ${line} is absent`,
          (right) => (value, headers) => right(value, headers) || headerOf(headers, other),
          { cost: 2 },
        ],
        [
          `empty-beside-${other.toLowerCase()}`,
          `is empty beside ${other}`,
          (right) => (value, headers) => (hasHeader(headers, other) ? '' : right(value, headers)),
          { cost: 3 },
        ],
        [
          `empty-without-${other.toLowerCase()}`,
          `is empty without ${other}`,
          (right) => (value, headers) => (hasHeader(headers, other) ? right(value, headers) : ''),
          { cost: 3 },
        ],
      ]),
      [
        'empty-beside-extra-headers',
        'is empty beside extra headers',
        (right) => (value, headers) => (headers.some(([name]) => /^x-/i.test(name.trim())) ? '' : right(value, headers)),
        { cost: 3 },
      ],
    ],
    2,
  );
}

const TYPES: Readonly<Record<string, string>> = {
  bin: 'application/octet-stream',
  css: 'text/css',
  gif: 'image/gif',
  htm: 'text/html',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  mp4: 'video/mp4',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  xml: 'application/xml',
  zip: 'application/zip',
};
const typeOf = (key: string): string => TYPES[key.split('.').at(-1)?.toLowerCase() ?? ''] ?? '';

const FEW_TYPES = ['bin', 'html', 'jpg', 'json', 'pdf', 'png', 'txt'];
const fewTypeOf = (key: string): string => (FEW_TYPES.includes(key.split('.').at(-1)?.toLowerCase() ?? '') ? typeOf(key) : '');

type Lines = Own<'positionalValues'>;
const ofVerb = (verbs: readonly string[], said: string): Lines[] =>
  (['contentMd5', 'contentType', 'date'] as const).map(
    (line): Lines => [
      `${line.toLowerCase()}-empty-for-${verbs[0]?.toLowerCase()}${verbs.length}`,
      `has an empty ${{ contentMd5: 'Content-MD5', contentType: 'Content-Type', date: 'Date' }[line]} line for ${said}`,
      (right) => (request, context) => {
        const values = right(request, context);
        return verbs.includes(request.method.toUpperCase()) ? { ...values, [line]: '' } : values;
      },
      { cost: 2 },
    ],
  );

export const LINES: readonly StepChange[] = of<'positionalValues'>('sign Content-MD5, Content-Type and Date as they are sent', [
  [
    'type-by-extension',
    'has the media type of the key where there is no Content-Type',
    (right) => (request, context) => {
      const values = right(request, context);
      return { ...values, contentType: values.contentType || typeOf(request.key) };
    },
  ],
  [
    'type-by-few-extensions',
    'has the media type of a well-known key where there is no Content-Type',
    (right) => (request, context) => {
      const values = right(request, context);
      return { ...values, contentType: values.contentType || fewTypeOf(request.key) };
    },
    { cost: 2 },
  ],
  [
    'type-by-extension-or-binary',
    'has the media type of the key or application/octet-stream where there is no Content-Type',
    (right) => (request, context) => {
      const values = right(request, context);
      return {
        ...values,
        contentType: values.contentType || typeOf(request.key) || 'application/octet-stream',
      };
    },
  ],
  [
    'type-by-extension-always',
    'has the media type of the key as Content-Type',
    (right) => (request, context) => ({
      ...right(request, context),
      contentType: typeOf(request.key),
    }),
    { cost: 2 },
  ],
  ...['application/octet-stream', 'text/plain', 'application/x-www-form-urlencoded', 'application/json'].flatMap((type): Lines[] => [
    [
      `default-for-uploads-${slugOf(type)}`,
      `has ${type} for PUT and POST where there is no Content-Type`,
      (right) => (request, context) => {
        const values = right(request, context);
        return ['PUT', 'POST'].includes(request.method.toUpperCase()) ? { ...values, contentType: values.contentType || type } : values;
      },
    ],
    [
      `default-for-put-${slugOf(type)}`,
      `has ${type} for PUT where there is no Content-Type`,
      (right) => (request, context) => {
        const values = right(request, context);
        return request.method.toUpperCase() === 'PUT' ? { ...values, contentType: values.contentType || type } : values;
      },
      { cost: 2 },
    ],
    [
      `default-for-post-${slugOf(type)}`,
      `has ${type} for POST where there is no Content-Type`,
      (right) => (request, context) => {
        const values = right(request, context);
        return request.method.toUpperCase() === 'POST' ? { ...values, contentType: values.contentType || type } : values;
      },
      { cost: 2 },
    ],
  ]),
  ...ofVerb(['GET'], 'GET'),
  ...ofVerb(['GET', 'HEAD'], 'GET and HEAD'),
  ...ofVerb(['GET', 'HEAD', 'DELETE'], 'GET, HEAD and DELETE'),
  ...ofVerb(['DELETE'], 'DELETE'),
  ...ofVerb(['PUT'], 'PUT'),
  ...ofVerb(['POST'], 'POST'),
  ...ofVerb(['PUT', 'POST'], 'PUT and POST'),
]);

// --- §5.2: the extra headers

type Selection = (name: string, prefix: string) => boolean;
const starts = (name: string, prefix: string): boolean => name.toLowerCase().startsWith(prefix.toLowerCase());
const POSITIONAL = /^(?:content-md5|content-type|date)$/i;
const adding = (id: string, clause: string, also: (name: string) => boolean, cost = 1): Change<Selection> => [
  id,
  clause,
  (name, prefix) => starts(name, prefix) || also(name),
  { cost },
];

const SELECTION_CHANGES: Kind<Selection> = {
  fix: 'choose the headers whose names start with the prefix of the dialect, in any case, and no others',
  changes: [
    ['none', 'takes no header', () => false],
    ['all', 'takes every header', () => true],
    ['as-documented', 'takes the prefix in its documented case only', (name, prefix) => name.startsWith(prefix)],
    ['lower-case', 'takes the prefix in lower case only', (name, prefix) => name.startsWith(prefix.toLowerCase())],
    [
      'documented-or-lower',
      'takes the prefix in its documented case or in lower case only',
      (name, prefix) => name.startsWith(prefix) || name.startsWith(prefix.toLowerCase()),
      { cost: 2 },
    ],
    ['upper-case', 'takes the prefix in upper case only', (name, prefix) => name.startsWith(prefix.toUpperCase()), { cost: 2 }],
    ['without-hyphen', 'takes the prefix without its last hyphen', (name, prefix) => starts(name, prefix.slice(0, -1))],
    ['anywhere', 'takes names that contain the prefix', (name, prefix) => name.toLowerCase().includes(prefix.toLowerCase())],
    ['metadata-only', 'takes metadata headers only', (name, prefix) => starts(name, `${prefix}Meta-`)],
    ['without-metadata', 'takes no metadata headers', (name, prefix) => starts(name, prefix) && !starts(name, `${prefix}Meta-`)],
    ['all-x', 'takes every name that starts with X-', (name) => starts(name, 'X-')],
    ['not-bare-prefix', 'does not take the prefix alone', (name, prefix) => starts(name, prefix) && name.length > prefix.length],
    ['without-date', 'does not take the extra header Date', (name, prefix) => starts(name, prefix) && !starts(name, `${prefix}Date`), { cost: 2 }],
    ['letters-only', 'takes names of letters, digits and hyphens only', (name, prefix) => starts(name, prefix) && /^[A-Za-z0-9-]+$/.test(name), { cost: 2 }],
    ['word-only', 'takes names of letters, digits, hyphens and underscores only', (name, prefix) => starts(name, prefix) && /^[\w-]+$/.test(name), { cost: 2 }],
    ['underscore-as-hyphen', 'takes names with underscores for hyphens', (name, prefix) => starts(name.replaceAll('_', '-'), prefix)],
    [
      'prefix-as-pattern',
      'takes any character for the hyphens of the prefix',
      (name, prefix) => new RegExp(`^${prefix.replaceAll('-', '.')}`, 'i').test(name),
      { cost: 3 },
    ],
    [
      'turkish',
      'lowers names in Turkish, where I becomes ı',
      (name, prefix) => name.replaceAll('I', 'ı').toLowerCase().startsWith(prefix.toLowerCase()),
      { cost: 3 },
    ],
    ...['X-Svc-', 'X-UCloud-', 'X-Ufile-', 'X-Amz-', 'X-Oss-', 'X-Cos-', 'X-Obs-', 'X-Goog-', 'X-Ms-', 'X-Bce-', 'X-Qs-', 'X-Kss-', 'X-Emc-'].flatMap(
      (other): Change<Selection>[] => [
        [`only-${other.slice(2, -1).toLowerCase()}`, `takes names that start with ${other}`, (name) => starts(name, other), { cost: 2 }],
        adding(`also-${other.slice(2, -1).toLowerCase()}`, `takes names that start with ${other} as well`, (name) => starts(name, other), 2),
      ],
    ),
    adding('with-positional', 'takes Content-MD5, Content-Type and Date as well', (name) => POSITIONAL.test(name)),
    ...[
      'Host',
      'Content-Type',
      'Content-MD5',
      'Date',
      'Content-Length',
      'Authorization',
      'Expires',
      'Range',
      'Content-Encoding',
      'Cache-Control',
      'If-Match',
    ].map((other) => adding(`with-${other.toLowerCase()}`, `takes ${other} as well`, (name) => name.toLowerCase() === other.toLowerCase())),
    adding('with-content', 'takes every name that starts with Content- as well', (name) => starts(name, 'Content-')),
  ],
};

export const SELECTIONS: readonly StepChange[] = also(
  SELECTION_CHANGES.changes.map(
    ([id, clause, apply, notes]): StepChange => ({
      id,
      clause,
      fix: notes?.fix ?? SELECTION_CHANGES.fix,
      cost: notes?.cost ?? 1,
      order: 0,
      wrap: (() => apply) as StepChange['wrap'],
    }),
  ),
  {
    'underscore-as-hyphen': {
      lowerCaseName: (right) => (name) => right(name).replaceAll('_', '-'),
    },
  },
);

export const HEADER_NAMES: readonly StepChange[] = of<'lowerCaseName'>('sign the names of extra headers in lower case', [
  ['as-written', 'keeps its case', () => (name) => name],
  ['upper-case', 'is in upper case', () => (name) => name.toUpperCase(), { cost: 2 }],
  ['title-case', 'is in title case, as in X-Svc-Meta', () => (name) => name.toLowerCase().replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())],
  ['turkish', 'is lowered in Turkish, where I becomes ı', () => (name) => name.replaceAll('I', 'ı').toLowerCase()],
  ['hyphens-for-underscores', 'has hyphens for underscores', () => (name) => name.toLowerCase().replaceAll('_', '-')],
  ['ascii-only', 'is lowered in its first character only', () => (name) => name.charAt(0).toLowerCase() + name.slice(1), { cost: 3 }],
]);

const checkless = (name: string): Own<'checkPresent'> => [
  `${name.toLowerCase()}-unchecked`,
  `is not checked for ${name}`,
  (right) => (parameters, required, section) =>
    right(
      parameters,
      required.filter((one) => one !== name),
      section,
    ),
];
export const PRESENCE: readonly StepChange[] = of<'checkPresent'>(
  'refuse a request without a parameter that it needs',
  ['Action', 'PublicKey', 'Type', 'BucketName'].map(checkless),
);

export const BUCKET_CHECKS: readonly StepChange[] = also(
  of<'checkBucket'>('refuse a bucket that is empty or has a slash', [
    ['slash-unchecked', 'is not checked for a slash', (right) => (bucket) => right(bucket.replaceAll('/', '-'))],
    ['slash-ends-host', 'is not checked for a slash, which ends the host', (right) => (bucket) => right(bucket.replaceAll('/', '-'))],
    ['empty-unchecked', 'is not checked for an empty bucket', (right) => (bucket) => right(bucket || 'b')],
  ]),
  {
    'slash-ends-host': {
      fileHostName: (right) => (bucket, fileHost, context) => right(bucket, fileHost, context).replace(/\/.*/s, ''),
    },
  },
);

export const VALUE_CHECKS: readonly StepChange[] = of<'checkHeaderValue'>('refuse line ends in header values that are not folds, and nothing else', [
  ['crlf-only', 'is checked for CRLF only', (right) => (name, value) => right(name, value.includes('\r\n') ? value : '')],
  [
    'folds-refused',
    'refuses folds as well',
    (right) => (name, value) => {
      right(name, value);
      if (value.includes('\n')) throw new InputError('header-value', 'a header value has a line end');
    },
  ],
]);

export const HEADER_CHECKS: readonly StepChange[] = of<'checkHeaders'>('check every header line', [
  [
    'extra-only',
    'is checked for extra headers only',
    (right) => (headers, context) =>
      right(
        headers.filter(([name]) => name.toLowerCase().startsWith('x-')),
        context,
      ),
  ],
]);

/** Runs of neighbouring header lines with the same name. */
function runs(headers: HeaderList): HeaderList[] {
  const found: Pair[][] = [];
  for (const header of headers) {
    const last = found.at(-1);
    if (last?.[0]?.[0].toLowerCase() === header[0].toLowerCase()) last.push(header);
    else found.push([header]);
  }
  return found;
}

export const HEADER_ROUTES: readonly StepChange[] = of<'extraHeaders'>('lower the names first, then sort and merge', [
  [
    'sorted-as-written',
    'is sorted in the case in which the names were written',
    (right) => (headers, context) =>
      right(
        [...headers].sort(([a], [b]) => compareBytes(a, b)),
        context,
      ),
    { cost: 2 },
  ],
]);

export const VALUE_LISTS: readonly StepChange[] = of<'valuesOfName'>(
  'join the values of one name with a bare comma, in the order in which they are sent',
  [
    ['sorted', 'is sorted', (right) => (values) => [...right(values)].sort(compareBytes)],
    ['without-duplicates', 'lacks repeated values', (right) => (values) => [...new Set(right(values))]],
    ['without-empty', 'lacks empty values', (right) => (values) => right(values).filter((value) => value !== '')],
    [
      'split-at-commas',
      'is split at the commas inside values, and trimmed',
      (right) => (values) => right(values).flatMap((value) => value.split(',').map((part) => part.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, ''))),
    ],
  ],
  1,
);

export const MERGES: readonly StepChange[] = of<'mergedHeaders'>('merge all headers of one name into one entry, in lower case', [
  ['unmerged', 'has one entry for each line', () => (headers) => headers],
  ['neighbours-only', 'has merged only lines that follow each other', (right) => (headers, context) => runs(headers).flatMap((run) => right(run, context))],
  [
    'first-line-only',
    'has the first line of each name only',
    () => (headers) => headers.filter(([name], i) => headers.findIndex(([other]) => other === name) === i),
  ],
  [
    'last-line-only',
    'has the last line of each name only',
    () => (headers) => headers.filter(([name], i) => headers.findLastIndex(([other]) => other === name) === i),
  ],
  ['last-in-place-of-first', 'has the last value of each name where the name came first', () => (headers) => [...new Map(headers)]],
]);

export const CANONICAL: readonly StepChange[] = of<'canonicalHeaders'>(
  'lay out the extra headers as the specification does',
  [
    [
      'merged-by-spelling',
      'is merged only where names are spelled alike',
      (right) => (headers, context) => {
        const { steps } = context;
        const entries = steps.mergedHeaders(steps.extraHeaders(headers, overriding(context, { lowerCaseName: (name) => name })), context);
        const sorted = entries.map(([name, value]) => [steps.lowerCaseName(name), value] as const).sort(([a], [b]) => steps.compareHeaderNames(a, b));
        void right;
        return steps.joinHeaderEntries(sorted.map(([name, value]) => steps.headerEntry(name, value, context)));
      },
    ],
    [
      'sorted-as-written',
      'is sorted in the case in which names were written',
      (right) => (headers, context) => {
        const sorted = [...headers].sort(([a], [b]) => compareBytes(a, b));
        return right(sorted, overriding(context, { sortedHeaders: (list) => list }));
      },
    ],
    [
      'without-empty',
      'lacks headers whose value is empty',
      (right) => (headers, context) =>
        right(
          headers,
          overriding(context, {
            headerEntry: (name, value, inner) => (value === '' ? '' : context.steps.headerEntry(name, value, inner)),
          }),
        ),
    ],
    [
      'trimmed-after-merging',
      'is trimmed only after values are merged',
      (right) => (headers, context) =>
        right(
          headers,
          overriding(context, {
            trimValue: (value) => value,
            joinValues: (values) => context.steps.trimValue(context.steps.joinValues(values)),
          }),
        ),
    ],
    [
      'unfolded-after-merging',
      'is unfolded only after values are merged',
      (right) => (headers, context) =>
        right(
          headers,
          overriding(context, {
            unfold: (value) => value,
            joinValues: (values) => context.steps.unfold(context.steps.joinValues(values)),
          }),
        ),
      { cost: 2 },
    ],
    [
      'merged-as-neighbours',
      'is merged only where headers of one name follow each other',
      (right) => (headers, context) =>
        runs(headers)
          .map((run) => right(run, context))
          .sort((a, b) => compareBytes(a.split(':', 1).join(), b.split(':', 1).join()))
          .join(''),
      { cost: 2 },
    ],
    ['line-for-none', 'is a line feed where there are none', (right) => (headers, context) => right(headers, context) || '\n'],
    ['then-line-feed', 'is followed by one more line feed', (right) => (headers, context) => `${right(headers, context)}\n`],
    [
      'then-line-feed-unless-none',
      'is followed by one more line feed where there are any',
      (right) => (headers, context) => {
        const text = right(headers, context);
        return text && `${text}\n`;
      },
    ],
    ['without-last-line-feed', 'lacks its last line feed', (right) => (headers, context) => right(headers, context).replace(/\n$/, '')],
  ],
  2,
);

function cleaned(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments.join('/');
}
const decodedWhereValid = (text: string): string => text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) => urlDecode(escapes) ?? escapes);

export const CLEANED_KEYS: readonly StepChange[] = of<'resourceKey'>(
  'use the key as it is named',
  [
    ['cleaned', 'is cleaned of empty and dot segments', (right) => (key) => cleaned(right(key))],
    ['decoded-where-valid', 'is percent-decoded where its escapes are UTF-8', (right) => (key) => decodedWhereValid(right(key))],
  ],
  2,
);

export const BARE_BUCKETS: readonly StepChange[] = of<'resourcePieces'>(
  'write both slashes of the resource',
  [
    [
      'bucket-alone',
      'lacks its second slash where the key is empty',
      (right) => (bucket, key) => right(bucket, key).filter(([name]) => key !== '' || name !== 'the second slash'),
    ],
    [
      'joined-as-paths',
      'is the key alone where the key starts with a slash, as by join of Python',
      (right) => (bucket, key) => (key.startsWith('/') ? [['the key', key]] : right(bucket, key)),
    ],
    [
      'bucket-in-key-once',
      'has a key that starts with the bucket once only',
      (right) => (bucket, key) => (key.startsWith(`${bucket}/`) ? right(bucket, key.slice(bucket.length + 1)) : right(bucket, key)),
      { cost: 2 },
    ],
  ],
  1,
);

export const KEY_ENCODERS: readonly StepChange[] = of<'resourceKey'>(
  'sign the key as it is named, not as the URL writes it',
  [
    ...ENCODERS.changes
      .slice(0, 40)
      .map(
        ([id, clause, apply]): Own<'resourceKey'> => [
          `segments-${id}`,
          `${clause}, segment by segment`,
          (right) => (key) => right(key).split('/').map(apply).join('/'),
          { cost: 2 },
        ],
      ),
    ['segments', 'is percent-encoded, segment by segment', (right) => (key) => right(key).split('/').map(urlEncode).join('/')],
    ['encoded', 'is percent-encoded with its slashes', (right) => (key) => urlEncode(right(key))],
  ],
  2,
);

const line = (id: string, clause: string, at: string, text: string, cost = 2): Own<'signedPieces'> => [
  id,
  clause,
  (right) => (parts) => right(parts).flatMap((piece): Piece[] => (piece[0] === at ? [['', text], piece] : [piece])),
  { cost },
];

export const FURTHER_LINES: readonly StepChange[] = of<'signedPieces'>('sign the lines that the specification gives, and no others', [
  ...['HTTP/1.1', 'https', 'http', '/', 'SVC', 'AWS4-HMAC-SHA256', 'UNSIGNED-PAYLOAD', 'host'].flatMap((text) => [
    line(`starts-with-${slugOf(text)}`, `starts with a line "${text}"`, 'the verb', `${text}\n`),
    line(`has-line-${slugOf(text)}`, `has a line "${text}" before the resource`, 'the resource', `${text}\n`, 3),
  ]),
  ['date-and-type-exchanged', 'has Date before Content-Type', (right) => (parts) => right({ ...parts, contentType: parts.date, date: parts.contentType })],
]);

export const SCHEMES: readonly StepChange[] = of<'sentScheme'>('write the scheme of the dialect', [
  ...['Svc', 'UCloud', 'AWS', 'OSS', 'Bearer', 'Basic', 'AWS4-HMAC-SHA256', 'HMAC-SHA1', 'Signature', 'COS', 'OBS', 'SharedKey', 'US3', 'UFile'].map(
    (scheme): Own<'sentScheme'> => [`is-${scheme.toLowerCase()}`, `is ${scheme}`, () => () => scheme, { cost: 2 }],
  ),
]);

type Written = (scheme: string, publicKey: string, signature: string, policy: string) => string;
const whole = (id: string, clause: string, text: Written, cost = 1): Own<'authorizationValue'> => [id, clause, () => text, { cost }];
const behind = (policy: string): string => policy && `:${policy}`;

export const AUTHORIZATIONS: readonly StepChange[] = of<'authorizationValue'>('write the scheme, one space, the public key, a colon and the signature', [
  whole(
    'as-basic',
    'is Base64 of public key and signature, as in Basic',
    (scheme, key, signature, policy) => `${scheme} ${base64(utf8Bytes(`${key}:${signature}`))}${behind(policy)}`,
  ),
  whole(
    'by-names',
    'names its parts, as AWS4 does',
    (scheme, key, signature, policy) => `${scheme} Credential=${key}, SignedHeaders=host, Signature=${signature}${behind(policy)}`,
  ),
  whole('by-short-names', 'names its parts', (scheme, key, signature) => `${scheme} Credential=${key}, Signature=${signature}`, 2),
  whole('as-parameters', 'names its parts, as parameters', (scheme, key, signature) => `${scheme} publicKey="${key}",signature="${signature}"`, 2),
  whole('policy-not-sent', 'lacks the callback policy', (scheme, key, signature) => `${scheme} ${key}:${signature}`),
  whole(
    'policy-comma',
    'has a comma before the callback policy',
    (scheme, key, signature, policy) => `${scheme} ${key}:${signature}${policy && `,${policy}`}`,
    2,
  ),
  whole(
    'policy-space',
    'has a space before the callback policy',
    (scheme, key, signature, policy) => `${scheme} ${key}:${signature}${policy && ` ${policy}`}`,
    2,
  ),
  whole('public-key-missing', 'is the scheme and the signature', (scheme, _, signature) => `${scheme} ${signature}`),
  whole('signature-only', 'is the signature alone', (_scheme, _, signature) => signature),
  whole(
    'header-line',
    'starts with the name of its header',
    (scheme, key, signature, policy) => `Authorization: ${scheme} ${key}:${signature}${behind(policy)}`,
  ),
  whole('scheme-twice', 'has its scheme twice', (scheme, key, signature, policy) => `${scheme} ${scheme} ${key}:${signature}${behind(policy)}`),
]);

// --- §4.3 and observed: forms, policies, instant uploads

const ofAnyCase = (fields: readonly Pair[], name: string): readonly Pair[] => fields.filter(([own]) => own.trim().toLowerCase() === name.toLowerCase());

export const FORM_FIELDS: readonly StepChange[] = of<'formField'>('take the form fields Content-Type and Content-MD5, in this case', [
  ['any-case', 'is taken in any case of the field name', () => (fields, name, context) => context.steps.positionalValue(fields, name, context)],
  ['any-case-first', 'is the first whose name is the same in another case', () => (fields, name) => ofAnyCase(fields, name)[0]?.[1].trim() ?? ''],
  ['any-case-last', 'is the last whose name is the same in another case', () => (fields, name) => ofAnyCase(fields, name).at(-1)?.[1].trim() ?? ''],
  ['lower-case', 'is taken of a field name in lower case', () => (fields, name) => fields.find(([own]) => own === name.toLowerCase())?.[1] ?? ''],
  ['empty', 'is empty', () => () => ''],
  ['last', 'is the last of its name', () => (fields, name) => fields.findLast(([own]) => own === name)?.[1].trim() ?? ''],
  ['first', 'is the first of its name', () => (fields, name) => fields.find(([own]) => own === name)?.[1].trim() ?? ''],
]);

type Form = Own<'formPositionalValues'>;
const ofForm = (
  id: string,
  clause: string,
  lines: (form: Parameters<Steps['formPositionalValues']>[0], context: Context, right: PositionalValues) => Partial<PositionalValues>,
  cost = 1,
): Form => [
  id,
  clause,
  (right) => (form, context) => {
    const values = right(form, context);
    return { ...values, ...lines(form, context, values) };
  },
  { cost },
];
const has = (list: readonly Pair[], name: string): boolean => list.some(([own]) => own === name);
const headerValue = (headers: HeaderList, name: PositionalName, context: Context): string => context.steps.positionalValue(headers, name, context);
const fieldValue = (fields: readonly Pair[], name: PositionalName, context: Context): string => context.steps.formField(fields, name, context);

export const FORM_LINES: readonly StepChange[] = of<'formPositionalValues'>('sign the Content-Type field of the form, not the header of its request', [
  ofForm('type-of-header', 'has the Content-Type of the header', ({ headers }, context) => ({
    contentType: headerValue(headers, 'Content-Type', context),
  })),
  ofForm('type-of-header-without-field', 'has the Content-Type of the header where the form has no such field', ({ headers, fields }, context) =>
    has(fields, 'Content-Type') ? {} : { contentType: headerValue(headers, 'Content-Type', context) },
  ),
  ofForm(
    'type-of-header-for-empty-field',
    'has the Content-Type of the header where the field is missing or empty',
    ({ headers }, context, { contentType }) => ({
      contentType: contentType || headerValue(headers, 'Content-Type', context),
    }),
  ),
  ofForm('type-of-header-before-field', 'has the Content-Type of the header before that of the field', ({ headers }, context, { contentType }) => ({
    contentType: headerValue(headers, 'Content-Type', context) || contentType,
  })),
  ofForm('type-empty', 'has an empty Content-Type line', () => ({ contentType: '' })),
  ofForm('type-multipart', 'has multipart/form-data as Content-Type', () => ({
    contentType: 'multipart/form-data',
  })),
  ofForm('md5-of-field-only', 'has the Content-MD5 of the field only', ({ fields }, context) => ({
    contentMd5: fieldValue(fields, 'Content-MD5', context),
  })),
  ofForm('md5-of-header-only', 'has the Content-MD5 of the header only', ({ headers }, context) => ({
    contentMd5: headerValue(headers, 'Content-MD5', context),
  })),
  ofForm('md5-of-field-before-header', 'has the Content-MD5 of the field before that of the header', ({ headers, fields }, context) => ({
    contentMd5: fieldValue(fields, 'Content-MD5', context) || headerValue(headers, 'Content-MD5', context),
  })),
  ofForm('md5-empty', 'has an empty Content-MD5 line', () => ({ contentMd5: '' })),
  ofForm('date-of-field', 'has the Date of a field before that of the header', ({ headers, fields }, context) => ({
    date: fieldValue(fields, 'Date', context) || headerValue(headers, 'Date', context),
  })),
  ofForm('date-empty', 'has an empty Date line', () => ({ date: '' })),
  ofForm('fields-among-headers', 'takes every line of the fields before the headers', ({ headers, fields }, context) => {
    const found = (name: PositionalName): string =>
      headerValue(fields.some(([own]) => own.toLowerCase() === name.toLowerCase()) ? fields : headers, name, context);
    return {
      contentMd5: found('Content-MD5'),
      contentType: found('Content-Type'),
      date: found('Date'),
    };
  }),
]);

export const POLICY_MEMBERS: readonly StepChange[] = of<'policyMember'>('write each member as compact JSON', [
  ['spaced', 'has a space behind its colon', () => (name, value) => `${quoted(name)}: ${quoted(value)}`],
  ['unquoted', 'is not quoted', () => (name, value) => `${name}:${value}`, { cost: 2 }],
  [
    'ascii',
    'has escapes for characters beyond ASCII',
    () => (name, value) => `${quoted(name)}:${quoted(value)}`.replace(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ],
  ['slashes-escaped', 'has escaped slashes', () => (name, value) => `${quoted(name)}:${quoted(value)}`.replaceAll('/', '\\/')],
  [
    'html-escaped',
    'has escapes for <, > and &',
    () => (name, value) => `${quoted(name)}:${quoted(value)}`.replace(/[<>&]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
  ],
  ['encoded', 'has a percent-encoded value', () => (name, value) => `${quoted(name)}:${quoted(urlEncode(value))}`],
]);

export const POLICY_JSONS: Kind<(members: readonly string[]) => string> = {
  fix: 'write the policy as one compact JSON object',
  changes: [
    ['spaced', 'has blanks behind commas and colons', (members) => `{${members.map((m) => m.replace('":"', '": "')).join(', ')}}`],
    ['commas-spaced', 'has blanks behind commas', (members) => `{${members.join(', ')}}`],
    [
      'indented',
      'is indented by two spaces',
      (members) => (members.length === 0 ? '{}' : `{\n${members.map((m) => `  ${m.replace('":"', '": "')}`).join(',\n')}\n}`),
    ],
    ['line-ended', 'ends with a line feed', (members) => `{${members.join(',')}}\n`],
    ['sorted', 'has its members sorted', (members) => `{${[...members].sort(compareBytes).join(',')}}`],
    ['list', 'is a list', (members) => `[${members.join(',')}]`],
  ],
};

export const INSTANT_KEYS: readonly StepChange[] = of<'instantUploadKey'>('sign the key that FileName names', [
  ['path', 'is uploadhit, the path of the request', () => () => 'uploadhit'],
  ['empty', 'is empty', () => () => ''],
  [
    'etag',
    'is the ETag',
    () =>
      ({ etag }) =>
        etag,
    { cost: 2 },
  ],
  [
    'path-and-key',
    'is uploadhit/ and the key',
    () =>
      ({ key }) =>
        `uploadhit/${key}`,
    { cost: 2 },
  ],
  [
    'with-query',
    'is the path with its query',
    () =>
      ({ etag, key, size }) =>
        `uploadhit?Hash=${etag}&FileName=${key}&FileSize=${size}`,
    { cost: 2 },
  ],
]);

const renamed = (from: string, to: string): Own<'instantUploadPairs'> => [
  `${from.toLowerCase()}-as-${to.toLowerCase()}${/^[a-z]/.test(to) ? '-lower' : ''}`,
  `has ${to} in the place of ${from}`,
  (right) => (upload) => right(upload).map(([name, value]) => [name === from ? to : name, value]),
];
export const INSTANT_PAIRS: readonly StepChange[] = of<'instantUploadPairs'>('send Hash, FileName and FileSize', [
  renamed('FileName', 'ObjectName'),
  renamed('FileSize', 'ObjectSize'),
  renamed('FileName', 'Key'),
  renamed('FileSize', 'Size'),
  renamed('Hash', 'ETag'),
  renamed('Hash', 'hash'),
  [
    'object-names',
    'has ObjectName and ObjectSize in the place of FileName and FileSize',
    (right) => (upload) => right(upload).map(([name, value]) => [name.replace('File', 'Object'), value]),
  ],
  ['names-lower-case', 'has its names in lower case', (right) => (upload) => right(upload).map(([name, value]) => [name.toLowerCase(), value])],
  [
    'hash-standard-base64',
    'has Hash in standard Base64',
    (right) => (upload) => right({ ...upload, etag: upload.etag.replaceAll('-', '+').replaceAll('_', '/') }),
  ],
  [
    'hash-hexadecimal',
    'has Hash in hexadecimal',
    (right) => (upload) => right({ ...upload, etag: toHex(upload.etag.replaceAll('-', '+').replaceAll('_', '/')) }),
  ],
  ['hash-unpadded', 'has Hash without padding', (right) => (upload) => right({ ...upload, etag: upload.etag.replace(/(?<!=)=+$/, '') })],
  ['sorted', 'is sorted by name', (right) => (upload) => [...right(upload)].sort(([a], [b]) => compareBytes(a, b))],
]);

export const FILE_NAMES: readonly StepChange[] = of<'instantUploadTarget'>(
  'percent-encode FileName as the other values',
  ENCODERS.changes.map(
    ([id, clause, apply, notes]): Own<'instantUploadTarget'> => [
      `file-name-${id}`,
      `has a FileName that ${clause}`,
      (right) => (upload, context) => right({ ...upload, key: '' }, context).replace('FileName=', () => `FileName=${apply(upload.key)}`),
      { cost: (notes?.cost ?? 1) + 1 },
    ],
  ),
  1,
);

// --- §5.4: pre-signed URLs

export function presignedLine(name: PositionalName): readonly StepChange[] {
  return of<'presignedType'>(`leave the ${name} line of a pre-signed URL empty`, [
    [
      'of-header',
      `is the value of ${name}`,
      () =>
        ({ headers }) =>
          headerOf(headers, name),
    ],
    [
      'by-extension',
      'is the media type of the key',
      () =>
        ({ key }) =>
          typeOf(key),
      { cost: 2 },
    ],
    ...(name === 'Content-Type' ? DEFAULT_TYPES.slice(0, 4) : [EMPTY_MD5, 'UNSIGNED-PAYLOAD']).flatMap((text): Own<'presignedType'>[] => [
      [`always-${slugOf(text)}`, `is ${text}`, () => () => text, { cost: 2 }],
      [
        `of-header-or-${slugOf(text)}`,
        `is the value of ${name}, or ${text}`,
        () =>
          ({ headers }) =>
            headerOf(headers, name) || text,
        { cost: 2 },
      ],
    ]),
  ]);
}

export const PRESIGNED_LINES: readonly StepChange[] = of<'presignedPositionalValues'>('sign Expires where Date stands, after two empty lines', [
  [
    'date-for-expires',
    'has Date in the place of Expires',
    (right) => (request, context) => ({
      ...right(request, context),
      date: headerOf(request.headers, 'Date'),
    }),
  ],
  [
    'date-or-expires',
    'has Date, if it is sent, in the place of Expires',
    (right) => (request, context) => {
      const values = right(request, context);
      return { ...values, date: headerOf(request.headers, 'Date') || values.date };
    },
  ],
  ['expires-empty', 'has no Expires', (right) => (request, context) => ({ ...right(request, context), date: '' })],
  [
    'headers-of-request',
    'has Content-MD5 and Content-Type of the request',
    (right) => (request, context) => ({
      ...right(request, context),
      contentMd5: headerOf(request.headers, 'Content-MD5'),
      contentType: headerOf(request.headers, 'Content-Type'),
    }),
  ],
]);

export const PRESIGNED_FILES: readonly StepChange[] = of<'presignedFile'>('sign a pre-signed URL as any file request, with Expires in the place of Date', [
  ...['GET', 'PUT', 'HEAD'].map(
    (method): Own<'presignedFile'> => [
      `as-${method.toLowerCase()}`,
      `is signed as for ${method}`,
      (right) => (request, positional, keys, context) => right({ ...request, method }, positional, keys, context),
    ],
  ),
  [
    'without-headers',
    'is signed without extra headers',
    (right) => (request, positional, keys, context) => right({ ...request, headers: [] }, positional, keys, context),
  ],
  [
    'without-empty-lines',
    'is signed without its two empty lines',
    (right) => (request, positional, keys, context) =>
      right(
        request,
        positional,
        keys,
        overriding(context, {
          signedText: (parts) => [parts.verb, parts.date, parts.canonicalHeaders + parts.canonicalResource].join('\n'),
        }),
      ),
  ],
  [
    'without-one-empty-line',
    'is signed with one empty line only',
    (right) => (request, positional, keys, context) =>
      right(
        request,
        positional,
        keys,
        overriding(context, {
          signedText: (parts) => [parts.verb, '', parts.date, parts.canonicalHeaders + parts.canonicalResource].join('\n'),
        }),
      ),
  ],
  [
    'key-encoded',
    'is signed with a percent-encoded key',
    (right) => (request, positional, keys, context) => right({ ...request, key: request.key.split('/').map(urlEncode).join('/') }, positional, keys, context),
  ],
  [
    'without-slash',
    'is signed without the first slash of its resource',
    (right) => (request, positional, keys, context) =>
      right(
        request,
        positional,
        keys,
        overriding(context, {
          resourceText: (text) => context.steps.resourceText(text).replace(/^\//, ''),
        }),
      ),
    { cost: 2 },
  ],
]);

export const PRESIGNED_NAMES: readonly StepChange[] = of<'presignedName'>('name the parameters as the dialect does', [
  ...[
    'PublicKey',
    'AccessKeyId',
    'AWSAccessKeyId',
    'OSSAccessKeyId',
    'UCloudPublicKey',
    'SvcPublicKey',
    'AccessKey',
    'publicKey',
    'sign',
    'UFilePublicKey',
  ].map(
    (other): Own<'presignedName'> => [
      `key-as-${other.toLowerCase()}${/^[a-z]/.test(other) ? '-lower' : ''}`,
      `is ${other} for the public key`,
      () => (name) => (name === 'Expires' || name === 'Signature' ? name : other),
    ],
  ),
  ...['Expiry', 'expires', 'Expire', 'X-Amz-Expires', 'E'].map(
    (other): Own<'presignedName'> => [
      `expires-as-${slugOf(other)}`,
      `is ${other} for Expires`,
      () => (name) => (name === 'Expires' ? other : name),
      { cost: 2 },
    ],
  ),
  ...['signature', 'Sign', 'sig', 'X-Amz-Signature'].map(
    (other): Own<'presignedName'> => [
      `signature-as-${slugOf(other)}-${other.length}`,
      `is ${other} for Signature`,
      () => (name) => (name === 'Signature' ? other : name),
      { cost: 2 },
    ],
  ),
]);

type Host = (bucket: string, fileHost: string) => string;
const host = (id: string, clause: string, text: Host, cost = 1): Own<'fileHostName'> => [
  id,
  clause,
  () =>
    (bucket, fileHost, { steps }) =>
      text(steps.hostBucket(bucket), steps.hostSuffix(fileHost)),
  { cost },
];

export const HOSTS: readonly StepChange[] = of<'fileHostName'>('write the bucket, a dot and the file host', [
  host('without-bucket', 'lacks the bucket', (_, fileHost) => fileHost),
  host('bucket-as-path', 'has the bucket as the first part of the path', (bucket, fileHost) => `${fileHost}/${bucket}`),
  host('without-dot', 'lacks the dot', (bucket, fileHost) => bucket + fileHost),
  host('dash', 'has a dash in the place of the dot', (bucket, fileHost) => `${bucket}-${fileHost}`),
  host('bucket-last', 'has the bucket behind the file host', (bucket, fileHost) => `${fileHost}.${bucket}`, 2),
  host('without-port', 'lacks the port', (bucket, fileHost) => `${bucket}.${fileHost.replace(/:\d+$/, '')}`),
  host('encoded', 'is percent-encoded', (bucket, fileHost) => `${bucket}.${urlEncode(fileHost)}`),
  host('with-www', 'starts with www.', (bucket, fileHost) => `www.${bucket}.${fileHost}`, 2),
  host('cut-at-slash', 'ends at a slash of the bucket', (bucket, fileHost) => `${bucket}.${fileHost}`.replace(/\/.*/s, '')),
]);

const path = (id: string, clause: string, text: (key: string) => string, cost = 1): Own<'filePath'> => [
  id,
  clause,
  () =>
    (key, { steps }) =>
      text(steps.pathKey(key)),
  { cost },
];

export const PATHS: readonly StepChange[] = of<'filePath'>(
  'write a slash and the key, percent-encoded but for its slashes',
  [
    path('unencoded', 'is not percent-encoded', (key) => `/${key}`),
    path('slashes-encoded', 'has percent-encoded slashes', (key) => `/${urlEncode(key)}`),
    path('as-encode-uri', 'is encoded as encodeURI does', (key) => `/${encodeURI(key)}`),
    path('as-escape', 'is encoded as escape does', (key) => `/${escape(key)}`, 2),
    path('without-slash', 'lacks its slash', (key) => key.split('/').map(urlEncode).join('/')),
    path(
      'as-segments',
      'leaves the characters that RFC 3986 allows in a path',
      (key) => `/${key.replace(/[^A-Za-z0-9\-_.~/$&+,:;=@]+/g, (others) => urlEncode(others))}`,
    ),
    path(
      'as-pchar',
      'leaves every character that RFC 3986 allows in a path',
      (key) => `/${key.replace(/[^A-Za-z0-9\-_.~/!$&'()*+,;=:@]+/g, (others) => urlEncode(others))}`,
    ),
    path('as-java-uri', 'is encoded as java.net.URI does', (key) => `/${key.replace(/[ "<>\\^`{|}%?#[\]]+/g, (others) => urlEncode(others))}`, 2),
    path('spaces-only', 'has only its spaces encoded', (key) => `/${key.replaceAll(' ', '%20')}`),
    path('dots-resolved', 'has its dot segments resolved', (key) => new URL(`http://host/${key.split('/').map(urlEncode).join('/')}`).pathname),
  ],
  0,
);

export const URL_SCHEMES: Kind<(scheme: string) => string> = {
  fix: 'use the scheme that was asked for',
  changes: [
    ['always-http', 'is always http', () => 'http'],
    ['always-https', 'is always https', () => 'https'],
  ],
};

// --- §5, E1: verifiers

type Request = Own<'verifiedRequest'>;
const only = (id: string, clause: string, change: (request: FileRequest) => Partial<FileRequest>, cost = 1): Request => [
  id,
  clause,
  (right) => (request) => {
    const given = right(request);
    return { ...given, ...change(given) };
  },
  { cost },
];

export const VERIFIED_REQUESTS: readonly StepChange[] = of<'verifiedRequest'>('verify the request that was received, whole', [
  only('method-lower-case', 'has its method in lower case', ({ method }) => ({ method: method.toLowerCase() }), 2),
  only('head-as-get', 'has GET for HEAD', ({ method }) => (method.toUpperCase() === 'HEAD' ? { method: 'GET' } : {})),
  only('always-get', 'always has GET', () => ({ method: 'GET' }), 2),
  only('without-headers', 'has no headers', () => ({ headers: [] })),
  only('without-extra-headers', 'has no extra headers', ({ headers }) => ({
    headers: headers.filter(([name]) => !/^x-/i.test(name.trim())),
  })),
  only('key-lower-case', 'has its key in lower case', ({ key }) => ({ key: key.toLowerCase() }), 2),
  only('key-decoded', 'has its key percent-decoded', ({ key }) => ({
    key: urlDecode(key) ?? key,
  })),
  only('key-cleaned', 'has its key without dot segments', ({ key }) => ({
    key: new URL(`http://h/${key.split('/').map(encodeURIComponent).join('/')}`).pathname.slice(1).split('/').map(decodeURIComponent).join('/'),
  })),
  only('key-without-query', 'has its key cut at a question mark', ({ key }) => ({
    key: key.split('?', 1).join(),
  })),
  only('bucket-lower-case', 'has its bucket in lower case', ({ bucket }) => ({
    bucket: bucket.toLowerCase(),
  })),
  only('without-date', 'has no Date', ({ headers }) => ({
    headers: headers.filter(([name]) => name.trim().toLowerCase() !== 'date'),
  })),
  only('without-md5', 'has no Content-MD5', ({ headers }) => ({
    headers: headers.filter(([name]) => name.trim().toLowerCase() !== 'content-md5'),
  })),
  only('without-type', 'has no Content-Type', ({ headers }) => ({
    headers: headers.filter(([name]) => name.trim().toLowerCase() !== 'content-type'),
  })),
  only('last-of-repeated', 'has the last of repeated headers only', ({ headers }) => ({
    headers: headers.filter(([name], i) => headers.findLastIndex(([o]) => o.toLowerCase() === name.toLowerCase()) === i),
  })),
  only('first-of-repeated', 'has the first of repeated headers only', ({ headers }) => ({
    headers: headers.filter(([name], i) => headers.findIndex(([o]) => o.toLowerCase() === name.toLowerCase()) === i),
  })),
]);

export const AUTHORIZATION_LISTS: readonly StepChange[] = of<'authorizationValues'>(
  'refuse two Authorization headers',
  [['joined', 'is joined with commas', (right) => (values) => [right(values).join(',')].filter((value) => value !== '')]],
  1,
);

export const HAS_SCHEME: Kind<(value: string, scheme: string) => boolean> = {
  fix: 'accept the scheme of the dialect and one space, in this case',
  changes: [
    ['any-case', 'is accepted in any case', (value, scheme) => value.toLowerCase().startsWith(`${scheme.toLowerCase()} `)],
    ['any', 'is not looked at', () => true],
    ['without-space', 'is accepted without its space', (value, scheme) => value.startsWith(scheme)],
    ['any-blank', 'is accepted before any blank', (value, scheme) => value.startsWith(scheme) && /^\s/.test(value.slice(scheme.length))],
  ],
};

export const CREDENTIALS: readonly StepChange[] = of<'credentials'>('split the credentials at each colon, and refuse more than three parts', [
  [
    'policy-ignored',
    'is taken without its callback policy',
    (right) => (text) => {
      const parsed = right(text);
      return parsed && { ...parsed, policy: '' };
    },
  ],
  [
    'last-colon',
    'is split at the last colon',
    (right) => (text) => {
      const parsed = right(text);
      return parsed?.policy
        ? {
            publicKey: `${parsed.publicKey}:${parsed.signature}`,
            signature: parsed.policy,
            policy: '',
          }
        : parsed;
    },
  ],
  ['first-two', 'is cut behind its second part', (right) => (text) => right(text.split(':').slice(0, 2).join(':'))],
  [
    'first-colon',
    'is split at the first colon only',
    () => (text) => {
      const at = text.indexOf(':');
      return at < 0 ? undefined : { publicKey: text.slice(0, at), signature: text.slice(at + 1), policy: '' };
    },
  ],
  [
    'empty-parts',
    'is accepted with empty parts',
    () => (text) => {
      const [publicKey = '', signature = '', policy = ''] = text.split(':');
      return { publicKey, signature, policy };
    },
  ],
  [
    'trimmed-parts',
    'has its parts trimmed',
    (right) => (text) =>
      right(
        text
          .split(':')
          .map((part) => part.trim())
          .join(':'),
      ),
  ],
  ['blanks-removed', 'has its blanks removed', (right) => (text) => right(text.replace(/[ \t]+/g, ''))],
  [
    'policy-whole',
    'has further colons in its callback policy',
    () => (text) => {
      const [publicKey = '', signature = '', ...policy] = text.split(':');
      return publicKey && signature ? { publicKey, signature, policy: policy.join(':') } : undefined;
    },
  ],
  ['word-cut', 'is cut at its first blank', (right) => (text) => right(text.split(/[ \t]/, 1).join())],
]);

const reading = (id: string, clause: string, read: (value: string, scheme: string) => string): Own<'parsedAuthorization'> => [
  id,
  clause,
  (right) => (value, scheme, context) => right(read(value, scheme), scheme, context),
];

export const PARSED: readonly StepChange[] = of<'parsedAuthorization'>('accept the scheme, one space and the credentials', [
  reading('glued', 'is accepted with any blanks or none behind the scheme', (value, scheme) =>
    value.startsWith(scheme) ? `${scheme} ${value.slice(scheme.length).trimStart()}` : value,
  ),
  reading('blanks', 'is accepted with several blanks behind the scheme', (value) => value.replace(/[ \t]+/, ' ')),
  reading('last-word', 'is read from its last word', (value, scheme) => `${scheme} ${value.slice(value.lastIndexOf(' ') + 1)}`),
  reading('second-word', 'is read from its second word', (value, scheme) => `${scheme} ${value.split(' ')[1] ?? ''}`),
  reading(
    'second-word-at-blanks',
    'is read from its second word, whatever blanks are before it',
    (value, scheme) => `${scheme} ${value.split(/\s+/)[1] ?? ''}`,
  ),
  reading('scheme-and-word', 'is read from the word behind the scheme', (value, scheme) => `${value.split(' ')[0] ?? scheme} ${value.split(' ')[1] ?? ''}`),
  reading('anywhere', 'is found anywhere in the header', (value, scheme) => (value.includes(`${scheme} `) ? value.slice(value.indexOf(`${scheme} `)) : value)),
  reading('tabs', 'is accepted with a tab behind the scheme', (value, scheme) =>
    value.startsWith(`${scheme}\t`) ? `${scheme} ${value.slice(scheme.length + 1)}` : value,
  ),
  reading('quotes', 'is accepted in quotes', (value) => value.replaceAll('"', '')),
  reading('percent-decoded', 'is percent-decoded first', (value) => urlDecode(value) ?? value),
  reading('comma-ends', 'ends at a comma', (value) => value.split(',', 1).join()),
]);

export const TAKES_POLICY: readonly StepChange[] = of<'takesPolicy'>('accept a callback policy with PUT and POST only', [
  ['of-any-method', 'is accepted with any method', () => () => true],
  ['of-no-method', 'is never accepted', () => () => false],
  ['of-put-only', 'is accepted with PUT only', () => (method) => method.toUpperCase() === 'PUT'],
  ['of-post-only', 'is accepted with POST only', () => (method) => method.toUpperCase() === 'POST'],
  ['of-put-and-delete', 'is accepted with every method but GET and HEAD', () => (method) => !['GET', 'HEAD'].includes(method.toUpperCase())],
  ['of-all-but-get', 'is accepted with every method but GET', () => (method) => method.toUpperCase() !== 'GET'],
]);

const policyTextOf = (text: string): string | undefined => {
  try {
    return atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return undefined;
  }
};
const isJsonText = (text: string): boolean => jsonText(text) !== undefined;

export const IS_POLICY: readonly StepChange[] = of<'isPolicy'>('accept only Base64 of a JSON object as a callback policy', [
  ['any-text', 'is accepted whatever it is', () => () => true],
  ['none', 'is never accepted', () => () => false],
  ['any-base64', 'is accepted as Base64 of anything', () => (text) => policyTextOf(text) !== undefined],
  ['any-json', 'is accepted as Base64 of any JSON', () => (text) => isJsonText(policyTextOf(text) ?? '')],
  ['opened', 'is accepted as Base64 of anything that starts with a brace', () => (text) => policyTextOf(text)?.startsWith('{') ?? false],
  ['url-safe-only', 'is accepted in URL-safe Base64 only', (right) => (text) => !/[+/]/.test(text) && right(text)],
  ['standard-only', 'is accepted in standard Base64 only', (right) => (text) => !/[-_]/.test(text) && right(text)],
  ['padded-only', 'is accepted with padding only', (right) => (text) => text.length % 4 === 0 && right(text), { cost: 2 }],
  ['unpadded-only', 'is accepted without padding only', (right) => (text) => !text.endsWith('=') && right(text), { cost: 2 }],
]);

const ESCAPE = /%([0-9A-Fa-f]{2})/g;
const RESERVED = /%(?=2[346BCF]|3[ABDF]|40)/gi;
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/g;
const latin1 = (text: string): string => text.replace(ESCAPE, (_, byte: string) => String.fromCharCode(Number.parseInt(byte, 16)));
const replacing = (text: string): string =>
  new TextDecoder().decode(Uint8Array.from(latin1(encodeURI(text.toWellFormed().replace(BAD_ESCAPE, '%25')).replaceAll('%25', '%')), (c) => c.charCodeAt(0)));

type Decoder = Own<'decodedText'>;
export const DECODERS: readonly StepChange[] = of<'decodedText'>('percent-decode it once, as UTF-8, and leave a plus as it is', [
  ['undecoded', 'is not percent-decoded', () => (text) => text],
  [
    'decoded-twice',
    'is percent-decoded twice',
    (right) => (text) => {
      const once = right(text);
      return once === undefined ? undefined : (right(once) ?? once);
    },
  ],
  ['doubly-escaped', 'is decoded with %25 read as a percent sign first', (right) => (text) => right(text.replaceAll('%25', '%'))],
  ['plus-as-space', 'has a space for each plus', (right) => (text) => right(text.replaceAll('+', '%20'))],
  ['latin-1', 'is decoded as Latin-1', () => latin1],
  ['bad-escapes-kept', 'is accepted with bad escapes, as they are', (right) => (text) => right(text.replace(BAD_ESCAPE, '%25'))],
  ['bad-utf-8-replaced', 'is accepted with bytes that are no UTF-8', () => replacing],
  ['bad-kept-whole', 'is taken as it is where it cannot be decoded', (right) => (text) => right(text) ?? text],
  ['bad-empty', 'is empty where it cannot be decoded', (right) => (text) => right(text) ?? ''],
  ['reserved-kept', 'keeps the escapes of reserved characters', (right) => (text) => right(text.replace(RESERVED, '%25'))],
  ['slashes-kept', 'keeps the escapes of slashes', (right) => (text) => right(text.replace(/%(?=2F)/gi, '%25'))],
  [
    'lower-case-refused',
    'is refused with escapes in lower case',
    (right) => (text) => (/%(?:[a-f][0-9A-Fa-f]|[0-9A-F][a-f])/.test(text) ? undefined : right(text)),
  ],
  ['dots-resolved', 'has its dot segments resolved', (right) => (text) => right(new URL(`http://host/${text}`).pathname.slice(1))],
  ['slashes-merged', 'has its slashes merged', (right) => (text) => right(text.replace(/\/{2,}/g, '/'))],
  ['semicolon-cut', 'is cut at its first semicolon', (right) => (text) => right(text.split(';', 1).join()), { cost: 2 }],
  ['trailing-slash-cut', 'lacks a slash at its end', (right) => (text) => right(text.replace(/\/$/, '')), { cost: 2 }],
] satisfies readonly Decoder[]);

const KNOWN = ['Action', 'PublicKey', 'Expires', 'Signature', 'SvcPublicKey', 'UCloudPublicKey'];
const rawPairs = (query: string): readonly Pair[] =>
  query
    .split('&')
    .filter((piece) => piece !== '')
    .map((piece) => {
      const [name = '', ...value] = piece.split('=');
      return [name, value.join('=')];
    });
const defined = <F>(kind: Kind<F>): Kind<F> => kind;

export const DEFINED_TEXTS: readonly StepChange[] = of<'decodedText'>(
  'use the decoded text as it is',
  [
    ['lower-case', 'is in lower case', (right) => (text) => right(text)?.toLowerCase()],
    ['trimmed', 'is trimmed', (right) => (text) => right(text)?.trim()],
    ['slash-less', 'lacks slashes at its start', (right) => (text) => right(text)?.replace(/^\/+/, '')],
    ['normalized', 'is in Unicode normal form C', (right) => (text) => right(text)?.normalize('NFC')],
    ['cut-at-nul', 'is cut at its first NUL', (right) => (text) => right(text)?.split('\0', 1).join()],
    ['backslash-slash', 'has slashes for backslashes', (right) => (text) => right(text)?.replaceAll('\\', '/')],
  ],
  2,
);

export const DEFINED_PAIRS: readonly StepChange[] = of<'receivedPairs'>(
  'compare names of parameters in their case, and keep each pair',
  [
    [
      'known-in-any-case',
      'has known names in any case',
      (right) => (pairs) => right(pairs).map(([name, value]) => [KNOWN.find((known) => known.toLowerCase() === name.toLowerCase()) ?? name, value]),
    ],
    [
      'dots-as-underscores',
      'has underscores for dots and spaces in names, as PHP does',
      (right) => (pairs) => right(pairs).map(([name, value]) => [name.replace(/[. ]/g, '_'), value]),
    ],
  ],
  1,
);

export const QUERY_READERS: readonly StepChange[] = of<'decodedQuery'>('split the query at & and the first =, then percent-decode names and values', [
  ['undecoded', 'is not percent-decoded', () => (query) => rawPairs(query)],
  [
    'decoded-before-splitting',
    'is percent-decoded before it is split',
    () => (query) => {
      const text = urlDecode(query);
      return text === undefined ? undefined : rawPairs(text);
    },
  ],
  [
    'names-undecoded',
    'has names that are not percent-decoded',
    (right) => (query, context) => right(query, context)?.map(([, value], i): Pair => [rawPairs(query)[i]?.[0] ?? '', value]),
  ],
  [
    'second-part-only',
    'has values cut at a second =',
    (right) => (query, context) =>
      right(
        query
          .split('&')
          .map((piece) => piece.split('=').slice(0, 2).join('='))
          .join('&'),
        context,
      ),
  ],
  [
    'valueless-dropped',
    'lacks parts without =',
    (right) => (query, context) =>
      right(
        query
          .split('&')
          .filter((piece) => piece.includes('='))
          .join('&'),
        context,
      ),
  ],
]);

function withoutComments(text: string): string {
  let left = '';
  let at = 0;
  for (;;) {
    const start = text.indexOf('/*', at);
    const end = start < 0 ? -1 : text.indexOf('*/', start + 2);
    if (end < 0) return left + text.slice(at);
    left += text.slice(at, start);
    at = end + 2;
  }
}

const each = (value: ParameterValue | undefined, change: (value: ParameterValue) => ParameterValue): ParameterValue | undefined => {
  if (value === undefined || value === null || typeof value !== 'object' || 'number' in value) return value === undefined ? undefined : change(value);
  return 'list' in value
    ? { list: value.list.map((item) => each(item, change) ?? null) }
    : {
        object: value.object.map(([name, member]) => [name, each(member, change) ?? null] as const),
      };
};
const isNumber = (value: ParameterValue): value is { readonly number: string } => typeof value === 'object' && value !== null && 'number' in value;

const repaired = (id: string, clause: string, repair: (text: string) => string): Own<'jsonText'> => [id, clause, (right) => (text) => right(repair(text))];
const converted = (id: string, clause: string, change: (value: ParameterValue) => ParameterValue): Own<'jsonText'> => [
  id,
  clause,
  (right) => (text) => each(right(text), change),
];

export const JSON_READERS: readonly StepChange[] = of<'jsonText'>('read the body as one JSON value (RFC 8259), with numbers as they are written', [
  converted('numbers-in-doubles', 'has its numbers as 64-bit floats', (value) => (isNumber(value) ? { number: `${Number(value.number)}` } : value)),
  converted('numbers-truncated', 'has its numbers as integers', (value) => (isNumber(value) ? { number: `${Math.trunc(Number(value.number))}` } : value)),
  converted('numbers-as-texts', 'has its numbers as texts', (value) => (isNumber(value) ? value.number : value)),
  converted('booleans-as-numbers', 'has its booleans as 1 and 0', (value) => (typeof value === 'boolean' ? { number: value ? '1' : '0' } : value)),
  converted('null-as-empty', 'has empty texts for null', (value) => (value === null ? '' : value)),
  converted('texts-trimmed', 'has its texts trimmed', (value) => (typeof value === 'string' ? value.trim() : value)),
  repaired('comments-and-commas', 'is read with comments and trailing commas', (text) => withoutComments(text).replace(/,(?=\s*[}\]])/g, '')),
  repaired('trailing-commas', 'is read with trailing commas', (text) => text.replace(/,(?=\s*[}\]])/g, '')),
  repaired('comments', 'is read with comments', withoutComments),
  repaired('single-quotes', 'is read with single quotes', (text) => (jsonText(text) === undefined ? text.replaceAll("'", '"') : text)),
  repaired('mark-ignored', 'is read with a byte order mark', (text) => text.replace(/^\ufeff/, '')),
  repaired('list-of-one', 'is read from a list of one', (text) => text.replace(/^\s*\[(.*)\]\s*$/s, '$1')),
  [
    'first-value',
    'is read to the end of its first object only',
    (right) => (text) => [...text.matchAll(/\}/g)].map(({ index }) => right(text.slice(0, index + 1))).find((value) => value !== undefined),
  ],
  [
    'null-members-dropped',
    'lacks members that are null',
    (right) => (text) => {
      const value = right(text);
      return typeof value === 'object' && value !== null && 'object' in value ? { object: value.object.filter(([, member]) => member !== null) } : value;
    },
  ],
]);

type Members = Own<'receivedMembers'>;
export const RECEIVED_MEMBERS: readonly StepChange[] = of<'receivedMembers'>(
  'take every member of the body, in its case',
  [
    ['without-empty', 'lacks members that are empty', (right) => (members) => right(members).filter(([, value]) => value !== '')],
    [
      'names-any-case',
      'has known names in any case',
      (right) => (members) =>
        right(members).map(([name, value]) => [KNOWN.find((known) => known.toLowerCase() === name.toLowerCase()) ?? name, value] as const),
    ],
    ['without-nested', 'lacks lists and objects', (right) => (members) => right(members).filter(([, value]) => !isNested(value))],
  ] satisfies readonly Members[],
  1,
);

export const COUNTS: readonly StepChange[] = of<'countOf'>('refuse a parameter that comes twice', [
  ['accepted', 'is accepted, the first counts', () => (count) => Math.min(count, 1)],
]);

export const MISSING: readonly StepChange[] = of<'missingParameter'>('refuse a request without Action or PublicKey', [
  ['accepted', 'is accepted', () => () => undefined],
  ['action-accepted', 'is accepted without Action', (right) => (parameters) => right([['Action', ''], ...parameters])],
  ['public-key-accepted', 'is accepted without PublicKey', (right) => (parameters) => right([['PublicKey', ''], ...parameters])],
]);

export const VERIFIED_HEADERS: readonly StepChange[] = of<'verifiedHeaders'>(
  'sign the extra headers of a pre-signed request',
  [
    ['ignored', 'is ignored', () => () => []],
    ['metadata-only', 'is cut to metadata headers', (right) => (headers) => right(headers).filter(([name]) => /-meta-/i.test(name)), { cost: 2 }],
  ],
  1,
);

type OfHost = Own<'bucketOfHost'>;
export const BUCKETS_OF_HOST: readonly StepChange[] = of<'bucketOfHost'>('take what stands before the file host, in any case, as the bucket', [
  [
    'case-sensitive',
    'is found only where the file host has its documented case',
    (right) => (name, fileHost) => (name.endsWith(fileHost) ? right(name, fileHost) : undefined),
  ],
  ['first-label', 'is the first label of any host', () => (name) => name.split('.')[0] || undefined],
  ['lower-case', 'is in lower case', (right) => (name, fileHost) => right(name, fileHost)?.toLowerCase()],
  ['without-port', 'is found without regard to the port', (right) => (name, fileHost) => right(name.replace(/:\d+$/, ''), fileHost.replace(/:\d+$/, ''))],
  [
    'dots',
    'may have dots',
    () => (name, fileHost) => (name.toLowerCase().endsWith(`.${fileHost.toLowerCase()}`) ? name.slice(0, -fileHost.length - 1) || undefined : undefined),
  ],
  [
    'suffix',
    'is found before any host that ends alike',
    () => (name, fileHost) =>
      name.toLowerCase().endsWith(fileHost.toLowerCase()) ? name.slice(0, -fileHost.length).replace(/\.$/, '') || undefined : undefined,
  ],
] satisfies readonly OfHost[]);

void base64Url;
void defined;

export type { Item };
