/**
 * What a run comes to.
 *
 * @module
 */
import { EXIT } from './errors.ts';
import type { ForgedOutcome } from './forgeries/outcome.ts';
import type { Status } from './judge/judge.ts';
import type { Outcome, Run } from './run.ts';
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

/** Whether an outcome makes the verdict a no. Open vectors never do. */
export function isFailure({ vector, verdict, known }: Outcome): boolean {
  return vector.level !== 'open' && known === undefined && !HARMLESS.includes(verdict.status);
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
  const counts = (level: Level): Counts => {
    const ofLevel = outcomes.filter(({ vector }) => vector.level === level);
    const names = ofLevel.map(({ verdict, known }) => (known ? 'known failure' : verdict.status));
    return new Map(
      ORDER.map(
        (status) => [status, names.filter((name) => name === status).length] as const,
      ).filter(([, count]) => count > 0),
    );
  };
  return { must: counts('must'), observed: counts('observed'), open: counts('open') };
}

/** The exit code that a run comes to (see `--help`). */
export function exitCode(run: Run): number {
  if (run.neverWorked !== undefined) return EXIT.neverWorked;
  if (
    run.over !== undefined ||
    run.outcomes.some(({ verdict }) => verdict.status === 'not-asked')
  ) {
    return EXIT.aborted;
  }
  if (run.outcomes.every(({ verdict }) => verdict.status === 'unsupported')) return EXIT.usage;
  const { outcomes, forged = [], stale = [] } = run;
  const isRight = !outcomes.some(isFailure) && !forged.some(isForgedFailure);
  return isRight && stale.length === 0 ? EXIT.asExpected : EXIT.failures;
}

/** The exit code of several runs: the worst, of those in which anything was judged; zero vectors are a usage error. */
export function exitCodeOfAll(codes: readonly number[]): number {
  const judged = codes.filter((code) => code !== EXIT.usage);
  return judged.length === 0 ? EXIT.usage : Math.max(...judged);
}
