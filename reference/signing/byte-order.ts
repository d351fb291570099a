/**
 * The order of names (§5.1 step 2, §5.2 step 2).
 *
 * @module
 */
import { utf8Bytes } from './utf-8.ts';

/** Beyond this, UTF-16 code units and UTF-8 bytes may sort differently. */
const BEFORE_SURROGATES = /^[\0-\uD7FF]*$/;

/**
 * Compares two names by their UTF-8 bytes.
 *
 * `a < b` compares UTF-16 code units, which puts U+10000 before U+FFFF;
 * their UTF-8 bytes sort the other way round.
 */
export function compareBytes(a: string, b: string): number {
  if (BEFORE_SURROGATES.test(a) && BEFORE_SURROGATES.test(b)) return a < b ? -1 : a > b ? 1 : 0;
  const left = utf8Bytes(a);
  const right = utf8Bytes(b);
  for (const [i, byte] of left.entries()) {
    const other = right[i];
    if (other === undefined) return 1;
    if (byte !== other) return byte - other;
  }
  return left.length - right.length;
}
