/**
 * Refusals for another reason than the expected one: a verifier that never checks the expiry refuses an expired request
 * with a wrong signature because of the signature.
 *
 * @module
 */
import type { Mistake } from '../../../reference/mistakes/index.ts';
import { type Outcome, toQuestion } from '../judge/outcome.ts';
import { isFailure } from '../judge/summary.ts';
import {
  type Diagnosis,
  type FoundCause,
  isMadeIn,
  isMistake,
  listMistakesIn,
} from './diagnose.ts';
import type { Predictor } from './predictor.ts';

/** Adds these refusals to the causes that lead to the reason, and causes that change only reasons. */
export function addOtherReasons(
  { causes, unexplained }: Diagnosis,
  outcomes: readonly Outcome[],
  predictor: Predictor,
): Diagnosis {
  const refused = outcomes.filter(isRefusedOtherwise);
  const explaining = causes.map((cause) => {
    const ids = refused
      .filter((one) => leadsTo(cause, causes, one, predictor))
      .map(({ vector }) => vector.id);
    return { ...cause, explains: [...new Set([...cause.explains, ...ids])] };
  });
  const explained = new Set(explaining.flatMap(({ explains }) => explains));
  const open = refused.filter(({ vector }) => !explained.has(vector.id));
  const operations = new Set(open.map(({ vector }) => vector.operation));
  const further = [...operations].flatMap((operation) => {
    const isOwn = ({ vector }: Outcome): boolean => vector.operation === operation;
    const made = listMistakesIn(operation, causes);
    return findReasonCause(open.filter(isOwn), outcomes.filter(isOwn), made, predictor) ?? [];
  });
  return { causes: [...explaining, ...further], unexplained };
}

/**
 * The cause of the refusals of one operation for another reason: a mistake that changes no answer, and the reasons to those that the
 * implementation gives.
 *
 * @param open the refusals without a cause
 * @param own all outcomes of the operation
 */
function findReasonCause(
  open: readonly Outcome[],
  own: readonly Outcome[],
  made: readonly Mistake[],
  predictor: Predictor,
): FoundCause | undefined {
  const [first] = open;
  if (!first) return undefined;
  const reasons = own.flatMap(({ reply }) => (reply.kind === 'refused' ? [reply.reason] : []));
  // An implementation that gives the same reason for every refusal tells nothing by it.
  if (new Set(reasons).size < 2) return undefined;
  const isGiven = (mistake: Mistake, { vector, reply }: Outcome): boolean =>
    reply.kind === 'refused' &&
    predictor.predictReason(toQuestion(vector), [...made, mistake]) === reply.reason;
  const isHarmless = (mistake: Mistake): boolean =>
    own.every(({ vector }) => {
      const question = toQuestion(vector);
      return predictor.predict(question, [...made, mistake]) === predictor.predict(question, made);
    });
  const [mistake, ...others] = predictor
    .listRelevantMistakes(toQuestion(first.vector), made)
    .filter((one) => isGiven(one, first))
    .filter((one) => open.every((outcome) => isGiven(one, outcome)) && isHarmless(one));
  if (!mistake) return undefined;
  const isCertain = others.length === 0 && open.length > 1;
  const explains = open.map(({ vector }) => vector.id);
  return { mistake, confidence: isCertain ? 'exact' : 'one of', others, explains };
}

const isRefusedOtherwise = (outcome: Outcome): boolean =>
  outcome.reply.kind === 'refused' &&
  outcome.vector.refuse?.exact === true &&
  outcome.vector.refuse.reason !== outcome.reply.reason &&
  isFailure(outcome);

/** Whether the causes lead to the reason of a refusal, and the others alone do not. */
function leadsTo(
  cause: FoundCause,
  causes: readonly FoundCause[],
  { vector, reply }: Outcome,
  predictor: Predictor,
): boolean {
  if (!isMistake(cause.mistake) || !isMadeIn(vector.operation, cause)) return false;
  if (reply.kind !== 'refused') return false;
  const question = toQuestion(vector);
  const rest = causes.filter((other) => other !== cause);
  const [withCause, without] = [causes, rest].map((made) =>
    predictor.predictReason(question, listMistakesIn(vector.operation, made)),
  );
  return withCause === reply.reason && without !== reply.reason;
}
