/**
 * The result of a run: counts by status, and the exit code.
 *
 * @module
 */
import { EXIT } from '../errors.ts';
import { groupByKey } from '../group-by-key.ts';
import type { Selection } from '../select.ts';
import type { Level, Vector } from '../vector.ts';
import type { ForgedOutcome } from './forgery.ts';
import type { Status, Verdict } from './judge.ts';
import type { Outcome, Run } from './outcome.ts';

/** The number of vectors by status, in a fixed order, without zeros. */
export type Counts = ReadonlyMap<Status | 'known failure', number>;

/** Whether an outcome with a status is wrong. Counts have this order. */
const IS_WRONG: Readonly<Record<Status | 'known failure', boolean>> = {
  pass: false,
  open: false,
  'known failure': false,
  fail: true,
  refused: true,
  inconclusive: true,
  error: true,
  crashed: true,
  timeout: true,
  garbage: true,
  unsupported: false,
  'not-asked': false,
  unsigned: false,
  foreign: false,
  unimplemented: false,
  unjudged: false,
};

/** What decides whether an outcome fails the run. */
type Judged = Pick<Outcome, 'known' | 'isEnforced'> & {
  readonly vector: Pick<Vector, 'level'>;
  readonly verdict: Pick<Outcome['verdict'], 'status'>;
};

/** Whether an outcome fails the run. Open vectors never do; advised ones only if they are enforced. */
export function isFailure(outcome: Judged): boolean {
  return isWrong(outcome) && !isTolerated(outcome);
}

/** Whether an outcome is wrong and not expected; never for open vectors. */
export function isWrong({ vector, verdict, known }: Judged): boolean {
  return vector.level !== 'open' && known === undefined && IS_WRONG[verdict.status];
}

/** Whether an outcome is wrong but tolerated, because the run does not enforce advised vectors. */
export function isTolerated(outcome: Judged): boolean {
  return outcome.vector.level === 'advised' && outcome.isEnforced !== true && isWrong(outcome);
}

/** Enforces advised vectors if the selection names their level. */
export function enforceAdvised(run: Run, { levels }: Pick<Selection, 'levels'>): Run {
  if (!levels.includes('advised')) return run;
  return { ...run, outcomes: run.outcomes.map((outcome) => ({ ...outcome, isEnforced: true })) };
}

/** A forged request fails if it was accepted, or got no answer. */
export function isForgedFailure({ verdict, known }: ForgedOutcome): boolean {
  return known !== true && IS_WRONG[verdict.status];
}

/** The number of forged requests by status, those that were refused (as they must be) first. */
export function countForged(forged: readonly ForgedOutcome[]): ReadonlyMap<string, number> {
  const names: Readonly<Record<string, string>> = { pass: 'refused', fail: 'accepted' };
  return new Map([...countStatuses(forged)].map(([status, n]) => [names[status] ?? status, n]));
}

export function countByLevel(outcomes: readonly Outcome[]): Readonly<Record<Level, Counts>> {
  const counts = (level: Level): Counts =>
    countStatuses(outcomes.filter(({ vector }) => vector.level === level));
  return {
    must: counts('must'),
    observed: counts('observed'),
    advised: counts('advised'),
    open: counts('open'),
  };
}

export function countStatuses(outcomes: readonly (Outcome | ForgedOutcome)[]): Counts {
  const order = Object.keys(IS_WRONG);
  const groups = groupByKey(
    outcomes.map((one) => [one.known ? 'known failure' : one.verdict.status, one] as const),
  );
  const counts = [...groups].map(([status, { length }]) => [status, length] as const);
  return new Map(counts.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b)));
}

/** The verdicts on all questions that were not asked: of vectors, forged requests and fresh data. */
export function listUnasked({ outcomes, forged = [], fresh }: Run): readonly Verdict[] {
  return [...outcomes, ...forged, ...(fresh?.outcomes ?? [])]
    .map(({ verdict }) => verdict)
    .filter(({ status }) => status === 'not-asked');
}

/** Why the harness itself failed in a run, as a sentence; `undefined` if it did not. */
export function findInternalError(run: Run): string | undefined {
  const { internalError, outcomes, forged = [] } = run;
  const unjudged = [...outcomes, ...forged].find(({ verdict }) => verdict.isInternalError);
  return internalError ?? unjudged?.verdict.message;
}

/** The exit code of a run (see `--help`). */
export function exitCode(run: Run): number {
  if (findInternalError(run) !== undefined) return EXIT.internalError;
  if (run.neverWorked !== undefined) return EXIT.neverWorked;
  if (run.stopReason !== undefined || listUnasked(run).length > 0) return EXIT.aborted;
  if (run.outcomes.every(({ verdict }) => verdict.status === 'unsupported')) return EXIT.usage;
  return hasFailures(run) || run.stale?.length ? EXIT.failures : EXIT.asExpected;
}

/** Whether a vector, a forged request or a question on fresh data failed. */
export function hasFailures({ outcomes, forged = [], fresh }: Run): boolean {
  return [...outcomes, ...(fresh?.outcomes ?? [])].some(isFailure) || forged.some(isForgedFailure);
}

/** The highest exit code of several runs. Runs without vectors count only if all runs have none. */
export function combineExitCodes(codes: readonly number[]): number {
  const judged = codes.filter((code) => code !== EXIT.usage);
  return judged.length === 0 ? EXIT.usage : Math.max(...judged);
}
