/**
 * A conversation that goes on after the adapter broke: what broke it is a finding, not an end.
 *
 * A `Session` leaves an operation out that broke the adapter a few times. Here, breaking is what is looked for, so
 * each break ends a session and the next question starts another.
 *
 * @module
 */
import type { Dialect, HelloReply, Question, Reply } from '../adapter/messages.ts';
import { LIMITS, Session, StartError } from '../adapter/session.ts';
import { jsonWire } from '../adapter/wire/json.ts';
import type { Wire } from '../adapter/wire/wire.ts';

/** Longer than any run; in milliseconds. */
const NO_END = 7 * 24 * 60 * 60 * 1000;

/** So often is the adapter started in a whole run. */
const MOST_STARTS = 500;

/** What an investigation needs of whoever it asks. */
export type Conversation = Pick<Interview, 'ask' | 'renew' | 'over'>;

export class Interview {
  readonly #command: readonly string[];
  readonly #dialect: Dialect;
  readonly #wire: Wire;
  #session: Session | undefined;
  #starts = 0;
  #over: string | undefined;
  /** How long a question may take; in milliseconds. Counts from the next start on. */
  #questionLimit: number;
  /** How many questions were asked. */
  asked = 0;
  /** How many of them were that the adapter cannot answer this. */
  unsupported = 0;

  constructor(
    command: readonly string[],
    dialect: Dialect,
    questionLimit: number,
    wire: Wire = jsonWire,
  ) {
    this.#command = command;
    this.#dialect = dialect;
    this.#wire = wire;
    this.#questionLimit = questionLimit;
  }

  /** Why nothing more can be asked; nothing while it goes on. */
  get over(): string | undefined {
    return this.#over;
  }

  /** Starts the adapter; throws a `StartError` where it does not say hello. */
  async start(): Promise<HelloReply> {
    const { session, hello } = this.#opened();
    const reply = await hello;
    this.#session = session;
    return reply;
  }

  /** Asks questions; the replies come in their order. */
  async ask(questions: readonly Question[]): Promise<readonly Reply[]> {
    const session = questions.length === 0 ? undefined : await this.#ready();
    if (!session) {
      const message = this.#over ?? '';
      return questions.map(() => ({ kind: 'not-asked', message }));
    }
    const replies = await session.ask(questions);
    this.asked += replies.filter(({ kind }) => kind !== 'not-asked').length;
    this.unsupported += replies.filter(({ kind }) => kind === 'unsupported').length;
    if (session.over !== undefined || replies.some(endsSession)) await this.renew();
    return replies;
  }

  /** Ends the process that runs; the next question starts another. */
  async renew(questionLimit: number = this.#questionLimit): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    this.#questionLimit = questionLimit;
    await session?.close();
  }

  /** Ends everything at once: whoever waits for a reply is told that the question was not asked. */
  abort(why: string): void {
    this.#over ??= why;
    this.#session?.abort(why);
  }

  async close(): Promise<void> {
    this.#over ??= 'the run was ended';
    await this.renew();
  }

  async #ready(): Promise<Session | undefined> {
    if (this.#over !== undefined || this.#session)
      return this.#over === undefined ? this.#session : undefined;
    if (this.#starts >= MOST_STARTS) {
      this.#over = `the adapter had to be started more than ${MOST_STARTS} times`;
      return undefined;
    }
    try {
      await this.start();
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      this.#over ??= `the adapter could not be started again: ${error.message}`;
    }
    return this.#over === undefined ? this.#session : undefined;
  }

  #opened(): { readonly session: Session; readonly hello: Promise<HelloReply> } {
    this.#starts++;
    const limits = { ...LIMITS, question: this.#questionLimit, total: NO_END, restarts: 100 };
    const session = new Session(this.#command, this.#dialect, limits, this.#wire);
    // Set at once, so that an abort reaches one that has not said hello.
    this.#session = session;
    return { session, hello: session.start() };
  }
}

function endsSession({ kind }: Reply): boolean {
  return kind === 'crashed' || kind === 'timeout' || kind === 'not-asked';
}
