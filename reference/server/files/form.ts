/**
 * A form with a file in it (multipart/form-data), read as it comes.
 *
 * The parser is the one under busboy: busboy itself writes the type of the file in small letters and without its
 * parameters, and a signature covers it as it was sent.
 *
 * @module
 */
import { Dicer } from '@fastify/busboy';
import type { Pair } from '../../signing/index.ts';
import { headerOf, type WireRequest } from '../wire-request.ts';
import { type FileSearch, type FormUpToFile, fileOfForm } from './form-parts.ts';
import { badRequest } from './refusal.ts';

export interface Form extends FormUpToFile {
  /** Is fulfilled once the whole body is read; what comes after the file counts for nothing. */
  readonly rest: Promise<void>;
  /** Stops reading. */
  readonly close: () => void;
}

/**
 * The parser never waits by itself: after a part that was too much for it and whose end comes with the next piece it
 * would wait for ever.
 */
const OPTIONS = { maxHeaderPairs: 50, partHwm: Number.MAX_SAFE_INTEGER };

/** Reads a form up to its file; the rest waits until the file is read. */
export async function openedForm(wire: WireRequest, most: number): Promise<Form> {
  const parser = new Dicer({ boundary: boundaryOf(wire), ...OPTIONS });
  const stop = new AbortController();
  const file = fileOfForm(parser);
  const rest = fed(parser, wire.body.pieces(most), file, stop.signal);
  rest.then(file.ended, file.failed);
  const close = (): void => {
    stop.abort();
    file.failed(new Error('the form is not read any further'));
  };
  try {
    return { ...(await file.found), rest, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** The value of the first field of a name that is there. */
export function fieldOf(fields: readonly Pair[], ...names: readonly string[]): string | undefined {
  return fields.find(([name]) => names.includes(name))?.[1];
}

function boundaryOf(wire: WireRequest): string {
  const type = headerOf(wire, 'Content-Type') ?? '';
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(type) ?? [];
  const boundary = quoted ?? bare ?? '';
  if (/^[\x20-\x7e]{1,200}$/.test(boundary)) return boundary;
  throw badRequest('the Content-Type of the form names no boundary of 1 to 200 characters');
}

/** Gives the parser the body, no faster than the file is taken, and waits until it has parsed it. */
async function fed(
  parser: Dicer,
  pieces: AsyncIterable<Uint8Array>,
  { taken }: FileSearch,
  signal: AbortSignal,
): Promise<void> {
  const parsed = new Promise<void>((resolve) => {
    parser.once('finish', resolve);
    // A form without its end mark, as the SDK for Python sends it: whether a part is lacking its end is told by the part.
    parser.on('error', () => resolve());
    signal.addEventListener('abort', () => resolve());
  });
  for await (const piece of pieces) {
    signal.throwIfAborted();
    parser.write(piece);
    await taken();
  }
  parser.end();
  await parsed;
}
