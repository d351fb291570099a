/**
 * The failures that are known of an adapter, as the harness holds them.
 *
 * @module
 */
import type { Status } from '../judge/judge.ts';

/** Lines of the file that are to go: the first and the last. */
export type Lines = readonly [first: number, last: number];

/** Ids of vectors, or forged requests, that are expected to fail. */
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
  /** Ids of known mistakes that show together, or `unexplained`; any cause where there is none. */
  readonly causes?: readonly string[];
  readonly reason: string;
  readonly issue?: string;
  /** The last day, `YYYY-MM-DD`. */
  readonly until?: string;
  readonly place: string;
  readonly lines: Lines;
}

export interface Expectations {
  /** The text of the file, line by line. */
  readonly text: readonly string[];
  readonly entries: readonly Expectation[];
  /** Whether every pattern must match a vector of the suite; not where somebody else's vectors are asked about. */
  readonly mustMatch: boolean;
  /** `YYYY-MM-DD`, in UTC. */
  readonly today: string;
}

/** What is wrong with a file of expectations after a run, and the lines that are to go. */
export interface Stale {
  /** `file:line:column: what, and which lines to remove`. */
  readonly problem: string;
  readonly first: number;
  readonly lines: readonly string[];
}

/** What a cause is called that no known mistake is. */
export const UNEXPLAINED = 'unexplained';
