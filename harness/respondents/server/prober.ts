/**
 * Asks a server the questions of verify operations, over several connections at once.
 *
 * @module
 */
import type { Dialect, Question, Reply } from '../../engine/protocol.ts';
import { sendRequest } from './connection.ts';
import { isMalformed, toReply } from './reply.ts';
import type { Server } from './server.ts';
import { toWireRequest } from './wire-request.ts';

const CONNECTIONS = 6;

/** After so many requests without a response, the run stops, so that it does not wait for a dead server. */
const MOST_BREAKS = 30;

export class Prober {
  readonly #server: Server;
  readonly #bucket: string;
  readonly #stop: AbortSignal;
  #breaks = 0;

  /** @param stop ends the probe when aborted; the reason is a sentence */
  constructor(server: Server, bucket: string, stop: AbortSignal) {
    this.#server = server;
    this.#bucket = bucket;
    this.#stop = stop;
  }

  /** Why the run stopped early; undefined while it goes on. */
  get over(): string | undefined {
    if (this.#breaks >= MOST_BREAKS) return `${MOST_BREAKS} requests got no answer`;
    return this.#stop.aborted ? String(this.#stop.reason) : undefined;
  }

  /** Creates a prober that asks the same server in another dialect. */
  inDialect(dialect: Dialect): Prober {
    return new Prober({ ...this.#server, dialect }, this.#bucket, this.#stop);
  }

  /** Finds why no request can ask a question; undefined if one can. */
  findObstacle(question: Question): string | undefined {
    const conversion = toWireRequest(question, this.#server, this.#bucket);
    return 'obstacle' in conversion ? conversion.obstacle : undefined;
  }

  /** Asks questions; the replies come in the order of the questions. */
  async ask(questions: readonly Question[]): Promise<readonly Reply[]> {
    const replies: Reply[] = [];
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < questions.length) {
        const at = next++;
        const question = questions[at];
        if (question) replies[at] = await this.#askOne(question);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
    return replies;
  }

  async #askOne(question: Question): Promise<Reply> {
    const { over } = this;
    if (over !== undefined) return { kind: 'not-asked', message: over };
    const conversion = toWireRequest(question, this.#server, this.#bucket);
    if ('obstacle' in conversion) return { kind: 'unsupported' };
    const response = await sendRequest(conversion.request, this.#server);
    if ('kind' in response) this.#breaks += 1;
    const { dialect, keys } = this.#server;
    return toReply(response, keys.publicKey, () => isMalformed(question, dialect));
  }
}
