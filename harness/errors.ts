/**
 * The ways in which the harness itself ends, and their exit codes.
 *
 * @module
 */

/** Exit codes, documented in `--help`. */
export const EXIT = {
  asExpected: 0,
  failures: 1,
  usage: 2,
  badData: 3,
  neverWorked: 4,
  aborted: 5,
  /** A defect of the harness, or output that could not be written. */
  internalError: 6,
} as const;

/** The command line asks for something that cannot be done. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** More problems of one file are counted, not kept. */
const KEPT_PROBLEMS = 100;

/** A file of the suite is wrong. Each problem is one line: `file:line:column`, what, what was expected. Exit code 3. */
export class DataError extends Error {
  override readonly name = 'DataError';
  readonly problems: readonly string[];
  /** Of all problems, where there are more than are named. */
  readonly count: number;

  constructor(problems: readonly string[], count: number = problems.length) {
    const kept = problems.slice(0, KEPT_PROBLEMS);
    super(kept.join('\n'));
    this.problems = kept;
    this.count = count;
  }
}

/** Whether an error is the fault of the command line or of a file, and its message says so. */
export function isForeseen(error: unknown): error is UsageError | DataError {
  return error instanceof UsageError || error instanceof DataError;
}

/** What an error that is a defect of the harness comes to, in one sentence. */
export function internalErrorText(error: unknown): string {
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return `internal error: ${what.replaceAll(/\s+/g, ' ')}; please report it, with what SVC_DEBUG=1 adds`;
}
