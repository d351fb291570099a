/**
 * Replies in the form in which the diagnosis compares them.
 *
 * @module
 */

import { isVerifier, resultStages } from '../../../reference/operations.ts';
import { normalizeStage } from '../judge/comparison.ts';
import { isCompletion } from '../judge/judge.ts';
import type { Question, Reply } from '../protocol.ts';
import type { BareVector, Stages } from '../vector.ts';

/** A question with its correct and its actual answer. */
export interface Observation {
  /** The id of its vector; absent for a further question, which only tells causes apart. */
  readonly id?: string;
  /** Set if the question is the control of a refusal. */
  readonly isControl?: true;
  readonly question: Question;
  readonly right: string;
  readonly actual: string;
  /** Set if the implementation threw an exception instead of answering. */
  readonly isException?: true;
  /** The reason of a refusal. It decides only between causes that fit equally well: implementations word their reasons freely. */
  readonly reason?: string;
}

/** The text of every refusal: the diagnosis does not compare reasons. */
export const REFUSED = 'refused';

/** The text of every request that a verifier accepts, whether it names the public key as received or as held. */
const ACCEPTED = 'accepted';

/** The results of a reply as one text, or `ACCEPTED` or `REFUSED`; `undefined` if the reply is no answer. */
export function formatReply(operation: string, reply: Reply): string | undefined {
  if (reply.kind === 'refused') return REFUSED;
  if (reply.kind !== 'result') return undefined;
  const isWhole = resultStages(operation).every((stage) => reply.result[stage] !== undefined);
  if (!isWhole) return undefined;
  return isVerifier(operation) ? ACCEPTED : formatStages(operation, reply.result);
}

/** The reply to the same question asked again, in the form of the first answer: a public key if that is one. */
export function formatRepeatedReply(
  { question: { operation }, actual }: Observation,
  reply: Reply,
): string | undefined {
  const text = formatReply(operation, reply);
  const isVerdict = actual === ACCEPTED || actual === REFUSED;
  return text !== ACCEPTED || isVerdict || reply.kind !== 'result'
    ? text
    : formatStages(operation, reply.result);
}

/** As `formatReply`, but if a verifier accepts a correct request with an unexpected public key, that key. */
function formatJudged(
  operation: string,
  reply: Reply,
  expect: Stages | undefined,
): string | undefined {
  const text = formatReply(operation, reply);
  if (text !== ACCEPTED || reply.kind !== 'result' || !expect) return text;
  const answer = formatStages(operation, reply.result);
  return answer === formatStages(operation, expect) ? text : answer;
}

const formatExpected = (operation: string, expect: Stages): string =>
  isVerifier(operation) ? ACCEPTED : formatStages(operation, expect);

/** An exception instead of an answer is evidence like an undue refusal. */
const formatException = ({ kind }: Reply): string | undefined =>
  kind === 'error' ? REFUSED : undefined;

function formatStages(operation: string, stages: Stages): string {
  return resultStages(operation)
    .map((stage) => normalizeStage(operation, stage, stages[stage]))
    .join('\n');
}

/** The observations of a vector and its control. Replies that are no answers give none. */
export function toObservations(
  vector: BareVector,
  reply: Reply,
  control?: { readonly question: Question; readonly reply: Reply },
): readonly Observation[] {
  const { id, operation, keys, input, expect, refuse } = vector;
  const actual = formatJudged(operation, reply, expect) ?? (expect && formatException(reply));
  const expectedRefusal = isCompletion(vector, reply) ? actual : REFUSED;
  const right = expect ? formatExpected(operation, expect) : refuse && expectedRefusal;
  const question = { operation, keys, input };
  return [
    ...(actual === undefined || right === undefined
      ? []
      : [{ id, question, right, actual, ...describeFailure(reply) }]),
    ...(control ? observeControl(vector, control.question, control.reply) : []),
  ];
}

function observeControl(
  { id, operation, control }: BareVector,
  question: Question,
  reply: Reply,
): readonly Observation[] {
  const expect = control?.expect ?? {};
  const actual = formatJudged(operation, reply, expect) ?? formatException(reply);
  const right = formatExpected(operation, expect);
  return actual === undefined
    ? []
    : [{ id, isControl: true, question, right, actual, ...describeFailure(reply) }];
}

function describeFailure(reply: Reply): Pick<Observation, 'reason' | 'isException'> {
  if (reply.kind === 'error') return { isException: true };
  return reply.kind === 'refused' ? { reason: reply.reason } : {};
}

/** Whether an answer is only a verdict: a refusal, or the result of a verify operation. */
export const isBareVerdict = ({ question, actual }: Observation): boolean =>
  actual === REFUSED || isVerifier(question.operation);

export const isWrong = ({ right, actual }: Observation): boolean => right !== actual;

/** Whether an answer is wrong, and is not only a verdict. */
export const isWrongText = (one: Observation): boolean => isWrong(one) && !isBareVerdict(one);

export const operationsOf = (observed: readonly Observation[]): ReadonlySet<string> =>
  new Set(observed.map(({ question }) => question.operation));

/** Whether an answer is the refusal of a correct request. */
export const isWronglyRefused = (one: Observation): boolean =>
  isBareVerdict(one) && one.right !== REFUSED && one.actual === REFUSED;
