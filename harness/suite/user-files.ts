/**
 * Reads the files, pipes and devices that users name, each up to a size limit, and makes folders for them.
 *
 * @module
 */

import {
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { describeSystemError } from '../../reference/system-errors.ts';
import { systemCode } from '../../reference/values.ts';
import { UsageError } from '../engine/errors.ts';
import { isInBinary, readPackageFile } from './package-root.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

type Kind = 'yaml' | 'keys' | 'certificate' | 'request' | 'answers' | 'report';

/** The size limits, in bytes; larger files are refused. */
export const LARGEST: Readonly<Record<Kind, number>> = {
  /** Parsing a few hundred thousand bytes of YAML takes a second. */
  yaml: 512 * KIB,
  keys: 64 * KIB,
  certificate: MIB,
  request: 4 * MIB,
  answers: 32 * MIB,
  report: 256 * MIB,
};

/** A file cannot be read, although the system allows it. The message is a clause that follows a colon. */
class ReadError extends Error {
  override readonly name = 'ReadError';
}

/** Calls a function that uses a file of the user. @throws UsageError with the problem, the reason of the system and the advice */
export function withFile<T>(use: () => T, problem: string, advice: string): T {
  try {
    return use();
  } catch (error) {
    if (systemCode(error) === undefined && !(error instanceof ReadError)) throw error;
    throw new UsageError(`${problem}: ${describeSystemError(error)}; ${advice}`);
  }
}

/** How long a pipe may stay silent; in milliseconds. */
const SILENCE_LIMIT = 30_000;
/** The time between two attempts to read from a silent pipe; in milliseconds. */
const PAUSE = 20;

/** @throws an error of the system; or ReadError if the file is larger, or a pipe stays silent */
export function readBytes(path: string, largest: number): Buffer {
  if (isInBinary(path)) return readPackageFile(path);
  // Without O_NONBLOCK, opening a pipe that has no writer never returns.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    return readToEnd(file, largest);
  } finally {
    closeSync(file);
  }
}

/** As `readBytes`, decoded as UTF-8. */
export function readText(path: string, largest: number): string {
  return readBytes(path, largest).toString('utf8');
}

function readToEnd(file: number, largest: number): Buffer {
  const pieces: Buffer[] = [];
  let length = 0;
  // Before a writer opens the pipe, reading it yields no bytes, as at its end.
  let hasWriter = !fstatSync(file).isFIFO();
  for (let waited = 0; ; ) {
    const piece = Buffer.allocUnsafe(64 * KIB);
    const count = readAvailable(file, piece);
    if (count === undefined || (count === 0 && !hasWriter)) {
      if (waited >= SILENCE_LIMIT) {
        throw new ReadError(`no data arrived for ${SILENCE_LIMIT / 1000} s`);
      }
      waited += PAUSE;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
      continue;
    }
    if (count === 0) return Buffer.concat(pieces);
    hasWriter = true;
    waited = 0;
    pieces.push(piece.subarray(0, count));
    length += count;
    checkSize(length, largest);
  }
}

/** Reads without waiting; undefined if no data is available yet. */
function readAvailable(file: number, piece: Buffer): number | undefined {
  try {
    return readSync(file, piece);
  } catch (error) {
    if (systemCode(error) === 'EAGAIN') return undefined;
    throw error;
  }
}

/** Reads a stream to its end. @throws ReadError if it is larger */
export async function readStream(
  stream: AsyncIterable<Uint8Array>,
  largest: number,
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of stream) {
    pieces.push(piece);
    length += piece.length;
    checkSize(length, largest);
  }
  return Buffer.concat(pieces);
}

function checkSize(length: number, largest: number): void {
  if (length <= largest) return;
  const size = largest < MIB ? `${largest / KIB} KiB` : `${largest / MIB} MiB`;
  throw new ReadError(`it is larger than ${size}`);
}

/** The entries of a folder, sorted by name; undefined if the path is not a readable folder. */
export function readFolder(path: string): readonly Dirent[] | undefined {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return undefined;
  }
}

/** Creates a folder and its parents. Without `recursive`, because `mkdirSync` with it never returns below /proc. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  mkdirSync(path);
}
