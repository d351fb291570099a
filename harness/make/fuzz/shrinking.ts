/**
 * Shrinks a failure: asks the adapter about smaller and smaller requests.
 *
 * @module
 */
import fc from 'fast-check';
import type { RestartingRespondent } from '../../engine/respondent.ts';
import type { Circumstances, Draft } from './draft.ts';
import { type Drafts, draftArbitrary } from './drafts.ts';
import type { Explainer } from './explanation.ts';
import { createTrial, type Failure, findFailure } from './trial.ts';

/** The limits for shrinking one failure. */
const SHRINKING = { questions: 3000, crashes: 60, hangs: 8 };

/** How long shrinking one failure may wait for the adapter; in milliseconds. */
const WAITING = 120_000;

/** Shrinking may go on so long after the deadline of the run; in milliseconds. */
const OVERTIME = 5000;

/** The time limit for a question while a hang is shrunk; in milliseconds. */
export const HURRY = 1000;

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

export async function askDraft(
  { session, circumstances }: Investigator,
  draft: Draft,
): Promise<Failure | undefined> {
  const trial = createTrial(draft, circumstances);
  return trial && findFailure(trial, await session.ask(trial.questions));
}

export interface Shrunk {
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
  const limits = createLimits(investigator, isHang);
  let smallest: Failure | undefined;
  const passes = async (draft: Draft): Promise<boolean> => {
    if (!limits.takeQuestion()) return true;
    const start = performance.now();
    const failure = await askDraft(investigator, draft);
    limits.takeWaiting(performance.now() - start);
    if (!failure || !isNews(failure)) return true;
    const { status } = failure.verdict;
    if (status === 'crashed' || status === 'timeout') limits.takeBreak();
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

/**
 * Counts questions, broken processes and the time spent waiting for the adapter. The first question may always be asked.
 *
 * The harness's own time does not count: it depends on the load of the machine.
 */
function createLimits(investigator: Investigator, isHang: boolean) {
  const deadline = Math.max(Date.now(), investigator.deadline) + OVERTIME;
  let asked = 0;
  let waited = 0;
  let breaks = isHang ? SHRINKING.hangs : SHRINKING.crashes;
  const isReached = (): boolean =>
    asked >= SHRINKING.questions ||
    breaks <= 0 ||
    waited >= WAITING ||
    Date.now() > deadline ||
    investigator.isSpent?.() === true;
  return {
    /** Whether one more question may be asked. */
    takeQuestion(): boolean {
      if (asked > 0 && isReached()) return false;
      asked++;
      return true;
    },
    takeBreak(): void {
      breaks--;
    },
    takeWaiting(milliseconds: number): void {
      waited += milliseconds;
    },
  };
}
