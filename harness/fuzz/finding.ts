/**
 * What a fuzzing run comes to.
 *
 * @module
 */
import type { FoundCause } from '../diagnosis/diagnose.ts';
import type { Difference } from '../judge/difference.ts';
import type { Failure } from './trial.ts';

/** A request beside the failing one over which the adapter is right. */
export interface Neighbour {
  readonly what: string;
}

export interface Finding {
  readonly operation: string;
  /** The shrunk failure. */
  readonly failure: Failure;
  /** Known mistakes that explain it; none where none does. */
  readonly causes: readonly FoundCause[];
  /** The nearest request over which the adapter is right; nothing where none of those asked about is. */
  readonly neighbour?: Neighbour;
  /** Where the answer went wrong on its way to a digest, as an implementation with exactly these causes computes it. */
  readonly deduced?: Difference;
  /** How many requests beside the failing one were asked about. */
  readonly besides: number;
  readonly seed: number;
  readonly path: string;
  /** Asked again, it was answered rightly. */
  readonly isUnstable?: true;
}

/** What one operation shows no second time. */
export function findingKey(failure: Failure, causes: readonly FoundCause[]): string {
  if (causes.length > 0) {
    return causes
      .map(({ mistake }) => mistake.id)
      .sort()
      .join(' ');
  }
  const { status } = failure.verdict;
  return status === 'fail' || status === 'refused' ? 'unexplained' : status;
}
