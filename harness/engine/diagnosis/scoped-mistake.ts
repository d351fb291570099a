/**
 * Mistakes that an implementation makes in all operations, or in some of them.
 *
 * @module
 */
import type { Mistake } from '../../../reference/mistakes/index.ts';

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
  const byOperation = selected.get(made) ?? new Map<string, readonly Mistake[]>();
  selected.set(made, byOperation);
  const known = byOperation.get(operation);
  if (known) return known;
  const own = made.filter(({ within }) => !within || within.has(operation));
  const mistakes = own.map(({ mistake }) => mistake);
  byOperation.set(operation, mistakes);
  return mistakes;
}

export const joinSortedIds = (mistakes: readonly Mistake[]): string =>
  mistakes
    .map(({ id }) => id)
    .sort()
    .join(' ');
