/**
 * The observed answers, and what an implementation with a set of mistakes answers instead.
 *
 * @module
 */
import { type Mistake, type StepName, touches } from '../../../reference/mistakes/index.ts';
import type { Question } from '../protocol.ts';
import type { Budget } from './budget.ts';
import type { Effect } from './effects.ts';
import { isWrong, type Observation } from './observation.ts';
import type { Predictor } from './predictor.ts';
import { type ScopedMistake, selectMistakes } from './scoped-mistake.ts';
import { interleaveByOperation, selectTelling } from './telling.ts';

export class ObservedAnswers {
  readonly all: readonly Observation[];
  readonly wrong: readonly Observation[];
  readonly right: readonly Observation[];
  /** The wrong answers that every candidate is compared with: the smallest of each operation. */
  telling: readonly Observation[];
  readonly predictor: Predictor;
  readonly budget: Budget;

  constructor(all: readonly Observation[], predictor: Predictor, budget: Budget) {
    this.all = all;
    this.wrong = all.filter(isWrong);
    this.right = interleaveByOperation(all.filter(({ right, actual }) => right === actual));
    this.telling = selectTelling(this.wrong, 1);
    this.predictor = predictor;
    this.budget = budget;
  }

  /** Whether an implementation with these mistakes gives the observed answer. */
  explains(one: Observation, made: readonly ScopedMistake[]): boolean {
    return this.predictGiven(one, made) === one.actual;
  }

  /** The answer of an implementation with a set of mistakes. It is not computed if they cannot change the correct one. */
  predictGiven(
    { question, right }: Observation,
    made: readonly ScopedMistake[],
  ): string | undefined {
    const set = selectMistakes(question.operation, made);
    return this.predictor.canChange(question, set) ? this.predictor.predict(question, set) : right;
  }

  /** The answer with a set of mistakes; `undefined` if they make a step throw. */
  predict({ question }: Observation, made: readonly ScopedMistake[]): string | undefined {
    return this.predictor.predict(question, selectMistakes(question.operation, made));
  }

  /** The effects of those candidates that change the answer of a set. */
  computeChanges(
    question: Question,
    made: readonly ScopedMistake[],
    candidates: readonly Mistake[],
  ): readonly Effect[] {
    const set = selectMistakes(question.operation, made);
    return this.predictor.computeChanges(question, set, candidates);
  }

  /** The candidates that do not change the answer of a set. */
  filterHarmless(
    question: Question,
    made: readonly ScopedMistake[],
    candidates: readonly Mistake[],
  ): readonly Mistake[] {
    const changes = this.computeChanges(question, made, candidates);
    const changing = new Set(changes.flatMap(({ mistakes }) => mistakes));
    return candidates.filter((mistake) => !changing.has(mistake));
  }

  /** The wrong answers that a set does not give. */
  listOpen(made: readonly ScopedMistake[]): readonly Observation[] {
    return this.wrong.filter((one) => !this.explains(one, made));
  }

  /** Whether a set gives more of the answers, wrong and correct ones, than another set: at least so many more. */
  explainsMore(made: readonly ScopedMistake[], than: readonly ScopedMistake[], more = 1): boolean {
    const open = new Set(this.all.filter((seen) => !this.explains(seen, than)));
    let left = -more;
    for (const seen of open) if (this.explains(seen, made)) left += 1;
    // Few sets give an open answer, so for most of them no other answer is computed.
    return (
      left >= 0 &&
      this.all.every((seen) => open.has(seen) || this.explains(seen, made) || --left >= 0)
    );
  }

  /** Whether a set gives as many of the answers as another set, or more. */
  explainsAsMany(made: readonly ScopedMistake[], as: readonly ScopedMistake[]): boolean {
    return this.explainsMore(made, as, 0);
  }

  canChangeAny(answers: readonly Observation[], one: ScopedMistake): boolean {
    return answers.some(({ question }) =>
      this.predictor.canChange(question, selectMistakes(question.operation, [one])),
    );
  }

  listSteps({ question }: Observation, made: readonly ScopedMistake[]): readonly StepName[] {
    return this.predictor.listSteps(question, selectMistakes(question.operation, made));
  }

  /** The texts that a step returns for a question. */
  listTexts(
    { question }: Observation,
    made: readonly ScopedMistake[],
    step: StepName,
  ): readonly string[] {
    return this.predictor.listTexts(question, selectMistakes(question.operation, made), step);
  }

  /** Whether a mistake is made in steps that an implementation with a set of mistakes uses for any of some answers. */
  inStepsOfAny(
    answers: readonly Observation[],
    made: readonly ScopedMistake[],
  ): (mistake: Mistake) => boolean {
    const steps = new Set(answers.flatMap((one) => this.listSteps(one, made)));
    return (mistake) => touches(mistake, steps);
  }

  /** Whether it is made in steps that are used for each of them. */
  inStepsOfEach(
    answers: readonly Observation[],
    made: readonly ScopedMistake[],
  ): (mistake: Mistake) => boolean {
    const used = answers.map((one) => new Set(this.listSteps(one, made)));
    return (mistake) => used.every((steps) => touches(mistake, steps));
  }
}
