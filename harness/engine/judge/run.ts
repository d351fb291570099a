/**
 * Runs vectors against a respondent.
 *
 * @module
 */
import { formatCount } from '../excerpt.ts';
import type { HelloReply, Question, Reply } from '../protocol.ts';
import { type AskOptions, type Respondent, StartError } from '../respondent.ts';
import type { Vector } from '../vector.ts';
import { askForgeries, type ForgedOutcome, type Forgery, selectForgeries } from './forgery.ts';
import { judgeSafely, type Verdict } from './judge.ts';
import {
  diagnoseDeadAdapter,
  type Fresh,
  judgeAll,
  type Outcome,
  questionName,
  type Run,
  toControlQuestion,
  toQuestion,
} from './outcome.ts';

/** Repeats vectors that the respondent passed on fresh data. */
export type Freshen = (
  outcomes: readonly Outcome[],
  hello: HelloReply,
) => Promise<{ readonly seed: number; readonly vectors: readonly Vector[] }>;

export interface Plan {
  readonly vectors: readonly Vector[];
  /** Vectors that show whether the respondent works at all. */
  readonly knownGood: readonly Vector[];
  /** Says that the respondent uses another dialect, if its replies to the known-good vectors show it. */
  readonly findWrongDialect?: (
    knownGood: readonly Vector[],
    replies: readonly Reply[],
  ) => Promise<string | undefined>;
  /** Whether a verifier that refuses correct requests accepts one of them with the signature of a known mistake. */
  readonly acceptsMistaken?: (refused: readonly Question[]) => Promise<boolean>;
  /** Makes the forged requests for verify operations, once the outcomes are known. */
  readonly forgeries?: (outcomes: readonly Outcome[]) => readonly Forgery[];
  /** Whether nothing more is asked after an outcome. */
  readonly isLast?: ((outcome: Outcome) => boolean) | undefined;
  /** Receives the first failing vector of each operation as soon as its reply arrives. Refusals with a control are judged later, and not received. */
  readonly onFailure?: ((vector: Vector) => void) | undefined;
  /** Absent if the run asks no questions on fresh data. */
  readonly freshen?: Freshen | undefined;
}

/** So many vectors are asked about at once if an outcome may be the last. */
const GROUP = 16;

const UNSUPPORTED: Reply = { kind: 'unsupported' };

/** Asks about the vectors and judges the replies; the respondent stays ready for further questions. */
export async function runVectors(respondent: Respondent, plan: Plan): Promise<Run> {
  const started = respondent.hello();
  // Serialize the questions while the respondent starts.
  const questions = prepareQuestions(respondent, plan);
  try {
    return await askAll(respondent, plan, await started, questions);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const { stopReason } = respondent;
    if (stopReason !== undefined) return { outcomes: [], stopReason, banner: 0 };
    return { outcomes: [], neverWorked: error.message, banner: 0 };
  }
}

async function askAll(
  respondent: Respondent,
  plan: Plan,
  hello: HelloReply,
  questions: Questions,
): Promise<Run> {
  const { banner = 0 } = respondent;
  const { alive, ...asked } = askVectors(respondent, plan, hello, questions);
  const signsOfLife = await asked.signsOfLife;
  const neverWorked = await findDeath(plan, alive, signsOfLife, asked.outcomes);
  if (neverWorked !== undefined) {
    respondent.abort('the adapter never worked');
    return { hello, outcomes: [], neverWorked, banner };
  }
  const outcomes = await asked.outcomes;
  const left = plan.vectors.length - outcomes.length;
  if (left > 0) return { hello, outcomes, banner, notes: [describeLast(left)] };
  const forged = await askForged(respondent, plan, hello, outcomes);
  // Fresh data comes last: only answers that pass can be recorded ones, and a crash here affects no vector.
  const fresh =
    plan.freshen && (await askFreshQuestions(respondent, hello, outcomes, plan.freshen));
  return {
    hello,
    outcomes,
    banner,
    ...(forged.length > 0 && { forged }),
    ...(fresh && fresh.outcomes.length > 0 && { fresh }),
    ...(respondent.stopReason !== undefined && { stopReason: respondent.stopReason }),
  };
}

