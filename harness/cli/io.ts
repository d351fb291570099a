/**
 * The streams, variables and signals of a command line.
 *
 * Relative paths still depend on the working directory of the process.
 *
 * @module
 */

/** A stream that takes text, such as `process.stdout` or any `Writable`. */
export interface OutputStream {
  /** Set on a terminal. */
  readonly isTTY?: boolean;
  /** The width of a terminal. */
  readonly columns?: number;
  /** The file descriptor for child processes; absent for streams without one. */
  readonly fd?: number;
  readonly write: (text: string, done?: (error?: Error | null) => void) => unknown;
  readonly on: (event: 'error', listener: (error: NodeJS.ErrnoException) => void) => unknown;
  readonly off: (event: 'error', listener: (error: NodeJS.ErrnoException) => void) => unknown;
}

/** A stream that is read to its end. */
export interface InputStream extends AsyncIterable<Uint8Array> {
  /** Set on a terminal. */
  readonly isTTY?: boolean;
}

export interface Io {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly stdin: InputStream;
  readonly env: NodeJS.ProcessEnv;
  /** Calls the listener on SIGINT, SIGTERM and SIGHUP. Returns a function that removes the listener. */
  readonly onInterrupt: (listener: () => void) => () => void;
  /**
   * Registers how to end the call after an uncaught error: it reports the error, completes the reports and returns
   * the exit code. The function that it returns removes the registration.
   */
  readonly onUncaught: (abandon: (error: unknown) => number) => () => void;
}
