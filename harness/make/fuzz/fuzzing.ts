/**
 * The fuzz run: rounds over all operations, and an investigation of every new failure.
 *
 * @module
 */
import type { Mistake } from '../../../reference/mistakes/index.ts';
import { isMistake } from '../../engine/diagnosis/diagnose.ts';
import { type Finding, findingKey } from '../../engine/diagnosis/explanation.ts';
import type { Observation } from '../../engine/diagnosis/observation.ts';
import { parseDialect } from '../../engine/dialects.ts';
import type { Reply } from '../../engine/protocol.ts';
import type { Respondent } from '../../engine/respondent.ts';
import type { Shard } from '../../engine/select.ts';
import type { Suite } from '../../engine/vector.ts';
import { translateVectors } from '../rederive/rewording.ts';
import type { Draft } from './draft.ts';
import { sampleDrafts } from './drafts.ts';
import { combinations, wrongAnswers } from './explanation.ts';
import { createFinding, type Investigator, type Place, shrinkAt } from './shrinking.ts';
import {
  askTrials,
  createTrial,
  type Failure,
  findFailure,
  observeTrial,
  type Trial,
  toShrunkFailure,
} from './trial.ts';

/** An adapter that breaks on so many different operations is not asked further. */
const MOST_BROKEN_OPERATIONS = 3;

/** Why the adapter never worked; undefined as soon as one known-good question has a result. */
export async function checkAlive(
  session: Pick<Respondent, 'ask'>,
  suite: Suite,
  operations: readonly string[],
  dialect: string,
): Promise<string | undefined> {
  const good = operations.flatMap((name) => {
    const own = suite.vectors.filter(({ operation, expect }) => operation === name && expect);
    return own.find(({ id }) => suite.knownGood.includes(id)) ?? own[0] ?? [];
  });
  let first: string | undefined;
  let breaks = 0;
  for (const { operation, keys, input } of translateVectors(parseDialect(dialect), good)) {
    if (breaks >= MOST_BROKEN_OPERATIONS) break;
    const [reply] = await session.ask([{ operation, keys, input }]);
    if (!reply || reply.kind === 'result') return undefined;
    const what = 'message' in reply && reply.message !== '' ? `: ${reply.message}` : '';
    first ??= `${reply.kind}${what}`;
    if (reply.kind === 'timeout' || reply.kind === 'crashed') breaks++;
  }
  return first && `no known-good question got a result; the first one ended as ${first}`;
}

/** Drafts of one operation in one round. */
const ROUND = 64;

/** Seeds have 31 bits. */
export const SEEDS: number = 2 ** 31;

export interface Plan {
  readonly operations: readonly string[];
  readonly seed: number;
  /** Drafts over all operations. */
  readonly runs: number;
  /** Asks about a single draft of the first operation. */
  readonly path?: string;
  /** Asks only the rounds of one shard. */
  readonly shard?: Shard;
}

export interface Watcher {
  readonly found: (finding: Finding) => void;
  readonly progress: (tried: number, findings: number) => void;
}

export interface Tried {
  /** How many drafts. */
  readonly count: number;
  /** Operations that were abandoned, because they broke the adapter repeatedly or brought nothing new. */
  readonly left: readonly string[];
}

export async function fuzz(
  investigator: Investigator,
  plan: Plan,
  watcher: Watcher,
): Promise<Tried> {
  const run: FuzzRun = { investigator, all: plan.operations.map(createProgress), watcher };
  const [only] = run.all;
  if (plan.path !== undefined && only) {
    const { seed, path } = plan;
    const place: Place = { operation: only.operation, seed, path, isFinal: true };
    await investigate(run, only, place, undefined);
    return { count: 1, left: [] };
  }
  const count = await runRounds(run, plan);
  return { count, left: run.all.filter(isAbandoned).map(({ operation }) => operation) };
}

interface FuzzRun {
  readonly investigator: Investigator;
  readonly all: readonly Progress[];
  readonly watcher: Watcher;
}

/** Yields how many drafts were asked. */
async function runRounds(run: FuzzRun, plan: Plan): Promise<number> {
  const { investigator, all, watcher } = run;
  let tried = 0;
  const rounds = drawRounds(run, plan);
  let round = rounds.next().value;
  while (round) {
    if (Date.now() > investigator.deadline) break;
    if (investigator.session.stopReason !== undefined) break;
    const replies = askTrials(investigator.session, round.trials);
    // The next round is drawn while the adapter answers this one.
    const next = rounds.next().value;
    tried += await judgeRound(run, round, await replies);
    watcher.progress(tried, all.flatMap(({ findings }) => findings).length);
    round = next && isAbandoned(next.progress) ? rounds.next().value : next;
  }
  return tried;
}

interface Round {
  readonly progress: Progress;
  readonly seed: number;
  readonly trials: readonly (Trial | undefined)[];
}

/** The rounds of a run, without those of operations that are abandoned by then. */
function* drawRounds(
  { all, investigator: { drafts, circumstances } }: FuzzRun,
  { runs, seed: firstSeed, shard = { index: 1, count: 1 } }: Plan,
): Generator<Round, undefined> {
  const each = Math.ceil(runs / all.length);
  for (let done = 0; done < each && !all.every(isAbandoned); done += ROUND) {
    const seed = (firstSeed + done / ROUND) % SEEDS;
    for (const [i, progress] of all.entries()) {
      // The shards take turns, so that together they ask what one run asks.
      const turn = ((done / ROUND) * all.length + i) % shard.count;
      if (turn !== shard.index - 1 || isAbandoned(progress)) continue;
      const count = Math.min(ROUND, each - done);
      const trials = sampleDrafts(drafts, progress.operation, seed, count).map((draft) =>
        isLargeAndAsked(progress, draft) ? undefined : createTrial(draft, circumstances),
      );
      yield { progress, seed, trials };
    }
  }
  return undefined;
}

