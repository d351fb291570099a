/**
 * From start to verdict over all vectors: whole processes, against a Node that does nothing.
 *
 * @module
 */
import { spawnSync } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { packagePath } from '../harness/suite/package-root.ts';

const ROUNDS = 21;
const CLI = packagePath('dist/bin/svc-conformance.cjs');

interface Candidate {
  readonly name: string;
  readonly parameters: readonly string[];
  /** What the project promises, as a multiple of the first candidate. */
  readonly limit?: number;
}

const CANDIDATES: readonly Candidate[] = [
  { name: 'node -e 0', parameters: ['-e', '0'] },
  { name: 'run, the reference', parameters: [CLI, 'run', '--adapter', 'reference'], limit: 3.5 },
  { name: 'run, the Python adapter', parameters: [CLI, 'run', '--adapter', 'python'], limit: 2.5 },
];

/** A `python3` that is a script choosing between versions costs more than the adapter: its choice goes first on the PATH. */
function plainPython(): string {
  const { stdout } = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], {
    encoding: 'utf8',
  });
  return dirname(stdout.trim());
}

const environment = {
  ...process.env,
  PATH: `${plainPython()}${delimiter}${process.env['PATH']}`,
  // Python keeps what it has compiled, unless it is told not to.
  PYTHONDONTWRITEBYTECODE: '',
};

/** Milliseconds of one whole process. */
function duration({ name, parameters }: Candidate): number {
  const start = performance.now();
  const { status } = spawnSync(process.execPath, parameters, { env: environment, stdio: 'ignore' });
  if (status !== 0) throw new Error(`${name} ended with status ${status}`);
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

// In turns, so that a machine that slows down slows all of them.
const durations = CANDIDATES.map((): number[] => []);
for (let round = 0; round < ROUNDS; round++) {
  for (const [i, candidate] of CANDIDATES.entries()) durations[i]?.push(duration(candidate));
}

const medians = durations.map(median);
const [base = Number.NaN] = medians;
for (const [i, { name, limit }] of CANDIDATES.entries()) {
  const milliseconds = medians[i] ?? Number.NaN;
  const promise = limit === undefined ? '' : `  (at most ${limit.toFixed(1)})`;
  process.stdout.write(
    `${name.padEnd(24)} ${milliseconds.toFixed(0).padStart(5)} ms  ${(milliseconds / base).toFixed(2)}${promise}\n`,
  );
}
