/**
 * The ETag of a file on disk (§2), in constant memory.
 *
 * @module
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { type Context, type EtagStages, etagHash } from '../signing/index.ts';

/** Bytes read at a time: small enough for a processor's cache, which makes it faster than whole blocks. */
const PIECE_SIZE = 256 * 1024;

/** Reads a file through once. Errors of the file system come out as they are. */
export function etagOfFile(path: string, context: Context): EtagStages {
  const hash = etagHash(context);
  for (const piece of piecesOfFile(path)) hash.update(piece);
  return hash.stages();
}

/** The content of a file, piece by piece; each piece is only valid until the next is asked for. */
export function* piecesOfFile(path: string): Generator<Uint8Array> {
  const file = openSync(path, 'r');
  try {
    const buffer = new Uint8Array(PIECE_SIZE);
    for (;;) {
      const length = readSync(file, buffer, 0, PIECE_SIZE, null);
      if (length === 0) return;
      yield buffer.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}
