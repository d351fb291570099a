/**
 * The first request line of a connection, made readable for Node's parser.
 *
 * @module
 */
import type { Socket } from 'node:net';

/**
 * Hands a connection on once its first bytes are there, those of the request line beyond ASCII escaped.
 *
 * The SDK for PHP writes keys as they are; RFC 9112 has no such bytes, and Node refuses them. It opens a connection
 * for each request, so the first line is all there is.
 */
export function withFirstLine(socket: Socket, most: number, accept: () => void): void {
  const timer = setTimeout(() => socket.destroy(), most);
  socket.once('close', () => clearTimeout(timer));
  socket.once('error', () => socket.destroy());
  socket.once('readable', () => {
    clearTimeout(timer);
    const bytes = socket.read() as Buffer | null;
    if (bytes !== null) socket.unshift(escaped(bytes));
    accept();
  });
}

const LINE_FEED = 0x0a;

function escaped(bytes: Buffer): Buffer {
  const end = bytes.indexOf(LINE_FEED);
  const line = bytes.subarray(0, end).toString('latin1');
  // Something else than HTTP is refused as what it is.
  if (end < 0 || !/^[A-Z]+ .*[\u0080-\u00ff].* HTTP\/1\.[01]\r$/.test(line)) return bytes;
  const mended = line.replace(
    /[\u0080-\u00ff]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return Buffer.concat([Buffer.from(mended, 'latin1'), bytes.subarray(end)]);
}
