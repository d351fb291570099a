/**
 * The text of a digest in §5.1 step 6.
 *
 * @module
 */

const DIGITS: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
);

/** Two lower-case hexadecimal digits a byte. §5.1 names no case; every published example is lower. */
export function hexadecimal(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += DIGITS[byte];
  return text;
}
