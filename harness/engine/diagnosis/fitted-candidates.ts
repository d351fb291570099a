/**
 * Mistakes that are deduced from the observed answers, because no list has every set of characters or file extensions.
 *
 * @module
 */
import {
  fittedEncoders,
  guessedTypes,
  joinedSpelling,
  knownExtensionOf,
  type Mistake,
  spellingOf,
} from '../../../reference/mistakes/index.ts';
import type { Question } from '../protocol.ts';
import type { Observation } from './observation.ts';
import type { ObservedAnswers } from './observed-answers.ts';
import { type ScopedMistake, selectMistakes } from './scoped-mistake.ts';

export class FittedCandidates {
  readonly #observed: ObservedAnswers;

  constructor(observed: ObservedAnswers) {
    this.#observed = observed;
  }

  /** The deduced mistakes that reproduce an observed answer. */
  find(made: readonly ScopedMistake[], one: Observation): readonly Mistake[] {
    return [...this.#fitEncoders(made, one), ...this.#fitTypes(made, one)];
  }

  /** Encoders, if the answers show the encoded text. */
  #fitEncoders(made: readonly ScopedMistake[], one: Observation): readonly Mistake[] {
    const spellingIn = (seen: Observation): ReadonlyMap<string, string> | undefined =>
      spellingOf(this.#observed.predict(seen, made) ?? '', seen.actual);
    const own = spellingIn(one);
    if (!own) return [];
    const { question } = one;
    const all = this.#observed.telling
      .filter((seen) => seen.question.operation === question.operation)
      .flatMap((seen) => spellingIn(seen) ?? []);
    const set = selectMistakes(question.operation, made);
    const steps = this.#observed.predictor.listSteps(question, set);
    return this.#keepFitting(made, one, fittedEncoders(joinedSpelling(all) ?? own, steps));
  }

  /** Media types that are guessed for the file extensions of wrong answers, with each verb or with the verb of this answer. */
  #fitTypes(made: readonly ScopedMistake[], one: Observation): readonly Mistake[] {
    const own = findGuessable(one.question);
    const fitting = own === undefined ? [] : this.#keepFitting(made, one, [guessedTypes([own])]);
    if (fitting.length === 0) return [];
    const verb = one.question.input.method?.toUpperCase();
    return [undefined, verb].flatMap((only) => {
      const extensions = this.#listGuessed(made, one.question.operation, only);
      return extensions.length > 1 ? [guessedTypes(extensions, only)] : [];
    });
  }

  /** The extensions whose guessed types reproduce wrong answers and contradict no correct one of an operation. */
  #listGuessed(
    made: readonly ScopedMistake[],
    operation: string,
    verb: string | undefined,
  ): readonly string[] {
    const hasVerb = ({ question }: Observation): boolean =>
      verb === undefined || question.input.method?.toUpperCase() === verb;
    const open = this.#observed.listOpen(made).filter(hasVerb);
    const right = this.#observed.right.filter(
      (seen) => seen.question.operation === operation && hasVerb(seen),
    );
    const isGuessed = (extension: string): boolean =>
      open.some(
        (wrong) =>
          findGuessable(wrong.question) === extension &&
          this.#keepFitting(made, wrong, [guessedTypes([extension])]).length > 0,
      );
    const isContradicted = (extension: string): boolean => {
      const set = selectMistakes(operation, [...made, { mistake: guessedTypes([extension]) }]);
      return right.some(
        (seen) =>
          findGuessable(seen.question) === extension &&
          this.#observed.predictGiven(seen.question, seen.right, set) !== seen.right,
      );
    };
    return [...new Set(open.flatMap(({ question }) => findGuessable(question) ?? []))]
      .filter((own) => isGuessed(own) && !isContradicted(own))
      .sort();
  }

  #keepFitting(
    made: readonly ScopedMistake[],
    { question, actual }: Observation,
    mistakes: readonly Mistake[],
  ): readonly Mistake[] {
    return this.#observed.predictor
      .computeEffects(question, selectMistakes(question.operation, made), mistakes)
      .filter(({ answer }) => answer === actual)
      .flatMap(({ mistakes: fitting }) => fitting);
  }
}

/** The extension of the key, if the request or form has no Content-Type and the extension has a well-known media type. */
function findGuessable({ input }: Question): string | undefined {
  const { key, headers = [], fields } = input;
  const isSent = (fields ?? headers).some(([name]) => /^\s*content-type\s*$/i.test(name));
  return key === undefined || isSent ? undefined : knownExtensionOf(key);
}
