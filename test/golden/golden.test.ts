import { afterAll, describe, expect, test } from 'vitest';
import { someOf } from '../amount.ts';
import { GoldenFile, type Line } from './golden-file.ts';
import { recordAccept, recordExplain, recordFuzz, recordReport } from './recordings.ts';
import { ACCEPTS, EXPLAINS, FUZZES, PROBES, type Row, RUNS, WIRES } from './rows.ts';

/** Tests each row, or in `npm test` one row in `share`. Skips rows without their toolchain. */
function compareRows<One extends Row>(
  verb: string,
  rows: readonly One[],
  share: number,
  record: (row: One) => Promise<readonly Line[]>,
): void {
  describe(verb, () => {
    const names = rows.map(({ name }) => name);
    const file = new GoldenFile(verb, 'test/golden');
    afterAll(() => file.close(names));

    test('the names of the rows are unique', () => {
      expect(new Set(names).size).toBe(names.length);
    });

    for (const row of someOf(rows, share)) {
      const { name, missing = '' } = row;
      test.skipIf(missing !== '')(`${verb} ${name}${missing}`, async () => {
        file.compare(name, await record(row));
      });
    }
  });
}

compareRows('run', RUNS, 6, (row) => recordReport('run', withSeed(row)));
compareRows('accept', ACCEPTS, 4, (row) => recordAccept(withSeed(row)));
compareRows('fuzz', FUZZES, 3, recordFuzz);
compareRows('wire', WIRES, 3, (row) => recordReport('wire', row));
compareRows('explain', EXPLAINS, 3, recordExplain);
compareRows('probe', PROBES, 4, async ({ start, ...row }) => {
  const url = await start();
  return recordReport('probe', { ...row, parameters: [url, ...row.parameters] });
});

/** Without a seed, the fresh data would change with each version of the package. */
function withSeed(row: Row): Row {
  return { ...row, parameters: ['--seed', '1', ...row.parameters] };
}
