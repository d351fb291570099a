/**
 * The causes of failures that the diagnosis does not search: forged requests, and questions on fresh data.
 *
 * @module
 */
import { type ForgedOutcome, toBareVector } from '../judge/forgery.ts';
import { type FreshOutcome, type Run, toControlQuestion } from '../judge/outcome.ts';
import { isFailure, isForgedFailure } from '../judge/summary.ts';
import { EXCEPTION_FOR_REFUSAL } from '../other-causes.ts';
import type { Dialect, Reply } from '../protocol.ts';
import type { SuiteData } from '../suite-data.ts';
import type { BareVector } from '../vector.ts';
import { type Diagnosis, type FoundCause, isMadeIn, listMistakesIn } from './diagnose.ts';
import { isWrong, type Observation, REFUSED, toObservations } from './observation.ts';
import type { Predictor } from './predictor.ts';
import { createPredictor } from './reference-reply.ts';

/** Adds the causes with which an implementation gives the same answers to failed forged requests and questions on fresh data. */
export function addFurtherFailures(
  run: Run,
  { causes }: Diagnosis,
  dialect: Dialect,
  data: SuiteData,
): Run {
  if (causes.length === 0) return run;
  const predictor = createPredictor(dialect, data);
  const { forged, fresh } = run;
  const explain = (asked: Asked): { readonly causes?: readonly string[] } => {
    const found = findCauses(asked, causes, predictor);
    return found.length === 0 ? {} : { causes: found.map(({ mistake }) => mistake.id) };
  };
  const explainForged = (one: ForgedOutcome): ForgedOutcome =>
    isForgedFailure(one)
      ? { ...one, ...explain({ ...one, vector: toBareVector(one.forgery) }) }
      : one;
  const explainFresh = (one: FreshOutcome): FreshOutcome =>
    isFailure(one) ? { ...one, ...explain(one) } : one;
  return {
    ...run,
    ...(forged && { forged: forged.map(explainForged) }),
    ...(fresh && { fresh: { ...fresh, outcomes: fresh.outcomes.map(explainFresh) } }),
  };
}

/** A question with its control, and the replies to both. */
interface Asked extends Pick<ForgedOutcome, 'verdict' | 'reply'> {
  readonly vector: BareVector;
  readonly controlReply?: Reply | undefined;
}

/** The causes of a failure; empty if an implementation with all causes answers otherwise. */
function findCauses(
  { vector, verdict, reply, controlReply }: Asked,
  causes: readonly FoundCause[],
  predictor: Predictor,
): readonly FoundCause[] {
  const { operation, refuse } = vector;
  if (verdict.status === 'error' && refuse) return filterThrowing(operation, causes);
  const made = causes.filter((cause) => isMadeIn(operation, cause));
  const control = controlReply && { question: toControlQuestion(vector), reply: controlReply };
  // A request that is accepted although it must be refused is judged without its control.
  const observed = toObservations(vector, reply, control).filter(
    ({ isControl }) => !isControl || verdict.status === 'inconclusive',
  );
  if (!observed.every((seen) => leadTo(seen, made, predictor))) return [];
  const responsible = observed
    .filter(isWrong)
    .flatMap((seen) => filterResponsible(seen, made, predictor));
  return made.filter((cause) => responsible.includes(cause));
}

/** The causes of the exceptions with which an operation ends instead of refusing requests. */
function filterThrowing(operation: string, causes: readonly FoundCause[]): readonly FoundCause[] {
  return causes.filter(
    ({ mistake, explains }) =>
      mistake.id === EXCEPTION_FOR_REFUSAL && explains.some((id) => id.startsWith(`${operation}/`)),
  );
}

/** The causes that an answer needs, and those that give it alone; all of them if it needs none and each needs others. */
function filterResponsible(
  seen: Observation,
  causes: readonly FoundCause[],
  predictor: Predictor,
): readonly FoundCause[] {
  const responsible = causes.filter(
    (one) =>
      leadTo(seen, [one], predictor) ||
      !leadTo(
        seen,
        causes.filter((other) => other !== one),
        predictor,
      ),
  );
  return responsible.length > 0 ? responsible : causes;
}

/** Whether an implementation with exactly these causes gives an answer. */
function leadTo(
  { question, actual }: Observation,
  causes: readonly FoundCause[],
  predictor: Predictor,
): boolean {
  if (causes.some(({ refuses }) => refuses?.(question))) return actual === REFUSED;
  return predictor.predict(question, listMistakesIn(question.operation, causes)) === actual;
}
