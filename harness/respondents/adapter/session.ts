/**
 * One adapter process at a time, with its questions, restarted whenever it breaks.
 *
 * Several questions are pending at once. If the adapter breaks then, the harness cannot tell which question broke it. It
 * restarts the adapter and sends one question at a time from then on.
 *
 * @module
 */
import { LONGEST_MESSAGE, quoteStart } from '../../engine/excerpt.ts';
import type { Dialect, HelloReply, Question, Reply } from '../../engine/protocol.ts';
import { type AskOptions, StartError } from '../../engine/respondent.ts';
import type { ContentFolder } from '../../suite/content-folder.ts';
import { LIMITS, type Limits } from './manifest.ts';
import {
  parseHello,
  parseReply,
  type Received,
  type ReceivedText,
  toReply,
  type Wire,
} from './messages.ts';
import { AdapterProcess } from './process.ts';
import { formatSpent, readClock, TimeLimit } from './time-limit.ts';
import { jsonWire } from './wire.ts';

/** Receives each line to and from the program, and what happens to the program as a note. */
export type LineListener = (direction: 'sent' | 'received' | 'note', text: string) => void;

export interface SessionOptions {
  /** The working directory, if it is not that of the harness. */
  readonly folder?: string | undefined;
  readonly env?: NodeJS.ProcessEnv;
  /** Turns recipes of contents into files. Without it, recipes are sent as they are. */
  readonly contents?: ContentFolder;
  readonly onLine?: LineListener | undefined;
}

/** After so many breaks, the remaining questions of an operation are not asked. */
const BREAKS_PER_OPERATION = 3;

/** How many lines an adapter may write before its reply to hello. */
const LONGEST_BANNER = 50;

/** The most questions that are pending at once. */
const WIDEST_WINDOW = 64;

interface Pending {
  readonly question: Question;
  /** Sets the reply. A second call replaces the first reply. */
  readonly settle: (reply: Reply, milliseconds?: number) => void;
  /** Whether a malformed line counted as the reply, so that the real one may still arrive. */
  replyDue: boolean;
  /** When the question was sent, on the clock of `readClock`. */
  sentAt: number;
}

/** A process that has not replied to hello yet. */
interface Handshake {
  readonly resolve: (reply: HelloReply) => void;
  readonly reject: (error: StartError) => void;
  strayLines: number;
  /** The last line that was not a reply to hello, as the end of a sentence. */
  lastStray: string;
}

export class Session {
  readonly #command: readonly string[];
  readonly #dialect: Dialect;
  readonly #limits: Limits;
  readonly #wire: Wire;
  readonly #options: SessionOptions;
  readonly #startLimit: TimeLimit;
  readonly #questionLimit: TimeLimit;
  readonly #totalLimit: TimeLimit;
  readonly #queue: Pending[] = [];
  readonly #pending = new Map<number, Pending>();
  /** The questions of the current batch that the running process has answered. */
  readonly #settled = new Map<number, Pending>();
  /** The number of the first question to the running process. */
  #firstNumber = 1;
  readonly #breaks = new Map<string, number>();
  #process: AdapterProcess | undefined;
  #handshake: Handshake | undefined;
  #hello: HelloReply | undefined;
  #lastNumber = 0;
  /** When the process last replied: adapters answer one question after the other. */
  #repliedAt = 0;
  #restarts = 0;
  #isRestarting = false;
  #oneByOne = false;
  #stopReason: string | undefined;
  /** Why no more questions are asked once the total time limit is reached. */
  #totalLimitReached: string | undefined;
  /** The end of standard error of the last process that broke. */
  #stderr = '';
  banner = 0;

