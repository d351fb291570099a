/**
 * The limits of an adapter. Apart from the session that keeps them, which help texts do not need.
 *
 * @module
 */

/** Time limits in milliseconds of the adapter's own time, and how many restarts are tolerated. */
export interface Limits {
  /** From the start of the process to its reply to hello. */
  readonly start: number;
  /** For one question. */
  readonly question: number;
  /** For the whole session. */
  readonly total: number;
  readonly restarts: number;
}

export const LIMITS: Limits = { start: 10_000, question: 5_000, total: 600_000, restarts: 12 };
