/**
 * What a run comes to.
 *
 * @module
 */
import { EXIT } from './errors.ts';
import type { ForgedOutcome } from './forgeries/outcome.ts';
import type { Status, Verdict } from './judge/judge.ts';
import type { Outcome, Run } from './run.ts';
import type { Selection } from './suite/select.ts';
import type { Level } from './suite/vector.ts';

/** How many vectors ended how, in a stable order; what did not happen is left out. */
export type Counts = ReadonlyMap<Status | 'known failure', number>;

const ORDER: readonly (Status | 'known failure')[] = [
  'pass',
  'open',
  'known failure',
  'fail',
  'refused',
  'inconclusive',
  'error',
  'crashed',
  'timeout',
  'garbage',
  'unsupported',
  'not-asked',
  'unsigned',
  'foreign',
  'unimplemented',
  'unjudged',
];

const HARMLESS: readonly Status[] = [
  'pass',
  'open',
  'unsupported',
  'not-asked',
  'unsigned',
  'foreign',
  'unimplemented',
  'unjudged',
];

/** Whether an outcome makes the run fail: open vectors never do, advised ones where they are enforced. */
export function isFailure(outcome: Outcome): boolean {
  return isWrong(outcome) && !isTolerated(outcome);
}

/** Whether an outcome that no expectation names is other than the vector asks, at any level but open. */
export function isWrong({ vector, verdict, known }: Outcome): boolean {
  return vector.level !== 'open' && known === undefined && !HARMLESS.includes(verdict.status);
}

/** Whether an advised vector ended otherwise than it asks, in a run that does not enforce this level. */
export function isTolerated(outcome: Outcome): boolean {
  return outcome.vector.level === 'advised' && outcome.isEnforced !== true && isWrong(outcome);
}

/** The run with its advised vectors enforced, where the selection names their level. */
export function enforced(run: Run, { levels }: Pick<Selection, 'levels'>): Run {
  if (!levels.includes('advised')) return run;
  return { ...run, outcomes: run.outcomes.map((outcome) => ({ ...outcome, isEnforced: true })) };
}

/** Whether a forged request was accepted, or it stays unknown whether it would be. */
export function isForgedFailure({ verdict, known }: ForgedOutcome): boolean {
  return known !== true && !HARMLESS.includes(verdict.status);
}

/** How many forged requests ended how: refused, as they must be, first. */
export function forgedCounts(forged: readonly ForgedOutcome[]): ReadonlyMap<string, number> {
  const names: Readonly<Record<string, string>> = { pass: 'refused', fail: 'accepted' };
  const counts = ORDER.map((status) => {
    const count = forged.filter(
      ({ verdict, known }) => status === (known ? 'known failure' : verdict.status),
    ).length;
    return [names[status] ?? status, count] as const;
  });
  return new Map(counts.filter(([, count]) => count > 0));
}

/** Counts by level. */
export function countsOf(outcomes: readonly Outcome[]): Readonly<Record<Level, Counts>> {
  const counts = (level: Level): Counts =>
    countsBy(outcomes.filter(({ vector }) => vector.level === level));
  return {
    must: counts('must'),
    observed: counts('observed'),
    advised: counts('advised'),
    open: counts('open'),
  };
}

function countsBy(outcomes: readonly Outcome[]): Counts {
  const names = outcomes.map(({ verdict, known }) => (known ? 'known failure' : verdict.status));
  const counts = ORDER.map(
    (status) => [status, names.filter((name) => name === status).length] as const,
  );
  return new Map(counts.filter(([, count]) => count > 0));
}

/** The verdicts of everything that was not asked: vectors, forged requests and questions on fresh data. */
export function unasked({ outcomes, forged = [], fresh }: Run): readonly Verdict[] {
  return [...outcomes, ...forged, ...(fresh?.outcomes ?? [])]
    .map(({ verdict }) => verdict)
    .filter(({ status }) => status === 'not-asked');
}

/** How many questions on fresh data ended how. */
export function freshCounts({ fresh }: Run): Counts {
  return countsBy(fresh?.outcomes ?? []);
}

/** Why the harness itself failed in a run, as a sentence; nothing where it did not. */
export function internalErrorIn({ internalError, outcomes, forged = [] }: Run): string | undefined {
  const unjudged = [...outcomes, ...forged].find(({ verdict }) => verdict.isInternalError);
  return internalError ?? unjudged?.verdict.message;
}

/** The exit code that a run comes to (see `--help`). */
export function exitCode(run: Run): number {
  if (internalErrorIn(run) !== undefined) return EXIT.internalError;
  if (run.neverWorked !== undefined) return EXIT.neverWorked;
  if (run.over !== undefined || unasked(run).length > 0) return EXIT.aborted;
  if (run.outcomes.every(({ verdict }) => verdict.status === 'unsupported')) return EXIT.usage;
  const { outcomes, forged = [], fresh, stale = [] } = run;
  const isRight =
    ![...outcomes, ...(fresh?.outcomes ?? [])].some(isFailure) && !forged.some(isForgedFailure);
  return isRight && stale.length === 0 ? EXIT.asExpected : EXIT.failures;
}

/** The exit code of several runs: the worst, of those in which anything was judged; zero vectors are a usage error. */
export function exitCodeOfAll(codes: readonly number[]): number {
  const judged = codes.filter((code) => code !== EXIT.usage);
  return judged.length === 0 ? EXIT.usage : Math.max(...judged);
}
