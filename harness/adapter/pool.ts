/**
 * Several processes of one adapter, each with its share of the questions.
 *
 * @module
 */
import type { Dialect, HelloReply, Question, Reply } from './messages.ts';
import { type Limits, Session } from './session.ts';
import { jsonWire } from './wire/json.ts';
import type { Wire } from './wire/wire.ts';

export class Pool {
  readonly #sessions: readonly Session[];
  readonly #wire: Wire;

  constructor(
    command: readonly string[],
    dialect: Dialect,
    limits: Limits,
    processes: number,
    wire: Wire = jsonWire,
    folder?: string,
  ) {
    this.#wire = wire;
    this.#sessions = Array.from(
      { length: processes },
      () => new Session(command, dialect, limits, wire, folder),
    );
  }

  /** Why one of the conversations ended before its end; nothing where none did. */
  get over(): string | undefined {
    return this.#sessions.find(({ over }) => over !== undefined)?.over;
  }

  /** Of the processes that run now. */
  get pids(): readonly number[] {
    return this.#sessions.flatMap(({ pids }) => pids);
  }

  /** Lines before the reply to hello that were no messages. */
  get banner(): number {
    return Math.max(...this.#sessions.map(({ banner }) => banner));
  }

  /** Starts every process; throws a `StartError` where one of them does not say hello. */
  async start(): Promise<HelloReply> {
    const hellos = this.#sessions.map((session) => session.start());
    for (const hello of hellos) hello.catch(() => {});
    const [first] = await Promise.all(hellos);
    if (!first) throw new Error('a pool has at least one process');
    return first;
  }

  /** The question with its message, so that nothing is left to be written when it is asked. */
  written(question: Question): Question {
    return { ...question, text: this.#wire.body(question) };
  }

  /**
   * Asks questions; the replies come in the order of the questions.
   *
   * @param weights how long each question may take compared with the others
   */
  async ask(questions: readonly Question[], weights: readonly number[]): Promise<readonly Reply[]> {
    const shares = shared(weights, this.#sessions.length);
    const replies = new Array<Reply>(questions.length);
    await Promise.all(
      shares.map(async (share, i) => {
        const own = share.flatMap((index) => questions[index] ?? []);
        const given = await this.#sessions[i]?.ask(own);
        for (const [k, reply] of (given ?? []).entries()) {
          const index = share[k];
          if (index !== undefined) replies[index] = reply;
        }
      }),
    );
    return replies;
  }

  /** Lets every process end by itself; nothing more is asked. */
  endInput(): void {
    for (const session of this.#sessions) session.endInput();
  }

  /** Lets every process end by itself and waits for it, for a moment; questions that are left are not asked. */
  async close(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.close()));
  }

  /** Ends every process at once. */
  abort(why: string): void {
    for (const session of this.#sessions) session.abort(why);
  }
}

/** Positions, each given to whom has least, the heaviest first: what takes longest is begun soonest. */
function shared(weights: readonly number[], count: number): readonly (readonly number[])[] {
  const shares = Array.from({ length: count }, () => ({ weight: 0, positions: [] as number[] }));
  const heaviestFirst = [...weights.keys()].sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0));
  for (const position of heaviestFirst) {
    const least = shares.reduce((a, b) => (b.weight < a.weight ? b : a));
    least.positions.push(position);
    least.weight += weights[position] ?? 0;
  }
  return shares.map(({ positions }) => positions);
}
