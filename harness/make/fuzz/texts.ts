/**
 * Texts that often break implementations, and key pairs: the building blocks of all other arbitraries.
 *
 * @module
 */
import fc from 'fast-check';
import type { KeyPair } from '../../engine/vector.ts';

const plain = oneOf(...'aAbzBZ019-_.~');

/** Characters with a meaning in URLs, queries, JSON and shells. The most common ones occur three times as often. */
const mark = oneOf(...' +%/ +%/ +%/?&=#:;,@!\'()*"\\<>[]{}|^`$');

/** Characters that case functions, UTF-16 sort orders and normalizations treat differently. */
const wide = oneOf(...'éßİ\u00a0\u3000\u2028\u212a\ufeff\uff5a\ue000\uffff', 'e\u0301', '𐀀', '😀');

/** Simple characters come first: fast-check shrinks towards them. */
export const character: fc.Arbitrary<string> = weighted([4, plain], [4, mark], [2, wide]);

export const text: fc.Arbitrary<string> = fc.string({ unit: character, maxLength: 8 });

/** Any code point except surrogates. fast-check has the unit "binary" for this, but its setup takes a second. */
const anyCharacter = fc
  .nat(0x10_f7ff)
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800));

/** A text of any characters, control characters included. */
export const anyText: fc.Arbitrary<string> = weighted(
  [3, text],
  [1, fc.string({ unit: anyCharacter, maxLength: 6 })],
  [1, oneOf('%20', '%2F', 'a\tb', 'a\nb', '\u007f', '\0', 'a\r\nb')],
);

/** One of some texts, all equally likely. Shrinks to the first. */
export function oneOf(...texts: readonly string[]): fc.Arbitrary<string> {
  return fc.constantFrom(...texts);
}

/** Usually one value, in one of ten cases another. Shrinks to the usual one. */
export function seldom<T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return weighted([9, usual], [1, rare]);
}

/** One of some values, each as often as its weight says. Shrinks to the first. */
export function weighted<T>(
  ...choices: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<T>])[]
): fc.Arbitrary<T> {
  const all = choices.map(([weight, arbitrary]) => ({ weight, arbitrary }));
  return fc.oneof({ withCrossShrink: true }, ...all);
}

/** Without colons and spaces, which §5.2 uses as separators, and without "@", about which §5.3 contradicts itself. */
const publicKey = oneOf('pub', 'PUB-1_x.~', 'a/b+c==', 'p%40q');

/** Includes keys with the special characters of Base64, keys around the block size of SHA-1, and keys beyond ASCII. */
const privateKey = weighted(
  [4, oneOf('test-key', 'K')],
  [2, oneOf('test+/=key', 'a%2Bb', 'test key', '0badc0de')],
  [2, fc.constantFrom(65, 64, 63, 100, 200).map((length) => 'k'.repeat(length))],
  [1, oneOf('é', 'ключ', '鍵😀', 'é'.repeat(33))],
);

/** Reports may show these key pairs: all of them are invented. */
export const keyPair: fc.Arbitrary<KeyPair> = fc.record({ publicKey, privateKey });

/** For operations that do not sign. */
export const NO_KEYS: KeyPair = { publicKey: '', privateKey: '' };