  constructor(
    command: readonly string[],
    dialect: Dialect,
    limits: Limits = LIMITS,
    wire: Wire = jsonWire,
    options: SessionOptions = {},
  ) {
    this.#command = command;
    this.#dialect = dialect;
    this.#limits = limits;
    this.#wire = wire;
    this.#options = options;
    const pids = (): readonly number[] => this.pids;
    this.#startLimit = new TimeLimit(
      limits.start,
      (spent) => {
        const stray = this.#handshake?.lastStray ?? '';
        this.#failStart(`it did not reply to hello ${formatSpent(spent)}${stray}`);
      },
      pids,
    );
    this.#questionLimit = new TimeLimit(
      limits.question,
      (spent) => this.#break('timeout', `no reply ${formatSpent(spent)}`),
      pids,
    );
    this.#totalLimit = new TimeLimit(limits.total, ({ passed }) => this.#stopAll(passed), pids);
    this.#totalLimit.start();
  }

  get pids(): readonly number[] {
    return this.#process?.pids ?? [];
  }

  get stopReason(): string | undefined {
    return this.#stopReason;
  }

  /** Starts the adapter and sends hello. @throws StartError if it does not reply */
  hello(): Promise<HelloReply> {
    return new Promise((resolve, reject) => {
      const read = this.#wire.createReader();
      const { onLine } = this.#options;
      const process = new AdapterProcess(this.#command, this.#options, {
        line: (line) => {
          onLine?.('received', line);
          this.#receive(read(line));
        },
        malformedLine: (what) => {
          onLine?.('note', `it wrote ${what}`);
          this.#receiveMalformedLine(what);
        },
        overflow: (what) => this.#receiveOverflow(what),
        absent: (why) => this.#failStart(why),
        end: (how) => {
          onLine?.('note', how);
          this.#receiveEnd(how);
        },
      });
      this.#handshake = { resolve, reject, strayLines: 0, lastStray: '' };
      this.#process = process;
      this.#startLimit.start();
      this.#write(process, this.#wire.writeHello(this.#dialect));
    });
  }

  /** Asks questions; the replies come in the order of the questions, even if the adapter breaks. */
  async ask(
    questions: readonly Question[],
    { onReply }: Pick<AskOptions, 'onReply'> = {},
  ): Promise<readonly Reply[]> {
    const replies: Reply[] = [];
    const settled = questions
      .map((question) => this.#expandRecipe(question))
      .map(
        (question, i) =>
          new Promise<void>((resolve) => {
            const settle = (reply: Reply, milliseconds?: number): void => {
              replies[i] = reply;
              onReply?.(i, reply, milliseconds);
              resolve();
            };
            this.#queue.push({ question, settle, replyDue: false, sentAt: 0 });
          }),
      );
    this.#pump();
    await Promise.all(settled);
    // The replies of a batch do not change any more, and a long run would otherwise keep all its questions.
    if (this.#pending.size === 0 && this.#queue.length === 0) this.#settled.clear();
    return [...replies];
  }

  #expandRecipe(question: Question): Question {
    const { contents } = this.#options;
    if (!contents || question.text !== undefined || this.#stopReason !== undefined) return question;
    return { ...question, input: contents.withFile(question.input) };
  }

  /** Ends the adapter's input, so that it can exit; asks nothing more. */
  endInput(): void {
    this.#process?.endInput();
  }

  /** Ends the adapter; the remaining questions are not asked. */
  async close(): Promise<void> {
    this.#giveUp('the run was ended');
    await this.#process?.close();
  }

  /** Kills the adapter; the remaining questions are not asked. */
  abort(why: string): void {
    this.#stopReason ??= why;
    this.#giveUp(why);
    this.#failStart(why);
    this.#process?.kill();
  }

  #receive(received: Received | undefined): void {
    if (!received) return;
    if ('overflow' in received) this.#receiveOverflow(received.overflow);
    else if (this.#handshake) this.#receiveHello(this.#handshake, received);
    else this.#receiveReply(received);
  }

  #receiveHello(handshake: Handshake, received: ReceivedText): void {
    const parsed = parseHello(received);
    if ('fault' in parsed) {
      // Tolerates a banner, but not a message of another protocol.
      if (this.#wire.isMessage(received.text))
        this.#failStart(`its reply to hello is malformed: ${parsed.fault}`);
      else this.#countStrayLine(handshake, quoteStart(received.text));
      return;
    }
    this.#startLimit.stop();
    this.#handshake = undefined;
    this.banner = handshake.strayLines;
    this.#hello = parsed.message;
    handshake.resolve(parsed.message);
  }

  #countStrayLine(handshake: Handshake, what: string): void {
    handshake.lastStray = `; it wrote ${what}`;
    if (++handshake.strayLines > LONGEST_BANNER)
      this.#failStart(
        `it wrote ${handshake.strayLines} lines that are not a reply to hello, the last one: ${what}`,
      );
  }

  #receiveMalformedLine(what: string): void {
    if (this.#handshake) this.#countStrayLine(this.#handshake, what);
    else this.#settleUnnumbered(`it wrote ${what}`);
  }

  /** After an overflow, the next message cannot be found in the output any more. */
  #receiveOverflow(what: string): void {
    if (this.#handshake) this.#failStart(`it wrote ${what} before it replied to hello`);
    else this.#break('garbage', `it wrote ${what}`);
  }

  #receiveEnd(how: string): void {
    if (this.#handshake) this.#failStart(`${how} before it replied to hello`);
    else this.#recover('crashed', how);
  }

  #failStart(what: string): void {
    const handshake = this.#handshake;
    if (!handshake) return;
    this.#startLimit.stop();
    this.#handshake = undefined;
    this.#stderr = this.#process?.stderr ?? '';
    this.#process?.kill();
    this.#process = undefined;
    handshake.reject(new StartError(this.#withStderr(what)));
  }

  /** Sends as many questions as the window allows, and restarts the adapter if necessary. */
  #pump(): void {
    if (this.#stopReason !== undefined) {
      this.#giveUp(this.#stopReason);
      return;
    }
    if (this.#isRestarting) return;
    if (this.#totalLimitReached !== undefined) {
      this.#giveUp(this.#totalLimitReached);
      return;
    }
    if (!this.#process) {
      if (this.#queue.length > 0) void this.#restart();
      return;
    }
    // Refills only at half a window, so that each write, and each read of the adapter, holds many questions.
    if (this.#pending.size <= this.#window / 2) this.#sendNext(this.#process);
    if (this.#pending.size > 0) this.#questionLimit.start();
    else this.#questionLimit.stop();
  }

  #sendNext(process: AdapterProcess): void {
    let text = '';
    const sentAt = readClock();
    while (this.#pending.size < this.#window) {
      const next = this.#queue.shift();
      if (!next) break;
      const { question, settle } = next;
      const breaks = this.#breaks.get(question.operation) ?? 0;
      if (breaks >= BREAKS_PER_OPERATION) {
        const message = `the adapter broke ${breaks} times on ${question.operation}; the rest of that operation was skipped`;
        settle({ kind: 'not-asked', message });
        continue;
      }
      this.#lastNumber++;
      next.sentAt = sentAt;
      this.#pending.set(this.#lastNumber, next);
      const body = question.text ?? this.#wire.writeBody(question);
      text += this.#wire.writeQuestion(this.#lastNumber, body);
    }
    if (text !== '') this.#write(process, text);
  }

  #write(process: AdapterProcess, text: string): void {
    this.#options.onLine?.('sent', text);
    process.write(text);
  }

  get #window(): number {
    return this.#oneByOne ? 1 : Math.min(this.#hello?.window ?? 1, WIDEST_WINDOW);
  }

  #stopAll(passed: number): void {
    const { total } = this.#limits;
    const clock = Math.round(passed / 1000);
    const busy = clock > 1.5 * (total / 1000) ? ` after ${clock} s on a busy machine` : '';
    this.#totalLimitReached = `the time limit of ${total / 1000} s for the whole run was reached${busy}`;
    this.#process?.kill();
    this.#giveUp(this.#totalLimitReached);
  }

  #receiveReply(received: ReceivedText): void {
    const parsed = parseReply(received);
    const { n } = 'fault' in parsed ? parsed : parsed.message;
    const reply: Reply =
      'fault' in parsed ? { kind: 'garbage', message: parsed.fault } : toReply(parsed.message);
    const pending = n !== undefined && this.#pending.get(n);
    const earlier = n !== undefined && this.#settled.get(n);
    if (pending) {
      this.#settle(n, pending, reply);
    } else if (earlier) {
      if (!earlier.replyDue) {
        earlier.settle({ kind: 'garbage', message: 'it replied to this question twice' });
      }
      earlier.replyDue = false;
    } else if (n !== undefined && n >= this.#firstNumber && n <= this.#lastNumber) {
      // A question of an earlier batch.
      return;
    } else if (reply.kind === 'garbage') {
      this.#settleUnnumbered(reply.message);
    } else {
      this.#settleUnnumbered(`it replied to question ${n}, which it was not asked`);
    }
  }

  /** Handles output without the number of a pending question. It belongs to the only pending question, if there is just one. */
  #settleUnnumbered(message: string): void {
    const [only, ...others] = this.#pending;
    if (!only) return;
    if (others.length > 0) {
      this.#break('garbage', message);
      return;
    }
    const [n, pending] = only;
    pending.replyDue = true;
    this.#settle(n, pending, { kind: 'garbage', message });
  }

  #settle(n: number, pending: Pending, reply: Reply): void {
    this.#pending.delete(n);
    this.#settled.set(n, pending);
    pending.settle(reply, this.#measure(pending));
    this.#pump();
  }

  /** The time for a question: since it was sent, but not before the reply to the question before. */
  #measure({ sentAt }: Pending): number {
    const start = Math.max(sentAt, this.#repliedAt);
    this.#repliedAt = readClock();
    return this.#repliedAt - start;
  }

  #break(kind: 'timeout' | 'garbage', message: string): void {
    this.#process?.kill();
    this.#recover(kind, message);
  }

  /** Goes on after the process has ended: settles the question that broke it, or repeats all pending questions one by one. */
  #recover(kind: 'crashed' | 'timeout' | 'garbage', message: string): void {
    this.#questionLimit.stop();
    if (this.#process) this.#stderr = this.#process.stderr;
    this.#process = undefined;
    const lost = [...this.#pending.values()];
    this.#pending.clear();
    this.#settled.clear();
    this.#firstNumber = this.#lastNumber + 1;
    const [only] = lost;
    if (only && lost.length === 1) {
      const { operation } = only.question;
      this.#breaks.set(operation, (this.#breaks.get(operation) ?? 0) + 1);
      only.settle({ kind, message: this.#withStderr(message) }, this.#measure(only));
    } else {
      this.#oneByOne ||= lost.length > 1;
      this.#queue.unshift(...lost);
    }
    this.#pump();
  }

  #withStderr(message: string): string {
    const lastLine = this.#stderr.trimEnd().split('\n').at(-1) ?? '';
    return lastLine === ''
      ? message
      : `${message}; its standard error ends with ${quoteStart(lastLine, LONGEST_MESSAGE)}`;
  }

  async #restart(): Promise<void> {
    if (++this.#restarts > this.#limits.restarts) {
      this.#giveUp(`the adapter had to be restarted more than ${this.#limits.restarts} times`);
      return;
    }
    this.#isRestarting = true;
    try {
      await this.hello();
      this.#isRestarting = false;
      this.#pump();
    } catch (error) {
      this.#isRestarting = false;
      if (!(error instanceof StartError)) throw error;
      this.#giveUp(`the adapter could not be restarted: ${error.message}`);
    }
  }

  /** Settles all remaining questions as not asked. */
  #giveUp(why: string): void {
    const left = [...this.#pending.values(), ...this.#queue.splice(0)];
    this.#pending.clear();
    this.#questionLimit.stop();
    this.#totalLimit.stop();
    if (left.length > 0) this.#stopReason ??= why;
    for (const { settle } of left) settle({ kind: 'not-asked', message: why });
  }
}
