import { createHash, createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { hmacWith, paddedSha1 } from '../../reference/mistakes/changes/sha1.ts';

const sha1 = (bytes: Uint8Array): Uint8Array => paddedSha1(bytes, {});
const bytes = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i * 37 + length) & 255);

/** Around the lengths at which the padding needs one more block. */
const LENGTHS = [0, 1, 54, 55, 56, 57, 63, 64, 65, 118, 119, 120, 128, 1000];

test.each(LENGTHS)('paddedSha1 without a mistake gives the SHA-1 of Node for %i bytes', (n) => {
  expect(sha1(bytes(n))).toEqual(new Uint8Array(createHash('sha1').update(bytes(n)).digest()));
});

test.each(LENGTHS)('hmacWith paddedSha1 gives the HMAC of Node for a key of %i bytes', (n) => {
  const hmac = createHmac('sha1', bytes(n))
    .update(bytes(n + 1))
    .digest();
  expect(hmacWith(sha1, bytes(n), bytes(n + 1))).toEqual(new Uint8Array(hmac));
});
