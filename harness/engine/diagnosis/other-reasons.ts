/**
 * Refusals for another reason than the expected one: a verifier that never checks the expiry refuses an expired request
 * with a wrong signature because of the signature.
 *
 * @module
 */
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

/** Adds these refusals to the causes that lead to the reason. */
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
  return { causes: explaining, unexplained };
}

const isRefusedOtherwise = (outcome: Outcome): boolean =>
  outcome.vector.refuse !== undefined && outcome.reply.kind === 'refused' && isFailure(outcome);

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
