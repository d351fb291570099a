/**
 * One adapter asked about many vectors, and judged.
 *
 * @module
 */
import type { HelloReply, Question, Reply } from './adapter/messages.ts';
import type { Pool } from './adapter/pool.ts';
import { StartError } from './adapter/session.ts';
import type { Stale } from './expectations/expectation.ts';
import { type Forgery, offeredForgeries } from './forgeries/forgery.ts';
import { type ForgedOutcome, forgedOutcomes } from './forgeries/outcome.ts';
import { judge, type Verdict, verdictOn } from './judge/judge.ts';
import { type ContentFolder, contentSize } from './suite/content.ts';
import { resultStages } from './suite/operations.ts';
import type { Input, Vector } from './suite/vector.ts';
import type { SentRequest } from './wire/sent-request.ts';

export interface Outcome {
  readonly vector: Vector;
  readonly verdict: Verdict;
  readonly reply: Reply;
  /** To the positive control of a refusal. */
  readonly controlReply?: Reply;
  /** Where a client's request was judged and not an adapter's answer. */
  readonly sent?: SentRequest;
  /** The run enforces vectors of level advised. */
  readonly isEnforced?: boolean;
  /** Of a failure that the adapter's expectations name: its causes, as far as they name any, and why it is known. */
  readonly known?: { readonly causes: readonly string[]; readonly reason: string };
  /** Of a failure that they name with another status or cause, as a sentence. */
  readonly otherwise?: string;
  /** Of a failure with several causes, those that they name. */
  readonly expectedCauses?: readonly string[];
}

export interface Run {
  /** What the adapter says it is; nothing where it never said hello. */
  readonly hello?: HelloReply;
  readonly outcomes: readonly Outcome[];
  /** Of the forged requests, where any were asked about. */
  readonly forged?: readonly ForgedOutcome[];
  /** Of questions on fresh data, where any were asked. */
  readonly fresh?: Fresh;
  /** Why there is nothing to judge: it never answered anything. */
  readonly neverWorked?: string;
  /** Why the run ended before every question was asked. */
  readonly over?: string;
  /** Why the harness itself failed, as a sentence; what is known by then is kept. */
  readonly internalError?: string;
  /** Expectations that are over. */
  readonly stale?: readonly Stale[];
  /** Lines on standard output before the reply to hello. */
  readonly banner: number;
  /** What else is to be known of the run, each as a sentence. */
  readonly notes?: readonly string[];
}

/** Questions whose answers are published nowhere: vectors that the adapter passed, on other data. */
export interface Fresh {
  readonly seed: number;
  readonly outcomes: readonly Outcome[];
}

/** Makes questions on fresh data from vectors that the adapter passed. */
export type Freshen = (
  outcomes: readonly Outcome[],
  hello: HelloReply,
) => Promise<{ readonly seed: number; readonly vectors: readonly Vector[] }>;

const UNSUPPORTED: Reply = { kind: 'unsupported' };

/**
 * Asks about the vectors and judges the replies; the adapter stays ready for further questions.
 *
 * @param started the adapter's reply to hello, on its way
 * @param knownGood vectors whose questions show whether the adapter is alive
 * @param forgeries for the verify operations that the adapter may offer
 * @param freshen absent where nothing is asked on fresh data
 */
export async function run(
  adapter: Pool,
  started: Promise<HelloReply>,
  vectors: readonly Vector[],
  knownGood: readonly Vector[],
  contents: ContentFolder,
  forgeries: readonly Forgery[] = [],
  freshen?: Freshen,
): Promise<Run> {
  const question = (asked: Question): Question =>
    adapter.written({ ...asked, input: contents.expanded(asked.input) });
  // There is time for it while the adapter starts.
  const asked = new Map(
    [...knownGood, ...vectors].map((vector) => [vector, question(questionOf(vector))] as const),
  );
  const controls = new Map(
    vectors
      .filter(({ control }) => control)
      .map((vector) => [vector, question(controlOf(vector))] as const),
  );
  let hello: HelloReply;
  try {
    hello = await started;
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const { over } = adapter;
    if (over !== undefined) return { outcomes: [], over, banner: 0 };
    return { outcomes: [], neverWorked: error.message, banner: 0 };
  }
  const { banner } = adapter;
  const isOffered = ({ operation }: Vector): boolean => hello.operations.includes(operation);
  const ask = (
    about: readonly Vector[],
    questions: ReadonlyMap<Vector, Question>,
  ): Promise<readonly Reply[]> =>
    adapter.ask(
      about.flatMap((vector) => questions.get(vector) ?? []),
      about.map(({ input }) => weight(input)),
    );

  const offered = vectors.filter(isOffered);
  const operations = new Set(offered.map(({ operation }) => operation));
  const alive = knownGood.filter(({ operation }) => operations.has(operation));
  const controlled = offered.filter(({ control }) => control);
  // All at once, those that show whether it is alive first: nothing waits for a reply that it does not need.
  const signsOfLife = ask(alive, asked);
  const replied = Promise.all([
    ask(offered, asked),
    ask(controlled, controls),
    forgedOutcomes(offeredForgeries(forgeries, hello.operations), (questions) =>
      adapter.ask(
        questions,
        questions.map(() => QUESTION_WEIGHT),
      ),
    ),
  ]);
  const neverWorked = whyDead(alive, await signsOfLife);
  if (neverWorked !== undefined) {
    adapter.abort('the adapter never worked');
    return { hello, outcomes: [], neverWorked, banner };
  }
  const [replies, controlReplies, forged] = await replied;
  const replyTo = new Map(offered.map((vector, i) => [vector, replies[i]] as const));
  const controlReplyTo = new Map(
    controlled.map((vector, i) => [vector, controlReplies[i]] as const),
  );
  const outcomes = outcomesOf(vectors, (vector) => ({
    reply: replyTo.get(vector) ?? UNSUPPORTED,
    controlReply: controlReplyTo.get(vector),
  }));
  // Last of all: only what passes can be a recorded answer, and a crash here leaves no vector out.
  const fresh = freshen && (await askedAfresh(adapter, hello, outcomes, freshen, contents));
  return {
    hello,
    outcomes,
    banner,
    ...(forged.length > 0 && { forged }),
    ...(fresh && fresh.outcomes.length > 0 && { fresh }),
    ...(adapter.over !== undefined && { over: adapter.over }),
  };
}

