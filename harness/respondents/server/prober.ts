/**
 * A server as a respondent: each question of a verify operation is an HTTP request, sent over several connections at once.
 *
 * @module
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { computeAnswer, isRefused } from '../../engine/answer.ts';
import type { Dialect, HelloReply, Question, Reply } from '../../engine/protocol.ts';
import type { AskOptions, Respondent } from '../../engine/respondent.ts';
import { isMalformed, sendRequest, toReply } from './connection.ts';
import type { Server } from './server.ts';
import { type Conversion, hasPolicy, toWireRequest, VERIFY_OPERATIONS } from './wire-request.ts';

const CONNECTIONS = 6;

/** After so many requests without a response, the run stops, so that it does not wait for a dead server. */
const MOST_BREAKS = 30;

const WITHOUT_POLICIES =
  'the server refuses callback policies, which the specification does not define';

export class Prober implements Respondent {
  readonly #server: Server;
  readonly #bucket: string;
  readonly #stop: AbortSignal;
  /** Resolves when no request is pending. */
  #idle: Promise<unknown> = Promise.resolve();
  #breaks = 0;
  #aborted: string | undefined;
  /** Whether the server refused all of the first correct requests with a callback policy; undefined before those. */
  #refusesPolicies: boolean | undefined;

  /** @param stop ends the probe when aborted; the reason is a sentence */
  constructor(server: Server, bucket: string, stop: AbortSignal) {
    this.#server = server;
    this.#bucket = bucket;
    this.#stop = stop;
  }

  get stopReason(): string | undefined {
    if (this.#breaks >= MOST_BREAKS) return `${MOST_BREAKS} requests got no answer`;
    return this.#stop.aborted ? String(this.#stop.reason) : this.#aborted;
  }

  /** Creates a prober that asks the same server in another dialect. */
  inDialect(dialect: Dialect): Prober {
    return new Prober({ ...this.#server, dialect }, this.#bucket, this.#stop);
  }

  async hello(): Promise<HelloReply> {
    const { origin } = this.#server.url;
    return {
      implementation: { name: 'server', version: origin, language: 'HTTP' },
      operations: VERIFY_OPERATIONS,
    };
  }

  /** Finds why a question is not asked; undefined if a request can ask it. */
  findObstacle(question: Question): string | undefined {
    const conversion = this.#convert(question);
    return 'obstacle' in conversion ? conversion.obstacle : undefined;
  }

  #convert(question: Question): Conversion {
    return this.#refusesPolicies && this.#needsPolicy(question)
      ? { obstacle: WITHOUT_POLICIES }
      : toWireRequest(question, this.#server, this.#bucket);
  }

  /** Sends the requests after all earlier ones. */
  ask(questions: readonly Question[], { onReply }: AskOptions = {}): Promise<readonly Reply[]> {
    // In the turn between, the driver can abort a run whose first requests show that the server does not work.
    const replies = this.#idle.then(() => nextTurn()).then(() => this.#askAll(questions, onReply));
    this.#idle = replies.catch(() => {});
    return replies;
  }

  async #askAll(
    questions: readonly Question[],
    onReply: AskOptions['onReply'],
  ): Promise<readonly Reply[]> {
    const replies: Reply[] = [];
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < questions.length) {
        const at = next++;
        const question = questions[at];
        if (!question) continue;
        const start = process.uptime();
        const reply = await this.#askOne(question);
        replies[at] = reply;
        onReply?.(at, reply, (process.uptime() - start) * 1000);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
    return this.#withoutRefusedPolicies(questions, replies);
  }

  async #askOne(question: Question): Promise<Reply> {
    const { stopReason } = this;
    if (stopReason !== undefined) return { kind: 'not-asked', message: stopReason };
    const conversion = this.#convert(question);
    if ('obstacle' in conversion) return toUnsupported(conversion.obstacle);
    const response = await sendRequest(conversion.request, this.#server);
    if ('kind' in response) this.#breaks += 1;
    const { dialect, keys } = this.#server;
    return toReply(response, keys.publicKey, () => isMalformed(question, dialect));
  }

  /** A server may refuse all callback policies. Then requests that need one are unsupported. */
  #withoutRefusedPolicies(
    questions: readonly Question[],
    replies: readonly Reply[],
  ): readonly Reply[] {
    if (this.#refusesPolicies !== undefined) return replies;
    const needing = questions.map((question) => this.#needsPolicy(question));
    const answered = replies.filter(({ kind }, i) => needing[i] && kind !== 'unsupported');
    if (answered.length === 0) return replies;
    this.#refusesPolicies = answered.every(({ kind }) => kind === 'refused');
    if (!this.#refusesPolicies) return replies;
    return replies.map((reply) =>
      answered.includes(reply) ? toUnsupported(WITHOUT_POLICIES) : reply,
    );
  }

  /** Whether a request is correct, and carries a policy. */
  #needsPolicy(question: Question): boolean {
    const { operation, input } = question;
    return (
      operation === 'verify-authorization' &&
      hasPolicy(input.headers ?? []) &&
      !isRefused(computeAnswer(question, this.#server.dialect))
    );
  }

  abort(why: string): void {
    this.#aborted ??= why;
  }

  async close(): Promise<void> {
    this.abort('the run was ended');
    await this.#idle;
  }
}

/** Starts the message of a question that no request asks. */
export const NOT_ASKED = 'not asked, because ';

function toUnsupported(why: string): Reply {
  return { kind: 'unsupported', message: NOT_ASKED + why };
}
