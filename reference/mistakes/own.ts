/**
 * Changes that fit only one step, because no kind of value has them.
 *
 * @module
 */
import { hash, sha1, sha1Hash } from '#digest';
import { base64, compareBytes, concatBytes, hexadecimal, urlDecode, urlEncode, utf8Bytes } from '../signing/bytes.ts';
import type { PositionalName, PositionalValues } from '../signing/file-requests.ts';
import type { Steps } from '../signing/index.ts';
import { jsonText } from '../signing/json-text.ts';
import { numberText } from '../signing/parameters.ts';
import {
  type ActionParameters,
  type Context,
  type FileRequest,
  type FlatParameter,
  type FlatParameters,
  type HeaderList,
  InputError,
  type InputErrorCode,
  type Pair,
  type ParameterValue,
  type Piece,
  type ScalarValue,
} from '../signing/types.ts';
import { asciiDigits, before, escapedUnits, fromHex, fromUtf8, hashLabel, lowBytes, standardAlphabet, unpadded } from './changes/bytes.ts';
import { type Bytes, type Change, type Kind, kind, type StepName, type Wraps } from './changes/change.ts';
import { DIGESTS } from './changes/digests.ts';
import { ENCODERS } from './changes/encoders.ts';
import { CONTENTS, wholeBuffers } from './changes/etag.ts';
import { separatorId } from './changes/joins.ts';
import { firstOfName, lastInPlaceOfFirst, lastOfName } from './changes/lists.ts';
import { BOOLEANS, isWider, NUMBERS, numberAs } from './changes/numbers.ts';
import { TEXTS, TRIMS } from './changes/texts.ts';
import { type Around, UNCHECKED } from './kinds.ts';
import { overriding } from './mistake.ts';

/** Wrong steps, each of which replaces the correct one. */
type Instead<Name extends StepName> = Kind<Steps[Name]>;

/** The changes of a kind, applied to a part of an argument or result of a step. Each costs one more. */
const inside = <F, G>({ changes }: Kind<F>, id: string, clause: (own: string) => string, change: (own: F) => G): Change<G>[] =>
  changes.map(([own, said, apply, notes]) => [`${id}-${own}`, clause(said), change(apply), { cost: (notes?.cost ?? 1) + 1 }]);

function refuse(code: InputErrorCode, message: string): never {
  throw new InputError(code, message);
}

const sortedByName = <T extends readonly [name: string, ...unknown[]]>(list: readonly T[]): readonly T[] => list.toSorted(([a], [b]) => compareBytes(a, b));
/** Splits a text at `mark`, changes each part, and joins them again. */
function changedParts(text: string, mark: string, change: (part: string) => string): string {
  const parts = text.split(mark);
  return parts.map((part) => change(part)).join(mark);
}
const turkish = (text: string): string => text.replaceAll('I', 'ı').toLowerCase();
const lowerCase = (text: string): string => text.toLowerCase();
const upperCase = (text: string): string => text.toUpperCase();
const slugOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
/** A suffix that keeps the ids of `Hash` and `hash` apart. */
const caseOf = (name: string): string => (/^[a-z]/.test(name) ? '-lower' : '');

// --- §2: the ETag

type Cut = (content: Bytes, size: number) => readonly Bytes[];

const blocksOf: Cut = (content, size) => (Number.isFinite(size) ? Array.from({ length: Math.ceil(content.length / size) }, (_, i) => content.subarray(i * size, (i + 1) * size)) : [content]);

/** Keeps the content in memory, cuts it into blocks with `cut` and hashes each block. */
function createCutHash(cut: Cut, hashed: (block: Bytes) => Bytes = sha1): Steps['blockHash'] {
  return (size) => {
    const pieces: Bytes[] = [];
    return { update: (piece) => void pieces.push(piece.slice()), digests: () => cut(concatBytes(pieces), size).map((block) => hashed(block)) };
  };
}

const HASHED = new WeakMap<Bytes, Bytes>();
/** The same digest for the same block, so that a later step can tell that it is the same. */
function hashedOnce(block: Bytes): Bytes {
  const digest = HASHED.get(block) ?? sha1(block);
  HASHED.set(block, digest);
  return digest;
}

const wholeForEach = createCutHash((c, size) => blocksOf(c, size).map(() => c), hashedOnce);
/** Never starts a new hash. */
const hashedFromStart: Steps['blockHash'] = (size) => {
  const { update, digests } = createCutHash(blocksOf, (block) => block)(size);
  return {
    update,
    digests: () => {
      const hash = sha1Hash();
      return digests().map((block) => {
        hash.update(block);
        return hash.digestSoFar();
      });
    },
  };
};
const BUFFER = 64 * 1024;
const LARGEST_PADDING = 8 * 1024 * 1024;

const isOfNothing = (digest: Bytes): boolean => hexadecimal(digest).startsWith('da39a3ee5e6b4b0d');

/** The digests of blocks that do not count, by the list of those that do. */
const UNCOUNTED_DIGESTS = new WeakMap<readonly Bytes[], readonly Bytes[]>();

/** Whether a short last block does not count, by its share of a whole block and the number of blocks. */
type IsUncounted = (share: number, count: number) => boolean;

const UNCOUNTED: readonly (readonly [id: string, clause: string, isUncounted: IsUncounted])[] = [
  ['counted-whole', 'has only its whole blocks counted', () => true],
  ['counted-whole-at-least-one', 'has only its whole blocks counted, at least one', (_, count) => count > 1],
  ['counted-by-rounding', 'has its blocks counted by rounding to the nearest number', (share) => share < 0.5],
  ['counted-by-rounding-at-least-one', 'has its blocks counted by rounding to the nearest number, at least one', (share, count) => share < 0.5 && count > 1],
];

type Split = (all: readonly Bytes[], length: number, size: number) => readonly [counted: readonly Bytes[], uncounted: readonly Bytes[]];

/** Hashes all blocks; `split` says which of the digests count. */
function createSplitHash(split: Split): Steps['blockHash'] {
  return (size) => {
    let length = 0;
    const { update, digests } = createCutHash(blocksOf)(size);
    return {
      update: (piece) => {
        length += piece.length;
        update(piece);
      },
      digests: () => {
        const [counted, uncounted] = split(digests(), length, size);
        UNCOUNTED_DIGESTS.set(counted, uncounted);
        return counted;
      },
    };
  };
}

/** Does not count a short last block. */
const shortBlock =
  (isUncounted: IsUncounted): Split =>
  (all, length, size) => {
    const rest = length % size;
    return rest === 0 || !isUncounted(rest / size, all.length) ? [all, []] : [all.slice(0, -1), all.slice(-1)];
  };

/** Does not count an empty block after a full last one of several. */
const emptyBlock: Split = (all, length, size) => [all, all.length > 1 && length % size === 0 ? [sha1(new Uint8Array())] : []];

const withUncounted: Around<'fileDigest'> = (right, digests) => right([...digests, ...(UNCOUNTED_DIGESTS.get(digests) ?? [])]);

/** From how many full blocks on an empty one follows. */
const WHEN_FULL: readonly (readonly [id: string, clause: string, least: number])[] = [
  ['', '', 0],
  ['-unless-empty', ', unless it is empty', 1],
  ['-of-several', ' of several', 2],
];
const endedByEmpty = (least: number): Steps['blockHash'] => createCutHash((c, size) => [...blocksOf(c, size), ...(c.length % size === 0 && c.length >= least * size ? [new Uint8Array()] : [])]);

const wholeBlocks: Cut = (content, size) => blocksOf(content, size).filter(({ length }, i) => i === 0 || length === size);

export const READINGS: Instead<'blockHash'> = kind('cut the content into blocks of 4 MiB, with the rest as a shorter last block', [
  ...CONTENTS.changes.map(([id, clause, read, notes]): Change<Steps['blockHash']> => {
    return [id, clause, createCutHash((c, size) => blocksOf(read(c), size)), { fix: CONTENTS.fix, ...notes }];
  }),
  ...WHEN_FULL.map(
    ([id, clause, least]): Change<Steps['blockHash']> => [`with-empty-last-block${id}`, `has an additional empty block after a full last block${clause}`, endedByEmpty(least), { fix: 'stop at a read of no bytes' }],
  ),
  ...WHEN_FULL.map(
    ([id, clause, least]): Change<Steps['blockHash']> => [
      `counted-once-more-if-full${id}`,
      `has one block too many counted after a full last block${clause}`,
      endedByEmpty(least),
      { fix: 'count the blocks as the size divided by 4 MiB, rounded up', also: { fileDigest: (right) => (digests) => right(digests.filter((digest) => !isOfNothing(digest))) } },
    ],
  ),
  [
    'ended-by-empty-block',
    'has an additional empty block hashed, but not counted, after a full last block of several',
    createSplitHash(emptyBlock),
    { fix: 'stop at a read of no bytes', cost: 2, also: { fileDigest: (right) => (digests) => withUncounted(right, digests) } },
  ],
  ['empty-refused', 'is refused, or leads to an exception, if it is empty', createCutHash((c, size) => (c.length === 0 ? refuse('text', 'the content is empty') : blocksOf(c, size))), { fix: 'accept an empty content' }],
  ['blocks-from-start', 'has each block hashed with all blocks before it', hashedFromStart, { fix: 'start a new SHA-1 for each block' }],
  [
    'short-last-block-unhashed',
    'has a short last block of several counted, but not hashed',
    createCutHash((c, size) => blocksOf(c, size).map((block, i) => (i === 0 || block.length === size ? block : new Uint8Array()))),
    { also: { fileDigest: (right) => (digests) => (digests.length > 1 ? sha1(concatBytes(digests.filter((digest) => !isOfNothing(digest)))) : right(digests)) } },
  ],
  ['without-short-block', 'lacks a short last block', createCutHash(wholeBlocks)],
  [
    'without-short-block-by-size',
    'lacks a short last block, but is hashed as several blocks above 4 MiB',
    createSplitHash(shortBlock((_, count) => count > 1)),
    {
      fix: 'hash and count the rest of the file as a shorter last block',
      cost: 2,
      also: { fileDigest: (right) => (digests) => (UNCOUNTED_DIGESTS.get(digests)?.length ? sha1(concatBytes(digests)) : right(digests)) },
    },
  ],
  [
    'short-last-block-padded',
    'has a short last block of several padded with zeros',
    createCutHash((c, size) => blocksOf(c, size).map((block, i) => (i === 0 ? block : concatBytes([block, new Uint8Array(Math.max(0, Math.min(size, LARGEST_PADDING) - block.length))])))),
  ],
  [
    'short-block-padded',
    'has a short last block padded with zeros',
    createCutHash((c, size) => blocksOf(c, size).map((block) => concatBytes([block, new Uint8Array(Math.max(0, Math.min(size, LARGEST_PADDING) - block.length))]))),
  ],
  ...(
    [
      ['single-below-two', 'is hashed whole if it is smaller than two blocks', (length, size) => length < 2 * size],
      ['single-up-to-two', 'is hashed whole if it is not larger than two blocks', (length, size) => length <= 2 * size],
    ] as const satisfies readonly (readonly [string, string, (length: number, size: number) => boolean])[]
  ).map(
    ([id, said, isSingle]): Change<Steps['blockHash']> => [
      id,
      said,
      createCutHash((c, size) => (isSingle(c.length, size) ? blocksOf(c, size).map(() => c) : blocksOf(c, size)), hashedOnce),
      { fix: 'hash a file whole only if it has at most 4 MiB', cost: 2, also: { fileDigest: (right) => (digests) => right(digests.length === 2 && digests[0] === digests[1] ? digests.slice(0, 1) : digests) } },
    ],
  ),
  ['one-read-of-each-block', 'has only the first 64 KiB of each block', createCutHash((c, size) => blocksOf(c, size).map((block) => block.subarray(0, BUFFER))), { fix: 'read until the block is full or the file ends' }],
  ['whole-buffers', 'is followed by bytes left over from an earlier read', createCutHash((c, size) => blocksOf(wholeBuffers(c, BUFFER, true), size)), { fix: 'hash only as many bytes of the buffer as each read returned' }],
  [
    'whole-blocks',
    'has a short last block that ends with bytes of the block before',
    createCutHash((c, size) => blocksOf(c.length > size ? wholeBuffers(c, size, true) : c, size)),
    { fix: 'hash only the bytes of the last block' },
  ],
  ...UNCOUNTED.map(
    ([id, clause, isUncounted]): Change<Steps['blockHash']> => [
      id,
      clause,
      createSplitHash(shortBlock(isUncounted)),
      { fix: 'divide the size by 4 MiB and round up', also: { fileDigest: (right) => (digests) => withUncounted(right, digests) } },
    ],
  ),
  [
    'chained',
    'has each block hashed with the hash of the blocks before it in front',
    (size) => {
      const { update, digests } = createCutHash(blocksOf, (block) => block)(size);
      let before: Bytes = new Uint8Array();
      const chain = (block: Bytes): Bytes => {
        before = sha1(concatBytes([before, block]));
        return before;
      };
      return { update, digests: () => digests().map(chain) };
    },
    { fix: 'hash each block for itself, then the SHA-1 values of the blocks', also: { fileDigest: () => (digests) => digests.at(-1) ?? sha1(new Uint8Array()) } },
  ],
  ['whole-content-as-block', 'is hashed as a whole for each block', wholeForEach, { fix: 'hash the bytes of each block for itself' }],
  [
    'full-block-as-large',
    'is hashed twice if it is exactly one block',
    createCutHash((c, size) => (c.length === size ? [sha1(c)] : blocksOf(c, size))),
    { fix: 'hash the SHA-1 values of the blocks only if there are several blocks' },
  ],
  [
    'single-hash',
    'is hashed as one block, whatever its size',
    wholeForEach,
    { fix: 'above 4 MiB, compute the SHA-1 over the SHA-1 values of the blocks', also: { fileDigest: (right) => (digests) => right(digests.slice(0, 1)) } },
  ],
  ...(['md5', 'sha256', 'sha384', 'sha512'] as const).map((name): Change<Steps['blockHash']> => {
    const fileDigest: Steps['fileDigest'] = (digests) => (digests.length === 1 && digests[0] ? digests[0] : hash(name, concatBytes(digests)));
    return [
      `in-${name}`,
      `is hashed with ${hashLabel(name)} instead of SHA-1`,
      createCutHash(blocksOf, (block) => hash(name, block)),
      { fix: 'hash the blocks, and their digests, with SHA-1', also: { fileDigest: () => fileDigest } },
    ];
  }),
]);

/** The same readings of a part, which has no blocks. */
export const PART_CONTENTS: Instead<'partHash'> = kind(
  'compute the SHA-1 of the whole part, without blocks',
  READINGS.changes.map(([id, clause, read, { fix, ...notes } = {}]): Change<Steps['partHash']> => [id, clause, read, fix === CONTENTS.fix ? { ...notes, fix } : notes]),
);

/** The digest or the ETag of a file as the only digest of a part. */
const hashedAsFile =
  (hasCount: boolean): Steps['partHash'] =>
  (_, context) => {
    const { steps } = context;
    const { update, digests } = steps.blockHash(steps.blockSize);
    return {
      update,
      digests: () => {
        const own = steps.hashedBlocks(digests());
        const digest = steps.etagDigest(steps.fileDigest(own));
        return [hasCount ? steps.etagBytes(own.length, digest, context) : digest];
      },
    };
  };

export const PART_READINGS: Instead<'partHash'> = kind('encode only the SHA-1 of the whole part, without a block count', [
  ['as-file', 'is computed like the ETag of a file, with blocks and a block count', hashedAsFile(true)],
  ['as-blocks', 'is the digest of a file in blocks, without a block count', hashedAsFile(false)],
]);

export const DIGEST_BYTES: Kind<(digest: Bytes) => Bytes> = kind('use the 20 bytes of the SHA-1 as {noun}', [
  ['hexadecimal', 'is written in hexadecimal', (digest) => utf8Bytes(hexadecimal(digest))],
  ['reversed', 'has its bytes reversed', (digest) => digest.toReversed()],
  ['cut-at-16', 'is cut to 16 bytes', (digest) => digest.subarray(0, 16)],
  ['zeros', 'is all zeros if the content is empty', (digest) => (isOfNothing(digest) ? new Uint8Array(20) : digest)],
  ['empty', 'is missing if the content is empty', (digest) => (isOfNothing(digest) ? new Uint8Array() : digest)],
  ['hashed-again', 'is hashed again', sha1],
  ['base64', 'is written in Base64', (digest) => utf8Bytes(base64(digest)), { cost: 2 }],
]);

const COUNT_OF_ONE = Uint8Array.of(1, 0, 0, 0);

export const PART_BYTES: Instead<'partEtagBytes'> = kind('use only the 20 bytes of the SHA-1 as {noun}', [
  ['with-count', 'has the block count before the SHA-1', (digest) => concatBytes([COUNT_OF_ONE, digest])],
  ['with-zero-count', 'has four zero bytes before the SHA-1', (digest) => concatBytes([new Uint8Array(4), digest]), { cost: 2 }],
  ['with-kind', 'has a byte 0x16 before the SHA-1, as in the hashes of Qiniu', (digest) => concatBytes([new Uint8Array([0x16]), digest])],
  ['with-big-count', 'has the block count before the SHA-1, in big-endian byte order', (digest) => concatBytes([COUNT_OF_ONE.toReversed(), digest]), { cost: 2 }],
  ['with-count-behind', 'has the block count after the SHA-1', (digest) => concatBytes([digest, COUNT_OF_ONE]), { cost: 2 }],
]);

// --- §4.2: Password

/** Decodes Base64 to one character for each byte; `undefined` if the text is not Base64. */
function binaryOf(encoded: string): string | undefined {
  try {
    return atob(encoded);
  } catch {
    return undefined;
  }
}

function clearText(encoded: string): string {
  const binary = binaryOf(standardAlphabet(encoded));
  return binary === undefined ? encoded : fromUtf8(lowBytes(binary), false);
}

export const PASSWORD_TEXTS: Kind<(encoded: string) => string> = kind('end the Base64 with as many "=" as its length needs: none, one or two', [
  ['four-equals', 'ends with four "=" if it needs none', (encoded) => (encoded.endsWith('=') ? encoded : `${encoded}====`)],
  ['always-equals', 'ends with "=" if it needs none', (encoded) => (encoded.endsWith('=') ? encoded : `${encoded}=`), { cost: 2 }],
]);

const FORMAT_ESCAPES = new Map([
  ['%%', '%'],
  ['\\n', '\n'],
  ['\\t', '\t'],
  ['\\r', '\r'],
  ['\\\\', '\\'],
]);
const applyFormat = (text: string): string => text.replace(/%%|\\./gs, (pair) => FORMAT_ESCAPES.get(pair) ?? pair);

export const PASSWORDS: Kind<Around<'password'>> = kind('encode the password in Base64 once, then sign and send it', [
  ['clear', 'is signed and sent as plain text', (_, text) => text],
  ['base64-kept', 'is left as it is if it is Base64', (right, text, context) => (binaryOf(text) !== undefined && text.length % 4 === 0 ? text : right(text, context))],
  ['as-format', 'is used as a format of printf, in which "%%" and a backslash are not themselves', (right, text, context) => right(applyFormat(text), context)],
  ['encoded-twice', 'is encoded in Base64 twice', (right, text, context) => right(right(text, context), context)],
]);

// --- §5.1: the set of parameters

type List = Extract<ParameterValue, { readonly list: unknown }>;
type Nested = Exclude<ParameterValue, ScalarValue | null>;

const isNested = (value: ParameterValue): value is Nested => typeof value === 'object' && value !== null && !('number' in value);
const isList = (value: ParameterValue): value is List => isNested(value) && 'list' in value;
const isObject = (value: ParameterValue): boolean => isNested(value) && !isList(value);
/** The items of one list are counted from 1, but not those of lists inside it. */
const countedFromOne = (name: string, context: Context): Context => overriding(context, { elementName: (list, index) => context.steps.elementName(list, list === name ? `${Number(index) + 1}` : index) });
const isNumber = (value: ParameterValue): value is { readonly number: string } => typeof value === 'object' && value !== null && 'number' in value;

interface Printer {
  readonly text: (text: string) => string;
  /** Without this function, a number is written as given. */
  readonly number?: (digits: string) => string;
  readonly words: readonly [yes: string, no: string, none: string];
  readonly list: readonly [open: string, between: string, close: string];
  readonly object: readonly [open: string, between: string, close: string, inner: string];
  /** The text that a language writes instead of any object. */
  readonly fixed?: string;
  /** Objects are written in the order of their names, as maps of Go are. */
  readonly sorts?: true;
}

const quoted = (text: string): string => JSON.stringify(text);
const plain = (text: string): string => text;
const JSON_PRINTER: Printer = { text: quoted, words: ['true', 'false', 'null'], list: ['[', ',', ']'], object: ['{', ',', '}', ':'] };
const joinedBy = (mark: string): Printer => ({ text: plain, words: ['true', 'false', ''], list: ['', mark, ''], object: ['', mark, '', '='] });
const BARE: Printer = { ...joinedBy(''), object: ['', '', '', ''] };

/** How languages write a list, with its elements, as one text. */
const LANGUAGES: readonly Change<Printer>[] = [
  ['json', 'is written as JSON', JSON_PRINTER],
  ['json-plain-numbers', 'is written as JSON, with numbers in plain digits', { ...JSON_PRINTER, number: numberText }],
  ['json-javascript', 'is written as JSON, with numbers as in JavaScript', { ...JSON_PRINTER, number: numberAs('javascript') }],
  ['json-with-blanks', 'is written as JSON with spaces', { ...JSON_PRINTER, list: ['[', ', ', ']'], object: ['{', ', ', '}', ': '] }],
  [
    'python',
    'is written as Python prints it',
    {
      text: (text) => `'${text}'`,
      number: numberAs('python-floats'),
      words: ['True', 'False', 'None'],
      list: ['[', ', ', ']'],
      object: ['{', ', ', '}', ': '],
    },
  ],
  ['java', 'is written as Java prints it', { text: plain, number: numberAs('java-floats'), words: ['true', 'false', 'null'], list: ['[', ', ', ']'], object: ['{', ', ', '}', '='] }],
  ['ruby', 'is written as Ruby prints it', { text: quoted, number: numberAs('ruby-floats'), words: ['true', 'false', 'nil'], list: ['[', ', ', ']'], object: ['{', ', ', '}', '=>'] }],
  ['go', 'is written as Go prints it', { text: plain, number: numberAs('go'), words: ['true', 'false', '<nil>'], list: ['[', ' ', ']'], object: ['map[', ' ', ']', ':'], sorts: true }],
  ['javascript', 'is written as JavaScript prints it', { ...joinedBy(','), number: numberAs('javascript'), fixed: '[object Object]' }],
];

