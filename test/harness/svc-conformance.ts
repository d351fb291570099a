/**
 * Runs the command line: in the process of the test, or as the program that users start.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { main } from '../../dist/harness/cli/main.js';
import { ROOT } from '../root.ts';
import { mistakenRespondent } from './mistaken-respondent.ts';

/** The program of the package. */
export const PROGRAM: string = join(ROOT, 'dist', 'bin', 'svc-conformance.cjs');

/** A program that takes longer hangs, even on a busy machine; in milliseconds. */
const HARD_LIMIT = 600_000;

export interface Ended {
  /** null if the hard limit was reached. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Circumstances {
  readonly environment?: Readonly<Record<string, string>>;
}

/** A call under way. */
export interface Running {
  /** Does what SIGINT does. */
  readonly interrupt: () => void;
  /** Calls the listener with each piece of standard output. */
  readonly onStdout: (listener: (text: string) => void) => void;
  readonly onStderr: (listener: (text: string) => void) => void;
}

export interface CallCircumstances extends Circumstances {
  readonly stdin?: string | Uint8Array;
  /** The width of a terminal; standard output is a pipe without it. */
  readonly columns?: number;
  /** Is called while it runs, and may do something to it. */
  readonly meanwhile?: (call: Running) => unknown;
}

export interface ProgramCircumstances extends Circumstances {
  /** Where it runs, if not in the package. */
  readonly folder?: string;
  /** Is called while it runs, and may do something to it. */
  readonly meanwhile?: (cli: ChildProcess) => void;
}

/** The environment of the tests, without the variables that turn colour on or off. */
function environmentWith(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { FORCE_COLOR: _, NO_COLOR: __, ...inherited } = process.env;
  return { ...inherited, ...more };
}

/** A stream that keeps what is written, and calls the listeners with each piece. */
function keepingStream() {
  const pieces: Buffer[] = [];
  const listeners: ((text: string) => void)[] = [];
  const stream = new Writable({
    write(piece: Buffer, _, done) {
      pieces.push(piece);
      for (const listener of listeners) listener(piece.toString('utf8'));
      done();
    },
  });
  return {
    stream,
    text: (): string => Buffer.concat(pieces).toString('utf8'),
    onText: (listener: (text: string) => void): void => void listeners.push(listener),
  };
}

/** Runs the command line, as words or as one line, in this process. */
export async function svcConformance(
  line: string | readonly string[],
  { environment = {}, stdin = '', columns, meanwhile }: CallCircumstances = {},
): Promise<Ended> {
  const [stdout, stderr] = [keepingStream(), keepingStream()];
  const interrupts = new Set<() => void>();
  const ended = main(typeof line === 'string' ? wordsOf(line) : line, {
    stdout:
      columns === undefined
        ? stdout.stream
        : Object.assign(stdout.stream, { isTTY: true, columns }),
    stderr: stderr.stream,
    stdin: Readable.from(stdin.length === 0 ? [] : [Buffer.from(stdin)]),
    env: environmentWith(environment),
    onInterrupt(listener) {
      interrupts.add(listener);
      return () => void interrupts.delete(listener);
    },
    // An error that nothing catches fails the test run.
    onUncaught: () => {},
    // Only the programs, not the respondent in this process, read these variables.
    inProcess:
      'MOST_ANSWERS' in environment || 'OFFERED' in environment
        ? () => undefined
        : (subject) => mistakenRespondent(subject, environment),
  });
  meanwhile?.({
    interrupt: () => {
      for (const listener of [...interrupts]) listener();
    },
    onStdout: stdout.onText,
    onStderr: stderr.onText,
  });
  const code = await ended;
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/** Runs `run` with the words of a line on an adapter. */
export function run(
  line: string,
  command: readonly string[],
  circumstances: CallCircumstances = {},
): Promise<Ended> {
  return svcConformance(['run', ...wordsOf(line), '--', ...command], circumstances);
}

/** A run that several tests share: it starts when the first of them needs it. */
export function onceCalled<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let under: Promise<Result> | undefined;
  return () => {
    under ??= run();
    return under;
  };
}

/** Runs the program as a process, for what only a process shows. */
export function runProgram(
  parameters: readonly string[],
  { environment = {}, folder = ROOT, meanwhile }: ProgramCircumstances = {},
): Promise<Ended> {
  const cli = spawn(process.execPath, [PROGRAM, ...parameters], {
    cwd: folder,
    env: environmentWith(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: HARD_LIMIT,
    killSignal: 'SIGKILL',
  });
  const pieces: Record<'stdout' | 'stderr', string[]> = { stdout: [], stderr: [] };
  cli.stdout.setEncoding('utf8').on('data', (piece: string) => pieces.stdout.push(piece));
  cli.stderr.setEncoding('utf8').on('data', (piece: string) => pieces.stderr.push(piece));
  meanwhile?.(cli);
  return new Promise((resolve) => {
    cli.once('close', (code) =>
      resolve({ code, stdout: pieces.stdout.join(''), stderr: pieces.stderr.join('') }),
    );
  });
}

/** A wrapped text on one line. */
export function unwrapped(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** The words of a line as a shell splits it, with single quotes around words with spaces. */
export function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}
