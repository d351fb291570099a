/**
 * The body of a request, piece by piece, at the pace of whoever reads it.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../service-error.ts';
import type { WireBody } from '../wire-request.ts';
import { fault } from './fault.ts';
import type { Limits } from './limits.ts';
import { firstOf, paceOf } from './pace.ts';

/** A body as the connection sees it. */
export interface IncomingBody {
  readonly wire: WireBody;
  /** Whether all of it has been read. */
  readonly isWhole: () => boolean;
  /** Whether nothing more can come of it. */
  readonly isBroken: () => boolean;
  /** Reads what is left and throws it away; whether that was all. */
  readonly drained: () => Promise<boolean>;
}

/**
 * The body of a message.
 *
 * @param begin is called before the first byte is waited for
 * @param broken says, with its reason, that the rest will never come
 */
export function incomingBody(
  message: IncomingMessage,
  limits: Limits,
  begin: () => void,
  broken: AbortSignal,
): IncomingBody {
  const length = contentLength(message);
  let isTaken = false;
  let isBroken = false;
  let isDrained = false;
  const read = async function* (most: number): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of piecesOf(message, most, limits, broken)) {
        if (isDrained) throw tooLate();
        yield piece;
      }
      // Who was given up on must not take for whole what somebody else has read meanwhile.
      if (isDrained) throw tooLate();
    } catch (error) {
      isBroken = !(error instanceof ServiceError) || error.closes;
      throw error;
    }
  };
  const pieces = (most: number): AsyncIterable<Uint8Array> => {
    if (isTaken) throw new Error('the body of a request is read once');
    isTaken = true;
    const bound = Math.min(most, limits.bodySize);
    if (length !== undefined && length > bound) throw tooLong(bound, length);
    begin();
    return read(bound);
  };
  return {
    wire: { length, pieces, bytes: (most) => joined(pieces(most)) },
    isBroken: () => isBroken,
    isWhole: () => message.readableEnded || (message.complete && length === 0),
    drained: async () => {
      isDrained = true;
      try {
        for await (const _ of piecesOf(message, limits.unreadSize, limits, broken));
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** Zero of a message that has neither a length nor chunks; nothing of one in chunks. */
function contentLength({ headers }: IncomingMessage): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return undefined;
  return Number(headers['content-length'] ?? 0);
}

async function* piecesOf(
  message: IncomingMessage,
  most: number,
  limits: Limits,
  broken: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const pace = paceOf(limits);
  let received = 0;
  let waited = 0;
  while (!message.readableEnded) {
    const piece = message.read() as Buffer | null;
    if (piece === null) {
      waited += await waitedFor(message, limits, broken, received);
      continue;
    }
    received += piece.length;
    if (received > most) throw tooLong(most);
    if (!pace.isKept(waited, piece.length)) throw tooSlow(received);
    waited = 0;
    yield piece;
  }
}

/** Until there is more to read, or nothing more; in milliseconds. */
async function waitedFor(
  message: IncomingMessage,
  limits: Limits,
  broken: AbortSignal,
  received: number,
): Promise<number> {
  if (message.destroyed) throw brokenOff(received);
  const from = performance.now();
  const next = await firstOf(message, ['readable', 'end', 'close'], limits.stallTime, broken);
  if (next === 'late') throw tooSlow(received);
  const isGone = next === 'close' || message.socket.destroyed;
  if (isGone && !message.readableEnded) throw brokenOff(received);
  if (next === 'aborted') throw broken.reason;
  return performance.now() - from;
}

async function joined(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

function tooLong(most: number, length?: number): Error {
  const observed = length === undefined ? 'more than that came' : `${length} bytes are announced`;
  return fault(413, `the body of this request has at most ${most} bytes; ${observed}`, false);
}

function tooSlow(received: number): Error {
  return fault(408, `the body came too slowly: ${received} bytes, then next to nothing`);
}

function tooLate(): Error {
  return fault(503, 'the request is answered already, and the rest of its body thrown away');
}

function brokenOff(received: number): Error {
  return fault(400, `the body breaks off after ${received} bytes`);
}
