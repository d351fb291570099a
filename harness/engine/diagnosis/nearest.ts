/**
 * Finds mistakes that a few answers contradict: an implementation may make one like them, which differs in rare cases.
 *
 * @module
 */
import type { Mistake } from '../../../reference/mistakes/index.ts';
import type { Budget } from './budget.ts';
import type { Candidates } from './candidates.ts';
import {
  CONDITIONED,
  type Counted,
  countEffects,
  countLimited,
  type Effected,
  isFitted,
} from './conditional-mistakes.ts';
import { isOpenText, type Observation } from './observation.ts';
import type { ObservedAnswers } from './observed-answers.ts';
import { type ScopedMistake, selectMistakes } from './scoped-mistake.ts';
import { widenScopes } from './simplification.ts';

/** Further evaluations, in all: a difficult search has used up all others. */
const EVALUATIONS = 10_000;
/** The least number of open answers that a nearest mistake explains, for each answer that contradicts it. */
const LEAST_NEAR = 4;
/** The number of open answers that suggest mistakes. */
const WITNESSES = 3;

export class NearestSearch {
  readonly #observed: ObservedAnswers;
  readonly #candidates: Candidates;
  readonly #budget: Budget;

  constructor(observed: ObservedAnswers, candidates: Candidates, budget: Budget) {
    this.#observed = observed;
    this.#candidates = candidates;
    this.#budget = budget;
  }

  /**
   * Adds mistakes that a few answers contradict, if they explain many open answers of an operation: a mistake like the real
   * one, which differs from it in rare cases. It may replace conditional mistakes.
   */
  add(made: readonly ScopedMistake[]): readonly ScopedMistake[] {
    this.#budget.limit(EVALUATIONS);
    const operations = new Set(
      this.#observed.listOpen(made).map(({ question }) => question.operation),
    );
    return [...operations].reduce((all, operation) => {
      const own = this.#observed.all.filter(({ question }) => question.operation === operation);
      const open = own.filter((one) => isOpenText(one) && !this.#observed.explains(one, all));
      if (open.length < LEAST_NEAR) return all;
      const rest = all.filter(({ mistake }) => !isFitted(mistake));
      this.#budget.allow(EVALUATIONS);
      const fitting = open
        .slice(0, WITNESSES)
        .flatMap((one) => this.#candidates.findContradicted(rest, one));
      const nearest = this.#chooseNearest(own, rest, [...new Set(fitting)]);
      if (!nearest) return all;
      const nearer = widenScopes(this.#observed, [
        ...rest,
        { mistake: nearest, within: new Set([operation]) },
      ]);
      return this.#observed.explainsMore(nearer, all) ? nearer : all;
    }, made);
  }

  /** The candidate that explains the most answers, less three for each correctly predicted one that it contradicts. */
  #chooseNearest(
    observed: readonly Observation[],
    made: readonly ScopedMistake[],
    candidates: readonly Mistake[],
  ): Mistake | undefined {
    const effects = new Map<Mistake, Effected[]>(candidates.map((mistake) => [mistake, []]));
    for (const { question, right, actual } of observed) {
      if (this.#budget.isSpent) return undefined;
      const set = selectMistakes(question.operation, made);
      const isGiven = this.#observed.predictGiven(question, right, set) === actual;
      for (const { answer, mistakes } of this.#observed.predictor.computeChanges(
        question,
        set,
        candidates,
      )) {
        const gain = isGiven ? -1 : answer === actual ? 1 : 0;
        for (const mistake of mistakes)
          effects.get(mistake)?.push({ question, gain, isContradiction: isGiven });
      }
    }
    const counted = [...effects].map(([mistake, own]) => countEffects(mistake, own));
    const most = counted.toSorted((a, b) => b.gained - a.gained).slice(0, CONDITIONED);
    const limited = most.flatMap(({ mistake }) =>
      countLimited(mistake, effects.get(mistake) ?? []),
    );
    const near = [...counted, ...limited].filter(
      ({ gained, lost }) => gained >= LEAST_NEAR && lost * LEAST_NEAR <= gained,
    );
    const worth = ({ gained, lost }: Counted): number => gained - 3 * lost;
    return near.sort((a, b) => worth(b) - worth(a) || a.mistake.cost - b.mistake.cost)[0]?.mistake;
  }
}
