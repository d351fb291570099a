/**
 * Shrinks the request of a failing vector.
 *
 * Requests to sign become smaller edit by edit. Requests to verify are signed already, so edits would only break the
 * signature: instead, requests are drawn until one fails, and that one is shrunk.
 *
 * @module
 */

import type { ShrunkVector } from '../../engine/diagnosis/explanation.ts';
import type { Vector } from '../../engine/vector.ts';
import type { Draft } from './draft.ts';
import { sampleDrafts } from './drafts.ts';
import { createEdits, FIXED } from './edits.ts';
import { askDraft, askNeighbours, type Investigator, shrinkAt } from './shrinking.ts';
import { askTrials, createTrial, type Failure, findFailure, toShrunkFailure } from './trial.ts';

/** Fixed, so that every run draws the same requests. */
const SEED = 1;

const DRAWN = 128;

/** Drafts that are asked together. */
const AT_ONCE = 16;

/**
 * Undefined if no request fails as it should.
 *
 * @param isMeant whether a failure is of the kind to shrink
 */
export async function shrinkVector(
  investigator: Investigator,
  vector: Vector,
  isMeant: (failure: Failure) => boolean,
): Promise<ShrunkVector | undefined> {
  const isDrawn = vector.operation.startsWith('verify-');
  const failure = isDrawn
    ? await shrinkDrawn(investigator, vector.operation, isMeant)
    : await shrinkByEdits(investigator, vector, isMeant);
  if (!failure) return undefined;
  const { neighbour, asked } = await askNeighbours(investigator, failure);
  return { ...toShrunkFailure(failure, asked, neighbour), id: vector.id, isDrawn };
}

async function shrinkDrawn(
  investigator: Investigator,
  operation: string,
  isMeant: (failure: Failure) => boolean,
): Promise<Failure | undefined> {
  const drafts = sampleDrafts(investigator.drafts, operation, SEED, DRAWN);
  const failures = await askDrafts(investigator, drafts);
  const at = failures.findIndex((failure) => failure && isMeant(failure));
  if (at < 0) return undefined;
  const place = { operation, seed: SEED, path: `${at}` };
  const shrunk = await shrinkAt(investigator, place, isMeant, false);
  return shrunk?.failure ?? failures[at];
}

async function shrinkByEdits(
  investigator: Investigator,
  { operation, keys, input }: Vector,
  isMeant: (failure: Failure) => boolean,
): Promise<Failure | undefined> {
  let smallest = await askDraft(investigator, { operation, keys, request: input });
  if (!smallest || !isMeant(smallest)) return undefined;
  const { status } = smallest.verdict;
  const isAlike = (failure: Failure): boolean =>
    failure.verdict.status === status && isMeant(failure);
  let next: Failure | undefined = smallest;
  while (next) {
    smallest = next;
    next = await findFirstFailure(investigator, smallerDrafts(next.trial.draft), isAlike);
  }
  return smallest;
}

/** The failure of the first draft that fails; a few are asked at a time. */
async function findFirstFailure(
  investigator: Investigator,
  drafts: readonly Draft[],
  isAlike: (failure: Failure) => boolean,
): Promise<Failure | undefined> {
  for (let from = 0; from < drafts.length; from += AT_ONCE) {
    if (investigator.isSpent?.() || Date.now() > investigator.deadline) return undefined;
    const failures = await askDrafts(investigator, drafts.slice(from, from + AT_ONCE));
    const found = failures.find((failure) => failure && isAlike(failure));
    if (found) return found;
  }
  return undefined;
}

/** Half of a text, or an edit; the smallest first. */
function smallerDrafts(draft: Draft): readonly Draft[] {
  const halves = Object.entries(draft.request).flatMap(([name, value]) => {
    if (typeof value !== 'string' || FIXED.includes(name)) return [];
    const characters = [...value];
    const middle = Math.ceil(characters.length / 2);
    return [characters.slice(0, middle), characters.slice(middle)].map((half) => ({
      ...draft,
      request: { ...draft.request, [name]: half.join('') },
    }));
  });
  const edited = createEdits(draft).map((edit) => edit.draft);
  return [...halves, ...edited]
    .filter((other) => other.keys === draft.keys && size(other) < size(draft))
    .sort((a, b) => size(a) - size(b));
}

/** In bytes. Of equally long requests, the one with fewer special characters is smaller. */
function size({ request }: Draft): number {
  const text = JSON.stringify(request);
  return Buffer.byteLength(text) + text.replace(/[A-Za-z]/g, '').length / 1000;
}

/** The failure of each draft; undefined for drafts that pass. */
async function askDrafts(
  { circumstances, session }: Investigator,
  drafts: readonly Draft[],
): Promise<readonly (Failure | undefined)[]> {
  const trials = drafts.map((draft) => createTrial(draft, circumstances));
  const replies = await askTrials(session, trials);
  return trials.map((trial, i) => trial && findFailure(trial, replies[i] ?? []));
}