/** Asks what the adapter passed again, on other data: a recorded answer is wrong there. */
async function askedAfresh(
  adapter: Pool,
  hello: HelloReply,
  outcomes: readonly Outcome[],
  freshen: Freshen,
  contents: ContentFolder,
): Promise<Fresh | undefined> {
  if (adapter.over !== undefined) return undefined;
  const { seed, vectors } = await freshen(outcomes, hello);
  const controlled = vectors.filter(({ control }) => control);
  const questions = [...vectors.map(questionOf), ...controlled.map(controlOf)];
  const replies = await adapter.ask(
    questions.map((question) => ({ ...question, input: contents.expanded(question.input) })),
    questions.map(({ input }) => weight(input)),
  );
  const judged = outcomesOf(vectors, (vector) => ({
    reply: replies[vectors.indexOf(vector)] ?? UNSUPPORTED,
    controlReply: vector.control && replies[vectors.length + controlled.indexOf(vector)],
  }));
  return { seed, outcomes: judged.map(withoutExcuse) };
}

/** The adapter answers the same question on the data of the vector, so it supports this one. */
function withoutExcuse(outcome: Outcome): Outcome {
  if (outcome.verdict.status !== 'unsupported') return outcome;
  const message = 'unsupported, although the adapter answers the vector that it is made from';
  return { ...outcome, verdict: { status: 'fail', message } };
}

/** Judges what was said about each vector, and about its control where it has one. */
export function outcomesOf(
  vectors: readonly Vector[],
  saidAbout: (vector: Vector) => {
    readonly reply: Reply;
    readonly controlReply?: Reply | undefined;
  },
): readonly Outcome[] {
  return vectors.map((vector) => {
    const { reply, controlReply } = saidAbout(vector);
    const verdict = verdictOn(vector, reply, controlReply);
    return { vector, verdict, reply, ...(controlReply && { controlReply }) };
  });
}

/** In bytes that get hashed: a question without a file is worth as much as some ten thousand of them. */
const QUESTION_WEIGHT = 40_000;

function weight(input: Input): number {
  return QUESTION_WEIGHT + contentSize(input);
}

/** What a vector asks. */
export function questionOf({ operation, keys, input }: Vector): Question {
  return { operation, keys, input };
}

/** What the positive control of a refusal asks. */
export function controlOf({ operation, keys, input, control }: Vector): Question {
  return { operation, keys: control?.keys ?? keys, input: { ...input, ...control?.input } };
}

/**
 * The dead-adapter control: known-good questions, one for each operation, before anything is judged.
 *
 * Says why the adapter never worked when not one of them got a result; a wrong result is a matter for the verdict.
 */
export function whyDead(
  knownGood: readonly Vector[],
  replies: readonly Reply[],
): string | undefined {
  const [first] = replies;
  // Not asked: the run ended before anything was known of the adapter.
  if (first && first.kind !== 'not-asked' && !replies.some(({ kind }) => kind === 'result')) {
    const areVerifiers = knownGood.every(({ operation }) => operation.startsWith('verify-'));
    if (areVerifiers && replies.every(({ kind }) => kind === 'refused')) {
      return `it refuses everything: of ${replies.length} rightly signed requests none was accepted; if its scheme is another one, name its dialect with --dialect`;
    }
    const message = 'message' in first ? (first.message ?? '') : '';
    const what = message === '' ? '' : `: ${message}`;
    return `none of ${replies.length} known-good questions got a result; the first one ended as ${first.kind}${what}`;
  }
  for (const [i, vector] of knownGood.entries()) checkJudge(vector, replies[i] ?? UNSUPPORTED);
  return undefined;
}

/** The judge must be able to say no: a right answer is judged once against a corrupted expectation. */
export function checkJudge(vector: Vector, reply: Reply): void {
  if (judge(vector, reply).status !== 'pass') return;
  const corrupted = Object.fromEntries(
    resultStages(vector.operation).map((stage) => [stage, `${String(vector.expect?.[stage])}!`]),
  );
  if (judge({ ...vector, expect: { ...vector.expect, ...corrupted } }, reply).status === 'pass') {
    throw new Error(`the judge passes ${vector.id} against a corrupted expectation`);
  }
}
