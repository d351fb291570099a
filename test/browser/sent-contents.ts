/**
 * In the place of reference/files/etag-of-file.ts: a browser has no files, so contents come with the questions.
 *
 * @module
 */
import { type Context, type EtagStages, etagHash } from '../../reference/signing/index.ts';

const PIECE_SIZE = 1024 * 1024;

/** As `export` writes it. */
export type Content =
  /** In Base64. */
  | { readonly bytes: string }
  | {
      readonly recipe: {
        readonly size: number;
        /** Texts and where they are written over the zeros. */
        readonly marks?: readonly (readonly [offset: number, text: string])[];
      };
    };

/** @param content in JSON, where Node has the path of a file */
export function etagOfFile(content: string, context: Context): EtagStages {
  const hash = etagHash(context);
  for (const piece of piecesOfFile(content)) hash.update(piece);
  return hash.stages();
}

export function* piecesOfFile(content: string): Generator<Uint8Array> {
  const bytes = bytesOf(JSON.parse(content) as Content);
  for (let at = 0; at < bytes.length; at += PIECE_SIZE) yield bytes.subarray(at, at + PIECE_SIZE);
}

function bytesOf(content: Content): Uint8Array {
  if ('bytes' in content) {
    return Uint8Array.from(atob(content.bytes), (character) => character.charCodeAt(0));
  }
  const { size, marks = [] } = content.recipe;
  const bytes = new Uint8Array(size);
  for (const [offset, text] of marks) bytes.set(new TextEncoder().encode(text), offset);
  return bytes;
}
