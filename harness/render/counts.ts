/**
 * The table of counts, which several formats share.
 *
 * @module
 */
import type { Report } from '../engine/report/report.ts';
import { LEVELS, type Level } from '../engine/vector.ts';

/** The number of outcomes with a status, such as `3 fail`. */
interface StatusCount {
  readonly status: string;
  readonly text: string;
}

/** The counts of a level, of forged requests, or of fresh data. */
export interface CountsRow {
  readonly name: Level | 'forged' | 'fresh';
  readonly counts: readonly StatusCount[];
}

/** The rows of the table of counts. Rows without counts are left out. */
export function listCounts({ counts, forgedCounts, freshCounts }: Report): readonly CountsRow[] {
  const rows: readonly CountsRow[] = [
    ...LEVELS.map((name) => ({ name, counts: countTexts(counts[name]) })),
    // A refusal of a forged request is correct.
    { name: 'forged', counts: countTexts(forgedCounts, 'refused') },
    { name: 'fresh', counts: countTexts(freshCounts) },
  ];
  return rows.filter((row) => row.counts.length > 0);
}

function countTexts(
  counts: ReadonlyMap<string, number>,
  refused = 'wrongly refused',
): readonly StatusCount[] {
  return [...counts].map(([status, count]) => {
    const words = status === 'known failure' && count > 1 ? 'known failures' : status;
    return { status, text: `${count} ${status === 'refused' ? refused : words}` };
  });
}
