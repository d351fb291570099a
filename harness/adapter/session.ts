/**
 * A conversation with an adapter that survives whatever the adapter does.
 *
 * Several questions are under way at once. When the adapter breaks then, nobody knows over which: it is started
 * again and asked one by one from then on, so that the culprit is named.
 *
 * @module
 */
import {
  type Dialect,
  excerpt,
  type HelloReply,
  LONGEST_MESSAGE,
  type Question,
  type Reply,
  type Taken,
  takenHello,
  takenReply,
} from './messages.ts';
import { TimeLimit, withinText } from './own-time.ts';
import { AdapterProcess } from './process.ts';
import { jsonWire } from './wire/json.ts';
import type { Wire } from './wire/wire.ts';

/** Time limits in milliseconds of the adapter's own time, and how much breaking is put up with. */
export interface Limits {
  /** From the start of the process to its reply to hello. */
  readonly start: number;
  /** For one question. */
  readonly question: number;
  /** For the whole conversation. */
  readonly total: number;
  /** How often the adapter is started again. */
  readonly restarts: number;
}

export const LIMITS: Limits = { start: 10_000, question: 5_000, total: 600_000, restarts: 12 };

/** So often may one operation end the adapter before the rest of its questions is left out. */
const BREAKS_PER_OPERATION = 3;

/** Lines that are not messages before the reply to hello: a banner, but not a flood. */
const LONGEST_BANNER = 50;

/** More questions than this are never under way. */
const WIDEST_WINDOW = 64;

/** The adapter did not reply to hello; the message says what happened instead. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

interface Pending {
  readonly question: Question;
  /** Takes the reply. A later one takes its place: nobody looks before all questions have theirs. */
  readonly settle: (reply: Reply) => void;
  /** Settled by a line that is no message, so that its reply may still come. */
  replyDue: boolean;
}

export class Session {
  readonly #command: readonly string[];
  readonly #dialect: Dialect;
  readonly #limits: Limits;
  readonly #wire: Wire;
  readonly #folder: string | undefined;
  readonly #startLimit: TimeLimit;
  readonly #questionLimit: TimeLimit;
  readonly #totalLimit: TimeLimit;
  readonly #queue: Pending[] = [];
  readonly #underWay = new Map<number, Pending>();
  /** What the process that runs now was asked and has replied to. */
  readonly #settled = new Map<number, Pending>();
  readonly #breaks = new Map<string, number>();
  #process: AdapterProcess | undefined;
  #hello: HelloReply | undefined;
  /** Ends the wait for the reply to hello. */
  #failStart: ((what: string) => void) | undefined;
  /** What it wrote last in the place of a reply to hello, as the end of a sentence. */
  #strange = '';
  #lastNumber = 0;
  #restarts = 0;
  #starting = false;
  #oneByOne = false;
  #over: string | undefined;
  /** Why the time for the whole conversation is over. */
  #runOut: string | undefined;
  /** What standard error ended with, of the last process that broke. */
  stderr = '';
  /** Lines before the reply to hello that were no messages. */
  banner = 0;

