/**
 * How messages are written on the way to an adapter and read on the way back (adapters/PROTOCOL.md).
 *
 * @module
 */
import type { Dialect, Question } from '../messages.ts';

export interface Wire {
  /** The whole message. */
  readonly hello: (dialect: Dialect) => string;
  /** What a question says, all but its number. */
  readonly body: (question: Question) => string;
  /** The whole message of a question. */
  readonly numbered: (n: number, body: string) => string;
  /** Takes the lines of one process, one by one; yields what they come to, or nothing while a message goes on. */
  readonly reader: () => (line: string) => Heard | undefined;
  /** Whether what was heard was meant as a message; else it may be part of a banner. */
  readonly isMessage: (text: string) => boolean;
}

/** What the lines of an adapter come to. */
export type Heard =
  | { readonly text: string; readonly message: unknown }
  /** No message; the sentence says why not. It says itself to which question it belongs, or not. */
  | { readonly text: string; readonly fault: string; readonly n?: number }
  /** Lines in which no message can be found any more; the sentence says why. */
  | { readonly flood: string };
