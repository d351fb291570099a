/**
 * What the proof lacks: mistakes that too few vectors catch or tell apart, and vectors that nothing needs.
 *
 * @module
 */
import { MISTAKES } from '../../reference/mistakes/index.ts';
import type { Mistake } from '../../reference/mistakes/mistake.ts';
import type { Vector } from '../suite/vector.ts';
import { catchers, type Proof, provedMistakes, type Uncaught } from './proof.ts';

/**
 * A mistake that more vectors of one operation catch is a gross one: whoever makes it fails all over the operation, so it
 * is no reason for one vector more. Counted within an operation, because an adapter may offer only that one.
 */
export const FEW = 8;

/** Gaps of the register, each as a sentence; none where the vectors catch what they should. */
export function gaps(found: Proof, mistakes: readonly Mistake[] = MISTAKES): readonly string[] {
  const uncaught = mistakes.flatMap(({ id, once }) => {
    const count = catchers(found, id).length;
    if (count >= (once === undefined ? 2 : 1)) return [];
    return [
      `mistake ${id} is caught by ${count} ${count === 1 ? 'vector' : 'vectors'}; add one, or say under once why there is no other`,
    ];
  });
  const alike = indistinct(found).map(
    ([a, b]) => `mistakes ${a} and ${b} are told apart by no vector; add one, or make them one`,
  );
  return [...uncaught, ...alike];
}

/** More of them are counted. */
const SHOWN_UNCAUGHT = 20;

/** Generated mistakes that no vector catches, although a request that was drawn shows them. */
export function uncaughtGaps(uncaught: readonly Uncaught[]): readonly string[] {
  const shown = uncaught
    .slice(0, SHOWN_UNCAUGHT)
    .map(
      ({ mistake, question: { operation, input } }) =>
        `mistake ${mistake} is caught by no vector, but ${operation} ${JSON.stringify(input)} would show it; add a vector like that`,
    );
  const left = uncaught.length - shown.length;
  return left > 0 ? [...shown, `${left} more generated mistakes are caught by no vector`] : shown;
}

/** Pairs of mistakes that no vector tells apart. */
function indistinct({ effects }: Proof): readonly (readonly [string, string])[] {
  const byLook = new Map<string, string[]>();
  for (const [id, own] of effects) {
    const look = JSON.stringify([...own].map(([vector, { shown: text }]) => [vector, text]).sort());
    byLook.set(look, [...(byLook.get(look) ?? []), id]);
  }
  return [...byLook.values()].flatMap((ids) =>
    ids.slice(1).map((id) => [ids[0] ?? '', id] as const),
  );
}

/** Gaps of the vectors: what earns no place and says no reason, and reasons that are needed no more. */
export function vectorGaps(found: Proof, vectors: readonly Vector[]): readonly string[] {
  const earning = new Set(earningVectors(found, vectors));
  return vectors.flatMap(({ id, level, keep }) => {
    // Where nobody says what is right, nothing can be caught.
    const isNeeded = level === 'open' || earning.has(id);
    if (isNeeded === (keep === undefined)) return [];
    return isNeeded
      ? [`vector ${id} needs no keep, because ${reasonOf(level)}; take it out of keep`]
      : [
          `vector ${id} catches no mistake that at most ${FEW} vectors of its operation catch; remove it, add a mistake that it catches, or say under keep what it is for`,
        ];
  });
}

function reasonOf(level: Vector['level']): string {
  return level === 'open'
    ? 'its level is open'
    : `it catches a mistake that at most ${FEW} vectors of its operation catch`;
}

/** The ids of the vectors that are among the few that catch some mistake. */
function earningVectors(found: Proof, vectors: readonly Vector[]): readonly string[] {
  const operations = new Map(vectors.map(({ id, operation }) => [id, operation]));
  return provedMistakes(found).flatMap((mistake) => {
    const caught = catchers(found, mistake);
    const counts = new Map<string | undefined, number>();
    for (const id of caught) {
      const operation = operations.get(id);
      counts.set(operation, (counts.get(operation) ?? 0) + 1);
    }
    return caught.filter((id) => (counts.get(operations.get(id)) ?? 0) <= FEW);
  });
}
