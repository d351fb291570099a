/**
 * The names that files of expectations use for causes.
 *
 * @module
 */
import { type Mistake, mistakesBeside } from '../../../reference/mistakes/index.ts';
import { findNearest } from '../../../reference/nearest.ts';
import type { Diagnosis } from '../diagnosis/diagnose.ts';
import { groupByKey } from '../group-by-key.ts';
import { UNEXPLAINED } from '../judge/outcome.ts';
import { findOtherCause, OTHER_CAUSES } from '../other-causes.ts';

/** All ids that fit one cause, the most likely first. */
export type CauseNames = readonly string[];

/** The causes of each failing vector, by its id. A vector without an answer has no causes. */
export function groupCausesByVector({
  causes,
  unexplained,
}: Diagnosis): ReadonlyMap<string, readonly CauseNames[]> {
  const named = causes.map(({ mistake, others, explains }) => ({
    names: [mistake, ...others].map(({ id }) => id),
    explains,
  }));
  const all = [...named, { names: [UNEXPLAINED], explains: unexplained }];
  return groupByKey(all.flatMap(({ names, explains }) => explains.map((id) => [id, names])));
}

/** The id of a cause without the conditions under which it holds. */
export const withoutCondition = (id: string): string => id.split('@', 1)[0] ?? id;

/** Whether a report may name a cause with this id. */
export function isCauseId(id: string): boolean {
  const bare = withoutCondition(id);
  return bare === UNEXPLAINED || Boolean(findMistakeById(bare) ?? findOtherCause(bare));
}

export function findMistakeById(id: string): Mistake | undefined {
  return mistakesBeside(id).find((mistake) => mistake.id === id);
}

/** The most similar id of a cause, for "did you mean" hints. */
export function findNearestCause(id: string): string | undefined {
  const ids = [...mistakesBeside(id), ...OTHER_CAUSES].map((cause) => cause.id);
  return findNearest(id, [...ids, UNEXPLAINED]);
}
