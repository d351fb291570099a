/**
 * Text as the bytes that get hashed, encoded or compared.
 *
 * @module
 */
import { InputError } from './errors.ts';

const encoder = new TextEncoder();

/** The UTF-8 bytes of a text. */
export function utf8Bytes(text: string): Uint8Array {
  // TextEncoder would put U+FFFD for half a surrogate pair and sign another text than was given.
  if (!text.isWellFormed()) {
    throw new InputError(
      'text',
      `text ${JSON.stringify(text.toWellFormed())} holds half of a surrogate pair, which has no UTF-8 bytes (§5.3); give whole characters`,
    );
  }
  return encoder.encode(text);
}
