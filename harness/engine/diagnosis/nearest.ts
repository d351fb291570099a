/**
 * Finds mistakes that a few answers contradict: an implementation may make one like them, which differs in rare cases.
 *
 * @module
 */
import type { Mistake } from '../../../reference/mistakes/index.ts';
import type { Candidates } from './candidates.ts';
import {
  CONDITIONED,
  type Counted,
  countEffects,
  countLimited,
  type Effected,
  isFitted,
} from './conditional-mistakes.ts';
import { isWrongText, type Observation, operationsOf } from './observation.ts';
import type { ObservedAnswers } from './observed-answers.ts';
import type { ScopedMistake } from './scoped-mistake.ts';
import { widenScopes } from './simplification.ts';

/** Further evaluations, in all: a difficult search has used up all others. */
const EVALUATIONS = 10_000;
/** The least number of open answers that a nearest mistake explains, for each answer that contradicts it. */
const LEAST_NEAR = 4;
/** The number of open answers that suggest mistakes. */
const WITNESSES = 3;

/**
 * Adds mistakes that a few answers contradict, if they explain many open answers of an operation: a mistake like the real
 * one, which differs from it in rare cases. It may replace conditional mistakes.
 */
export function addNearest(
  candidates: Candidates,
  made: readonly ScopedMistake[],
): readonly ScopedMistake[] {
  const { observed } = candidates;
  observed.budget.limit(EVALUATIONS);
  const operations = operationsOf(observed.listOpen(made));
  return [...operations].reduce((all, operation) => {
    const own = observed.all.filter(({ question }) => question.operation === operation);
    const open = own.filter((one) => isWrongText(one) && !observed.explains(one, all));
    if (open.length < LEAST_NEAR) return all;
    const rest = all.filter(({ mistake }) => !isFitted(mistake));
    observed.budget.allow(EVALUATIONS);
    const fitting = open
      .slice(0, WITNESSES)
      .flatMap((one) => candidates.findContradicted(rest, one));
    const mistake = chooseNearest(observed, own, rest, [...new Set(fitting)]);
    if (!mistake) return all;
    const nearer = widenScopes(observed, [...rest, { mistake, within: new Set([operation]) }]);
    return observed.explainsMore(nearer, all) ? nearer : all;
  }, made);
}

/** The candidate that explains the most of some answers, less three for each correctly predicted one that it contradicts. */
function chooseNearest(
  observed: ObservedAnswers,
  answers: readonly Observation[],
  made: readonly ScopedMistake[],
  candidates: readonly Mistake[],
): Mistake | undefined {
  const effects = new Map<Mistake, Effected[]>(candidates.map((mistake) => [mistake, []]));
  for (const one of answers) {
    if (observed.budget.isSpent) return undefined;
    const { question, actual } = one;
    const isContradiction = observed.explains(one, made);
    for (const { answer, mistakes } of observed.computeChanges(question, made, candidates)) {
      const gain = isContradiction ? -1 : answer === actual ? 1 : 0;
      for (const mistake of mistakes)
        effects.get(mistake)?.push({ question, gain, isContradiction });
    }
  }
  const counted = [...effects].map(([mistake, own]) => countEffects(mistake, own));
  const most = counted.toSorted((a, b) => b.gained - a.gained).slice(0, CONDITIONED);
  const limited = most.flatMap(({ mistake }) => countLimited(mistake, effects.get(mistake) ?? []));
  const near = [...counted, ...limited].filter(
    ({ gained, lost }) => gained >= LEAST_NEAR && lost * LEAST_NEAR <= gained,
  );
  const worth = ({ gained, lost }: Counted): number => gained - 3 * lost;
  return near.sort((a, b) => worth(b) - worth(a) || a.mistake.cost - b.mistake.cost)[0]?.mistake;
}
