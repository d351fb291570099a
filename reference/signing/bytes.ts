/**
 * Text as bytes and bytes as text: UTF-8, byte order, Base64, hexadecimal, percent-encoding (§5.3).
 *
 * @module
 */
import { InputError } from './types.ts';

const encoder = new TextEncoder();

/**
 * Refuses a text with half of a surrogate pair. Check each part of a signed text separately: two joined halves look complete.
 *
 * @param what names the text; the text itself may be a private key and is never shown
 */
export function checkText(what: string, text: string): void {
  if (text.isWellFormed()) return;
  throw new InputError(
    'text',
    `${what} holds half of a surrogate pair, which has no UTF-8 bytes (§5.3); give whole characters`,
  );
}

/** The UTF-8 bytes of a text. `TextEncoder` alone would replace half a surrogate pair by U+FFFD, and so sign another text. */
export function utf8Bytes(text: string): Uint8Array {
  checkText('a text', text);
  return encoder.encode(text);
}

/** Texts without surrogates and later characters: UTF-16 units and UTF-8 bytes sort them equally. */
const BEFORE_SURROGATES = /^[\0-\uD7FF]*$/;

/** Compares by UTF-8 bytes (§5.1 step 2, §5.2 step 2); `a < b` compares UTF-16 units, which puts U+10000 before U+FFFF. */
export function compareBytes(a: string, b: string): number {
  if (BEFORE_SURROGATES.test(a) && BEFORE_SURROGATES.test(b)) return a < b ? -1 : a > b ? 1 : 0;
  const [left, right] = [utf8Bytes(a), utf8Bytes(b)];
  const at = left.findIndex((byte, i) => byte !== right[i]);
  return at < 0 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1);
}

const PIECE = 8192;

/** RFC 4648 §4, with `+`, `/` and padding: signatures (§5.2) and passwords (§4.2). */
export function base64(bytes: Uint8Array): string {
  let characters = '';
  // In pieces, because the number of arguments of a call is limited.
  for (let start = 0; start < bytes.length; start += PIECE) {
    characters += String.fromCharCode(...bytes.subarray(start, start + PIECE));
  }
  return btoa(characters);
}

/** RFC 4648 §5, with `-`, `_` and padding: ETags (§2) and callback policies. */
export function base64Url(bytes: Uint8Array): string {
  return base64(bytes).replaceAll('+', '-').replaceAll('/', '_');
}

const DIGITS: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
);

/** Two lower-case hexadecimal digits a byte. §5.1 names no case; every published example is lower. */
export function hexadecimal(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += DIGITS[byte];
  return text;
}

/** The characters that §5.3 does not encode. */
const UNRESERVED = /^[A-Za-z0-9\-_.~]*$/;

const ESCAPES: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return UNRESERVED.test(character) ? character : `%${DIGITS[byte]?.toUpperCase()}`;
});

/** Encodes every byte of the text's UTF-8 form but `A-Z a-z 0-9 - _ . ~` as `%XY` (§5.3). */
export function urlEncode(text: string): string {
  if (UNRESERVED.test(text)) return text;
  let encoded = '';
  for (const byte of utf8Bytes(text)) encoded += ESCAPES[byte];
  return encoded;
}

/** Reverses `urlEncode`; `undefined` for an invalid escape. `+` stays a plus, because §5.3 encodes a space as `%20`. */
export function urlDecode(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

export function concatBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((size, { length }) => size + length, 0));
  let end = 0;
  for (const piece of pieces) {
    bytes.set(piece, end);
    end += piece.length;
  }
  return bytes;
}
