/**
 * Text as the bytes that get hashed, encoded or compared.
 *
 * @module
 */
import { InputError } from './errors.ts';

const encoder = new TextEncoder();

/**
 * Refuses a text with half of a surrogate pair.
 *
 * Each part of what gets signed is checked on its own: joined, the halves of two parts would look whole.
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

/** The UTF-8 bytes of a text. `TextEncoder` alone would put U+FFFD for half a character and sign another text. */
export function utf8Bytes(text: string): Uint8Array {
  checkText('a text', text);
  return encoder.encode(text);
}
