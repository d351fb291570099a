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
} as const;

/** The command line asks for something that cannot be done. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A file of the suite is wrong. Each problem is one line: `file:line:column`, what, what was expected. Exit code 3. */
export class DataError extends Error {
  override readonly name = 'DataError';
  readonly problems: readonly string[];
  /** Of all problems, where there are more than are named. */
  readonly count: number;

  constructor(problems: readonly string[], count: number = problems.length) {
    super(problems.join('\n'));
    this.problems = problems;
    this.count = count;
  }
}
