/**
 * The adapters `makes-mistakes.mjs`, `shows-its-mistakes.mjs` and `swaps-a-step.mjs` in the process of the tests: the same
 * answers without a process for each run.
 *
 * @module
 */
import { basename } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { cacheBlocks } from '../../harness/engine/diagnosis/predictor.ts';
import { parseDialect } from '../../harness/engine/dialects.ts';
import type { HelloReply, Question, Reply } from '../../harness/engine/protocol.ts';
import type { Respondent, Subject } from '../../harness/engine/respondent.ts';
import type { Stages } from '../../harness/engine/vector.ts';
import { answerQuestion, splitStages } from '../../reference/answers.ts';
import { generatedMistakes, MISTAKES, mistaken } from '../../reference/mistakes/index.ts';
import { OPERATIONS } from '../../reference/operations.ts';
import { readFile } from '../../reference/read-file.ts';
import { type Context, inDialect, type Steps, withSteps } from '../../reference/signing/index.ts';

/** How many questions are answered in one turn of the event loop, so that a test can interrupt a run. */
const QUESTIONS_PER_TURN = 64;

const { swapSteps }: { readonly swapSteps: (names: string) => Context } = await import(
  new URL('programs/swapped-steps.mjs', import.meta.url).href
);

/** A respondent in place of the program; undefined for any other command. */
export function mistakenRespondent(
  { command, dialect }: Subject,
  { WORDS: words = dialect }: NodeJS.ProcessEnv,
): Respondent | undefined {
  const [, program = '', ...parameters] = command;
  switch (basename(program)) {
    case 'makes-mistakes.mjs':
      return new Mistaken(contextWith(parameters, words), () => ({}));
    case 'shows-its-mistakes.mjs':
      return new Mistaken(
        contextWith(parameters, words),
        (stages, operation) => splitStages(operation, stages).trace,
      );
    case 'swaps-a-step.mjs':
      return new Mistaken(swapSteps(parameters[1] ?? ''), ({ stringToSign }) =>
        stringToSign === undefined ? {} : { stringToSign },
      );
    default:
      return undefined;
  }
}

/** The steps of an implementation with these mistakes. */
export function contextWith(ids: readonly string[], dialect: string): Context {
  const isGenerated = ids.some((id) => id.includes('/'));
  const known = isGenerated ? [...MISTAKES, ...generatedMistakes()] : MISTAKES;
  const planted = known.filter(({ id }) => ids.includes(id));
  if (planted.length !== ids.length) throw new Error(`not all of ${ids} are known mistakes`);
  return mistaken(inDialect(parseDialect(dialect)), planted);
}

/** Many runs ask about the same contents, whose blocks take seconds to hash; by step and input. */
const blockHashes = new Map<Steps['blockHash'], Map<string, Steps['blockHash']>>();

/** The context, with blocks that are hashed once for each content. */
function withKnownBlocks(context: Context, input: Question['input']): Context {
  const { blockHash } = context.steps;
  const known = blockHashes.get(blockHash) ?? new Map<string, Steps['blockHash']>();
  blockHashes.set(blockHash, known);
  const key = JSON.stringify(input);
  const cached = known.get(key) ?? cacheBlocks(blockHash);
  known.set(key, cached);
  return withSteps(context, { blockHash: cached });
}

/** The stages that an adapter shows beside the result. */
type TraceOf = (stages: Stages, operation: string) => Stages;

export function answerIn(
  context: Context,
  { operation, input, keys }: Question,
  trace: TraceOf = () => ({}),
): Reply {
  const answer = answerQuestion(operation, input, keys, context, readFile);
  if ('reason' in answer) return { kind: 'refused', ...answer };
  const { result } = splitStages(operation, answer.stages);
  return { kind: 'result', result, trace: trace(answer.stages, operation) };
}

class Mistaken implements Respondent {
  readonly #context: Context;
  readonly #trace: TraceOf;
  stopReason: string | undefined;

  constructor(context: Context, trace: TraceOf) {
    this.#context = context;
    this.#trace = trace;
  }

  async hello(): Promise<HelloReply> {
    return {
      implementation: { name: 'mistaken', version: '1', language: 'javascript' },
      operations: Object.keys(OPERATIONS),
    };
  }

  async ask(questions: readonly Question[]): Promise<readonly Reply[]> {
    const replies: Reply[] = [];
    for (const question of questions) {
      if (replies.length % QUESTIONS_PER_TURN === 0) await nextTurn();
      replies.push(this.#answer(question));
    }
    return replies;
  }

  #answer({ operation, input, keys }: Question): Reply {
    if (this.stopReason !== undefined) return { kind: 'not-asked', message: this.stopReason };
    const context = operation === 'etag' ? withKnownBlocks(this.#context, input) : this.#context;
    return answerIn(context, { operation, input, keys }, this.#trace);
  }

  abort(why: string): void {
    this.stopReason ??= why;
  }

  async close(): Promise<void> {
    this.abort('the run was ended');
  }
}
