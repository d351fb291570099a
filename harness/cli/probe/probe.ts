/**
 * The vectors that a server is asked about, and why the others are left out: reports count and show both.
 *
 * @module
 */
import type { Outcome } from '../../engine/judge/outcome.ts';
import type { Vector } from '../../engine/vector.ts';
import type { ServerForgeries } from './asked-forgeries.ts';

export interface Unasked {
  readonly vector: Vector;
  readonly why: string;
}

export interface Probe {
  /** Of the server's URL. */
  readonly origin: string;
  /** The name of the dialect of the questions. */
  readonly dialect: string;
  readonly asked: readonly Vector[];
  readonly unasked: readonly Unasked[];
  /** How many vectors show only part of their claim. */
  readonly partial: number;
  /** Made once the server is known to work, because signing takes time. */
  readonly forgeries: () => ServerForgeries;
  /** The name of another dialect in which the server accepts correctly signed file requests; undefined if it accepts none. */
  readonly otherDialect: () => Promise<string | undefined>;
  readonly notes: readonly string[];
}

/** Counts as unsupported: neither a pass nor a failure. */
export function unaskedOutcome({ vector, why }: Unasked): Outcome {
  return {
    vector,
    reply: { kind: 'unsupported' },
    verdict: { status: 'unsupported', message: `not asked, because ${why}` },
  };
}
