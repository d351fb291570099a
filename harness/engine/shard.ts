/**
 * Shards: a run that is split over several machines, each with its own vectors.
 *
 * @module
 */
import { UsageError } from './errors.ts';

export interface Shard {
  /** From 1 to `count`. */
  readonly index: number;
  readonly count: number;
}

/** More shards than this would have no vectors. */
const MOST_SHARDS = 256;

/** Parses `2/4`. @throws UsageError */
export function parseShard(text: string): Shard {
  const [, index, count] = /^([0-9]{1,3})\/([0-9]{1,3})$/.exec(text)?.map(Number) ?? [];
  if (index === undefined || count === undefined || index < 1 || index > count) {
    throw new UsageError(
      `--shard ${JSON.stringify(text)} is not a shard; write --shard 1/4 for the first of four`,
    );
  }
  if (count > MOST_SHARDS) {
    throw new UsageError(`--shard ${text}: at most ${MOST_SHARDS} shards are possible`);
  }
  return { index, count };
}

export function formatShard({ index, count }: Shard): string {
  return `${index}/${count}`;
}

/** Whether a vector belongs to a shard. It depends on the id alone, so a new vector moves no other one. */
export function isInShard(id: string, { index, count }: Shard): boolean {
  return hashText(id) % count === index - 1;
}

/** FNV-1a over UTF-16 code units, then the final mix of MurmurHash3, because `%` reads the low bits. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
