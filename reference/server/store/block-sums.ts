/**
 * The checksums at the end of the file of a content: one for each block, and one over these.
 *
 * @module
 */
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

/** 64 KiB. Changing it takes a new format of the folder. */
export const BLOCK: number = 64 * 1024;

const EACH = 4;

export interface BlockSums {
  readonly update: (piece: Uint8Array) => void;
  /** What follows the bytes in their file. */
  readonly trailer: () => Buffer;
}

export function blockSums(): BlockSums {
  const sums: number[] = [];
  let size = 0;
  let current = 0;
  return {
    update(piece) {
      for (let start = 0; start < piece.length; ) {
        const part = piece.subarray(start, start + BLOCK - (size % BLOCK));
        current = crc32(part, current);
        size += part.length;
        start += part.length;
        if (size % BLOCK > 0) continue;
        sums.push(current);
        current = 0;
      }
    },
    trailer: () => trailerOf(size % BLOCK > 0 ? [...sums, current] : sums, size),
  };
}

function trailerOf(sums: readonly number[], size: number): Buffer {
  const trailer = Buffer.alloc((sums.length + 1) * EACH);
  for (const [at, sum] of sums.entries()) trailer.writeUInt32LE(sum, at * EACH);
  trailer.writeUInt32LE(totalOf(trailer.subarray(0, -EACH), size), sums.length * EACH);
  return trailer;
}

/** The size is part of it: a file that was cut short between blocks shows. */
function totalOf(sums: Uint8Array, size: number): number {
  return crc32(String(size), crc32(sums));
}

/** How many bytes there are before the checksums in a file of this length. */
export function sizeBefore(length: number): number {
  return Math.max(0, length - EACH * (Math.ceil((length - EACH) / (BLOCK + EACH)) + 1));
}

/** How long the file of so many bytes is. */
export const lengthOf = (size: number): number => size + EACH * (Math.ceil(size / BLOCK) + 1);

/** Whether a block, by its number, is what was written; throws where the checksums themselves are damaged. */
export async function blockCheck(
  file: FileHandle,
  length: number,
): Promise<(block: Uint8Array, number: number) => boolean> {
  const size = sizeBefore(length);
  const trailer = Buffer.alloc(length - size);
  await file.read(trailer, 0, trailer.length, size);
  const sums = trailer.subarray(0, -EACH);
  const isWhole =
    trailer.length >= EACH && trailer.readUInt32LE(sums.length) === totalOf(sums, size);
  if (!isWhole) throw new Error('the checksums at its end are damaged');
  return (block, number) =>
    (number + 1) * EACH <= sums.length && sums.readUInt32LE(number * EACH) === crc32(block);
}
