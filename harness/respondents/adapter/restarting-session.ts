/**
 * An adapter that is restarted after every break, for `fuzz`, where breaks are findings.
 *
 * A `Session` skips an operation after a few breaks. Here, a break ends the session, and the next question starts a new one.
 *
 * @module
 */
import type { Dialect, HelloReply, Question, Reply } from '../../engine/protocol.ts';
import { type RestartingRespondent, StartError } from '../../engine/respondent.ts';
import { ContentFolder } from '../../suite/content-folder.ts';
import { LIMITS } from './manifest.ts';
import type { Wire } from './messages.ts';
import { Session } from './session.ts';

/** Longer than any run; in milliseconds. */
const NO_LIMIT = 7 * 24 * 60 * 60 * 1000;

/** How often the adapter is started in a whole run. */
const MOST_STARTS = 500;

export class RestartingSession implements RestartingRespondent {
  readonly #createSession: () => Session;
  readonly #contents: ContentFolder;
  #session: Session | undefined;
  #starts = 0;
  #stopReason: string | undefined;
  /** In milliseconds. */
  #questionLimit: number;
  #asking = 0;
  asked = 0;
  unsupported = 0;

  constructor(
    command: readonly string[],
    dialect: Dialect,
    questionLimit: number,
    wire: Wire,
    { env, folder }: { readonly env: NodeJS.ProcessEnv; readonly folder?: string | undefined },
  ) {
    const contents = new ContentFolder(env);
    this.#contents = contents;
    this.#questionLimit = questionLimit;
    this.#createSession = () => {
      const limits = { ...LIMITS, question: this.#questionLimit, total: NO_LIMIT, restarts: 100 };
      return new Session(command, dialect, limits, wire, { env, folder, contents });
    };
  }

  get stopReason(): string | undefined {
    return this.#stopReason;
  }

  hello(): Promise<HelloReply> {
    this.#starts++;
    // Assigned before the reply to hello, so that an abort reaches the session.
    this.#session = this.#createSession();
    return this.#session.hello();
  }

  async ask(questions: readonly Question[]): Promise<readonly Reply[]> {
    const session = questions.length === 0 ? undefined : await this.#openSession();
    if (!session) {
      const message = this.#stopReason ?? '';
      return questions.map(() => ({ kind: 'not-asked', message }));
    }
    this.#asking += 1;
    const replies = await session.ask(questions);
    this.#asking -= 1;
    // No question is left whose file an adapter may still read.
    if (this.#asking === 0) this.#contents.trim();
    this.asked += replies.filter(({ kind }) => kind !== 'not-asked').length;
    this.unsupported += replies.filter(({ kind }) => kind === 'unsupported').length;
    if (session.stopReason !== undefined || replies.some(isBreak)) await this.renew();
    return replies;
  }

  async renew(questionLimit: number = this.#questionLimit): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    this.#questionLimit = questionLimit;
    await session?.close();
  }

  abort(why: string): void {
    this.#stopReason ??= why;
    this.#session?.abort(why);
  }

  async close(): Promise<void> {
    this.#stopReason ??= 'the run was ended';
    await this.renew();
    this.#contents.remove();
  }

  async #openSession(): Promise<Session | undefined> {
    if (!this.#session && this.#stopReason === undefined) await this.#restart();
    return this.#stopReason === undefined ? this.#session : undefined;
  }

  async #restart(): Promise<void> {
    if (this.#starts >= MOST_STARTS) {
      this.#stopReason = `the adapter had to be started more than ${MOST_STARTS} times`;
      return;
    }
    try {
      await this.hello();
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      this.#stopReason ??= `the adapter could not be restarted: ${error.message}`;
    }
  }
}

function isBreak({ kind }: Reply): boolean {
  return kind === 'crashed' || kind === 'timeout' || kind === 'not-asked';
}
