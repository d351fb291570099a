/**
 * The report: all results of one respondent, from which every format is written.
 *
 * @module
 */
import type { Explanation } from '../diagnosis/explanation.ts';
import { WRONG_DIALECT } from '../dialects.ts';
import { EXIT } from '../errors.ts';
import { formatCount } from '../excerpt.ts';
import { groupByKey } from '../group-by-key.ts';
import type { FreshOutcome, Outcome, Run } from '../judge/outcome.ts';
import {
  type Counts,
  countByLevel,
  countForged,
  countStatuses,
  exitCode,
  findInternalError,
  isFailure,
  isTolerated,
  listUnasked,
} from '../judge/summary.ts';
import type { Subject } from '../respondent.ts';
import { isWhole, type Selection, type Shard } from '../select.ts';
import type { Level, Suite, Vector } from '../vector.ts';
import type { Details } from './details.ts';

/** The options of a command line and its operands. */
export interface Parameters {
  readonly values: Readonly<
    Record<string, string | boolean | readonly (string | boolean)[] | undefined>
  >;
  readonly positionals: readonly string[];
}

/** The part of a report that is known before the first question. */
export interface Header {
  readonly suite: Suite;
  /** The selected vectors; in a shard, those of the shard. */
  readonly vectors: readonly Vector[];
  readonly selection: Selection;
  /** The folder of vectors that replaces those of the package. */
  readonly folder?: string;
  /** The part of the selected vectors that this run asked about. */
  readonly shard?: Shard;
  readonly seed?: number;
  /** The number of selected vectors on fresh data. */
  readonly freshCount?: number;
  readonly subjects: readonly Subject[];
  readonly parameters: Parameters;
}

export type SubjectKind = NonNullable<Subject['kind']> | 'adapter';

export function subjectKind({ subjects }: Pick<Header, 'subjects'>): SubjectKind {
  return subjects[0]?.kind ?? 'adapter';
}

/** Whether a run asks an adapter only about some of the vectors that a run without filters asks. */
export function isPartial(header: Header): boolean {
  return subjectKind(header) === 'adapter' && !isWhole(header.vectors, header.suite);
}

/** A subject that did not run on this machine. */
export interface NotRun {
  readonly subject: Subject;
  /** The reason, as a clause. */
  readonly notRun: string;
}

/** A run with its explanation, and what formats need beside them. */
export interface Report
  extends Omit<Run, 'notes' | 'stale' | 'forged' | 'internalError'>,
    Required<Pick<Run, 'notes' | 'stale' | 'forged'>>,
    Explanation {
  readonly header: Header;
  readonly subject: Subject;
  readonly exitCode: number;
  /** Why the harness failed. The report has the results until then. */
  readonly internalError: string | undefined;
  /** A sentence for each reason why questions were not asked. */
  readonly unasked: readonly string[];
  /** Whether the respondent uses another dialect, which explains all refusals of its verifiers. */
  readonly isOtherDialect: boolean;
  readonly failures: readonly Outcome[];
  /** The ids of failures that only the dialect explains. */
  readonly failuresOfDialect: ReadonlySet<string>;
  /** Failures of advised vectors that do not count. */
  readonly tolerated: readonly Outcome[];
  readonly freshFailures: readonly FreshOutcome[];
  /** Those of them that no cause explains. */
  readonly freshUncaused: readonly FreshOutcome[];
  /** Further details. Undefined if nothing failed and no format needs them, because computing them takes time. */
  readonly details: Details | undefined;
  readonly counts: Readonly<Record<Level, Counts>>;
  readonly forgedCounts: ReadonlyMap<string, number>;
  readonly freshCounts: Counts;
}

/**
 * Creates the report of a run.
 *
 * @param isDetailed whether a format needs details even if nothing failed
 */
export async function createReport(
  header: Header,
  subject: Subject,
  run: Run,
  explanation?: Explanation,
  isDetailed = false,
): Promise<Report> {
  const found = reportExplanation(explanation);
  const code = exitCode(run);
  const needsDetails = isDetailed || code !== EXIT.asExpected;
  const details = needsDetails
    ? (await import('./details.ts')).createDetails(subject, run, found.causes, found.unexplained)
    : undefined;
  return { header, subject, exitCode: code, details, ...reportRun(run), ...found };
}

function reportRun(run: Run) {
  const { notes = [], stale = [], forged = [], outcomes, fresh } = run;
  const freshOutcomes = fresh?.outcomes ?? [];
  const freshFailures = freshOutcomes.filter(isFailure);
  const unasked = listUnasked(run).map(
    ({ message }) => message || (run.stopReason ?? 'the run stopped early'),
  );
  return {
    ...run,
    notes,
    stale,
    forged,
    internalError: findInternalError(run),
    unasked: reasonNotes(['question was not asked', 'questions were not asked'], unasked),
    failures: outcomes.filter(isFailure),
    tolerated: outcomes.filter(isTolerated),
    freshFailures,
    freshUncaused: freshFailures.filter(({ causes }) => !causes),
    counts: countByLevel(outcomes),
    forgedCounts: countForged(forged),
    freshCounts: countStatuses(freshOutcomes),
  };
}

function reportExplanation(explanation: Partial<Explanation> = {}) {
  const { causes = [], unexplained = [], shrunk = [], silent } = explanation;
  const idsOf = (isDialect: boolean): readonly string[] =>
    causes
      .filter(({ mistake }) => (mistake.id === WRONG_DIALECT) === isDialect)
      .flatMap(({ explains }) => explains);
  const others = new Set(idsOf(false));
  return {
    causes,
    unexplained,
    shrunk,
    ...(silent !== undefined && { silent }),
    isOtherDialect: causes.some(({ mistake }) => mistake.id === WRONG_DIALECT),
    failuresOfDialect: new Set(idsOf(true).filter((id) => !others.has(id))),
  };
}

/**
 * A sentence for each reason, the most frequent first.
 *
 * @param what the singular and the plural of what is counted
 */
export function reasonNotes(
  [one, several]: readonly [one: string, several: string],
  reasons: readonly string[],
): readonly string[] {
  return [...groupByKey(reasons.map((why) => [why, why] as const))]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([why, all]) => `${formatCount(all.length, one, several)}, because ${why}`);
}
