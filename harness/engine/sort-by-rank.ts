/**
 * Sorts by several numbers, as for the vector that shows something best.
 *
 * @module
 */

/** Sorts items by their ranks, which are compared number by number. */
export function sortByRank<Item>(
  items: readonly Item[],
  rank: (item: Item) => readonly number[],
): readonly Item[] {
  return items
    .map((item) => [item, rank(item)] as const)
    .sort(([, a], [, b]) => {
      const at = a.findIndex((number, i) => number !== b[i]);
      return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
    })
    .map(([item]) => item);
}
