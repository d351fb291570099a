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
  otherWord,
  replacedWords,
  type StepName,
  spellingOf,
  WORD_STEPS,
} from '../../../reference/mistakes/index.ts';
import type { Question } from '../protocol.ts';
import { pickLeadingTo } from './candidates.ts';
import type { Observation } from './observation.ts';
import type { ObservedAnswers } from './observed-answers.ts';
import { type ScopedMistake, selectMistakes } from './scoped-mistake.ts';

/** The deduced mistakes that reproduce an observed answer. */
export function deduceMistakes(
  observed: ObservedAnswers,
  made: readonly ScopedMistake[],
  one: Observation,
): readonly Mistake[] {
  return [
    ...fitEncoders(observed, made, one),
    ...fitTypes(observed, made, one),
    ...fitWords(observed, made, one),
  ];
}

/** More words than this are another mistake than a misnamed word. */
const MOST_WORDS = 4;

/** Other words for words of the protocol, if the answer shows them. */
function fitWords(
  observed: ObservedAnswers,
  made: readonly ScopedMistake[],
  one: Observation,
): readonly Mistake[] {
  const steps = new Set(observed.listSteps(one, made));
  const deduced = WORD_STEPS.filter((step) => steps.has(step)).flatMap((step) => {
    const texts = observed.listTexts(one, made, step);
    return replacedWords(step, deduceWords(observed, made, one, step, texts)) ?? [];
  });
  return deduced.length === 0 ? [] : keepFitting(observed, made, one, deduced);
}

/** Deduces one word after the other: each answer shows the next word that differs. */
function deduceWords(
  observed: ObservedAnswers,
  made: readonly ScopedMistake[],
  one: Observation,
  step: StepName,
  texts: readonly string[],
): ReadonlyMap<string, string> {
  const words = new Map<string, string>();
  for (let count = 0; count < MOST_WORDS; count += 1) {
    const mistake = replacedWords(step, words);
    const right = observed.predict(one, mistake ? [...made, { mistake }] : made) ?? '';
    const next = texts
      .filter((word) => !words.has(word))
      .map((word) => [word, otherWord(right, one.actual, word)] as const)
      .find(([, other]) => other !== undefined);
    if (next?.[1] === undefined) break;
    words.set(next[0], next[1]);
  }
  return words;
}

/** Encoders, if the answers show the encoded text. */
function fitEncoders(
  observed: ObservedAnswers,
  made: readonly ScopedMistake[],
  one: Observation,
): readonly Mistake[] {
  const spellingIn = (seen: Observation): ReadonlyMap<string, string> | undefined =>
    spellingOf(observed.predict(seen, made) ?? '', seen.actual);
  const own = spellingIn(one);
  if (!own) return [];
  const all = observed.telling
    .filter((seen) => seen.question.operation === one.question.operation)
    .flatMap((seen) => spellingIn(seen) ?? []);
  const encoders = fittedEncoders(joinedSpelling(all) ?? own, observed.listSteps(one, made));
  return keepFitting(observed, made, one, encoders);
}

/** Media types that are guessed for the file extensions of wrong answers, with each verb or with the verb of this answer. */
function fitTypes(
  observed: ObservedAnswers,
  made: readonly ScopedMistake[],
  one: Observation,
): readonly Mistake[] {
  const own = findGuessable(one.question);
  if (own === undefined || keepFitting(observed, made, one, [guessedTypes([own])]).length === 0)
    return [];
  const verb = one.question.input.method?.toUpperCase();
  return [undefined, verb].flatMap((only) => {
    const extensions = listGuessed(observed, made, one.question.operation, only);
    return extensions.length > 1 ? [guessedTypes(extensions, only)] : [];
  });
}

/** The extensions whose guessed types reproduce wrong answers and contradict no correct one of an operation. */
function listGuessed(
  observed: ObservedAnswers,
  made: readonly ScopedMistake[],
  operation: string,
  verb: string | undefined,
): readonly string[] {
  const hasVerb = ({ question }: Observation): boolean =>
    verb === undefined || question.input.method?.toUpperCase() === verb;
  const open = observed.listOpen(made).filter(hasVerb);
  const right = observed.right.filter(
    (seen) => seen.question.operation === operation && hasVerb(seen),
  );
  const isGuessed = (extension: string): boolean =>
    open.some(
      (wrong) =>
        findGuessable(wrong.question) === extension &&
        keepFitting(observed, made, wrong, [guessedTypes([extension])]).length > 0,
    );
  const isContradicted = (extension: string): boolean => {
    const longer = [...made, { mistake: guessedTypes([extension]) }];
    return right.some(
      (seen) => findGuessable(seen.question) === extension && !observed.explains(seen, longer),
    );
  };
  return [...new Set(open.flatMap(({ question }) => findGuessable(question) ?? []))]
    .filter((own) => isGuessed(own) && !isContradicted(own))
    .sort();
}

function keepFitting(
  { predictor }: ObservedAnswers,
  made: readonly ScopedMistake[],
  { question, actual }: Observation,
  mistakes: readonly Mistake[],
): readonly Mistake[] {
  const set = selectMistakes(question.operation, made);
  return pickLeadingTo(actual, predictor.computeEffects(question, set, mistakes));
}

/** The extension of the key, if the request or form has no Content-Type and the extension has a well-known media type. */
function findGuessable({ input }: Question): string | undefined {
  const { key, headers = [], fields } = input;
  const isSent = (fields ?? headers).some(([name]) => /^\s*content-type\s*$/i.test(name));
  return key === undefined || isSent ? undefined : knownExtensionOf(key);
}
