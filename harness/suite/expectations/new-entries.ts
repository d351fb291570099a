/**
 * Entries that expect the unexpected failures of a run: one for each status and combination of causes.
 *
 * @module
 */
import type { Explanation } from '../../engine/diagnosis/explanation.ts';
import {
  type CauseNames,
  formatForgedName,
  groupCausesByVector,
} from '../../engine/expectations/names.ts';
import type { Status } from '../../engine/judge/judge.ts';
import type { Run } from '../../engine/judge/outcome.ts';
import { isFailure, isForgedFailure } from '../../engine/judge/summary.ts';
import { findSharedMistakes } from '../../engine/judge/verifiers.ts';
import { collapseToGlobs } from '../../engine/select.ts';
import type { Entry } from './file.ts';

/** Why the failures are known, and until when they are expected. */
export type Grounds = Pick<Entry, 'reason' | 'issue' | 'until'>;

/** Only answers have causes. */
const ANSWERED: readonly Status[] = ['fail', 'refused', 'inconclusive'];

/**
 * @param ids of every vector of the suite
 * @param wanted only failures with these causes; empty for all failures
 */
export function createEntries(
  run: Run,
  explanation: Explanation | undefined,
  ids: readonly string[],
  wanted: readonly string[],
  grounds: Grounds,
): readonly Entry[] {
  return [
    ...createVectorEntries(run, explanation, ids, wanted, grounds),
    ...createForgedEntries(run, wanted, grounds),
    ...(wanted.length === 0 ? createBrokenEntries(run, grounds) : []),
  ];
}

function createVectorEntries(
  { outcomes }: Run,
  explanation: Explanation | undefined,
  ids: readonly string[],
  wanted: readonly string[],
  grounds: Grounds,
): readonly Entry[] {
  const byVector = explanation ? groupCausesByVector(explanation) : new Map<string, never>();
  const groups = new Map<string, Group>();
  for (const { vector, verdict } of outcomes.filter(isFailure)) {
    const { status } = verdict;
    const all = (ANSWERED.includes(status) ? byVector.get(vector.id) : undefined) ?? [];
    const causes = chooseNames(all, wanted);
    if (causes.length === 0 && wanted.length > 0) continue;
    const key = [status, ...causes].join(' ');
    const before = groups.get(key)?.failing ?? [];
    groups.set(key, { status, causes, failing: [...before, vector.id] });
  }
  return [...groups.values()].map(({ status, causes, failing }) => ({
    vectors: unwrapSingle(collapseToGlobs(failing, ids)),
    status,
    ...(causes.length > 0 && { cause: unwrapSingle(causes) }),
    ...grounds,
  }));
}

/** Vectors that fail with the same status for the same causes. */
interface Group {
  readonly status: Status;
  readonly causes: readonly string[];
  readonly failing: readonly string[];
}

/** A name for each cause: the most likely one, or the wanted one. */
function chooseNames(causes: readonly CauseNames[], wanted: readonly string[]): readonly string[] {
  const names = causes.flatMap((fitting) =>
    wanted.length === 0
      ? fitting.slice(0, 1)
      : (fitting.find((name) => wanted.includes(name)) ?? []),
  );
  return [...new Set(names)].sort();
}

/** An entry for each mistake that the verifiers of several operations may share. */
function createForgedEntries(
  { forged = [] }: Run,
  wanted: readonly string[],
  grounds: Grounds,
): readonly Entry[] {
  const failures = new Set(forged.filter(isForgedFailure).map(({ forgery }) => forgery));
  return findSharedMistakes(forged)
    .filter(({ accepted }) => accepted.some((forgery) => failures.has(forgery)))
    .flatMap(({ operations, mistakes }): readonly Entry[] => {
      const name = mistakes.find(({ id }) => wanted.includes(id)) ?? mistakes[0];
      if (!name || (wanted.length > 0 && !wanted.includes(name.id))) return [];
      const names = operations.map((operation) => formatForgedName(operation, name.id));
      return [{ forged: unwrapSingle(names), status: 'fail', ...grounds }];
    });
}

/** Entries for forged requests without an answer, or whose control has none. */
function createBrokenEntries({ forged = [] }: Run, grounds: Grounds): readonly Entry[] {
  const broken = forged.filter((one) => isForgedFailure(one) && one.verdict.status !== 'fail');
  const statuses = [...new Set(broken.map(({ verdict }) => verdict.status))];
  return statuses.map((status) => {
    const names = broken
      .filter(({ verdict }) => verdict.status === status)
      .map(({ forgery }) => formatForgedName(forgery.operation, forgery.mistakes[0] ?? ''));
    return { forged: unwrapSingle([...new Set(names)]), status, ...grounds };
  });
}

/** A list of one name is written as the name alone. */
function unwrapSingle(names: readonly string[]): string | readonly string[] {
  const [first, ...others] = names;
  return first !== undefined && others.length === 0 ? first : names;
}
