/**
 * The text of a digest in §5.1 step 6.
 *
 * @module
 */

/** Two lower-case hexadecimal digits a byte. §5.1 names no case; every published example is lower. */
export function hexadecimal(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}
