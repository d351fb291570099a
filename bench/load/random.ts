/**
 * Chance that can be had once more.
 *
 * @module
 */

/** A whole number from 0 up to and without `count`. */
export type Random = (count: number) => number;

/** Marsaglia's xorshift. A seed of 0 would stay 0. */
export function randomOf(seed: number): Random {
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
  if (chosen === undefined) throw new Error('nothing can be picked of nothing');
  return chosen;
}