  constructor(
    command: readonly string[],
    dialect: Dialect,
    limits: Limits = LIMITS,
    wire: Wire = jsonWire,
    folder?: string,
  ) {
    this.#command = command;
    this.#folder = folder;
    this.#dialect = dialect;
    this.#limits = limits;
    this.#wire = wire;
    const measure = { pids: () => this.pids };
    this.#startLimit = new TimeLimit(
      limits.start,
      (spent) =>
        this.#failStart?.(`it did not reply to hello ${withinText(spent)}${this.#strange}`),
      measure,
    );
    this.#questionLimit = new TimeLimit(
      limits.question,
      (spent) => this.#break('timeout', `no reply ${withinText(spent)}`),
      measure,
    );
    this.#totalLimit = new TimeLimit(limits.total, ({ passed }) => this.#endTime(passed), measure);
    this.#totalLimit.start();
  }

  /** Of the process that runs now. */
  get pids(): readonly number[] {
    return this.#process?.pids ?? [];
  }

  /** Why the conversation ended before its end; nothing while it goes on. */
  get over(): string | undefined {
    return this.#over;
  }

  /** Starts the adapter and says hello. Throws a `StartError` that says what happened instead of a reply. */
  start(): Promise<HelloReply> {
    return new Promise((resolve, reject) => {
      const fail = (what: string): void => {
        this.#startLimit.stop();
        this.#failStart = undefined;
        this.stderr = process.stderr;
        process.kill();
        this.#process = undefined;
        reject(new StartError(this.#withStderr(what)));
      };
      this.#failStart = fail;
      let strangeLines = 0;
      this.#strange = '';
      const strange = (what: string): void => {
        this.#strange = `; it wrote ${what}`;
        if (++strangeLines > LONGEST_BANNER)
          fail(`it wrote ${strangeLines} lines that are no reply to hello, the last one: ${what}`);
      };
      let reply: HelloReply | undefined;
      const flood = (what: string): void => {
        if (!reply) fail(`it wrote ${what} before it replied to hello`);
        else this.#break('garbage', `it wrote ${what}`);
      };
      const read = this.#wire.reader();
      const process = new AdapterProcess(this.#command, globalThis.process.env, this.#folder, {
        line: (line) => {
          const heard = read(line);
          if (!heard) return;
          if ('flood' in heard) {
            flood(heard.flood);
            return;
          }
          if (reply) {
            this.#take(takenReply(heard));
            return;
          }
          const taken = takenHello(heard);
          if ('fault' in taken) {
            // A banner is put up with, a message of another protocol is not.
            if (this.#wire.isMessage(heard.text))
              fail(`its reply to hello does not fit: ${taken.fault}`);
            else strange(excerpt(heard.text));
            return;
          }
          this.#startLimit.stop();
          this.#failStart = undefined;
          this.banner = strangeLines;
          reply = taken.message;
          this.#hello = reply;
          resolve(reply);
        },
        garbage: (what) => (reply ? this.#takeGarbage(`it wrote ${what}`) : strange(what)),
        flood,
        absent: fail,
        end: (how) => {
          if (reply) this.#broke('crashed', how);
          else fail(`${how} before it replied to hello`);
        },
      });
      this.#process = process;
      this.#startLimit.start();
      process.write(this.#wire.hello(this.#dialect));
    });
  }

  /** Asks questions; the replies come in the order of the questions, whatever happens on the way. */
  async ask(questions: readonly Question[]): Promise<readonly Reply[]> {
    const replies: Reply[] = [];
    const settled = questions.map(
      (question, i) =>
        new Promise<void>((resolve) => {
          const settle = (reply: Reply): void => {
            replies[i] = reply;
            resolve();
          };
          this.#queue.push({ question, settle, replyDue: false });
        }),
    );
    this.#pump();
    await Promise.all(settled);
    return [...replies];
  }

  /** Lets the adapter end by itself; nothing more is asked. */
  endInput(): void {
    this.#process?.endInput();
  }

  /** Ends the adapter; questions that are left are not asked. */
  async close(): Promise<void> {
    this.#giveUp('the run was ended');
    await this.#process?.close();
  }

  /** Ends the adapter at once. */
  abort(why: string): void {
    this.#over ??= why;
    this.#giveUp(why);
    this.#failStart?.(why);
    this.#process?.kill();
  }

  #pump(): void {
    if (this.#starting || this.#over !== undefined) {
      if (this.#over !== undefined) this.#giveUp(this.#over);
      return;
    }
    if (this.#runOut !== undefined) {
      this.#giveUp(this.#runOut);
      return;
    }
    if (!this.#process) {
      if (this.#queue.length > 0) void this.#restart();
      return;
    }
    // Many questions in one write, and so in one read: half a window at a time.
    if (this.#underWay.size > this.#window / 2) {
      this.#questionLimit.start();
      return;
    }
    let text = '';
    for (
      let next = this.#queue[0];
      next && this.#underWay.size < this.#window;
      next = this.#queue[0]
    ) {
      this.#queue.shift();
      const breaks = this.#breaks.get(next.question.operation) ?? 0;
      if (breaks >= BREAKS_PER_OPERATION) {
        const message = `the adapter broke ${breaks} times over ${next.question.operation}; the rest of that operation was left out`;
        next.settle({ kind: 'not-asked', message });
        continue;
      }
      this.#lastNumber++;
      this.#underWay.set(this.#lastNumber, next);
      const body = next.question.text ?? this.#wire.body(next.question);
      text += this.#wire.numbered(this.#lastNumber, body);
    }
    if (text !== '') this.#process.write(text);
    if (this.#underWay.size > 0) this.#questionLimit.start();
    else this.#questionLimit.stop();
  }

  get #window(): number {
    return this.#oneByOne ? 1 : Math.min(this.#hello?.window ?? 1, WIDEST_WINDOW);
  }

  /** The time for the whole conversation is over. */
  #endTime(passed: number): void {
    const { total } = this.#limits;
    // Only the time limit is named: more than one question used it up.
    const clock = Math.round(passed / 1000);
    const busy = clock > 1.5 * (total / 1000) ? ` after ${clock} s on a busy machine` : '';
    this.#runOut = `the time limit of ${total / 1000} s for the whole run was reached${busy}`;
    this.#process?.kill();
    this.#giveUp(this.#runOut);
  }

  #take(taken: Taken<{ readonly n: number; readonly reply: Reply }>): void {
    if ('fault' in taken) {
      this.#takeReply(taken.n, { kind: 'garbage', message: taken.fault });
      return;
    }
    this.#takeReply(taken.message.n, taken.message.reply);
  }

  #takeReply(n: number | undefined, reply: Reply): void {
    const pending = n !== undefined && this.#underWay.get(n);
    const earlier = n !== undefined && this.#settled.get(n);
    if (pending) {
      this.#settle(n, pending, reply);
    } else if (earlier) {
      if (!earlier.replyDue) {
        earlier.settle({ kind: 'garbage', message: 'it replied to this question twice' });
      }
      earlier.replyDue = false;
    } else if (reply.kind === 'garbage') {
      this.#takeGarbage(reply.message);
    } else {
      this.#takeGarbage(`it replied to question ${n}, which it was not asked`);
    }
  }

  /** Output that answers nothing. With one question under way it is that one's; with several, nobody knows. */
  #takeGarbage(what: string): void {
    const [only, ...others] = this.#underWay;
    if (!only) return;
    if (others.length > 0) {
      this.#break('garbage', what);
      return;
    }
    const [n, pending] = only;
    pending.replyDue = true;
    this.#settle(n, pending, { kind: 'garbage', message: what });
  }

  #settle(n: number, pending: Pending, reply: Reply): void {
    this.#underWay.delete(n);
    this.#settled.set(n, pending);
    pending.settle(reply);
    this.#pump();
  }

  /** Ends a process with which there is no talking any more. */
  #break(kind: 'timeout' | 'garbage', message: string): void {
    this.#process?.kill();
    this.#broke(kind, message);
  }

  /** The process is gone. */
  #broke(kind: 'crashed' | 'timeout' | 'garbage', message: string): void {
    this.#questionLimit.stop();
    if (this.#process) this.stderr = this.#process.stderr;
    this.#process = undefined;
    const lost = [...this.#underWay.values()];
    this.#underWay.clear();
    this.#settled.clear();
    const [only] = lost;
    if (only && lost.length === 1) {
      const { operation } = only.question;
      this.#breaks.set(operation, (this.#breaks.get(operation) ?? 0) + 1);
      only.settle({ kind, message: this.#withStderr(message) });
    } else {
      this.#oneByOne ||= lost.length > 1;
      this.#queue.unshift(...lost);
    }
    this.#pump();
  }

  #withStderr(message: string): string {
    const lastLine = this.stderr.trimEnd().split('\n').at(-1) ?? '';
    return lastLine === ''
      ? message
      : `${message}; its standard error ends with ${excerpt(lastLine, LONGEST_MESSAGE)}`;
  }

  async #restart(): Promise<void> {
    if (++this.#restarts > this.#limits.restarts) {
      this.#giveUp(`the adapter had to be started again more than ${this.#limits.restarts} times`);
      return;
    }
    this.#starting = true;
    try {
      await this.start();
      this.#starting = false;
      this.#pump();
    } catch (error) {
      this.#starting = false;
      if (!(error instanceof StartError)) throw error;
      this.#giveUp(`the adapter could not be started again: ${error.message}`);
    }
  }

  #giveUp(why: string): void {
    const left = [...this.#underWay.values(), ...this.#queue.splice(0)];
    this.#underWay.clear();
    this.#questionLimit.stop();
    this.#totalLimit.stop();
    if (left.length > 0) this.#over ??= why;
    for (const { settle } of left) settle({ kind: 'not-asked', message: why });
  }
}
