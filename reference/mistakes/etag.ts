/**
 * ETag mistakes: how the block count and the digest are put together and written (§2).
 *
 * @module
 */
import { base64, base64Url } from '../signing/base64.ts';
import { etagBytes } from '../signing/etag.ts';
import { hexadecimal } from '../signing/hexadecimal.ts';
import { utf8Bytes } from '../signing/utf-8.ts';
import type { Mistake } from './mistake.ts';

/** The count alone, least significant byte first. */
const count = (blocks: number): Uint8Array => etagBytes(blocks, new Uint8Array());

export const ETAG: readonly Mistake[] = [
  {
    id: 'etag-count-big-endian',
    rule: '2/etag-layout',
    swap: { etagBytes: (blocks, digest) => Uint8Array.of(...count(blocks).reverse(), ...digest) },
    cause: 'the block count is written most significant byte first',
    fix: 'write the block count as 32 bits, least significant byte first',
  },
  {
    id: 'etag-count-8-bytes',
    rule: '2/etag-layout',
    swap: { etagBytes: (blocks, digest) => Uint8Array.of(...count(blocks), 0, 0, 0, 0, ...digest) },
    cause: 'the block count is written as 64 bits',
    fix: 'write the block count as 32 bits',
  },
  {
    id: 'etag-count-1-byte',
    rule: '2/etag-layout',
    swap: { etagBytes: (blocks, digest) => Uint8Array.of(blocks, ...digest) },
    cause: 'the block count is written as a single byte',
    fix: 'write the block count as 32 bits',
  },
  {
    id: 'etag-count-as-text',
    rule: '2/etag-layout',
    swap: { etagBytes: (blocks, digest) => Uint8Array.of(...utf8Bytes(`${blocks}`), ...digest) },
    cause: 'the block count is written as decimal digits',
    fix: 'write the block count as a binary number of 32 bits',
  },
  {
    id: 'etag-kind-in-place-of-count',
    rule: '2/etag-blocks',
    swap: {
      etagBytes: (blocks, digest) => Uint8Array.of(blocks > 1 ? 0x96 : 0x16, ...digest),
    },
    cause: 'a byte 0x16 or 0x96 stands in place of the block count, as in the ETags of Qiniu',
    fix: 'put the block count before the digest, as 32 bits',
  },
  {
    id: 'etag-count-after-digest',
    rule: '2/etag-layout',
    swap: { etagBytes: (blocks, digest) => Uint8Array.of(...digest, ...count(blocks)) },
    cause: 'the block count follows the digest',
    fix: 'put the block count before the digest',
  },
  {
    id: 'etag-count-left-out',
    rule: '2/etag-blocks',
    swap: { etagBytes: (_, digest) => digest },
    cause: 'the ETag holds the digest without the block count',
    fix: 'put the block count before the digest',
  },
  {
    id: 'etag-count-left-out-of-one-block',
    rule: '2/etag-blocks',
    swap: { etagBytes: (blocks, digest) => (blocks > 1 ? etagBytes(blocks, digest) : digest) },
    cause: 'a file of one block gets the ETag of a part, which has no block count',
    fix: 'put the block count before the digest of every file',
  },
  {
    id: 'etag-count-from-zero',
    rule: '2/etag-blocks',
    swap: { etagBytes: (blocks, digest) => etagBytes(Math.max(0, blocks - 1), digest) },
    cause: 'the index of the last block stands in place of the number of blocks',
    fix: 'count the blocks from one',
  },
  {
    id: 'etag-empty-one-block',
    rule: '2/etag-empty',
    swap: { etagBytes: (blocks, digest) => etagBytes(Math.max(1, blocks), digest) },
    cause: 'an empty file counts as one block',
    fix: 'give an empty file the block count 0',
    once: 'only an empty file has no block',
  },
  {
    id: 'etag-empty-without-digest',
    rule: '2/etag-empty',
    swap: { etagBytes: (blocks, digest) => (blocks ? etagBytes(blocks, digest) : count(0)) },
    cause: 'the ETag of an empty file holds the block count alone',
    fix: 'put the SHA-1 of nothing behind the block count',
    seen: 'ufile 3.2.11 (Python)',
    once: 'only an empty file has no block',
  },
  {
    id: 'etag-empty-zeros',
    rule: '2/etag-empty',
    swap: {
      etagBytes: (blocks, digest) => etagBytes(blocks, blocks ? digest : new Uint8Array(20)),
    },
    cause: 'the digest of an empty file is 20 zero bytes',
    fix: 'put the SHA-1 of nothing behind the block count',
    seen: 'ufile-rus3 0.1.12 (Rust)',
    once: 'only an empty file has no block',
  },
  {
    id: 'etag-digest-in-hexadecimal',
    rule: '2/etag-layout',
    swap: {
      etagBytes: (blocks, digest) =>
        Uint8Array.of(...count(blocks), ...utf8Bytes(hexadecimal(digest))),
    },
    cause: 'the digest enters the ETag as 40 hexadecimal digits',
    fix: 'put the 20 bytes of the digest behind the block count',
  },
  {
    id: 'etag-standard-base64',
    rule: '2/etag-url-safe',
    swap: { etagText: base64 },
    cause: 'the ETag is written in standard Base64 with "+" and "/"',
    fix: 'write the ETag in URL-safe Base64 with "-" and "_"',
  },
  {
    id: 'etag-first-plus-and-slash-replaced',
    rule: '2/etag-url-safe',
    swap: { etagText: (bytes) => base64(bytes).replace('+', '-').replace('/', '_') },
    cause: 'only the first "+" and the first "/" of the Base64 are replaced',
    fix: 'replace every "+" and every "/"',
  },
  {
    id: 'etag-unpadded',
    rule: '2/etag-part',
    swap: { etagText: (bytes) => base64Url(bytes).replace('=', '') },
    cause: 'the Base64 has no padding, so the ETag of a part has 27 characters',
    fix: 'keep the "=" at the end of the Base64',
  },
  {
    id: 'etag-line-feed-after-base64',
    rule: '2/etag-url-safe',
    swap: { etagText: (bytes) => `${base64Url(bytes)}\n` },
    cause: 'the Base64 encoder ends its text with a line feed',
    fix: 'use an encoder that writes no line ends',
  },
  {
    id: 'etag-hexadecimal',
    rule: '2/etag-url-safe',
    swap: { etagText: hexadecimal },
    cause: 'the ETag is written in hexadecimal',
    fix: 'write the ETag in URL-safe Base64',
  },
  {
    id: 'part-etag-with-count',
    rule: '2/etag-part',
    swap: { partEtagBytes: (digest) => etagBytes(1, digest) },
    cause: 'the ETag of a part starts with a block count, like that of a file',
    fix: 'write the SHA-1 of the part alone',
  },
];
