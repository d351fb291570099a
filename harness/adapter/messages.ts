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
import type { Heard } from './wire/wire.ts';

export const PROTOCOL_VERSION = 1;

/** Longer lines are not read on; in bytes. */
export const LONGEST_LINE: number = 8 * 1024 * 1024;

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
  | { readonly kind: 'unsupported'; readonly message?: string }
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'crashed'; readonly message: string }
  | { readonly kind: 'timeout'; readonly message: string }
  | { readonly kind: 'garbage'; readonly message: string }
  | { readonly kind: 'not-asked'; readonly message: string };

export function helloMessage({ scheme, headerPrefix, publicKeyParameter }: Dialect): object {
  return { protocol: PROTOCOL_VERSION, dialect: { scheme, headerPrefix, publicKeyParameter } };
}

/** What was heard, taken as a message, or what is wrong with it and, where it says so, to which question it belongs. */
export type Taken<T> = { readonly message: T } | { readonly fault: string; readonly n?: number };

/** What was heard of an adapter whose messages can still be told apart. */
type Told = Exclude<Heard, { readonly flood: string }>;

/** Takes the reply to hello. */
export function takenHello(heard: Told): Taken<HelloReply> {
  if ('fault' in heard) return heard;
  const fault = firstFault(helloReplySchema, heard.message, heard.text);
  return fault === undefined ? { message: heard.message as HelloReply } : { fault };
}

/** Takes the reply to a question. */
export function takenReply(heard: Told): Taken<{ readonly n: number; readonly reply: Reply }> {
  if ('fault' in heard) return heard;
  const fault = firstFault(replySchema, heard.message, heard.text);
  if (fault !== undefined) return { fault, ...numberOf(heard.message) };
  const message = heard.message as ReplyMessage & { readonly n: number };
  return { message: { n: message.n, reply: replyIn(message) } };
}

/** What a reply says, without the number of its question. */
export interface ReplyMessage {
  readonly result?: Stages;
  readonly trace?: Stages;
  readonly refused?: { readonly reason: string; readonly message?: string };
  readonly unsupported?: true | string;
  readonly error?: string;
}

/** A message that fits the schema, as a reply. */
export function replyIn({ result, trace = {}, refused, unsupported, error }: ReplyMessage): Reply {
  if (result) return { kind: 'result', result, trace };
  if (refused) {
    const { reason, message = '' } = refused;
    return { kind: 'refused', reason, message: shortened(message) };
  }
  if (error !== undefined) return { kind: 'error', message: shortened(error) };
  return typeof unsupported === 'string'
    ? { kind: 'unsupported', message: shortened(unsupported) }
    : { kind: 'unsupported' };
}

function numberOf(message: unknown): { readonly n?: number } {
  if (typeof message !== 'object' || message === null || !('n' in message)) return {};
  return typeof message.n === 'number' ? { n: message.n } : {};
}

function firstFault(
  schema: typeof replySchema,
  message: unknown,
  text: string,
): string | undefined {
  const faults = faultsOf(schema, message);
  const fault = faults.find(({ keyword }) => keyword !== 'oneOf') ?? faults[0];
  if (!fault) return undefined;
  const place = faultPath(fault).join('/') || 'the message';
  const what =
    fault.keyword === 'oneOf'
      ? 'has not exactly one of result, refused, unsupported, error'
      : shortened(faultText(fault));
  // The text and not the message: one that is nested too deeply cannot be written again.
  const seen = shortened(text, LONGEST_EXCERPT).replaceAll('\t', '\\t').replaceAll('\n', '\\n');
  return `${place} ${what} (adapters/PROTOCOL.md): ${seen}`;
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
