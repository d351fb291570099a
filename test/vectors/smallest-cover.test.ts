import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findSmallestCover } from '../../dist/harness/engine/proof/smallest-cover.js';
import { always } from '../properties.ts';

const COLUMNS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const rows = fc.array(fc.subarray(COLUMNS, { minLength: 1 }), { maxLength: 14 });

/** The size of the smallest cover, found by trying every set of columns. */
function fewest(all: readonly (readonly string[])[]): number {
  const sizes = Array.from({ length: 2 ** COLUMNS.length }, (_, bits) => {
    const chosen = COLUMNS.filter((_column, i) => (bits >> i) & 1);
    const covers = all.every((row) => row.some((column) => chosen.includes(column)));
    return covers ? chosen.length : Number.POSITIVE_INFINITY;
  });
  return Math.min(...sizes);
}

test('the cover has a column of every row, and no cover is smaller', () => {
  always([rows], 500, (all) => {
    const columns = findSmallestCover(all);
    expect(all.filter((row) => !row.some((column) => columns.includes(column)))).toEqual([]);
    expect(columns.length).toBe(fewest(all));
  });
});

test('the smallest cover of a cycle, which no reduction shrinks, is found by search', () => {
  const cycle = COLUMNS.map((column, i) => [column, COLUMNS[(i + 1) % COLUMNS.length] ?? '']);
  const turned = cycle.map((row) => row.toReversed()).reverse();
  expect(findSmallestCover(cycle)).toHaveLength(4);
  expect(findSmallestCover(turned)).toHaveLength(4);
});