/** Whether a draft has a large content that was asked before. It takes as long as hundreds of other questions. */
function isLargeAndAsked({ large }: Progress, { request }: Draft): boolean {
  const { content } = request;
  if (!content || !('recipe' in content)) return false;
  const recipe = JSON.stringify(content.recipe);
  const isAsked = large.has(recipe);
  large.add(recipe);
  return isAsked;
}

/** Correct answers of one operation that are kept to test explanations. */
const REMEMBERED = 40;

/** Judges the replies to a round and investigates its failures. Yields how many drafts were asked. */
async function judgeRound(
  run: FuzzRun,
  { progress, seed, trials }: Round,
  replies: readonly (readonly Reply[])[],
): Promise<number> {
  const { session, deadline } = run.investigator;
  const { operation } = progress;
  let asked = 0;
  const failures: (readonly [number, Failure])[] = [];
  for (const [i, trial] of trials.entries()) {
    if (!trial) continue;
    const own = replies[i] ?? [];
    if (!own.some(({ kind }) => kind === 'not-asked')) asked += 1;
    const failure = findFailure(trial, own);
    if (failure) failures.push([i, failure]);
    else if (progress.right.length < REMEMBERED) progress.right.push(...observeTrial(trial, own));
  }
  progress.wrong = failures.flatMap(([, failure]) => wrongAnswers(failure)).slice(0, REMEMBERED);
  for (const [i, failure] of failures) {
    if (isAbandoned(progress) || session.stopReason !== undefined) break;
    if (Date.now() > deadline && progress.findings.length > 0) break;
    countBreak(progress, failure);
    if (!isNews(run.investigator, progress, failure)) continue;
    await investigate(run, progress, { operation, seed, path: `${i}` }, failure);
  }
  return asked;
}

/** Shrinks the failure at a place and reports the finding, unless an earlier one equals it. */
async function investigate(
  { investigator, all, watcher }: FuzzRun,
  progress: Progress,
  place: Place,
  first: Failure | undefined,
): Promise<void> {
  const shrunk = await shrinkAt(
    investigator,
    place,
    (failure) => isNews(investigator, progress, failure),
    first?.verdict.status === 'timeout',
  );
  const known = [...all.flatMap(({ right }) => right), ...progress.wrong];
  const finding: Finding | undefined = shrunk
    ? await createFinding(investigator, shrunk, place, known, mistakesIn(all))
    : first && { ...place, ...toShrunkFailure(first, 0), causes: [], isUnstable: true };
  if (!finding) return;
  const key = finding.isUnstable ? 'unstable' : findingKey(finding, finding.causes);
  if (progress.keys.has(key)) {
    progress.idle++;
    return;
  }
  progress.keys.add(key);
  progress.findings.push(finding);
  watcher.found(finding);
}

/** An operation is abandoned after so many investigations without a new finding. */
const MOST_IDLE = 4;

/** The limit for unexplained wrong answers that are searched for a known mistake, once one is reported. */
const MOST_UNEXPLAINED = 12;

/** An operation is abandoned after it broke the adapter so often since that was reported. A hang counts more: it takes time. */
const MOST_BREAKS = 12;
const BREAKS_OF_A_HANG = 6;

/** The state of one operation. */
interface Progress {
  readonly operation: string;
  readonly findings: Finding[];
  readonly keys: Set<string>;
  readonly right: Observation[];
  /** The recipes of the large contents that were asked, as JSON. */
  readonly large: Set<string>;
  /** Wrong answers of the current round. */
  wrong: readonly Observation[];
  idle: number;
  breaks: number;
  /** Unexplained wrong answers that were searched for a known mistake. */
  unexplained: number;
}

function createProgress(operation: string): Progress {
  return {
    operation,
    findings: [],
    keys: new Set(),
    right: [],
    large: new Set(),
    wrong: [],
    idle: 0,
    breaks: 0,
    unexplained: 0,
  };
}

/** Counts crashes and hangs that repeat a reported one. */
function countBreak(progress: Progress, { verdict: { status } }: Failure): void {
  if (status !== 'crashed' && status !== 'timeout') return;
  if (progress.keys.has(status)) progress.breaks += status === 'timeout' ? BREAKS_OF_A_HANG : 1;
}

function isAbandoned({ idle, breaks }: Progress): boolean {
  return idle >= MOST_IDLE || breaks >= MOST_BREAKS;
}

/** Whether a failure may differ from the earlier findings. */
function isNews({ explainer }: Investigator, progress: Progress, failure: Failure): boolean {
  const { keys, findings, right } = progress;
  if (findings.length === 0) return true;
  const { status } = failure.verdict;
  if (status !== 'fail' && status !== 'refused') return !keys.has(status);
  if (explainer.isExplained(failure, combinations(mistakesIn([progress])))) return false;
  if (!keys.has('unexplained')) return true;
  return progress.unexplained++ < MOST_UNEXPLAINED && explainer.hasCandidate(failure, right);
}

/** Every mistake in the findings, once. */
function mistakesIn(all: readonly Progress[]): readonly Mistake[] {
  const causes = all.flatMap(({ findings }) => findings.flatMap((finding) => finding.causes));
  return [...new Set(causes.map(({ mistake }) => mistake).filter(isMistake))];
}