/** Ways to write a list or an object as one text. */
const PRINTERS: readonly Change<Printer>[] = [
  ...LANGUAGES,
  ['php', 'is written as PHP prints it', { ...BARE, words: ['1', '', ''], fixed: 'Array' }],
  ['comma-space', 'is joined with a comma and a space', joinedBy(', ')],
  ['bare', 'is joined without a separator', { ...BARE, sorts: true }],
  ['bare-as-given', 'is joined without a separator, in the order given', BARE],
  ['semicolon', 'is joined with semicolons', joinedBy(';')],
  ['bar', 'is joined with vertical bars', joinedBy('|')],
];

function printed(value: ParameterValue, printer: Printer): string {
  if (typeof value === 'string') return printer.text(value);
  if (value === null) return printer.words[2];
  if (typeof value === 'boolean') return printer.words[value ? 0 : 1];
  if (isNumber(value)) return printer.number?.(value.number) ?? value.number;
  const inner = (item: ParameterValue): string => printed(item, printer);
  if ('list' in value) {
    if (printer.fixed === 'Array') return 'Array';
    const [open, between, close] = printer.list;
    return open + value.list.map(inner).join(between) + close;
  }
  if (printer.fixed !== undefined) return printer.fixed;
  const [open, between, close, colon] = printer.object;
  const members = printer.sorts ? sortedByName(value.object) : value.object;
  return open + members.map(([name, item]) => printer.text(name) + colon + inner(item)).join(between) + close;
}

const FLATTEN = 'flatten it into separate parameters, to any depth: Name.0, Name.1 for a list, Name.Key for an object';

/** Which values inside a list or an object are printed. */
const INNER: readonly (readonly [id: string, noun: string, isPrinted: (value: ParameterValue) => boolean])[] = [
  ['inner', 'list', isList],
  ['inner-object', 'object', isObject],
  ['inner-nested', 'list or object', isNested],
];

/** Prints some values that are inside a list or an object. */
const innerPrinted =
  (printer: Printer, isPrinted: (value: ParameterValue) => boolean) =>
  (value: ParameterValue): ParameterValue =>
    isPrinted(value) ? printed(value, printer) : value;

/** Prints some lists as one text. */
const printedWhere = (prefix: string, condition: string, isPrinted: (items: List['list']) => boolean, cost: number): readonly Change<Around<'flattenedList'>>[] =>
  PRINTERS.map(([id, clause, printer]) => [`${prefix}-${id}`, `${clause}, ${condition}`, (right, name, list, context) => (isPrinted(list) ? [[name, printed({ list }, printer)]] : right(name, list, context)), { cost }]);

export const LIST_FORMS: Kind<Around<'flattenedList'>> = kind(FLATTEN, [
  [
    'name-repeated',
    'repeats its name for each item, without an index',
    (right, name, items, context) => right(name, items, overriding(context, { elementName: (list) => list })),
    { also: { checkNames: () => () => undefined } },
  ],
  ...PRINTERS.map(([id, clause, printer]): Change<Around<'flattenedList'>> => [id, clause, (_, name, list) => [[name, printed({ list }, printer)]]]),
  ...printedWhere('plain', 'if none of its items is a list or an object', (items) => !items.some(isNested), 2),
  ...printedWhere('texts', 'if all its items are texts', (items) => items.length > 0 && items.every((item) => typeof item === 'string'), 3),
  [
    'members-before-index',
    'has the names of the members of its objects before the index, as in Disk.Size.0',
    (right, name, items, context) =>
      items.flatMap((item, at) =>
        isNested(item) && !isList(item)
          ? item.object.flatMap(([member, value]) => context.steps.flattened([[`${name}.${member}.${at}`, value]], context))
          : right(`${name}`, items, context).filter(([own]) => own === `${name}.${at}` || own.startsWith(`${name}.${at}.`)),
      ),
    { cost: 2 },
  ],
  [
    'indexes-padded',
    'has indexes with as many digits as the last one',
    (right, name, items, context) => {
      const width = `${items.length - 1}`.length;
      return right(name, items, overriding(context, { elementName: (list, index) => context.steps.elementName(list, index.padStart(width, '0')) }));
    },
  ],
  ['one-unwrapped', 'is replaced by its item if it has only one', (right, name, items, context) => (items.length === 1 ? context.steps.flattened([[name, items[0] ?? null]], context) : right(name, items, context))],
  ['objects-from-one', 'has indexes from 1 if its items are objects', (right, name, items, context) => right(name, items, items.some(isObject) ? countedFromOne(name, context) : context), { cost: 2 }],
  ['from-one-by-first', 'has indexes from 1 if its first item is an object', (right, name, items, context) => right(name, items, items.slice(0, 1).some(isObject) ? countedFromOne(name, context) : context), { cost: 2 }],
  ['left-out', 'is left out', () => []],
  ['empty-as-text', 'is signed and sent as an empty text if it is empty', (right, name, items, context) => (items.length === 0 ? [[name, '']] : right(name, items, context))],
  ['empty-as-brackets', 'is signed and sent as "[]" if it is empty', (right, name, items, context) => (items.length === 0 ? [[name, '[]']] : right(name, items, context))],
  ['refused', 'is refused', () => refuse('text', 'lists are not supported')],
  [
    'objects-refused',
    'is refused, or leads to an exception, if it contains an object',
    (right, name, items, context) => (items.some(isObject) ? refuse('text', 'an object in a list is not supported') : right(name, items, context)),
  ],
  ['in-list-refused', 'is refused if it contains a list', (right, name, items, context) => (items.some(isList) ? refuse('text', 'a list in a list is not supported') : right(name, items, context))],
  ...LANGUAGES.flatMap(([id, clause, printer]) =>
    INNER.map(([kind, noun, isPrinted]): Change<Around<'flattenedList'>> => {
      return [`${kind}-${id}`, `has an inner ${noun} that ${clause}`, (right, name, items, context) => right(name, items.map(innerPrinted(printer, isPrinted)), context), { cost: 2 }];
    }),
  ),
]);

export const OBJECT_FORMS: Kind<Around<'flattenedObject'>> = kind(FLATTEN, [
  ...PRINTERS.map(([id, clause, printer]): Change<Around<'flattenedObject'>> => [id, clause, (_, name, object) => [[name, printed({ object }, printer)]]]),
  ['left-out', 'is left out', () => []],
  ['refused', 'is refused', () => refuse('text', 'objects are not supported')],
  ['empty-as-text', 'is signed and sent as an empty text if it is empty', (right, name, members, context) => (members.length === 0 ? [[name, '']] : right(name, members, context))],
  ...(
    [
      ['inner-name-only', 'has inner objects', isObject],
      ['nested-name-only', 'has inner lists and objects', isNested],
    ] as const satisfies readonly (readonly [string, string, (value: ParameterValue) => boolean])[]
  ).map(
    ([id, said, isAlone]): Change<Around<'flattenedObject'>> => [
      id,
      `${said} without its own name before theirs`,
      (right, name, members, context) => members.flatMap((one) => (isAlone(one[1]) ? context.steps.flattened([one], context) : right(name, [one], context))),
      { cost: 2 },
    ],
  ),
  [
    'positions',
    'has the positions of its members in place of their names',
    (right, name, members, context) =>
      right(
        name,
        members.map(([, value], at) => [`${at}`, value] as const),
        context,
      ),
  ],
  ['empty-as-braces', 'is signed and sent as "{}" if it is empty', (right, name, members, context) => (members.length === 0 ? [[name, '{}']] : right(name, members, context))],
  ...LANGUAGES.flatMap(([id, clause, printer]) =>
    INNER.map(([kind, noun, isPrinted]): Change<Around<'flattenedObject'>> => {
      const inner = innerPrinted(printer, isPrinted);
      const forms: Change<Around<'flattenedObject'>>[2] = (right, name, members, context) =>
        right(
          name,
          members.map(([key, value]) => [key, inner(value)] as const),
          context,
        );
      return [`${kind}-${id}`, `has an inner ${noun} that ${clause}`, forms, { cost: 2 }];
    }),
  ),
]);

const innerItems = (items: readonly ParameterValue[]): readonly ParameterValue[] => items.flatMap((item) => (isList(item) ? innerItems(item.list) : [item]));

/** Changes the values inside lists and objects at any depth. */
function changeDeeply(value: ParameterValue, change: (scalar: Exclude<ParameterValue, Nested>) => ParameterValue): ParameterValue {
  if (!isNested(value)) return change(value);
  const changed = (inner: ParameterValue): ParameterValue => changeDeeply(inner, change);
  return isList(value) ? { list: value.list.map(changed) } : { object: value.object.map(([name, inner]) => [name, changed(inner)]) };
}
/** The value with the text of its numbers, and of those inside it, in their place. */
const writtenNumbers = (value: ParameterValue): ParameterValue => changeDeeply(value, (scalar) => (isNumber(scalar) ? scalar.number : scalar));

/** A text that is a JSON list or object, as that. */
function parsedJson(value: ParameterValue): ParameterValue {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  return jsonText(value) ?? value;
}

export const SORTED_FIRST: Kind<Around<'flattened'>> = kind('flatten first, then sort all names together', [
  ['sorted-first', 'is sorted before it is flattened, and not afterwards', (right, parameters, context) => right(sortedByName(parameters), context), { also: { sortedParameters: () => (pairs) => pairs } }],
]);

/** The pairs of a list or an object with the parameter's name and the last index or member only, at any depth. */
const innermost: Around<'flattened'> = (right, parameters, context) =>
  parameters.flatMap(([name, value]) =>
    right([[name, value]], isNested(value) ? overriding(context, { elementName: (_, index) => context.steps.elementName(name, index), memberName: (_, key) => context.steps.memberName(name, key) }) : context),
  );
const INNERMOST = 'has only the first and the last part of each name, as in Disk.Size for Disk.0.Size';

export const INNERMOST_NAMES: Kind<Around<'flattened'>> = kind('write all names and indexes that lead to a value, as in Disk.0.Size', [
  ['innermost-names', INNERMOST, innermost, { cost: 2 }],
  ['innermost-names-once', `${INNERMOST}, with the last of several values`, (right, parameters, context) => [...new Map(innermost(right, parameters, context).map((one) => [one[0], one])).values()], { cost: 2 }],
]);

/** Values that an SDK changes because of the name of the parameter. */
export const NAMED_VALUES: Kind<Around<'flattened'>> = kind(
  'sign and send the value of each parameter as the caller gives it',
  ['BucketName', 'Region', 'Zone'].flatMap((name) => {
    const rewritten =
      (rewrite: (text: string) => string): Around<'flattened'> =>
      (right, parameters, context) =>
        right(parameters, context).map((parameter) => {
          const [own, value] = parameter;
          return own === name && typeof value === 'string' ? [own, rewrite(value)] : parameter;
        });
    return [
      [`${lowerCase(name)}-lower-case`, `has the value of ${name} in lower case`, rewritten(lowerCase), { cost: 2 }],
      [`${lowerCase(name)}-upper-case`, `has the value of ${name} in upper case`, rewritten(upperCase), { cost: 2 }],
    ] satisfies Change<Around<'flattened'>>[];
  }),
);

export const JSON_PARAMETERS: Kind<Around<'flattened'>> = kind('sign and send a text as it is, even if it looks like JSON', [
  [
    'json-parsed',
    'has the items of texts that are JSON lists or objects',
    (right, parameters, context) =>
      right(
        parameters.map(([name, value]) => [name, parsedJson(value)]),
        context,
      ),
  ],
]);

/** A whole number as the text of a double. */
const withPoint = (value: ParameterValue): ParameterValue => (isNumber(value) && /^-?[0-9]+$/.test(value.number) ? `${value.number}.0` : value);

const NESTED_FIX = 'write booleans inside lists and objects as true and false';

/** Booleans inside lists and objects that are signed and sent in another way than other booleans. */
const NESTED_BOOLEANS: readonly (readonly [id: string, clause: string, write: (value: ParameterValue) => ParameterValue])[] = [
  ...BOOLEANS.changes.map(([id, clause, text]) => [id, clause, text] as const),
  ['numbers', 'is the number 1 or 0', (value: boolean) => ({ number: value ? '1' : '0' })] as const,
].map(([id, clause, write]) => [`booleans-${id}`, `has its booleans changed: each ${clause}`, (value) => changeDeeply(value, (scalar) => (typeof scalar === 'boolean' ? write(scalar) : scalar))]);

const sortedIfTexts = (items: readonly ParameterValue[]): readonly ParameterValue[] => {
  const texts = items.filter((item) => typeof item === 'string');
  return texts.length < items.length ? items : texts.toSorted(compareBytes);
};

export const ITEMS: Kind<Around<'listItems'>> = kind('keep every item of a list, in its order', [
  ['inner-joined', 'has the items of inner lists among its own', (right, items) => innerItems(right(items)), { fix: 'flatten an inner list under the index that it has: Name.0.0' }],
  ['sorted', 'is sorted', (right, items) => right(items).toSorted((a, b) => (typeof a === 'string' && typeof b === 'string' ? compareBytes(a, b) : 0))],
  ['sorted-if-texts', 'is sorted if it has only texts', (right, items) => sortedIfTexts(right(items)), { fix: 'keep the order of a list, also of one that has only texts', cost: 2 }],
  ['without-empty', 'lacks its empty items', (right, items) => right(items).filter((item) => item !== '')],
  ['without-null', 'lacks its null items', (right, items) => right(items).filter((item) => item !== null)],
  ...NESTED_BOOLEANS.map(([id, clause, write]): Change<Around<'listItems'>> => [id, clause, (right, items) => right(items).map(write), { fix: NESTED_FIX, cost: 2 }]),
  ['numbers-with-point', 'has ".0" after its whole numbers, as in a list of doubles', (right, items) => right(items).map(withPoint), { fix: 'write whole numbers inside lists without a point, too' }],
  ['numbers-as-written', 'has its numbers as written, such as 1e3 and 1.50', (right, items) => right(items).map(writtenNumbers), { fix: 'write numbers inside lists as plain decimal text, too' }],
  ['without-duplicates', 'lacks repeated items', (right, items) => [...new Map(right(items).map((item) => [JSON.stringify(item), item])).values()]],
]);

const rewriteIfText = (value: ParameterValue, rewrite: (text: string) => string): ParameterValue => (typeof value === 'string' ? rewrite(value) : value);
const eachText = (clause: string): string => `has its texts changed: each ${clause}`;

/** Texts inside a list that are signed and sent in another way than other texts. */
export const ITEM_TEXTS: Kind<(items: readonly ParameterValue[]) => readonly ParameterValue[]> = kind(
  'use the texts of {noun} unchanged',
  inside(TEXTS, 'texts', eachText, (rewrite) => (items) => items.map((item) => rewriteIfText(item, rewrite))),
);

/** Texts inside an object that are signed and sent in another way than other texts. */
export const MEMBER_TEXTS: Kind<Steps['objectMembers']> = kind(
  'use the texts of {noun} unchanged',
  inside(TEXTS, 'texts', eachText, (rewrite) => (members) => members.map(([name, value]) => [name, rewriteIfText(value, rewrite)])),
);

export const MEMBERS: Kind<Around<'objectMembers'>> = kind('keep every member of an object, whatever its name and value', [
  [
    'numbers-as-written',
    'has its numbers as written, such as 1e3 and 1.50',
    (right, members) => right(members).map(([name, value]) => [name, writtenNumbers(value)] as const),
    { fix: 'write numbers inside objects as plain decimal text, too' },
  ],
  ...NESTED_BOOLEANS.map(([id, clause, write]): Change<Around<'objectMembers'>> => [id, clause, (right, members) => right(members).map(([name, value]) => [name, write(value)] as const), { fix: NESTED_FIX, cost: 2 }]),
  ['sorted', 'has its members sorted', (right, members) => sortedByName(right(members))],
  ['without-empty', 'lacks its empty members', (right, members) => right(members).filter(([, value]) => value !== '')],
  ['without-null', 'lacks its null members', (right, members) => right(members).filter(([, value]) => value !== null)],
  ['without-signature', 'lacks a member Signature', (right, members) => right(members).filter(([name]) => name !== 'Signature')],
]);

const NULL_WORDS = ['null', 'None', 'nil', 'undefined', '<nil>', 'NULL', '0', 'false'];

export const NULLS: Kind<(name: string) => FlatParameters> = kind('leave out a parameter that is null, or refuse it', [
  ['left-out', 'is left out', () => []],
  ['empty', 'is signed and sent as an empty text', (name) => [[name, '']]],
  ...NULL_WORDS.map((word): Change<(name: string) => FlatParameters> => {
    return [`word-${word.replaceAll(/[<>]/g, '')}-${word.length}`, `is signed and sent as "${word}"`, (name) => [[name, word]]];
  }),
]);

export const PASSWORD_VALUES: Kind<(parameters: FlatParameters) => FlatParameters> = kind(
  'encode Password in Base64 once, before you sign and send it',
  inside(
    TEXTS,
    'password',
    (clause) => `has a Password that ${clause}`,
    (rewrite) => (parameters) => parameters.map(([name, value]) => [name, name === 'Password' && typeof value === 'string' ? rewrite(value) : value]),
  ),
);

export const SIGNED_PUBLIC_KEYS: Kind<(pairs: readonly Pair[]) => readonly Pair[]> = kind(
  'sign PublicKey as it is sent',
  inside(
    TEXTS,
    'public-key',
    (clause) => `has a PublicKey that ${clause}`,
    (rewrite) => (pairs) => pairs.map(([name, text]): Pair => [name, name === 'PublicKey' ? rewrite(text) : text]),
  ),
);

export const LIKE_PASSWORD: Kind<(parameters: FlatParameters) => FlatParameters> = kind('encode only the value of the parameter named exactly Password', [
  [
    'like-password-base64',
    'has the Base64 of each text whose name ends in Password',
    (parameters) => parameters.map(([name, value]) => [name, /.password$/i.test(name) && typeof value === 'string' ? base64(utf8Bytes(value)) : value]),
    { cost: 2 },
  ],
]);

const createsBucket = (parameters: FlatParameters): boolean => parameters.some(([name, value]) => name === 'Action' && value === 'CreateBucket');
const isType = ([name]: FlatParameter): boolean => name === 'Type';

export const PARAMETER_NAME_CHECKS: Instead<'checkNames'> = kind('compare the names of parameters with regard to case', [
  [
    'alike-refused',
    'is refused if the names of two parameters differ only in case',
    (parameters) => {
      if (new Set(parameters.map(([name]) => lowerCase(name))).size < parameters.length) refuse('parameter-repeated', 'a parameter is repeated');
    },
  ],
]);

export const DEFAULTS: Kind<(parameters: FlatParameters) => FlatParameters> = kind('refuse a request without a required parameter', [
  ...['private', 'public'].map(
    (type): Change<(parameters: FlatParameters) => FlatParameters> => [
      `default-type${type === 'private' ? '' : `-${type}`}`,
      `has the Type ${type} if CreateBucket has none`,
      (parameters) => (createsBucket(parameters) && !parameters.some(isType) ? [...parameters, ['Type', type]] : parameters),
    ],
  ),
]);

export const NAMES_BEFORE_SORTING: Kind<(pairs: readonly Pair[]) => readonly Pair[]> = kind(
  'sort and sign the names as they are sent',
  inside(
    TEXTS,
    'names',
    (clause) => `has its names changed before it is sorted: each ${clause}`,
    (rewrite) => (pairs) => sortedByName(pairs.map(([name, text]): Pair => [rewrite(name), text])),
  ),
);

const isZero = (value: ScalarValue): boolean => typeof value === 'object' && Number(value.number) === 0;

export const PRESENT: Instead<'isPresentValue'> = kind('sign and send every parameter that the caller gives, also with the value false, 0 or ""', [
  ['left-out-when-falsy', 'is left out if it is false, 0 or empty', (value) => value !== '' && value !== false && !isZero(value)],
  ['left-out-when-empty', 'is left out if its value is empty', (value) => value !== ''],
  ['left-out-when-empty-of-php', 'is left out if it is false, 0, empty or the text "0", as by empty() of PHP', (value) => value !== '' && value !== '0' && value !== false && !isZero(value)],
  ['left-out-when-blank', 'is left out if its value is empty or only whitespace', (value) => typeof value !== 'string' || value.trim() !== ''],
  ['left-out-when-zero', 'is left out if it is 0', (value) => !isZero(value)],
  ['left-out-when-false', 'is left out if it is false', (value) => value !== false],
  ['left-out-when-zero-or-false', 'is left out if it is 0 or false', (value) => value !== false && !isZero(value), { cost: 2 }],
  ['left-out-when-boolean', 'is left out if it is a boolean', (value) => typeof value !== 'boolean', { cost: 2 }],
  ['left-out-when-zero-or-empty', 'is left out if it is 0 or empty', (value) => value !== '' && !isZero(value), { cost: 2 }],
  ['left-out-when-empty-or-false', 'is left out if it is false or empty', (value) => value !== '' && value !== false, { cost: 2 }],
]);

/** The same for the parameters themselves only: those within lists and objects stay. */
export const TOP_VALUES: Kind<Around<'flattened'>> = {
  fix: PRESENT.fix,
  changes: PRESENT.changes.map(([id, clause, isPresent, notes]) => {
    const keep: Around<'flattened'> = (right, parameters, context) =>
      right(
        parameters.filter(([, value]) => value === null || isNested(value) || isPresent(value)),
        context,
      );
    return [`top-${id}`, `${clause}, unless it is inside a list or an object`, keep, { cost: (notes?.cost ?? 1) + 1 }];
  }),
};

const LEFT_OUT = ['PublicKey', 'Action', 'SecurityToken', 'ProjectId', 'Region', 'Zone', 'Password'];

/** Signs some parameters in another way than they are sent. `signed` says how, and returns nothing for the others. */
const signApart =
  (signed: (parameter: FlatParameter, text: string) => string | undefined): Steps['signedPairs'] =>
  (pairs, parameters) => {
    const byName = new Map(parameters.map((parameter) => [parameter[0], parameter]));
    return pairs.map(([name, text]): Pair => {
      const parameter = byName.get(name);
      return [name, (parameter && signed(parameter, text)) ?? text];
    });
  };

/** Booleans that are sent correctly and signed in another way. */
export const SIGNED_BOOLEANS: Instead<'signedPairs'> = kind(
  'sign a boolean as true or false, as it is sent',
  BOOLEANS.changes.flatMap(([id, clause, text]): Change<Steps['signedPairs']>[] => [
    [`boolean-${id}`, `has its booleans changed in the signed text: each ${clause}`, signApart(([, value]) => (typeof value === 'boolean' ? text(value) : undefined))],
    [
      `list-boolean-${id}`,
      `has its booleans inside lists changed in the signed text: each ${clause}`,
      signApart(([, value, isItem]) => (typeof value === 'boolean' && isItem ? text(value) : undefined)),
      { cost: 2 },
    ],
  ]),
);

