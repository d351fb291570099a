import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  etag,
  etagOfStream,
  partEtag,
  SPECIFICATION,
  withSteps,
} from '../../reference/signing/index.ts';
import { someOf } from '../amount.ts';
import { always } from '../properties.ts';

const BLOCK_SIZE = 7;
/** Small blocks, so that short content has several. */
const SMALL_BLOCKS = withSteps(SPECIFICATION, { blockSize: BLOCK_SIZE });

/** A piece of content; many pieces end at the end of a block. */
const piece = fc.oneof(
  fc.uint8Array({ maxLength: 3 * BLOCK_SIZE }),
  fc
    .constantFrom(0, 1, BLOCK_SIZE - 1, BLOCK_SIZE, 2 * BLOCK_SIZE)
    .chain((length) => fc.uint8Array({ minLength: length, maxLength: length })),
);
const pieces = fc.array(piece, { maxLength: 6 });

async function* arriving(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield await Promise.resolve(part);
}

function cut(content: Uint8Array, size: number): Uint8Array[] {
  const count = Math.ceil(content.length / size);
  return Array.from({ length: count }, (_, i) => content.subarray(i * size, (i + 1) * size));
}

test('§2: the ETag does not depend on the pieces of a stream', async () => {
  await fc.assert(
    fc.asyncProperty(pieces, async (parts) => {
      const expected = etag(Buffer.concat(parts), SMALL_BLOCKS);
      expect(await etagOfStream(parts, SMALL_BLOCKS)).toEqual(expected);
      expect(await etagOfStream(arriving(parts), SMALL_BLOCKS)).toEqual(expected);
    }),
    { numRuns: 300, examples: [[[]], [[new Uint8Array()]]] },
  );
});

test('§2: with real blocks, the ETag does not depend on the pieces of a stream', async () => {
  const block = SPECIFICATION.steps.blockSize;
  for (const size of someOf([block + 1, block - 1, block, 2 * block], 4)) {
    const content = Uint8Array.from({ length: size }, (_, i) => i % 251);
    const whole = etag(content, SPECIFICATION);
    expect(await etagOfStream(cut(content, 1_000_003), SPECIFICATION)).toEqual(whole);
    expect(await etagOfStream(arriving(cut(content, block)), SPECIFICATION)).toEqual(whole);
    expect(whole.blockCount).toBe(size > block ? 2 : 1);
  }
});

test('§2: an ETag is 32 characters of URL-safe Base64 that start with the number of blocks', () => {
  always([pieces], (parts) => {
    const content = Buffer.concat(parts);
    const stages = etag(content, SMALL_BLOCKS);
    const bytes = Buffer.from(stages.etag, 'base64url');
    expect(stages.etag).toMatch(/^[A-Za-z0-9\-_]{32}$/);
    expect(bytes.readUInt32LE()).toBe(Math.ceil(content.length / BLOCK_SIZE));
    expect(bytes.toString('hex', 4)).toBe(stages.digest);
  });
});

test('§2: one changed byte changes the ETag', () => {
  always([pieces, fc.nat(), fc.integer({ min: 1, max: 255 })], (parts, position, difference) => {
    const content = Buffer.concat(parts);
    fc.pre(content.length > 0);
    const changed = Buffer.from(content);
    const at = position % content.length;
    changed[at] = (content[at] ?? 0) ^ difference;
    expect(etag(changed, SMALL_BLOCKS).etag).not.toBe(etag(content, SMALL_BLOCKS).etag);
  });
});

test('§2: up to one block, the ETags of a file and of a part have the same SHA-1', () => {
  always([fc.uint8Array({ minLength: 1, maxLength: BLOCK_SIZE })], (content) => {
    const part = partEtag(content, SMALL_BLOCKS);
    expect(part.digest).toBe(etag(content, SMALL_BLOCKS).digest);
  });
});

test('the ETag of a part is 28 characters of URL-safe Base64 for any block size', () => {
  always([fc.uint8Array({ maxLength: 40 })], (content) => {
    const part = partEtag(content, SMALL_BLOCKS);
    expect(part.etag).toMatch(/^[A-Za-z0-9\-_]{27}=$/);
    expect(part).toEqual(partEtag(content, SPECIFICATION));
  });
});
