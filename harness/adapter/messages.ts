/**
 * The messages of the protocol (adapters/PROTOCOL.md), as the harness sends and takes them.
 *
 * @module
 */
import { faultPath, faultsOf, faultText } from '../schema/fault.ts';
import {
  helloReply as helloReplySchema,
  reply as replySchema,
} from '../schema/protocol-validators.js';
import type { Input, KeyPair, Stages } from '../suite/vector.ts';

export const PROTOCOL_VERSION = 1;

/** The words in which deployments of the service differ. */
export interface Dialect {
  readonly scheme: string;
  readonly headerPrefix: string;
  readonly publicKeyParameter: string;
}

export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly language: string;
}

export interface HelloReply {
  readonly implementation: Implementation;
  readonly operations: readonly string[];
  readonly traces?: readonly string[];
  readonly window?: number;
}

export interface Question {
  readonly operation: string;
  readonly keys: KeyPair;
  readonly input: Input;
  /** The message without its number, where it was written ahead of time. */
  readonly text?: string;
}

/** What came of a question. Only `refused` is a refusal; the last five are not answers at all. */
export type Reply =
  | { readonly kind: 'result'; readonly result: Stages; readonly trace: Stages }
  | { readonly kind: 'refused'; readonly reason: string; readonly message: string }
  | { readonly kind: 'unsupported' }
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'crashed'; readonly message: string }
  | { readonly kind: 'timeout'; readonly message: string }
  | { readonly kind: 'garbage'; readonly message: string }
  | { readonly kind: 'not-asked'; readonly message: string };

export function helloLine(dialect: Dialect): string {
  const { scheme, headerPrefix, publicKeyParameter } = dialect;
  return `${JSON.stringify({ protocol: PROTOCOL_VERSION, dialect: { scheme, headerPrefix, publicKeyParameter } })}\n`;
}

/** The question with its message, so that nothing is left to be written when it is asked. */
export function written(question: Question): Question {
  return { ...question, text: messageText(question) };
}

export function questionLine(n: number, question: Question): string {
  return `{"n":${n},${question.text ?? messageText(question)}}\n`;
}

function messageText({ operation, keys, input }: Question): string {
  return JSON.stringify({ operation, keys, input }).slice(1, -1);
}

/** A line taken as a message, or what is wrong with it and, where it says so, to which question it belongs. */
export type Taken<T> = { readonly message: T } | { readonly fault: string; readonly n?: number };

/** Takes the reply to hello. */
export function takenHello(line: string): Taken<HelloReply> {
  const taken = takenJson(line);
  if ('fault' in taken) return taken;
  const fault = firstFault(helloReplySchema, taken.message, line);
  return fault === undefined ? { message: taken.message as HelloReply } : { fault };
}

/** Takes the reply to a question. */
export function takenReply(line: string): Taken<{ readonly n: number; readonly reply: Reply }> {
  const taken = takenJson(line);
  if ('fault' in taken) return taken;
  const fault = firstFault(replySchema, taken.message, line);
  if (fault !== undefined) return { fault, ...numberOf(taken.message) };
  const message = taken.message as ReplyMessage & { readonly n: number };
  return { message: { n: message.n, reply: replyIn(message) } };
}

/** What a reply says, without the number of its question. */
export interface ReplyMessage {
  readonly result?: Stages;
  readonly trace?: Stages;
  readonly refused?: { readonly reason: string; readonly message?: string };
  readonly unsupported?: true;
  readonly error?: string;
}

/** A message that fits the schema, as a reply. */
export function replyIn({ result, trace = {}, refused, error }: ReplyMessage): Reply {
  if (result) return { kind: 'result', result, trace };
  if (refused) {
    const { reason, message = '' } = refused;
    return { kind: 'refused', reason, message: shortened(message) };
  }
  return error === undefined
    ? { kind: 'unsupported' }
    : { kind: 'error', message: shortened(error) };
}

function numberOf(message: unknown): { readonly n?: number } {
  if (typeof message !== 'object' || message === null || !('n' in message)) return {};
  return typeof message.n === 'number' ? { n: message.n } : {};
}

function takenJson(line: string): Taken<unknown> {
  try {
    return { message: JSON.parse(line) };
  } catch {
    return { fault: `the line ${excerpt(line)} is not JSON; write logs to standard error` };
  }
}

function firstFault(
  schema: typeof replySchema,
  message: unknown,
  line: string,
): string | undefined {
  const faults = faultsOf(schema, message);
  const fault = faults.find(({ keyword }) => keyword !== 'oneOf') ?? faults[0];
  if (!fault) return undefined;
  const place = faultPath(fault).join('/') || 'the message';
  const what =
    fault.keyword === 'oneOf'
      ? 'has not exactly one of result, refused, unsupported, error'
      : shortened(faultText(fault));
  // The line and not the message: one that is nested too deeply cannot be written again.
  return `${place} ${what} (adapters/PROTOCOL.md): ${shortened(line, LONGEST_EXCERPT)}`;
}

/** In characters. */
const LONGEST_EXCERPT = 80;

/** In characters; whoever writes more has a reader who reads no more. */
export const LONGEST_MESSAGE = 400;

/** The start of a text that somebody else wrote, quoted. */
export function excerpt(text: string, longest: number = LONGEST_EXCERPT): string {
  const quoted = JSON.stringify(text.slice(0, longest));
  return text.length > longest ? `${quoted}…` : quoted;
}

/** The same where quotes are not needed. */
export function shortened(text: string, longest: number = LONGEST_MESSAGE): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
