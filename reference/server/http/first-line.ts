/**
 * The first request line of a connection, made readable for Node's parser.
 *
 * @module
 */
import type { Socket } from 'node:net';

/** What a first line may take; and what to do if it never ends. */
export interface LineWait {
  /** In bytes; of a longer one, Node's parser says that it is too long. */
  readonly most: number;
  /** In milliseconds. */
  readonly time: number;
  readonly late: () => void;
}

/**
 * Hands a connection on once its first line is there, the bytes of it beyond ASCII escaped.
 *
 * The SDK for PHP writes keys as they are; RFC 9112 has no such bytes, and Node refuses them. It opens a connection
 * for each request, so the first line is all there is.
 */
export function withFirstLine(
  socket: Socket,
  { most, time, late }: LineWait,
  accept: () => void,
): void {
  let bytes = Buffer.alloc(0);
  const settle = (next: () => void): void => {
    clearTimeout(timer);
    socket.off('readable', read);
    socket.off('end', handOn);
    next();
  };
  const handOn = (): void =>
    settle(() => {
      if (bytes.length > 0) socket.unshift(escaped(bytes, most));
      accept();
    });
  const read = (): void => {
    const piece = socket.read() as Buffer | null;
    if (piece !== null) bytes = Buffer.concat([bytes, piece]);
    if (piece === null || isEnough(bytes, most)) handOn();
  };
  const timer = setTimeout(() => {
    if (bytes.length === 0) socket.destroy();
    else settle(late);
  }, time);
  socket.once('close', () => clearTimeout(timer));
  socket.once('error', () => socket.destroy());
  socket.on('readable', read);
  socket.once('end', handOn);
}

/** Whether nothing more has to be waited for: the line is whole, too long, or none of HTTP. */
function isEnough(bytes: Buffer, most: number): boolean {
  const start = bytes.subarray(0, LONGEST_METHOD + 1).toString('latin1');
  return bytes.length > most || bytes.includes(LINE_FEED) || !/^[A-Z]+(?: |$)/.test(start);
}

/** Of all methods that Node knows; a longer one is refused. */
const LONGEST_METHOD = 16;

const LINE_FEED = 0x0a;

/** The same bytes, those beyond ASCII in the request line percent-escaped; each byte is looked at a fixed number of times. */
export function escaped(bytes: Buffer, most: number): Buffer {
  const end = bytes.indexOf(LINE_FEED);
  // Node refuses a longer line by its size, and something else than HTTP as what it is.
  if (end < 0 || end > most) return bytes;
  const line = bytes.subarray(0, end).toString('latin1');
  if (!isRequestLine(line) || !BEYOND_ASCII.test(line)) return bytes;
  const mended = line.replace(
    /[\u0080-\u00ff]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return Buffer.concat([Buffer.from(mended, 'latin1'), bytes.subarray(end)]);
}

const BEYOND_ASCII = /[\u0080-\u00ff]/;

/** Only the method and the version are looked for: what is between them is the target. */
function isRequestLine(line: string): boolean {
  return /^[A-Z]+ /.test(line) && /^ HTTP\/1\.[01]\r$/.test(line.slice(-VERSION.length));
}

const VERSION = ' HTTP/1.1\r';
