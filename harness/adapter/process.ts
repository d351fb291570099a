/**
 * An adapter as a process: lines in, lines out, and nothing left running.
 *
 * @module
 */
import { isUtf8 } from 'node:buffer';
import { type ChildProcess, spawn } from 'node:child_process';
import { endMarked, markedEnvironment, rememberRunning } from './left-processes.ts';
import { LONGEST_LINE } from './messages.ts';
import { TimeLimit } from './own-time.ts';

export interface ProcessEvents {
  /** One line of standard output, without its line feed. */
  readonly line: (line: string) => void;
  /** A line that is no text; the sentence says what it is instead. */
  readonly garbage: (what: string) => void;
  /** Output in which no further line can be found; the sentence says why. */
  readonly flood: (what: string) => void;
  /** The process never was; the sentence says why. */
  readonly absent: (why: string) => void;
  /** The process is gone; the sentence says how. Once only. */
  readonly end: (how: string) => void;
}

/** How much of the end of standard error is kept; in bytes. */
const KEPT_STDERR = 4096;

/** How long an adapter may take to end by itself once its input has ended; in milliseconds. */
const GRACE = 500;

const LINE_FEED = 0x0a;

export class AdapterProcess {
  readonly #child: ChildProcess | undefined;
  readonly #mark: string;
  readonly #events: ProcessEvents;
  #pieces: Buffer[] = [];
  #length = 0;
  #stderr = '';
  #ended = false;
  #closing: (() => void) | undefined;

  /** @param folder where it runs; the harness's working directory where it is undefined */
  constructor(
    command: readonly string[],
    environment: NodeJS.ProcessEnv,
    folder: string | undefined,
    events: ProcessEvents,
  ) {
    const [program = '', ...parameters] = command;
    this.#events = events;
    const marked = markedEnvironment(environment);
    this.#mark = marked.mark;
    const failed = (error: NodeJS.ErrnoException): void => {
      const missing = error.code === 'ENOENT';
      this.#end(
        missing
          ? `${JSON.stringify(program)} was not found`
          : `it could not be started: ${error.message}`,
        this.#events.absent,
      );
    };
    let child: ChildProcess;
    try {
      child = spawn(program, parameters, {
        stdio: ['pipe', 'pipe', 'pipe'],
        env: marked.environment,
        cwd: folder,
        windowsHide: true,
        // A group of its own, so that what the adapter starts can be ended with it.
        detached: process.platform !== 'win32',
      });
    } catch (error) {
      // Node throws what it does not know as an event, such as a path that leads through a file.
      setImmediate(failed, error as NodeJS.ErrnoException);
      return;
    }
    this.#child = child;
    if (child.pid !== undefined) rememberRunning(this.#mark, child.pid);
    // An adapter that does not read lets writes fail; its end or its silence is what gets reported.
    child.stdin?.on('error', () => {});
    child.stdout?.on('data', (piece: Buffer) => this.#read(piece)).on('error', () => {});
    child.stderr
      ?.on('data', (piece: Buffer) => {
        this.#stderr = (this.#stderr + piece.toString('latin1')).slice(-KEPT_STDERR);
      })
      .on('error', () => {});
    child.once('error', failed);
    child.once('exit', (status, signal) => {
      const how = signal === null ? `it exited with status ${status}` : `it was ended by ${signal}`;
      // What it wrote before is read first, but a grandchild may hold the pipes open for ever.
      const limit = new TimeLimit(GRACE, () => this.#end(how));
      limit.start();
      child.once('close', () => {
        limit.stop();
        this.#end(how);
      });
    });
  }

  /** The end of standard error, as UTF-8. */
  get stderr(): string {
    return Buffer.from(this.#stderr, 'latin1').toString('utf8');
  }

  /** Its own, while it runs. */
  get pids(): readonly number[] {
    const pid = this.#ended ? undefined : this.#child?.pid;
    return pid === undefined ? [] : [pid];
  }

  write(text: string): void {
    if (!this.#ended) this.#child?.stdin?.write(text);
  }

  endInput(): void {
    if (!this.#ended) this.#child?.stdin?.end();
  }

  /** Ends the process at once, with everything that it started. */
  kill(): void {
    this.#ended = true;
    this.#endGroup();
  }

  /** Ends the input and gives the process a moment to end by itself. */
  async close(): Promise<void> {
    if (!this.#ended) {
      await new Promise<void>((resolve) => {
        const limit = new TimeLimit(GRACE, () => resolve(), { pids: () => this.pids });
        limit.start();
        this.#closing = () => {
          limit.stop();
          resolve();
        };
        this.endInput();
      });
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
      else this.#events.garbage('a line that is not UTF-8');
      if (this.#ended) return;
    }
    this.#pieces.push(piece.subarray(start));
    this.#length += piece.length - start;
    if (this.#length > LONGEST_LINE) {
      this.#pieces = [];
      this.#length = 0;
      this.#events.flood(`a line of more than ${LONGEST_LINE / 1024 / 1024} MiB`);
    }
  }

  #end(how: string, tell: (how: string) => void = this.#events.end): void {
    this.#closing?.();
    if (this.#ended) return;
    this.#ended = true;
    this.#endGroup();
    tell(how);
  }

  #endGroup(): void {
    const child = this.#child;
    if (!child) return;
    if (child.pid !== undefined) killGroup(child.pid, child);
    endMarked(this.#mark);
    // A grandchild might keep the pipes open for ever.
    child.stdin?.destroy();
    child.stdout?.destroy();
    child.stderr?.destroy();
    child.unref();
  }
}

function killGroup(pid: number, child: ChildProcess): void {
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', `${pid}`, '/t', '/f'], { stdio: 'ignore' }).on('error', () => {});
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone, or was never made; the child itself is all there can be.
    child.kill('SIGKILL');
  }
}
