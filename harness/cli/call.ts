/**
 * One call of the command line: its input and output, and the reports to complete before it ends.
 *
 * @module
 */

import { closeSync, openSync, writeSync } from 'node:fs';
import { describeSystemError } from '../../reference/system-errors.ts';
import { DataError, describeInternalError, EXIT, UsageError } from '../engine/errors.ts';
import { formatCount, quote } from '../engine/excerpt.ts';
import type { Respondent, Subject } from '../engine/respondent.ts';
import { harmless, harmlessLines } from '../render/harmless.ts';
import { type Terminal, takesColour, terminal } from '../render/terminal.ts';
import { readBytes, readStream, withFile } from '../suite/user-files.ts';

/** A stream that takes text, such as `process.stdout` or any `Writable`; child processes use its file descriptor, if it has one. */
type OutputStream = NodeJS.WritableStream &
  Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>> & { readonly fd?: number };

export interface Io {
  readonly stdout: OutputStream;
  /** Its errors are not reported: no other stream could report them. The caller must handle them. */
  readonly stderr: OutputStream;
  readonly stdin: AsyncIterable<Uint8Array> & { readonly isTTY?: boolean };
  readonly env: NodeJS.ProcessEnv;
  /** Calls the listener on SIGINT, SIGTERM and SIGHUP. Returns a function that removes the listener. */
  readonly onInterrupt: (listener: () => void) => () => void;
  /** Registers how to end the call after an uncaught error: it reports the error, completes the reports and returns the exit code. */
  readonly onUncaught: (abandon: (error: unknown) => number) => void;
  /** Returns a respondent in the caller's process, such as that of a test, which replaces the command of a subject; undefined if the command is to be started. */
  readonly inProcess?: (subject: Subject) => Respondent | undefined;
}

type Close = (exitCode: number) => void;

export class Call {
  /** Messages go through `print` and `warn`, which escape them. */
  readonly io: Io;
  /** Why some output is missing; undefined as long as the output is complete. */
  #fault: string | undefined;
  #isStdoutClosed = false;
  #showsProgress = false;
  /** How to complete the reports that have begun. */
  #unfinished: Close | undefined;
  readonly #files: number[] = [];

