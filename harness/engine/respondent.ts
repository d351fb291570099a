/**
 * The interface of everything that answers questions: an adapter, a module, a server, the reference, a file of answers; and the subject of a run.
 *
 * @module
 */
import type { HelloReply, Question, Reply } from './protocol.ts';

/** The respondent did not reply to hello. The message describes what happened instead. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

export interface AskOptions {
  /** The time limit for all questions together, in milliseconds of the respondent's own work. */
  readonly within?: number;
  /** Receives the reply to the question at a position, and the time that the respondent took for it, in milliseconds; no time if it was not measured. */
  readonly onReply?: (position: number, reply: Reply, milliseconds?: number) => void;
}

export interface Respondent {
  /** Sends hello; call it once. @throws StartError */
  hello(): Promise<HelloReply>;
  /** Asks questions and returns the replies in the same order. A failure of the respondent is a reply, not an exception. */
  ask(questions: readonly Question[], asking?: AskOptions): Promise<readonly Reply[]>;
  /** Asks a question in a process that was asked nothing before; absent if the respondent is not a process. */
  askAnew?(question: Question): Promise<Reply>;
  /** Serializes a question ahead of time. */
  prepare?(question: Question): Question;
  /** Why the respondent takes no more questions; `undefined` while it answers. */
  readonly stopReason: string | undefined;
  /** The number of lines before the reply to hello that are not messages; absent if the respondent is not a process. */
  readonly banner?: number;
  /** Closes the input, so that the respondent exits by itself. */
  endInput?(): void;
  /** Stops the respondent at once. Open questions get the reply `not-asked`. */
  abort(why: string): void;
  /** Closes the input and waits a moment for the respondent to exit. */
  close(): Promise<void>;
}

/** A respondent that restarts after every break. */
export interface RestartingRespondent extends Respondent {
  /** Stops the process; the next question starts it again. `questionLimit`, in milliseconds, then applies to each question. */
  renew(questionLimit?: number): Promise<void>;
}

/** A reply, and how long the respondent took for it, in milliseconds; no time if it was not measured. */
export interface Timed {
  readonly reply: Reply;
  readonly milliseconds?: number | undefined;
}

export async function askTimed(
  respondent: Pick<Respondent, 'ask'>,
  questions: readonly Question[],
  onReply?: (position: number, reply: Reply) => void,
): Promise<readonly Timed[]> {
  const times: (number | undefined)[] = [];
  const replies = await respondent.ask(questions, {
    onReply(i, reply, milliseconds) {
      times[i] = milliseconds;
      onReply?.(i, reply);
    },
  });
  return replies.map((reply, i) => ({ reply, milliseconds: times[i] }));
}

export interface Subject {
  readonly name: string;
  readonly command: readonly string[];
  /** The working directory of the command; by default that of the harness. */
  readonly folder?: string;
  readonly dialect: string;
  /** The wire format: `json` or `tabs`. */
  readonly wire: string;
  /** How many processes share its questions; one if absent. */
  readonly jobs?: number;
  /** Whether it is an adapter of this package, not of the user. */
  readonly isBundled: boolean;
  /** Set if the subject is not an adapter: a server that received requests, or a client that sent requests. */
  readonly kind?: 'server' | 'client';
  /** The JavaScript module that the command runs. */
  readonly module?: string;
  /** The folder that the user passed. */
  readonly folderGiven?: string;
  /** Why it cannot run on this machine; `undefined` if it can. */
  readonly missing?: string | undefined;
  /** How a client of `wire` exited, as a clause. */
  readonly ended?: string;
  /** The file of its known failures. */
  readonly expectations?: string;
}
