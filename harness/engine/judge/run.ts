/**
 * Runs vectors against a respondent.
 *
 * @module
 */
import { isVerifier } from '../../../reference/operations.ts';
import { formatCount } from '../excerpt.ts';
import type { HelloReply, Question, Reply } from '../protocol.ts';
import { askTimed, type Respondent, StartError } from '../respondent.ts';
import type { Vector } from '../vector.ts';
import { askForgeries, type Forgery, selectForgeries } from './forgery.ts';
import { judgeSafely, type Verdict } from './judge.ts';
import {
  checkJudge,
  type Fresh,
  judgeVector,
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

const UNSUPPORTED = { reply: { kind: 'unsupported' } } as const;

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
  const asked = askVectors(respondent, plan, hello, questions);
  const neverWorked = await explainNeverWorked(plan, asked);
  if (neverWorked !== undefined) {
    respondent.abort('the adapter never worked');
    return { hello, outcomes: [], neverWorked, banner };
  }
  const outcomes = await asked.outcomes;
  const left = plan.vectors.length - outcomes.length;
  if (left > 0) {
    const count = formatCount(left, 'vector was', 'vectors were');
    return { hello, outcomes, banner, notes: [`stopped at the first failure; ${count} not asked`] };
  }
  const forgeries = selectForgeries(plan.forgeries?.(outcomes) ?? [], hello.operations);
  const forged = await askForgeries(respondent, forgeries);
  // Fresh data comes last: only answers that pass can be recorded ones, and a crash here affects no vector.
  const fresh = await askFreshQuestions(respondent, hello, outcomes, plan);
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
 * Why a respondent does not work at all: none of the known-good questions, one for each operation, got a result; `undefined` if it works.
 *
 * A wrong result counts as working; its verdict shows it. A verifier works if it accepts any correct request, or what a known
 * mistake signs.
 */
async function explainNeverWorked(
  { findWrongDialect, acceptsMistaken }: Plan,
  { knownGood, knownGoodReplies, outcomes }: ReturnType<typeof askVectors>,
): Promise<string | undefined> {
  const replies = await knownGoodReplies;
  const wrongDialect = await findWrongDialect?.(knownGood, replies);
  if (wrongDialect !== undefined) return wrongDialect;
  const [first] = replies;
  // `not-asked`: the run stopped before the adapter could show anything.
  if (!first || first.kind === 'not-asked' || replies.some(({ kind }) => kind === 'result')) {
    for (const [i, vector] of knownGood.entries()) checkJudge(vector, replies[i]);
    return undefined;
  }
  const areVerifiers = knownGood.every(({ operation }) => isVerifier(operation));
  if (!areVerifiers || !replies.every(({ kind }) => kind === 'refused')) {
    const what = 'message' in first && first.message ? `: ${first.message}` : '';
    return `none of ${replies.length} known-good questions got a result; the first one ended as ${first.kind}${what}`;
  }
  if (await acceptsMistaken?.(knownGood.map(toQuestion))) return undefined;
  const isAccepted = ({ vector, reply }: Outcome): boolean =>
    vector.expect !== undefined && reply.kind === 'result';
  if ((await outcomes).some(isAccepted)) return undefined;
  return `it refuses everything: it accepted none of ${replies.length} correctly signed requests; if it uses another dialect, name it with --dialect`;
}

/** The prepared questions of each vector. */
type Questions = ReadonlyMap<Vector, { readonly own: Question; readonly control?: Question }>;

function prepareQuestions(respondent: Respondent, { vectors, knownGood }: Plan): Questions {
  const prepare = (vector: Vector, isControl: boolean): Question => {
    const asked = isControl ? toControlQuestion(vector) : toQuestion(vector);
    const question = { ...asked, name: questionName(vector.id, isControl) };
    return respondent.prepare?.(question) ?? question;
  };
  const all = [...new Set([...knownGood, ...vectors])];
  return new Map(
    all.map((vector) => {
      const control = vector.control && { control: prepare(vector, true) };
      return [vector, { own: prepare(vector, false), ...control }];
    }),
  );
}

/** Sends all questions at once, the known-good ones first, so that no question waits for a reply that it does not need. */
function askVectors(
  respondent: Respondent,
  { vectors, isLast, onFailure, ...plan }: Plan,
  { operations }: HelloReply,
  questions: Questions,
) {
  const used = new Set(
    vectors.map(({ operation }) => operation).filter((name) => operations.includes(name)),
  );
  const knownGood = plan.knownGood.filter(({ operation }) => used.has(operation));
  const knownGoodReplies = respondent.ask(
    knownGood.flatMap((one) => questions.get(one)?.own ?? []),
  );
  const judge = (about: readonly Vector[]): Promise<readonly Outcome[]> =>
    judgeReplies(respondent, about, used, questions, onFailure);
  const outcomes = isLast ? judgeUntil(vectors, judge, isLast) : judge(vectors);
  // The caller awaits it only if the respondent works; without this, a rejection would be unhandled.
  outcomes.catch(() => {});
  return { knownGood, knownGoodReplies, outcomes };
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
    findVerdict(vector: Vector, reply: Reply): Verdict | undefined {
      const [about, verdict] = verdicts.get(reply) ?? [];
      return about === vector ? verdict : undefined;
    },
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
    askTimed(
      respondent,
      controlled.flatMap((one) => questions.get(one)?.control ?? []),
    ),
    askTimed(
      respondent,
      offered.flatMap((one) => questions.get(one)?.own ?? []),
      onReply,
    ),
  ]);
  const replyTo = new Map(offered.map((vector, i) => [vector, replies[i]]));
  const controlReplyTo = new Map(controlled.map((vector, i) => [vector, controlReplies[i]]));
  return vectors.map((vector) => {
    const own = replyTo.get(vector) ?? UNSUPPORTED;
    return judgeVector(vector, own, controlReplyTo.get(vector), findVerdict(vector, own.reply));
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
    for (const outcome of await judge(vectors.slice(from, from + GROUP))) {
      outcomes.push(outcome);
      if (isLast(outcome)) return outcomes;
    }
  }
  return outcomes;
}

/** Repeats passed vectors on fresh data, where recorded answers are wrong. */
async function askFreshQuestions(
  respondent: Respondent,
  hello: HelloReply,
  outcomes: readonly Outcome[],
  { freshen }: Plan,
): Promise<Fresh | undefined> {
  if (!freshen || respondent.stopReason !== undefined) return undefined;
  const { seed, vectors } = await freshen(outcomes, hello);
  const controlled = vectors.filter(({ control }) => control);
  const questions = [...vectors.map(toQuestion), ...controlled.map(toControlQuestion)];
  const replies = await askTimed(respondent, questions);
  const judged = vectors.map((vector, i) => {
    const control = vector.control && replies[vectors.length + controlled.indexOf(vector)];
    return judgeVector(vector, replies[i] ?? UNSUPPORTED, control);
  });
  return { seed, outcomes: judged.map(failUnsupported) };
}

/** `unsupported` fails here, because the respondent answered the same question on the data of the vector. */
function failUnsupported(outcome: Outcome): Outcome {
  if (outcome.verdict.status !== 'unsupported') return outcome;
  const message = 'unsupported, although the adapter answers the vector that it is made from';
  return { ...outcome, verdict: { status: 'fail', message } };
}
