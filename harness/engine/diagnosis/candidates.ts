/**
 * The mistakes that would give an observed answer, each in addition to a set of mistakes.
 *
 * @module
 */
import { type Mistake, type StepName, stepsOf } from '../../../reference/mistakes/index.ts';
import type { Question } from '../protocol.ts';
import type { Budget } from './budget.ts';
import type { Effect, KnownEffects } from './effects.ts';
import { computeLikeness, countShared } from './likeness.ts';
import { isBareVerdict, type Observation, REFUSED } from './observation.ts';
import type { ObservedAnswers } from './observed-answers.ts';
import { type ScopedMistake, selectMistakes } from './scoped-mistake.ts';
import { firstOfEachOperation, interleave } from './telling.ts';

/** A correct answer, and whether a mistake changes it. */
interface PlainAnswer {
  readonly question: Question;
  readonly right: string;
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
  readonly #observed: ObservedAnswers;
  readonly #budget: Budget;
  /** By operation: correct answers of which it is known which mistakes change them. */
  readonly #plain = new Map<string, readonly PlainAnswer[]>();
  /** The steps of operations without wrong answers, once they are needed. */
  #shared: ReadonlySet<StepName> | undefined;

  constructor(observed: ObservedAnswers, budget: Budget) {
    this.#observed = observed;
    this.#budget = budget;
  }

