/**
 * The run: rounds over all operations, and an investigation of every failure that is news.
 *
 * @module
 */
import { wrongIn } from './explanation.ts';
import { type Finding, findingKey } from './finding.ts';
import { findingOf, seen } from './investigation.ts';
import { brokeAgain, isLeft, isNews, mistakesIn, noProgress, type Progress } from './progress.ts';
import { type Investigator, type Place, sampled, shrunkAt } from './shrinking.ts';
import { type Failure, failureOf, trialOf } from './trial.ts';

/** Drafts of one operation in one round. */
const ROUND = 64;

/** Seeds are 31 bits. */
export const SEEDS: number = 2 ** 31;

/** Right answers of one operation that are remembered to test explanations. */
const REMEMBERED = 40;

export interface Plan {
  readonly operations: readonly string[];
  readonly seed: number;
  /** Drafts over all operations. */
  readonly runs: number;
  /** A single draft of a single operation. */
  readonly path?: string;
}

export interface Watcher {
  readonly found: (finding: Finding) => void;
  readonly progress: (tried: number, findings: number) => void;
}

export interface Tried {
  /** How many drafts. */
  readonly count: number;
  /** Operations that were left alone, because they broke the adapter again and again or brought nothing new. */
  readonly left: readonly string[];
}

export async function fuzz(
  investigator: Investigator,
  plan: Plan,
  watcher: Watcher,
): Promise<Tried> {
  const all = plan.operations.map(noProgress);
  const [only] = all;
  if (plan.path !== undefined && only) {
    const { seed, path } = plan;
    const place: Place = { operation: only.operation, seed, path, isFinal: true };
    await investigate(investigator, all, only, place, undefined, watcher);
    return { count: 1, left: [] };
  }
  let tried = 0;
  const each = Math.ceil(plan.runs / all.length);
  for (let done = 0; done < each; done += ROUND) {
    const seed = (plan.seed + done / ROUND) % SEEDS;
    for (const progress of all) {
      if (Date.now() > investigator.deadline || investigator.interview.over !== undefined) {
        return { count: tried, left: all.filter(isLeft).map(({ operation }) => operation) };
      }
      if (isLeft(progress)) continue;
      const count = Math.min(ROUND, each - done);
      tried += await round(investigator, all, progress, seed, count, watcher);
      watcher.progress(tried, all.flatMap(({ findings }) => findings).length);
    }
    if (all.every(isLeft)) break;
  }
  return { count: tried, left: all.filter(isLeft).map(({ operation }) => operation) };
}

/** One batch of drafts of one operation; yields how many of them were sent. */
async function round(
  investigator: Investigator,
  all: readonly Progress[],
  progress: Progress,
  seed: number,
  count: number,
  watcher: Watcher,
): Promise<number> {
  const { interview, circumstances, contents } = investigator;
  const { operation } = progress;
  const drafts = sampled(investigator, operation, seed, count);
  const trials = drafts.map((draft) => trialOf(draft, circumstances, contents));
  const replies = await interview.ask(trials.flatMap((trial) => trial?.questions ?? []));
  let from = 0;
  let sent = 0;
  const failures: (readonly [number, Failure])[] = [];
  for (const [i, trial] of trials.entries()) {
    if (!trial) continue;
    const own = replies.slice(from, from + trial.questions.length);
    from += trial.questions.length;
    if (!own.some(({ kind }) => kind === 'not-asked')) sent += 1;
    const failure = failureOf(trial, own);
    if (failure) failures.push([i, failure]);
    else if (progress.right.length < REMEMBERED) progress.right.push(...seen(trial, own));
  }
  progress.wrong = failures.flatMap(([, failure]) => wrongIn(failure)).slice(0, REMEMBERED);
  for (const [i, failure] of failures) {
    if (isLeft(progress) || interview.over !== undefined) return sent;
    if (Date.now() > investigator.deadline && progress.findings.length > 0) return sent;
    brokeAgain(progress, failure);
    if (!isNews(investigator, progress, failure)) continue;
    await investigate(
      investigator,
      all,
      progress,
      { operation, seed, path: `${i}` },
      failure,
      watcher,
    );
  }
  return sent;
}

async function investigate(
  investigator: Investigator,
  all: readonly Progress[],
  progress: Progress,
  place: Place,
  first: Failure | undefined,
  watcher: Watcher,
): Promise<void> {
  const shrunk = await shrunkAt(
    investigator,
    place,
    (failure) => isNews(investigator, progress, failure),
    first?.verdict.status === 'timeout',
  );
  if (!shrunk && !first) return;
  const finding: Finding = shrunk
    ? await findingOf(
        investigator,
        shrunk,
        place,
        [...all.flatMap(({ right }) => right), ...progress.wrong],
        mistakesIn(all),
      )
    : { ...place, failure: first as Failure, causes: [], besides: 0, isUnstable: true };
  const key = finding.isUnstable ? 'unstable' : findingKey(finding.failure, finding.causes);
  if (progress.keys.has(key)) {
    progress.idle++;
    return;
  }
  progress.keys.add(key);
  progress.findings.push(finding);
  watcher.found(finding);
}
