/**
 * Exceptions instead of answers.
 *
 * Unfinished code throws for many reasons. If every request of an operation ends with an exception, that is the cause. Beside wrong
 * answers, exceptions show no mistake by themselves; but of several mistakes that fit the other answers, an implementation makes the
 * one that refuses the requests for which it throws.
 *
 * @module
 */
import type { Cause } from '../../../reference/mistakes/index.ts';
import { formatCount, formatList, shorten } from '../excerpt.ts';
import { groupByKey } from '../group-by-key.ts';
import type { Outcome } from '../judge/outcome.ts';
import { isFailure } from '../judge/summary.ts';
import { EXCEPTION, EXCEPTION_FOR_REFUSAL, otherCause } from '../other-causes.ts';
import type { Vector } from '../vector.ts';
import {
  type Diagnosis,
  type FoundCause,
  isMadeIn,
  isMistake,
  listMistakesIn,
} from './diagnose.ts';
import { listExplained } from './doubt.ts';
import { type Observation, REFUSED } from './observation.ts';
import type { Predictor } from './predictor.ts';

/** The operations whose correct requests all end with exceptions. */
export function findThrowingOperations(outcomes: readonly Outcome[]): ReadonlySet<string> {
  const correct = outcomes.filter(
    ({ vector, reply }) =>
      vector.expect !== undefined && reply.kind !== 'unsupported' && reply.kind !== 'not-asked',
  );
  const byOperation = groupByKey(correct.map((one) => [one.vector.operation, one]));
  const throwing = [...byOperation].filter(([, own]) => own.every(isThrown));
  return new Set(throwing.map(([operation]) => operation));
}

/** Adds a cause for the exceptions of operations whose correct requests all end with exceptions. */
export function addThrowing(found: Diagnosis, outcomes: readonly Outcome[]): Diagnosis {
  const throwing = findThrowingOperations(outcomes);
  const failed = outcomes.filter((one) => throwing.has(one.vector.operation) && isFailure(one));
  const thrown = failed.filter((one) => findMessage(one) !== undefined);
  if (thrown.length === 0) return found;
  const [message = '', ...others] = sortByCount(thrown.flatMap((one) => findMessage(one) ?? []));
  const further = others.length > 0 ? ` (and ${formatCount(others.length, 'other message')})` : '';
  const cause: FoundCause = {
    mistake: {
      ...otherCause(EXCEPTION),
      wrong: `every request of ${formatList([...throwing])} ends with an exception: ${message}${further}`,
    },
    confidence: 'exact',
    others: [],
    explains: thrown.map(({ vector }) => vector.id),
  };
  return { ...found, causes: [cause, ...found.causes] };
}

/** The first line of the message of an exception, in answer to a vector or to its control. */
function findMessage({ reply, controlReply }: Outcome): string | undefined {
  const thrown = [reply, controlReply].find((one) => one?.kind === 'error');
  if (thrown?.kind !== 'error') return undefined;
  const [line = ''] = thrown.message.split('\n');
  return shorten(line);
}

/** Each text once, the most frequent first. */
const sortByCount = (texts: readonly string[]): readonly string[] =>
  [...groupByKey(texts.map((text) => [text, text]))]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([text]) => text);

const isThrown = ({ reply }: Outcome): boolean => reply.kind === 'error';

/**
 * Drops the causes that explain only exceptions and do not refuse the requests by themselves: where such a mistake only changes a text,
 * finished code answers with that text, or refuses it later.
 */
export function keepThrowing(
  { causes, unexplained }: Diagnosis,
  observed: readonly Observation[],
  predictor: Predictor,
): Diagnosis {
  const kept = causes.flatMap((cause): readonly FoundCause[] => {
    const own = observed.filter(({ id = '' }) => cause.explains.includes(id));
    const [witness] = own;
    if (!witness || own.some(({ isException }) => !isException)) return [cause];
    const { question } = witness;
    const set = listMistakesIn(question.operation, causes).filter((one) => one !== cause.mistake);
    const [mistake, ...others] = [cause.mistake, ...cause.others].filter(
      (one) => !isMistake(one) || predictor.refusesByItself(question, set, one),
    );
    return mistake ? [{ ...cause, mistake, others }] : [];
  });
  const explained = listExplained(kept);
  const dropped = causes.flatMap(({ explains }) => explains).filter((id) => !explained.has(id));
  return { causes: kept, unexplained: [...new Set([...unexplained, ...dropped])] };
}

