/**
 * Base64 of bytes, in the two alphabets of RFC 4648.
 *
 * @module
 */

const PIECE = 8192;

/** RFC 4648 §4, with `+`, `/` and padding: signatures (§5.2) and passwords (§4.2). */
export function base64(bytes: Uint8Array): string {
  let characters = '';
  // In pieces: a call takes only so many parameters.
  for (let start = 0; start < bytes.length; start += PIECE) {
    characters += String.fromCharCode(...bytes.subarray(start, start + PIECE));
  }
  return btoa(characters);
}

/** RFC 4648 §5, with `-`, `_` and padding: ETags (§2) and callback policies. */
export function base64Url(bytes: Uint8Array): string {
  return base64(bytes).replaceAll('+', '-').replaceAll('/', '_');
}
