/**
 * How programs of the command line grow: `run`, `merge` and `fuzz` with the number of questions, `etag` with the size of a file.
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

const FRESH_RUN = ['run', '--adapter', 'reference', '--fresh', '1', '--time-limit', '999999'];

/** How many vectors a round has. */
function countVectors(): number {
  const { output } = runTimed([...CLI, ...FRESH_RUN]);
  return Number(/ · (\d+) vectors/.exec(output)?.[1]);
}

function* measureVectors(largest: number): Generator<Point> {
  const vectors = countVectors();
  for (const rounds of sizesUpTo(largest / vectors, ROUNDS)) {
    const runs = rounds < 100 ? RUNS : 1;
    yield measureProgram(rounds * vectors, [...FRESH_RUN, '--rounds', `${rounds}`], runs);
  }
}

export const VECTORS: Curve = {
  name: 'vectors',
  sizes: 'vectors, each asked on fresh data',
  time: 'run --fresh --rounds with the reference',
  memory: 'its peak',
  measure: measureVectors,
};

const SHARDS: readonly number[] = [1, 2, 3, 4];

/** The report of a shard has the vectors of its last round only, so a million vectors make the same reports. */
const MERGED_ROUNDS = ROUNDS.slice(0, 3);

function* measureMerge(largest: number, folder: string): Generator<Point> {
  const vectors = countVectors();
  for (const rounds of sizesUpTo(largest / vectors, MERGED_ROUNDS)) {
    const reports = SHARDS.map((shard) => {
      const path = join(folder, `${shard}.jsonl`);
      const written = ['--shard', `${shard}/${SHARDS.length}`, '--reporter', `json-lines=${path}`];
      runTimed([...CLI, ...FRESH_RUN, '--rounds', `${rounds}`, ...written]);
      return path;
    });
    yield measureProgram(rounds * vectors, ['merge', ...reports], RUNS);
  }
}

export const MERGED: Curve = {
  name: 'merge',
  sizes: 'vectors that four shards asked on fresh data',
  time: 'merge of their reports',
  memory: 'its peak',
  measure: measureMerge,
};

const REQUESTS: readonly number[] = [1000, 10_000, 100_000, 1_000_000];

function* measureFuzz(largest: number): Generator<Point> {
  const adapter = ['python3', packagePath('adapters/python/adapter.py')];
  for (const requests of sizesUpTo(largest, REQUESTS)) {
    const runs = requests < 100_000 ? RUNS : 1;
    const fuzz = ['fuzz', '--seed', '1', '--runs', `${requests}`, '--', ...adapter];
    yield measureProgram(requests, fuzz, runs);
  }
}

export const FUZZED: Curve = {
  name: 'fuzz',
  sizes: 'requests of fuzz',
  time: 'fuzz of the Python adapter',
  memory: 'its peak',
  measure: measureFuzz,
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
