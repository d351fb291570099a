/**
 * Extends sets by mistakes that an implementation makes for some requests only.
 *
 * @module
 */
import type { Mistake } from '../../../reference/mistakes/index.ts';
import type { Question } from '../protocol.ts';
import type { Budget } from './budget.ts';
import { type Candidates, costsAtMost } from './candidates.ts';
import {
  CONDITIONED,
  type Effected,
  fitConditions,
  isTelling,
  makeStepConditionals,
} from './conditional-mistakes.ts';
import { isBareVerdict, type Observation } from './observation.ts';
import type { ObservedAnswers } from './observed-answers.ts';
import { type Extension, type Ranking, WAYS } from './ranking.ts';
import { BOUNDS, type ScopedMistake, selectMistakes } from './scoped-mistake.ts';

/** The number of wrong answers that suggest mistakes, and the least number of answers that a conditional one reproduces. */
const WITNESSES = 3;
const LEAST = 3;

export class ConditionalExtensions {
  readonly #observed: ObservedAnswers;
  readonly #candidates: Candidates;
  readonly #ranking: Ranking;
  readonly #budget: Budget;

  constructor(observed: ObservedAnswers, candidates: Candidates, ranking: Ranking, budget: Budget) {
    this.#observed = observed;
    this.#candidates = candidates;
    this.#ranking = ranking;
    this.#budget = budget;
  }

  /** Extensions by conditional mistakes: correct answers contradict their unconditional form. */
  find(
    made: readonly ScopedMistake[],
    open: readonly Observation[],
    least: number,
    most: number,
  ): readonly Extension[] {
    const witnesses = open.filter((one) => !isBareVerdict(one)).slice(0, WITNESSES);
    for (const witness of witnesses) {
      const bare = this.#filterWorthier(
        made,
        this.#candidates.findContradicted(made, witness, costsAtMost(most)),
        open,
        least,
      );
      const found = bare
        .flatMap((one) => this.#fitConditions(made, one, witness.question))
        .filter(({ score }) => score > least)
        .sort((a, b) => b.score - a.score || a.cost - b.cost);
      if (found.length > 0) return found.slice(0, WAYS);
    }
    return [];
  }

  /** The candidates that reproduce more than a number of open answers. */
  #filterWorthier(
    made: readonly ScopedMistake[],
    candidates: readonly Mistake[],
    open: readonly Observation[],
    least: number,
  ): readonly Mistake[] {
    const counts = new Map<Mistake, number>();
    for (const { question, actual } of open) {
      if (this.#budget.isSpent) return [];
      const set = selectMistakes(question.operation, made);
      for (const { answer, mistakes } of this.#observed.predictor.computeChanges(
        question,
        set,
        candidates,
      )) {
        if (answer !== actual) continue;
        for (const mistake of mistakes) counts.set(mistake, (counts.get(mistake) ?? 0) + 1);
      }
    }
    return [...counts]
      .filter(([, count]) => count > least && count >= LEAST)
      .sort(([, a], [, b]) => b - a)
      .slice(0, CONDITIONED)
      .map(([mistake]) => mistake);
  }

  /** Conditions of a mistake in all operations, or else in those where it explains an answer. */
  #fitConditions(
    made: readonly ScopedMistake[],
    bare: Mistake,
    witness: Question,
  ): readonly Extension[] {
    const effected = this.#listEffects(made, bare);
    const own = new Set(
      effected.filter(({ gain }) => gain === 1).map(({ question }) => question.operation),
    );
    const inOwn = effected.filter(({ question }) => own.has(question.operation));
    const toExtension =
      (within?: ReadonlySet<string>) =>
      ([mistake, score]: readonly [Mistake, number]): Extension => {
        const longer = [...made, { mistake, ...(within && { within }) }];
        return { made: longer, score, cost: mistake.cost + (within ? BOUNDS : 0) };
      };
    const everywhere = fitConditions(bare, effected, witness).map(toExtension());
    const ofRequests =
      everywhere.length > 0 || inOwn.length === effected.length
        ? everywhere
        : fitConditions(bare, inOwn, witness).map(toExtension(own));
    return [...ofRequests, ...this.#fitSteps(made, bare, effected, witness)];
  }

  /** The mistake for some texts of its step only. */
  #fitSteps(
    made: readonly ScopedMistake[],
    bare: Mistake,
    effected: readonly Effected[],
    witness: Question,
  ): readonly Extension[] {
    const explained = effected.filter(({ gain }) => gain === 1).length;
    const contradicted = effected.filter(({ isContradiction }) => isContradiction).length;
    if (contradicted === 0 || !isTelling(explained, contradicted)) return [];
    const set = selectMistakes(witness.operation, made);
    const { actual } = this.#observed.findObservation(witness);
    const fitting = this.#observed.predictor
      .computeChanges(witness, set, makeStepConditionals(bare))
      .filter(({ answer }) => answer === actual)
      .flatMap(({ mistakes }) => mistakes);
    // A condition and a scope together fit too many answers by chance.
    return this.#ranking
      .rank(made, fitting, true)
      .filter(({ score, made: longer }) => score >= LEAST && longer.at(-1)?.within === undefined);
  }

  /** What a further mistake does to each answer that it changes. */
  #listEffects(made: readonly ScopedMistake[], mistake: Mistake): readonly Effected[] {
    const effected: Effected[] = [];
    for (const one of new Set([...this.#observed.telling, ...this.#observed.right])) {
      if (this.#budget.isSpent) return [];
      const { question, right, actual } = one;
      const set = selectMistakes(question.operation, made);
      const before = this.#observed.predictGiven(question, right, set);
      const [effect] = this.#observed.predictor.computeChanges(question, set, [mistake]);
      if (!effect) continue;
      const isLost = before === actual;
      const isGiven = effect.answer === actual && !isBareVerdict(one);
      effected.push({
        question,
        gain: isLost ? -1 : isGiven ? 1 : 0,
        isContradiction: isLost && right === actual,
      });
    }
    return effected;
  }
}
