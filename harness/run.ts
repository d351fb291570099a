/**
 * One adapter asked about many vectors, and judged.
 *
 * @module
 */
import type { HelloReply, Question, Reply } from './adapter/messages.ts';
import type { Pool } from './adapter/pool.ts';
import { StartError } from './adapter/session.ts';
import { judge, type Verdict } from './judge/judge.ts';
import { type ContentFolder, contentSize } from './suite/content.ts';
import { resultStages } from './suite/operations.ts';
import type { Vector } from './suite/vector.ts';

export interface Outcome {
  readonly vector: Vector;
  readonly verdict: Verdict;
  readonly reply: Reply;
  /** To the positive control of a refusal. */
  readonly controlReply?: Reply;
  /** A failure that the adapter's expectations name. */
  readonly known?: boolean;
}

export interface Run {
  /** What the adapter says it is; nothing where it never said hello. */
  readonly hello?: HelloReply;
  readonly outcomes: readonly Outcome[];
  /** Why there is nothing to judge: it never answered anything. */
  readonly neverWorked?: string;
  /** Why the run ended before every question was asked. */
  readonly over?: string;
  /** Expectations that nothing met, each as a sentence. */
  readonly stale?: readonly string[];
  /** Lines on standard output before the reply to hello. */
  readonly banner: number;
}

const UNSUPPORTED: Reply = { kind: 'unsupported' };

/**
 * Asks about the vectors and judges the replies; the adapter stays ready for further questions.
 *
 * @param started the adapter's reply to hello, on its way
 * @param knownGood vectors whose questions show whether the adapter is alive
 */
export async function run(
  adapter: Pool,
  started: Promise<HelloReply>,
  vectors: readonly Vector[],
  knownGood: readonly Vector[],
  contents: ContentFolder,
): Promise<Run> {
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
  const ask = (questions: readonly Question[]): Promise<readonly Reply[]> =>
    adapter.ask(
      questions.map((question) => ({ ...question, input: contents.expanded(question.input) })),
      questions.map(weight),
    );

  const offered = vectors.filter(isOffered);
  const operations = new Set(offered.map(({ operation }) => operation));
  const alive = knownGood.filter(({ operation }) => operations.has(operation));
  const controlled = offered.filter(({ control }) => control);
  // All at once, those that show whether it is alive first: nothing waits for a reply that it does not need.
  const signsOfLife = ask(alive.map(questionOf));
  const asked = Promise.all([ask(offered.map(questionOf)), ask(controlled.map(controlOf))]);
  const neverWorked = whyDead(alive, await signsOfLife);
  if (neverWorked !== undefined) {
    adapter.abort('the adapter never worked');
    return { hello, outcomes: [], neverWorked, banner };
  }
  const [replies, controls] = await asked;
  const replyTo = new Map(offered.map((vector, i) => [vector, replies[i]] as const));
  const controlReplyTo = new Map(controlled.map((vector, i) => [vector, controls[i]] as const));
  const outcomes = vectors.map((vector): Outcome => {
    const reply = replyTo.get(vector) ?? UNSUPPORTED;
    const controlReply = controlReplyTo.get(vector);
    const verdict = judge(vector, reply, controlReply);
    return { vector, verdict, reply, ...(controlReply && { controlReply }) };
  });
  return { hello, outcomes, banner, ...(adapter.over !== undefined && { over: adapter.over }) };
}

/** In bytes that get hashed; a question without a file is worth as much as some ten thousand of them. */
function weight({ input }: Question): number {
  return 40_000 + contentSize(input);
}

function questionOf({ operation, keys, input }: Vector): Question {
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
function whyDead(knownGood: readonly Vector[], replies: readonly Reply[]): string | undefined {
  const [first] = replies;
  // Not asked: the run ended before anything was known of the adapter.
  if (first && first.kind !== 'not-asked' && !replies.some(({ kind }) => kind === 'result')) {
    const what = 'message' in first && first.message !== '' ? `: ${first.message}` : '';
    return `none of ${replies.length} known-good questions got a result; the first one ended as ${first.kind}${what}`;
  }
  for (const [i, vector] of knownGood.entries()) checkJudge(vector, replies[i] ?? UNSUPPORTED);
  return undefined;
}

/** The judge must be able to say no: a right answer is judged once against a corrupted expectation. */
function checkJudge(vector: Vector, reply: Reply): void {
  if (judge(vector, reply).status !== 'pass') return;
  const corrupted = Object.fromEntries(
    resultStages(vector.operation).map((stage) => [stage, `${String(vector.expect?.[stage])}!`]),
  );
  if (judge({ ...vector, expect: { ...vector.expect, ...corrupted } }, reply).status === 'pass') {
    throw new Error(`the judge passes ${vector.id} against a corrupted expectation`);
  }
}
