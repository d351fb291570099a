/**
 * The reference as a respondent in the process of the harness.
 *
 * @module
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { answerQuestion, splitStages, TRACES } from '../../reference/answers.ts';
import { OPERATIONS } from '../../reference/operations.ts';
import { readFile } from '../../reference/read-file.ts';
import { type Context, inDialect } from '../../reference/signing/index.ts';
import type { Dialect, HelloReply, Question, Reply } from '../engine/protocol.ts';
import type { AskOptions, Respondent } from '../engine/respondent.ts';
import { packageVersion } from '../suite/package-root.ts';

/** How many questions are answered in one turn of the event loop; signals are handled between turns. */
const QUESTIONS_PER_TURN = 64;

export class Reference implements Respondent {
  readonly #context: Context;
  #stopReason: string | undefined;

  constructor(dialect: Dialect) {
    this.#context = inDialect(dialect);
  }

  get stopReason(): string | undefined {
    return this.#stopReason;
  }

  async hello(): Promise<HelloReply> {
    return {
      implementation: { name: 'reference', version: packageVersion(), language: 'typescript' },
      operations: Object.keys(OPERATIONS),
      traces: TRACES,
    };
  }

  async ask(
    questions: readonly Question[],
    { onReply }: AskOptions = {},
  ): Promise<readonly Reply[]> {
    const replies: Reply[] = [];
    for (const [i, question] of questions.entries()) {
      if (i % QUESTIONS_PER_TURN === 0) await nextTurn();
      const start = process.uptime();
      const reply = this.#answer(question);
      replies.push(reply);
      onReply?.(i, reply, (process.uptime() - start) * 1000);
    }
    return replies;
  }

  #answer({ operation, input, keys }: Question): Reply {
    if (this.#stopReason !== undefined) return { kind: 'not-asked', message: this.#stopReason };
    try {
      const answer = answerQuestion(operation, input, keys, this.#context, readFile);
      return 'reason' in answer
        ? { kind: 'refused', ...answer }
        : { kind: 'result', ...splitStages(operation, answer.stages) };
    } catch (error) {
      // As the reference's adapter replies: one question that fails leaves the others.
      return { kind: 'error', message: String(error) };
    }
  }

  abort(why: string): void {
    this.#stopReason ??= why;
  }

  async close(): Promise<void> {
    this.abort('the run was ended');
  }
}
