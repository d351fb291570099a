/**
 * Random texts with many characters that implementations get wrong, and random key pairs.
 *
 * @module
 */
import fc from 'fast-check';
import type { Accounts, KeyPair, Pair } from '../../reference/signing/index.ts';

/** Two values that differ in one place. */
export type Change<T> = readonly [before: T, after: T];

/** A character that is special in URLs, headers, JSON, sorting or Unicode, or any character. */
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

/** A text with half of a surrogate pair, which UTF-8 cannot encode. */
export const brokenText: fc.Arbitrary<string> = fc
  .tuple(text, half, text)
  .map((parts) => parts.join(''));

/** A character of a header value other than whitespace. */
export const wordCharacter: fc.Arbitrary<string> = character.filter((c) => !/[ \t\r\n\0]/.test(c));
export const tokenCharacter: fc.Arbitrary<string> = fc.constantFrom(..."aAbkZ09-_.~!|'");

/** Two texts that differ by a changed or missing character, or by one pair of `confused`. */
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

/** Pairs that become equal by trimming, decoding or normalizing. */
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

/** Combines a change of a name and a change of a value. */
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

/** The text with one to three places overwritten by pieces that parsers often get wrong. */
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

/** §5.2 writes the public key between a space and a colon, so it can contain neither. */
const publicKey = fc.string({
  unit: wordCharacter.filter((c) => c !== ':'),
  minLength: 1,
  maxLength: 8,
});

/** Every private key starts with this, and nothing else does, so tests find keys in messages. */
export const PRIVATE_MARK = 'secret~';
/** Some are longer than a block of SHA-1, so HMAC hashes them first. */
export const privateKey: fc.Arbitrary<string> = fc
  .oneof(
    text,
    text.map((t) => t.padEnd(70, 'k')),
  )
  .map((t) => PRIVATE_MARK + t);

export const keyPair: fc.Arbitrary<KeyPair> = fc.record({ publicKey, privateKey });

/** The text with one character replaced. */
export function overwritten(original: string, at: number, by: string): string {
  const index = at % original.length;
  return original.slice(0, index) + by + original.slice(index + 1);
}

/** A server that knows one account. */
export function only(keys: KeyPair): Accounts {
  return (publicKey) => (publicKey === keys.publicKey ? keys : undefined);
}
