/**
 * The mistakes that would give an observed answer, each in addition to a set of mistakes.
 *
 * @module
 */
import { type Mistake, type StepName, touches } from '../../../reference/mistakes/index.ts';
import { getOrInsert } from '../get-or-insert.ts';
import type { Question } from '../protocol.ts';
import type { Effect, KnownEffects } from './effects.ts';
import { computeLikeness, countShared } from './likeness.ts';
import { isBareVerdict, type Observation, operationsOf, REFUSED } from './observation.ts';
import type { ObservedAnswers } from './observed-answers.ts';
import { type ScopedMistake, selectMistakes } from './scoped-mistake.ts';
import { firstOfEachOperation, interleave } from './telling.ts';

/** A correct answer, and whether a mistake changes it. */
interface PlainAnswer extends Observation {
  readonly isChangedBy: (mistake: Mistake) => boolean;
}

/** Whether to compute the effect of a mistake. */
export type IsCandidate = (mistake: Mistake) => boolean;

const isAny: IsCandidate = () => true;

export const costsAtMost =
  (most: number): IsCandidate =>
  ({ cost }) =>
    cost <= most;

/** The most evaluations to drop mistakes that fit a verdict. */
const OF_SIFTING = 4000;
/** The most candidates to check against correct answers. */
export const CANDIDATES = 24;
/** The most mistakes that explain a bare verdict and no correct answer contradicts. */
const VERDICTS = 160;
/** For how many mistakes a large content is hashed before the limit counts. */
const HASHED = 16;

export class Candidates {
  readonly observed: ObservedAnswers;
  /** By operation: correct answers of which it is known which mistakes change them. */
  readonly #plain = new Map<string, readonly PlainAnswer[]>();
  /** Wrong answers and sets for which the search for pairs failed. */
  readonly barren: Set<string> = new Set();
  /** The steps of operations without wrong answers, once they are needed. */
  #shared: ReadonlySet<StepName> | undefined;

  constructor(observed: ObservedAnswers) {
    this.observed = observed;
  }

  /** Candidates that reproduce an observed answer. */
  findFitting(
    made: readonly ScopedMistake[],
    one: Observation,
    isCandidate?: IsCandidate,
  ): readonly Mistake[] {
    return this.findContradicted(
      made,
      one,
      this.#excludeContradicted(one.question, made, isCandidate),
    );
  }

  /** The same, including mistakes that correct answers contradict. Without a set, the build may know most of those that do not fit. */
  findContradicted(
    made: readonly ScopedMistake[],
    { question, actual }: Observation,
    isCandidate: IsCandidate = isAny,
  ): readonly Mistake[] {
    const isRight = selectMistakes(question.operation, made).length === 0;
    const known = isRight ? this.#findKnown(question, made)?.(actual) : undefined;
    return pickLeadingTo(
      actual,
      known
        ? this.observed.computeChanges(question, made, known.filter(isCandidate))
        : this.#computeAllEffects(question, made, isCandidate),
    );
  }

  /**
   * As `findFitting`, but looks only at mistakes that, as the build knows, lead to the answer without the set. The set must change no
   * step of the correct answer. It may still change steps that a further mistake leads to; then that mistake is not found.
   */
  findKnownFitting(
    made: readonly ScopedMistake[],
    { question, actual }: Observation,
    isCandidate?: IsCandidate,
  ): readonly Mistake[] {
    const known = this.#findKnown(question, made)?.(actual) ?? [];
    const isPossible = this.#excludeContradicted(question, made, isCandidate);
    return pickLeadingTo(
      actual,
      this.observed.computeChanges(question, made, known.filter(isPossible)),
    );
  }

  /** Whether `findKnownFitting` finds mistakes that lead to an answer. */
  isKnown(made: readonly ScopedMistake[], { question }: Observation): boolean {
    return this.#findKnown(question, made) !== undefined;
  }

