/**
 * The SHA-1s of a file's blocks (§2), computed by several threads that share the counters of one file.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';

/** An open file whose blocks several threads hash. */
export interface SharedBlocks {
  /** The file descriptor, which all threads of the process can use. */
  readonly file: number;
  /** In bytes. */
  readonly size: number;
  /** In bytes. */
  readonly blockSize: number;
  /** Shared memory, with the indexes below. */
  readonly counters: Int32Array;
  /** Shared memory for the digest of each block, in the order of the blocks. */
  readonly digests: Uint8Array;
}

/** Indexes into `counters`: the next block to hash, how many are finished, and whether a thread failed. */
const NEXT = 0;
export const FINISHED = 1;
export const FAILED = 2;

/** Counters that start at zero, in memory that threads share. */
export const createCounters = (count: number): Int32Array =>
  new Int32Array(new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT));

export const DIGEST_LENGTH = 20;

/** Why a file cannot be hashed, as a clause. */
export const CHANGED = 'it changed while it was read';

/** Reads in pieces of this size stay in the cache of the processor until they are hashed. In bytes. */
const PIECE = 128 * 1024;

/** Hashes blocks until all are hashed or a thread fails. @param onBlock is called after each block */
export function hashBlocks(shared: SharedBlocks, onBlock: () => void = () => {}): void {
  const { counters, digests } = shared;
  const count = digests.length / DIGEST_LENGTH;
  const piece = Buffer.allocUnsafeSlow(PIECE);
  try {
    for (;;) {
      const block = Atomics.add(counters, NEXT, 1);
      if (block >= count || Atomics.load(counters, FAILED) !== 0) return;
      digests.set(hashBlock(shared, block, piece), block * DIGEST_LENGTH);
      Atomics.add(counters, FINISHED, 1);
      Atomics.notify(counters, FINISHED);
      onBlock();
    }
  } catch (error) {
    Atomics.store(counters, FAILED, 1);
    Atomics.notify(counters, FINISHED);
    throw error;
  }
}

function hashBlock(
  { file, size, blockSize }: SharedBlocks,
  block: number,
  piece: Buffer,
): Uint8Array {
  const hash = createHash('sha1');
  const end = Math.min(size, (block + 1) * blockSize);
  for (let at = block * blockSize; at < end; ) {
    const count = readSync(file, piece, 0, Math.min(piece.length, end - at), at);
    if (count === 0) throw new Error(CHANGED);
    hash.update(count === piece.length ? piece : piece.subarray(0, count));
    at += count;
  }
  return hash.digest();
}
