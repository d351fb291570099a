/**
 * Writes answers: with exact header names and lengths, and no faster than the client reads.
 *
 * @module
 */
import { type OutgoingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { httpError } from '../messages/errors.ts';
import type { Answer, AnswerBody } from '../messages/exchange.ts';
import { createEventWait, createPaceCheck, type EventWait, type Limits } from './limits.ts';
import { encodeWire } from './request.ts';

/** The number of bytes that a client must receive within each `stallTime`. */
const PIECE = 64 * 1024;

interface Sending {
  readonly method: string;
  readonly isLast: boolean;
  readonly limits: Limits;
}

/**
 * @throws Error if the client is gone or too slow, or the pieces differ from their length
 */
export async function sendAnswer(
  response: ServerResponse,
  answer: Answer,
  to: Sending,
): Promise<void> {
  const hasBody = to.method !== 'HEAD' && ![204, 304].includes(answer.status);
  const { body } = answer;
  try {
    response.writeHead(answer.status, rawHeaders(answer, hasBody, to.isLast));
    if (hasBody && body instanceof Uint8Array && body.length <= PIECE) {
      // Node writes a text (one character for each byte) together with the headers.
      const { buffer, byteOffset, byteLength } = body;
      response.end(Buffer.from(buffer, byteOffset, byteLength).toString('latin1'), 'latin1');
    } else {
      // Do not flush the headers alone: Node would encode them as UTF-8, with two bytes for each one beyond ASCII.
      if (hasBody) await writeBody(response, body, to.limits);
      response.end();
    }
    await waitForFlush(response, to.limits);
  } finally {
    await releaseBody(body);
  }
}

function rawHeaders({ headers, body }: Answer, hasBody: boolean, isLast: boolean): string[] {
  const raw: string[] = [];
  let hasLength = !hasBody && body.length === 0;
  for (const [name, value] of headers) {
    raw.push(name, encodeWire(value));
    hasLength ||= name.length === LENGTH.length && name.toLowerCase() === LENGTH.toLowerCase();
  }
  if (!hasLength) raw.push(LENGTH, String(body.length));
  if (isLast) raw.push('Connection', 'close');
  return raw;
}

const LENGTH = 'Content-Length';

async function writeBody(
  response: ServerResponse,
  body: AnswerBody,
  limits: Limits,
): Promise<void> {
  const isFastEnough = createPaceCheck(limits);
  const events = createEventWait(response, ['drain', 'close'], limits.stallTime);
  let written = 0;
  try {
    for await (const piece of body instanceof Uint8Array ? [body] : body.pieces) {
      for (let at = 0; at < piece.length; at += PIECE) {
        const slice = piece.subarray(at, at + PIECE);
        written += slice.length;
        if (response.write(slice)) continue;
        const waited = await waitUntilTaken(response, 'drain', events);
        if (!isFastEnough(waited, slice.length)) throw tooSlow();
      }
    }
  } finally {
    events.stop();
  }
  if (written !== body.length) {
    throw new Error(`an answer of ${body.length} bytes was written with ${written}`);
  }
}

async function waitForFlush(response: ServerResponse, limits: Limits): Promise<void> {
  // The operating system has taken all bytes already, which is usual for small answers.
  if (response.writableFinished || response.socket?.writableLength === 0) return;
  const events = createEventWait(response, ['finish', 'close'], limits.stallTime);
  try {
    await waitUntilTaken(response, 'finish', events);
  } finally {
    events.stop();
  }
}

/** Waits until the client has received the written bytes. Returns the time, in milliseconds. */
async function waitUntilTaken<Name extends 'drain' | 'finish'>(
  response: OutgoingMessage,
  event: Name,
  events: EventWait<Name | 'close'>,
): Promise<number> {
  const from = performance.now();
  // A destroyed response emits no more events.
  const next = response.destroyed ? 'close' : await events.next();
  if (next === event) return performance.now() - from;
  throw next === 'late' ? tooSlow() : new Error('the client has gone');
}

/** Closes the source of a body that was not read to its end. */
export async function releaseBody(body: AnswerBody): Promise<void> {
  if (body instanceof Uint8Array) return;
  for await (const _ of body.pieces) break;
}

function tooSlow(): Error {
  return httpError(408, 'the client takes the answer too slowly');
}

/** How long a client may continue to send before its connection is destroyed; in milliseconds. */
const LINGER = 500;

/** Writes an answer to input that Node cannot parse as a request, and ends the connection. */
export function sendRawAnswer(socket: Duplex, answer: Answer): Promise<void> {
  const bytes = answer.body instanceof Uint8Array ? answer.body : new Uint8Array();
  const headers = [
    ...answer.headers,
    ['Content-Length', String(bytes.length)],
    ['Connection', 'close'],
  ];
  const head = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? 'Error'}\r\n${headers
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;
  return new Promise((resolve) => {
    socket.once('close', resolve);
    socket.once('error', () => socket.destroy());
    socket.end(Buffer.concat([Buffer.from(head, 'latin1'), bytes]));
    // Unread bytes would cause a reset, which would lose the answer.
    socket.resume();
    setTimeout(() => socket.destroy(), LINGER);
  });
}
