/**
 * The files of a load, each with several alternating contents.
 *
 * @module
 */
import { createHash, randomBytes } from 'node:crypto';
import { etag, SPECIFICATION } from '../../reference/signing/index.ts';

export interface MixedFile {
  readonly key: string;
  readonly size: number;
  /** The possible contents. A reader receives one of them completely, even during a put. */
  readonly contents: readonly MixedContent[];
}

export interface MixedContent {
  readonly bytes: Uint8Array;
  readonly sha1: string;
  readonly etag: string;
}

const KIBIBYTE = 1024;

/** From 64 KiB to 8 MiB, each twice as large as the one before: 16 MiB together. */
export const MIXED_SIZES: readonly number[] = Array.from(
  { length: 8 },
  (_, power) => 64 * KIBIBYTE * 2 ** power,
);

/** A server holds all these files at the same time. */
export function createFiles(sizes: readonly number[], filesOfASize: number): readonly MixedFile[] {
  const random = randomBytes(16 * KIBIBYTE ** 2);
  return sizes.flatMap((size) =>
    Array.from({ length: filesOfASize }, (_, number) => ({
      key: `${size} bytes, ${number}`,
      size,
      contents: [0, 1, 2].map((content) => {
        // Odd distances, so that no two contents share a block.
        const start = number * 1009 + content * 500_009;
        return createContent(random.subarray(start, start + size));
      }),
    })),
  );
}

function createContent(bytes: Uint8Array): MixedContent {
  return {
    bytes,
    sha1: createHash('sha1').update(bytes).digest('hex'),
    etag: etag(bytes, SPECIFICATION).etag,
  };
}