/** Texts inside lists that are sent correctly and signed in another way. */
export const SIGNED_ITEMS: Instead<'signedPairs'> = kind(
  'sign each text inside a list as it is sent',
  TEXTS.changes.map(
    ([id, clause, rewrite, notes]): Change<Steps['signedPairs']> => [
      `items-${id}`,
      `has the texts inside lists changed: each ${clause}`,
      signApart(([, value, isItem], text) => (typeof value === 'string' && isItem ? rewrite(text) : undefined)),
      { cost: (notes?.cost ?? 1) + 1 },
    ],
  ),
);

/** The same changes for parameters that are sent but not signed. */
export const UNSIGNED: Instead<'signedPairs'> = kind(
  'sign every parameter that is sent',
  PRESENT.changes.map(
    ([id, clause, isPresent, notes]): Change<Steps['signedPairs']> => [
      id.replace('left-out', 'unsigned'),
      clause.replace('is left out', 'is sent but not signed'),
      (pairs, parameters) => pairs.filter(([name]) => parameters.every(([own, value]) => own !== name || isPresent(value))),
      notes,
    ],
  ),
);

export const SIGNED: Kind<Around<'isSignedParameter'>> = kind('leave out only the parameter named exactly Signature, before signing', [
  ['signed-and-replaced', 'is signed, then replaced by the new signature', () => true, { also: { isSentParameter: () => (name) => name !== 'Signature' } }],
  ['signed', 'is signed like any other', () => true],
  ['left-out-in-any-case', 'is left out in any letter case, not only as Signature', (_, name) => name.toLowerCase() !== 'signature'],
  ['left-out-at-any-depth', 'is left out inside objects too', (_, name) => name.split('.').at(-1) !== 'Signature'],
  ['left-out-by-prefix', 'is left out, like every name that starts with it', (_, name) => !name.startsWith('Signature')],
  ['left-out-by-part', 'is left out, like every name that contains it', (_, name) => !name.includes('Signature'), { cost: 2 }],
]);

/** Other parameters that are left out in the same place. */
export const LEFT_OUT_TOO: Kind<Around<'isSignedParameter'>> = kind('leave out only the parameter named exactly Signature, before signing', [
  ...LEFT_OUT.map((left): Change<Around<'isSignedParameter'>> => {
    return [`${left.toLowerCase()}-neither`, `named ${left} is left out, like Signature`, (right, name) => right(name) && name !== left, { cost: 2 }];
  }),
  ['blank-names-left-out', 'with an empty name is left out, like Signature', (right, name) => right(name) && name !== '', { cost: 2 }],
  ...['action or controller', 'action, controller or format'].map((names): Change<Around<'isSignedParameter'>> => {
    const left = names.split(/, | or /);
    const clause = `named ${names} is left out, like Signature: the router of Rails adds parameters with these names`;
    return [`${left.join('-')}-neither`, clause, (right, name) => right(name) && !left.includes(name), { cost: 3 }];
  }),
]);

export const SENT: Instead<'isSentParameter'> = kind('send every parameter that is signed', [
  ['signature-not-sent-twice', 'named Signature is signed, and then replaced by the signature', (name) => name !== 'Signature'],
  ...LEFT_OUT.filter((left) => left !== 'Zone').map((left): Change<Steps['isSentParameter']> => {
    return [`${left.toLowerCase()}-unsent`, `named ${left} is signed but not sent`, (name) => name !== left];
  }),
  ['none-sent', 'is signed but not sent', () => false, { cost: 2 }],
]);

const double = (digits: string): string => numberText(`${Number(digits)}`);
const isFraction = (digits: string): boolean => numberText(digits).includes('.');

/** What a double holds of a number, written in plain digits; its sign stays with `signOfZero`. */
export const HELD: Instead<'heldNumber'> = kind('keep the digits of a number as given, or use a decimal type', [
  ['double', 'is converted to a double and loses digits beyond 2^53', double],
  [
    'double-whole-exact',
    'is converted to a double, and written with all digits of the double if it has no fraction',
    (digits) => {
      const value = Number(digits);
      return Number.isInteger(value) ? `${BigInt(value)}` : double(digits);
    },
    { cost: 2 },
  ],
  ['fraction-double', 'is converted to a double and loses digits, if it has a fraction', (digits) => (isFraction(digits) ? double(digits) : digits)],
  ['whole-double', 'is converted to a double and loses digits, if it has no fraction', (digits) => (isFraction(digits) ? digits : double(digits))],
  ['float', 'is converted to a 32-bit float', (digits) => numberText(`${Math.fround(Number(digits))}`), { cost: 2 }],
]);

export const ZERO_SIGNS: Instead<'signOfZero'> = kind('write minus zero as 0', [
  ['kept', 'keeps its sign', (digits) => (digits.startsWith('-') ? '-' : '')],
  ['kept-with-fraction', 'keeps its sign if it has a fraction', (digits) => (/^-0[.]0+$/.test(digits) ? '-' : '')],
]);

/** How languages print NaN and infinity. */
const WORDS: readonly (readonly [id: string, language: string, nan: string, infinity: string, minus: string])[] = [
  ['python', 'Python', 'nan', 'inf', '-inf'],
  ['go', 'Go', 'NaN', '+Inf', '-Inf'],
  ['java', 'DecimalFormat of Java', 'NaN', '∞', '-∞'],
  ['javascript', 'JavaScript', 'NaN', 'Infinity', '-Infinity'],
  ['php', 'PHP', 'NAN', 'INF', '-INF'],
];

const refuseNumber = (): never => refuse('number', 'no number');
const finite = (text: string): string => (Number.isFinite(Number(text)) ? `${Number(text)}` : refuseNumber());

/** As Python, Java and others read numbers: with the decimal digits of any script. */
const finiteOfAnyScript = (text: string): string => finite(asciiDigits(text));

export const OTHER_NUMBERS: Instead<'otherNumber'> = kind('refuse a value that is not a JSON number, such as NaN and 0x10', [
  ['as-written', 'is signed as written', (text) => text],
  ['parsed', 'is parsed leniently', finite],
  ['zero', 'is signed as 0', () => '0'],
  ['empty', 'is signed as an empty text', () => ''],
  ['null', 'is signed as null', () => 'null'],
  ['parsed-in-any-script', 'is parsed leniently, including digits of other scripts', finiteOfAnyScript],
  ...WORDS.flatMap(([id, language, nan, infinity, minus]): Change<Steps['otherNumber']>[] => {
    const word = (text: string): string | undefined => ({ NaN: nan, Infinity: infinity, '-Infinity': minus })[text];
    return [
      [id, `is signed as ${language} prints NaN and infinity`, (text) => word(text) ?? refuseNumber()],
      [`${id}-parsed`, `is parsed leniently, and NaN and infinity are signed as ${language} prints them`, (text) => word(text) ?? finiteOfAnyScript(text)],
    ];
  }),
]);

// --- §5.1: the string to sign and its digest

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

export const ENTRIES: Instead<'parameterEntry'> = kind('write each name, then its value as sent, without separators or quotes', [
  ...SEPARATORS.map(([id, mark, said]): Change<Steps['parameterEntry']> => [id, `has ${said} between name and value`, (name, text) => name + mark + text]),
  ['value-only', 'is the value alone', (_, text) => text],
  ['name-only', 'is the name alone', (name) => name],
  ['value-first', 'has the value before the name', (name, text) => text + name],
  ['unsigned-when-empty', 'is left out if the value is empty', (name, text) => (text === '' ? '' : name + text)],
  ...['Region', 'Zone', 'ProjectId', 'SecurityToken'].map((own): Change<Steps['parameterEntry']> => {
    return [`empty-${own.toLowerCase()}-unsigned`, `is left out if it is ${own} and the value is empty`, (name, text) => (name === own && text === '' ? '' : name + text), { cost: 2 }];
  }),
  ['unsigned-when-null', 'is left out if the value is "null"', (name, text) => (text === 'null' ? '' : name + text)],
  ['unsigned-when-zero', 'is left out if the value is "0"', (name, text) => (text === '0' ? '' : name + text)],
  ['unsigned-when-false', 'is left out if the value is "false"', (name, text) => (text === 'false' ? '' : name + text)],
  ['unsigned-when-blank', 'is left out if the value is empty or only whitespace', (name, text) => (text.trim() === '' ? '' : name + text)],
  ['quoted', 'is written in quotes, as a JSON member', (name, text) => `${quoted(name)}:${quoted(text)}`, { cost: 2 }],
  ['password-clear', 'has the plain text of Password instead of its Base64', (name, text) => name + (name === 'Password' ? clearText(text) : text)],
  ['password-encoded-again', 'has the Base64 of Password encoded in Base64 again', (name, text) => name + (name === 'Password' ? base64(utf8Bytes(text)) : text)],
]);

/** The text between a name and its value, and between pairs. */
const MARKS = ['=', ':', ' ', ',', '|', ''];
const BETWEEN = ['&', ',', ', ', '\n', ';', '|'];
const saidOf = (mark: string): string => ({ '': 'nothing', ' ': 'a space', '\n': 'a line feed' })[mark] ?? quoted(mark);

type Layout = (pairs: readonly Pair[]) => string;
const pairsWith = (mark: string, between: string, encode = plain): Layout => {
  return (pairs) => pairs.map(([name, text]) => encode(name) + mark + encode(text)).join(between);
};
const encodedQuery = pairsWith('=', '&', urlEncode);
const aliyun = (method: string): Layout => {
  return (pairs) => `${method}&%2F&${urlEncode(encodedQuery(pairs))}`;
};
const namesOf: Layout = (pairs) => pairs.map(([name]) => name).join('');
const valuesOf: Layout = (pairs) => pairs.map(([, text]) => text).join('');

const withKeySent =
  (arrange: (pairs: readonly Pair[]) => readonly Pair[]): Around<'signatureOfFlat'> =>
  (right, parameters, privateKey, context) => {
    const stages = right(parameters, privateKey, context);
    return { ...stages, sortedParameters: arrange([...stages.sortedParameters, ['PrivateKey', privateKey]]) };
  };

export const SENT_KEYS: Kind<Around<'signatureOfFlat'>> = kind('leave the private key out of what is sent', [
  ['private-key-in-order', 'is sent with the private key as a parameter PrivateKey, at its place in byte order', withKeySent(sortedByName)],
  ['private-key-last', 'is sent with the private key as a parameter PrivateKey, after the others', withKeySent((pairs) => pairs)],
]);

/** Layouts of all parameters at once. */
export const LAYOUTS: Kind<Layout> = kind('write each name and its value one after the other, without separators and unencoded', [
  ...MARKS.flatMap((mark) =>
    BETWEEN.flatMap((between): Change<Layout>[] => {
      const id = `${separatorId(mark)}-and-${separatorId(between)}`;
      const said = `and ${saidOf(between)} between pairs`;
      return [
        [id, `has ${saidOf(mark)} between names and values, ${said}`, pairsWith(mark, between)],
        [`${id}-encoded`, `has ${saidOf(mark)} between percent-encoded names and values, ${said}`, pairsWith(mark, between, urlEncode), { cost: 2 }],
      ];
    }),
  ),
  ['form-encoded', 'is a form-encoded query', (pairs) => new URLSearchParams(pairs.map(([name, text]): [string, string] => [name, text])).toString()],
  ['line-feed-after-pairs', 'has "=" between names and values, and a line feed after each pair', (pairs) => pairs.map(([name, text]) => `${name}=${text}\n`).join(''), { cost: 2 }],
  ['json', 'is a JSON object', (pairs) => JSON.stringify(Object.fromEntries(pairs))],
  ['json-spaced', 'is a JSON object with spaces', (pairs) => `{${pairsWith(': ', ', ', quoted)(pairs)}}`, { cost: 2 }],
  ['aliyun', 'has the layout of the RPC API of Aliyun, for GET', aliyun('GET')],
  ['aliyun-post', 'has the layout of the RPC API of Aliyun, for POST', aliyun('POST'), { cost: 2 }],
  ['values-first', 'has all values, then all names', (pairs) => valuesOf(pairs) + namesOf(pairs), { cost: 3 }],
  ['names-first', 'has all names, then all values', (pairs) => namesOf(pairs) + valuesOf(pairs), { cost: 3 }],
]);

export const PREFIXES: Kind<(text: string) => string> = kind('sign only the names and values, without a method or a path', [
  ...['GET', 'POST'].flatMap((method): Change<(text: string) => string>[] => {
    const id = method.toLowerCase();
    return [
      [`${id}-before`, `starts with ${method}`, (text) => method + text],
      [`${id}-line-before`, `starts with the lines ${method} and /`, (text) => `${method}\n/\n${text}`, { cost: 2 }],
      [`${id}-and-path-before`, `starts with ${method}&%2F&`, (text) => `${method}&%2F&${text}`],
      [`${id}-as-aliyun`, `has the layout of the RPC API of Aliyun, for ${method}`, (text) => `${method}&%2F&${urlEncode(text)}`],
    ];
  }),
  ['slash-before', 'starts with a slash', (text) => `/${text}`],
  ['question-mark-before', 'starts with a question mark', (text) => `?${text}`],
  ['target-before', 'starts with /?', (text) => `/?${text}`],
]);

const withKey = (write: (text: string, key: string) => string): Steps['withPrivateKey'] => {
  return (text, key, { steps }) => write(text, steps.actionKey(key));
};

export const KEY_MARKS: Instead<'withPrivateKey'> = kind('append the private key to the text without a separator', [
  ...SEPARATORS.map(([id, mark, said]): Change<Steps['withPrivateKey']> => {
    return [`key-after-${id}`, `has ${said} before the private key`, withKey((text, key) => text + mark + key)];
  }),
  ['key-first', 'starts with the private key instead of ending with it', withKey((text, key) => key + text)],
  ['key-at-both-ends', 'has the private key at both ends', withKey((text, key) => key + text + key)],
  ['key-as-parameter', 'ends with &key= and the private key', withKey((text, key) => `${text}&key=${key}`)],
  ['key-as-key', 'ends with key= and the private key', withKey((text, key) => `${text}key=${key}`), { cost: 2 }],
  ['key-named', 'ends with PrivateKey and the private key', withKey((text, key) => `${text}PrivateKey${key}`)],
  ['key-named-pair', 'ends with &PrivateKey= and the private key', withKey((text, key) => `${text}&PrivateKey=${key}`), { cost: 2 }],
  ['key-and-ampersand', 'ends with an ampersand', withKey((text, key) => `${text}${key}&`), { cost: 2 }],
  ['key-as-parameter-key', 'ends with &Key= and the private key', withKey((text, key) => `${text}&Key=${key}`), { cost: 2 }],
  ['key-as-secret', 'ends with &secret= and the private key', withKey((text, key) => `${text}&secret=${key}`), { cost: 2 }],
  ['key-twice', 'ends with the private key twice', withKey((text, key) => text + key + key), { cost: 2 }],
]);

type ActionDigest = Change<Steps['actionDigest']>;
const DIGEST = 'append the private key to the text and hash it with SHA-1';

export const ACTION_DIGESTS: Instead<'actionDigest'> = kind(
  DIGEST,
  DIGESTS.changes.map(([id, clause, digest, notes]): ActionDigest => {
    return [id, clause, (_, { text, privateKey }, { steps }) => digest(utf8Bytes(steps.actionKey(privateKey)), steps.actionTextBytes(text)), notes];
  }),
);

/** The digest of another scheme, in Base64. */
export const ACTION_SCHEMES: Instead<'actionDigest'> = kind(
  DIGEST,
  ACTION_DIGESTS.changes.map(([id, clause, digest, notes]): ActionDigest => {
    return [`${id}-base64`, `${clause}, in Base64`, digest, { cost: (notes?.cost ?? 1) + 1, also: { actionSignatureText: () => base64 } }];
  }),
);

// --- §4.1, §4.2: the forms of a request

export const QUERY_PAIRS: Instead<'queryPair'> = kind('write each pair of the query as name=value, both percent-encoded', [
  ['bare', 'is not percent-encoded', (name, text) => `${name}=${text}`],
  ['name-only-when-empty', 'lacks its equals sign if the value is empty', (name, text, { steps }) => steps.urlEncode(name) + (text && `=${steps.urlEncode(text)}`)],
  ['colon', 'has a colon between name and value', (name, text, { steps }) => `${steps.urlEncode(name)}:${steps.urlEncode(text)}`],
  ['quoted', 'has its value in quotes', (name, text, { steps }) => `${steps.urlEncode(name)}="${steps.urlEncode(text)}"`],
  [
    'bucket-lower-case',
    'has the value of BucketName in lower case',
    (name, text, { steps }) => `${steps.urlEncode(name)}=${steps.urlEncode(name === 'BucketName' ? text.toLowerCase() : text)}`,
    { fix: 'send the name of the bucket as it is signed', cost: 2 },
  ],
  ['encoded-whole', 'is percent-encoded together with its equals sign', (name, text, { steps }) => steps.urlEncode(`${name}=${text}`)],
]);

const nameOf = (pair: string): string => before(pair, '=');
const decodedName = (pair: string): string => urlDecode(nameOf(pair)) ?? pair;

export const QUERY_LISTS: Instead<'queryPairs'> = kind('send every signed parameter, then Signature as the last one', [
  ['signature-first', 'has Signature first', (pairs, signature) => [signature, ...pairs]],
  ['signature-sorted-in', 'has Signature in the order of its name', (pairs, signature) => [...pairs, signature].sort((a, b) => compareBytes(decodedName(a), decodedName(b)))],
  ['without-signature', 'lacks Signature', (pairs) => pairs],
  ['without-empty', 'lacks pairs whose value is empty', (pairs, signature) => [...pairs.filter((pair) => !pair.endsWith('=')), signature]],
  ...['PublicKey', 'Action', 'Region', 'ProjectId', 'SecurityToken'].map((left): Change<Steps['queryPairs']> => {
    return [`without-${left.toLowerCase()}`, `lacks ${left}`, (pairs, signature) => [...pairs.filter((pair) => nameOf(pair) !== left), signature]];
  }),
  ...['Sign', 'signature', 'Sig', 'SIGNATURE'].map((name): Change<Steps['queryPairs']> => {
    return [`signature-named-${name}`, `has ${name} instead of Signature`, (pairs, signature) => [...pairs, signature.replace('Signature', name)], { cost: 2 }];
  }),
  ['reversed', 'is in descending order', (pairs, signature) => [...pairs.toReversed(), signature], { cost: 2 }],
]);

const INDEX = /[.]([0-9]+)(?=[.]|$)/g;

/** Names of list items in the query only; the signed names stay. */
export const QUERY_NAMES: Kind<Around<'queryName'>> = kind('send the names of list items as they are signed: Name.0, Name.1', [
  ['index-in-brackets', 'has the indexes of list items in brackets', (right, name, context) => right(name, context).replace(INDEX, '[$1]')],
  ['index-in-encoded-brackets', 'has the indexes of list items in percent-encoded brackets', (right, name, context) => right(name.replace(INDEX, '[$1]'), context)],
  ['index-left-out', 'lacks the indexes of list items', (right, name, context) => right(name.replace(INDEX, ''), context)],
  ['index-empty-brackets', 'has empty brackets instead of the indexes of list items', (right, name, context) => right(name, context).replace(INDEX, '[]')],
]);

export const TARGETS: Instead<'bucketTarget'> = kind('send the query to the path "/": /?Action=…', [
  ['without-slash', 'lacks its slash', (query) => `?${query}`],
  ['without-question-mark', 'lacks its question mark', (query) => `/${query}`],
  ['query-only', 'is only the query', (query) => query],
  ['two-slashes', 'has two slashes', (query) => `//?${query}`],
  ['bucket-path', 'has the bucket as its path', (query) => `/${/(?:^|&)BucketName=([^&]*)/.exec(query)?.[1] ?? ''}?${query}`],
  ['api-path', 'has the path /api', (query) => `/api?${query}`],
]);

const GO_ESCAPES = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['"', '\\"'],
  ['\\', '\\\\'],
]);
const quotedAsInGo = (text: string): string => `"${text.replace(/["\\\p{Cc}]/gu, (sign) => GO_ESCAPES.get(sign) ?? (sign < '\x80' ? `\\x${hexadecimal(lowBytes(sign))}` : escapedUnits(sign, /./g)))}"`;

export const JSON_NUMBERS: Kind<Around<'jsonValue'>> = kind('write numbers as JSON numbers, booleans as true or false, and texts as JSON strings', [
  ['as-signed', 'is the text that is signed', (right, value, context) => (isNumber(value) ? context.steps.valueText(value, context) : right(value, context)), { cost: 2 }],
  ['minus-zero-kept', 'is -0 for minus zero', (right, value, context) => (isNumber(value) && /^-0(?:[.]0+)?$/.test(value.number) ? context.steps.valueText(value, context) : right(value, context)), { cost: 2 }],
  ['foreign-escapes', 'has escapes that JSON lacks, such as \\a and \\x1b', (right, value, context) => (typeof value === 'string' ? quotedAsInGo(value) : right(value, context))],
  ['apostrophes-escaped', 'has a backslash before each apostrophe', (right, value, context) => (typeof value === 'string' ? right(value, context).replaceAll("'", "\\'") : right(value, context))],
  ['all-texts', 'is always a JSON string', (_, value, context) => JSON.stringify(context.steps.valueText(value, context))],
  ['booleans-as-texts', 'is a JSON string if it is a boolean', (right, value, context) => (typeof value === 'boolean' ? `"${value}"` : right(value, context))],
  ['numbers-as-texts', 'is a JSON string if it is a number', (right, value, context) => (isNumber(value) ? `"${right(value, context)}"` : right(value, context))],
  ['unescaped', 'is in quotes but not escaped', (right, value, context) => (typeof value === 'string' ? `"${value}"` : right(value, context))],
  ['as-written', 'is a number as the input writes it', (right, value, context) => (isNumber(value) ? value.number : right(value, context)), { cost: 2 }],
]);

export const JSON_NUMBER_TEXTS: Kind<Around<'jsonValue'>> = kind(
  NUMBERS.fix,
  NUMBERS.changes.map(([id, clause, write, notes]): Change<Around<'jsonValue'>> => {
    return [id, clause, (right, value, context) => (isNumber(value) ? write(value.number) : right(value, context)), notes];
  }),
);

const nestedMembers: Around<'jsonMembers'> = (right, sent, given, context) => {
  const nested = new Map(given.filter(([, value]) => isNested(value)));
  const isInner = (name: string): boolean => [...nested.keys()].some((outer) => name.startsWith(`${outer}.`) || name === outer);
  const flat = sent.filter(([name]) => !isInner(name));
  return [...right(flat, given, context), ...[...nested].map(([name, value]) => `${quoted(name)}:${printed(value, JSON_PRINTER)}`)];
};

const isFilled = ([, value]: FlatParameter): boolean => value !== '';

