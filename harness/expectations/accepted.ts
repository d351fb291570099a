/**
 * The entries that would expect what failed unexpectedly: one for each status and the causes that show together.
 *
 * @module
 */
import type { Explanation } from '../diagnosis/explanation.ts';
import { sharedMistakes } from '../forgeries/shared-mistakes.ts';
import type { Status } from '../judge/judge.ts';
import type { Run } from '../run.ts';
import { isFailure, isForgedFailure } from '../verdict.ts';
import { type CauseNames, causesByVector } from './causes.ts';
import type { Entry } from './file.ts';
import { forgedName } from './forged-names.ts';
import { globsOver } from './globs-over.ts';

/** Why they fail, and until when. */
export type Grounds = Pick<Entry, 'reason' | 'issue' | 'until'>;

/** Statuses of answers, which have causes. */
const ANSWERED: readonly Status[] = ['fail', 'refused', 'inconclusive'];

/**
 * @param ids of every vector of the suite
 * @param wanted only failures of these causes; all where there are none
 */
export function acceptedEntries(
  run: Run,
  explanation: Explanation | undefined,
  ids: readonly string[],
  wanted: readonly string[],
  grounds: Grounds,
): readonly Entry[] {
  return [
    ...vectorEntries(run, explanation, ids, wanted, grounds),
    ...acceptedForgeries(run, wanted, grounds),
    ...(wanted.length === 0 ? brokenForgeries(run, grounds) : []),
  ];
}

function vectorEntries(
  { outcomes }: Run,
  explanation: Explanation | undefined,
  ids: readonly string[],
  wanted: readonly string[],
  grounds: Grounds,
): readonly Entry[] {
  const byVector = explanation ? causesByVector(explanation) : new Map<string, never>();
  const groups = new Map<string, Group>();
  for (const { vector, verdict } of outcomes.filter(isFailure)) {
    const { status } = verdict;
    const all = (ANSWERED.includes(status) ? byVector.get(vector.id) : undefined) ?? [];
    const causes = chosen(all, wanted);
    if (causes.length === 0 && wanted.length > 0) continue;
    const key = [status, ...causes].join(' ');
    const before = groups.get(key)?.failing ?? [];
    groups.set(key, { status, causes, failing: [...before, vector.id] });
  }
  return [...groups.values()].map(({ status, causes, failing }) => ({
    vectors: single(globsOver(failing, ids)),
    status,
    ...(causes.length > 0 && { cause: single(causes) }),
    ...grounds,
  }));
}

/** Failures that end alike for the same causes. */
interface Group {
  readonly status: Status;
  readonly causes: readonly string[];
  readonly failing: readonly string[];
}

/** A name of each cause: the most likely one, or the one that is wanted. */
function chosen(causes: readonly CauseNames[], wanted: readonly string[]): readonly string[] {
  const names = causes.flatMap((fitting) =>
    wanted.length === 0
      ? fitting.slice(0, 1)
      : (fitting.find((name) => wanted.includes(name)) ?? []),
  );
  return [...new Set(names)].sort();
}

/** One entry for each mistake that verifiers share with signers. */
function acceptedForgeries(
  { forged = [] }: Run,
  wanted: readonly string[],
  grounds: Grounds,
): readonly Entry[] {
  const failures = new Set(forged.filter(isForgedFailure).map(({ forgery }) => forgery));
  return sharedMistakes(forged)
    .filter(({ accepted }) => accepted.some((forgery) => failures.has(forgery)))
    .flatMap(({ operations, mistakes }): readonly Entry[] => {
      const name = mistakes.find(({ id }) => wanted.includes(id)) ?? mistakes[0];
      if (!name || (wanted.length > 0 && !wanted.includes(name.id))) return [];
      const names = operations.map((operation) => forgedName(operation, name.id));
      return [{ forged: single(names), status: 'fail', ...grounds }];
    });
}

/** Forged requests that got no answer, or whose control got none. */
function brokenForgeries({ forged = [] }: Run, grounds: Grounds): readonly Entry[] {
  const broken = forged.filter((one) => isForgedFailure(one) && one.verdict.status !== 'fail');
  const statuses = [...new Set(broken.map(({ verdict }) => verdict.status))];
  return statuses.map((status) => {
    const names = broken
      .filter(({ verdict }) => verdict.status === status)
      .map(({ forgery }) => forgedName(forgery.operation, forgery.mistakes[0] ?? ''));
    return { forged: single([...new Set(names)]), status, ...grounds };
  });
}

function single(names: readonly string[]): string | readonly string[] {
  const [first, ...others] = names;
  return first !== undefined && others.length === 0 ? first : names;
}
