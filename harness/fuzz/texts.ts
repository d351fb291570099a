/**
 * Texts full of what trips implementations: the alphabet of every other arbitrary.
 *
 * @module
 */
import fc from 'fast-check';

const plain = fc.constantFrom(...'aAbzBZ019-_.~');

/** What URLs, queries, JSON and shells treat in their own way. */
const mark = fc.constantFrom(...' +%/?&=#:;,@!\'()*"\\<>[]{}|^`$');

/** What Unicode-wide functions, sort orders by UTF-16 and normalizations treat in their own way. */
const wide = fc.constantFrom(
  ...'éßİ\u00a0\u3000\u2028\u212a\ufeff\uff5a\ue000\uffff',
  'e\u0301',
  '𐀀',
  '😀',
);

/** One character, the simple ones first. */
export const character: fc.Arbitrary<string> = fc.oneof(
  { withCrossShrink: true },
  { weight: 4, arbitrary: plain },
  { weight: 4, arbitrary: mark },
  { weight: 2, arbitrary: wide },
);

export const text: fc.Arbitrary<string> = fc.string({ unit: character, maxLength: 8 });

/** Any character but half of a surrogate pair; the unit `binary` is the same and takes most of a second to be made. */
const anyCharacter = fc
  .integer({ min: 0, max: 0x10f7ff })
  .map((i) => String.fromCodePoint(i < 0xd800 ? i : i + 0x800));

/** A text that may hold any character that has UTF-8 bytes, control characters too. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { withCrossShrink: true },
  { weight: 3, arbitrary: text },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 6 }) },
  { weight: 1, arbitrary: fc.constantFrom('%20', '%2F', 'a\tb', 'a\nb', '\u007f', '\0', 'a\r\nb') },
);

/** Every text of a list as likely; the first is the simplest. */
export function oneOf(...texts: readonly string[]): fc.Arbitrary<string> {
  return fc.constantFrom(...texts);
}

/** A rarity beside the usual: a shrunk one is as usual as possible. */
export function seldom<T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 9, arbitrary: usual },
    { weight: 1, arbitrary: rare },
  );
}
