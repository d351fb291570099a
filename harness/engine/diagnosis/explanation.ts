/**
 * Explains why a run failed: causes, unexplained failures and the smallest failing requests.
 *
 * @module
 */
import type { Difference } from '../judge/comparison.ts';
import type { Verdict } from '../judge/judge.ts';
import { type Outcome, type Run, toControlQuestion } from '../judge/outcome.ts';
import { isTolerated } from '../judge/summary.ts';
import { findBlindVerifiers } from '../judge/verifiers.ts';
import type { Dialect } from '../protocol.ts';
import type { SuiteData } from '../suite-data.ts';
import type { Vector } from '../vector.ts';
import { type Diagnosis, diagnose, type FoundCause } from './diagnose.ts';
import {
  addExceptions,
  addThrowing,
  addThrownRefusals,
  findThrowingOperations,
  keepThrowing,
} from './exceptions.ts';
import { isWrong, type Observation, toObservations } from './observation.ts';
import { addOtherReasons } from './other-reasons.ts';
import type { Predictor } from './predictor.ts';
import { createPredictor } from './reference-reply.ts';
import type { Limits } from './search.ts';
import { dropFreeChoices, dropSynonyms } from './synonyms.ts';
import { addUndueRefusals } from './undue-refusals.ts';
import { addDialectCause, findOtherDialect } from './wrong-dialect.ts';

export interface Explanation extends Diagnosis {
  /** For each operation with unexplained failures, the smallest request that fails in the same way. */
  readonly shrunk: readonly ShrunkVector[];
  /** Why the adapter got no further questions, or not all of them, about the unexplained failures. */
  readonly silent?: string;
}

/** Explains recorded answers, without further questions. */
export function explainAnswers(
  outcomes: readonly Outcome[],
  dialect: Dialect,
  data: SuiteData,
  limits?: Limits,
): Explanation {
  const run = observeRun({ outcomes });
  const { observed } = run;
  const predictor = createPredictor(dialect, data);
  const found =
    diagnoseInOtherDialect(observed, dialect, data, limits) ??
    keepThrowing(diagnose(observed, predictor, limits), observed, predictor);
  const thrown = addExceptions(found, run.exceptions, predictor);
  const { causes, unexplained } = addOtherCauses(thrown, run, outcomes, predictor);
  const operations = outcomes.map(({ vector }) => vector.operation);
  const distinct = dropSynonyms(causes, operations, data);
  return { causes: dropFreeChoices(distinct, data), unexplained, shrunk: [] };
}

/** Adds the causes that are no mistakes: exceptions instead of refusals, undue refusals, exceptions for all requests, other reasons. */
export function addOtherCauses(
  found: Diagnosis,
  { observed, exceptions }: ObservedRun,
  outcomes: readonly Outcome[],
  predictor: Predictor,
): Diagnosis {
  const thrown = addThrownRefusals(found, outcomes);
  const refused = addUndueRefusals(thrown, [...observed, ...exceptions], outcomes);
  return addOtherReasons(addThrowing(refused, outcomes), outcomes, predictor);
}

/** The diagnosis of an implementation that uses another dialect; `undefined` if it uses the dialect of the run. */
export function diagnoseInOtherDialect(
  seen: readonly Observation[],
  dialect: Dialect,
  data: SuiteData,
  limits?: Limits,
): Diagnosis | undefined {
  const other = findOtherDialect(seen, dialect, data);
  if (!other) return undefined;
  const rest = diagnose(other.observations, other.predictor, limits);
  return addDialectCause(dialect, other, rest);
}

/** The observations of a run. */
interface ObservedRun {
  readonly observed: readonly Observation[];
  /** Exceptions that are left out because there are wrong answers: those of unfinished code would only hide their causes. */
  readonly exceptions: readonly Observation[];
}

/**
 * The observations of a run, without tolerated failures, verifiers that accept every request, and operations whose requests all end
 * with exceptions.
 */
export function observeRun(run: Pick<Run, 'outcomes' | 'forged'>): ObservedRun {
  const accepting = findBlindVerifiers(run).filter(({ acceptsEverything }) => acceptsEverything);
  const throwing = findThrowingOperations(run.outcomes);
  const isTelling = (name: string): boolean =>
    !throwing.has(name) && !accepting.some(({ operation }) => operation === name);
  const observed = run.outcomes
    .filter((outcome) => !isTolerated(outcome) && isTelling(outcome.vector.operation))
    .flatMap(({ vector, reply, controlReply }) =>
      toObservations(
        vector,
        reply,
        controlReply && { question: toControlQuestion(vector), reply: controlReply },
      ),
    );
  const answered = observed.filter(({ isException }) => !isException);
  return answered.some(isWrong)
    ? { observed: answered, exceptions: observed.filter(({ isException }) => isException) }
    : { observed, exceptions: [] };
}

/** A passing request that differs from a failing one in one detail. */
export interface Neighbour {
  readonly what: string;
}

export interface ShrunkFailure {
  /** The smallest failing request, as a vector. */
  readonly vector: Vector;
  readonly verdict: Verdict;
  /** The nearest passing request; absent if none passes. */
  readonly neighbour?: Neighbour;
  /** How many requests that differ in one detail were tried. */
  readonly besides: number;
}

/** The smallest request that fails in the same way as a vector. */
export interface ShrunkVector extends ShrunkFailure {
  /** The id of the failing vector that was shrunk. */
  readonly id: string;
  /** The request is a random one, because the vector's own request cannot be made smaller. */
  readonly isDrawn: boolean;
}

/** A failure that `fuzz` found. */
export interface Finding extends ShrunkFailure {
  readonly operation: string;
  /** The mistakes that explain it; empty if none does. */
  readonly causes: readonly FoundCause[];
  /** The first difference in the signed text, as an implementation with exactly these causes computes it. */
  readonly deduced?: Difference;
  readonly seed: number;
  readonly path: string;
  /** The same question passed when repeated. */
  readonly isUnstable?: true;
}

/** Reports show one finding for each operation and key. */
export function findingKey(
  { verdict: { status } }: Pick<ShrunkFailure, 'verdict'>,
  causes: readonly FoundCause[],
): string {
  if (causes.length > 0) {
    return causes
      .map(({ mistake }) => mistake.id)
      .sort()
      .join(' ');
  }
  return status === 'fail' || status === 'refused' ? 'unexplained' : status;
}
