/**
 * The process of an adapter: writes text to it, splits its output into lines, and kills it with all its descendants.
 *
 * @module
 */

import { isUtf8 } from 'node:buffer';
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { describeSystemError } from '../../../reference/system-errors.ts';
import { systemCode } from '../../../reference/values.ts';
import { LONGEST_LINE } from './messages.ts';
import { listNames, readText, waitAtMost } from './time-limit.ts';

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

/** Why a program could not be started, as a clause. */
export function describeStartFailure(program: string, error: unknown): string {
  const name = JSON.stringify(program);
  if (program === '') return 'the name of its program is empty';
  switch (systemCode(error)) {
    case 'ENOENT':
      return `${name} was not found`;
    case 'EACCES':
      return `${name} is not executable; name a program, make the file executable, or write its interpreter before it`;
    default:
      return `${name} could not be started: ${describeSystemError(error)}`;
  }
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
  if (child.pid !== undefined) {
    if (running.size === 0) process.on('exit', killRunning);
    running.set(mark, child.pid);
  }
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
  const pids = listNames('/proc').filter((name) => /^[0-9]+$/.test(name));
  return pids.filter((pid) => readText(`/proc/${pid}/environ`).includes(mark)).map(Number);
}

function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** How a program ended, as a predicate. */
export function describeExit(status: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `exited with status ${status}` : `was ended by ${signal}`;
}

/** How much of the end of an output is kept; in bytes. */
const KEPT_OUTPUT = 4096;

/** Keeps the end of what the streams give; the returned function reads it. */
export function keepEnd(...streams: readonly (Readable | null)[]): () => string {
  let kept = '';
  for (const stream of streams) {
    stream
      ?.on('data', (piece: Buffer) => {
        kept = (kept + piece.toString('latin1')).slice(-KEPT_OUTPUT);
      })
      .on('error', () => {});
  }
  return () => Buffer.from(kept, 'latin1').toString('utf8');
}

/** How long a program may take to exit after its input has ended, or after SIGTERM; in milliseconds. */
export const GRACE = 500;

/** Called with a line, or with a text that completes a sentence about the process. */
interface ProcessEvents {
  /** One line of standard output, without its line feed. */
  readonly line: (line: string) => void;
  readonly malformedLine: (what: string) => void;
  readonly overflow: (what: string) => void;
  /** The process could not be started. */
  readonly absent: (why: string) => void;
  /** The process has ended; called once. */
  readonly end: (how: string) => void;
}

const LINE_FEED = 0x0a;

export class AdapterProcess {
  readonly #tree: ProcessTree | undefined;
  readonly #events: ProcessEvents;
  /** The beginning of a line whose end has not arrived. */
  #pieces: Buffer[] = [];
  #length = 0;
  #readStderr = (): string => '';
  #ended = false;
  #closing: (() => void) | undefined;

  /** @param place where it runs: its environment and its working directory, by default those of the harness */
  constructor(
    command: readonly string[],
    place: { readonly env?: NodeJS.ProcessEnv; readonly folder?: string | undefined },
    events: ProcessEvents,
  ) {
    const { env = process.env, folder } = place;
    this.#events = events;
    const fail = (error: unknown): void => {
      this.#end(describeStartFailure(command[0] ?? '', error), this.#events.absent);
    };
    try {
      this.#tree = spawnTree(command, env, { stdio: 'pipe', cwd: folder });
      this.#listen(this.#tree.child, fail);
    } catch (error) {
      // Deferred, so that this failure reaches the caller as an event too.
      setImmediate(fail, error);
    }
  }

  #listen(child: ChildProcess, fail: (error: unknown) => void): void {
    // Writes fail if the adapter does not read; its exit or its timeout is reported instead.
    child.stdin?.on('error', () => {});
    child.stdout?.on('data', (piece: Buffer) => this.#read(piece)).on('error', () => {});
    this.#readStderr = keepEnd(child.stderr);
    child.once('error', fail);
    child.once('exit', async (status, signal) => {
      // Reads the rest of the output first, but a descendant may keep the pipes open.
      await waitAtMost(GRACE, new Promise((resolve) => child.once('close', resolve)));
      this.#end(`it ${describeExit(status, signal)}`);
    });
  }

  get stderr(): string {
    return this.#readStderr();
  }

  get pids(): readonly number[] {
    const pid = this.#ended ? undefined : this.#tree?.child.pid;
    return pid === undefined ? [] : [pid];
  }

  write(text: string): void {
    if (!this.#ended) this.#tree?.child.stdin?.write(text);
  }

  endInput(): void {
    if (!this.#ended) this.#tree?.child.stdin?.end();
  }

  /** Kills the process with everything that it has started. */
  kill(): void {
    this.#ended = true;
    if (!this.#tree) return;
    killTree(this.#tree);
    const { child } = this.#tree;
    // A descendant might keep the pipes open, and so the harness running.
    child.stdin?.destroy();
    child.stdout?.destroy();
    child.stderr?.destroy();
    child.unref();
  }

  /** Ends the input, waits a moment for the process to exit, then kills it. */
  async close(): Promise<void> {
    if (!this.#ended) {
      const ended = new Promise<void>((resolve) => {
        this.#closing = resolve;
      });
      this.endInput();
      await waitAtMost(GRACE, ended, () => this.pids);
    }
    this.kill();
  }

  #read(piece: Buffer): void {
    if (this.#ended) return;
    let start = 0;
    for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, start)) {
      this.#pieces.push(piece.subarray(start, end));
      const line = Buffer.concat(this.#pieces);
      this.#pieces = [];
      this.#length = 0;
      start = end + 1;
      if (isUtf8(line)) this.#events.line(line.toString('utf8'));
      else this.#events.malformedLine('a line that is not UTF-8');
      if (this.#ended) return;
    }
    this.#pieces.push(piece.subarray(start));
    this.#length += piece.length - start;
    if (this.#length > LONGEST_LINE) {
      this.#pieces = [];
      this.#length = 0;
      this.#events.overflow(`a line of more than ${LONGEST_LINE / 1024 / 1024} MiB`);
    }
  }

  #end(how: string, report: (how: string) => void = this.#events.end): void {
    this.#closing?.();
    if (this.#ended) return;
    this.kill();
    report(how);
  }
}
