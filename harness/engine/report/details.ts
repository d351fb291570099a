/**
 * The details of a report beyond the causes. They need the diagnosis, which takes time to load.
 *
 * @module
 */
import type { FoundCause } from '../diagnosis/diagnose.ts';
import { parseDialect } from '../dialects.ts';
import { Insights, type SharedShape } from '../insight/insight.ts';
import type { ForgedOutcome } from '../judge/forgery.ts';
import type { Outcome, Run } from '../judge/outcome.ts';
import { isFailure, isForgedFailure } from '../judge/summary.ts';
import {
  type BlindVerifier,
  findBlindVerifiers,
  findSharedMistakes,
  type SharedMistake,
} from '../judge/verifiers.ts';
import type { Subject } from '../subject.ts';
import { type FailureGroup, groupOthers, groupUnexplained } from './failure-groups.ts';

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
  /** Mistakes that signers and verifiers share. The verifiers in `blind` are left out. */
  readonly shared: readonly SharedMistake[];
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
  const diagnosed = new Set([...explained, ...unexplained]);
  return {
    insights,
    unexplained: groupUnexplained(unexplained, run.outcomes, insights),
    others: groupOthers(seenFailures(run, blind), diagnosed),
    sharedShape: insights.findShared(unexplained, run.outcomes),
    blind,
    shared: sharedByVerifiers(run.forged ?? [], blind),
  };
}

/** One sentence describes a verifier that gives all requests the same answer, so its failures and mistakes are left out. */
function seenFailures({ outcomes }: Run, blind: readonly BlindVerifier[]): readonly Outcome[] {
  const operations = new Set(blind.map(({ operation }) => operation));
  return outcomes.filter(
    (outcome) =>
      isFailure(outcome) &&
      (outcome.unexpectedFailure !== undefined || !operations.has(outcome.vector.operation)),
  );
}

function sharedByVerifiers(
  forged: readonly ForgedOutcome[],
  blind: readonly BlindVerifier[],
): readonly SharedMistake[] {
  const isBlind = (name: string): boolean => blind.some(({ operation }) => operation === name);
  const seeing = forged.filter(({ forgery }) => !isBlind(forgery.operation));
  const failures = new Set(seeing.filter(isForgedFailure).map(({ forgery }) => forgery));
  return findSharedMistakes(seeing).filter(({ accepted }) =>
    accepted.some((forgery) => failures.has(forgery)),
  );
}