/**
 * Why a respondent does not work at all; `undefined` if it does. A verifier works if it accepts any correct request, or what a
 * known mistake signs.
 */
async function findDeath(
  { findWrongDialect, acceptsMistaken }: Plan,
  knownGood: readonly Vector[],
  replies: readonly Reply[],
  outcomes: Promise<readonly Outcome[]>,
): Promise<string | undefined> {
  const wrongDialect = await findWrongDialect?.(knownGood, replies);
  if (wrongDialect !== undefined) return wrongDialect;
  const why = diagnoseDeadAdapter(knownGood, replies);
  const isRefusing =
    why !== undefined &&
    knownGood.every(({ operation }) => operation.startsWith('verify-')) &&
    replies.every(({ kind }) => kind === 'refused');
  if (!isRefusing) return why;
  if (await acceptsMistaken?.(knownGood.map(toQuestion))) return undefined;
  const isAccepted = ({ vector, reply }: Outcome): boolean =>
    vector.expect !== undefined && reply.kind === 'result';
  return (await outcomes).some(isAccepted) ? undefined : why;
}

function describeLast(left: number): string {
  return `stopped at the first failure; ${formatCount(left, 'vector was', 'vectors were')} not asked`;
}

interface Questions {
  readonly own: ReadonlyMap<Vector, Question>;
  readonly controls: ReadonlyMap<Vector, Question>;
}

function prepareQuestions(respondent: Respondent, { vectors, knownGood }: Plan): Questions {
  const mapOf = (of: readonly Vector[], isControl: boolean): Questions['own'] =>
    new Map(
      of.map((vector) => {
        const asked = isControl ? toControlQuestion(vector) : toQuestion(vector);
        const question = { ...asked, name: questionName(vector.id, isControl) };
        return [vector, respondent.prepare?.(question) ?? question];
      }),
    );
  return {
    own: mapOf([...new Set([...knownGood, ...vectors])], false),
    controls: mapOf(
      vectors.filter(({ control }) => control),
      true,
    ),
  };
}

/** Sends all questions at once, the known-good ones first, so that no question waits for a reply that it does not need. */
function askVectors(
  respondent: Respondent,
  { vectors, knownGood, isLast, onFailure }: Plan,
  { operations }: HelloReply,
  questions: Questions,
) {
  const offered = vectors.filter(({ operation }) => operations.includes(operation));
  const used = new Set(offered.map(({ operation }) => operation));
  const alive = knownGood.filter(({ operation }) => used.has(operation));
  const signsOfLife = askAbout(respondent, alive, questions.own).then((timed) =>
    timed.map(({ reply }) => reply),
  );
  const judge = (about: readonly Vector[]): Promise<readonly Outcome[]> =>
    judgeReplies(respondent, about, used, questions, onFailure);
  const outcomes = isLast ? judgeUntil(vectors, judge, isLast) : judge(vectors);
  // The caller awaits it only if the respondent works; without this, a rejection would be unhandled.
  outcomes.catch(() => {});
  return { alive, signsOfLife, outcomes };
}

/** A reply, and how long the respondent took for it. */
interface Timed {
  readonly reply: Reply;
  readonly milliseconds: number | undefined;
}

async function askTimed(
  respondent: Respondent,
  questions: readonly Question[],
  onReply?: AskOptions['onReply'],
): Promise<readonly Timed[]> {
  const times: (number | undefined)[] = [];
  const replies = await respondent.ask(questions, {
    onReply(i, reply, milliseconds) {
      times[i] = milliseconds;
      onReply?.(i, reply);
    },
  });
  return replies.map((reply, i) => ({ reply, milliseconds: times[i] }));
}

function askAbout(
  respondent: Respondent,
  about: readonly Vector[],
  of: Questions['own'],
  onReply?: AskOptions['onReply'],
): Promise<readonly Timed[]> {
  return askTimed(
    respondent,
    about.flatMap((vector) => of.get(vector) ?? []),
    onReply,
  );
}

