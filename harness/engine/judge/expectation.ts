/**
 * The expected failures of an adapter, as read from its file of expectations.
 *
 * @module
 */

import type { Forgery } from './forgery.ts';
import type { Status } from './judge.ts';

/** A range of lines of the file. */
export type Lines = readonly [first: number, last: number];

/** A glob over the ids of vectors, or the names of forged requests, that should fail. */
export interface Pattern {
  readonly glob: string;
  readonly matches: RegExp;
  /** `file:line:column`. */
  readonly place: string;
  readonly lines: Lines;
}

export interface Expectation {
  readonly about: 'vectors' | 'forged';
  readonly patterns: readonly Pattern[];
  readonly status: Status;
  /** The ids of the mistakes that cause the failure together, or `unexplained`. Without causes, any cause is expected. */
  readonly causes?: readonly string[];
  readonly reason: string;
  readonly issue?: string;
  /** The last day on which the entry applies, `YYYY-MM-DD`. */
  readonly until?: string;
  readonly place: string;
  readonly lines: Lines;
}

export interface Expectations {
  /** The text of the file, line by line. */
  readonly text: readonly string[];
  readonly entries: readonly Expectation[];
  /** Whether every pattern must match a vector; `false` if the run uses vectors from another folder. */
  readonly mustMatch: boolean;
  /** `YYYY-MM-DD`, in UTC. */
  readonly today: string;
  /** All forged requests of the package. */
  readonly forged: () => readonly Forgery[];
}

/** A stale entry of a file of expectations, and the lines to remove. */
export interface Stale {
  /** `file:line:column: what, and which lines to remove`. */
  readonly problem: string;
  readonly first: number;
  readonly lines: readonly string[];
}

/** The name of the cause of failures that no known mistake explains. */
export const UNEXPLAINED = 'unexplained';
