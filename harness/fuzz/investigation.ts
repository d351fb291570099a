/**
 * From a failure to a finding: shrunk against the adapter itself, with its nearest right neighbour and its cause.
 *
 * @module
 */
import fc from 'fast-check';
import type { Mistake } from '../../reference/mistakes/index.ts';
import { type Observation, observations } from '../diagnosis/observation.ts';
import type { ContentFolder } from '../suite/content.ts';
import type { Circumstances, Draft } from './draft.ts';
import { edits } from './edits.ts';
import type { Explainer } from './explanation.ts';
import type { Finding, Neighbour } from './finding.ts';
import type { Conversation } from './interview.ts';
import { type Failure, failureOf, type Trial, trialOf } from './trial.ts';

/** How much is asked to shrink one failure. */
const SHRINKING = { questions: 3000, crashes: 60, hangs: 8, milliseconds: 30_000 };

/** How much longer than the whole run, unless the investigator says otherwise; in milliseconds. */
const OVERTIME = 5000;

/** While a question is shrunk over which the adapter hangs, it is not waited for longer; in milliseconds. */
const HURRY = 1000;

export interface Investigator {
  readonly interview: Conversation;
  readonly circumstances: Circumstances;
  readonly contents: ContentFolder;
  readonly explainer: Explainer;
  readonly drafts: Readonly<Record<string, fc.Arbitrary<Draft>>>;
  /** For one question; in milliseconds. */
  readonly timeout: number;
  /** A failure that was found may be shrunk a little longer than this; milliseconds since the epoch. */
  readonly deadline: number;
  /** How much longer; in milliseconds. */
  readonly overtime?: number;
}

/** Where in the sequence of an operation's drafts one stands. */
export interface Place {
  readonly operation: string;
  readonly seed: number;
  readonly path: string;
  /** It is shrunk already: what is there is taken as it is. */
  readonly isFinal?: true;
}

/** Asks about a single draft. */
export async function failureNow(
  { interview, circumstances, contents }: Investigator,
  draft: Draft,
): Promise<Failure | undefined> {
  const trial = trialOf(draft, circumstances, contents);
  return trial && failureOf(trial, await interview.ask(trial.questions));
}

/** What an operation's drafts are drawn from. */
function arbitrary(
  { drafts }: Pick<Investigator, 'drafts'>,
  operation: string,
): fc.Arbitrary<Draft> {
  const known = drafts[operation];
  if (!known) throw new Error(`no drafts are made for the operation ${operation}`);
  return known;
}

/** The drafts from the start of the sequence of a seed. */
export function sampled(
  investigator: Pick<Investigator, 'drafts'>,
  operation: string,
  seed: number,
  numRuns: number,
): readonly Draft[] {
  // A tuple, as in a property; and not the property itself, of which the sampler draws other values than its run.
  return fc
    .sample(fc.tuple(arbitrary(investigator, operation)), { seed, numRuns })
    .map(([draft]) => draft);
}

/** A failure as small as it gets, and its path. */
export interface Shrunk {
  readonly failure: Failure;
  readonly path: string;
}

/**
 * Shrinks the failure at a place; nothing where it does not fail this time.
 *
 * @param isNews whether a failure is another than what is known already
 */
export async function shrunkAt(
  investigator: Investigator,
  { operation, seed, path, isFinal }: Place,
  isNews: (failure: Failure) => boolean,
  isHang: boolean,
): Promise<Shrunk | undefined> {
  const { interview, timeout } = investigator;
  const deadline = Math.min(
    Date.now() + SHRINKING.milliseconds,
    Math.max(Date.now(), investigator.deadline) + (investigator.overtime ?? OVERTIME),
  );
  let left = SHRINKING.questions;
  let breaks = isHang ? SHRINKING.hangs : SHRINKING.crashes;
  let smallest: Failure | undefined;
  const holds = async (draft: Draft): Promise<boolean> => {
    const isFirst: boolean = left === SHRINKING.questions;
    if (!isFirst && (left <= 0 || breaks <= 0 || Date.now() > deadline)) return true;
    left--;
    const failure = await failureNow(investigator, draft);
    if (!failure || !isNews(failure)) return true;
    const { status } = failure.verdict;
    if (status === 'crashed' || status === 'timeout') breaks--;
    // A hang is not shrunk to a crash, nor a wrong answer to a refusal.
    if (smallest && status !== smallest.verdict.status) return true;
    smallest = failure;
    return false;
  };
  if (isHang) await interview.renew(Math.min(HURRY, timeout));
  const run = await fc.check(fc.asyncProperty(arbitrary(investigator, operation), holds), {
    seed,
    path,
    numRuns: 1,
    endOnFailure: isFinal === true,
  });
  if (isHang) await interview.renew(timeout);
  return smallest && { failure: smallest, path: run.counterexamplePath ?? path };
}

