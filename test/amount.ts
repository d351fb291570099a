/**
 * How much the tests try: a part in `npm test`, all with SVC_TEST_RUNS, as .ci/run sets it.
 *
 * @module
 */
import { type TestAPI, test } from 'vitest';

/** Counts of random cases are multiplied by this. */
export const RUNS: number = parseRuns(process.env['SVC_TEST_RUNS']);

/** @throws {Error} for a text that would leave out every case */
function parseRuns(text = '1'): number {
  if (Number(text) >= 1) return Number(text);
  throw new Error(`SVC_TEST_RUNS is ${JSON.stringify(text)}; write a number from 1 on`);
}

/** A test that takes long for what it adds to the others of its file; SVC_TEST_RUNS takes it. */
export const thorough: ReturnType<TestAPI['skipIf']> = test.skipIf(RUNS === 1);

/** With SVC_TEST_RUNS=4, as .ci/run sets it, every table is taken whole. */
const WHOLE = 4;

/** One row in `share`, the first included; as many more as SVC_TEST_RUNS says. */
export function someOf<Row>(rows: readonly Row[], share: number): readonly Row[] {
  return rows.filter((_, i) => RUNS >= WHOLE || i % share < RUNS);
}
