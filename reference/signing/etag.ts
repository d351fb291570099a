/**
 * The ETag of a file and of a part (§2, §8). Every export is a step.
 *
 * @module
 */
import { sha1 as digestSha1, sha1Hash } from '#digest';
import { base64Url, concatBytes } from './bytes.ts';
import type { Sha1Hash } from './digest/contract.ts';
import type { Context } from './types.ts';

/** The SHA-1s of a file's blocks, fed piece by piece in constant memory. */
export interface BlockHash {
  readonly update: (piece: Uint8Array) => void;
  readonly digests: () => readonly Uint8Array[];
}

/** 4 MiB. §2 does not say which megabyte; all published SDKs use the binary one. */
export const blockSize: number = 4 * 1024 * 1024;

/** Hashes its input in blocks of `size` bytes. The last block may be shorter; no block is empty. */
export function blockHash(size: number): BlockHash {
  const finished: Uint8Array[] = [];
  /** Of the block that has begun. */
  let block: Sha1Hash | undefined;
  let filled = 0;
  const finish = (): void => {
    if (block) finished.push(block.digest());
    block = undefined;
    filled = 0;
  };
  return {
    update(piece) {
      for (let start = 0; start < piece.length; ) {
        const part = piece.subarray(start, start + size - filled);
        block ??= sha1Hash();
        block.update(part);
        filled += part.length;
        start += part.length;
        if (filled === size) finish();
      }
    },
    digests() {
      finish();
      return finished;
    },
  };
}
/** The digests of the blocks that enter the digest of the file. */
export const hashedBlocks = (digests: readonly Uint8Array[]): readonly Uint8Array[] => digests;
/** One block: its SHA-1. Several blocks: the SHA-1 over their SHA-1s. No block (§2 mentions no empty file): the SHA-1 of no bytes. */
export function fileDigest(digests: readonly Uint8Array[]): Uint8Array {
  const [first] = digests;
  return first && digests.length === 1 ? first : digestSha1(concatBytes(digests));
}
export const etagDigest = (digest: Uint8Array): Uint8Array => digest;
/** The block count as a 32-bit little-endian integer; §2 leaves the layout open. */
export function countBytes(count: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, count, true);
  return bytes;
}
export const etagLayout = (count: Uint8Array, digest: Uint8Array): Uint8Array =>
  concatBytes([count, digest]);
/** The bytes of an ETag: the count and the digest. */
export const etagBytes = (count: number, digest: Uint8Array, { steps }: Context): Uint8Array =>
  steps.etagLayout(steps.countBytes(count), digest);
/** The text of an ETag, of a file or of a part. */
export const etagText = (bytes: Uint8Array): string => base64Url(bytes);
/** The ETag of a part of an upload: its SHA-1 alone. */
export const partHash = (size: number, _: Context): BlockHash => blockHash(size);
export const partEtagBytes = (digest: Uint8Array): Uint8Array => digest;
export const partEtagText = (bytes: Uint8Array, { steps }: Context): string =>
  steps.etagText(bytes);
