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

/**
 * A sentence for each reason, the most frequent first.
 *
 * @param what is not asked, one of it and several
 */
export function unaskedNotes(
  [one, several]: readonly [one: string, several: string],
  reasons: readonly string[],
): readonly string[] {
  const counts = new Map<string, number>();
  for (const why of reasons) counts.set(why, (counts.get(why) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([why, count]) => `${count} ${count === 1 ? one : several}, because ${why}`);
}
