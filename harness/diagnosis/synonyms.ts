/**
 * Mistakes that are the same in other words: no vector tells them apart.
 *
 * @module
 */
import { type Cause, isNamed, MISTAKES, type Mistake } from '../../reference/mistakes/index.ts';
import { dialectNamed } from '../dialects.ts';
import { bundledSuite } from '../suite/bundle.ts';
import { ContentFolder, contentSize } from '../suite/content.ts';
import type { Vector } from '../suite/vector.ts';
import { type FoundCause, isMistake } from './diagnose.ts';
import type { Predictor } from './predictor.ts';
import { predictorOf } from './suite-predictor.ts';

/**
 * The causes without those others that no vector of some operations tells from them.
 *
 * Another one with words of its own has a fix of its own: it stays where a vector of any operation tells it apart.
 */
export function withoutSynonyms(
  causes: readonly FoundCause[],
  operations: readonly string[],
): readonly FoundCause[] {
  if (causes.every(({ others }) => others.length === 0)) return causes;
  const contents = new ContentFolder();
  try {
    const predictor = predictorOf(dialectNamed('svc'), contents);
    const { vectors } = bundledSuite();
    return causes.map((cause) => {
      const { mistake, others } = cause;
      if (cause.confidence !== 'one of' || !isMistake(mistake)) return cause;
      const telling = vectorsAbout(mistake, vectors, predictor);
      const isNear = ({ operation }: Vector): boolean => operations.includes(operation);
      const alike = synonyms(mistake, others.filter(isMistake), telling.filter(isNear), predictor);
      const named = alike.filter(isNamed);
      const far = telling.filter((vector) => !isNear(vector));
      const same = new Set(synonyms(mistake, named, far, predictor));
      return withoutOthers(cause, (other) =>
        alike.some((one) => one === other && (!isNamed(one) || same.has(one))),
      );
    });
  } finally {
    contents.remove();
  }
}

/** Contents are read for mistakes about contents only, for they are many megabytes. */
function vectorsAbout(
  mistake: Mistake,
  vectors: readonly Vector[],
  predictor: Predictor,
): readonly Vector[] {
  const sizes = new Map(vectors.map((vector) => [vector, contentSize(vector.input)]));
  const quick = vectors.filter(predictor.isQuick.bind(predictor));
  const isAbout = new Map<string, boolean>();
  return quick
    .toSorted((a, b) => (sizes.get(a) ?? 0) - (sizes.get(b) ?? 0))
    .filter(({ operation, keys, input }) => {
      if (input['content'] === undefined) return true;
      const known = isAbout.get(operation);
      if (known !== undefined) return known;
      const is = predictor.relevant({ operation, keys, input }).includes(mistake);
      isAbout.set(operation, is);
      return is;
    });
}

/**
 * A cause with words of its own, without others that have none.
 *
 * A few requests tell little apart, and some of the thousands of generated mistakes always fit them as well.
 */
export function worded(cause: FoundCause): FoundCause {
  const isWorded = ({ id }: Cause): boolean => MISTAKES.some((mistake) => mistake.id === id);
  return isWorded(cause.mistake)
    ? withoutOthers(cause, (other) => isMistake(other) && !isWorded(other))
    : cause;
}

/** The same cause without some of its others; exact where none is left. */
export function withoutOthers(
  cause: FoundCause,
  isNone: (other: FoundCause['mistake']) => boolean,
): FoundCause {
  const others = cause.others.filter((other) => !isNone(other));
  return { ...cause, others, confidence: others.length === 0 ? 'exact' : cause.confidence };
}

/** Those that give the same answers as a mistake to all of some vectors. */
export function synonyms(
  mistake: Mistake,
  others: readonly Mistake[],
  vectors: readonly Vector[],
  predictor: Predictor,
): readonly Mistake[] {
  let left = others;
  for (const { operation, keys, input } of vectors) {
    if (left.length === 0) break;
    const effects = predictor.effectsOf({ operation, keys, input }, [], [mistake, ...left]);
    const same = effects.find(({ mistakes }) => mistakes.includes(mistake))?.mistakes ?? [];
    left = left.filter((other) => same.includes(other));
  }
  return left;
}
