/**
 * Shrinks a failure, asks about the edits of the smallest request, and finds its causes.
 *
 * Of failing vectors, requests to sign become smaller edit by edit. Requests to verify are signed already, so edits would only
 * break the signature: instead, requests are drawn until one fails, and that one is shrunk.
 *
 * @module
 */

import fc from 'fast-check';
import type { Mistake } from '../../../reference/mistakes/index.ts';
import { isVerifier } from '../../../reference/operations.ts';
import type { Finding, Neighbour, ShrunkVector } from '../../engine/diagnosis/explanation.ts';
import type { Observation } from '../../engine/diagnosis/observation.ts';
import { deduceDifference } from '../../engine/insight/insight.ts';
import type { RestartingRespondent } from '../../engine/respondent.ts';
import type { Vector } from '../../engine/vector.ts';
import type { Circumstances, Draft } from './draft.ts';
import { type Drafts, draftArbitrary, sampleDrafts } from './drafts.ts';
import { createEdits, FIXED } from './edits.ts';
import type { Explainer } from './explanation.ts';
import {
  askTrials,
  createTrial,
  type Failure,
  findFailure,
  observeTrial,
  toShrunkFailure,
} from './trial.ts';

/** The limits for shrinking one failure: drafts, broken processes, and the time spent waiting for the adapter in milliseconds. */
const LIMITS = { drafts: 3000, crashes: 60, hangs: 8, waiting: 120_000 };

/** Shrinking may go on so long after the deadline of the run; in milliseconds. */
const OVERTIME = 5000;

/** The time limit for a question while a hang is shrunk; in milliseconds. */
const HURRY = 1000;

export interface Investigator {
  readonly session: Pick<RestartingRespondent, 'ask' | 'renew' | 'stopReason'>;
  readonly circumstances: Circumstances;
  readonly explainer: Explainer;
  readonly drafts: Drafts;
  /** The time limit for one question; in milliseconds. */
  readonly timeout: number;
  /** The end of the run, in milliseconds since the epoch. Shrinking may go on a little longer. */
  readonly deadline: number;
  /** Whether another limit is reached. */
  readonly isSpent?: () => boolean;
}

/** The place of a draft in the sequence of an operation's drafts. */
export interface Place {
  readonly operation: string;
  readonly seed: number;
  readonly path: string;
  /** The draft is shrunk already. */
  readonly isFinal?: true;
}

interface Shrunk {
  readonly failure: Failure;
  readonly path: string;
}

/**
 * Shrinks the failure at a place; undefined if the draft there does not fail this time.
 *
 * @param isNews whether a failure differs from the known ones
 */
export async function shrinkAt(
  investigator: Investigator,
  { operation, seed, path, isFinal }: Place,
  isNews: (failure: Failure) => boolean,
  isHang: boolean,
): Promise<Shrunk | undefined> {
  const { session, timeout, drafts } = investigator;
  const end = Math.max(Date.now(), investigator.deadline) + OVERTIME;
  const spent: Spent = { drafts: 0, breaks: 0, waiting: 0 };
  let smallest: Failure | undefined;
  const passes = async (draft: Draft): Promise<boolean> => {
    const isOver = isReached(spent, isHang) || Date.now() > end;
    if (smallest && (isOver || investigator.isSpent?.())) return true;
    const failure = await askDraft(investigator, draft, spent);
    if (!failure || !isNews(failure)) return true;
    const { status } = failure.verdict;
    if (status === 'crashed' || status === 'timeout') spent.breaks += 1;
    // The status stays: a hang must not shrink to a crash, nor a wrong answer to a refusal.
    if (smallest && status !== smallest.verdict.status) return true;
    smallest = failure;
    return false;
  };
  if (isHang) await session.renew(Math.min(HURRY, timeout));
  const run = await fc.check(fc.asyncProperty(draftArbitrary(drafts, operation), passes), {
    seed,
    path,
    numRuns: 1,
    endOnFailure: isFinal === true,
  });
  if (isHang) await session.renew(timeout);
  return smallest && { failure: smallest, path: run.counterexamplePath ?? path };
}

/** What shrinking one failure has taken. */
interface Spent {
  drafts: number;
  breaks: number;
  /** In milliseconds. The harness's own time does not count: it depends on the load of the machine. */
  waiting: number;
}

const isReached = ({ drafts, breaks, waiting }: Spent, isHang: boolean): boolean =>
  drafts >= LIMITS.drafts ||
  breaks >= (isHang ? LIMITS.hangs : LIMITS.crashes) ||
  waiting >= LIMITS.waiting;

