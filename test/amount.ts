/**
 * How much the tests try: a part in `npm test`, all with SVC_TEST_RUNS, as .ci/run sets it.
 *
 * @module
 */

/** Counts of random cases are multiplied by this. */
export const RUNS: number = parseRuns(process.env['SVC_TEST_RUNS']);

/** @throws {Error} for a text that would leave out every case */
function parseRuns(text = '1'): number {
  if (Number(text) >= 1) return Number(text);
  throw new Error(`SVC_TEST_RUNS is ${JSON.stringify(text)}; write a number from 1 on`);
}

/** With SVC_TEST_RUNS=4, as .ci/run sets it, every table is taken whole. */
const WHOLE = 4;

/** One row in `share`, the first included; as many more as SVC_TEST_RUNS says. */
export function someOf<Row>(rows: readonly Row[], share: number): readonly Row[] {
  return rows.filter((_, i) => RUNS >= WHOLE || i % share < RUNS);
}
