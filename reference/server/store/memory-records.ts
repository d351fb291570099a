/**
 * What records take in memory, up to a limit: as many empty files would fill it as full ones.
 *
 * @module
 */
import { storeIsFull } from './contents.ts';
import type { Change } from './records.ts';

export interface RecordRoom {
  /** Counts changes; throws before any of them is made where there is no room. */
  readonly take: (changes: readonly Change[]) => void;
  /** Throws where what is left is for changes alone, and no new bytes are taken in any more. */
  readonly check: () => void;
}

/** 1 GiB. */
const MOST_BYTES = 1024 ** 3;

/** What is left to changes when there is no room for new files. */
const RESERVE = 1 / 16;

/** What a record takes beside its name and its text, as was measured; in bytes. */
const EACH = 1536;

export function recordRoom(mostBytes: number = MOST_BYTES): RecordRoom {
  const sizes = new Map<string, number>();
  let taken = 0;
  const checkRoom = (bytes: number, most: number): void => {
    if (bytes <= most) return;
    throw storeIsFull(
      `the store in memory holds records of at most ${mostBytes} bytes; delete files, uploads or buckets, or keep them in a folder with --data`,
    );
  };
  return {
    take(changes) {
      // Of several changes of one record the last counts.
      const after = new Map(changes.map((change) => [change.key, sizeOf(change)] as const));
      let growth = 0;
      for (const [name, size] of after) growth += size - (sizes.get(name) ?? 0);
      if (growth > 0) checkRoom(taken + growth, mostBytes);
      taken += growth;
      for (const [name, size] of after) {
        if (size === 0) sizes.delete(name);
        else sizes.set(name, size);
      }
    },
    check: () => checkRoom(taken, mostBytes * (1 - RESERVE)),
  };
}

function sizeOf(change: Change): number {
  return change.type === 'del' ? 0 : EACH + change.key.length + JSON.stringify(change.value).length;
}