  constructor(io: Io) {
    this.io = io;
    io.stdout.on('error', this.#onStdoutError);
  }

  /** The width and colours of standard output. */
  get terminal(): Terminal {
    return terminal(this.io.stdout, this.io.env);
  }

  /** Whether standard output is a terminal. */
  get isTerminal(): boolean {
    return this.io.stdout.isTTY === true;
  }

  /** Whether standard output and standard error are terminals. */
  get isWatched(): boolean {
    return this.isTerminal && this.io.stderr.isTTY === true;
  }

  /** Writes to standard output. @param isHarmless whether the text is already escaped; then it may contain commands for CI services */
  print(text: string, isHarmless = false): void {
    if (this.#isStdoutClosed) return;
    this.clearProgress();
    const { stdout, env } = this.io;
    stdout.write(isHarmless ? text : harmlessLines(text, takesColour(stdout, env)));
  }

  /** Writes to standard error. */
  warn(text: string): void {
    this.clearProgress();
    const { stderr, env } = this.io;
    stderr.write(harmlessLines(text, takesColour(stderr, env)));
  }

  /** Shows a line on a terminal until the next output or progress; does nothing on a pipe. */
  showProgress(text: string): void {
    if (!this.isWatched) return;
    const { stderr } = this.io;
    const { columns = 80 } = stderr;
    stderr.write(`\r\u001b[K${harmless(text).slice(0, columns - 1)}`);
    this.#showsProgress = true;
  }

  clearProgress(): void {
    if (this.#showsProgress) this.io.stderr.write('\r\u001b[K');
    this.#showsProgress = false;
  }

  clearScreen(): void {
    if (this.isTerminal) this.io.stdout.write('\u001b[2J\u001b[3J\u001b[H');
  }

  /** Reads a file, or standard input for `-`. @throws UsageError with the advice if it cannot be read */
  async readInput(path: string, largest: number, what: string, advice: string): Promise<Buffer> {
    try {
      if (path !== '-') return readBytes(path, largest);
      const { stdin } = this.io;
      if (stdin.isTTY) this.warn(`reading ${what} from the terminal; end with Ctrl-D\n`);
      return await readStream(stdin, largest);
    } catch (error) {
      const name = path === '-' ? 'standard input' : `the file ${quote(path)}`;
      throw new UsageError(`${name} cannot be read: ${describeSystemError(error)}; ${advice}`);
    }
  }

  /** Waits for one interrupt. A second signal ends the process at once. */
  waitForInterrupt(): Promise<void> {
    return new Promise((resolve) => {
      const ignore = this.io.onInterrupt(() => {
        ignore();
        resolve();
      });
    });
  }

  /** Reports on standard error that output is missing. The call continues and returns exit code 6. */
  loseOutput(why: string): void {
    this.#fault ??= why;
    this.warn(`svc-conformance: ${why}\n`);
  }

  /** Opens a report; throws a `UsageError` if the file cannot be written. @param isHarmless see `print` */
  openReport(path: string, isHarmless = false): (text: string) => void {
    const name = `the report ${JSON.stringify(path)}`;
    const file = withFile(
      () => openSync(path, 'w'),
      `${name} cannot be written`,
      'name another file',
    );
    this.#files.push(file);
    let isLost = false;
    return (text) => {
      const bytes = Buffer.from(isHarmless ? text : harmlessLines(text), 'utf8');
      try {
        for (let from = 0; from < bytes.length && !isLost; ) from += writeSync(file, bytes, from);
      } catch (error) {
        isLost = true;
        this.loseOutput(`${name} is not complete: ${describeSystemError(error)}`);
      }
    };
  }

  /** Registers how to complete the reports if an error ends the call; undefined once they are complete. */
  completeWith(close: Close | undefined): void {
    this.#unfinished = close;
  }

  /** Reports an error, completes the reports that have begun and returns the exit code. */
  abandon(error: unknown): number {
    const code = this.#reportError(error);
    const close = this.#unfinished;
    this.#unfinished = undefined;
    close?.(code);
    return code;
  }

  /** Waits until standard output is written; returns the exit code, which is 6 if output is missing. */
  async end(code: number): Promise<number> {
    // The error event comes after the callback of the write that failed.
    await new Promise<void>((resolve) => {
      this.io.stdout.write('', () => setImmediate(resolve));
    });
    for (const file of this.#files) closeSync(file);
    this.io.stdout.off('error', this.#onStdoutError);
    return this.#fault === undefined ? code : EXIT.internalError;
  }

  readonly #onStdoutError = (error: NodeJS.ErrnoException): void => {
    if (this.#isStdoutClosed) return;
    this.#isStdoutClosed = true;
    // A reader that closes the pipe early, such as `head`, is not a failure.
    if (error.code === 'EPIPE') return;
    this.loseOutput(`standard output cannot be written: ${describeSystemError(error)}`);
  };

  #reportError(error: unknown): number {
    if (error instanceof UsageError) {
      this.warn(`svc-conformance: ${error.message}\n`);
      return EXIT.usage;
    }
    if (error instanceof DataError) {
      this.warn(`${error.message}\n${formatCount(error.count, 'problem')} in the data\n`);
      return EXIT.badData;
    }
    this.warn(`svc-conformance: ${describeInternalError(error)}\n`);
    if (this.io.env['SVC_DEBUG'] && error instanceof Error) this.warn(`${error.stack}\n`);
    return EXIT.internalError;
  }
}

/** The time between two updates of the progress line, in milliseconds. */
const PERIOD = 200;
/** How long the work goes on before the timer shows progress, in seconds. */
const PATIENCE = 1;

export interface Progress {
  /** Shows the next step at once, because a busy process may not run the timer. */
  readonly show: (step: string) => void;
  /** Sets the next step, which the timer shows. */
  readonly next: (step: string) => void;
  readonly stop: () => void;
}

export function startProgress(call: Call, step: string): Progress {
  let current = step;
  // The first use of `performance` loads a module of Node, which takes longer than all other work here.
  const start = process.uptime();
  const show = (): void => {
    const seconds = Math.floor(process.uptime() - start);
    call.showProgress(seconds === 0 ? current : `${current} · ${seconds} s`);
  };
  const timer = setInterval(() => process.uptime() - start > PATIENCE && show(), PERIOD);
  timer.unref();
  return {
    show(next) {
      current = next;
      show();
    },
    next(step) {
      current = step;
    },
    stop() {
      clearInterval(timer);
      call.clearProgress();
    },
  };
}
