/**
 * The messages of the protocol (adapters/PROTOCOL.md), as the harness sends and reads them.
 *
 * @module
 */
import { hasMembers, isNumber } from '../../../reference/values.ts';
import { LONGEST_EXCERPT, shorten } from '../../engine/excerpt.ts';
import type { Dialect, HelloReply, Question, Reply } from '../../engine/protocol.ts';
import { faultPath, faultText, type Validator } from '../../suite/schema/fault.ts';
import {
  helloReply as helloReplySchema,
  reply as replySchema,
} from '../../suite/schema/protocol-validators.js';
import type { ReplyMessage } from '../../suite/schema/shapes.ts';

const PROTOCOL_VERSION = 1;

/** The most that the harness reads of one line, in bytes, or of one message in lines, in characters. */
export const LONGEST_LINE: number = 8 * 1024 * 1024;

/** How messages are written to an adapter and read from it: as JSON, or as lines of key, tab and value. */
export interface Wire {
  readonly writeHello: (dialect: Dialect) => string;
  /** Writes a question without its number. */
  readonly writeBody: (question: Question) => string;
  /** Adds the number to the body of a question. */
  readonly writeQuestion: (n: number, body: string) => string;
  /** Creates a reader for one process. It takes one line at a time and returns undefined while a message goes on. */
  readonly createReader: () => (line: string) => Received | undefined;
  /** Whether a text was meant as a message. Any other text before the reply to hello is a banner. */
  readonly isMessage: (text: string) => boolean;
}

/** A message of an adapter, or what it wrote instead. */
export type Received = ReceivedText | { readonly overflow: string };

export type ReceivedText =
  | { readonly text: string; readonly message: unknown }
  /** A text that is not a message. `fault` says why; `n` is the number of its question, if it can be read. */
  | { readonly text: string; readonly fault: string; readonly n?: number };

export type Parsed<T> = { readonly message: T } | { readonly fault: string; readonly n?: number };

export function helloMessage({ scheme, headerPrefix, publicKeyParameter }: Dialect): object {
  return { protocol: PROTOCOL_VERSION, dialect: { scheme, headerPrefix, publicKeyParameter } };
}

export function parseHello(received: ReceivedText): Parsed<HelloReply> {
  return check(received, helloReplySchema);
}

export function parseReply(received: ReceivedText): Parsed<ReplyMessage & { readonly n: number }> {
  return check(received, replySchema);
}

function check<Shape>(received: ReceivedText, schema: Validator<Shape>): Parsed<Shape> {
  if ('fault' in received) return received;
  const { message, text } = received;
  if (schema(message)) return { message };
  const n = hasMembers(message) ? message['n'] : undefined;
  return { fault: describeFault(schema.errors, text), ...(isNumber(n) && { n }) };
}

/** Converts a message that the schema accepts. */
export function toReply({ result, trace = {}, refused, unsupported, error }: ReplyMessage): Reply {
  if (result) return { kind: 'result', result, trace };
  if (refused) {
    const { reason, message = '' } = refused;
    return { kind: 'refused', reason, message: shorten(message) };
  }
  if (error !== undefined) return { kind: 'error', message: shorten(error) };
  return typeof unsupported === 'string'
    ? { kind: 'unsupported', message: shorten(unsupported) }
    : { kind: 'unsupported' };
}

function describeFault(faults: Validator['errors'], text: string): string {
  const fault = faults?.find(({ keyword }) => keyword !== 'oneOf');
  const place = (fault && faultPath(fault).join('/')) || 'the message';
  const problem = fault
    ? shorten(faultText(fault))
    : 'does not have exactly one of result, refused, unsupported, error';
  // Quotes the text: JSON.stringify fails on a message that is nested too deeply.
  const quoted = shorten(text, LONGEST_EXCERPT).replaceAll('\t', '\\t').replaceAll('\n', '\\n');
  return `${place} ${problem} (adapters/PROTOCOL.md): ${quoted}`;
}
