/**
 * Finds the mistakes that fit as well as one of a set.
 *
 * @module
 */
import type { Mistake } from '../../../reference/mistakes/index.ts';
import type { Candidates, IsCandidate } from './candidates.ts';
import {
  CONDITIONED,
  isFitted,
  makeConditionals,
  makeStepConditionals,
} from './conditional-mistakes.ts';
import { isBareVerdict, type Observation, operationsOf } from './observation.ts';
import type { ObservedAnswers } from './observed-answers.ts';
import type { ScopedMistake } from './scoped-mistake.ts';
import { firstOfEachOperation } from './telling.ts';

/** Mistakes that fit as well as another one. */
interface Rivals {
  readonly everywhere: readonly Mistake[];
  readonly inVerifiers: readonly Mistake[];
}

/**
 * Other mistakes that would give all the answers that one mistake of a set gives. If only verdicts show the mistake, those
 * come last that correct answers of other operations contradict: a verifier often has code of its own for a step.
 */
export function findRivals(
  candidates: Candidates,
  made: readonly ScopedMistake[],
  one: ScopedMistake,
): Rivals {
  const { observed } = candidates;
  const without = made.filter((other) => other !== one);
  const explained = observed.wrong.filter(
    (wrong) => observed.explains(wrong, made) && !observed.explains(wrong, without),
  );
  const isKnown = (one: Observation): boolean =>
    without.length === 0 && candidates.isKnown(without, one);
  const witness = explained.find(isKnown) ?? explained[0];
  if (!witness) return { everywhere: [], inVerifiers: [] };
  const isCandidate = observed.inStepsOfEach(firstOfEachOperation(explained), without);
  const all = listPossibleRivals(candidates, without, one.mistake, witness, isCandidate);
  const operations = operationsOf(explained);
  const isInVerifiers = explained.every(isBareVerdict);
  const alike = filterAlike(observed, all, without, one, (operation) => {
    return !isInVerifiers || operations.has(operation);
  });
  if (!isInVerifiers) return { everywhere: alike, inVerifiers: [] };
  const everywhere = filterAlike(observed, alike, without, one, (name) => !operations.has(name));
  return { everywhere, inVerifiers: alike.filter((rival) => !everywhere.includes(rival)) };
}

/** The mistakes that give one of the answers that a mistake gives. */
function listPossibleRivals(
  candidates: Candidates,
  without: readonly ScopedMistake[],
  mistake: Mistake,
  witness: Observation,
  isCandidate: IsCandidate,
): readonly Mistake[] {
  const plain = candidates.listPlain(witness.question.operation, without);
  // Correct answers also contradict the bare rivals of a conditional mistake, and the rivals of one that is only near.
  const isContradicted = isFitted(mistake) || plain.some((one) => one.isChangedBy(mistake));
  const found = isContradicted
    ? candidates.findContradicted(without, witness, isCandidate)
    : candidates.findFitting(without, witness, isCandidate);
  const fitting = candidates.siftVerdicts(without, witness, found);
  // The condition of this mistake may also fit others.
  const bare = isFitted(mistake) ? [mistake.unconditional, ...fitting.slice(0, CONDITIONED)] : [];
  const conditioned = bare.flatMap((one) => [
    ...makeConditionals(one, witness.question),
    ...makeStepConditionals(one),
  ]);
  return [...fitting, ...new Set(conditioned)];
}

/** The rivals with the same effect as a mistake on every answer of some operations. */
function filterAlike(
  observed: ObservedAnswers,
  rivals: readonly Mistake[],
  without: readonly ScopedMistake[],
  { mistake, within }: ScopedMistake,
  isJudged: (operation: string) => boolean,
): readonly Mistake[] {
  const { all, telling, wrong, right } = observed;
  // Further questions, which have no id, were asked to tell these mistakes apart.
  const asked = all.filter(({ id }) => id === undefined);
  let left = rivals;
  for (const { question } of new Set([...asked, ...telling, ...wrong, ...right])) {
    const { operation } = question;
    if (left.length === 0) break;
    if ((within && !within.has(operation)) || !isJudged(operation)) continue;
    const changes = observed.computeChanges(question, without, [mistake, ...left]);
    const effects = new Map(
      changes.flatMap((effect) => effect.mistakes.map((one) => [one, effect] as const)),
    );
    const effect = effects.get(mistake);
    left = left.filter((rival) => effects.get(rival) === effect);
  }
  return left;
}
