/**
 * The details of a report beyond the causes, such as groups of similar failures. They need the diagnosis, which takes time to load.
 *
 * @module
 */
import type { FoundCause } from '../diagnosis/diagnose.ts';
import { parseDialect, WRONG_DIALECT } from '../dialects.ts';
import { LONGEST_EXCERPT, shorten } from '../excerpt.ts';
import { groupByKey } from '../group-by-key.ts';
import { Insights, type SharedShape } from '../insight/insight.ts';
import { describeShape, type ShapeDescription } from '../insight/shape.ts';
import type { ForgedOutcome } from '../judge/forgery.ts';
import type { Status } from '../judge/judge.ts';
import type { Outcome, Run } from '../judge/outcome.ts';
import { isFailure, isForgedFailure } from '../judge/summary.ts';
import {
  type BlindVerifier,
  filterUncaused,
  findBlindVerifiers,
  findSharedMistakes,
  type SharedMistake,
} from '../judge/verifiers.ts';
import type { Subject } from '../respondent.ts';

export interface Details {
  readonly insights: Insights;
  /** The shape that all unexplained answers share. */
  readonly sharedShape: SharedShape | undefined;
  /** Groups of unexplained wrong answers that share something. */
  readonly unexplained: readonly FailureGroup[];
  /** Groups of failures that have no answer, and groups of answers that failed in another way than the vector expects. */
  readonly others: readonly FailureGroup[];
  /** Verifiers that accept or refuse everything. */
  readonly blind: readonly BlindVerifier[];
  /** The mistakes of accepted requests that no cause explains. The verifiers in `blind` are left out. */
  readonly shared: readonly SharedMistake[];
  /** Forged requests that were not judged and that no cause explains, in operations without unexplained failures: a refusal may prove nothing. */
  readonly unjudged: readonly UnjudgedForgeries[];
}

export interface UnjudgedForgeries {
  readonly operation: string;
  readonly status: Status;
  readonly message: string;
  readonly count: number;
}

export function createDetails(
  { dialect }: Subject,
  run: Run,
  causes: readonly FoundCause[],
  unexplained: readonly string[],
): Details {
  const explained = new Set(causes.flatMap(({ explains }) => explains));
  const insights = new Insights(parseDialect(dialect), explained);
  const blind = findBlindVerifiers(run);
  const byId = new Map(run.outcomes.map((outcome) => [outcome.vector.id, outcome]));
  const open = unexplained.flatMap((id) => byId.get(id) ?? []);
  const others = listOthers(run, blind, new Set([...explained, ...unexplained]));
  return {
    insights,
    unexplained: groupFailures(
      open.map((one) => [one.vector.operation, describeAnswer(one, insights), one]),
    ),
    others: groupFailures(others.map((one) => [one.verdict.status, describeFailure(one), one])),
    sharedShape: insights.findShared(unexplained, run.outcomes),
    blind,
    ...describeForged(run, causes, blind),
  };
}

/**
 * Failures that have no cause because there was no answer, and those that differ from the expected failure. One sentence describes
 * a verifier that gives all requests the same answer, so its failures are left out.
 */
function listOthers(
  { outcomes }: Run,
  blind: readonly BlindVerifier[],
  diagnosed: ReadonlySet<string>,
): readonly Outcome[] {
  const operations = new Set(blind.map(({ operation }) => operation));
  return outcomes.filter((outcome) => {
    const { operation, id } = outcome.vector;
    const isOther = !operations.has(operation) && !diagnosed.has(id);
    return isFailure(outcome) && (outcome.unexpectedFailure !== undefined || isOther);
  });
}

/** What forged requests show beyond the causes and the verifiers that give all requests the same answer. */
function describeForged(
  run: Run,
  causes: readonly FoundCause[],
  blind: readonly BlindVerifier[],
): Pick<Details, 'shared' | 'unjudged'> {
  const isBlind = (name: string): boolean => blind.some(({ operation }) => operation === name);
  const forged = filterUncaused(run.forged ?? [], causes).filter(
    ({ forgery }) => !isBlind(forgery.operation),
  );
  const failures = new Set(forged.filter(isForgedFailure).map(({ forgery }) => forgery));
  const shared = findSharedMistakes(forged).filter(({ accepted }) =>
    accepted.some((forgery) => failures.has(forgery)),
  );
  const isOtherDialect = causes.some(({ mistake }) => mistake.id === WRONG_DIALECT);
  return { shared, unjudged: isOtherDialect ? [] : groupUnjudged(forged, listOpen(run, causes)) };
}

/** The operations with failures that no cause explains. */
function listOpen({ outcomes }: Run, causes: readonly FoundCause[]): ReadonlySet<string> {
  const explained = new Set(causes.flatMap(({ explains }) => explains));
  const open = outcomes.filter((one) => isFailure(one) && !explained.has(one.vector.id));
  return new Set(open.map(({ vector }) => vector.operation));
}

function groupUnjudged(
  forged: readonly ForgedOutcome[],
  open: ReadonlySet<string>,
): readonly UnjudgedForgeries[] {
  const groups = new Map<string, UnjudgedForgeries>();
  for (const one of forged) {
    const { operation } = one.forgery;
    const { status, message } = one.verdict;
    if (status === 'fail' || !isForgedFailure(one) || open.has(operation)) continue;
    const key = JSON.stringify([operation, status, message]);
    const count = (groups.get(key)?.count ?? 0) + 1;
    groups.set(key, { operation, status, message, count });
  }
  return [...groups.values()];
}

interface FailureGroup {
  /** What the failures share, as a clause; empty if nothing is known but their status. */
  readonly shared: string;
  /** How to fix it, if that is known. */
  readonly fix: string | undefined;
  /** In the order of the report; at least one. */
  readonly outcomes: readonly Outcome[];
}

interface Description extends Partial<Pick<ShapeDescription, 'fix'>> {
  readonly what: string;
}

/** An unexplained wrong answer: its shape, the responsible step, or the first stage that differs. */
function describeAnswer(outcome: Outcome, insights: Insights): Description {
  const { shape, trace } = insights.inspect(outcome);
  const [span] = trace?.spans ?? [];
  if (shape) return describeShape(shape);
  if (span) return { what: `${span.part} differs (step ${span.step}, ${span.rule})` };
  const { difference, message, status } = outcome.verdict;
  const what = difference ? `${difference.stage} differs` : shorten(message, LONGEST_EXCERPT);
  return { what: what || status };
}

function describeFailure({ verdict, unexpectedFailure }: Outcome): Description {
  if (unexpectedFailure !== undefined)
    return { what: `expected a different failure: ${unexpectedFailure}` };
  const { message, difference } = verdict;
  return { what: message || (difference ? `${difference.stage} differs` : '') };
}

/** Groups by kind and description: the largest group first; groups of one size in the order of their first failures. */
function groupFailures(
  failures: readonly (readonly [kind: string, shared: Description, outcome: Outcome])[],
): readonly FailureGroup[] {
  const keyed = failures.map((one) => [JSON.stringify([one[0], one[1]]), one] as const);
  return [...groupByKey(keyed).values()]
    .map((group) => {
      const { what = '', fix } = group[0]?.[1] ?? {};
      return { shared: what, fix, outcomes: group.map((one) => one[2]) };
    })
    .sort((a, b) => b.outcomes.length - a.outcomes.length);
}
