/**
 * Exit codes, and the errors that lead to them.
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

/** The user asked for something impossible. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Further problems are counted, not listed. */
const KEPT_PROBLEMS = 100;

/** A data file is invalid. Each problem is one line: `file:line:column`, the problem, what was expected. Exit code 3. */
export class DataError extends Error {
  override readonly name = 'DataError';
  readonly problems: readonly string[];
  /** The number of all problems, also of those that `problems` leaves out. */
  readonly count: number;

  constructor(problems: readonly string[], count: number = problems.length) {
    const kept = problems.slice(0, KEPT_PROBLEMS);
    super(kept.join('\n'));
    this.problems = kept;
    this.count = count;
  }
}

/** Whether the command line or a data file caused an error; its message then explains it without a stack trace. */
export function isUserError(error: unknown): error is UsageError | DataError {
  return error instanceof UsageError || error instanceof DataError;
}

export function describeInternalError(error: unknown): string {
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return `internal error: ${what.replaceAll(/\s+/g, ' ')}; please report it with the output of SVC_DEBUG=1`;
}
