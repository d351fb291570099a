/**
 * Measures `etag` beside other programs, all as whole processes: `npm run bench:etag [-- ROUNDS [MIB [FILES]]]`.
 *
 * The programs take turns, so a machine that gets slower or faster changes all of them.
 *
 * @module
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { packagePath } from '../harness/suite/package-root.ts';
import { buildC, buildGo, findPython, type PeerCommand, STREAMS } from './load/etag-peers.ts';
import { mebibytes, median, table } from './load/figures.ts';
import { type ProgramUse, runTimed } from './load/timed-program.ts';

const [ROUNDS = 5, SIZE = 2048, FILES = 50_000] = process.argv.slice(2).map(Number);
const MIB = 1024 ** 2;
/** Of each small file, in bytes. */
const SMALL = 4096;

const CLI = packagePath('dist/bin/svc-conformance.cjs');
const OURS: PeerCommand = [process.execPath, CLI, 'etag'];

interface Candidate {
  readonly name: string;
  readonly command: PeerCommand;
  /** Its duration as a multiple of the duration of `etag`. */
  readonly promised?: number;
}

interface Measured extends Candidate {
  /** Empty if it cannot run. */
  readonly rounds: readonly ProgramUse[];
}

/** Runs all candidates in each round, each time with another first one. @throws Error if two of them write other ETags */
function measure(candidates: readonly Candidate[], path: string): readonly Measured[] {
  const runnable = candidates.filter(({ command }) => typeof command !== 'string');
  const rounds = new Map<Candidate, ProgramUse[]>(runnable.map((one) => [one, []]));
  const etags = new Set<string>();
  for (let round = -1; round < ROUNDS; round++) {
    for (let turn = 0; turn < runnable.length; turn++) {
      const candidate = runnable[(round + 1 + turn) % runnable.length];
      if (!candidate) continue;
      const use = runTimed([...candidate.command, path]);
      etags.add(use.output.replace(/ .*/g, ''));
      // The first round brings the files into the page cache.
      if (round >= 0) rounds.get(candidate)?.push(use);
    }
  }
  if (etags.size !== 1) throw new Error(`the programs write different ETags of ${path}`);
  return candidates.map((one) => ({ ...one, rounds: rounds.get(one) ?? [] }));
}

/** What a candidate used in each round, as a multiple of what `etag` used. */
function ratios(
  { rounds }: Measured,
  [ours]: readonly Measured[],
  kind: 'clock' | 'processor',
): readonly number[] {
  return rounds.map((use, round) => use[kind] / (ours?.rounds[round]?.[kind] ?? Number.NaN));
}

function row(
  measured: Measured,
  all: readonly Measured[],
  speed: (milliseconds: number) => string,
): readonly string[] {
  const { name, rounds, promised } = measured;
  const clock = ratios(measured, all, 'clock');
  return [
    name,
    speed(median(rounds.map((use) => use.clock))),
    mebibytes(median(rounds.map(({ memory }) => memory))),
    median(rounds.map(({ processor }) => processor)).toFixed(0),
    median(clock).toFixed(2),
    `${Math.min(...clock).toFixed(2)} to ${Math.max(...clock).toFixed(2)}`,
    median(ratios(measured, all, 'processor')).toFixed(2),
    promised?.toFixed(2) ?? '',
  ];
}

/** A row for each candidate that ran, and a line for each other. */
function say(
  heading: string,
  unit: string,
  all: readonly Measured[],
  speed: (milliseconds: number) => string,
): void {
  const rows = all.filter(({ rounds }) => rounds.length > 0).map((one) => row(one, all, speed));
  process.stdout.write(table([`${heading}, ${ROUNDS} rounds`, unit, ...HEADING], rows));
  for (const { name, command } of all) {
    if (typeof command === 'string') {
      process.stdout.write(`${name}: not run, because ${command}\n`);
    }
  }
}

const HEADING = ['peak MiB', 'CPU ms', 'time ÷ etag', 'of all rounds', 'CPU ÷ etag', 'promised'];

function sayLoad(): void {
  process.stdout.write(`load ${loadavg()[0]?.toFixed(1)}\n\n`);
}

function measureLarge(folder: string): void {
  const path = join(folder, 'large');
  const file = openSync(path, 'w');
  const bytes = randomBytes(16 * MIB);
  for (let left = SIZE * MIB; left > 0; left -= bytes.length) {
    writeSync(file, bytes, 0, Math.min(left, bytes.length));
  }
  closeSync(file);
  const all = measure(
    [
      { name: 'etag', command: OURS },
      { name: 'C with OpenSSL, 2 threads', command: buildC(folder), promised: 0.85 },
      { name: 'Go SDK', command: buildGo(folder), promised: 2.4 },
      { name: 'Python SDK', command: findPython(), promised: 1.7 },
    ],
    path,
  );
  rmSync(path);
  const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(2);
  say(`${SIZE} MiB`, 's', all, seconds);
  sayLoad();
}

function measureSmall(folder: string): void {
  const path = join(folder, 'small');
  mkdirSync(path);
  const bytes = randomBytes(SMALL + FILES);
  for (let number = 0; number < FILES; number++) {
    writeFileSync(join(path, String(number)), bytes.subarray(number, number + SMALL));
  }
  const all = measure(
    [
      { name: 'etag', command: OURS },
      { name: 'createReadStream', command: STREAMS, promised: 20 },
    ],
    path,
  );
  const perSecond = (milliseconds: number): string => ((FILES / milliseconds) * 1000).toFixed(0);
  say(`${FILES} files of ${SMALL} bytes`, 'files/s', all, perSecond);
  const start = median(Array.from({ length: ROUNDS }, () => runTimed([...OURS, CLI]).clock));
  const ours = median(all[0]?.rounds.map(({ clock }) => clock) ?? []);
  process.stdout.write(
    `etag without its start of ${start.toFixed(0)} ms: ${perSecond(ours - start)} files/s\n`,
  );
  sayLoad();
}

const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-bench-'));
try {
  measureLarge(folder);
  measureSmall(folder);
} finally {
  rmSync(folder, { recursive: true });
}
