/**
 * URL encoding (§5.3).
 *
 * @module
 */
import { utf8Bytes } from './utf-8.ts';

/** What §5.3 leaves as it is. */
const UNRESERVED = /^[A-Za-z0-9\-_.~]*$/;

const ESCAPES: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return UNRESERVED.test(character)
    ? character
    : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
});

/** Encodes every byte of the text's UTF-8 form but `A-Z a-z 0-9 - _ . ~` as `%XY`. */
export function urlEncode(text: string): string {
  if (UNRESERVED.test(text)) return text;
  let encoded = '';
  for (const byte of utf8Bytes(text)) encoded += ESCAPES[byte];
  return encoded;
}

/**
 * The text that `urlEncode` was given; `undefined` where an escape is not one.
 *
 * A bare `+` stays a plus: §5.3 never writes a space so.
 */
export function urlDecode(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
