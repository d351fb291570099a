/**
 * What the properties are tried on: texts full of the characters that trip implementations, and key pairs.
 *
 * @module
 */
import fc from 'fast-check';
import type { Accounts, KeyPair, Pair } from '../../reference/signing/index.ts';

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
export const wordCharacter: fc.Arbitrary<string> = character.filter((c) => !/[ \t\r\n\0]/.test(c));
export const tokenCharacter: fc.Arbitrary<string> = fc.constantFrom(..."aAbkZ09-_.~!|'");

/** Two texts of `unit` that differ in one character, or of which one has a character less. */
export function changed(
  unit: fc.Arbitrary<string>,
  confused: readonly Change<string>[] = [],
): fc.Arbitrary<Change<string>> {
  const side = fc.oneof(fc.constant(''), fc.string({ unit, maxLength: 4 }));
  const inOtherCase = unit.map((c) => [
    c,
    c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase(),
  ]);
  const change = fc.oneof(
    fc.tuple(unit, unit),
    unit.map((c) => [c, '']),
    inOtherCase,
    fc.constantFrom(...confused, ['0', '1']),
  );
  return fc
    .tuple(side, change, side)
    .filter(([, [a, b]]) => a !== b)
    .map(([left, [a, b], right]) => [left + a + right, left + b + right]);
}

/** What trimming, decoding and normalizing make the same. */
const CONFUSED_IN_WORDS: readonly Change<string>[] = [
  ['\u212B', 'Å'],
  ['e\u0301', 'é'],
  ['+', '%2B'],
  ['/', '//'],
];
const CONFUSED: readonly Change<string>[] = [
  ...CONFUSED_IN_WORDS,
  [' ', ''],
  [' ', '+'],
  [' ', '\xA0'],
  ['\n', ''],
];

export const changedText: fc.Arbitrary<Change<string>> = changed(character, CONFUSED);
export const changedWord: fc.Arbitrary<Change<string>> = changed(wordCharacter, CONFUSED_IN_WORDS);

export function same(one: fc.Arbitrary<string>): fc.Arbitrary<Change<string>> {
  return one.map((t) => [t, t]);
}

/** A name and a value of which one changes. */
export function changedPair(
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

/** A text with one character put in place of another. */
export function overwritten(original: string, at: number, by: string): string {
  const index = at % original.length;
  return original.slice(0, index) + by + original.slice(index + 1);
}

/** A server that knows one account. */
export function only(keys: KeyPair): Accounts {
  return (publicKey) => (publicKey === keys.publicKey ? keys : undefined);
}
