/**
 * Extends sets by mistakes that an implementation makes for some requests only.
 *
 * @module
 */
import type { Mistake } from '../../../reference/mistakes/index.ts';
import { type Candidates, costsAtMost, pickLeadingTo } from './candidates.ts';
import {
  CONDITIONED,
  type Effected,
  fitConditions,
  isTelling,
  makeStepConditionals,
} from './conditional-mistakes.ts';
import { isBareVerdict, type Observation } from './observation.ts';
import type { ObservedAnswers } from './observed-answers.ts';
import { compareExtensions, type Extension, rankExtensions, WAYS } from './ranking.ts';
import { BOUNDS, type ScopedMistake } from './scoped-mistake.ts';

/** The number of wrong answers that suggest mistakes, and the least number of answers that a conditional one reproduces. */
const WITNESSES = 3;
const LEAST = 3;

/** Extensions by conditional mistakes: correct answers contradict their unconditional form. */
export function findConditional(
  candidates: Candidates,
  made: readonly ScopedMistake[],
  open: readonly Observation[],
  least: number,
  most: number,
): readonly Extension[] {
  const witnesses = open.filter((one) => !isBareVerdict(one)).slice(0, WITNESSES);
  for (const witness of witnesses) {
    const contradicted = candidates.findContradicted(made, witness, costsAtMost(most));
    const found = filterWorthier(candidates.observed, made, contradicted, open, least)
      .flatMap((bare) => extendUnderConditions(candidates, made, bare, witness))
      .filter(({ score }) => score > least)
      .sort(compareExtensions);
    if (found.length > 0) return found.slice(0, WAYS);
  }
  return [];
}

/** The candidates that reproduce more than a number of open answers. */
function filterWorthier(
  observed: ObservedAnswers,
  made: readonly ScopedMistake[],
  candidates: readonly Mistake[],
  open: readonly Observation[],
  least: number,
): readonly Mistake[] {
  const counts = new Map<Mistake, number>();
  for (const { question, actual } of open) {
    if (observed.budget.isSpent) return [];
    const changes = observed.computeChanges(question, made, candidates);
    for (const mistake of pickLeadingTo(actual, changes))
      counts.set(mistake, (counts.get(mistake) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > least && count >= LEAST)
    .sort(([, a], [, b]) => b - a)
    .slice(0, CONDITIONED)
    .map(([mistake]) => mistake);
}

/** Conditions of a mistake in all operations, or else in those where it explains an answer. */
function extendUnderConditions(
  candidates: Candidates,
  made: readonly ScopedMistake[],
  bare: Mistake,
  witness: Observation,
): readonly Extension[] {
  const { question } = witness;
  const effected = listEffects(candidates.observed, made, bare);
  const own = new Set(
    effected.filter(({ gain }) => gain === 1).map((one) => one.question.operation),
  );
  const inOwn = effected.filter((one) => own.has(one.question.operation));
  const toExtension =
    (within?: ReadonlySet<string>) =>
    ([mistake, score]: readonly [Mistake, number]): Extension => {
      const longer = [...made, { mistake, ...(within && { within }) }];
      return { made: longer, score, cost: mistake.cost + (within ? BOUNDS : 0) };
    };
  const everywhere = fitConditions(bare, effected, question).map(toExtension());
  const ofRequests =
    everywhere.length > 0 || inOwn.length === effected.length
      ? everywhere
      : fitConditions(bare, inOwn, question).map(toExtension(own));
  return [...ofRequests, ...extendInTexts(candidates, made, bare, effected, witness)];
}

/** The mistake for some texts of its step only. */
function extendInTexts(
  candidates: Candidates,
  made: readonly ScopedMistake[],
  bare: Mistake,
  effected: readonly Effected[],
  { question, actual }: Observation,
): readonly Extension[] {
  const explained = effected.filter(({ gain }) => gain === 1).length;
  const contradicted = effected.filter(({ isContradiction }) => isContradiction).length;
  if (contradicted === 0 || !isTelling(explained, contradicted)) return [];
  const all = makeStepConditionals(bare);
  const fitting = pickLeadingTo(actual, candidates.observed.computeChanges(question, made, all));
  // A condition and a scope together fit too many answers by chance.
  return rankExtensions(candidates, made, fitting, true).filter(
    ({ score, made: longer }) => score >= LEAST && longer.at(-1)?.within === undefined,
  );
}

/** What a further mistake does to each answer that it changes. */
function listEffects(
  observed: ObservedAnswers,
  made: readonly ScopedMistake[],
  mistake: Mistake,
): readonly Effected[] {
  const effected: Effected[] = [];
  for (const one of new Set([...observed.telling, ...observed.right])) {
    if (observed.budget.isSpent) return [];
    const { question, right, actual } = one;
    const isLost = observed.explains(one, made);
    const [effect] = observed.computeChanges(question, made, [mistake]);
    if (!effect) continue;
    const isGiven = effect.answer === actual && !isBareVerdict(one);
    const gain = isLost ? -1 : isGiven ? 1 : 0;
    effected.push({ question, gain, isContradiction: isLost && right === actual });
  }
  return effected;
}
