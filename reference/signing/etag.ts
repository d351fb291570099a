/**
 * The ETag of a file and of a part (§2, §8).
 *
 * @module
 */
import { sha1, sha1Hash } from '#digest';
import { hexadecimal } from './hexadecimal.ts';
import type { Context } from './steps.ts';

/** 4 MB in bytes. §2 does not say which megabyte; every published SDK takes the binary one. */
export const BLOCK_SIZE: number = 4 * 1024 * 1024;

export interface EtagStages {
  readonly blockCount: number;
  /** The SHA-1 that enters the ETag, in lower-case hexadecimal. */
  readonly digest: string;
  readonly etag: string;
}

export type PartEtagStages = Omit<EtagStages, 'blockCount'>;

/** The SHA-1s of a file's blocks, fed piece by piece in constant memory. */
export interface BlockHash {
  readonly update: (piece: Uint8Array) => void;
  readonly digests: () => readonly Uint8Array[];
}

/** Cuts what it is fed into blocks of `blockSize` bytes; the last may be shorter, none is empty. */
export function blockHash(blockSize: number): BlockHash {
  const finished: Uint8Array[] = [];
  let block = sha1Hash();
  let filled = 0;

  const finish = (): void => {
    finished.push(block.digest());
    block = sha1Hash();
    filled = 0;
  };
  return {
    update(piece) {
      for (let start = 0; start < piece.length; ) {
        const part = piece.subarray(start, start + blockSize - filled);
        block.update(part);
        filled += part.length;
        start += part.length;
        if (filled === blockSize) finish();
      }
    },
    digests() {
      if (filled > 0) finish();
      return finished;
    },
  };
}

/** One block: its own SHA-1. Several: the SHA-1 over theirs. None, which §2 does not mention: the SHA-1 of nothing. */
export function fileDigest(blocks: readonly Uint8Array[]): Uint8Array {
  const [first] = blocks;
  return first && blocks.length === 1 ? first : sha1(joined(blocks));
}

/** The bytes of an ETag, whose layout §2 leaves open: the count, least significant byte first, and the digest. */
export function etagBytes(blockCount: number, digest: Uint8Array): Uint8Array {
  const count = new Uint8Array(4);
  new DataView(count.buffer).setUint32(0, blockCount, true);
  return joined([count, digest]);
}

/** A file's ETag in the making. */
export interface EtagHash {
  readonly update: (piece: Uint8Array) => void;
  readonly stages: () => EtagStages;
}

/** The ETag of whatever is fed to it, in constant memory. */
export function etagHash({ steps }: Context): EtagHash {
  const blocks = steps.blockHash(steps.blockSize);
  return {
    update: blocks.update,
    stages() {
      const digests = blocks.digests();
      const digest = steps.fileDigest(digests);
      const blockCount = digests.length;
      return {
        blockCount,
        digest: hexadecimal(digest),
        etag: steps.etagText(steps.etagBytes(blockCount, digest)),
      };
    },
  };
}

/** The ETag of a file that is in memory. */
export function etag(content: Uint8Array, context: Context): EtagStages {
  const hash = etagHash(context);
  hash.update(content);
  return hash.stages();
}

/** The ETag of a stream; how it is cut into pieces does not matter. */
export async function etagOfStream(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  context: Context,
): Promise<EtagStages> {
  const hash = etagHash(context);
  for await (const piece of pieces) hash.update(piece);
  return hash.stages();
}

/** The ETag of a part of an upload: its SHA-1 alone. */
export function partEtag(content: Uint8Array, context: Context): PartEtagStages {
  return partEtagOfPieces([content], context);
}

/** The same of a part that comes in pieces, in constant memory. */
export function partEtagOfPieces(pieces: Iterable<Uint8Array>, { steps }: Context): PartEtagStages {
  const hash = sha1Hash();
  for (const piece of pieces) hash.update(piece);
  const digest = hash.digest();
  return { digest: hexadecimal(digest), etag: steps.etagText(steps.partEtagBytes(digest)) };
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((size, { length }) => size + length, 0));
  let end = 0;
  for (const piece of pieces) {
    bytes.set(piece, end);
    end += piece.length;
  }
  return bytes;
}
