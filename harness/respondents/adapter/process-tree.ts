/**
 * Programs that are started, and killed with everything that they have started themselves.
 *
 * A program gets a process group of its own. Processes can leave the group, so an environment variable marks everything
 * that the program starts. Only Linux shows the environment of other processes; elsewhere only the group is killed.
 *
 * @module
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** The variable's value is a list, because a program may itself run the harness. */
const VARIABLE = 'SVC_RUN_ID';

/** How often the harness looks for marked processes, since they may start others until they are killed. */
const ROUNDS = 10;

/** The running programs by their marks, to be killed when the harness exits. */
const running = new Map<string, number>();

export interface ProcessTree {
  readonly child: ChildProcess;
  readonly mark: string;
}

/**
 * Starts a program.
 *
 * @throws an error of the system that Node does not emit as an event, such as a path that leads through a file
 */
export function spawnTree(
  [program = '', ...parameters]: readonly string[],
  environment: NodeJS.ProcessEnv,
  options: Pick<SpawnOptions, 'stdio' | 'cwd'>,
): ProcessTree {
  const mark = randomUUID();
  const marks = [environment[VARIABLE] ?? '', mark].filter((one) => one !== '');
  const child = spawn(program, parameters, {
    ...options,
    env: { ...environment, [VARIABLE]: marks.join(',') },
    windowsHide: true,
    // Makes the program the leader of a process group.
    detached: process.platform !== 'win32',
  });
  if (child.pid !== undefined) killOnExit(mark, child.pid);
  return { child, mark };
}

/** Kills the program, its process group and all marked processes. */
export function killTree({ child, mark }: ProcessTree): void {
  if (child.pid !== undefined) killGroup(child.pid, child);
  killMarked(mark);
}

/** Sends a signal to a process group, and returns whether the group exists. */
export function signalGroup(group: number, signal: NodeJS.Signals): boolean {
  return signalProcess(-group, signal);
}

function killOnExit(mark: string, pid: number): void {
  if (running.size === 0) process.on('exit', killRunning);
  running.set(mark, pid);
}

function killRunning(): void {
  for (const [mark, pid] of running) {
    signalProcess(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
    killMarked(mark);
  }
}

function killGroup(pid: number, child: ChildProcess): void {
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', `${pid}`, '/t', '/f'], { stdio: 'ignore' }).on('error', () => {});
    return;
  }
  // Without a group, only the child itself can be left.
  if (!signalGroup(pid, 'SIGKILL')) child.kill('SIGKILL');
}

function killMarked(mark: string): void {
  running.delete(mark);
  if (running.size === 0) process.off('exit', killRunning);
  if (process.platform !== 'linux') return;
  for (let round = 0; round < ROUNDS; round++) {
    const pids = findMarked(mark);
    if (pids.length === 0) return;
    for (const pid of pids) signalProcess(pid, 'SIGKILL');
  }
}

function findMarked(mark: string): readonly number[] {
  const pids = listProcesses().filter((name) => /^[0-9]+$/.test(name));
  return pids.filter((pid) => readEnvironment(pid).includes(mark)).map(Number);
}

/** None where /proc is not mounted, such as in an empty root. */
function listProcesses(): readonly string[] {
  try {
    return readdirSync('/proc');
  } catch {
    return [];
  }
}

/** Empty if the process has ended, or belongs to another user. */
function readEnvironment(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}

function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
