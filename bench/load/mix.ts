/**
 * The files of a load, each with a few contents that take turns.
 *
 * @module
 */
import { createHash, randomBytes } from 'node:crypto';
import { etag, SPECIFICATION } from '../../reference/signing/index.ts';

export interface MixedFile {
  readonly key: string;
  readonly size: number;
  /** What it may be; whoever reads it while it is written gets one of them, whole. */
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

/** What these files have together is what a server holds all the time. */
export function filesOf(sizes: readonly number[], filesOfASize: number): readonly MixedFile[] {
  const random = randomBytes(16 * KIBIBYTE ** 2);
  return sizes.flatMap((size) =>
    Array.from({ length: filesOfASize }, (_, number) => ({
      key: `${size} bytes, ${number}`,
      size,
      contents: [0, 1, 2].map((content) => {
        // An odd distance, so that no two contents are alike in any block.
        const start = number * 1009 + content * 500_009;
        return contentOf(random.subarray(start, start + size));
      }),
    })),
  );
}

function contentOf(bytes: Uint8Array): MixedContent {
  return {
    bytes,
    sha1: createHash('sha1').update(bytes).digest('hex'),
    etag: etag(bytes, SPECIFICATION).etag,
  };
}
