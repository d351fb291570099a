/**
 * Runs whole programs and measures what they use.
 *
 * @module
 */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packagePath } from '../../harness/suite/package-root.ts';

/** What a program and its children used, from its start to its end. */
export interface ProgramUse {
  /** By the clock, in milliseconds. */
  readonly clock: number;
  /** Of all its threads, in milliseconds. */
  readonly processor: number;
  /** The most memory that it had at a time, in bytes. */
  readonly memory: number;
  readonly output: string;
}

const TIMED = packagePath('bench/load/timed-program.py');

/** @throws Error if the program fails */
export function runTimed(
  command: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): ProgramUse {
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-bench-'));
  const path = join(folder, 'output');
  // A file, because reading a pipe would take time of the processors that the program uses.
  const file = openSync(path, 'w');
  try {
    const { output } = spawnSync('python3', [TIMED, ...command], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', file, 'inherit', 'pipe'],
    });
    const [clock = 0, processor = 0, memory = 0, status] = `${output?.[3]}`.split(' ').map(Number);
    if (status !== 0) throw new Error(`${command.join(' ')} ended with status ${status}`);
    const written = readFileSync(path, 'utf8');
    return { clock: clock * 1000, processor: processor * 1000, memory, output: written };
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true });
  }
}
