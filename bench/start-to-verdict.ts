/**
 * Measures whole runs over all vectors, from start to verdict, compared with a Node process that does nothing.
 *
 * Other programs on the machine change the time by the clock, and hardly the processor time of the process and its children.
 *
 * @module
 */
import { spawnSync } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { packagePath } from '../harness/suite/package-root.ts';
import { median, table } from './load/figures.ts';
import { runTimed } from './load/timed-program.ts';

const ROUNDS = Number(process.argv[2] ?? 21);
const CLI = packagePath('dist/bin/svc-conformance.cjs');

interface Candidate {
  readonly name: string;
  readonly parameters: readonly string[];
  /** The promised maximum, as a multiple of the first candidate. */
  readonly limit?: number;
}

const CANDIDATES: readonly Candidate[] = [
  { name: 'node -e 0', parameters: ['-e', '0'] },
  { name: 'run, the reference', parameters: [CLI, 'run', '--adapter', 'reference'], limit: 2 },
  { name: 'run, the Python adapter', parameters: [CLI, 'run', '--adapter', 'python'], limit: 2 },
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

// The candidates alternate, so that a slower machine affects all of them.
const rounds = Array.from({ length: ROUNDS }, () =>
  CANDIDATES.map(({ parameters }) => runTimed([process.execPath, ...parameters], environment)),
);

const rows = CANDIDATES.map(({ name, limit }, at) => {
  const figures = (['clock', 'processor'] as const).flatMap((kind) => [
    median(rounds.map((round) => round[at]?.[kind] ?? 0)).toFixed(0),
    median(rounds.map((round) => (round[at]?.[kind] ?? 0) / (round[0]?.[kind] ?? 0))).toFixed(2),
  ]);
  return [name, ...figures, limit?.toFixed(1) ?? ''];
});
process.stdout.write(
  table([`${ROUNDS} rounds`, 'clock ms', 'ratio', 'CPU ms', 'ratio', 'promised'], rows),
);
