/**
 * Asks a server questions, some at a time.
 *
 * @module
 */
import type { Dialect, Question, Reply } from '../adapter/messages.ts';
import { isMalformed } from './malformed.ts';
import { replyOf } from './reply.ts';
import { answerTo } from './sending.ts';
import type { Server } from './server.ts';
import { asking } from './wire-request.ts';

/** Connections at once. */
const CONNECTIONS = 6;

/** So many questions without any answer end the run: a server that is gone is not waited for each time. */
const MOST_BREAKS = 30;

export class Prober {
  readonly #server: Server;
  readonly #bucket: string;
  readonly #stop: AbortSignal;
  #breaks = 0;

  /** @param stop aborted, with a sentence as its reason, where nothing more is to be asked */
  constructor(server: Server, bucket: string, stop: AbortSignal) {
    this.#server = server;
    this.#bucket = bucket;
    this.#stop = stop;
  }

  /** Why the run ended before its end; nothing while it goes on. */
  get over(): string | undefined {
    if (this.#breaks >= MOST_BREAKS) return `${MOST_BREAKS} requests got no answer`;
    return this.#stop.aborted ? String(this.#stop.reason) : undefined;
  }

  /** The same server, asked in the words of another dialect. */
  inDialect(dialect: Dialect): Prober {
    return new Prober({ ...this.#server, dialect }, this.#bucket, this.#stop);
  }

  /** Why no request asks a question; nothing where one does. */
  unasked(question: Question): string | undefined {
    const asked = asking(question, this.#server, this.#bucket);
    return 'unasked' in asked ? asked.unasked : undefined;
  }

  /** The replies in the order of the questions. */
  async ask(questions: readonly Question[]): Promise<readonly Reply[]> {
    const replies: Reply[] = [];
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < questions.length) {
        const at = next++;
        const question = questions[at];
        if (question) replies[at] = await this.#reply(question);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
    return replies;
  }

  async #reply(question: Question): Promise<Reply> {
    const { over } = this;
    if (over !== undefined) return { kind: 'not-asked', message: over };
    const asked = asking(question, this.#server, this.#bucket);
    if ('unasked' in asked) return { kind: 'unsupported' };
    const answer = await answerTo(asked.request, this.#server);
    if ('kind' in answer) this.#breaks += 1;
    const { dialect, keys } = this.#server;
    return replyOf(answer, keys.publicKey, () => isMalformed(question, dialect));
  }
}