/** Judges replies as they arrive, while the respondent works on the next ones. Refusals wait for their control. */
function judgeEarly(vectors: readonly Vector[], onFailure?: Plan['onFailure']) {
  const verdicts = new Map<Reply, readonly [Vector, Verdict]>();
  const failing = new Set<string>();
  return {
    onReply(i: number, reply: Reply): void {
      const vector = vectors[i];
      if (!vector || vector.control) return;
      const verdict = judgeSafely(vector, reply);
      verdicts.set(reply, [vector, verdict]);
      if (verdict.status !== 'fail' || failing.has(vector.operation)) return;
      failing.add(vector.operation);
      onFailure?.(vector);
    },
    findVerdict(vector: Vector, reply: Reply | undefined): Verdict | undefined {
      const [about, verdict] = (reply && verdicts.get(reply)) ?? [];
      return about === vector ? verdict : undefined;
    },
  };
}

/** The replies to a vector and its control, with the time for both. */
function joinReplies(
  own: Timed = { reply: UNSUPPORTED, milliseconds: undefined },
  control?: Timed,
) {
  const times = [own.milliseconds, control?.milliseconds].filter((time) => time !== undefined);
  return {
    reply: own.reply,
    controlReply: control?.reply,
    milliseconds: times.length === 0 ? undefined : times.reduce((sum, time) => sum + time),
  };
}

async function judgeReplies(
  respondent: Respondent,
  vectors: readonly Vector[],
  operations: ReadonlySet<string>,
  questions: Questions,
  onFailure: Plan['onFailure'],
): Promise<readonly Outcome[]> {
  const offered = vectors.filter(({ operation }) => operations.has(operation));
  const controlled = offered.filter(({ control }) => control);
  const { onReply, findVerdict } = judgeEarly(offered, onFailure);
  // A verifier that remembers signatures accepts a changed request after the right one.
  const [controlReplies, replies] = await Promise.all([
    askAbout(respondent, controlled, questions.controls),
    askAbout(respondent, offered, questions.own, onReply),
  ]);
  const replyTo = new Map(offered.map((vector, i) => [vector, replies[i]]));
  const controlReplyTo = new Map(controlled.map((vector, i) => [vector, controlReplies[i]]));
  return judgeAll(vectors, (vector) => {
    const own = replyTo.get(vector);
    const verdict = findVerdict(vector, own?.reply);
    return { ...joinReplies(own, controlReplyTo.get(vector)), verdict };
  });
}

/** Judges group by group, up to and including the last outcome. */
async function judgeUntil(
  vectors: readonly Vector[],
  judge: (group: readonly Vector[]) => Promise<readonly Outcome[]>,
  isLast: (outcome: Outcome) => boolean,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let from = 0; from < vectors.length; from += GROUP) {
    const group = await judge(vectors.slice(from, from + GROUP));
    const last = group.findIndex(isLast);
    outcomes.push(...(last < 0 ? group : group.slice(0, last + 1)));
    if (last >= 0) break;
  }
  return outcomes;
}

function askForged(
  respondent: Respondent,
  { forgeries = () => [] }: Plan,
  { operations }: HelloReply,
  outcomes: readonly Outcome[],
): Promise<readonly ForgedOutcome[]> {
  return askForgeries(selectForgeries(forgeries(outcomes), operations), (forged, asking) =>
    respondent.ask(forged, asking),
  );
}

/** Repeats passed vectors on fresh data, where recorded answers are wrong. */
async function askFreshQuestions(
  respondent: Respondent,
  hello: HelloReply,
  outcomes: readonly Outcome[],
  freshen: Freshen,
): Promise<Fresh | undefined> {
  if (respondent.stopReason !== undefined) return undefined;
  const { seed, vectors } = await freshen(outcomes, hello);
  const controlled = vectors.filter(({ control }) => control);
  const questions = [...vectors.map(toQuestion), ...controlled.map(toControlQuestion)];
  const replies = await askTimed(respondent, questions);
  const judged = judgeAll(vectors, (vector) =>
    joinReplies(
      replies[vectors.indexOf(vector)],
      vector.control && replies[vectors.length + controlled.indexOf(vector)],
    ),
  );
  return { seed, outcomes: judged.map(failUnsupported) };
}

/** `unsupported` fails here, because the respondent answered the same question on the data of the vector. */
function failUnsupported(outcome: Outcome): Outcome {
  if (outcome.verdict.status !== 'unsupported') return outcome;
  const message = 'unsupported, although the adapter answers the vector that it is made from';
  return { ...outcome, verdict: { status: 'fail', message } };
}
