/**
 * What the properties are tried on: requests full of the characters that trip implementations.
 *
 * @module
 */
import fc from 'fast-check';
import {
  type Accounts,
  type ActionParameters,
  type FileRequest,
  type HeaderList,
  type KeyPair,
  type Pair,
  type ParameterValue,
  SPECIFICATION,
} from '../../reference/signing/index.ts';

/** Two of a kind that differ in one place. */
export type Change<T> = readonly [before: T, after: T];

/** One character that URLs, headers, JSON, sort orders or Unicode-wide functions treat in their own way, or any. */
export const character: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...'aAbBkzZ019-_.~') },
  { weight: 4, arbitrary: fc.constantFrom(...' +%&=?#/:;,@!\'()*"\\<>{}[]|^`$\t\r\n\0\x7F') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...'éßİ\u212A\u0301\xA0\u2028\uD7FF\uE000\uFEFF\uFFFF𐀀😀'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
);

/** Half of a surrogate pair. */
export const half: fc.Arbitrary<string> = fc.constantFrom('\uD800', '\uDBFF', '\uDC00', '\uDFFF');

export const text: fc.Arbitrary<string> = fc.string({ unit: character, maxLength: 10 });

/** A text that no UTF-8 bytes stand for. */
export const brokenText: fc.Arbitrary<string> = fc
  .tuple(text, half, text)
  .map((parts) => parts.join(''));

/** What a header's value holds between its blanks. */
const wordCharacter = character.filter((c) => !/[ \t\r\n\0]/.test(c));
const tokenCharacter = fc.constantFrom(..."aAbkZ09-_.~!|'");

/** Two texts of `unit` that differ in one character. */
export function changedText(unit: fc.Arbitrary<string>): fc.Arbitrary<Change<string>> {
  const side = fc.string({ unit, maxLength: 4 });
  return fc
    .tuple(side, unit, unit, side)
    .filter(([, a, b]) => a !== b)
    .map(([left, a, b, right]) => [left + a + right, left + b + right]);
}

export function shuffled<T>(items: readonly T[]): fc.Arbitrary<readonly T[]> {
  return fc.shuffledSubarray([...items], { minLength: items.length });
}

/** A text and the same with up to three places overwritten by what parsers stumble on. */
export function garbled(original: string): fc.Arbitrary<string> {
  const scrap = fc.oneof(
    character,
    half,
    fc.constantFrom(
      '%',
      '%2',
      '%FF',
      '%ED%A0%80',
      '\\uD800',
      '&',
      '=',
      ':',
      '"',
      ',',
      '{',
      ']',
      '',
    ),
    fc.constantFrom('&Signature=a', '"Signature":"a",', 'null', '1e999', '999999999999999', '\n '),
  );
  return fc
    .array(fc.tuple(fc.nat(), fc.nat(3), scrap), { minLength: 1, maxLength: 3 })
    .map((cuts) =>
      cuts.reduce((t, [at, length, piece]) => {
        const start = at % (t.length + 1);
        return t.slice(0, start) + piece + t.slice(start + length);
      }, original),
    );
}

/** §5.2 writes a public key between a blank and a colon, so it can hold neither. */
const publicKey = fc.string({
  unit: wordCharacter.filter((c) => c !== ':'),
  minLength: 1,
  maxLength: 8,
});

/** How every private key starts, and nothing else does, so that a message which says one is caught. */
export const PRIVATE_MARK = 'secret~';
/** Some are longer than a block of SHA-1, which HMAC hashes first. */
export const privateKey: fc.Arbitrary<string> = fc
  .oneof(
    text,
    text.map((t) => t.padEnd(70, 'k')),
  )
  .map((t) => PRIVATE_MARK + t);

export const keyPair: fc.Arbitrary<KeyPair> = fc.record({ publicKey, privateKey });

/** A value with single blanks inside and none around, as §5.2 signs it. */
export const headerValue: fc.Arbitrary<string> = fc
  .array(fc.string({ unit: wordCharacter, minLength: 1, maxLength: 4 }), { maxLength: 3 })
  .map((words) => words.join(' '));

