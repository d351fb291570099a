/**
 * Reads files in constant memory.
 *
 * @module
 */
import { closeSync, openSync, readSync } from 'node:fs';

/** In bytes. Pieces that fit into the processor's cache are faster than whole blocks. */
const PIECE_SIZE = 256 * 1024;

/** Reads a file in pieces; each piece is valid until the next one is requested. Throws the errors of the file system. */
export function* readFile(path: string): Generator<Uint8Array> {
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
