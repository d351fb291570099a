/**
 * Two lists side by side, with gaps where one has an entry more.
 *
 * @module
 */

/** An entry of each list; nothing stands for a gap. */
export type Pairing = readonly [expected: string | undefined, actual: string | undefined];

/** Another entry in its place is likelier than one that is missing beside one too many, and less likely than one of them. */
const OTHER = 1.5;
const GAP = 1;

/** The pairs of the cheapest way from one list to the other. */
export function aligned(
  expected: readonly string[],
  actual: readonly string[],
): readonly Pairing[] {
  const costs: number[][] = [];
  const costAt = (i: number, j: number): number => costs[i]?.[j] ?? Number.POSITIVE_INFINITY;
  const change = (i: number, j: number): number => (expected[i] === actual[j] ? 0 : OTHER);
  for (let i = expected.length; i >= 0; i--) {
    costs[i] = [];
    for (let j = actual.length; j >= 0; j--) {
      const isEnd = i === expected.length && j === actual.length;
      const both = costAt(i + 1, j + 1) + change(i, j);
      const row = costs[i] ?? [];
      row[j] = isEnd ? 0 : Math.min(both, costAt(i + 1, j) + GAP, costAt(i, j + 1) + GAP);
    }
  }
  const pairs: Pairing[] = [];
  let [i, j] = [0, 0];
  while (i < expected.length || j < actual.length) {
    if (costAt(i, j) === costAt(i + 1, j + 1) + change(i, j))
      pairs.push([expected[i++], actual[j++]]);
    else if (costAt(i, j) === costAt(i + 1, j) + GAP) pairs.push([expected[i++], undefined]);
    else pairs.push([undefined, actual[j++]]);
  }
  return pairs;
}
