/**
 * An implementation that answers in the words of another dialect than it is asked in.
 *
 * @module
 */
import type { Cause } from '../../reference/mistakes/index.ts';
import type { Dialect, Question } from '../adapter/messages.ts';
import { dialectName, otherDialects, WRONG_DIALECT } from '../dialects.ts';
import { type ContentFolder, contentSize } from '../suite/content.ts';
import type { Diagnosis, FoundCause } from './diagnose.ts';
import { type Observation, REFUSED } from './observation.ts';
import type { Predictor } from './predictor.ts';
import { predictorOf } from './suite-predictor.ts';

/** The word in which two dialects differ first, with the rule that names it. */
const WORDS = [
  ['scheme', '5.2/header-form', 'scheme'],
  ['headerPrefix', '5.2/headers-selected', 'header prefix'],
  ['publicKeyParameter', '5.4/parameters', 'public-key parameter'],
] as const;

/** The cause as reports show it: `answered` is what was met, `asked` the dialect of the run. */
export function dialectMistake(asked: Dialect, answered: Dialect): Cause {
  const differing = WORDS.filter(([word]) => asked[word] !== answered[word]);
  const list = (dialect: Dialect): string =>
    differing.map(([word, , name]) => `${name} ${dialect[word]}`).join(', ');
  return {
    id: WRONG_DIALECT,
    rule: differing[0]?.[1] ?? '5.2/header-form',
    wrong: `everything is signed in the dialect ${dialectName(answered)} (${list(answered)}), and it was asked in ${dialectName(asked)} (${list(asked)})`,
    fix: `give --dialect ${dialectName(answered)}, or configure the implementation for ${dialectName(asked)}`,
  };
}

/** Another dialect that all answers show, and what observations are worth in it. */
export interface OtherDialect {
  readonly dialect: Dialect;
  readonly predictor: Predictor;
  readonly observations: readonly Observation[];
  /** Those whose right answer depends on the dialect. */
  readonly touched: readonly Observation[];
}

/**
 * The dialect in which the answers make sense; nothing where an answer that depends on the dialect is right as it was asked.
 *
 * An answer speaks for another dialect where it has a word of it, or the question has a header of it, and that
 * dialect gives the answer to the letter.
 */
export function otherDialect(
  observed: readonly Observation[],
  asked: Dialect,
  contents: ContentFolder,
): OtherDialect | undefined {
  const wrong = observed.filter(({ right, actual }) => right !== actual && actual !== REFUSED);
  const found = otherDialects(asked)
    .map((dialect) => {
      const predictor = predictorOf(dialect, contents);
      const shown = wrong.filter(
        (one) => isWordedIn(one, dialect) && predictor.answer(one.question, []) === one.actual,
      );
      return { dialect, predictor, count: shown.length };
    })
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count)
    .map(({ dialect, predictor }) => inDialect(observed, dialect, predictor));
  return found.find(({ touched }) => touched.every(({ right, actual }) => right !== actual));
}

function inDialect(
  observed: readonly Observation[],
  dialect: Dialect,
  predictor: Predictor,
): OtherDialect {
  const observations = observed.map((one) => {
    // No word of a dialect is in the content of a file, which takes long to hash.
    const hasContent = contentSize(one.question.input) > 0;
    const right = hasContent ? undefined : predictor.answer(one.question, []);
    return { ...one, right: right ?? one.right };
  });
  const touched = observed.filter((one, i) => observations[i]?.right !== one.right);
  return { dialect, predictor, observations, touched };
}

/**
 * For each other header prefix, a question that shows whether it is the one that is signed.
 *
 * A signature does not show whether extra headers were left out, or looked for by another prefix.
 */
export function prefixQuestions(
  observed: readonly Observation[],
  asked: Dialect,
  contents: ContentFolder,
): readonly Question[] {
  const wrong = observed.filter(
    ({ question, right, actual }) => right !== actual && hasHeaderOf(question, asked),
  );
  return otherDialects(asked)
    .filter((dialect) => dialect.headerPrefix !== asked.headerPrefix)
    .flatMap((dialect) => {
      const predictor = predictorOf(dialect, contents);
      const one = wrong.find(({ question, actual }) => predictor.answer(question, []) === actual);
      return one ? [withPrefix(one.question, asked.headerPrefix, dialect.headerPrefix)] : [];
    });
}

function withPrefix(question: Question, from: string, to: string): Question {
  const { headers } = question.input;
  const renamed = (pair: unknown): unknown => {
    if (!Array.isArray(pair)) return pair;
    const [name, ...value] = pair;
    const isOwn = String(name).toLowerCase().startsWith(from.toLowerCase());
    return [isOwn ? `${to}${String(name).slice(from.length)}` : name, ...value];
  };
  const changed = Array.isArray(headers) ? headers.map(renamed) : headers;
  return { ...question, input: { ...question.input, headers: changed } };
}

/** Whether a wrong answer has a word of a dialect that the right one lacks, or its question has a header of the dialect. */
function isWordedIn({ question, right, actual }: Observation, dialect: Dialect): boolean {
  const { scheme, publicKeyParameter, headerPrefix } = dialect;
  const isNew = (word: string): boolean => actual.includes(word) && !right.includes(word);
  return (
    isNew(`${scheme} `) ||
    isNew(`${publicKeyParameter}=`) ||
    isNew(headerPrefix.toLowerCase()) ||
    hasHeaderOf(question, dialect)
  );
}

function hasHeaderOf({ input }: Question, { headerPrefix }: Dialect): boolean {
  const { headers } = input;
  const isOwn = (pair: unknown): boolean =>
    Array.isArray(pair) && String(pair[0]).toLowerCase().startsWith(headerPrefix.toLowerCase());
  return Array.isArray(headers) && headers.some(isOwn);
}

/** The dialect as the one cause of what it explains, before the causes of what is wrong in both. */
export function dialectDiagnosis(
  asked: Dialect,
  { dialect, touched }: OtherDialect,
  rest: Diagnosis,
): Diagnosis {
  const unexplained = new Set(rest.unexplained);
  const ids = touched.flatMap(({ id }) => id ?? []).filter((id) => !unexplained.has(id));
  const cause: FoundCause = {
    mistake: dialectMistake(asked, dialect),
    confidence: 'exact',
    others: [],
    explains: [...new Set(ids)],
  };
  return { causes: [cause, ...rest.causes], unexplained: rest.unexplained };
}