export const JSON_FORMS: Kind<Around<'jsonMembers'>> = kind('send the flattened parameters, as they are signed', [
  ['nested', 'has nested lists and objects as given', nestedMembers],
  [
    'password-encoded',
    'has the Base64 of the parameter Password',
    (right, sent, given, context) =>
      right(
        sent.map(([name, value]) => [name, name === 'Password' && typeof value === 'string' ? base64(utf8Bytes(value)) : value]),
        given,
        context,
      ),
  ],
  ...(
    [
      ['zero', 'is 0', isZero],
      ['false', 'is false', (value) => value === false],
      ['empty-or-zero', 'is empty or 0', (value) => value === '' || isZero(value)],
      ['falsy', 'is empty, 0 or false', (value) => value === '' || value === false || isZero(value)],
    ] as const satisfies readonly (readonly [string, string, (value: ScalarValue) => boolean])[]
  ).map(([id, said, isLeftOut]): Change<Around<'jsonMembers'>> => {
    return [
      `without-${id}`,
      `lacks members whose value ${said}`,
      (right, sent, given, context) =>
        right(
          sent.filter(([, value]) => !isLeftOut(value)),
          given,
          context,
        ),
      { cost: 2 },
    ];
  }),
  ['without-empty', 'lacks members whose value is empty', (right, sent, given, context) => right(sent.filter(isFilled), given, context)],
  ['sorted', 'is sorted by name', (right, sent, given, context) => right(sortedByName(sent), given, context), { cost: 3 }],
]);

const body = (write: (members: readonly string[], signature: string) => string): Steps['jsonBody'] => {
  return (members, signature, { steps }) => write(members, steps.jsonSignature(signature));
};

export const BODIES: Instead<'jsonBody'> = kind('send one JSON object with the parameters and Signature', [
  ['without-signature', 'lacks Signature', body((members) => `{${members.join(',')}}`)],
  ['signature-lower-case', 'has the member signature instead of Signature', body((members, signature) => `{${[...members, `"signature":"${signature}"`].join(',')}}`)],
  ['in-data', 'has the parameters inside a member Data', body((members, signature) => `{"Data":{${members.join(',')}},"Signature":"${signature}"}`), { cost: 2 }],
  ['in-list', 'is a list around the object', body((members, signature) => `[{${[...members, `"Signature":"${signature}"`].join(',')}}]`), { cost: 2 }],
]);

// --- §5.2: the positional lines

const METHODS = ['GET', 'PUT', 'POST', 'HEAD', 'DELETE'];

export const VERBS: Instead<'verb'> = kind('sign the method of the request in upper case', [
  ...METHODS.map((method): Change<Steps['verb']> => [`always-${method.toLowerCase()}`, `is always ${method}`, () => method]),
  ['as-given', 'is signed as it was given', (method) => method],
  ['unknown-as-given', 'is signed as it was given unless it is GET, HEAD, PUT, POST or DELETE', (method) => (METHODS.includes(upperCase(method)) ? upperCase(method) : method)],
  ['head-as-get', 'is GET for a HEAD request', (method) => upperCase(method).replace(/^HEAD$/, 'GET')],
  [
    'unknown-refused',
    'is refused unless it is GET, HEAD, PUT, POST or DELETE',
    (method) => (METHODS.includes(upperCase(method)) ? upperCase(method) : refuse('method', 'unknown method')),
    { fix: 'sign any method, in upper case' },
  ],
  ['get-unless-put', 'is GET unless it is PUT', (method) => (upperCase(method) === 'PUT' ? 'PUT' : 'GET')],
  ['unknown-as-get', 'is GET for an unknown verb', (method) => (METHODS.includes(upperCase(method)) ? upperCase(method) : 'GET')],
  ['put-as-post', 'is POST for a PUT request', (method) => upperCase(method).replace(/^PUT$/, 'POST')],
]);

const bareName = (header: string): string => lowerCase(header.trim());

export const POSITIONAL_NAMES: Instead<'isPositional'> = kind('look up Content-MD5, Content-Type and Date without regard to case', [
  ['as-spelled', 'is found only in its documented case', (header, name) => header === name],
  ['lower-case-only', 'is found only in lower case', (header, name) => header === lowerCase(name)],
  ['title-case', 'is found only with Content-MD5 spelled as Content-Md5', (header, name) => header === name.replace('MD5', 'Md5')],
  ['spelled-or-lower', 'is found only in its documented case or in lower case', (header, name) => header === name || header === lowerCase(name)],
  ...(['Content-MD5', 'Content-Type', 'Date'] as const).flatMap((one): Change<Steps['isPositional']>[] => {
    const only =
      (isFound: (header: string) => boolean): Steps['isPositional'] =>
      (header, name) =>
        name === one ? isFound(header) : bareName(header) === lowerCase(name);
    return [
      [`${one.toLowerCase()}-as-spelled`, `is found only in its documented case if it is ${one}`, only((header) => header === one), { cost: 2 }],
      [`${one.toLowerCase()}-lower-case-only`, `is found only in lower case if it is ${one}`, only((header) => header === lowerCase(one)), { cost: 2 }],
    ];
  }),
  ['content-md5-title-case', 'is found only as Content-Md5 if it is Content-MD5', (header, name) => (name === 'Content-MD5' ? header === 'Content-Md5' : bareName(header) === lowerCase(name)), { cost: 2 }],
  ['untrimmed', 'is found only without spaces before the colon', (header, name) => lowerCase(header) === lowerCase(name)],
  ['by-prefix', 'is found at the start of longer names', (header, name) => bareName(header).startsWith(lowerCase(name))],
  ['by-suffix', 'is found at the end of longer names', (header, name) => bareName(header).endsWith(lowerCase(name))],
  ['by-part', 'is found inside longer names', (header, name) => lowerCase(header).includes(lowerCase(name)), { cost: 2 }],
  ['underscores', 'is found with underscores instead of hyphens too', (header, name) => bareName(header).replaceAll('_', '-') === lowerCase(name), { cost: 2 }],
  ['turkish', 'is in lower case by the rules of Turkish, where I becomes ı', (header, name) => turkish(header.trim()) === lowerCase(name), { cost: 3 }],
]);

export const REPEATED: Instead<'oneValue'> = kind('refuse a positional header that appears twice', [
  ['first', 'is its first value', (values) => values[0] ?? ''],
  ['last', 'is its last value', (values) => values.at(-1) ?? ''],
  ['comma', 'is all its values, joined with commas', (values) => values.join(',')],
  ['comma-space', 'is all its values, joined with a comma and a space', (values) => values.join(', ')],
  ['bare', 'is all its values, joined without a separator', (values) => values.join('')],
  ['empty', 'is empty', (values) => (values.length > 1 ? '' : (values[0] ?? ''))],
]);

const unlessEmpty = (mark: string, text: string): string => text && mark + text;

export const POSITIONAL_LINES: Kind<Around<'positionalValue'>> = kind('sign only the value, trimmed and unfolded, without the name of the header', [
  ['named', 'is signed after its name in lower case and a colon', (right, headers, name, context) => unlessEmpty(`${lowerCase(name)}:`, right(headers, name, context))],
  ['named-as-spelled', 'is signed after its name and a colon', (right, headers, name, context) => unlessEmpty(`${name}:`, right(headers, name, context))],
  ['named-always', 'is signed after its name in lower case and a colon, even if it is absent', (right, headers, name, context) => `${lowerCase(name)}:${right(headers, name, context)}`],
  ['named-with-space', 'is signed after its name, a colon and a space', (right, headers, name, context) => unlessEmpty(`${name}: `, right(headers, name, context))],
  ['as-sent', 'is signed with its folds and surrounding whitespace', (_, headers, name, { steps }) => headers.find(([header]) => steps.isPositional(header, name))?.[1] ?? ''],
]);

type Line = Change<(line: string) => string>;

const TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";
const PARAMETER = `[ \\t]*;[ \\t]*(${TOKEN})=(${TOKEN}|"(?:[^"\\\\]|\\\\.)*")`;
const MEDIA_TYPE = new RegExp(`^(${TOKEN}/${TOKEN})((?:${PARAMETER})*)$`);

/** A media type as a parser writes it again; a line without a media type stays unchanged. */
const reprintWith =
  (semicolon: string, ofType: Line[2], ofName: Line[2], ofValue: Line[2]): Line[2] =>
  (line) => {
    const [, type = '', parameters = ''] = MEDIA_TYPE.exec(line) ?? [];
    if (type === '') return line;
    const printed = Array.from(parameters.matchAll(new RegExp(PARAMETER, 'g')), ([, name = '', value = '']) => `${semicolon}${ofName(name)}=${ofValue(value)}`);
    return ofType(type) + printed.join('');
  };

/** How parsers of media types write them again. */
const REPRINTED: readonly Line[] = [
  ['spaced', '"; "', '; '],
  ['bare', '";"', ';'],
].flatMap(([separator = '', said = '', semicolon = '']): Line[] => {
  const before = `with ${said} before each parameter`;
  const printed: readonly Line[] = [
    [`parsed-${separator}`, `is parsed and written again ${before}`, reprintWith(semicolon, plain, plain, plain)],
    [`parsed-${separator}-type-lower`, `is parsed and written again with its type in lower case and ${before}`, reprintWith(semicolon, lowerCase, plain, plain)],
    [`parsed-${separator}-names-lower`, `is parsed and written again with its type and the names of its parameters in lower case and ${before}`, reprintWith(semicolon, lowerCase, lowerCase, plain)],
    [`parsed-${separator}-lower`, `is parsed and written again in lower case and ${before}`, reprintWith(semicolon, lowerCase, lowerCase, lowerCase)],
  ];
  // A simple parser knows no quoted values.
  return printed.flatMap(([id, clause, print]): Line[] => [
    [id, clause, print],
    [`${id}-unquoted`, `${clause}, unless it has a quoted value`, (line) => (line.includes('"') ? line : print(line))],
  ]);
});

const BINARY_TYPE = 'application/octet-stream';
const UPLOAD_TYPES = [BINARY_TYPE, 'text/plain', 'application/x-www-form-urlencoded', 'application/json'];
const TEXT_TYPES = ['text/plain', 'application/json', 'application/x-www-form-urlencoded'];
const DEFAULT_TYPES = [...UPLOAD_TYPES, ...['binary/octet-stream', 'multipart/form-data', 'text/html', 'application/xml'], ...TEXT_TYPES.map((type) => `${type}; charset=utf-8`)];

