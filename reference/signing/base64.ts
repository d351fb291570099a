/**
 * Base64 of bytes, in the two alphabets of RFC 4648.
 *
 * @module
 */

/** RFC 4648 §4, with `+`, `/` and padding: signatures (§5.2) and passwords (§4.2). */
export function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** RFC 4648 §5, with `-`, `_` and padding: ETags (§2) and callback policies. */
export function base64Url(bytes: Uint8Array): string {
  return base64(bytes).replaceAll('+', '-').replaceAll('/', '_');
}