const suffix = fc.oneof(
  fc.constantFrom('', 'a', 'a-b', 'aa', 'ab', 'meta-k', 'k'),
  fc.string({ unit: tokenCharacter, maxLength: 3 }),
);
/** Few names in many cases, so that they repeat. */
export const extraName: fc.Arbitrary<string> = fc.mixedCase(suffix.map((s) => `x-svc-${s}`));

export const positionalName: fc.Arbitrary<string> = fc.mixedCase(
  fc.constantFrom('Content-MD5', 'Content-Type', 'Date'),
);
/** Names that almost are signed. */
const otherName = fc.mixedCase(
  fc.constantFrom(
    'Host',
    'X-Svc',
    'XSvc-a',
    'X-Svcs-a',
    'My-X-Svc-a',
    'X_Svc_a',
    'Dates',
    'Expires',
    'Content-MD',
  ),
);

export const extraHeaders: fc.Arbitrary<HeaderList> = fc.array(fc.tuple(extraName, headerValue), {
  maxLength: 6,
});
export const positionalHeaders: fc.Arbitrary<HeaderList> = fc.uniqueArray(
  fc.tuple(positionalName, headerValue),
  { selector: ([name]) => name.toLowerCase(), maxLength: 3 },
);
export const otherHeaders: fc.Arbitrary<HeaderList> = fc.array(fc.tuple(otherName, headerValue), {
  maxLength: 3,
});
export const headerList: fc.Arbitrary<HeaderList> = fc
  .tuple(extraHeaders, positionalHeaders, otherHeaders)
  .chain((lists) => shuffled(lists.flat()));

const method = fc.constantFrom('GET', 'PUT', 'POST', 'DELETE', 'HEAD', 'get', 'Put');
const label = fc.string({ unit: fc.constantFrom(...'abz019'), minLength: 1, maxLength: 3 });
export const bucket: fc.Arbitrary<string> = fc
  .array(label, { minLength: 1, maxLength: 2 })
  .map((labels) => labels.join('-'));
export const key: fc.Arbitrary<string> = fc.oneof(
  text,
  fc.constantFrom(
    '',
    '.',
    '..',
    'a/../b',
    '/',
    '//a',
    'a//',
    'a b',
    'a+b',
    '%2F',
    '%',
    '?a=b',
    '#',
    'a\nb',
  ),
);
export const fileRequest: fc.Arbitrary<FileRequest> = fc.record({
  method,
  bucket,
  key,
  headers: headerList,
});

function changedPart<Name extends keyof FileRequest>(
  name: Name,
  change: fc.Arbitrary<Change<FileRequest[Name]>>,
): fc.Arbitrary<Change<FileRequest>> {
  return fc.tuple(fileRequest, change).map(([request, [a, b]]) => [
    { ...request, [name]: a },
    { ...request, [name]: b },
  ]);
}

/** Two of one kind that do not become the same in one case. */
function twoOf(one: fc.Arbitrary<string>): fc.Arbitrary<Change<string>> {
  return fc.tuple(one, one).filter(([a, b]) => a.toLowerCase() !== b.toLowerCase());
}

function changedHeader(
  others: fc.Arbitrary<HeaderList>,
  change: fc.Arbitrary<Change<Pair>>,
): fc.Arbitrary<Change<HeaderList>> {
  return fc.tuple(others, change, fc.boolean()).map(([rest, [a, b], first]) =>
    first
      ? [
          [a, ...rest],
          [b, ...rest],
        ]
      : [
          [...rest, a],
          [...rest, b],
        ],
  );
}

function same(one: fc.Arbitrary<string>): fc.Arbitrary<Change<string>> {
  return one.map((t) => [t, t]);
}

function changedPair(
  names: fc.Arbitrary<Change<string>>,
  values: fc.Arbitrary<Change<string>>,
): fc.Arbitrary<Change<Pair>> {
  return fc.tuple(names, values).map(
    ([[a, b], [v, w]]): Change<Pair> => [
      [a, v],
      [b, w],
    ],
  );
}

const changedExtraName = changedText(tokenCharacter)
  .filter(([a, b]) => a.toLowerCase() !== b.toLowerCase())
  .map(([a, b]): Change<string> => [`X-Svc-${a}`, `X-Svc-${b}`]);
