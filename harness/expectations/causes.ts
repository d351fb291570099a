/**
 * Which causes a failure has, by name.
 *
 * @module
 */
import type { Diagnosis } from '../diagnosis/diagnose.ts';
import { UNEXPLAINED } from './expectation.ts';

/** One cause by every name that fits it, the most likely first. */
export type CauseNames = readonly string[];

/** The causes of each failing vector, by its id; none of one that gave no answer. */
export function causesByVector({
  causes,
  unexplained,
}: Diagnosis): ReadonlyMap<string, readonly CauseNames[]> {
  const named = causes.map(({ mistake, others, explains }) => ({
    names: [mistake, ...others].map(({ id }) => id),
    explains,
  }));
  const all = [...named, { names: [UNEXPLAINED], explains: unexplained }];
  const byVector = new Map<string, CauseNames[]>();
  for (const { names, explains } of all) {
    for (const id of explains) byVector.set(id, [...(byVector.get(id) ?? []), names]);
  }
  return byVector;
}
