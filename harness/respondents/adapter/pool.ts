/**
 * Several processes of one adapter, each with its share of the questions.
 *
 * @module
 */
import type { Dialect, HelloReply, Question, Reply } from '../../engine/protocol.ts';
import { type AskOptions, type Respondent, StartError } from '../../engine/respondent.ts';
import { contentSize } from '../../engine/suite-data.ts';
import { ContentFolder } from '../../suite/content-folder.ts';
import type { Limits } from './manifest.ts';
import type { Wire } from './messages.ts';
import { Session, type SessionOptions } from './session.ts';
import { formatSpent, TimeLimit } from './time-limit.ts';
import { jsonWire } from './wire.ts';

export class Pool implements Respondent {
  readonly #createSession: () => Session;
  readonly #sessions: readonly Session[];
  /** The process that answers a question anew. */
  #another: Session | undefined;
  readonly #wire: Wire;
  readonly #contents: ContentFolder;
  #hello: Promise<HelloReply> | undefined;
  #asking = 0;
  /** Whether the answers to all prepared questions may have come, so that the next prepared question begins a round. */
  #isRoundOver = false;

  constructor(
    command: readonly string[],
    dialect: Dialect,
    limits: Limits,
    processes: number,
    wire: Wire = jsonWire,
    options: Omit<SessionOptions, 'contents'> = {},
  ) {
    this.#wire = wire;
    this.#contents = new ContentFolder(options.env);
    const sessionOptions = { ...options, contents: this.#contents };
    this.#createSession = () => new Session(command, dialect, limits, wire, sessionOptions);
    this.#sessions = Array.from({ length: processes }, this.#createSession);
  }

  get stopReason(): string | undefined {
    return this.#sessions.find(({ stopReason }) => stopReason !== undefined)?.stopReason;
  }

  get pids(): readonly number[] {
    return this.#sessions.flatMap(({ pids }) => pids);
  }

  get banner(): number {
    return Math.max(...this.#sessions.map(({ banner }) => banner));
  }

  /** Starts all processes. @throws StartError if one of them does not reply to hello */
  hello(): Promise<HelloReply> {
    this.#hello ??= this.#start();
    return this.#hello;
  }

  async #start(): Promise<HelloReply> {
    const hellos = this.#sessions.map((session) => session.hello());
    for (const hello of hellos) hello.catch(() => {});
    const [first] = await Promise.all(hellos);
    if (!first) throw new Error('a pool has at least one process');
    return first;
  }

  /** Writes the message of the question ahead of time. */
  prepare(question: Question): Question {
    // All questions of a round are prepared before the first is asked, so no file of this round exists yet.
    if (this.#isRoundOver && this.#asking === 0) this.#contents.trim();
    this.#isRoundOver = false;
    const expanded = { ...question, input: this.#contents.withFile(question.input) };
    return { ...expanded, text: this.#wire.writeBody(expanded), weight: questionWeight(question) };
  }

  async ask(
    questions: readonly Question[],
    { within, onReply }: AskOptions = {},
  ): Promise<readonly Reply[]> {
    if (within === undefined) return this.#ask(questions, onReply);
    const limit = new TimeLimit(
      within,
      (spent) => this.abort(`a further question was not answered ${formatSpent(spent)}`),
      () => this.pids,
    );
    limit.start();
    try {
      return await this.#ask(questions, onReply);
    } finally {
      limit.stop();
    }
  }

  async #ask(
    questions: readonly Question[],
    onReply: AskOptions['onReply'],
  ): Promise<readonly Reply[]> {
    const shares = distribute(questions.map(questionWeight), this.#sessions.length);
    const replies = new Array<Reply>(questions.length);
    this.#asking += 1;
    await Promise.all(
      shares.map(async (share, i) => {
        const asked = share.flatMap((index) => questions[index] ?? []);
        await this.#sessions[i]?.ask(asked, {
          onReply: (k, reply, milliseconds) => {
            const index = share[k] ?? k;
            replies[index] = reply;
            onReply?.(index, reply, milliseconds);
          },
        });
      }),
    );
    this.#asking -= 1;
    this.#isRoundOver = true;
    return [...replies];
  }

  async askAnew(question: Question): Promise<Reply> {
    const { stopReason } = this;
    if (stopReason !== undefined) return { kind: 'not-asked', message: stopReason };
    const session = this.#createSession();
    this.#another = session;
    try {
      await session.hello();
      const [reply] = await session.ask([question]);
      return reply ?? { kind: 'not-asked', message: 'no reply' };
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      return { kind: 'not-asked', message: error.message };
    } finally {
      await session.close();
    }
  }

  endInput(): void {
    for (const session of this.#sessions) session.endInput();
  }

  async close(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.close()));
    this.#contents.remove();
  }

  abort(why: string): void {
    for (const session of this.#sessions) session.abort(why);
    this.#another?.abort(why);
    this.#contents.remove();
  }
}

/** The time that a question without content takes, as the number of bytes that could be hashed in it. */
const QUESTION_WEIGHT = 40_000;

function questionWeight({ input, weight }: Question): number {
  return weight ?? QUESTION_WEIGHT + contentSize(input);
}

/** Distributes positions over processes by weight, the heaviest first, so that the longest questions start first. */
function distribute(weights: readonly number[], count: number): readonly (readonly number[])[] {
  const shares = Array.from({ length: count }, (): number[] => []);
  const totals = shares.map(() => 0);
  for (const [position, weight] of [...weights.entries()].sort(([, a], [, b]) => b - a)) {
    const lightest = totals.indexOf(Math.min(...totals));
    shares[lightest]?.push(position);
    totals[lightest] = (totals[lightest] ?? 0) + weight;
  }
  return shares;
}
