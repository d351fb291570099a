/**
 * Detects an implementation that uses another dialect than the run.
 *
 * @module
 */
import type { Cause } from '../../../reference/mistakes/index.ts';
import type { Pair } from '../../../reference/signing/index.ts';
import { dialectName, otherDialects, WRONG_DIALECT } from '../dialects.ts';
import type { Dialect, Question } from '../protocol.ts';
import { contentSize, type SuiteData } from '../suite-data.ts';
import type { Diagnosis, FoundCause } from './diagnose.ts';
import { isWrong, type Observation, REFUSED } from './observation.ts';
import type { Predictor } from './predictor.ts';
import { createPredictor } from './reference-reply.ts';

/** The words of a dialect, each with its rule and its name in sentences. */
const WORDS = [
  ['scheme', '5.2/header-form', 'scheme'],
  ['headerPrefix', '5.2/headers-selected', 'header prefix'],
  ['publicKeyParameter', '5.4/parameters', 'public-key parameter'],
] as const;

/** The cause for reports. `asked` is the dialect of the run, `answered` the one that the implementation uses. */
export function createDialectCause(asked: Dialect, answered: Dialect): Cause {
  const differing = WORDS.filter(([word]) => asked[word] !== answered[word]);
  const list = (dialect: Dialect): string =>
    differing.map(([word, , name]) => `${name} ${dialect[word]}`).join(', ');
  return {
    id: WRONG_DIALECT,
    rule: differing[0]?.[1] ?? '5.2/header-form',
    wrong: `the implementation signs in the dialect ${dialectName(answered)} (${list(answered)}), but the run uses ${dialectName(asked)} (${list(asked)})`,
    fix: `pass --dialect ${dialectName(answered)}, or configure the implementation for ${dialectName(asked)}`,
  };
}

/** Another dialect that the answers show, and the observations judged in it. */
export interface OtherDialect {
  readonly dialect: Dialect;
  readonly predictor: Predictor;
  readonly observations: readonly Observation[];
  /** The observations whose correct answer depends on the dialect. */
  readonly touched: readonly Observation[];
}

/**
 * Finds another dialect that explains the answers; `undefined` if an answer that depends on the dialect is correct in the
 * dialect of the run.
 *
 * An answer counts for another dialect if that dialect gives exactly this answer, and the answer contains one of its words
 * or the question one of its headers.
 */
export function findOtherDialect(
  observed: readonly Observation[],
  asked: Dialect,
  data: SuiteData,
): OtherDialect | undefined {
  const wrong = observed.filter(({ right, actual }) => right !== actual && actual !== REFUSED);
  const found = otherDialects(asked)
    .map((dialect) => {
      const predictor = createPredictor(dialect, data);
      const shown = wrong.filter(
        (one) =>
          showsDialect(one, dialect) && predictor.predictUncached(one.question, []) === one.actual,
      );
      return { dialect, predictor, count: shown.length };
    })
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count)
    .map(({ dialect, predictor }) => observeInDialect(observed, dialect, predictor));
  return found.find(({ touched }) => touched.every(isWrong));
}

function observeInDialect(
  observed: readonly Observation[],
  dialect: Dialect,
  predictor: Predictor,
): OtherDialect {
  const observations = observed.map((one) => {
    // The content of a file does not depend on the dialect, and hashing it is slow.
    const hasContent = contentSize(one.question.input) > 0;
    const right = hasContent ? undefined : predictor.predictUncached(one.question, []);
    return { ...one, right: right ?? one.right };
  });
  const touched = observed.filter((one, i) => observations[i]?.right !== one.right);
  return { dialect, predictor, observations, touched };
}

/**
 * Creates a question for each other header prefix that shows whether the implementation signs headers with this prefix.
 *
 * A signature alone does not show whether extra headers were left out or selected by another prefix.
 */
export function createPrefixQuestions(
  observed: readonly Observation[],
  asked: Dialect,
  data: SuiteData,
): readonly Question[] {
  const wrong = observed.filter(
    ({ question, right, actual }) => right !== actual && hasHeaderWithPrefix(question, asked),
  );
  return otherDialects(asked)
    .filter((dialect) => dialect.headerPrefix !== asked.headerPrefix)
    .flatMap((dialect) => {
      const predictor = createPredictor(dialect, data);
      const one = wrong.find(
        ({ question, actual }) => predictor.predictUncached(question, []) === actual,
      );
      return one ? [replacePrefix(one.question, asked.headerPrefix, dialect.headerPrefix)] : [];
    });
}

function replacePrefix(question: Question, from: string, to: string): Question {
  const { headers = [] } = question.input;
  const changed = headers.map(([name, value]): Pair => {
    const isOwn = name.toLowerCase().startsWith(from.toLowerCase());
    return [isOwn ? `${to}${name.slice(from.length)}` : name, value];
  });
  return { ...question, input: { ...question.input, headers: changed } };
}

/** Whether a wrong answer contains a word of a dialect that the correct one lacks, or its question a header of the dialect. */
function showsDialect({ question, right, actual }: Observation, dialect: Dialect): boolean {
  const { scheme, publicKeyParameter, headerPrefix } = dialect;
  const isNew = (word: string): boolean => actual.includes(word) && !right.includes(word);
  return (
    isNew(`${scheme} `) ||
    isNew(`${publicKeyParameter}=`) ||
    isNew(headerPrefix.toLowerCase()) ||
    hasHeaderWithPrefix(question, dialect)
  );
}

const hasHeaderWithPrefix = ({ input }: Question, { headerPrefix }: Dialect): boolean =>
  (input.headers ?? []).some(([name]) => name.toLowerCase().startsWith(headerPrefix.toLowerCase()));

/** Puts the wrong dialect, as one cause, before the causes of failures that are wrong in both dialects. */
export function addDialectCause(
  asked: Dialect,
  { dialect, touched }: OtherDialect,
  rest: Diagnosis,
): Diagnosis {
  const unexplained = new Set(rest.unexplained);
  const ids = touched.flatMap(({ id }) => id ?? []).filter((id) => !unexplained.has(id));
  const cause: FoundCause = {
    mistake: createDialectCause(asked, dialect),
    confidence: 'exact',
    others: [],
    explains: [...new Set(ids)],
  };
  return { causes: [cause, ...rest.causes], unexplained: rest.unexplained };
}