/** Adds exceptions to the causes that lead to them, and drops the alternatives that lead to fewer, one cause after the other. */
export function addExceptions(
  { causes, unexplained }: Diagnosis,
  exceptions: readonly Observation[],
  predictor: Predictor,
): Diagnosis {
  const chosen = causes.reduce(
    (all, cause) =>
      all.map((one) => (one === cause ? chooseThrowing(cause, all, exceptions, predictor) : one)),
    causes,
  );
  return { causes: chosen, unexplained };
}

/**
 * Adds a cause for the exceptions of operations that otherwise refuse requests and give every result: there, finished code throws
 * where it has to refuse.
 */
export function addThrownRefusals(found: Diagnosis, outcomes: readonly Outcome[]): Diagnosis {
  const byOperation = groupByKey(outcomes.map((one) => [one.vector.operation, one]));
  const thrown = [...byOperation.values()].flatMap(filterThrownRefusals);
  const [first] = thrown;
  if (!first) return found;
  const [rule] = first.rules;
  const words = otherCause(EXCEPTION_FOR_REFUSAL);
  const cause: FoundCause = {
    mistake: { ...words, rule: rule ?? words.rule },
    confidence: 'exact',
    others: [],
    explains: thrown.map(({ id }) => id),
  };
  return { ...found, causes: [...found.causes, cause] };
}

/**
 * The vectors of one operation whose refusal is an exception; none if correct requests end with exceptions too, or if
 * no request is refused without one.
 */
function filterThrownRefusals(outcomes: readonly Outcome[]): readonly Vector[] {
  const throwsWrongly = (one: Outcome): boolean =>
    (isThrown(one) && one.vector.expect !== undefined) || one.controlReply?.kind === 'error';
  if (outcomes.some(throwsWrongly)) return [];
  const refusals = outcomes.filter(({ vector }) => vector.refuse !== undefined);
  if (!refusals.some(({ reply }) => reply.kind === 'refused')) return [];
  return refusals.filter((one) => isThrown(one) && isFailure(one)).map(({ vector }) => vector);
}

function chooseThrowing(
  cause: FoundCause,
  causes: readonly FoundCause[],
  exceptions: readonly Observation[],
  predictor: Predictor,
): FoundCause {
  if (cause.confidence === 'nearest') return cause;
  const rest = causes.filter((other) => other !== cause);
  const choices = [cause.mistake, ...cause.others].map(
    (choice) => [choice, filterThrown(choice, cause, rest, exceptions, predictor)] as const,
  );
  const most = Math.max(...choices.map(([, thrown]) => thrown.length));
  const [best, ...others] = choices.filter(([, { length }]) => length === most);
  if (most === 0 || !best) return cause;
  const [mistake, thrown] = best;
  const isOnly = cause.others.length > 0 && others.length === 0;
  return {
    ...cause,
    mistake,
    confidence: isOnly ? 'exact' : cause.confidence,
    others: others.map(([other]) => other),
    explains: [...new Set([...cause.explains, ...thrown.flatMap(({ id }) => id ?? [])])],
  };
}

/** The exceptions that a mistake leads to, and the other causes do not. */
function filterThrown(
  choice: Cause,
  cause: FoundCause,
  rest: readonly FoundCause[],
  exceptions: readonly Observation[],
  predictor: Predictor,
): readonly Observation[] {
  if (!isMistake(choice)) return [];
  return exceptions.filter(({ question }) => {
    const { operation } = question;
    const others = listMistakesIn(operation, rest);
    return (
      isMadeIn(operation, cause) &&
      predictor.predict(question, [...others, choice]) === REFUSED &&
      predictor.predict(question, others) !== REFUSED
    );
  });
}
