/**
 * A client as a process: run to its end or to that of its time, with nothing left of it.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { endMarked, markedEnvironment, rememberRunning } from '../adapter/left-processes.ts';
import { TimeLimit, timeSpent, withinText } from '../adapter/own-time.ts';

/** How a client ended. */
export type ClientEnd =
  | { readonly kind: 'exited'; readonly how: string; readonly isSuccess: boolean }
  /** The sentence says why it never ran. */
  | { readonly kind: 'absent'; readonly why: string }
  /** The sentence says who ended it. */
  | { readonly kind: 'aborted'; readonly why: string };

export interface ClientOptions {
  readonly environment: NodeJS.ProcessEnv;
  /** In milliseconds. */
  readonly timeLimit: number;
  /** Whether its output is kept back. */
  readonly isQuiet: boolean;
  /** Aborted, with a sentence as its reason, where the client is to end. */
  readonly signal: AbortSignal;
}

export interface Client {
  readonly end: ClientEnd;
  /** The end of its output, where it was kept back. */
  readonly output: string;
}

/** How much of the output of a quiet client is kept; in bytes. */
const KEPT = 4096;

/** What a client that is told to end may take to put things away; in milliseconds. */
const GRACE = 500;

/** Runs a client and ends its whole process group with it. */
export async function ranClient(
  [program = '', ...parameters]: readonly string[],
  { environment, timeLimit, isQuiet, signal }: ClientOptions,
): Promise<Client> {
  const output = isQuiet ? 'pipe' : 2;
  const marked = markedEnvironment(environment);
  let child: ChildProcess;
  try {
    child = spawn(program, parameters, {
      // Standard output belongs to the report; what the client says goes where it disturbs nobody.
      stdio: ['ignore', output, output],
      env: marked.environment,
      windowsHide: true,
      // A group of its own, so that what it starts can be ended with it.
      detached: process.platform !== 'win32',
    });
  } catch (error) {
    // Node throws what it does not know as an event, such as a path that leads through a file.
    return { end: absent(program, error as NodeJS.ErrnoException), output: '' };
  }
  if (child.pid !== undefined) rememberRunning(marked.mark, child.pid);
  const kept = keptOutput(child);
  const closed = new Promise((resolve) => child.once('close', resolve));
  const end = await endOf(child, program, timeLimit, signal);
  await endGroup(child, end.kind === 'aborted');
  endMarked(marked.mark);
  // What it wrote is read to its end, unless somebody outside its group holds the pipes open.
  if (end.kind !== 'absent') await within(GRACE, closed);
  child.stdout?.destroy();
  child.stderr?.destroy();
  return { end, output: kept() };
}

function keptOutput({ stdout, stderr }: ChildProcess): () => string {
  let kept = '';
  for (const stream of [stdout, stderr]) {
    stream
      ?.on('data', (piece: Buffer) => {
        kept = (kept + piece.toString('latin1')).slice(-KEPT);
      })
      .on('error', () => {});
  }
  return () => Buffer.from(kept, 'latin1').toString('utf8');
}

function endOf(
  child: ChildProcess,
  program: string,
  timeLimit: number,
  signal: AbortSignal,
): Promise<ClientEnd> {
  return new Promise((resolve) => {
    const limit = new TimeLimit(
      timeLimit,
      (spent) => {
        const why = `the client was not done ${withinText(spent)}; --timeout SECONDS gives it longer`;
        settle({ kind: 'aborted', why });
      },
      { pids: () => pidsOf(child) },
    );
    limit.start();
    const abort = (): void => settle({ kind: 'aborted', why: String(signal.reason) });
    const settle = (end: ClientEnd): void => {
      limit.stop();
      signal.removeEventListener('abort', abort);
      resolve(end);
    };
    child.once('error', (error) => settle(absent(program, error)));
    child.once('exit', (status, ender) =>
      settle({
        kind: 'exited',
        how: ender === null ? `exited with status ${status}` : `was ended by ${ender}`,
        isSuccess: status === 0,
      }),
    );
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
  });
}

function pidsOf({ pid, exitCode }: ChildProcess): readonly number[] {
  return pid === undefined || exitCode !== null ? [] : [pid];
}

/** Waits for something, but no longer than that; the time is the child's own, where there is one. */
async function within(
  milliseconds: number,
  event: Promise<unknown>,
  child?: ChildProcess,
): Promise<void> {
  const { spent, stop } = timeSpent(milliseconds, { pids: () => (child ? pidsOf(child) : []) });
  await Promise.race([event, spent]);
  stop();
}

function absent(program: string, { code, message }: NodeJS.ErrnoException): ClientEnd {
  const name = JSON.stringify(program);
  return {
    kind: 'absent',
    why: code === 'ENOENT' ? `${name} was not found` : `${name} could not be started: ${message}`,
  };
}

/** Ends what is left of the group; one that is still at work is asked first. */
async function endGroup(child: ChildProcess, isAtWork: boolean): Promise<void> {
  if (child.pid === undefined) return;
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', `${child.pid}`, '/t', '/f'], { stdio: 'ignore' }).on(
      'error',
      () => {},
    );
    return;
  }
  if (isAtWork && signalled(child.pid, 'SIGTERM')) {
    await within(GRACE, new Promise((resolve) => child.once('exit', resolve)), child);
  }
  signalled(child.pid, 'SIGKILL');
}

/** Whether there was anybody to signal. */
function signalled(group: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(-group, name);
  } catch {
    return false;
  }
}
