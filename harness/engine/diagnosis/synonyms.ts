/**
 * Drops what no vector shows: synonyms, which no vector tells apart, and free choices, which change no vector.
 *
 * @module
 */
import { type Cause, isNamed, MISTAKES, type Mistake } from '../../../reference/mistakes/index.ts';
import { parseDialect } from '../dialects.ts';
import { getOrInsert } from '../get-or-insert.ts';
import { toQuestion } from '../judge/outcome.ts';
import type { Dialect, Question } from '../protocol.ts';
import { contentSize, type SuiteData } from '../suite-data.ts';
import type { Vector } from '../vector.ts';
import { type FoundCause, isMistake } from './diagnose.ts';
import type { Predictor } from './predictor.ts';
import { createPredictor, replyWithMistakes } from './reference-reply.ts';

/**
 * Drops, from each cause, the other mistakes that no vector of the given operations tells apart from it.
 *
 * A named mistake has its own fix, so it stays if a vector of any operation tells it apart.
 */
export function dropSynonyms(
  causes: readonly FoundCause[],
  operations: readonly string[],
  data: SuiteData,
): readonly FoundCause[] {
  if (causes.every(({ others }) => others.length === 0)) return causes;
  const predictor = createPredictor(parseDialect('svc'), data);
  const vectors = data.vectors();
  return causes.map((cause) => {
    const { mistake, others } = cause;
    if (cause.confidence !== 'one of' || !isMistake(mistake)) return cause;
    const telling = selectVectorsAbout(mistake, vectors, predictor);
    const isNear = ({ operation }: Vector): boolean => operations.includes(operation);
    const alike = findSynonyms(
      mistake,
      others.filter(isMistake),
      telling.filter(isNear),
      predictor,
    );
    const named = alike.filter(isNamed);
    const far = telling.filter((vector) => !isNear(vector));
    const same = new Set(findSynonyms(mistake, named, far, predictor));
    return dropOthers(cause, (other) =>
      alike.some((one) => one === other && (!isNamed(one) || same.has(one))),
    );
  });
}

/**
 * Drops free choices: mistakes that by themselves change answers only in ways that the specification allows, such as the order of the
 * members of a policy. They show only beside a mistake, and other causes must explain the same failures.
 */
export function dropFreeChoices(
  causes: readonly FoundCause[],
  data: SuiteData,
): readonly FoundCause[] {
  if (causes.length < 2) return causes;
  const dialect = parseDialect('svc');
  const predictor = createPredictor(dialect, data);
  const free = new Set<Cause>(
    causes
      .map(({ mistake }) => mistake)
      .filter(isMistake)
      .filter((mistake) => isFreeChoice(mistake, data, predictor, dialect)),
  );
  return causes.filter(({ mistake, explains }) => {
    const isExplained = (id: string): boolean =>
      causes.some((other) => !free.has(other.mistake) && other.explains.includes(id));
    return !free.has(mistake) || !explains.every(isExplained);
  });
}

function isFreeChoice(
  mistake: Mistake,
  data: SuiteData,
  predictor: Predictor,
  dialect: Dialect,
): boolean {
  const questions = selectVectorsAbout(mistake, data.vectors(), predictor)
    .map(toQuestion)
    .filter((question) => predictor.canChange(question, [mistake]));
  const isSame = (question: Question): boolean =>
    predictor.predict(question, [mistake]) === predictor.predict(question, []);
  const isRewritten = (question: Question): boolean => {
    const [right, made] = [[], [mistake]].map((set) => replyWithMistakes(question, set, dialect));
    return JSON.stringify(right) !== JSON.stringify(made);
  };
  return questions.every(isSame) && questions.some(isRewritten);
}

/** Selects vectors that can tell a mistake apart, the smallest first. Contents, many megabytes, are hashed only for mistakes about contents. */
function selectVectorsAbout(
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
      if (input.content === undefined) return true;
      return getOrInsert(isAbout, operation, () =>
        predictor.listRelevantMistakes({ operation, keys, input }).includes(mistake),
      );
    });
}

/**
 * Drops the generated mistakes beside a named one.
 *
 * Use it for few requests: some of the thousands of generated mistakes always fit those too.
 */
export function preferNamed(cause: FoundCause): FoundCause {
  const isWorded = ({ id }: Cause): boolean => MISTAKES.some((mistake) => mistake.id === id);
  return isWorded(cause.mistake)
    ? dropOthers(cause, (other) => isMistake(other) && !isWorded(other))
    : cause;
}

/** Drops some of the other mistakes of a cause. Without any left, the cause becomes exact. */
export function dropOthers(
  cause: FoundCause,
  isNone: (other: FoundCause['mistake']) => boolean,
): FoundCause {
  const others = cause.others.filter((other) => !isNone(other));
  return { ...cause, others, confidence: others.length === 0 ? 'exact' : cause.confidence };
}

/** The other mistakes that give the same answers to all these vectors. */
function findSynonyms(
  mistake: Mistake,
  others: readonly Mistake[],
  vectors: readonly Vector[],
  predictor: Predictor,
): readonly Mistake[] {
  let left = others;
  for (const { operation, keys, input } of vectors) {
    if (left.length === 0) break;
    const effects = predictor.computeEffects({ operation, keys, input }, [], [mistake, ...left]);
    const same = effects.find(({ mistakes }) => mistakes.includes(mistake))?.mistakes ?? [];
    left = left.filter((other) => same.includes(other));
  }
  return left;
}
