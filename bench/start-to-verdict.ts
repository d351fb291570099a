/**
 * Measures whole runs over all vectors, from start to verdict, compared with a Node process that does nothing.
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
  /** The promised maximum, as a multiple of the first candidate. */
  readonly limit?: number;
}

const CANDIDATES: readonly Candidate[] = [
  { name: 'node -e 0', parameters: ['-e', '0'] },
  { name: 'run, the reference', parameters: [CLI, 'run', '--adapter', 'reference'], limit: 3.5 },
  { name: 'run, the Python adapter', parameters: [CLI, 'run', '--adapter', 'python'], limit: 2.5 },
];

/** Some `python3` commands are scripts that choose a version, which takes longer than the adapter. Yields the folder of the chosen one. */
function findPython(): string {
  const { stdout } = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], {
    encoding: 'utf8',
  });
  return dirname(stdout.trim());
}

const environment = {
  ...process.env,
  PATH: `${findPython()}${delimiter}${process.env['PATH']}`,
  // Lets Python cache its compiled modules.
  PYTHONDONTWRITEBYTECODE: '',
};

/** The duration of one process; in milliseconds. */
function measure({ name, parameters }: Candidate): number {
  const start = performance.now();
  const { status } = spawnSync(process.execPath, parameters, { env: environment, stdio: 'ignore' });
  if (status !== 0) throw new Error(`${name} ended with status ${status}`);
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

// The candidates alternate, so that a slower machine affects all of them.
const durations = CANDIDATES.map((): number[] => []);
for (let round = 0; round < ROUNDS; round++) {
  for (const [i, candidate] of CANDIDATES.entries()) durations[i]?.push(measure(candidate));
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
