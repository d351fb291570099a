/**
 * A failure made as small as it gets, by asking the adapter itself.
 *
 * @module
 */
import fc from 'fast-check';
import type { ContentFolder } from '../suite/content.ts';
import type { Circumstances, Draft } from './draft.ts';
import type { Explainer } from './explanation.ts';
import type { Conversation } from './interview.ts';
import { type Failure, failureOf, trialOf } from './trial.ts';

/** How much is asked to shrink one failure. */
const SHRINKING = { questions: 3000, crashes: 60, hangs: 8, milliseconds: 30_000 };

/** How much longer than the whole run; in milliseconds. */
const OVERTIME = 5000;

/** While a question is shrunk over which the adapter hangs, it is not waited for longer; in milliseconds. */
export const HURRY = 1000;

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
  /** Whether enough was asked, by another measure. */
  readonly isSpent?: () => boolean;
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
    Math.max(Date.now(), investigator.deadline) + OVERTIME,
  );
  const isOver = (): boolean => Date.now() > deadline || investigator.isSpent?.() === true;
  let left = SHRINKING.questions;
  let breaks = isHang ? SHRINKING.hangs : SHRINKING.crashes;
  let smallest: Failure | undefined;
  const holds = async (draft: Draft): Promise<boolean> => {
    const isFirst: boolean = left === SHRINKING.questions;
    if (!isFirst && (left <= 0 || breaks <= 0 || isOver())) return true;
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
