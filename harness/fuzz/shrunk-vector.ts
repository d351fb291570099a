/**
 * The smallest request over which an adapter fails as it fails over a vector.
 *
 * The request of a vector is made smaller edit by edit. That of a verify operation is signed, so no edit of it would
 * tell anything: there, requests are drawn until one fails, and that one is shrunk.
 *
 * @module
 */
import type { Vector } from '../suite/vector.ts';
import type { Draft } from './draft.ts';
import { edits, FIXED } from './edits.ts';
import { type Beside, beside } from './investigation.ts';
import { failureNow, type Investigator, sampled, shrunkAt } from './shrinking.ts';
import { type Failure, failureOf, trialOf } from './trial.ts';

export interface ShrunkVector {
  /** The failing vector that it began with. */
  readonly id: string;
  readonly failure: Failure;
  readonly beside: Beside;
  /** It was drawn, because the vector's own request cannot be made smaller. */
  readonly isDrawn: boolean;
}

/** Draws are the same in every run. */
const SEED = 1;

const DRAWN = 128;

/** Questions that wait for each other's replies. */
const AT_ONCE = 16;

/**
 * Nothing where no smaller request can be made, or where none fails.
 *
 * @param isMeant whether a failure is one of those that are looked for
 */
export async function shrunkVector(
  investigator: Investigator,
  vector: Vector,
  isMeant: (failure: Failure) => boolean,
): Promise<ShrunkVector | undefined> {
  const isDrawn = vector.operation.startsWith('verify-');
  const failure = isDrawn
    ? await drawnFailure(investigator, vector.operation, isMeant)
    : await editedFailure(investigator, vector, isMeant);
  if (!failure) return undefined;
  return { id: vector.id, failure, beside: await beside(investigator, failure), isDrawn };
}

async function drawnFailure(
  investigator: Investigator,
  operation: string,
  isMeant: (failure: Failure) => boolean,
): Promise<Failure | undefined> {
  const drafts = sampled(investigator, operation, SEED, DRAWN);
  const failures = await failuresOf(investigator, drafts);
  const at = failures.findIndex((failure) => failure && isMeant(failure));
  if (at < 0) return undefined;
  const place = { operation, seed: SEED, path: `${at}` };
  const shrunk = await shrunkAt(investigator, place, isMeant, false);
  return shrunk?.failure ?? failures[at];
}

async function editedFailure(
  investigator: Investigator,
  { operation, keys, input }: Vector,
  isMeant: (failure: Failure) => boolean,
): Promise<Failure | undefined> {
  let smallest = await failureNow(investigator, { operation, keys, request: input });
  if (!smallest || !isMeant(smallest)) return undefined;
  const { status } = smallest.verdict;
  const isAlike = (failure: Failure): boolean =>
    failure.verdict.status === status && isMeant(failure);
  let next: Failure | undefined = smallest;
  while (next) {
    smallest = next;
    next = await smallestFailure(investigator, smallerDrafts(next.trial.draft), isAlike);
  }
  return smallest;
}

/** The first draft that fails, a few asked about at a time. */
async function smallestFailure(
  investigator: Investigator,
  drafts: readonly Draft[],
  isAlike: (failure: Failure) => boolean,
): Promise<Failure | undefined> {
  for (let from = 0; from < drafts.length; from += AT_ONCE) {
    if (investigator.isSpent?.() || Date.now() > investigator.deadline) return undefined;
    const failures = await failuresOf(investigator, drafts.slice(from, from + AT_ONCE));
    const found = failures.find((failure) => failure && isAlike(failure));
    if (found) return found;
  }
  return undefined;
}

/** With half of a text, or with one thing changed; the smallest first. */
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
  const edited = edits(draft).map((edit) => edit.draft);
  return [...halves, ...edited]
    .filter((other) => other.keys === draft.keys && size(other) < size(draft))
    .sort((a, b) => size(a) - size(b));
}

/** In bytes; of two that are as long, the one of letters is smaller. */
function size({ request }: Draft): number {
  const text = JSON.stringify(request);
  return Buffer.byteLength(text) + text.replace(/[A-Za-z]/g, '').length / 1000;
}

/** For each draft its failure; nothing where it does not fail. */
async function failuresOf(
  { circumstances, contents, interview }: Investigator,
  drafts: readonly Draft[],
): Promise<readonly (Failure | undefined)[]> {
  const trials = drafts.map((draft) => trialOf(draft, circumstances, contents));
  const replies = await interview.ask(trials.flatMap((trial) => trial?.questions ?? []));
  let from = 0;
  return trials.map((trial) => {
    if (!trial) return undefined;
    const own = replies.slice(from, from + trial.questions.length);
    from += trial.questions.length;
    return failureOf(trial, own);
  });
}
