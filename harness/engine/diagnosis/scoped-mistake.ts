/**
 * Mistakes that an implementation makes in all operations, or in some of them.
 *
 * @module
 */
import type { Mistake } from '../../../reference/mistakes/index.ts';
import { getOrInsert } from '../get-or-insert.ts';

/** The cost of limiting a mistake to some operations. */
export const BOUNDS = 1;

/** A mistake in all operations, or only in those of `within`. */
export interface ScopedMistake {
  readonly mistake: Mistake;
  readonly within?: ReadonlySet<string>;
}

const selected = new WeakMap<readonly ScopedMistake[], Map<string, readonly Mistake[]>>();

/** The mistakes that are made in an operation: the same list each time, so that the predictor can cache by it. */
export function selectMistakes(
  operation: string,
  made: readonly ScopedMistake[],
): readonly Mistake[] {
  const byOperation = getOrInsert(selected, made, () => new Map());
  return getOrInsert(byOperation, operation, () =>
    made.filter(({ within }) => !within || within.has(operation)).map(({ mistake }) => mistake),
  );
}

export const joinSortedIds = (mistakes: readonly Mistake[]): string =>
  mistakes
    .map(({ id }) => id)
    .sort()
    .join(' ');
