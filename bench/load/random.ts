/**
 * Reproducible random numbers.
 *
 * @module
 */

/** A whole number from 0 to below `count`. */
export type Random = (count: number) => number;

/** Marsaglia's xorshift. A seed of 0 would stay 0. */
export function createRandom(seed: number): Random {
  let state = seed | 0 || 1;
  return (count) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % count;
  };
}

export function pick<T>(all: readonly T[], random: Random): T {
  const chosen = all[random(all.length)];
  if (chosen === undefined) throw new Error('an empty list has no item to pick');
  return chosen;
}
