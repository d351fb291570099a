/**
 * What exit codes mean, for the verbs that share them.
 *
 * @module
 */

/** The meaning of each exit code, without a full stop at the end. */
export type ExitCodes = Readonly<Partial<Record<0 | 1 | 2 | 3 | 4 | 5 | 6, string>>>;

/** The exit codes of every verb. The table of a verb may describe them more precisely. */
export const COMMON_EXIT_CODES: ExitCodes = {
  0: 'done',
  2: 'usage: an unknown option, a missing operand, a file that cannot be read',
  6: 'the harness failed, or standard output could not be written',
};

/** The verbs that select vectors and judge nothing. */
export const SELECTING_EXIT_CODES: ExitCodes = {
  2: 'usage: an unknown option, or a pattern that matches nothing',
  3: 'a file of --vectors is invalid',
};

/** The verbs that judge answers. */
export const VERDICT_EXIT_CODES: ExitCodes = {
  0: 'all as expected',
  1: 'conformance failures, or stale expectations',
  2: 'usage: an unknown option, a pattern that matches nothing, no vectors',
  3: 'a file of vectors or of expectations is invalid',
  5: 'aborted, or some questions were not asked or not answered: vectors, forged requests, questions on fresh data; the report shows the results until then',
  6: 'the harness failed, or a report or standard output could not be written; the report shows the results until then',
};