  #findKnown(question: Question, made: readonly ScopedMistake[]): KnownEffects['listLeadingTo'] {
    const { predictor } = this.observed;
    return predictor.canChange(question, selectMistakes(question.operation, made))
      ? undefined
      : predictor.findKnownEffects(question)?.listLeadingTo;
  }

  /** Mistakes that give more parts of the observed answer; of these, those with the most similar answers. */
  findPartlyFitting(made: readonly ScopedMistake[], one: Observation): readonly Mistake[] {
    if (one.actual === REFUSED) return [];
    const before = countShared(this.observed.predict(one, made), one.actual);
    const effects = this.computeEffects(one.question, made)
      .filter(({ answer }) => countShared(answer, one.actual) > before)
      .map((effect) => [computeLikeness(effect.answer, one.actual), effect] as const);
    const best = Math.max(...effects.map(([like]) => like));
    return effects.filter(([like]) => like === best).flatMap(([, { mistakes }]) => mistakes);
  }

  /**
   * If a wrong answer is only a verdict, thousands of mistakes predict it. This drops those that correct answers of the same
   * operation contradict, and keeps a limited number, of which those come first whose steps no other operation uses.
   */
  siftVerdicts(
    made: readonly ScopedMistake[],
    witness: Observation,
    candidates: readonly Mistake[],
  ): readonly Mistake[] {
    if (!isBareVerdict(witness)) return candidates;
    const { operation } = witness.question;
    const last = this.observed.predictor.evaluations + OF_SIFTING;
    let left = candidates;
    const own = this.observed.right.filter(({ question }) => question.operation === operation);
    // A mistake that changes one correct verdict probably changes others of the same kind.
    const isAlike = ({ right }: Observation): boolean =>
      (right === REFUSED) === (witness.right === REFUSED);
    const telling = [...own.filter(isAlike), ...own.filter((one) => !isAlike(one))];
    for (const one of telling) {
      if (left.length <= CANDIDATES || this.observed.predictor.evaluations > last) break;
      if (!this.observed.explains(one, made)) continue;
      left = this.observed.filterHarmless(one.question, made, left);
    }
    if (left.length <= CANDIDATES) return left;
    // Some of each step, because the reasons of refusals may tell the steps apart.
    const mixed = interleave(left, (mistake) => mistake.steps.join());
    return this.putUnsharedFirst(mixed).slice(0, VERDICTS);
  }

  /** Puts mistakes first whose steps no operation uses that has only correct answers. */
  putUnsharedFirst(mistakes: readonly Mistake[]): readonly Mistake[] {
    this.#shared ??= this.#listStepsOfCorrectOperations();
    const shared = this.#shared;
    const isShared = (mistake: Mistake): boolean => touches(mistake, shared);
    return [...mistakes.filter((one) => !isShared(one)), ...mistakes.filter(isShared)];
  }

  /** The steps of one correct answer of each operation without wrong answers. */
  #listStepsOfCorrectOperations(): ReadonlySet<StepName> {
    const wrong = operationsOf(this.observed.wrong);
    const correct = this.observed.right.filter(
      ({ question: { operation } }) => !wrong.has(operation),
    );
    return new Set(
      firstOfEachOperation(correct).flatMap((one) => this.observed.listSteps(one, [])),
    );
  }

  /** The effects of each single further candidate on a question, without those that known changes of correct answers exclude. */
  computeEffects(question: Question, made: readonly ScopedMistake[]): readonly Effect[] {
    return this.#computeAllEffects(question, made, this.#excludeContradicted(question, made));
  }

  #excludeContradicted(
    question: Question,
    made: readonly ScopedMistake[],
    isCandidate: IsCandidate = isAny,
  ): IsCandidate {
    const plain = this.listPlain(question.operation, made);
    return (one) => isCandidate(one) && !plain.some(({ isChangedBy }) => isChangedBy(one));
  }

  /** Correct answers of an operation that a set does not change, with known changes. */
  listPlain(operation: string, made: readonly ScopedMistake[]): readonly PlainAnswer[] {
    const known = getOrInsert(this.#plain, operation, () => this.#findPlain(operation));
    return known.filter((one) => this.observed.explains(one, made));
  }

  #findPlain(operation: string): readonly PlainAnswer[] {
    return this.observed.right.flatMap((one) => {
      if (one.question.operation !== operation) return [];
      const known = this.observed.predictor.findKnownEffects(one.question);
      return known ? [{ ...one, isChangedBy: known.changes }] : [];
    });
  }

  /**
   * The effects of each single further candidate on a question.
   *
   * A large content is hashed only for mistakes that no correct answer about a small content contradicts.
   */
  #computeAllEffects(
    question: Question,
    made: readonly ScopedMistake[],
    isCandidate: IsCandidate,
  ): readonly Effect[] {
    const { predictor, right, budget } = this.observed;
    const set = selectMistakes(question.operation, made);
    let left: readonly Mistake[] = predictor
      .listRelevantMistakes(question, set)
      .filter(isCandidate);
    if (predictor.isLight(question)) return predictor.computeChanges(question, set, left);
    for (const small of right) {
      const isSmall = predictor.isLight(small.question);
      if (small.question.operation !== question.operation || !isSmall) continue;
      if (!this.observed.explains(small, made)) continue;
      left = this.observed.filterHarmless(small.question, made, left);
    }
    const effects: Effect[] = [];
    for (let at = 0; at < left.length && !budget.isSpent; at += HASHED) {
      effects.push(...predictor.computeChanges(question, set, left.slice(at, at + HASHED)));
    }
    return effects;
  }
}

/** Those mistakes that lead to an answer. */
export const pickLeadingTo = (actual: string, effects: readonly Effect[]): readonly Mistake[] =>
  effects.filter(({ answer }) => answer === actual).flatMap(({ mistakes }) => mistakes);
