/**
 * How programs of the command line grow: a run with the number of vectors, `etag` with the size of a file.
 *
 * @module
 */
import { cpSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
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

/** Adds copies of all vectors to a folder, each file with a path of its own. */
function addCopies(folder: string, from: number, to: number): void {
  const vectors = packagePath('vectors');
  cpSync(join(vectors, 'rules.yaml'), join(folder, 'rules.yaml'));
  for (const entry of readdirSync(vectors, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    for (let copy = from; copy < to; copy++) {
      cpSync(join(vectors, entry.name), join(folder, entry.name, String(copy)), {
        recursive: true,
      });
    }
  }
}

/** How many times the vectors of the package are in the folder. */
const COPIES: readonly number[] = [1, 3, 12, 40, 121];

function* measureVectors(largest: number, folder: string): Generator<Point> {
  let copied = 0;
  for (const copies of COPIES) {
    addCopies(folder, copied, copies);
    copied = copies;
    const all = ['run', '--adapter', 'reference', '--vectors', folder, '--fresh'];
    const { output } = runTimed([...CLI, ...all, '--operation', 'password']);
    const size = Number(/ of (\d+) vectors/.exec(output)?.[1]);
    if (size > largest) return;
    yield measureProgram(size, [...all, '--time-limit', '3600'], copies < 40 ? RUNS : 1);
  }
}

export const VECTORS: Curve = {
  name: 'vectors',
  sizes: 'vectors, each asked on fresh data',
  time: 'run --fresh with the reference',
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