/** What was seen beside a failure, and the nearest request over which the adapter is right. */
export interface Beside {
  readonly neighbour?: Neighbour;
  readonly asked: number;
  readonly observed: readonly Observation[];
}

export async function beside(investigator: Investigator, failure: Failure): Promise<Beside> {
  const { interview, circumstances, contents } = investigator;
  if (failure.verdict.status === 'timeout') return besideHang(investigator, failure);
  const trials = edits(failure.trial.draft).flatMap(({ draft, what }) => {
    const trial = trialOf(draft, circumstances, contents);
    return trial ? [{ trial, what }] : [];
  });
  const replies = await interview.ask(trials.flatMap(({ trial }) => trial.questions));
  let from = 0;
  let neighbour: Neighbour | undefined;
  const observed: Observation[] = [];
  for (const { trial, what } of trials) {
    const own = replies.slice(from, from + trial.questions.length);
    from += trial.questions.length;
    const isRight = own.every(isAnswer) && !failureOf(trial, own);
    if (isRight) neighbour ??= { what };
    observed.push(...seen(trial, own));
  }
  return { ...(neighbour && { neighbour }), asked: trials.length, observed };
}

/** Each further hang takes its time, so a few are asked about, one by one. */
async function besideHang(investigator: Investigator, failure: Failure): Promise<Beside> {
  const { interview, timeout } = investigator;
  await interview.renew(Math.min(HURRY, timeout));
  let asked = 0;
  let hangs = 0;
  let neighbour: Neighbour | undefined;
  for (const { draft, what } of edits(failure.trial.draft)) {
    if (hangs >= 3 || neighbour || interview.over !== undefined) break;
    const trial = trialOf(draft, investigator.circumstances, investigator.contents);
    if (!trial) continue;
    asked++;
    const replies = await interview.ask(trial.questions);
    if (replies.some(({ kind }) => kind === 'timeout')) hangs++;
    else if (replies.every(isAnswer) && !failureOf(trial, replies)) neighbour = { what };
  }
  await interview.renew(timeout);
  return { ...(neighbour && { neighbour }), asked, observed: [] };
}

function isAnswer({ kind }: { readonly kind: string }): boolean {
  return kind === 'result' || kind === 'refused';
}

/** What a trial's replies show. */
export function seen(
  { vector, questions }: Trial,
  replies: Awaited<ReturnType<Conversation['ask']>>,
): readonly Observation[] {
  const [reply, second] = replies;
  const [, controlQuestion] = questions;
  const control = vector.control && second && controlQuestion;
  if (!reply) return [];
  return observations(
    vector,
    reply,
    control && second ? { question: control, reply: second } : undefined,
  );
}

/** The finding that a shrunk failure makes. */
export async function findingOf(
  investigator: Investigator,
  { failure, path }: Shrunk,
  { operation, seed }: Place,
  known: readonly Observation[],
  found: readonly Mistake[],
): Promise<Finding> {
  const around = await beside(investigator, failure);
  const causes = investigator.explainer.causes(failure, [...around.observed, ...known], found);
  return {
    operation,
    failure,
    causes,
    ...(around.neighbour && { neighbour: around.neighbour }),
    besides: around.asked,
    seed,
    path,
  };
}