  /** Candidates that reproduce an observed answer. */
  findFitting(
    made: readonly ScopedMistake[],
    { question, actual }: Observation,
    isCandidate?: IsCandidate,
  ): readonly Mistake[] {
    const set = selectMistakes(question.operation, made);
    return this.#findLeadingTo(
      actual,
      question,
      set,
      this.#excludeContradicted(question, set, isCandidate),
    );
  }

  /** The same, including mistakes that correct answers contradict. */
  findContradicted(
    made: readonly ScopedMistake[],
    { question, actual }: Observation,
    isCandidate?: IsCandidate,
  ): readonly Mistake[] {
    const set = selectMistakes(question.operation, made);
    return this.#findLeadingTo(actual, question, set, isCandidate);
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
    const set = selectMistakes(question.operation, made);
    const known = this.#findKnown(question, set)?.(actual) ?? [];
    const isPossible = this.#excludeContradicted(question, set, isCandidate);
    return pickLeadingTo(
      actual,
      this.#observed.predictor.computeChanges(question, set, known.filter(isPossible)),
    );
  }

  /** The candidates that lead to an answer. Without a set, the build may know most of those that do not. */
  #findLeadingTo(
    actual: string,
    question: Question,
    set: readonly Mistake[],
    isCandidate: IsCandidate = isAny,
  ): readonly Mistake[] {
    const known = set.length === 0 ? this.#findKnown(question, set)?.(actual) : undefined;
    return pickLeadingTo(
      actual,
      known
        ? this.#observed.predictor.computeChanges(question, set, known.filter(isCandidate))
        : this.#computeAllEffects(question, set, isCandidate),
    );
  }

  /** Whether `findKnownFitting` finds mistakes that lead to an answer. */
  isKnown(made: readonly ScopedMistake[], { question }: Observation): boolean {
    return this.#findKnown(question, selectMistakes(question.operation, made)) !== undefined;
  }

  #findKnown(question: Question, set: readonly Mistake[]): KnownEffects['listLeadingTo'] {
    const { predictor } = this.#observed;
    return predictor.canChange(question, set)
      ? undefined
      : predictor.findKnownEffects(question)?.listLeadingTo;
  }

  /** Mistakes that give more parts of the observed answer; of these, those with the most similar answers. */
  findPartlyFitting(made: readonly ScopedMistake[], one: Observation): readonly Mistake[] {
    if (one.actual === REFUSED) return [];
    const before = countShared(this.#observed.predict(one, made), one.actual);
    const effects = this.computeEffects(one.question, selectMistakes(one.question.operation, made))
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
    const set = selectMistakes(operation, made);
    const last = this.#observed.predictor.evaluations + OF_SIFTING;
    let left = candidates;
    const own = this.#observed.right.filter(({ question }) => question.operation === operation);
    // A mistake that changes one correct verdict probably changes others of the same kind.
    const isAlike = ({ right }: Observation): boolean =>
      (right === REFUSED) === (witness.right === REFUSED);
    const telling = [...own.filter(isAlike), ...own.filter((one) => !isAlike(one))];
    for (const { question, right } of telling) {
      if (left.length <= CANDIDATES || this.#observed.predictor.evaluations > last) break;
      if (this.#observed.predictGiven(question, right, set) !== right) continue;
      const changing = this.#observed.predictor.computeChanges(question, set, left);
      const contradicted = new Set(changing.flatMap(({ mistakes }) => mistakes));
      left = left.filter((mistake) => !contradicted.has(mistake));
    }
    if (left.length <= CANDIDATES) return left;
    // Some of each step, because the reasons of refusals may tell the steps apart.
    const mixed = interleave(left, (mistake) => stepsOf(mistake).join());
    return this.putUnsharedFirst(mixed).slice(0, VERDICTS);
  }

  /** Puts mistakes first whose steps no operation uses that has only correct answers. */
  putUnsharedFirst(mistakes: readonly Mistake[]): readonly Mistake[] {
    this.#shared ??= this.#listStepsOfCorrectOperations();
    const shared = this.#shared;
    const isShared = (mistake: Mistake): boolean =>
      stepsOf(mistake).some((step) => shared.has(step));
    return [...mistakes.filter((one) => !isShared(one)), ...mistakes.filter(isShared)];
  }

  /** The steps of one correct answer of each operation without wrong answers. */
  #listStepsOfCorrectOperations(): ReadonlySet<StepName> {
    const wrong = new Set(this.#observed.wrong.map(({ question }) => question.operation));
    const correct = this.#observed.right.filter(
      ({ question: { operation } }) => !wrong.has(operation),
    );
    return new Set(
      firstOfEachOperation(correct).flatMap(({ question }) =>
        this.#observed.predictor.listSteps(question, []),
      ),
    );
  }

  /** The effects of each single further candidate on a question, without those that known changes of correct answers exclude. */
  computeEffects(
    question: Question,
    set: readonly Mistake[],
    isCandidate: IsCandidate = isAny,
  ): readonly Effect[] {
    const isPossible = this.#excludeContradicted(question, set, isCandidate);
    return this.#computeAllEffects(question, set, isPossible);
  }

  #excludeContradicted(
    question: Question,
    set: readonly Mistake[],
    isCandidate: IsCandidate = isAny,
  ): IsCandidate {
    const plain = this.listPlain(question.operation, set);
    return (one) => isCandidate(one) && !plain.some(({ isChangedBy }) => isChangedBy(one));
  }

  /** Correct answers of an operation that a set does not change, with known changes. */
  listPlain(operation: string, set: readonly Mistake[]): readonly PlainAnswer[] {
    const known = this.#plain.get(operation) ?? this.#findPlain(operation);
    this.#plain.set(operation, known);
    return known.filter(
      ({ question, right }) => this.#observed.predictGiven(question, right, set) === right,
    );
  }

  #findPlain(operation: string): readonly PlainAnswer[] {
    return this.#observed.right.flatMap(({ question, right }) => {
      if (question.operation !== operation) return [];
      const known = this.#observed.predictor.findKnownEffects(question);
      return known ? [{ question, right, isChangedBy: known.changes }] : [];
    });
  }

  /**
   * The effects of each single further candidate on a question.
   *
   * A large content is hashed only for mistakes that no correct answer about a small content contradicts.
   */
  #computeAllEffects(
    question: Question,
    set: readonly Mistake[],
    isCandidate: IsCandidate = isAny,
  ): readonly Effect[] {
    let left = this.#observed.predictor.listRelevantMistakes(question, set).filter(isCandidate);
    if (this.#observed.predictor.isLight(question))
      return this.#observed.predictor.computeChanges(question, set, left);
    for (const { question: small, right } of this.#observed.right) {
      if (small.operation !== question.operation || !this.#observed.predictor.isLight(small))
        continue;
      if (this.#observed.predictGiven(small, right, set) !== right) continue;
      const changing = this.#observed.predictor.computeChanges(small, set, left);
      const contradicted = new Set(changing.flatMap(({ mistakes }) => mistakes));
      left = left.filter((mistake) => !contradicted.has(mistake));
    }
    const effects: Effect[] = [];
    for (let at = 0; at < left.length && !this.#budget.isSpent; at += HASHED) {
      effects.push(
        ...this.#observed.predictor.computeChanges(question, set, left.slice(at, at + HASHED)),
      );
    }
    return effects;
  }
}

const pickLeadingTo = (actual: string, effects: readonly Effect[]): readonly Mistake[] =>
  effects.filter(({ answer }) => answer === actual).flatMap(({ mistakes }) => mistakes);
