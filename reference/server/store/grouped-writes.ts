/**
 * Changes of records on their way to disk: together where they come together, and none after a failure.
 *
 * @module
 */
import type { Change } from './records.ts';

type Write = (changes: Change[]) => Promise<void>;

/**
 * One write at a time; what comes meanwhile goes together in the next one.
 *
 * After a failure, such as of a full disk, the log of LevelDB may end in half a record. It would take further ones, and
 * not find them again at the next start: so nothing is written any more.
 */
export function groupedWrites(write: Write): Write {
  let waiting: Change[][] = [];
  let written: Promise<void> = Promise.resolve();

  const next = async (before: Promise<void>): Promise<void> => {
    let group: Change[][] = [];
    try {
      await before;
    } finally {
      group = waiting;
      waiting = [];
    }
    await write(group.flat());
  };
  return (changes) => {
    waiting.push(changes);
    if (waiting.length === 1) written = next(written);
    return written;
  };
}
