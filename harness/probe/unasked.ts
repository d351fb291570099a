/**
 * What a server is not asked, and why: counted and shown, never passed over.
 *
 * @module
 */
import type { Outcome } from '../run.ts';
import type { Vector } from '../suite/vector.ts';

export interface Unasked {
  readonly vector: Vector;
  readonly why: string;
}

/** Counts as unsupported: it is no pass, and no failure of the server either. */
export function unaskedOutcome({ vector, why }: Unasked): Outcome {
  return {
    vector,
    reply: { kind: 'unsupported' },
    verdict: { status: 'unsupported', message: `not asked, because ${why}` },
  };
}
