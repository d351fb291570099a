/**
 * What a program started, found again whatever process group it has moved to.
 *
 * Linux shows the environment of a process, so a variable marks everything that a program starts. Elsewhere only the
 * process group is ended.
 *
 * @module
 */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** Its value is a list: a run within a run has the marks of both. */
const VARIABLE = 'SVC_RUN_ID';

/** More often than this, what is ended is not looked for again: it may have started others meanwhile. */
const ROUNDS = 10;

/** The programs that run, by their marks; they end with the harness. */
const running = new Map<string, number>();

/** An environment with a mark of its own. */
export function markedEnvironment(environment: NodeJS.ProcessEnv): {
  readonly mark: string;
  readonly environment: NodeJS.ProcessEnv;
} {
  const mark = randomUUID();
  const marks = [environment[VARIABLE] ?? '', mark].filter((one) => one !== '');
  return { mark, environment: { ...environment, [VARIABLE]: marks.join(',') } };
}

/** Remembers a program, so that it is ended whatever ends the harness. */
export function rememberRunning(mark: string, pid: number): void {
  if (running.size === 0) process.on('exit', endRunning);
  running.set(mark, pid);
}

/** Ends everything that has the mark. */
export function endMarked(mark: string): void {
  running.delete(mark);
  if (running.size === 0) process.off('exit', endRunning);
  if (process.platform !== 'linux') return;
  for (let round = 0; round < ROUNDS; round++) {
    const pids = markedProcesses(mark);
    if (pids.length === 0) return;
    for (const pid of pids) killed(pid);
  }
}

function endRunning(): void {
  for (const [mark, pid] of running) {
    killed(process.platform === 'win32' ? pid : -pid);
    endMarked(mark);
  }
}

function markedProcesses(mark: string): readonly number[] {
  const pids = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name));
  return pids.filter((pid) => environmentText(pid).includes(mark)).map(Number);
}

/** Nothing of processes that have ended, or that belong to others. */
function environmentText(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}

function killed(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}