const changedExtra = fc.oneof(
  changedPair(same(extraName), changedText(wordCharacter)),
  changedPair(changedExtraName, same(headerValue)),
);
const changedPositional = changedPair(same(positionalName), changedText(wordCharacter));

/** Two requests that differ in one part which §5.4 signs. */
export const changedPresigned: fc.Arbitrary<Change<FileRequest>> = fc.oneof(
  changedPart('method', twoOf(method)),
  changedPart('bucket', twoOf(bucket)),
  changedPart('key', changedText(character)),
  changedPart('headers', changedHeader(headerList, changedExtra)),
);
/** Two requests that differ in one part which §5.2 signs. */
export const changedRequest: fc.Arbitrary<Change<FileRequest>> = fc.oneof(
  { weight: 3, arbitrary: changedPresigned },
  changedPart('headers', changedHeader(extraHeaders, changedPositional)),
);

const digits = fc.string({ unit: fc.constantFrom(...'001259'), minLength: 1, maxLength: 25 });
const exponent = fc
  .tuple(
    fc.constantFrom('e', 'E'),
    fc.constantFrom('', '+', '-'),
    fc.constantFrom('', '0'),
    fc.nat(40),
  )
  .map((parts) => parts.join(''));
/** A number as JSON may write it, of any length, with or without fraction and exponent. */
export const decimal: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', '-'),
    digits.map((d) => d.replace(/^0+(?=.)/, '')),
    fc.oneof(
      fc.constant(''),
      digits.map((d) => `.${d}`),
    ),
    fc.oneof(fc.constant(''), exponent),
  )
  .map((parts) => parts.join(''));

export const parameterName: fc.Arbitrary<string> = fc.oneof(
  text,
  fc.constantFrom(
    'CPU',
    'ChargeType',
    'A',
    'A.0',
    'a',
    'signature',
    'Signature.0',
    '\uFFFF',
    '𐀀',
    '__proto__',
  ),
);
export const scalar: fc.Arbitrary<ParameterValue> = fc.oneof(
  text,
  fc.boolean(),
  decimal.map((number) => ({ number })),
);
function members(values: fc.Arbitrary<ParameterValue>): fc.Arbitrary<ActionParameters> {
  const member = fc.tuple(parameterName, values);
  return fc.uniqueArray(member, { selector: ([name]) => name, maxLength: 4 });
}
const { value } = fc.letrec<{ value: ParameterValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'parameter' },
    { weight: 4, arbitrary: scalar },
    { weight: 1, arbitrary: fc.record({ list: fc.array(tie('value'), { maxLength: 3 }) }) },
    { weight: 1, arbitrary: fc.record({ object: members(tie('value')) }) },
  ),
}));

function haveOneNameEach(parameters: ActionParameters): boolean {
  const names = SPECIFICATION.steps.flattened(parameters).map(([name]) => name);
  return new Set(names).size === names.length;
}

/** Parameters nested in one another; none is repeated, none is one that §4.2 requires. */
export const parameters: fc.Arbitrary<ActionParameters> = members(value).filter(haveOneNameEach);

/** Parameters that differ in one character of one name or of one value. */
export const changedParameters: fc.Arbitrary<Change<ActionParameters>> = fc
  .tuple(
    parameters,
    fc.oneof(
      changedPair(changedText(character), same(text)),
      changedPair(same(parameterName), changedText(character)),
    ),
  )
  .map(
    ([rest, [a, b]]): Change<ActionParameters> => [
      [...rest, a],
      [...rest, b],
    ],
  )
  .filter((change) => change.every(haveOneNameEach));

/** What every action has (§4.2). */
export function asAction(rest: ActionParameters, keys: KeyPair): ActionParameters {
  return [['Action', 'Describe'], ...rest, ['PublicKey', keys.publicKey]];
}

/** A text with one character put in place of another. */
export function overwritten(original: string, at: number, by: string): string {
  const index = at % original.length;
  return original.slice(0, index) + by + original.slice(index + 1);
}

/** A server that knows one account. */
export function only(keys: KeyPair): Accounts {
  return (publicKey) => (publicKey === keys.publicKey ? keys : undefined);
}
