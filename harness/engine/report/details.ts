/**
 * What a report shows of failures beyond their causes. It needs the diagnosis, which takes time to load.
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
  /** What all unexplained answers have in common. */
  readonly sharedShape: SharedShape | undefined;
  /** Unexplained wrong answers by what they share. */
  readonly unexplained: readonly FailureGroup[];
  /** Failures without an answer, and those that differ from the expected failure, by what happened. */
  readonly others: readonly FailureGroup[];
  /** Verifiers that accept or refuse everything. */
  readonly blind: readonly BlindVerifier[];
  /** Mistakes that the other verifiers share with signers. */
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

/** One sentence says everything about a blind verifier, so its failures and mistakes are left out. */
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