export const TYPE_LINES: Kind<(line: string) => string> = kind('sign Content-Type exactly as sent, or an empty line if it is not sent', [
  ...DEFAULT_TYPES.flatMap((type): Line[] => [
    [`default-${slugOf(type)}`, `is ${type} if Content-Type is absent or empty`, (line) => line || type],
    [`always-${slugOf(type)}`, `is always ${type}`, () => type, { cost: 2 }],
  ]),
  ...['; charset=utf-8', ';charset=utf-8', '; charset=UTF-8', ';charset=UTF-8'].flatMap((charset): Line[] => {
    const id = `with${slugOf(charset)}-${charset.length}${charset.includes('UTF') ? 'u' : 'l'}`;
    return [
      [`text-${id}`, `has "${charset}" added after a text type without parameters`, (line) => line.replace(/^text\/[^;]*$/, `$&${charset}`)],
      [`all-${id}`, `has "${charset}" added after a type without parameters`, (line) => line.replace(/^[^;]+$/, `$&${charset}`)],
    ];
  }),
  ['parameters-spaced', 'has one space after each semicolon', (line) => line.replace(/;[ \t]*/g, '; ')],
  ['parameters-spaced-around', 'has one space after each semicolon and none before it', (line) => line.replace(/(?<![ \t])[ \t]*;[ \t]*/g, '; ')],
  ['parameters-spaced-if-none', 'has one space after each semicolon that no space or tab follows', (line) => line.replace(/;(?=[^ \t])/g, '; ')],
  ['parameters-unspaced', 'has no space around its semicolons', (line) => line.replace(/(?<![ \t])[ \t]*;[ \t]*/g, ';')],
  ...REPRINTED,
  ['type-lower-case', 'is in lower case up to its parameters', (line) => line.replace(/^[^;]*/, lowerCase)],
  ['jpeg', 'is image/jpeg for image/jpg', (line) => line.replace('image/jpg', 'image/jpeg'), { cost: 3 }],
  ['known-only', 'is empty unless it is a text, image or application type', (line) => (/^(?:text|image|application)\//.test(line) ? line : ''), { cost: 3 }],
  ['multipart-without-boundary', 'lacks the boundary of a multipart type', (line) => line.replace(/^(multipart\/[^;]*);.*/s, '$1')],
]);

const MD5_OF_NOTHING = '1B2M2Y8AsgTpgAmY7PhCfg==';
const base64OfHex = (text: string): string => (/^(?:[0-9a-f]{2})+$/i.test(text) ? base64(fromHex(text)) : text);
const hexOfBase64 = (text: string): string => {
  const binary = binaryOf(text);
  return binary === undefined ? text : hexadecimal(lowBytes(binary));
};

export const MD5_LINES: Kind<(line: string) => string> = kind('sign Content-MD5 exactly as sent, or an empty line if it is not sent', [
  ['default-of-nothing', 'is the MD5 of empty content if Content-MD5 is absent', (line) => line || MD5_OF_NOTHING],
  ['default-hex-of-nothing', 'is the hexadecimal MD5 of empty content if Content-MD5 is absent', (line) => line || hexOfBase64(MD5_OF_NOTHING)],
  ['hexadecimal', 'is converted from Base64 to hexadecimal', hexOfBase64],
  ['hexadecimal-as-base64', 'is converted from hexadecimal to Base64', base64OfHex],
]);

const filterNamed = (headers: HeaderList, name: string): HeaderList => headers.filter(([own]) => bareName(own) === lowerCase(name));
const hasHeader = (headers: HeaderList, name: string): boolean => filterNamed(headers, name).length > 0;
const headerOf = (headers: HeaderList, name: string): string => filterNamed(headers, name)[0]?.[1].trim() ?? '';

const EXTRA_DATE = /^x-(?:[a-z]+-)?date$/i;
const extraDate = (headers: HeaderList): string | undefined => headers.find(([name]) => EXTRA_DATE.test(name.trim()))?.[1];

export const DATE_LINES: Kind<Around<'date'>> = kind('sign Date exactly as sent, or an empty line if it is not sent', [
  ['empty-beside-extra', 'is empty if the name of an extra header ends in -Date', (right, value, headers, context) => (extraDate(headers) === undefined ? right(value, headers, context) : '')],
  ['of-extra', 'is the value of an extra header whose name ends in -Date', (right, value, headers, context) => extraDate(headers) ?? right(value, headers, context)],
  ['of-extra-when-absent', 'is the value of an extra header whose name ends in -Date if Date is absent', (right, value, headers, context) => right(value, headers, context) || (extraDate(headers) ?? '')],
  ['zone-as-gmt', 'has GMT in place of any zone', (right, value, headers, context) => right(value, headers, context).replace(/ [+-]\d{4}$/, ' GMT')],
  ['reformatted', 'is parsed and written again as an HTTP date', (right, value, headers, context) => reformatDate(right(value, headers, context))],
  ...['Thu, 01 Jan 1970 00:00:00 GMT', '0', '1970-01-01T00:00:00Z'].map((text): Change<Around<'date'>> => {
    return [`default-${slugOf(text)}`, `is "${text}" if Date is absent`, (right, value, headers, context) => right(value, headers, context) || text, { cost: 2 }];
  }),
]);

function reformatDate(date: string): string {
  return /(?:Z|GMT|[+-]\d{4})$/.test(date) && !Number.isNaN(Date.parse(date)) ? new Date(date).toUTCString() : date;
}

const isExtra = ([name]: Pair): boolean => /^x-/i.test(name.trim());
const OTHER_HEADERS = 'Content-MD5 Content-Type Date Expires Content-Length Host ETag Content-Encoding Last-Modified X-Date User-Agent Accept'.split(' ');

/** Calls with the value of the service's own header of this name, such as X-Svc-Date; undefined if it is not sent. */
const besideOwn =
  (line: PositionalName, write: (right: string, own: string | undefined) => string): Around<'date'> =>
  (right, value, headers, context) => {
    const own = `${context.dialect.headerPrefix}${line}`;
    return write(right(value, headers, context), hasHeader(headers, own) ? headerOf(headers, own) : undefined);
  };

/** Defaults for an absent Content-Type; an empty one counts as sent. */
export const TYPES_OF_ABSENT: Kind<Around<'contentType'>> = kind(
  'sign an empty line if Content-Type is not sent, or send the default too',
  DEFAULT_TYPES.map(
    (type): Change<Around<'contentType'>> => [
      `default-of-absent-${slugOf(type)}`,
      `is ${type} if Content-Type is absent, but not if it is empty`,
      (right, value, headers, context) => right(value, headers, context) || (hasHeader(headers, 'Content-Type') ? '' : type),
    ],
  ),
);

/** The forms of a date, a digest or a media type that some libraries require. */
const FORMS: Readonly<Record<PositionalName, readonly [noun: string, form: RegExp]>> = {
  Date: ['an HTTP date', /^(?:[A-Z][a-z]{2}, ?)?\d{1,2}[ -][A-Z][a-z]{2}[ -]\d{2,4} [\d:]{5,8} /],
  'Content-MD5': ['the Base64 of 16 bytes', /^[A-Za-z0-9+/]{22}==$/],
  'Content-Type': ['a type, a slash and a subtype', /^[^\s/;]+\/[^\s/;]+ *(?:;|$)/],
};
export const refusedForms = (line: PositionalName): Kind<Around<'date'>> => {
  const [noun, form] = FORMS[line];
  return kind(`sign any ${line} as sent`, [
    [
      'refused-in-another-form',
      `is refused, or leads to an exception, unless it is ${noun}`,
      (right, value, headers, context) => (value === '' || form.test(value) ? right(value, headers, context) : refuse('header-value', `this ${line} is not ${noun}`)),
    ],
  ]);
};

/** The value of another header, or an empty line if that header is sent. */
export const otherHeader = (line: PositionalName): Kind<Around<'date'>> =>
  kind('sign each of Content-MD5, Content-Type and Date on its own line, as sent, or an empty line if it is absent', [
    ...OTHER_HEADERS.filter((name) => name !== line).flatMap((other): Change<Around<'date'>>[] => {
      const id = other.toLowerCase();
      return [
        [`of-${id}`, `is the value of ${other}`, (_, __, headers) => headerOf(headers, other), { cost: 2 }],
        [`of-${id}-when-sent`, `is the value of ${other} if that is sent`, (right, value, headers, context) => headerOf(headers, other) || right(value, headers, context), { cost: 2 }],
        [`of-${id}-when-absent`, `is the value of ${other} if its own header is absent`, (right, value, headers, context) => right(value, headers, context) || headerOf(headers, other), { cost: 2 }],
        [`empty-beside-${id}`, `is empty if ${other} is sent`, (right, value, headers, context) => (hasHeader(headers, other) ? '' : right(value, headers, context)), { cost: 3 }],
        [`empty-without-${id}`, `is empty if ${other} is not sent`, (right, value, headers, context) => (hasHeader(headers, other) ? right(value, headers, context) : ''), { cost: 3 }],
      ];
    }),
    ['empty-beside-extra-headers', 'is empty if extra headers are sent', (right, value, headers, context) => (headers.some(isExtra) ? '' : right(value, headers, context)), { cost: 3 }],
    ['of-own-header', `is the value of the header with the prefix, such as X-Svc-${line}, if that is sent`, besideOwn(line, (right, own) => own ?? right)],
    ['of-own-header-only', `is always the value of the header with the prefix, such as X-Svc-${line}`, besideOwn(line, (_, own) => own ?? ''), { cost: 2 }],
    ['of-own-header-when-absent', `is the value of the header with the prefix, such as X-Svc-${line}, if its own header is absent`, besideOwn(line, (right, own) => right || (own ?? ''))],
    ['empty-beside-own-header', `is empty if the header with the prefix, such as X-Svc-${line}, is sent`, besideOwn(line, (right, own) => (own === undefined ? right : ''))],
  ]);

const TYPES: Readonly<Record<string, string>> = {
  bin: BINARY_TYPE,
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
const FEW_TYPES = ['bin', 'html', 'jpg', 'json', 'pdf', 'png', 'txt'];
/** The extension of a file name, if it has a well-known media type. */
export const knownExtensionOf = (key: string): string | undefined => (extensionOf(key) in TYPES ? extensionOf(key) : undefined);
const extensionOf = (key: string): string => key.split('.').at(-1)?.toLowerCase() ?? '';
const typeOf = (key: string): string => TYPES[extensionOf(key)] ?? '';
const fewTypeOf = (key: string): string => (FEW_TYPES.includes(extensionOf(key)) ? typeOf(key) : '');

type Lines = Partial<PositionalValues>;

/** Replaces some of the lines that a step returns. */
function lines<Request>(change: (request: Request, values: PositionalValues, context: Context) => Lines) {
  return (right: (request: Request, context: Context) => PositionalValues, request: Request, context: Context): PositionalValues => {
    const values = right(request, context);
    return { ...values, ...change(request, values, context) };
  };
}

type LinesChange = Change<Around<'positionalValues'>>;
const isOneOf = (methods: readonly string[], { method }: FileRequest): boolean => methods.includes(upperCase(method));
const typeWhereNone = <Request extends { readonly key: string }>(typeOfKey: (key: string) => string) => lines<Request>(({ key }, { contentType }) => ({ contentType: contentType || typeOfKey(key) }));

/** Guesses the media type for some file extensions only, and with one verb if it is given; a form is a POST. */
export function typesOfExtensions(extensions: readonly string[], verb?: string): Pick<Wraps, 'positionalValues' | 'formPositionalValues'> {
  const guess = (key: string, method: string, contentType: string): Lines => {
    const isGuessed = contentType === '' && extensions.includes(extensionOf(key)) && (verb === undefined || upperCase(method) === verb);
    return isGuessed ? { contentType: typeOf(key) } : {};
  };
  const ofRequest: Around<'positionalValues'> = lines(({ key, method }, { contentType }) => guess(key, method, contentType));
  const ofForm: Around<'formPositionalValues'> = lines(({ key }, { contentType }) => guess(key, 'POST', contentType));
  return {
    positionalValues: (right) => (request, context) => ofRequest(right, request, context),
    formPositionalValues: (right) => (form, context) => ofForm(right, form, context),
  };
}

const UPLOADS: readonly (readonly [id: string, methods: string, cost: number])[] = [
  ['uploads', 'PUT and POST', 1],
  ['put', 'PUT', 2],
  ['post', 'POST', 2],
];
const methodsOf = (said: string): readonly string[] => said.split(/, | and /);
const defaultTypes = (type: string): LinesChange[] =>
  UPLOADS.map(([id, said, cost]) => {
    const change = lines((request: FileRequest, { contentType }) => (isOneOf(methodsOf(said), request) ? { contentType: contentType || type } : {}));
    return [`default-for-${id}-${slugOf(type)}`, `has ${type} for ${said} if Content-Type is absent`, change, { cost }];
  });

const METHOD_SETS = ['GET', 'GET and HEAD', 'GET, HEAD and DELETE', 'DELETE', 'PUT', 'POST', 'PUT and POST'];
const LINE_NAMES = { contentMd5: 'Content-MD5', contentType: 'Content-Type', date: 'Date' };
const emptyLines = (said: string): LinesChange[] => {
  const methods = methodsOf(said);
  return Object.entries(LINE_NAMES).map(([line, name]) => {
    const id = `${line.toLowerCase()}-empty-for-${methods[0]?.toLowerCase()}${methods.length}`;
    return [id, `has an empty ${name} line for ${said}`, lines((request) => (isOneOf(methods, request) ? { [line]: '' } : {})), { cost: 2 }];
  });
};

export const LINES: Kind<Around<'positionalValues'>> = kind('sign Content-MD5, Content-Type and Date exactly as sent, and an empty line for an absent one', [
  ['type-by-extension', 'has the media type of the file name if Content-Type is absent', typeWhereNone(typeOf)],
  ['type-by-few-extensions', 'has the media type of the file name if Content-Type is absent, for few file extensions only', typeWhereNone(fewTypeOf), { cost: 2 }],
  ['type-by-extension-or-binary', 'has the media type of the file name, or application/octet-stream, if Content-Type is absent', typeWhereNone((key) => typeOf(key) || BINARY_TYPE)],
  ...['application/x-directory', 'application/directory', 'httpd/unix-directory'].map(
    (type): LinesChange => [`folder-${slugOf(type)}`, `has ${type} for a key that ends in a slash if Content-Type is absent`, typeWhereNone((key) => (key.endsWith('/') ? type : '')), { cost: 2 }],
  ),
  ['type-by-extension-always', 'always has the media type of the file name as Content-Type', lines(({ key }) => ({ contentType: typeOf(key) })), { cost: 2 }],
  ...UPLOAD_TYPES.flatMap(defaultTypes),
  ...METHOD_SETS.flatMap(emptyLines),
]);

// --- §5.2: the extra headers

type Selection = (name: string, prefix: string) => boolean;
const starts: Selection = (name, prefix) => lowerCase(name).startsWith(lowerCase(prefix));
const alsoThose = (isTaken: (name: string) => boolean): Selection => {
  return (name, prefix) => starts(name, prefix) || isTaken(name);
};

const OTHER_PREFIXES = 'X-Svc- X-UCloud- X-Ufile- X-Amz- X-Oss- X-Cos- X-Obs- X-Goog- X-Ms- X-Bce- X-Qs- X-Kss- X-Emc-'.split(' ');
/** Headers that a signer or another service leaves out of the signed text. */
const LEFT_OUT_HEADERS = 'Date Encryption-Key Trace-Id Request-Id Security-Token Content-Sha256 Signature'.split(' ');
const FURTHER_HEADERS = 'Host Content-Type Content-MD5 Date Content-Length Authorization Expires Range Content-Encoding Cache-Control If-Match'.split(' ');

export const SELECTIONS: Kind<Selection> = kind('sign the headers whose names start with X-Svc- (X-UCloud- in the dialect ucloud) in any case, and no others', [
  ['none', 'accepts no header', () => false],
  ['all', 'accepts every header', () => true],
  ['as-documented', 'accepts only names with the prefix in its documented case', (name, prefix) => name.startsWith(prefix)],
  ['lower-case', 'accepts only names with the prefix in lower case', (name, prefix) => name.startsWith(lowerCase(prefix))],
  ['documented-or-lower', 'accepts only names with the prefix in its documented case or in lower case', (name, prefix) => name.startsWith(prefix) || name.startsWith(lowerCase(prefix)), { cost: 2 }],
  ['upper-case', 'accepts only names with the prefix in upper case', (name, prefix) => name.startsWith(upperCase(prefix)), { cost: 2 }],
  ['without-hyphen', 'compares the prefix without its last hyphen', (name, prefix) => starts(name, prefix.slice(0, -1))],
  ['anywhere', 'accepts every name that contains the prefix', (name, prefix) => lowerCase(name).includes(lowerCase(prefix))],
  ['metadata-only', 'accepts only metadata headers', (name, prefix) => starts(name, `${prefix}Meta-`)],
  ['without-metadata', 'accepts no metadata headers', (name, prefix) => starts(name, prefix) && !starts(name, `${prefix}Meta-`)],
  ['all-x', 'accepts every name that starts with X-', (name) => starts(name, 'X-')],
  ['not-bare-prefix', 'rejects a name that is only the prefix', (name, prefix) => starts(name, prefix) && name.length > prefix.length],
  ...LEFT_OUT_HEADERS.map((left): Change<Selection> => {
    return [`without-${left.toLowerCase()}`, `rejects the extra header X-Svc-${left}`, (name, prefix) => starts(name, prefix) && !starts(name, `${prefix}${left}`), { cost: 2 }];
  }),
  ['letters-only', 'accepts only names of letters, digits and hyphens', (name, prefix) => starts(name, prefix) && /^[A-Za-z0-9-]+$/.test(name), { cost: 2 }],
  ['word-only', 'accepts only names of letters, digits, hyphens and underscores', (name, prefix) => starts(name, prefix) && /^[\w-]+$/.test(name), { cost: 2 }],
  [
    'underscore-as-hyphen',
    'also accepts names with underscores instead of hyphens',
    (name, prefix) => starts(name.replaceAll('_', '-'), prefix),
    { also: { lowerCaseName: (right) => (name) => right(name).replaceAll('_', '-') } },
  ],
  ['prefix-as-pattern', 'accepts names with any character in place of a hyphen of the prefix', (name, prefix) => new RegExp(`^${prefix.replaceAll('-', '.')}`, 'i').test(name), { cost: 3 }],
  [
    'prefix-as-lua-pattern',
    'accepts every name that contains the prefix as a pattern of Lua, in which "c-" is any number of c',
    // No repetition fits too, so the letters before the hyphens count for nothing.
    (name, prefix) => lowerCase(name).includes(lowerCase(prefix).replace(/\w-/g, '')),
    { cost: 3 },
  ],
  ['turkish', 'converts names to lower case by the rules of Turkish, where I becomes ı', (name, prefix) => turkish(name).startsWith(lowerCase(prefix)), { cost: 3 }],
  ...OTHER_PREFIXES.flatMap((other): Change<Selection>[] => {
    const id = other.slice(2, -1).toLowerCase();
    return [
      [`only-${id}`, `accepts only names that start with ${other}`, (name) => starts(name, other), { cost: 2 }],
      [`also-${id}`, `also accepts names that start with ${other}`, alsoThose((name) => starts(name, other)), { cost: 2 }],
    ];
  }),
  ['with-positional', 'also accepts Content-MD5, Content-Type and Date', alsoThose((name) => /^(?:content-md5|content-type|date)$/i.test(name))],
  ...FURTHER_HEADERS.map((other): Change<Selection> => [`with-${other.toLowerCase()}`, `also accepts ${other}`, alsoThose((name) => lowerCase(name) === lowerCase(other))]),
  ['with-content', 'also accepts every name that starts with Content-', alsoThose((name) => starts(name, 'Content-'))],
]);

export const HEADER_NAMES: Instead<'lowerCaseName'> = kind('convert the names of extra headers to lower case, by the rules of ASCII', [
  ['as-written', 'keeps its case', (name) => name],
  ['upper-case', 'is in upper case', upperCase, { cost: 2 }],
  ['title-case', 'is in title case, as in X-Svc-Meta', (name) => lowerCase(name).replace(/(?:^|-)[a-z]/g, upperCase)],
  ['turkish', 'is in lower case by the rules of Turkish, where I becomes ı', turkish],
  ['hyphens-for-underscores', 'has hyphens instead of underscores', (name) => lowerCase(name).replaceAll('_', '-')],
  ['first-character-only', 'has only its first character in lower case', (name) => name.charAt(0).toLowerCase() + name.slice(1), { cost: 3 }],
]);

export const PRESENCE: Kind<Around<'checkPresent'>> = kind('refuse a request without Action or PublicKey, or without Type or BucketName where they are required', [
  UNCHECKED,
  ...['Action', 'PublicKey', 'Type', 'BucketName'].map((name): Change<Around<'checkPresent'>> => {
    const isOther = (required: string): boolean => required !== name;
    return [`${name.toLowerCase()}-unchecked`, `is not checked for ${name}`, (right, parameters, required, section) => right(parameters, required.filter(isOther), section)];
  }),
  ...[['Type', 'BucketName'], ['Type'], ['BucketName']].map((names): Change<Around<'checkPresent'>> => {
    return [
      `${names.join('-').toLowerCase()}-required`,
      `is also checked for ${names.join(' and ')} in each request of §4.1`,
      (right, parameters, required, section) => right(parameters, section === '§4.1' ? [...required, ...names] : required, section),
      { fix: 'require Type and BucketName of CreateBucket only', cost: 2 },
    ];
  }),
]);

const withoutSlashes = (bucket: string): string => bucket.replaceAll('/', '-');
const endingAtSlash = (host: Steps['fileHostName']): Steps['fileHostName'] => {
  return (...given) => before(host(...given), '/');
};

export const BUCKET_CHECKS: Kind<Around<'checkBucket'>> = kind('refuse a bucket name that is empty or has a slash', [
  UNCHECKED,
  ['slash-unchecked', 'is accepted with a slash', (right, bucket) => right(withoutSlashes(bucket))],
  ['slash-ends-host', 'is accepted with a slash, which ends the host of the URL', (right, bucket) => right(withoutSlashes(bucket)), { also: { fileHostName: endingAtSlash } }],
  ['empty-unchecked', 'is accepted if it is empty', (right, bucket) => right(bucket || 'b')],
]);

const refuseNames =
  (isRefused: (name: string) => boolean): Around<'checkHeaderName'> =>
  (right, name) => {
    right(name);
    if (isRefused(name)) refuse('header-name', 'a header name has a character that is not allowed');
  };

export const NAME_CHECKS: Kind<Around<'checkHeaderName'>> = kind('refuse a header name that is not a token (RFC 9110, section 5.6.2), without the spaces and tabs around it', [
  UNCHECKED,
  ['blanks-refused', 'is refused if it has spaces or tabs before the colon', refuseNames((name) => name !== name.trim()), { fix: 'remove spaces and tabs before the colon, then check {noun}' }],
  [
    'few-characters',
    'is refused if it has characters other than letters, digits, hyphens, and spaces and tabs at its end',
    refuseNames((name) => /[^A-Za-z0-9-]/.test(name.trim())),
    { fix: 'accept every token (RFC 9110, section 5.6.2) as {noun}' },
  ],
  [
    'letters-only',
    'is refused if it has characters other than letters, digits and hyphens',
    refuseNames((name) => /[^A-Za-z0-9-]/.test(name)),
    { fix: 'remove spaces and tabs before the colon, and accept every token (RFC 9110, section 5.6.2) as {noun}' },
  ],
]);

const refuseFolds: Around<'checkHeaderValue'> = (right, name, value) => {
  right(name, value);
  if (value.includes('\n')) refuse('header-value', 'a header value has a line break');
};

export const VALUE_CHECKS: Kind<Around<'checkHeaderValue'>> = kind('refuse a header value with a line feed or carriage return outside a fold, or with a NUL', [
  ['unchecked', 'is not checked', () => undefined],
  ['crlf-only', 'is checked only for CRLF', (right, name, value) => right(name, value.includes('\r\n') ? value : '')],
  ['folds-refused', 'is refused if it is folded', refuseFolds, { fix: 'accept a line break that is followed by a space or tab, and unfold it' }],
]);

const startsWithX = ([name]: Pair): boolean => starts(name, 'X-');

export const HEADER_CHECKS: Kind<Around<'checkHeaders'>> = kind('check every header of the request, not only the extra headers', [
  ['unchecked', 'is not checked', () => undefined, { fix: 'refuse a header whose name or value HTTP cannot carry' }],
  ['extra-only', 'is checked only for names that start with X-', (right, headers, context) => right(headers.filter(startsWithX), context)],
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

/** Header names have no blanks around them when they are sorted. */
const sortedByTrimmedName = (headers: HeaderList): HeaderList => headers.toSorted(([a], [b]) => compareBytes(a.trim(), b.trim()));

/** Headers in the order of their names as sent, but all values of one name together, in the order of the request. */
function groupedAsWritten(headers: HeaderList): HeaderList {
  const names = new Set(sortedByTrimmedName(headers).map(([name]) => lowerCase(name.trim())));
  return [...names].flatMap((name) => headers.filter(([own]) => lowerCase(own.trim()) === name));
}

export const HEADER_ROUTES: Kind<Around<'extraHeaders'>> = kind('convert the names to lower case first, then sort and merge', [
  ['sorted-as-written', 'has its headers sorted by their names in the case in which they are sent', (right, headers, context) => right(sortedByTrimmedName(headers), context), { cost: 2 }],
]);

const withoutBlanks = (text: string): string => text.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, '');

export const VALUE_JOINS: Kind<Around<'joinValues'>> = kind(
  'join all values of one header with "," and no space between them',
  ['', ', ', ';', ' '].map(
    (separator): Change<Around<'joinValues'>> => [
      `later-${separatorId(separator)}`,
      `has ${separator === '' ? 'nothing' : JSON.stringify(separator)} instead of "," before the third value and later ones`,
      (right, values) => [right(values.slice(0, 2)), ...values.slice(2)].join(separator),
      { cost: 2 },
    ],
  ),
);

export const VALUE_LISTS: Kind<(values: readonly string[]) => readonly string[]> = kind('join all values of one name with a comma, unchanged and in the order in which they are sent', [
  ['sorted', 'is sorted', (values) => values.toSorted(compareBytes)],
  ['without-duplicates', 'lacks repeated values', (values) => [...new Set(values)]],
  ['without-empty', 'lacks empty values', (values) => values.filter((value) => value !== '')],
  [
    'without-empty-at-start',
    'lacks the empty values at its start',
    (values) =>
      values.slice(
        Math.max(
          0,
          values.findIndex((value) => value !== ''),
        ),
      ),
    { fix: 'write a comma after an empty value, too' },
  ],
  ['split-at-commas', 'is split at the commas inside values, and trimmed', (values) => values.flatMap((value) => value.split(',').map(withoutBlanks))],
]);

export const MERGES: Kind<Around<'mergedHeaders'>> = kind('merge all headers of one name into one entry, with all values in order', [
  [
    'repeated-refused',
    'is refused if two of its headers have the same name',
    (right, headers, context) => (new Set(headers.map(([name]) => lowerCase(name))).size < headers.length ? refuse('header-repeated', 'an extra header is repeated') : right(headers, context)),
    { fix: 'merge all headers of one name into one entry' },
  ],
  ['unmerged', 'has one entry for each header of the same name', (_, headers) => headers],
  [
    'pairs-only',
    'has the third and later headers of a name apart from the first two',
    (right, headers, context) => {
      const seen = new Map<string, number>();
      const isLater = ([name]: Pair): boolean => {
        const count = (seen.get(name) ?? 0) + 1;
        seen.set(name, count);
        return count > 2;
      };
      const later = new Set(headers.filter(isLater));
      return [
        ...right(
          headers.filter((header) => !later.has(header)),
          context,
        ),
        ...later,
      ];
    },
  ],
  ['neighbours-only', 'has only adjacent headers merged', (right, headers, context) => runs(headers).flatMap((run) => right(run, context))],
  ['first-line-only', 'has only the first header of each name', (_, headers) => firstOfName(headers)],
  ['last-line-only', 'has only the last header of each name', (_, headers) => lastOfName(headers)],
  ['last-in-place-of-first', 'has the last value of each name at the first position of the name', (_, headers) => lastInPlaceOfFirst(headers)],
]);

const mergedBySpelling: Around<'canonicalHeaders'> = (_, headers, context) => {
  const { steps } = context;
  const entries = steps.mergedHeaders(steps.extraHeaders(headers, overriding(context, { lowerCaseName: (name) => name })), context);
  const sorted = entries.map(([name, value]): Pair => [steps.lowerCaseName(name), value]).sort(([a], [b]) => steps.compareHeaderNames(a, b));
  return steps.joinHeaderEntries(sorted.map(([name, value]) => steps.headerEntry(name, value, context)));
};
const mergedAsNeighbours: Around<'canonicalHeaders'> = (right, headers, context) => {
  const entries = runs(headers).map((run) => right(run, context));
  return entries.sort((a, b) => compareBytes(before(a, ':'), before(b, ':'))).join('');
};
/** Runs a step on the merged values of a name instead of on each value. */
const afterMerging = (step: 'trimValue' | 'unfold'): Around<'canonicalHeaders'> => {
  return (right, headers, context) => {
    const { steps } = context;
    return right(headers, overriding(context, { [step]: (value: string) => value, joinValues: (values) => steps[step](steps.joinValues(values)) }));
  };
};

const trimmedFirst: Around<'canonicalHeaders'> = (right, headers, context) => {
  const { steps } = context;
  return right(headers, overriding(context, { unfold: (value) => steps.unfold(steps.trimValue(value)), trimValue: (value) => value }));
};

const withoutEmptyEntries: Around<'canonicalHeaders'> = (right, headers, context) => {
  const { steps } = context;
  return right(headers, overriding(context, { headerEntry: (name, value, inner) => (value === '' ? '' : steps.headerEntry(name, value, inner)) }));
};
const RESOURCE_NEXT = 'write the resource directly after the line feed of the last extra header, or of the Date line';
const endedUnlessEmpty = (text: string): string => text && `${text}\n`;

export const CANONICAL: Kind<Around<'canonicalHeaders'>> = kind('convert the names to lower case, then sort and merge', [
  ['merged-by-spelling', 'has headers merged only if their names are in the same case', mergedBySpelling],
  [
    'sorted-as-written',
    'has its headers sorted by their names in the case in which they are sent',
    (right, headers, context) => right(sortedByTrimmedName(headers), overriding(context, { sortedHeaders: (list) => list })),
  ],
  [
    'grouped-as-written',
    'is sorted by its names in the case in which they are sent, with the values of one name in order',
    (right, headers, context) => right(groupedAsWritten(headers), overriding(context, { sortedHeaders: (list) => list })),
    { cost: 2, fix: 'convert the names to lower case, then sort them' },
  ],
  ['without-empty', 'lacks headers whose value is empty', withoutEmptyEntries, { fix: 'sign a header with an empty value as its name and a colon' }],
  ['trimmed-after-merging', 'has values trimmed only after they are merged', afterMerging('trimValue'), { fix: 'trim each value, then merge' }],
  ['unfolded-after-merging', 'has values unfolded only after they are merged', afterMerging('unfold'), { cost: 2, fix: 'unfold each value, then merge' }],
  ['merged-as-neighbours', 'has headers of one name merged only if they are adjacent', mergedAsNeighbours, { cost: 2, fix: 'merge all headers of one name, adjacent or not' }],
  ['trimmed-before-unfolding', 'has values trimmed before they are unfolded', trimmedFirst, { fix: 'unfold each value, then trim it' }],
  ['line-for-none', 'is a line feed if the request has no extra headers', (right, headers, context) => right(headers, context) || '\n', { fix: 'write nothing for the extra headers if the request has none' }],
  ['then-line-feed', 'is followed by an additional line feed', (right, headers, context) => `${right(headers, context)}\n`, { fix: RESOURCE_NEXT }],
  ['then-line-feed-unless-none', 'is followed by an additional line feed if it is not empty', (right, headers, context) => endedUnlessEmpty(right(headers, context)), { fix: RESOURCE_NEXT }],
  ['without-last-line-feed', 'lacks its last line feed', (right, headers, context) => right(headers, context).replace(/\n$/, ''), { fix: 'end every extra header with a line feed, including the last one' }],
]);

// --- §5.2: the resource, the signed text and the signature

function cleaned(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments.join('/');
}
const decodedWhereValid = (text: string): string => text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) => urlDecode(escapes) ?? escapes);
const bySegment = (path: string, encode: (segment: string) => string): string => changedParts(path, '/', encode);

const ANY_KEY = 'accept every key: it is a name, and no file path';
const refusedLike =
  (pattern: RegExp) =>
  (key: string): string =>
    pattern.test(key) ? refuse('text', 'the key is refused') : key;

export const CLEANED_KEYS: Kind<(key: string) => string> = kind('use the key unchanged; it is not a file path and has no escapes', [
  ['cleaned', 'loses its empty and dot segments', cleaned],
  ['decoded-where-valid', 'is percent-decoded if its escapes are UTF-8', decodedWhereValid],
  ['parent-segments-refused', 'is refused if one of its segments is ".."', refusedLike(/(?:^|\/)\.\.(?:\/|$)/), { fix: ANY_KEY }],
  ['dot-segments-refused', 'is refused if one of its segments is "." or ".."', refusedLike(/(?:^|\/)\.\.?(?:\/|$)/), { fix: ANY_KEY, cost: 2 }],
]);

/** Joined and normalized as by `path.posix.join` of Node: a slash at the end stays, an empty last part has none. */
function joinedByNode(bucket: string, key: string): readonly Piece[] {
  const path = cleaned(`${bucket}/${key}`);
  const hasLastSlash = path !== '' && (key === '' ? bucket : key).endsWith('/');
  return [['the path', `/${path}${hasLastSlash ? '/' : ''}`]];
}

export const BARE_BUCKETS: Kind<Around<'resourcePieces'>> = kind('write a slash, the bucket, a slash and the whole key', [
  ['bucket-alone', 'lacks its second slash if the key is empty', (right, bucket, key) => right(bucket, key).filter(([name]) => key !== '' || name !== 'the second slash')],
  ['joined-as-paths', 'is only the key if the key starts with a slash, as by os.path.join of Python', (right, bucket, key) => (key.startsWith('/') ? [['the key', key]] : right(bucket, key))],
  ['joined-by-node', 'is joined as by path.posix.join of Node, without "//", "." and "..", and without a slash for an empty key', (_, bucket, key) => joinedByNode(bucket, key)],
  ['bucket-in-key-once', 'has the bucket only once if the key starts with it', (right, bucket, key) => right(bucket, key.startsWith(`${bucket}/`) ? key.slice(bucket.length + 1) : key), { cost: 2 }],
]);

export const KEY_ENCODERS: Kind<(key: string) => string> = kind('sign the key before you encode it for the URL', [
  ...inside(
    { ...ENCODERS, changes: ENCODERS.changes.slice(0, 40) },
    'segments',
    (clause) => `${clause}, segment by segment`,
    (encode) => (key: string) => bySegment(key, encode),
  ),
  ['segments', 'is percent-encoded, segment by segment', (key) => bySegment(key, urlEncode)],
  ['encoded', 'is percent-encoded with its slashes', urlEncode],
]);

const withLine = (at: string, text: string): Around<'signedPieces'> => {
  return (right, parts) => right(parts).flatMap((piece): Piece[] => (piece[0] === at ? [['', `${text}\n`], piece] : [piece]));
};

/** The verb and the positional lines, each with its line feed. */
const POSITIONAL_PIECES = 8;

export const FURTHER_LINES: Kind<Around<'signedPieces'>> = kind('sign the verb, Content-MD5, Content-Type and Date on a line each, and no other line before the extra headers', [
  ...['HTTP/1.1', 'https', 'http', '/', 'SVC', 'AWS4-HMAC-SHA256', 'UNSIGNED-PAYLOAD', 'host'].flatMap((text): Change<Around<'signedPieces'>>[] => [
    [`starts-with-${slugOf(text)}`, `starts with a line "${text}"`, withLine('the verb', text), { cost: 2 }],
    [`has-line-${slugOf(text)}`, `has a line "${text}" before the resource`, withLine('the resource', text), { cost: 3 }],
  ]),
  [
    'end-trimmed',
    'lacks the empty lines before the extra headers',
    (right, parts) => {
      const lines = [parts.verb, parts.contentMd5, parts.contentType, parts.date].join('\n').replace(/(?<!\n)\n+$/, '');
      return [['the lines', `${lines}\n`], ...right(parts).slice(POSITIONAL_PIECES)];
    },
    { fix: 'write the lines of Content-MD5, Content-Type and Date even if they are empty', cost: 2 },
  ],
  ['date-and-type-exchanged', 'has the lines of Content-Type and Date swapped', (right, parts) => right({ ...parts, contentType: parts.date, date: parts.contentType })],
]);

const OTHER_SCHEMES = 'Svc UCloud AWS OSS Bearer Basic AWS4-HMAC-SHA256 HMAC-SHA1 Signature COS OBS SharedKey US3 UFile'.split(' ');

export const SCHEMES: Instead<'sentScheme'> = kind(
  'write the scheme Svc (UCloud in the dialect ucloud)',
  OTHER_SCHEMES.map((scheme) => [`is-${scheme.toLowerCase()}`, `is ${scheme}`, () => scheme, { cost: 2 }]),
);

const POLICY_LAST = 'write a colon and the callback policy after the signature';

export const AUTHORIZATIONS: Instead<'authorizationValue'> = kind('write the scheme, one space, the public key, a colon and the signature', [
  ['as-basic', 'has the Base64 of public key and signature, as in Basic authentication', (scheme, key, signature, policy) => `${scheme} ${base64(utf8Bytes(`${key}:${signature}`))}${unlessEmpty(':', policy)}`],
  ['by-names', 'names its parts, as AWS Signature Version 4 does', (scheme, key, signature, policy) => `${scheme} Credential=${key}, SignedHeaders=host, Signature=${signature}${unlessEmpty(':', policy)}`],
  ['by-short-names', 'names its parts Credential and Signature', (scheme, key, signature) => `${scheme} Credential=${key}, Signature=${signature}`, { cost: 2 }],
  ['as-parameters', 'names its parts publicKey and signature, in quotes', (scheme, key, signature) => `${scheme} publicKey="${key}",signature="${signature}"`, { cost: 2 }],
  ['policy-not-sent', 'lacks the callback policy', (scheme, key, signature) => `${scheme} ${key}:${signature}`, { fix: POLICY_LAST }],
  ['policy-comma', 'has a comma before the callback policy', (scheme, key, signature, policy) => `${scheme} ${key}:${signature}${unlessEmpty(',', policy)}`, { cost: 2, fix: POLICY_LAST }],
  ['policy-space', 'has a space before the callback policy', (scheme, key, signature, policy) => `${scheme} ${key}:${signature}${unlessEmpty(' ', policy)}`, { cost: 2, fix: POLICY_LAST }],
  ['public-key-missing', 'is the scheme and the signature, without the public key', (scheme, _, signature) => `${scheme} ${signature}`],
  ['signature-only', 'is only the signature', (_scheme, _, signature) => signature],
  ['header-line', 'starts with the name of the header, Authorization:', (scheme, key, signature, policy) => `Authorization: ${scheme} ${key}:${signature}${unlessEmpty(':', policy)}`],
  ['scheme-twice', 'has its scheme twice', (scheme, key, signature, policy) => `${scheme} ${scheme} ${key}:${signature}${unlessEmpty(':', policy)}`],
]);

// --- §4.3 and observed: forms, policies, instant uploads

const constants = (texts: readonly string[]): Change<() => string>[] => texts.map((text) => [text.toLowerCase() || 'empty', text === '' ? 'is empty' : `is ${text}`, () => text]);

export const FORM_METHODS: Instead<'formMethod'> = kind('sign the verb POST for a form upload', constants(['PUT', 'GET', 'FORM', '']));
export const INSTANT_METHODS: Instead<'instantUploadMethod'> = kind('sign the verb POST for an instant upload', constants(['PUT', 'GET', 'HEAD']));

const fieldOf = (fields: readonly Pair[], name: string): string | undefined => fields.find(([own]) => own === name)?.[1];

export const FORM_FIELDS: Instead<'formField'> = kind('take the form fields named exactly Content-Type and Content-MD5', [
  ['any-case', 'is found without regard to the case of the name', (fields, name, context) => context.steps.positionalValue(fields, name, context)],
  ['any-case-first', 'is that of the first field with this name in any case', headerOf],
  ['any-case-last', 'is that of the last field with this name in any case', (fields, name) => headerOf(fields.toReversed(), name)],
  ...['Content-Type', 'Content-MD5'].map(
    (only): Change<Steps['formField']> => [
      `${only.toLowerCase()}-any-case`,
      `is found without regard to the case of the name, if it is ${only}`,
      (fields, name, context) => context.steps.positionalValue(name === only ? fields : fields.filter(([own]) => own === name), name, context),
    ],
  ),
  ['lower-case', 'is found only under a name in lower case', (fields, name) => fieldOf(fields, lowerCase(name)) ?? ''],
  ['empty', 'is empty', () => ''],
  ['last', 'is that of the last field with this name', (fields, name) => fieldOf(fields.toReversed(), name)?.trim() ?? ''],
  ['first', 'is that of the first field with this name', (fields, name) => fieldOf(fields, name)?.trim() ?? ''],
]);

interface FormParts {
  readonly fields: readonly Pair[];
  /** The correct lines. */
  readonly values: PositionalValues;
  readonly header: (name: PositionalName) => string;
  readonly field: (name: PositionalName) => string;
  /** The field if there is one, in any case of its name; otherwise the header. */
  readonly either: (name: PositionalName) => string;
}
const ofForm = (change: (form: FormParts) => Lines): Around<'formPositionalValues'> =>
  lines(({ headers, fields }, values, context) => {
    const { steps } = context;
    const header = (name: PositionalName): string => steps.positionalValue(headers, name, context);
    const either = (name: PositionalName): string => steps.positionalValue(hasLine(fields, name) ? fields : headers, name, context);
    return change({ fields, values, header, field: (name) => steps.formField(fields, name, context), either });
  });
const hasLine = (fields: readonly Pair[], name: string): boolean => fields.some(([own]) => lowerCase(own) === lowerCase(name));

/** Guesses the media type of a form without the field Content-Type. */
const withTypeOf = (typeOfKey: (key: string) => string): Around<'formPositionalValues'> =>
  lines(({ fields, key }) => (fieldOf(fields, 'Content-Type') === undefined ? { contentType: typeOfKey(key) } : {}));

export const FORM_LINES: Kind<Around<'formPositionalValues'>> = kind('take Content-Type from the form, Date from the headers, and Content-MD5 from the headers or else the form', [
  ['type-of-header', 'has the Content-Type header instead of the field', ofForm(({ header }) => ({ contentType: header('Content-Type') }))],
  [
    'type-of-header-without-field',
    'has the Content-Type header if the form has no such field',
    ofForm(({ fields, header }) => (fieldOf(fields, 'Content-Type') === undefined ? { contentType: header('Content-Type') } : {})),
  ],
  [
    'type-of-header-unless-multipart',
    'has the Content-Type header if the form has no such field, unless that header has a multipart type',
    ofForm(({ fields, header }) => (fieldOf(fields, 'Content-Type') === undefined && !/^multipart\//i.test(header('Content-Type')) ? { contentType: header('Content-Type') } : {})),
    { cost: 2 },
  ],
  ['type-of-header-for-empty-field', 'has the Content-Type header if the field is absent or empty', ofForm(({ values, header }) => ({ contentType: values.contentType || header('Content-Type') }))],
  ['type-of-header-before-field', 'prefers the Content-Type header to the field', ofForm(({ values, header }) => ({ contentType: header('Content-Type') || values.contentType }))],
  ['type-by-extension', 'has the media type of the file name if the form has no field Content-Type', withTypeOf(typeOf)],
  ['type-by-extension-or-binary', 'has the media type of the file name, or application/octet-stream, if the form has no field Content-Type', withTypeOf((key) => typeOf(key) || BINARY_TYPE)],
  ['type-by-extension-for-empty', 'has the media type of the file name if the field Content-Type is absent or empty', typeWhereNone(typeOf)],
  ['type-empty', 'has an empty Content-Type line', lines(() => ({ contentType: '' }))],
  ['type-multipart', 'has multipart/form-data as Content-Type', lines(() => ({ contentType: 'multipart/form-data' }))],
  ['md5-of-field-only', 'has Content-MD5 only from the field', ofForm(({ field }) => ({ contentMd5: field('Content-MD5') }))],
  ['md5-of-header-only', 'has Content-MD5 only from the header', ofForm(({ header }) => ({ contentMd5: header('Content-MD5') }))],
  ['md5-of-field-before-header', 'prefers the Content-MD5 field to the header', ofForm(({ field, header }) => ({ contentMd5: field('Content-MD5') || header('Content-MD5') }))],
  ['md5-of-type-field', 'has the field Content-Type as Content-MD5 if that header is absent', ofForm(({ field, header }) => ({ contentMd5: header('Content-MD5') || field('Content-Type') })), { cost: 2 }],
  ['md5-empty', 'has an empty Content-MD5 line', lines(() => ({ contentMd5: '' }))],
  ['date-of-field', 'prefers a Date field to the header', ofForm(({ field, header }) => ({ date: field('Date') || header('Date') }))],
  ['date-empty', 'has an empty Date line', lines(() => ({ date: '' }))],
  ['fields-among-headers', 'prefers fields to headers for every line', ofForm(({ either }) => ({ contentMd5: either('Content-MD5'), contentType: either('Content-Type'), date: either('Date') }))],
]);

const likeExtra = (fields: readonly Pair[]): readonly Pair[] => fields.filter(isExtra);

export const FORM_HEADERS: Instead<'formHeaders'> = kind('sign the extra headers of the request; form fields are never headers', [
  ['with-fields', 'has form fields with the name of an extra header too', ({ headers, fields }) => [...headers, ...likeExtra(fields)]],
  ['of-fields', 'has form fields with the name of an extra header, and no headers', ({ fields }) => likeExtra(fields)],
  ['none', 'is empty', () => [], { cost: 2 }],
]);

const member = (name: string, value: string): string => `${quoted(name)}:${quoted(value)}`;

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

export const POLICY_TEXTS: Kind<Around<'signedPieces'>> = kind('sign the whole text of the request, with the policy after the resource', [
  ['only-policy', 'is only the callback policy if there is one', (right, parts) => (parts.policy === '' ? right(parts) : [['the policy', parts.policy]])],
]);

/** How many extra headers a table of fixed size holds. */
export const FIRST_HEADERS: Kind<(headers: HeaderList) => HeaderList> = kind(
  'sign all extra headers, however many there are',
  [8, 16].map((count): Change<(headers: HeaderList) => HeaderList> => [`first-${count}`, `has only its first ${count} headers`, (headers) => headers.slice(0, count), { cost: 2 }]),
);

export const POLICY_MEMBERS: Instead<'policyMember'> = kind('write each member as "name":"value", with only the escapes that JSON requires', [
  ['spaced', 'has a space after its colon', (name, value) => `${quoted(name)}: ${quoted(value)}`],
  ['unquoted', 'is written without quotes', (name, value) => `${name}:${value}`, { cost: 2 }],
  ['ascii', 'has \\u escapes for characters beyond ASCII', (name, value) => escapedUnits(member(name, value), /[\u0080-\uffff]/g)],
  ['printable', 'has \\u escapes for all but printable ASCII', (name, value) => escapedUnits(member(name, value), /[^ -~]/g)],
  ['unescaped', 'is in quotes but not escaped', (name, value) => `"${name}":"${value}"`],
  ['slashes-escaped', 'has slashes escaped as \\/', (name, value) => member(name, value).replaceAll('/', '\\/')],
  ['html-escaped', 'has \\u escapes for <, > and &', (name, value) => escapedUnits(member(name, value), /[<>&]/g)],
  ['encoded', 'has a percent-encoded value', (name, value) => member(name, urlEncode(value))],
  ['callback-url-encoded', 'has its value percent-encoded if it is callbackUrl', (name, value) => member(name, name === 'callbackUrl' ? urlEncode(value) : value), { cost: 2 }],
  ['callback-body-encoded', 'has its value percent-encoded if it is callbackBody', (name, value) => member(name, name === 'callbackBody' ? urlEncode(value) : value), { cost: 2 }],
  ['numbers-unquoted', 'has its value without quotes if that looks like a number', (name, value) => (/^-?(?:0|[1-9][0-9]*)(?:[.][0-9]+)?$/.test(value) ? `${quoted(name)}:${value}` : member(name, value))],
  ['name-capitalized', 'has a name that begins with a capital letter', (name, value) => member(name.replace(/^./u, upperCase), value)],
  ['name-lower-case', 'has a name in lower case', (name, value) => member(lowerCase(name), value), { cost: 2 }],
  [
    'name-underscored',
    'has a name such as callback_url',
    (name, value) =>
      member(
        name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${lowerCase(letter)}`),
        value,
      ),
    { cost: 2 },
  ],
  ['objects-embedded', 'has its value without quotes if that is a JSON object', (name, value) => (isJsonObject(value) ? `${quoted(name)}:${value}` : member(name, value))],
]);

const spaced = (pair: string): string => pair.replace('":"', '": "');

export const POLICY_JSONS: Instead<'policyJson'> = kind('write the policy as one JSON object in the order given, without spaces or line breaks', [
  ['spaced', 'has spaces after commas and colons', (members) => `{${members.map(spaced).join(', ')}}`],
  ['spaced-ascii', 'has spaces after commas and colons, and \\u escapes for all but printable ASCII', (members) => escapedUnits(`{${members.map(spaced).join(', ')}}`, /[^ -~]/g)],
  ['commas-spaced', 'has spaces after commas', (members) => `{${members.join(', ')}}`],
  ['indented', 'is indented by two spaces', (members) => (members.length === 0 ? '{}' : `{\n${members.map((pair) => `  ${spaced(pair)}`).join(',\n')}\n}`)],
  ['nothing-if-empty', 'is empty if it has no members', (members) => (members.length === 0 ? '' : `{${members.join(',')}}`)],
  ['line-ended', 'ends with a line feed', (members) => `{${members.join(',')}}\n`],
  ['sorted', 'has its members sorted', (members) => `{${members.toSorted(compareBytes).join(',')}}`],
  ['list', 'is a list', (members) => `[${members.join(',')}]`],
]);

export const INSTANT_KEYS: Instead<'instantUploadKey'> = kind('sign the bucket and the key that FileName names', [
  ['path', 'is uploadhit, the path of the request', () => 'uploadhit'],
  ['empty', 'is empty', () => ''],
  ['etag', 'is the ETag', ({ etag }) => etag, { cost: 2 }],
  ['path-and-key', 'is uploadhit/ followed by the key', ({ key }) => `uploadhit/${key}`, { cost: 2 }],
  ['with-query', 'is the path with its query', ({ etag, key, size }) => `uploadhit?Hash=${etag}&FileName=${key}&FileSize=${size}`, { cost: 2 }],
]);

const RENAMED = [
  ['FileName', 'ObjectName'],
  ['FileSize', 'ObjectSize'],
  ['FileName', 'Key'],
  ['FileSize', 'Size'],
  ['Hash', 'ETag'],
  ['Hash', 'hash'],
] as const;

/** How programs that store a size in a number write it. */
const SIZE_NUMBERS = ['int32-wrapped', 'int32-limited', 'uint32-wrapped', 'java', 'float', 'thousands-comma', 'point-zero', 'javascript'];

export const INSTANT_PAIRS: Kind<Around<'instantUploadPairs'>> = kind('send Hash with the ETag as it is, then FileName and FileSize', [
  ...RENAMED.map(([from, to]): Change<Around<'instantUploadPairs'>> => {
    const id = `${from.toLowerCase()}-as-${to.toLowerCase()}${caseOf(to)}`;
    return [id, `has ${to} instead of ${from}`, (right, upload) => right(upload).map(([name, value]) => [name === from ? to : name, value])];
  }),
  ['zero-size-left-out', 'lacks FileSize if the size is 0', (right, upload) => right(upload).filter(([name]) => name !== 'FileSize' || Number(upload.size) !== 0)],
  ['object-names', 'has ObjectName and ObjectSize instead of FileName and FileSize', (right, upload) => right(upload).map(([name, value]) => [name.replace('File', 'Object'), value])],
  ['names-lower-case', 'has its names in lower case', (right, upload) => right(upload).map(([name, value]) => [lowerCase(name), value])],
  ['hash-standard-base64', 'has Hash in standard Base64', (right, upload) => right({ ...upload, etag: standardAlphabet(upload.etag) })],
  ['hash-hexadecimal', 'has Hash in hexadecimal', (right, upload) => right({ ...upload, etag: hexOfBase64(standardAlphabet(upload.etag)) })],
  ['hash-unpadded', 'has Hash without padding', (right, upload) => right({ ...upload, etag: unpadded(upload.etag) })],
  ['sorted', 'is sorted by name', (right, upload) => sortedByName(right(upload))],
  ...NUMBERS.changes
    .filter(([id]) => SIZE_NUMBERS.includes(id))
    .map(
      ([id, clause, text]): Change<Around<'instantUploadPairs'>> => [
        `size-${id}`,
        `has a FileSize that ${clause}`,
        (right, upload) => right({ ...upload, size: text(upload.size) }),
        { fix: 'send the size with all its digits: store it in 64 bits' },
      ],
    ),
]);

export const FILE_NAMES: Kind<Around<'instantUploadTarget'>> = kind(
  'percent-encode each UTF-8 byte of FileName except A-Z a-z 0-9 - _ . ~, in upper-case hexadecimal',
  inside(
    ENCODERS,
    'file-name',
    (clause) => `has a FileName that ${clause}`,
    (encode) => (right, upload, context) => right({ ...upload, key: '' }, context).replace('FileName=', () => `FileName=${encode(upload.key)}`),
  ),
);

// --- §5.4: pre-signed URLs

export const presignedLine = (name: PositionalName): Instead<'presignedType'> =>
  kind(`leave the ${name} line of a pre-signed URL empty`, [
    ['of-header', 'is the value of that header of the request', ({ headers }) => headerOf(headers, name)],
    ['by-extension', 'is the media type of the file name', ({ key }) => typeOf(key), { cost: 2 }],
    ...(name === 'Content-Type' ? UPLOAD_TYPES : [MD5_OF_NOTHING, 'UNSIGNED-PAYLOAD']).flatMap((text): Change<Steps['presignedType']>[] => [
      [`always-${slugOf(text)}`, `is ${text}`, () => text, { cost: 2 }],
      [`of-header-or-${slugOf(text)}`, `is the value of ${name}, or ${text}`, ({ headers }) => headerOf(headers, name) || text, { cost: 2 }],
    ]),
  ]);

export const PRESIGNED_LINES: Kind<Around<'presignedPositionalValues'>> = kind('leave the lines of Content-MD5 and Content-Type empty, and sign Expires on the line of Date', [
  ['date-for-expires', 'has Date instead of Expires', lines(({ headers }) => ({ date: headerOf(headers, 'Date') }))],
  ['date-or-expires', 'has Date instead of Expires if Date is sent', lines(({ headers }, { date }) => ({ date: headerOf(headers, 'Date') || date }))],
  ['expires-empty', 'has an empty line for Expires', lines(() => ({ date: '' }))],
  ['headers-of-request', 'has the Content-MD5 and Content-Type of the request', lines(({ headers }) => ({ contentMd5: headerOf(headers, 'Content-MD5'), contentType: headerOf(headers, 'Content-Type') }))],
]);

type PresignedFile = Around<'presignedFile'>;
const ofRequest = (change: (request: FileRequest) => Partial<FileRequest>): PresignedFile => {
  return (right, request, positional, keys, context) => right({ ...request, ...change(request) }, positional, keys, context);
};
const withSteps = (change: (steps: Steps) => Partial<Steps>): PresignedFile => {
  return (right, request, positional, keys, context) => right(request, positional, keys, overriding(context, change(context.steps)));
};
const signedLines = (...between: readonly string[]): Steps['signedText'] => {
  return ({ verb, date, canonicalHeaders, canonicalResource }) => [verb, ...between, date, canonicalHeaders + canonicalResource].join('\n');
};

export const PRESIGNED_FILES: Kind<PresignedFile> = kind('keep the empty lines of Content-MD5 and Content-Type before Expires', [
  ...['GET', 'PUT', 'HEAD'].map(
    (method): Change<PresignedFile> => [`as-${method.toLowerCase()}`, `is always signed as ${method}`, ofRequest(() => ({ method })), { fix: 'sign the verb of the request that the URL is for' }],
  ),
  ['without-headers', 'is signed without extra headers', ofRequest(() => ({ headers: [] })), { fix: 'sign the extra headers that the request will have' }],
  ['without-empty-lines', 'is signed without its two empty lines', withSteps(() => ({ signedText: signedLines() }))],
  ['without-one-empty-line', 'is signed with only one empty line', withSteps(() => ({ signedText: signedLines('') }))],
  ['key-encoded', 'is signed with a percent-encoded key', ofRequest(({ key }) => ({ key: bySegment(key, urlEncode) })), { fix: 'sign the key before you encode it for the path' }],
  [
    'without-slash',
    'is signed without the first slash of its resource',
    withSteps((steps) => ({ resourceText: (text) => steps.resourceText(text).replace(/^\//, '') })),
    { cost: 2, fix: 'start the resource with a slash' },
  ],
]);

const KEY_NAMES = 'PublicKey AccessKeyId AWSAccessKeyId OSSAccessKeyId UCloudPublicKey SvcPublicKey AccessKey publicKey sign UFilePublicKey'.split(' ');
const EXPIRES_NAMES = ['Expiry', 'expires', 'Expire', 'X-Amz-Expires', 'E'];
const SIGNATURE_NAMES = ['signature', 'Sign', 'sig', 'X-Amz-Signature'];
const isKeyName = (name: string): boolean => name !== 'Expires' && name !== 'Signature';

export const PRESIGNED_NAMES: Instead<'presignedName'> = kind('name the parameters SvcPublicKey (UCloudPublicKey in the dialect ucloud), Expires and Signature', [
  ...KEY_NAMES.map((other): Change<Steps['presignedName']> => {
    return [`key-as-${other.toLowerCase()}${caseOf(other)}`, `is ${other} for the public key`, (name) => (isKeyName(name) ? other : name)];
  }),
  ...EXPIRES_NAMES.map((other): Change<Steps['presignedName']> => {
    return [`expires-as-${slugOf(other)}`, `is ${other} for Expires`, (name) => (name === 'Expires' ? other : name), { cost: 2 }];
  }),
  ...SIGNATURE_NAMES.map((other): Change<Steps['presignedName']> => {
    return [`signature-as-${slugOf(other)}-${other.length}`, `is ${other} for Signature`, (name) => (name === 'Signature' ? other : name), { cost: 2 }];
  }),
]);

const host = (write: (bucket: string, fileHost: string) => string): Steps['fileHostName'] => {
  return (bucket, fileHost, { steps }) => write(steps.hostBucket(bucket), steps.hostSuffix(fileHost));
};

export const HOSTS: Instead<'fileHostName'> = kind('write the bucket, a dot and the file host', [
  ['without-bucket', 'lacks the bucket', host((_, fileHost) => fileHost)],
  ['dotted-bucket-as-path', 'has a bucket with a dot moved to the start of the path', host((bucket, fileHost) => (bucket.includes('.') ? `${fileHost}/${bucket}` : `${bucket}.${fileHost}`))],
  ['bucket-as-path', 'has the bucket moved to the start of the path', host((bucket, fileHost) => `${fileHost}/${bucket}`)],
  ['without-dot', 'lacks the dot', host((bucket, fileHost) => bucket + fileHost)],
  ['dash', 'has a hyphen instead of the dot', host((bucket, fileHost) => `${bucket}-${fileHost}`)],
  ['bucket-last', 'has the bucket after the file host', host((bucket, fileHost) => `${fileHost}.${bucket}`), { cost: 2 }],
  ['without-port', 'lacks the port', host((bucket, fileHost) => `${bucket}.${withoutPort(fileHost)}`)],
  ['encoded', 'is percent-encoded', host((bucket, fileHost) => `${bucket}.${urlEncode(fileHost)}`)],
  ['with-www', 'starts with www.', host((bucket, fileHost) => `www.${bucket}.${fileHost}`), { cost: 2 }],
  ['cut-at-slash', 'ends at a slash of the bucket', host((bucket, fileHost) => before(`${bucket}.${fileHost}`, '/'))],
]);

const path = (write: (key: string) => string): Steps['filePath'] => {
  return (key, { steps }) => write(steps.pathKey(key));
};
/** A path in which only some characters are percent-encoded. */
const encoding = (characters: RegExp): Steps['filePath'] => path((key) => `/${key.replace(characters, (others) => urlEncode(others))}`);

/** A path that is encoded unless the key looks as if it were already. */
const unlessEncoded = (isEncoded: (key: string) => boolean): Steps['filePath'] => path((key) => `/${isEncoded(key) ? key : bySegment(key, urlEncode)}`);

export const PATHS: Instead<'filePath'> = kind('write a slash and the key, percent-encoded except for its slashes', [
  ['unencoded', 'is not percent-encoded', path((key) => `/${key}`)],
  ['slashes-encoded', 'has percent-encoded slashes', path((key) => `/${urlEncode(key)}`)],
  ['as-encode-uri', 'is encoded with encodeURI', path((key) => `/${encodeURI(key)}`)],
  ['as-escape', 'is encoded with escape of JavaScript', path((key) => `/${escape(key)}`), { cost: 2 }],
  ['without-slash', 'lacks its slash', path((key) => bySegment(key, urlEncode))],
  ['as-segments', 'keeps $ & + , : ; = @, which RFC 3986 allows in a path', encoding(/[^A-Za-z0-9\-_.~/$&+,:;=@]+/g)],
  ['as-pchar', 'keeps every character that RFC 3986 allows in a path', encoding(/[^A-Za-z0-9\-_.~/!$&'()*+,;=:@]+/g)],
  ['as-java-uri', 'is encoded with java.net.URI', encoding(/[ "<>\\^`{|}%?#[\]]+/g), { cost: 2 }],
  ['spaces-only', 'has only its spaces encoded', encoding(/ /g)],
  ['kept-if-encoded', 'is not encoded if the key has an escape such as %41', unlessEncoded((key) => /%[0-9A-Fa-f]{2}/.test(key))],
  ['kept-if-decodable', 'is not encoded if the key has escapes and all of them are valid', unlessEncoded((key) => (urlDecode(key) ?? key) !== key)],
  ['dots-resolved', 'has its dot segments resolved', path((key) => new URL(`http://host/${bySegment(key, urlEncode)}`).pathname)],
]);

export const URL_SCHEMES: Instead<'urlScheme'> = kind('use the requested scheme, http or https', [
  ['always-http', 'is always http', () => 'http'],
  ['always-https', 'is always https', () => 'https'],
]);

// --- §5, E1: verifiers

const resolvedKey = (key: string): string => bySegment(new URL(`http://h/${bySegment(key, encodeURIComponent)}`).pathname.slice(1), decodeURIComponent);
const sameAs = ([name]: Pair): ((other: Pair) => boolean) => {
  return ([other]) => lowerCase(other) === lowerCase(name);
};

type Received = Around<'verifiedRequest'>;
const changeRequest = (change: (request: FileRequest) => Partial<FileRequest>): Received => {
  return (right, request) => {
    const received = right(request);
    return { ...received, ...change(received) };
  };
};
const withHeaders = (isKept: (header: Pair, i: number, headers: HeaderList) => boolean): Received => changeRequest(({ headers }) => ({ headers: headers.filter(isKept) }));
const withoutHeader = (name: string): Received => withHeaders(([own]) => bareName(own) !== name);

export const VERIFIED_REQUESTS: Kind<Received> = kind('compute the signature from the method, bucket, key and headers as received', [
  ['method-lower-case', 'has its method in lower case', changeRequest(({ method }) => ({ method: lowerCase(method) })), { cost: 2 }],
  ['head-as-get', 'has GET instead of HEAD', changeRequest(({ method }) => (upperCase(method) === 'HEAD' ? { method: 'GET' } : {}))],
  ['always-get', 'has GET for every method', changeRequest(() => ({ method: 'GET' })), { cost: 2 }],
  ['without-headers', 'has no headers', changeRequest(() => ({ headers: [] }))],
  ['without-extra-headers', 'has no extra headers', withHeaders((header) => !isExtra(header))],
  ['key-lower-case', 'has its key in lower case', changeRequest(({ key }) => ({ key: lowerCase(key) })), { cost: 2 }],
  ['key-decoded', 'has its key percent-decoded', changeRequest(({ key }) => ({ key: urlDecode(key) ?? key }))],
  ['key-cleaned', 'has the dot segments of its key resolved', changeRequest(({ key }) => ({ key: resolvedKey(key) }))],
  [
    'other-md5-refused',
    'is refused if its Content-MD5 is not Base64 of 16 bytes',
    (right, request) => {
      const received = right(request);
      const sent = received.headers.find(([name]) => lowerCase(name) === 'content-md5')?.[1] ?? '';
      return sent === '' || /^[A-Za-z0-9+/]{22}==$/.test(sent) ? received : refuse('header-value', 'Content-MD5 is no digest');
    },
    { fix: 'sign Content-MD5 as received, and compare it with the body only after the signature' },
  ],
  ['empty-key-as-slash', 'has a slash as its key if that is empty', changeRequest(({ key }) => ({ key: key || '/' }))],
  ['key-without-query', 'has its key cut at a question mark', changeRequest(({ key }) => ({ key: before(key, '?') }))],
  [
    'parsable-date-refused',
    'is refused if its Date can be parsed, because it is too long ago',
    (right, request) => {
      const received = right(request);
      const date = headerOf(received.headers, 'date');
      return date === '' || Number.isNaN(Date.parse(date)) ? received : refuse('text', 'the date is too long ago');
    },
    { fix: 'accept any Date: the specification gives it no limit' },
  ],
  ['bucket-lower-case', 'has its bucket in lower case', changeRequest(({ bucket }) => ({ bucket: lowerCase(bucket) }))],
  ['without-date', 'has no Date', withoutHeader('date')],
  ['without-md5', 'has no Content-MD5', withoutHeader('content-md5')],
  ['without-type', 'has no Content-Type', withoutHeader('content-type')],
  ['last-of-repeated', 'has only the last of repeated headers', withHeaders((header, i, headers) => headers.findLastIndex(sameAs(header)) === i)],
  ['first-of-repeated', 'has only the first of repeated headers', withHeaders((header, i, headers) => headers.findIndex(sameAs(header)) === i)],
]);

export const AUTHORIZATION_LISTS: Kind<(values: readonly string[]) => readonly string[]> = kind('refuse a request with two Authorization headers', [
  ['joined', 'is joined with commas', (values) => [values.join(',')].filter((value) => value !== '')],
]);

/** A verifier's look-up of the header Authorization. */
export const AUTHORIZATION_NAMES: Instead<'isAuthorization'> = kind('look up the header Authorization without regard to case', [
  ['as-spelled', 'is found only in its documented case', (name) => name === 'Authorization'],
  ['lower-case-only', 'is found only in lower case', (name) => name === 'authorization'],
  ['proxy', 'may also be named Proxy-Authorization', (name) => /^(?:proxy-)?authorization$/i.test(name)],
]);

export const OTHER_PARAMETERS: Instead<'ignoresParameter'> = kind('ignore the parameters of a pre-signed URL that are not signed', [
  ['refused', 'is refused', () => false],
  ['refused-with-prefix', 'is refused if its name starts with the prefix of the dialect, in any case', (name) => !/^(?:x-)?(?:svc|ucloud)/i.test(name), { cost: 3 }],
]);

/** Makes the comparison of signatures accept an empty one. */
const ACCEPT_EMPTY_SIGNATURE = { also: { sameText: (right) => (expected, received) => received === '' || right(expected, received) } } satisfies { also: Wraps };

export const HAS_SIGNATURE: Instead<'hasSignature'> = kind('refuse a request whose signature is missing or empty', [
  ...(
    [
      ['absent-accepted', 'is accepted if the signature is absent', (signature) => signature === undefined || (typeof signature === 'string' && signature !== '')],
      ['absent-or-empty-accepted', 'is accepted if the signature is absent or empty', (signature) => signature === undefined || typeof signature === 'string'],
    ] as const satisfies readonly (readonly [string, string, (signature: ParameterValue | undefined) => boolean])[]
  ).map(([id, said, hasSignature]): Change<Steps['hasSignature']> => {
    return [id, said, hasSignature, ACCEPT_EMPTY_SIGNATURE];
  }),
  ['accepted', 'is accepted', () => true, ACCEPT_EMPTY_SIGNATURE],
]);

export const UNKNOWN_ACCOUNTS: Instead<'unknownAccount'> = kind('refuse a public key that belongs to no account', [
  ['empty-private-key', 'has an empty private key, the default of a map', (publicKey) => ({ publicKey, privateKey: '' })],
]);

export const HAS_SCHEME: Instead<'hasScheme'> = kind('accept only the documented scheme, in its documented case and with one space after it', [
  ['any-case', 'is accepted in any case', (value, scheme) => starts(value, `${scheme} `)],
  ['any', 'is not compared', () => true],
  ['without-space', 'is accepted without its space', (value, scheme) => value.startsWith(scheme)],
  ['any-blank', 'is accepted with any whitespace after it', (value, scheme) => value.startsWith(scheme) && /^\s/.test(value.slice(scheme.length))],
]);

type Parsed = ReturnType<Steps['credentials']>;

const atLastColon = (parsed: Parsed): Parsed => (parsed?.policy ? { publicKey: `${parsed.publicKey}:${parsed.signature}`, signature: parsed.policy, policy: '' } : parsed);
function atFirstColon(text: string): Parsed {
  const at = text.indexOf(':');
  return at < 0 ? undefined : { publicKey: text.slice(0, at), signature: text.slice(at + 1), policy: '' };
}
function withEmptyParts(text: string): Parsed {
  const [publicKey = '', signature = '', policy = ''] = text.split(':');
  return { publicKey, signature, policy };
}
function withWholePolicy(text: string): Parsed {
  const [publicKey = '', signature = '', ...policy] = text.split(':');
  return publicKey && signature ? { publicKey, signature, policy: policy.join(':') } : undefined;
}

const onlyIf = (parsed: Parsed, isAccepted: (parsed: NonNullable<Parsed>) => boolean): Parsed => (parsed && isAccepted(parsed) ? parsed : undefined);
const withKeysLike = (pattern: RegExp): Around<'credentials'> => {
  return (right, text) => onlyIf(right(text), ({ publicKey }) => pattern.test(publicKey));
};

export const CREDENTIALS: Kind<Around<'credentials'>> = kind('split the credentials at each colon, keep the parts unchanged, and refuse empty parts or more than three', [
  ['few-characters', 'is accepted only with letters, digits and "_@.-" in the public key', withKeysLike(/^[\w@.-]+$/)],
  ['word-characters', 'is accepted only with letters, digits and "_" in the public key', withKeysLike(/^\w+$/), { cost: 2 }],
  ['few-signature-characters', 'is accepted only with letters, digits, "-", "_" and "=" in the signature', (right, text) => onlyIf(right(text), ({ signature }) => /^[\w=-]+$/.test(signature)), { cost: 2 }],
  ['last-colon', 'is split at the last colon', (right, text) => atLastColon(right(text))],
  ['first-two', 'is cut after its second part', (right, text) => right(text.split(':').slice(0, 2).join(':'))],
  ['first-colon', 'is split only at the first colon', (_, text) => atFirstColon(text)],
  ['empty-parts', 'is accepted with empty parts', (_, text) => withEmptyParts(text)],
  [
    'empty-signature',
    'is accepted with an empty signature',
    (right, text) => (/^[^:]+:$/.test(text) ? withEmptyParts(text) : right(text)),
    ACCEPT_EMPTY_SIGNATURE,
  ],
  ['trimmed-parts', 'has its parts trimmed', (right, text) => right(changedParts(text, ':', (part) => part.trim()))],
  ['blanks-removed', 'has its spaces and tabs removed', (right, text) => right(text.replace(/[ \t]+/g, ''))],
  ['policy-empty', 'is accepted with an empty callback policy, as if it had none', (right, text) => right(text.replace(/^([^:]*:[^:]*):$/, '$1'))],
  ['policy-whole', 'is accepted with colons in the callback policy', (_, text) => withWholePolicy(text)],
  ['word-cut', 'is cut at its first space or tab', (right, text) => right(text.split(/[ \t]/, 1).join())],
]);

const rereading = (read: (value: string, scheme: string) => string): Around<'parsedAuthorization'> => {
  return (right, value, scheme, context) => right(read(value, scheme), scheme, context);
};
const wordOf = (value: string, at: number): string | undefined => value.split(' ')[at];

export const PARSED: Kind<Around<'parsedAuthorization'>> = kind('accept only the scheme, one space and the credentials', [
  ['glued', 'is accepted with any whitespace, or none, after the scheme', rereading((value, scheme) => (value.startsWith(scheme) ? `${scheme} ${value.slice(scheme.length).trimStart()}` : value))],
  ['scheme-optional', 'is accepted without its scheme', rereading((value, scheme) => (value.startsWith(`${scheme} `) ? value : `${scheme} ${value}`))],
  ['longer-scheme', 'is accepted with any word that starts with the scheme', rereading((value, scheme) => (value.startsWith(scheme) ? value.replace(/^[^ ]+/, () => scheme) : value))],
  ['blanks', 'is accepted with several spaces and tabs after the scheme', rereading((value) => value.replace(/[ \t]+/, ' '))],
  ['last-word', 'is read from its last word', rereading((value, scheme) => `${scheme} ${value.slice(value.lastIndexOf(' ') + 1)}`)],
  ['second-word', 'is read from its second word', rereading((value, scheme) => `${scheme} ${wordOf(value, 1) ?? ''}`)],
  ['second-word-at-blanks', 'is read from its second word, after any whitespace', rereading((value, scheme) => `${scheme} ${value.split(/\s+/)[1] ?? ''}`)],
  ['scheme-and-word', 'is read from the word after the scheme', rereading((value, scheme) => `${wordOf(value, 0) ?? scheme} ${wordOf(value, 1) ?? ''}`)],
  ['any-scheme', 'is accepted with any word as its scheme', rereading((value, scheme) => value.replace(/^[^ ]*(?= )/, scheme))],
  ['anywhere', 'is found anywhere in the header', rereading((value, scheme) => value.slice(Math.max(0, value.indexOf(`${scheme} `))))],
  ['tabs', 'is accepted with a tab after the scheme', rereading((value, scheme) => (value.startsWith(`${scheme}\t`) ? `${scheme} ${value.slice(scheme.length + 1)}` : value))],
  ['quotes', 'is accepted in quotes', rereading((value) => value.replaceAll('"', ''))],
  ['percent-decoded', 'is percent-decoded first', rereading((value) => urlDecode(value) ?? value)],
  ['comma-ends', 'ends at a comma', rereading((value) => before(value, ','))],
]);

const POLICY_METHODS = ['PUT', 'POST'];
const REFUSED_ELSEWHERE = 'refuse a callback policy with methods other than PUT and POST';

export const RECEIVED_POLICIES: Instead<'receivedPolicy'> = kind('read the callback policy as it is sent, and check it', [
  ['ignored', 'is ignored', () => ''],
  ['ignored-with-other-methods', 'is ignored with methods other than PUT and POST', (policy, method) => (POLICY_METHODS.includes(upperCase(method)) ? policy : ''), { fix: REFUSED_ELSEWHERE }],
  ['ignored-with-get', 'is ignored with GET and HEAD', (policy, method) => (['GET', 'HEAD'].includes(upperCase(method)) ? '' : policy), { fix: REFUSED_ELSEWHERE }],
  ['decoded', 'is percent-decoded', (policy) => urlDecode(policy) ?? policy],
]);

export const TAKES_POLICY: Instead<'takesPolicy'> = kind('accept a callback policy with PUT and POST, and with no other method', [
  ['of-any-method', 'is accepted with any method', () => true],
  ['of-no-method', 'is never accepted', () => false],
  ['of-upper-case-only', 'is accepted only with PUT and POST in upper case', (method) => POLICY_METHODS.includes(method)],
  ['of-put-only', 'is accepted only with PUT', (method) => upperCase(method) === 'PUT'],
  ['of-post-only', 'is accepted only with POST', (method) => upperCase(method) === 'POST'],
  ['of-put-and-delete', 'is accepted with every method except GET and HEAD', (method) => !['GET', 'HEAD'].includes(upperCase(method))],
  ['of-all-but-get', 'is accepted with every method except GET', (method) => upperCase(method) !== 'GET'],
  ['of-methods-with-body', 'is accepted with PATCH too', (method) => [...POLICY_METHODS, 'PATCH'].includes(upperCase(method))],
]);

const policyText = (encoded: string): string | undefined => binaryOf(standardAlphabet(encoded));

export const IS_POLICY: Kind<Around<'isPolicy'>> = kind('accept a callback policy only if it is Base64, in either alphabet, of a JSON object', [
  ['any-text', 'is accepted with any content', () => true],
  ['none', 'is never accepted', () => false],
  ['any-base64', 'is accepted as Base64 of anything', (_, text) => policyText(text) !== undefined],
  ['any-json', 'is accepted as Base64 of any JSON', (_, text) => jsonText(policyText(text) ?? '') !== undefined],
  ['braced', 'is accepted as Base64 of anything between braces', (_, text) => /^\{.*\}$/s.test(policyText(text) ?? '')],
  ['opened', 'is accepted as Base64 of anything that starts with a brace', (_, text) => policyText(text)?.startsWith('{') ?? false],
  ['with-callback-url-only', 'is accepted only if it has a member callbackUrl', (right, text) => right(text) && /"callbackUrl"/.test(policyText(text) ?? '')],
  ['short-only', 'is accepted only up to 255 characters', (right, text) => text.length <= 255 && right(text)],
  ['with-members-only', 'is accepted only if it has a member', (right, text) => right(text) && /"/.test(policyText(text) ?? '')],
  ['url-safe-only', 'is accepted only in URL-safe Base64', (right, text) => !/[+/]/.test(text) && right(text)],
  ['standard-only', 'is accepted only in standard Base64', (right, text) => !/[-_]/.test(text) && right(text)],
  ['other-characters-ignored', 'is accepted with other characters among its Base64, which are ignored', (right, text) => right(text.replace(/[^A-Za-z0-9+/_=-]/g, ''))],
  ['padded-only', 'is accepted only with padding', (right, text) => text.length % 4 === 0 && right(text), { cost: 2 }],
  ['unpadded-only', 'is accepted only without padding', (right, text) => !text.endsWith('=') && right(text), { cost: 2 }],
]);

const ESCAPE = /%([0-9A-Fa-f]{2})/g;
const RESERVED = /%(?=2[346BCF]|3[ABDF]|40)/gi;
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/g;
const latin1 = (text: string): string => text.replace(ESCAPE, (_, byte: string) => String.fromCharCode(Number.parseInt(byte, 16)));
const escaped = (text: string): string => encodeURI(text.toWellFormed().replace(BAD_ESCAPE, '%25')).replaceAll('%25', '%');
function decodedTwice(decode: Steps['decodedText'], text: string): string | undefined {
  const once = decode(text);
  return once === undefined ? undefined : (decode(once) ?? once);
}

export const PATH_KEYS: Kind<Around<'keyOfPath'>> = kind('decode the path of the URL as it is, with its semicolons', [
  ['path-parameters-lost', 'loses each semicolon with what follows it up to the next slash', (right, path) => right(path.replace(/;[^/]*/g, ''))],
]);

export const DECODERS: Kind<Around<'decodedText'>> = kind('percent-decode {noun} once, as UTF-8, keep each plus, and refuse invalid escapes', [
  ['undecoded', 'is not percent-decoded', (_, text) => text],
  ['decoded-twice', 'is percent-decoded twice', decodedTwice],
  ['doubly-escaped', 'has %25 decoded before the other escapes', (right, text) => right(text.replaceAll('%25', '%'))],
  ['plus-as-space', 'has a space instead of each plus', (right, text) => right(text.replaceAll('+', '%20'))],
  ['latin-1', 'is decoded as Latin-1', (_, text) => latin1(text)],
  ['bad-escapes-kept', 'is accepted with invalid escapes, and keeps them', (right, text) => right(text.replace(BAD_ESCAPE, '%25'))],
  ['bad-utf-8-replaced', 'is accepted with escapes that are not UTF-8, read as U+FFFD', (_, text) => fromUtf8(lowBytes(latin1(escaped(text))), false)],
  ['bad-kept-whole', 'is used undecoded if it cannot be decoded', (right, text) => right(text) ?? text],
  ['bad-empty', 'is empty if it cannot be decoded', (right, text) => right(text) ?? ''],
  ['reserved-kept', 'keeps the escapes of reserved characters', (right, text) => right(text.replace(RESERVED, '%25'))],
  ['slashes-kept', 'keeps the escapes of slashes', (right, text) => right(text.replace(/%(?=2F)/gi, '%25'))],
  ['lower-case-refused', 'is refused if an escape has lower-case digits', (right, text) => (/%(?:[a-f][0-9A-Fa-f]|[0-9A-F][a-f])/.test(text) ? undefined : right(text))],
  ['dots-resolved', 'has its dot segments resolved', (right, text) => right(new URL(`http://host/${text}`).pathname.slice(1))],
  ['slashes-merged', 'has its slashes merged', (right, text) => right(text.replace(/\/{2,}/g, '/'))],
  ['semicolon-cut', 'is cut at its first semicolon', (right, text) => right(before(text, ';')), { cost: 2 }],
  ['trailing-slash-cut', 'loses a slash at its end', (right, text) => right(text.replace(/\/$/, '')), { cost: 2 }],
]);

export const DECODED_TEXTS: Kind<(text: string | undefined) => string | undefined> = kind('use the decoded text unchanged', [
  ['lower-case', 'is converted to lower case', (text) => text?.toLowerCase()],
  ['trimmed', 'loses whitespace at both ends', (text) => text?.trim()],
  ['slash-less', 'loses slashes at its start', (text) => text?.replace(/^\/+/, '')],
  ['normalized', 'is converted to the Unicode form NFC', (text) => text?.normalize('NFC')],
  ['cut-at-nul', 'is cut at its first NUL', (text) => text?.split('\0', 1).join()],
  ['escapes-refused', 'is refused if it still has an escape such as %25', (text) => (text !== undefined && /%[0-9A-Fa-f]{2}/.test(text) ? undefined : text)],
  ['backslash-slash', 'has slashes instead of backslashes', (text) => text?.replaceAll('\\', '/')],
]);

const KNOWN = ['Action', 'PublicKey', 'Expires', 'Signature', 'SvcPublicKey', 'UCloudPublicKey'];
const knownName = (name: string): string => KNOWN.find((known) => lowerCase(known) === lowerCase(name)) ?? name;

/** Numbers the items of each list from 0, in the order of their indexes. */
function withoutGaps(pairs: readonly Pair[]): readonly Pair[] {
  const listOf = (name: string): string | undefined => /^(.+)\.\d+$/.exec(name)?.[1];
  const indexOf = (name: string): number => Number(name.slice(name.lastIndexOf('.') + 1));
  return pairs.map(([name, value]) => {
    const list = listOf(name);
    const before = pairs.filter(([other]) => list !== undefined && listOf(other) === list && indexOf(other) < indexOf(name));
    return [list === undefined ? name : `${list}.${before.length}`, value];
  });
}

export const RECEIVED_PAIRS: Kind<(pairs: readonly Pair[]) => readonly Pair[]> = kind('keep the names of parameters as received, and compare them with regard to case', [
  ['known-in-any-case', 'is accepted with known names in any case', (pairs) => pairs.map(([name, value]) => [knownName(name), value])],
  [
    'decimals-as-numbers',
    'has values that look like decimal numbers read as numbers, 1.10 as 1.1',
    (pairs) => pairs.map(([name, value]) => [name, /^-?(?:0|[1-9][0-9]*)[.][0-9]+$/.test(value) ? numberText(value) : value]),
  ],
  ['underscored-ignored', 'lacks parameters whose names begin with an underscore', (pairs) => pairs.filter(([name]) => !name.startsWith('_'))],
  ['indexes-closed', 'has the indexes of each list counted anew, without gaps', withoutGaps],
  [
    'names-alike-refused',
    'is refused if two names differ only in case',
    (pairs) => (new Set(pairs.map(([name]) => lowerCase(name))).size < pairs.length ? refuse('parameter-repeated', 'a parameter is repeated') : pairs),
  ],
  ['dots-as-underscores', 'has underscores instead of dots and spaces in names, as in PHP', (pairs) => pairs.map(([name, value]) => [name.replace(/[. ]/g, '_'), value])],
]);

const pairOf = (piece: string): Pair => [before(piece, '='), piece.split('=').slice(1).join('=')];
const rawPairs = (query: string): readonly Pair[] => {
  const pieces = query.split('&').filter((piece) => piece !== '');
  return pieces.map(pairOf);
};
const toSecondEquals = (piece: string): string => piece.split('=').slice(0, 2).join('=');
const hasEquals = (piece: string): boolean => piece.includes('=');
function splitDecoded(query: string): readonly Pair[] | undefined {
  const text = urlDecode(query);
  return text === undefined ? undefined : rawPairs(text);
}

function splitParts(query: string, steps: Steps): readonly Pair[] | undefined {
  const decoded = query
    .split('&')
    .filter((piece) => piece !== '')
    .map((piece) => steps.decodedText(piece));
  const known = decoded.filter((piece) => piece !== undefined);
  return known.length < decoded.length ? undefined : known.map(pairOf);
}
/** The first text after the name and "=" of each parameter of a pre-signed URL, wherever it is. */
function findByPattern(query: string, { steps, dialect }: Context): readonly Pair[] | undefined {
  if (!query.includes(dialect.publicKeyParameter)) return undefined;
  return [dialect.publicKeyParameter, 'Expires', 'Signature'].flatMap((name): readonly Pair[] => {
    const [, ...rest] = query.split(`${name}=`);
    if (rest.length === 0) return [];
    const value = before(rest.join(`${name}=`), '&');
    return [[name, steps.decodedText(value) ?? value]];
  });
}
/** Stands for a missing Expires. */
const ABSENT = '\0absent';
const isExpires = ([name]: Pair): boolean => name === 'Expires';

export const QUERY_READERS: Kind<Around<'decodedQuery'>> = kind('split the query at "&" and each part at its first "=", then percent-decode names and values', [
  ['undecoded', 'is not percent-decoded', (_, query) => rawPairs(query)],
  ['decoded-before-splitting', 'is percent-decoded before it is split', (_, query) => splitDecoded(query)],
  ['names-undecoded', 'has names that are not percent-decoded', (right, query, context) => right(query, context)?.map(([, value], i): Pair => [rawPairs(query)[i]?.[0] ?? '', value])],
  ['second-part-only', 'has values cut at a second "="', (right, query, context) => right(changedParts(query, '&', toSecondEquals), context)],
  ['decoded-twice', 'has names and values that are percent-decoded twice', (right, query, context) => right(query, context)?.map(([name, value]): Pair => [urlDecode(name) ?? name, urlDecode(value) ?? value])],
  ['values-decoded-twice', 'has values that are percent-decoded twice', (right, query, context) => right(query, context)?.map(([name, value]): Pair => [name, urlDecode(value) ?? value])],
  [
    'signature-to-end',
    'has all that follows Signature= as the signature',
    (right, query, context) =>
      right(
        query.replace(/((?:^|&)Signature=)(.*)/s, (_, before: string, rest: string) => before + rest.replaceAll('&', '%26').replaceAll('=', '%3D')),
        context,
      ),
  ],
  ['cut-after-signature', 'lacks what follows the parameter Signature', (right, query, context) => right(query.replace(/(&Signature=[^&]*).*/s, '$1'), context)],
  ['sorted-undecoded', 'is sorted before it is decoded', (right, query, context) => right(query.split('&').sort(compareBytes).join('&'), context), { also: { sortedParameters: () => (pairs: readonly Pair[]) => pairs } }],
  [
    'in-order-only',
    'is accepted only with the public key, Expires and Signature in this order',
    (right, query, context) => {
      const pairs = right(query, context);
      const names = [context.dialect.publicKeyParameter, 'Expires', 'Signature'];
      const found = pairs?.map(([name]) => name).filter((name) => names.includes(name)) ?? [];
      return found.length === names.length && found.join() !== names.join() ? undefined : pairs;
    },
  ],
  ['parts-decoded-before-splitting', 'has each part percent-decoded before it is split at its first "="', (_, query, { steps }) => splitParts(query, steps)],
  [
    'found-by-pattern',
    'has the public key, Expires and Signature found by patterns that longer names fit too',
    (right, query, context) => findByPattern(query, context) ?? right(query, context),
    { fix: 'split the query into parameters, and compare whole names' },
  ],
  [
    'expires-optional',
    'is accepted without Expires, and then never expires',
    (right, query, context) => {
      const pairs = right(query, context);
      const isOfUrl = pairs?.some(([name]) => name === context.dialect.publicKeyParameter);
      return pairs && isOfUrl && !pairs.some(isExpires) ? [...pairs, ['Expires', ABSENT]] : pairs;
    },
    {
      fix: 'refuse a URL without Expires',
      also: {
        expirySeconds: (right) => (text) => (text === ABSENT ? Number.MAX_SAFE_INTEGER : right(text)),
        signedExpires: (right) => (expires) => (expires === ABSENT ? '' : right(expires)),
      },
    },
  ],
  ['valueless-dropped', 'lacks parts without "="', (right, query, context) => right(query.split('&').filter(hasEquals).join('&'), context)],
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
const withoutTrailingCommas = (text: string): string => text.replace(/,(?=\s*[}\]])/g, '');

const repairJson = (repair: (text: string) => string): Around<'jsonText'> => {
  return (right, text) => right(repair(text));
};
const convertJson = (change: (value: ParameterValue) => ParameterValue): Around<'jsonText'> => {
  return (right, text) => {
    const value = right(text);
    return value === undefined ? undefined : changeDeeply(value, change);
  };
};
const withoutNulls = (value: ParameterValue | undefined): ParameterValue | undefined =>
  value !== undefined && isNested(value) && 'object' in value ? { object: value.object.filter(([, member]) => member !== null) } : value;

const ISO_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)(?:[.]\d+)?(?:Z|[+-]\d\d:\d\d)?$/;

const quotedNames = (text: string): string => text.replace(/([{,]\s*)([A-Za-z_]\w*)(?=\s*:)/g, '$1"$2"');

export const JSON_READERS: Kind<Around<'jsonText'>> = kind('parse the body strictly as one JSON object (RFC 8259), and keep its values as written', [
  ['numbers-in-doubles', 'has its numbers parsed as doubles', convertJson((value) => (isNumber(value) ? { number: `${Number(value.number)}` } : value))],
  [
    'wide-numbers-in-doubles',
    'has its numbers parsed as doubles, unless they are 64-bit integers, signed or unsigned',
    convertJson((value) => (isNumber(value) && isWider(value.number) ? { number: `${Number(value.number)}` } : value)),
  ],
  ['numbers-truncated', 'has its numbers cut to integers', convertJson((value) => (isNumber(value) ? { number: `${Math.trunc(Number(value.number))}` } : value))],
  ['numbers-as-texts', 'has its numbers read as texts', convertJson((value) => (isNumber(value) ? value.number : value))],
  ['booleans-as-numbers', 'has its booleans read as 1 and 0', convertJson((value) => (typeof value === 'boolean' ? { number: value ? '1' : '0' } : value))],
  ['null-as-empty', 'has each null read as an empty text', convertJson((value) => value ?? '')],
  ['texts-trimmed', 'has its texts trimmed', convertJson((value) => (typeof value === 'string' ? value.trim() : value))],
  ['dates-parsed', 'has texts in the form of an ISO time read as dates, as by Json.NET', convertJson((value) => (typeof value === 'string' ? value.replace(ISO_TIME, '$2/$3/$1 $4') : value))],
  ['comments-and-commas', 'is accepted with comments and trailing commas', repairJson((text) => withoutTrailingCommas(withoutComments(text)))],
  ['trailing-commas', 'is accepted with trailing commas', repairJson(withoutTrailingCommas)],
  ['comments', 'is accepted with comments', repairJson(withoutComments)],
  ['single-quotes', 'is accepted with single quotes', repairJson((text) => (jsonText(text) === undefined ? text.replaceAll("'", '"') : text))],
  ['bare-names', 'is accepted with names without quotes', repairJson((text) => (jsonText(text) === undefined ? quotedNames(text) : text))],
  ['lenient', 'is accepted with names without quotes and texts in single quotes', repairJson((text) => (jsonText(text) === undefined ? quotedNames(text.replaceAll("'", '"')) : text))],
  ['leading-zeros', 'is accepted with zeros at the start of numbers', repairJson((text) => text.replace(/([:,[]\s*-?)0+(?=\d)/g, '$1'))],
  ['surrogate-escapes-replaced', 'has U+FFFD twice for an escaped pair of surrogates', repairJson((text) => text.replace(/\\u[dD][89abAB]..\\u[dD][c-fC-F]../g, '\uFFFD\uFFFD'))],
  ['mark-ignored', 'is accepted with a byte order mark', repairJson((text) => text.replace(/^\ufeff/, ''))],
  ['list-of-one', 'is accepted as a list with one object', repairJson((text) => text.replace(/^\s*\[(.*)\]\s*$/s, '$1'))],
  ['slash-escapes-kept', 'keeps the backslash of the escape \\/', repairJson((text) => text.replace(/\\(.)/gs, (pair, mark: string) => (mark === '/' ? '\\\\/' : pair)))],
  ['blanks-around-refused', 'is refused with whitespace before or after its object', (right, text) => (text === text.trim() ? right(text) : undefined)],
  ['first-value', 'is read only to the end of its first object', (right, text) => [...text.matchAll(/\}/g)].map(({ index }) => right(text.slice(0, index + 1))).find((value) => value !== undefined)],
  ...[64, 53].map((bits): Change<Around<'jsonText'>> => {
    const limit = 2n ** BigInt(bits === 64 ? 63 : 53);
    const isWide = (value: ParameterValue): boolean => isNumber(value) && /^-?\d+$/.test(value.number) && (BigInt(value.number) >= limit || BigInt(value.number) < -limit);
    const checked = convertJson((value) => (isWide(value) ? refuse('number', 'the number is too large') : value));
    return [`numbers-of-${bits}-bits`, `is refused if it has a whole number beyond ${bits} bits`, checked, { fix: 'accept numbers of any size, and keep their digits' }];
  }),
  ['null-members-dropped', 'loses members that are null', (right, text) => withoutNulls(right(text))],
]);

function onlyItem(value: ParameterValue): ParameterValue {
  const [only, ...others] = isNested(value) && isList(value) ? value.list : [];
  return only !== undefined && others.length === 0 ? only : value;
}

export const RECEIVED_MEMBERS: Kind<(members: ActionParameters) => ActionParameters> = kind('use every member of the body, with its name as received', [
  ['names-any-case', 'is accepted with known names in any case', (members) => members.map(([name, value]) => [knownName(name), value])],
  [
    'nested-refused',
    'is refused if it has a list or an object',
    (members) => (members.some(([, value]) => isNested(value)) ? refuse('text', 'a nested value is not supported') : members),
    { fix: 'flatten lists and objects of the body before you verify it' },
  ],
  ['signature-in-list', 'is accepted with the signature as the only item of a list', (members) => members.map(([name, value]) => [name, name === 'Signature' ? onlyItem(value) : value])],
  ...TRIMS.map(
    ([id, clause, trim]): Change<(members: ActionParameters) => ActionParameters> => [
      `texts-${id}`,
      `has its texts changed: each ${clause}`,
      (members) => members.map(([name, value]) => [name, changeDeeply(value, (scalar) => (typeof scalar === 'string' ? trim(scalar) : scalar))]),
      { fix: 'keep the texts of the body as received, with their whitespace' },
    ],
  ),
  ['without-nested', 'loses members that are lists or objects', (members) => members.filter(([, value]) => !isNested(value))],
]);

export const REPEATS: Instead<'repeatsMember'> = kind('refuse a body with two members of one name', [['never', 'is accepted', () => false]]);

export const COUNTS: Instead<'countOf'> = kind('refuse a parameter that appears twice', [['accepted', 'is accepted, and its first value is used', (count) => Math.min(count, 1)]]);

export const MISSING: Kind<Around<'missingParameter'>> = kind('refuse a request without Action or PublicKey', [
  ['accepted', 'is accepted without Action or PublicKey', () => undefined],
  ['action-accepted', 'is accepted without Action', (right, parameters) => right([['Action', ''], ...parameters])],
  ['public-key-accepted', 'is accepted without PublicKey', (right, parameters) => right([['PublicKey', ''], ...parameters])],
]);

const SUB_RESOURCES =
  'acl append callback cors delete lifecycle location logging notification object-meta objectMeta partNumber policy position referer restore security-token symlink tagging torrent uploadId uploads version versionId versioning versions website x-oss-process';
/** Parameters that S3 and OSS sign with the key. */
const isSubResource = (name: string): boolean => name.startsWith('response-') || SUB_RESOURCES.split(' ').includes(name);

const keyBefore = (textOf: (name: string, value: string) => string, isSigned: (name: string) => boolean = () => true): Around<'verifiedKey'> => {
  return (right, key, others) => {
    const signed = others.filter(([name]) => isSigned(name)).map(([name, value]) => textOf(name, value));
    return right(signed.length === 0 ? key : `${key}?${signed.sort(compareBytes).join('&')}`, others);
  };
};

export const VERIFIED_KEYS: Kind<Around<'verifiedKey'>> = kind('verify the key of the path alone; other parameters of the URL are not signed', [
  ['with-other-parameters', 'has the other parameters of the URL after it, as the sub-resources of S3', keyBefore((name, value) => (value === '' ? name : `${name}=${value}`))],
  ['with-other-pairs', 'has the other parameters of the URL after it, each as name=value', keyBefore((name, value) => `${name}=${value}`), { cost: 2 }],
  ['with-sub-resources', 'has those parameters of the URL after it that S3 and OSS sign, such as acl and response-content-type', keyBefore((name, value) => (value === '' ? name : `${name}=${value}`), isSubResource)],
]);

function splitAtLastMark(url: string): string {
  const at = Math.max(0, url.lastIndexOf('?'));
  return url.slice(0, at).replaceAll('?', '%3F') + url.slice(at);
}

export const RECEIVED_URLS: Kind<(url: string) => string> = kind('verify a URL of either scheme, http or https', [
  ['at-last-question-mark', 'is split at its last "?"', splitAtLastMark, { fix: 'split the URL at its first "?"' }],
  ['https-only', 'is refused unless its scheme is https', (url) => (/^https:/i.test(url) ? url : refuse('text', 'the scheme is not https'))],
  ['http-only', 'is refused unless its scheme is http', (url) => (/^http:/i.test(url) ? url : refuse('text', 'the scheme is not http')), { cost: 2 }],
]);

export const VERIFIED_HEADERS: Kind<(headers: HeaderList) => HeaderList> = kind('sign all extra headers of a pre-signed request', [
  ['ignored', 'is ignored', () => []],
  ['first-of-name', 'has only the first header of each name', (headers) => firstOfName(headers.map(([name, value]): Pair => [lowerCase(name), value]))],
  ['last-of-name', 'has only the last header of each name', (headers) => lastOfName(headers.map(([name, value]): Pair => [lowerCase(name), value]))],
  ['metadata-only', 'is cut to metadata headers', (headers) => headers.filter(([name]) => /-meta-/i.test(name)), { cost: 2 }],
]);

export const EXPIRED_TEXTS: Instead<'isExpired'> = kind('compare Expires and the clock as numbers', [
  [
    'text-as-sent',
    'is compared with the clock as the text that was sent',
    (expires, now) => `${now}` > `${expires}`,
    // A text with a zero at its start is less than every text of the clock, as the number 0 is.
    { also: { expirySeconds: (right) => (text) => (text.startsWith('0') ? right('0') : right(text)) } },
  ],
]);

const withoutPort = (hostName: string): string => hostName.replace(/:\d+$/, '');
/** The part of a host before a suffix, compared without regard to case. */
const beforeEnd = (name: string, end: string): string | undefined => (lowerCase(name).endsWith(lowerCase(end)) ? name.slice(0, -end.length) : undefined);

/** The bucket before a file host; any character of the host may stand for a dot of the file host. */
function bucketBefore(name: string, fileHost: string): string | undefined {
  const at = name.length - fileHost.length;
  const end = lowerCase(name.slice(at));
  const isLike = [...lowerCase(fileHost)].every((character, i) => character === '.' || character === end[i]);
  const bucket = name.slice(0, Math.max(0, at - 1));
  return isLike && name[at - 1] === '.' && !bucket.includes('.') ? bucket || undefined : undefined;
}

function bucketInside(name: string, end: string): string | undefined {
  const at = lowerCase(name).indexOf(end);
  return at < 1 ? undefined : name.slice(0, at);
}

export const BUCKETS_OF_HOST: Kind<Around<'bucketOfHost'>> = kind('use the text before the dot and the file host, in any case of the host, as the bucket', [
  ['case-sensitive', 'is found only if the file host has its documented case', (right, name, fileHost) => (name.endsWith(fileHost) ? right(name, fileHost) : undefined)],
  ['first-label', 'is the first label of any host', (_, name) => before(name, '.') || undefined],
  ['first-label-of-suffix', 'is the first label of any host that ends with the file host', (_, name, fileHost) => (lowerCase(name).endsWith(lowerCase(fileHost)) ? before(name, '.') || undefined : undefined)],
  ['lower-case', 'is in lower case', (right, name, fileHost) => right(name, fileHost)?.toLowerCase()],
  ['port-cut', 'has the port of the URL cut off before the comparison', (right, name, fileHost) => right(withoutPort(name), fileHost)],
  ['without-port', 'is found even if the port differs', (right, name, fileHost) => right(withoutPort(name), withoutPort(fileHost))],
  ['dots', 'is accepted with dots', (_, name, fileHost) => beforeEnd(name, `.${fileHost}`) || undefined],
  ['dots-as-any-character', 'is found before the file host with any characters in place of its dots, as by a pattern with unescaped dots', (_, name, fileHost) => bucketBefore(name, fileHost)],
  ['inside', 'is found in any host that contains the file host', (right, name, fileHost) => right(name, fileHost) ?? bucketInside(name, `.${lowerCase(fileHost)}`)],
  ['any-mark', 'is found before any one character and the file host', (_, name, fileHost) => beforeEnd(name, fileHost)?.slice(0, -1) || undefined],
  ['suffix', 'is found before any host that ends with the file host', (_, name, fileHost) => beforeEnd(name, fileHost)?.replace(/\.$/, '') || undefined],
]);
