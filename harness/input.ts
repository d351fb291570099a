/**
 * The one place that reads what people name: files, pipes and devices, each within bounds.
 *
 * @module
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

const KIB = 1024;
const MIB = 1024 * KIB;

type Kind = 'yaml' | 'keys' | 'certificate' | 'request' | 'answers';

/** How much is read, in bytes; more is refused. */
export const LARGEST: Readonly<Record<Kind, number>> = {
  /** Parsing YAML takes a second for some hundred thousand bytes. */
  yaml: 512 * KIB,
  keys: 64 * KIB,
  certificate: MIB,
  request: 4 * MIB,
  answers: 32 * MIB,
};

/** A file that cannot be read; the code is that of the system, or says what is wrong instead. */
export class ReadError extends Error {
  override readonly name = 'ReadError';
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** How long a pipe may give nothing, and how long the harness rests before it looks again; in milliseconds. */
const PATIENCE = 30_000;
const PAUSE = 20;

/** Reads a file whole; throws a `ReadError` where it is larger, or where nothing comes. */
export function bytesOfFile(path: string, largest: number): Buffer {
  let file: number | undefined;
  try {
    // Without this, a pipe without a writer is waited for without end.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    return bytesOfOpened(file, largest);
  } catch (error) {
    if (error instanceof ReadError) throw error;
    throw new ReadError((error as NodeJS.ErrnoException).code ?? String(error));
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The same as UTF-8. */
export function textOfFile(path: string, largest: number): string {
  return bytesOfFile(path, largest).toString('utf8');
}

function bytesOfOpened(file: number, largest: number): Buffer {
  const pieces: Buffer[] = [];
  let length = 0;
  let isAwaited = fstatSync(file).isFIFO();
  for (let waited = 0; ; ) {
    const piece = Buffer.allocUnsafe(64 * KIB);
    const count = readOnce(file, piece);
    if (count === undefined || (count === 0 && isAwaited)) {
      if (waited >= PATIENCE) throw new ReadError(`nothing came for ${PATIENCE / 1000} s`);
      waited += PAUSE;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
      continue;
    }
    if (count === 0) return Buffer.concat(pieces);
    // What has written can end; before, nothing has been opened for writing yet.
    isAwaited = false;
    waited = 0;
    pieces.push(piece.subarray(0, count));
    length += count;
    refuseLarger(length, largest);
  }
}

/** Nothing where nothing has come yet. */
function readOnce(file: number, piece: Buffer): number | undefined {
  try {
    return readSync(file, piece);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
    throw error;
  }
}

/** Reads standard input whole, within the same bound. */
export async function bytesOfInput(largest: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of process.stdin as AsyncIterable<Buffer>) {
    pieces.push(piece);
    length += piece.length;
    refuseLarger(length, largest);
  }
  return Buffer.concat(pieces);
}

function refuseLarger(length: number, largest: number): void {
  if (length <= largest) return;
  const size = largest < MIB ? `${largest / KIB} KiB` : `${largest / MIB} MiB`;
  throw new ReadError(`it holds more than ${size}`);
}
