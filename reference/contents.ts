/**
 * The content of a file in an input (§2).
 *
 * @module
 */
import { utf8Bytes } from './signing/bytes.ts';

/** A content of zero bytes with texts written at offsets, in this order. */
export interface Recipe {
  /** In bytes. */
  readonly size: number;
  readonly marks?: readonly (readonly [offset: number, text: string])[];
}

/** A content: the path of a file, bytes in Base64, or a recipe. */
export type Content =
  | { readonly file: string }
  | { readonly bytes: string }
  | { readonly recipe: Recipe };

/** Reads a file in pieces; each piece is valid until the next one is requested. */
export type ReadFile = (path: string) => Iterable<Uint8Array>;

/** The bytes of a content in pieces; each piece is valid until the next one is requested. */
export function readPieces(content: Content, readFile: ReadFile): Iterable<Uint8Array> {
  if ('file' in content) return readFile(content.file);
  return 'bytes' in content ? [decodeBase64(content.bytes)] : makeRecipePieces(content.recipe);
}

/** Decodes Base64 in either alphabet, up to its padding; skips other characters. */
export function decodeBase64(text: string): Uint8Array {
  const [digits = ''] = text.replaceAll('-', '+').replaceAll('_', '/').split('=', 1);
  const known = digits.replace(/[^A-Za-z0-9+/]/g, '');
  // A group of a single digit contains no byte.
  const whole = known.length % 4 === 1 ? known.slice(0, -1) : known;
  return Uint8Array.from(atob(whole), (character) => character.charCodeAt(0));
}

const ZEROS = new Uint8Array(256 * 1024);

function* makeRecipePieces({ size, marks = [] }: Recipe): Generator<Uint8Array> {
  const written = marks.map(([offset, text]) => ({ offset, bytes: utf8Bytes(text) }));
  for (let start = 0; start < size; start += ZEROS.length) {
    const length = Math.min(ZEROS.length, size - start);
    const own = written.filter(
      ({ offset, bytes }) => offset < start + length && offset + bytes.length > start,
    );
    yield own.length === 0 ? ZEROS.subarray(0, length) : makeMarkedPiece(start, length, own);
  }
}

interface Mark {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

function makeMarkedPiece(start: number, length: number, marks: readonly Mark[]): Uint8Array {
  const piece = new Uint8Array(length);
  for (const { offset, bytes } of marks) {
    const from = Math.max(0, start - offset);
    const part = bytes.subarray(from, start + length - offset);
    piece.set(part, Math.max(0, offset - start));
  }
  return piece;
}
