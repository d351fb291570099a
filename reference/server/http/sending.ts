/**
 * Writes answers: exact header names, exact lengths, no faster than they are read.
 *
 * @module
 */
import type { OutgoingMessage, ServerResponse } from 'node:http';
import type { Answer, AnswerBody } from '../answer.ts';
import { fault } from './fault.ts';
import type { Limits } from './limits.ts';
import { firstOf, paceOf } from './pace.ts';
import { wireOfText } from './wire-text.ts';

/** A client that reads slowly is seen to read after this many bytes: it has `stallTime` for them. */
const PIECE = 64 * 1024;

/** Of the request that is answered. */
export interface Sending {
  readonly method: string;
  readonly isLast: boolean;
  readonly limits: Limits;
}

/**
 * Sends an answer, to its last byte.
 *
 * @throws Error where the client is gone or takes too long, or the pieces are not what their length says
 */
export async function sent(response: ServerResponse, answer: Answer, to: Sending): Promise<void> {
  const hasBody = to.method !== 'HEAD' && ![204, 304].includes(answer.status);
  const { body } = answer;
  try {
    response.writeHead(answer.status, rawHeaders(answer, hasBody, to.isLast));
    // Not flushed alone: Node writes headers as UTF-8 then, and every byte beyond ASCII as two.
    if (hasBody) await bodySent(response, body, to.limits);
    response.end();
    await flushed(response, to.limits);
  } finally {
    await released(body);
  }
}

function rawHeaders(answer: Answer, hasBody: boolean, isLast: boolean): string[] {
  const names = answer.headers.map(([name]) => name.toLowerCase());
  const length = lengthOf(answer.body);
  const isSaid = names.includes('content-length') || (!hasBody && length === 0);
  return [
    ...answer.headers,
    ...(isSaid ? [] : [['Content-Length', String(length)] as const]),
    ...(isLast ? [['Connection', 'close'] as const] : []),
  ].flatMap(([name, value]) => [name, wireOfText(value)]);
}

function lengthOf(body: AnswerBody): number {
  switch (body.kind) {
    case 'none':
      return 0;
    case 'bytes':
      return body.bytes.length;
    case 'pieces':
      return body.length;
  }
}

async function bodySent(response: ServerResponse, body: AnswerBody, limits: Limits): Promise<void> {
  if (body.kind === 'none') return;
  const length = lengthOf(body);
  const pace = paceOf(limits);
  let written = 0;
  for await (const piece of body.kind === 'bytes' ? [body.bytes] : body.pieces) {
    for (let at = 0; at < piece.length; at += PIECE) {
      const slice = piece.subarray(at, at + PIECE);
      written += slice.length;
      if (response.write(slice)) continue;
      if (!pace.isKept(await taken(response, 'drain', limits), slice.length)) throw tooSlow();
    }
  }
  if (written !== length) {
    throw new Error(`an answer of ${length} bytes was written with ${written}`);
  }
}

/** What was not read to its end may have a file open, and closes it once it was begun. */
export async function released(body: AnswerBody): Promise<void> {
  if (body.kind !== 'pieces') return;
  for await (const _ of body.pieces) break;
}

async function flushed(response: ServerResponse, limits: Limits): Promise<void> {
  if (!response.writableFinished) await taken(response, 'finish', limits);
}

/** Until the client took what was written; in milliseconds. */
async function taken(
  response: OutgoingMessage,
  event: 'drain' | 'finish',
  { stallTime }: Limits,
): Promise<number> {
  const from = performance.now();
  // Once it is closed there is no event any more.
  const next = response.destroyed ? 'close' : await firstOf(response, [event, 'close'], stallTime);
  if (next === event) return performance.now() - from;
  throw next === 'late' ? tooSlow() : new Error('the client has gone');
}

function tooSlow(): Error {
  return fault(408, 'the client takes the answer too slowly');
}