async function askDraft(
  investigator: Investigator,
  draft: Draft,
  spent: Spent,
): Promise<Failure | undefined> {
  const start = performance.now();
  const [failure] = await askDrafts(investigator, [draft]);
  spent.drafts += 1;
  spent.waiting += performance.now() - start;
  return failure;
}

/** The edits of a failing request. */
interface Neighbourhood {
  /** The nearest request that passes. */
  readonly neighbour: Neighbour | undefined;
  readonly asked: number;
  readonly observed: readonly Observation[];
}

async function askNeighbours(investigator: Investigator, failure: Failure): Promise<Neighbourhood> {
  const { session, circumstances } = investigator;
  if (failure.verdict.status === 'timeout') return askNeighboursOfHang(investigator, failure);
  const edits = createEdits(failure.trial.draft).flatMap(({ draft, what }) => {
    const trial = createTrial(draft, circumstances);
    return trial ? [{ trial, what }] : [];
  });
  const replies = await askTrials(
    session,
    edits.map(({ trial }) => trial),
  );
  let neighbour: Neighbour | undefined;
  const observed: Observation[] = [];
  for (const [i, { trial, what }] of edits.entries()) {
    const own = replies[i] ?? [];
    const isRight = own.every(isAnswer) && !findFailure(trial, own);
    if (isRight) neighbour ??= { what };
    observed.push(...observeTrial(trial, own));
  }
  return { neighbour, asked: edits.length, observed };
}

/** Further hangs take time, so the edits are asked one by one until a few of them hang. */
const MOST_HANGS = 3;

async function askNeighboursOfHang(
  investigator: Investigator,
  failure: Failure,
): Promise<Neighbourhood> {
  const { session, timeout } = investigator;
  await session.renew(Math.min(HURRY, timeout));
  let asked = 0;
  let hangs = 0;
  let neighbour: Neighbour | undefined;
  for (const { draft, what } of createEdits(failure.trial.draft)) {
    if (hangs >= MOST_HANGS || neighbour || session.stopReason !== undefined) break;
    const trial = createTrial(draft, investigator.circumstances);
    if (!trial) continue;
    asked++;
    const replies = await session.ask(trial.questions);
    if (replies.some(({ kind }) => kind === 'timeout')) hangs++;
    else if (replies.every(isAnswer) && !findFailure(trial, replies)) neighbour = { what };
  }
  await session.renew(timeout);
  return { neighbour, asked, observed: [] };
}

function isAnswer({ kind }: { readonly kind: string }): boolean {
  return kind === 'result' || kind === 'refused';
}

/** The operations that sign the same parameters. */
const SAME_SIGNATURE = ['action-json', 'action-query', 'action-signature'];

/** Asks about the other forms of the same request. They show whether a parameter is not sent, or only not signed. */
async function askOtherForms(
  { session, circumstances }: Investigator,
  { trial: { draft } }: Failure,
): Promise<readonly Observation[]> {
  const observed: Observation[] = [];
  if (!SAME_SIGNATURE.includes(draft.operation)) return observed;
  for (const operation of SAME_SIGNATURE) {
    if (operation === draft.operation || !circumstances.operations.includes(operation)) continue;
    const trial = createTrial({ ...draft, operation }, circumstances);
    if (trial) observed.push(...observeTrial(trial, await session.ask(trial.questions)));
  }
  return observed;
}

export async function createFinding(
  investigator: Investigator,
  { failure, path }: Shrunk,
  { operation, seed }: Place,
  known: readonly Observation[],
  found: readonly Mistake[],
): Promise<Finding> {
  const { asked, neighbour, observed } = await askNeighbours(investigator, failure);
  const beside = [...observed, ...(await askOtherForms(investigator, failure)), ...known];
  const causes = investigator.explainer.findCauses(failure, beside, found);
  const { trial, verdict } = failure;
  const mistakes = causes.map(({ mistake }) => mistake);
  const deduced =
    verdict.difference &&
    deduceDifference(
      trial.vector,
      verdict.difference,
      mistakes,
      investigator.circumstances.dialect,
    );
  return {
    operation,
    ...toShrunkFailure(failure, asked, neighbour),
    causes,
    ...(deduced && { deduced }),
    seed,
    path,
  };
}

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
  const isDrawn = isVerifier(vector.operation);
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
  let [smallest] = await askDrafts(investigator, [{ operation, keys, request: input }]);
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
