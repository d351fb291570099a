/**
 * The parts of a form: its fields, and its file.
 *
 * @module
 */
import type { Readable } from 'node:stream';
import type { Dicer } from '@fastify/busboy';
import type { Pair } from '../../signing/index.ts';
import { ServiceError } from '../service-error.ts';
import { badRequest } from './refusal.ts';

export interface FormUpToFile {
  /** Those before the file, in their order. */
  readonly fields: readonly Pair[];
  /** Content-Type of the file's part, as it is written. */
  readonly fileType: string | undefined;
  /** Throws where the form ends within the file. */
  readonly file: AsyncIterable<Uint8Array>;
}

/** The search for a form's file. */
export interface FileSearch {
  readonly found: Promise<FormUpToFile>;
  /** Is fulfilled once nothing of the file waits to be taken. */
  readonly taken: () => Promise<void>;
  /** All of the form is parsed. */
  readonly ended: () => void;
  /** Nothing more will come: ends the search, or the file. */
  readonly failed: (error: Error) => void;
}

/** The name of the part that is the file; what it says as `filename` counts for nothing. */
const FILE = 'file';

const MOST_FIELDS = 100;

/** Of all fields together, in bytes: they wait in memory until the file comes, and nobody is known before. */
const MOST_FIELD_BYTES = 64 * 1024;

type PartHeaders = Readonly<Record<string, readonly string[] | undefined>>;

/** Listens to a parser; a part without headers, as the SDK for Go sends one, is passed over by it. */
export function fileOfForm(parser: Dicer): FileSearch {
  const fields: Promise<Pair>[] = [];
  let size = 0;
  const count = (bytes: number): void => {
    size += bytes;
    if (size > MOST_FIELD_BYTES) throw tooLongFields();
  };
  let file: Readable | undefined;
  let fail: (error: Error) => void = () => {};
  let go = (): void => {};

  const found = new Promise<FormUpToFile>((resolve, reject) => {
    fail = reject;
    const taken = (part: Readable, headers: PartHeaders): void => {
      const name = nameOf(headers);
      if (file || name === undefined) {
        part.resume();
      } else if (name !== FILE) {
        const field = fieldIn(part, name, count);
        field.catch(reject);
        if (fields.push(field) > MOST_FIELDS) reject(tooManyFields());
      } else {
        file = part;
        const opened = (before: Pair[]): FormUpToFile => ({
          fields: before,
          fileType: typeOf(headers),
          file: piecesOf(part, () => go()),
        });
        Promise.all(fields).then((before) => resolve(opened(before)), reject);
      }
    };
    parser.on('part', (part) => {
      // Whoever reads a part learns of its errors; nobody else has to.
      part.on('error', () => {});
      part.on('header', (headers: object) => taken(part, headers as PartHeaders));
    });
  });
  return {
    found,
    taken: () =>
      new Promise((resolve) => {
        go = resolve;
        if (!file?.readableLength || file.destroyed) resolve();
      }),
    ended() {
      if (!file) fail(badRequest('the form has no part named "file", which is what it uploads'));
    },
    failed(error) {
      fail(error);
      if (file && !file.readableEnded) file.destroy(error);
      go();
    },
  };
}

async function fieldIn(
  part: Readable,
  name: string,
  count: (bytes: number) => void,
): Promise<Pair> {
  const pieces: Uint8Array[] = [];
  count(name.length);
  for await (const piece of piecesOf(part)) {
    count(piece.length);
    pieces.push(piece);
  }
  return [name, Buffer.concat(pieces).toString('utf8')];
}

/** The bytes of a part; the parser has words of its own for a form that ends within it. */
async function* piecesOf(part: Readable, taken = (): void => {}): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of part as AsyncIterable<Uint8Array>) {
      taken();
      yield piece;
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw badRequest('the form ends within a part, which no delimiter closes');
  }
}

/** Of a part of a form (RFC 7578 §4.2). */
function nameOf(headers: PartHeaders): string | undefined {
  const disposition = headers['content-disposition']?.[0] ?? '';
  if (!/^form-data\s*;/i.test(disposition)) return undefined;
  const [, quoted, bare] = /;\s*name=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(disposition) ?? [];
  const name = quoted?.replace(/\\(.)/g, '$1') ?? bare;
  return name === undefined ? undefined : textOf(name);
}

function typeOf(headers: PartHeaders): string | undefined {
  const type = headers['content-type']?.[0];
  return type === undefined ? undefined : textOf(type).trim();
}

/** The parser hands every byte over as one character. */
function textOf(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function tooManyFields(): Error {
  return badRequest(`the form has more than ${MOST_FIELDS} fields before its file`);
}

function tooLongFields(): Error {
  return badRequest(`the fields of the form have more than ${MOST_FIELD_BYTES} bytes together`);
}
