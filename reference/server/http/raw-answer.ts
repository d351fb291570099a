/**
 * An answer where Node has none to offer: to what is no request, or one too many.
 *
 * @module
 */
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Answer } from '../answer.ts';

/** How long a client may go on sending before it is cut off and may miss its answer; in milliseconds. */
const LINGER = 500;

/** Writes an answer and ends the connection. */
export function answeredRaw(socket: Duplex, answer: Answer): Promise<void> {
  const bytes = answer.body.kind === 'bytes' ? answer.body.bytes : new Uint8Array();
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
    // What still comes in is read and thrown away: a reset would take the answer along.
    socket.resume();
    setTimeout(() => socket.destroy(), LINGER);
  });
}
