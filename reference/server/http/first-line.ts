/**
 * Rewrites the first request line of a connection so that Node's parser accepts it.
 *
 * @module
 */
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

export interface LineWait {
  /** The longest line in bytes; Node's parser refuses a longer one. */
  readonly most: number;
  /** The time limit for the line, in milliseconds. */
  readonly time: number;
  readonly late: () => void;
}

/**
 * Reads the first line, percent-escapes its bytes beyond ASCII, then calls `accept` with the first byte, if there is one.
 *
 * The SDK for PHP does not escape keys, but RFC 9112 does not allow such bytes, and Node refuses them. The SDK opens a
 * connection for each request, so rewriting the first line is enough.
 */
export function readFirstLine(
  socket: Socket,
  { most, time, late }: LineWait,
  accept: (first: number | undefined) => void,
): void {
  let bytes = Buffer.alloc(0);
  const settle = (next: () => void): void => {
    clearTimeout(timer);
    socket.off('readable', read);
    socket.off('end', finish);
    next();
  };
  const finish = (): void =>
    settle(() => {
      if (bytes.length > 0) socket.unshift(escapeFirstLine(bytes, most));
      accept(bytes[0]);
    });
  const read = (): void => {
    const piece = readArrived(socket);
    if (piece) bytes = Buffer.concat([bytes, piece]);
    if (!piece || isLineComplete(bytes, most)) finish();
  };
  const timer = setTimeout(() => {
    if (bytes.length === 0) socket.destroy();
    else settle(late);
  }, time);
  socket.once('close', () => clearTimeout(timer));
  socket.once('error', () => socket.destroy());
  socket.on('readable', read);
  socket.once('end', finish);
}

/** The bytes that have arrived; undefined if none have. From Node 26 on, each `read` returns only one of the buffers. */
export function readArrived(stream: Readable): Buffer | undefined {
  const pieces: Buffer[] = [];
  for (;;) {
    const piece: unknown = stream.read();
    if (!Buffer.isBuffer(piece)) break;
    pieces.push(piece);
  }
  return pieces.length > 1 ? Buffer.concat(pieces) : pieces[0];
}

/** Whether the line is complete, too long, or not HTTP. */
function isLineComplete(bytes: Buffer, most: number): boolean {
  const start = bytes.subarray(0, LONGEST_METHOD + 1).toString('latin1');
  return bytes.length > most || bytes.includes(LINE_FEED) || !/^[A-Z]+(?: |$)/.test(start);
}

/** The longest method that Node knows, in characters. */
const LONGEST_METHOD = 16;

const LINE_FEED = 0x0a;

/** Percent-escapes the bytes beyond ASCII in the request line, in linear time. */
function escapeFirstLine(bytes: Buffer, most: number): Buffer {
  const end = bytes.indexOf(LINE_FEED);
  // Node's parser reports a longer line, and bytes that are not HTTP.
  if (end < 0 || end > most) return bytes;
  const line = bytes.subarray(0, end).toString('latin1');
  if (!isRequestLine(line)) return bytes;
  const escaped = line.replace(
    /[\u0080-\u00ff]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return Buffer.concat([Buffer.from(escaped, 'latin1'), bytes.subarray(end)]);
}

/** A request line. Everything between the method and the version counts as the target. */
function isRequestLine(line: string): boolean {
  return /^[A-Z]+ /.test(line) && /^ HTTP\/1\.[01]\r$/.test(line.slice(-VERSION.length));
}

const VERSION = ' HTTP/1.1\r';
