/** A flipped bit anywhere in a data folder is reported or harmless. */
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRandom } from '../../bench/load/random.ts';
import { checkFolder } from '../../reference/server/store/check-folder.ts';
import { openDurableStore } from '../../reference/server/store/durable-store.ts';
import { RUNS } from '../amount.ts';
import { folderOfTest } from '../temporary-folder.ts';
import { type Fate, fateOf, flipsIn, kindOf } from './flipped/flips.ts';
import { fillFolder, type Reading, readAll } from './flipped/folder.ts';
import { OPTIONS } from './stores.ts';

const FLIPS = RUNS > 1 ? 50 * RUNS : 16;
const SEED = 21;

/** A row for each kind of file and outcome. */
function table(fates: readonly (readonly [kind: string, fate: Fate])[]): string {
  const counts = new Map<string, number>();
  for (const [kind, { outcome }] of fates) {
    const row = `${kind.padEnd(20)} ${outcome}`;
    counts.set(row, (counts.get(row) ?? 0) + 1);
  }
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([row, count]) => `${String(count).padStart(4)}  ${row}`)
    .join('\n');
}

test(`each of ${FLIPS} flipped bits is reported or harmless, seed ${SEED}`, async () => {
  const folder = folderOfTest();
  const original = join(folder, 'original');
  mkdirSync(original);
  await fillFolder(original, SEED);
  expect(await checkFolder(original)).toEqual({ faults: [], notes: [] });
  const whole = join(folder, 'whole');
  const fates: [string, Fate][] = [];
  const wrongs: string[] = [];
  const flips = flipsIn(original, FLIPS, createRandom(SEED));
  const reading = await wholeReading(original, whole);
  for (const flip of flips) {
    const copy = join(folder, 'copy');
    const fate = await fateOf(flip, original, copy, reading);
    rmSync(copy, { recursive: true });
    fates.push([kindOf(flip), fate]);
    const unfit = fate.sentences.filter((sentence) => /\n|^\s+at |Error:/.test(sentence));
    for (const wrong of [...fate.wrongs, ...unfit]) {
      wrongs.push(`${flip.path} byte ${flip.offset} bit ${flip.bit}: ${wrong}`);
    }
  }
  console.log(`${FLIPS} flips, seed ${SEED}\n${table(fates)}`);
  expect(wrongs).toEqual([]);
  expect(fates).toHaveLength(FLIPS);
}, 1_800_000);

async function wholeReading(original: string, copy: string): Promise<Reading> {
  cpSync(original, copy, { recursive: true });
  const store = await openDurableStore(copy, OPTIONS);
  const reading = await readAll(store);
  await store.close();
  return reading;
}
