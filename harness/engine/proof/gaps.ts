/**
 * Finds gaps of the proof: mistakes that too few vectors catch or tell apart, and unneeded vectors.
 *
 * @module
 */
import { MISTAKES, type Mistake } from '../../../reference/mistakes/index.ts';
import { formatCount } from '../excerpt.ts';
import { groupByKey } from '../group-by-key.ts';
import type { Vector } from '../vector.ts';
import { findCatchers, listProvedMistakes, type Proof, type Uncaught } from './proof.ts';

/**
 * A mistake that more vectors of one operation catch breaks the whole operation, so it does not justify a further vector.
 * Counted within an operation, because an adapter may offer only that one.
 */
export const FEW = 8;

/** Vectors that the reference fails, and gaps for mistakes of the register, each as a sentence. */
export function findGaps(found: Proof, mistakes: readonly Mistake[] = MISTAKES): readonly string[] {
  const refuted = (found.refuted ?? []).map(
    (id) =>
      `vector ${id} expects another answer than the reference gives; correct the wrong one, \`svc-conformance run ${id}\` shows both`,
  );
  const uncaught = mistakes.flatMap(({ id, once }) => {
    const caught = findCatchers(found, id);
    const count = caught.filter((vector) => once !== undefined || !found.large?.has(vector)).length;
    if (count >= (once === undefined ? 2 : 1)) return [];
    return [
      `mistake ${id} is caught by ${formatCount(count, 'vector')}; add a vector, or explain under once why only one is possible`,
    ];
  });
  const alike = findIndistinct(found).map(
    ([a, b]) =>
      `no vector distinguishes the mistakes ${a} and ${b}; add a vector, or merge the mistakes`,
  );
  return [...refuted, ...uncaught, ...alike];
}

/** Further gaps are only counted. */
const SHOWN_UNCAUGHT = 20;

/** Gaps for generated mistakes that a random question shows and no vector catches. */
export function describeUncaught(uncaught: readonly Uncaught[]): readonly string[] {
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
function findIndistinct({ effects }: Proof): readonly (readonly [string, string])[] {
  const alike = groupByKey(
    [...effects].map(([id, own]) => {
      const look = [...own].map(([vector, { shown }]) => [vector, shown]).sort();
      return [JSON.stringify(look), id] as const;
    }),
  );
  return [...alike.values()].flatMap(([first = '', ...others]) =>
    others.map((id) => [first, id] as const),
  );
}

/** Gaps of the vectors: unneeded vectors without `keep`, and needed vectors with it. */
export function findVectorGaps(found: Proof, vectors: readonly Vector[]): readonly string[] {
  const earning = new Set(listEarningVectors(found, vectors));
  return vectors.flatMap(({ id, level, keep, large }) => {
    // Only --large asks large vectors, so they need no reason to stay.
    if (large) return [];
    // Open vectors have no correct answer, so they cannot catch a mistake.
    const isNeeded = level === 'open' || earning.has(id);
    if (isNeeded === (keep === undefined)) return [];
    const few = `mistake that at most ${FEW} vectors of its operation catch`;
    const need = level === 'open' ? 'its level is open' : `it catches a ${few}`;
    return isNeeded
      ? [`vector ${id} needs no keep, because ${need}; remove it from keep`]
      : [
          `vector ${id} catches no ${few}; remove it, add a mistake that it catches, or explain under keep why it stays`,
        ];
  });
}

/** The ids of the vectors that catch a mistake which few vectors of their operation catch. */
function listEarningVectors(found: Proof, vectors: readonly Vector[]): readonly string[] {
  const operations = new Map(vectors.map(({ id, operation }) => [id, operation]));
  return listProvedMistakes(found).flatMap((mistake) => {
    const caught = findCatchers(found, mistake).map((id) => [operations.get(id), id] as const);
    return [...groupByKey(caught).values()].filter(({ length }) => length <= FEW).flat();
  });
}
