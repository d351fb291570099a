/**
 * How programs of the command line grow: a run with the number of vectors, `etag` with the size of a file.
 *
 * @module
 */
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../harness/suite/package-root.ts';
import { median } from '../load/figures.ts';
import { runTimed } from '../load/timed-program.ts';
import { type Curve, type Point, sizesUpTo } from './curve.ts';

const CLI = [process.execPath, packagePath('dist/bin/svc-conformance.cjs')] as const;
const MIB = 1024 ** 2;
/** Of the program, for each size; the median counts. */
const RUNS = 3;

function measureProgram(size: number, parameters: readonly string[], runs: number): Point {
  const uses = Array.from({ length: runs }, () => runTimed([...CLI, ...parameters]));
  return {
    size,
    milliseconds: median(uses.map(({ clock }) => clock)),
    mebibytes: median(uses.map(({ memory }) => memory)) / MIB,
  };
}

/** Of all vectors, each on other fresh data. */
const ROUNDS: readonly number[] = [1, 12, 121, 1207];

function* measureVectors(largest: number): Generator<Point> {
  const fresh = ['run', '--adapter', 'reference', '--fresh', '1', '--time-limit', '999999'];
  const { output } = runTimed([...CLI, ...fresh]);
  const vectors = Number(/ · (\d+) vectors/.exec(output)?.[1]);
  for (const rounds of sizesUpTo(largest / vectors, ROUNDS)) {
    const runs = rounds < 100 ? RUNS : 1;
    yield measureProgram(rounds * vectors, [...fresh, '--rounds', `${rounds}`], runs);
  }
}

export const VECTORS: Curve = {
  name: 'vectors',
  sizes: 'vectors, each asked on fresh data',
  time: 'run --fresh --rounds with the reference',
  memory: 'its peak',
  measure: measureVectors,
};

const FILE_SIZES: readonly number[] = [
  4096,
  65_536,
  MIB,
  16 * MIB,
  128 * MIB,
  1024 * MIB,
  8192 * MIB,
];

function* measureFiles(largest: number, folder: string): Generator<Point> {
  const path = join(folder, 'file');
  for (const size of sizesUpTo(largest, FILE_SIZES)) {
    writeFileSync(path, '');
    truncateSync(path, size);
    // Brings the file into the page cache.
    runTimed([...CLI, 'etag', path]);
    yield measureProgram(size, ['etag', path], RUNS);
  }
  rmSync(path);
}

export const FILES: Curve = {
  name: 'files',
  sizes: 'bytes of a file in the page cache',
  time: 'etag',
  memory: 'its peak',
  measure: measureFiles,
};
