/**
 * Writes to the database on disk, each with the tally of all records.
 *
 * @module
 */
import type { ClassicLevel } from 'classic-level';
import type { HighWaterMark } from './high-water-mark.ts';
import { CHECKED, checksumOf } from './record-text.ts';
import type { Change } from './records.ts';
import { countFrom, TALLY, type Tally } from './tally.ts';

const TEXTS = { valueEncoding: 'utf8' } as const;

/** Fulfilled once the changes are on disk, all or none. One call at a time; none after a failure. */
export function talliedWrites(
  database: ClassicLevel,
  start: Tally,
  mark: Pick<HighWaterMark, 'raise'>,
): (changes: readonly Change[]) => Promise<void> {
  let tally = start;
  return async (changes) => {
    // Of several changes of one record the last counts.
    const last = new Map(changes.map((change) => [change.key, change] as const));
    const next = [...last.values()].map((change) =>
      change.type === 'del'
        ? change
        : { ...change, value: CHECKED.encode(change.key, change.value) },
    );
    const before = await database.getMany<string, string>([...last.keys()], TEXTS);
    const count = countFrom(tally);
    for (const text of before) if (text !== undefined) count.remove(checksumOf(text));
    for (const change of next) if (change.type === 'put') count.add(checksumOf(change.value));
    const total = count.total(tally.writes + 1);
    const tallied = { type: 'put', key: TALLY, value: CHECKED.encode(TALLY, total) } as const;
    await database.batch<string, string>([...next, tallied], { ...TEXTS, sync: true });
    tally = total;
    await mark.raise(total.writes);
  };
}
