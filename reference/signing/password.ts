/**
 * The Base64 rule for `Password` (§4.2).
 *
 * @module
 */
import { base64 } from './base64.ts';
import { utf8Bytes } from './utf-8.ts';

/** The value of the parameter `Password` for a clear text: it is signed and sent so. */
export function password(clearText: string): string {
  return base64(utf8Bytes(clearText));
}
