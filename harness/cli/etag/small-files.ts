/**
 * The ETags of small files (§2), computed by several threads that share a list of paths.
 *
 * @module
 */

import { hash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { hasMembers, isList, isText } from '../../../reference/values.ts';

export interface FileEtag {
  /** In bytes. */
  readonly size: number;
  readonly blockCount: number;
  readonly etag: string;
}

/** Paths of files that several threads hash. */
export interface SharedPaths {
  readonly paths: readonly string[];
  /** The bytes before the digest in the ETag of a file with one block. */
  readonly start: Uint8Array;
  /** Shared memory: the first path that no thread has taken. */
  readonly next: Int32Array;
}

/** The ETags of some paths that follow each other; undefined for a file that is empty, not small or not readable. */
export interface HashedPaths {
  readonly first: number;
  readonly etags: readonly (FileEtag | undefined)[];
}

export function isHashedPaths(value: unknown): value is HashedPaths {
  if (!hasMembers(value)) return false;
  const { first, etags } = value;
  return typeof first === 'number' && isList(etags) && etags.every(isEtagIfAny);
}

function isEtagIfAny(value: unknown): value is FileEtag | undefined {
  if (value === undefined) return true;
  if (!hasMembers(value)) return false;
  const { size, blockCount, etag } = value;
  return typeof size === 'number' && typeof blockCount === 'number' && isText(etag);
}

/** Files from this size on are not small. In bytes. */
export const SMALL: number = 64 * 1024;

/** The number of paths that a thread takes at once. */
const TAKEN = 64;

/** Hashes paths until all are taken. */
export function hashPaths({ paths, start, next }: SharedPaths): readonly HashedPaths[] {
  const piece = Buffer.allocUnsafeSlow(SMALL);
  const hashed: HashedPaths[] = [];
  for (;;) {
    const first = Atomics.add(next, 0, TAKEN);
    if (first >= paths.length) return hashed;
    const taken = paths.slice(first, first + TAKEN);
    hashed.push({ first, etags: taken.map((path) => hashSmall(path, piece, start)) });
  }
}

function hashSmall(path: string, piece: Buffer, start: Uint8Array): FileEtag | undefined {
  try {
    const file = openSync(path, 'r');
    try {
      const size = fill(file, piece);
      const isSmall = size > 0 && size < piece.length;
      return isSmall ? oneBlockEtag(piece.subarray(0, size), start) : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    // The main thread reads it again and reports the reason.
    return undefined;
  }
}

/** The bytes of an ETag: a count of 4 bytes and a digest. It is reused, because a new Buffer takes as long as a digest. */
const bytes = Buffer.alloc(24);

/** The ETag of the content of one block, in one digest, in a fifth of the time that the steps take. */
export function oneBlockEtag(content: Uint8Array, start: Uint8Array): FileEtag {
  bytes.set(start);
  bytes.write(hash('sha1', content, 'binary'), start.length, 'latin1');
  return { size: content.length, blockCount: 1, etag: bytes.toString('base64url') };
}

/** Reads until the buffer is full or the file ends. */
export function fill(file: number, buffer: Buffer): number {
  let filled = 0;
  while (filled < buffer.length) {
    const count = readSync(file, buffer, filled, buffer.length - filled, null);
    if (count === 0) break;
    filled += count;
  }
  return filled;
}
