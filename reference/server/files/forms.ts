/**
 * PostFile: a `POST` of a form (multipart/form-data) that contains the file, to any path (§4.3).
 *
 * It uses the parser of busboy directly: busboy itself changes the type of the file to lower case and drops its
 * parameters, but the signature covers the type as sent.
 *
 * @module
 */

import type { Readable } from 'node:stream';
import { Dicer } from '@fastify/busboy';
import type { Pair } from '../../signing/index.ts';
import { hasMembers, isList, isText } from '../../values.ts';
import type { FileCall } from '../authentication/service.ts';
import { badRequest, ServiceError } from '../messages/errors.ts';
import {
  type Answer,
  emptyAnswer,
  headerValue,
  type Pieces,
  type WireRequest,
} from '../messages/exchange.ts';
import { answerWithCallback, parseCallback } from './callbacks.ts';
import { etagHeader } from './downloads.ts';
import {
  checkKey,
  checkMediaType,
  LARGEST_BODY,
  newObject,
  objectProperties,
  parseMd5,
  placeObject,
  receiveChecked,
  requireKey,
  UNKNOWN_TYPE,
  wholeContent,
} from './new-object.ts';

/** The name of the part that is the file; its `filename` has no effect. */
const FILE = 'file';

const MAX_FIELDS = 100;

/** The largest size of all fields together, in bytes. They stay in memory until the file arrives and the signature is verified. */
const MAX_FIELD_BYTES = 64 * 1024;

/**
 * The parser must never pause by itself: after a large part whose end arrives with the next piece, it would wait forever.
 */
const PARSER_OPTIONS = { maxHeaderPairs: 50, partHwm: Number.MAX_SAFE_INTEGER };

export async function postFile(call: FileCall): Promise<Answer> {
  const form = await openForm(call.wire);
  try {
    return await putFormFile(call, form);
  } finally {
    form.close();
  }
}

/** Handles a form. No byte of the file is stored before the form is authorized, so its fields have to come first. */
async function putFormFile(unauthorized: FileCall, form: Form): Promise<Answer> {
  const { fields, fileType } = form;
  const key = fieldValue(fields, 'FileName', 'ObjectName');
  if (key === undefined) {
    throw badRequest('the form has no field FileName before its file, which names the key');
  }
  requireKey(key);
  checkKey(key);
  const call = await unauthorized.authorizeForm({ key, fields, fileType });
  // The storage class and the metadata are in headers of the request, the type is in the form.
  const contentType = fieldValue(fields, 'Content-Type') || fileType || UNKNOWN_TYPE;
  const properties = {
    ...objectProperties(call, ''),
    contentType: checkMediaType(contentType),
  };
  const callback = parseCallback(fieldValue(fields, 'Authorization'));
  const md5 = headerValue(call.wire, 'Content-MD5') ?? fieldValue(fields, 'Content-MD5');
  const expected = { partEtag: false, announced: parseMd5(md5), rest: form.rest };
  const content = await receiveChecked(call, form.file, expected);
  const object = newObject(call, key, properties, wholeContent(content));
  await placeObject(call, object);
  return answerWithCallback(call, callback, emptyAnswer(200, [etagHeader(object.etag)]));
}

/** The value of the first field with one of these names. */
function fieldValue(fields: readonly Pair[], ...names: readonly string[]): string | undefined {
  return fields.find(([name]) => names.includes(name))?.[1];
}

interface FormUpToFile {
  /** The fields before the file, in order. */
  readonly fields: readonly Pair[];
  /** The Content-Type of the file's part, as sent. */
  readonly fileType: string | undefined;
  /** The bytes of the file. Reading throws if the form ends within the file. */
  readonly file: AsyncIterable<Uint8Array>;
}

export interface Form extends FormUpToFile {
  /** Resolves once the whole body is read. Parts after the file are ignored. */
  readonly rest: Promise<void>;
  readonly close: () => void;
}

/** Reads a form up to its file. The rest is parsed while the file is read. */
export async function openForm(wire: WireRequest): Promise<Form> {
  const reader = new FormReader(parseBoundary(wire));
  const rest = reader.feed(await wire.body.pieces(LARGEST_BODY));
  rest.catch((error: unknown) => reader.fail(error));
  const close = (): void => reader.close();
  try {
    return { ...(await reader.found), rest, close };
  } catch (error) {
    close();
    throw error;
  }
}

function parseBoundary(wire: WireRequest): string {
  const type = headerValue(wire, 'Content-Type') ?? '';
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(type) ?? [];
  const boundary = quoted ?? bare ?? '';
  if (/^[\x20-\x7e]{1,200}$/.test(boundary)) return boundary;
  throw badRequest('the Content-Type of the form names no boundary of 1 to 200 characters');
}

type PartHeaders = Readonly<Record<string, readonly string[] | undefined>>;

/** Collects the fields up to the file. The parser skips a part without headers, which the SDK for Go sends. */
class FormReader {
  readonly #parser: Dicer;
  readonly #stop = new AbortController();
  readonly #fields: Promise<Pair>[] = [];
  #fieldBytes = 0;
  #file: Readable | undefined;
  #resume = (): void => {};
  #resolve = (_: FormUpToFile): void => {};
  #reject = (_: unknown): void => {};
  readonly found: Promise<FormUpToFile> = new Promise((resolve, reject) => {
    this.#resolve = resolve;
    this.#reject = reject;
  });

  constructor(boundary: string) {
    this.#parser = new Dicer({ boundary, ...PARSER_OPTIONS });
    this.#parser.on('part', (part) => {
      // Errors of a part reach its reader; errors of skipped parts have no effect.
      part.on('error', () => {});
      part.on('header', (headers: unknown) => {
        if (isPartHeaders(headers)) this.#take(part, headers);
      });
    });
  }

  /** Feeds the body to the parser, no faster than the file is read, and waits until everything is parsed. */
  async feed(pieces: Pieces): Promise<void> {
    const { signal } = this.#stop;
    const parsed = new Promise<void>((resolve) => {
      this.#parser.once('finish', resolve);
      // The SDK for Python sends a form without its end delimiter. An incomplete part reports its own error.
      this.#parser.on('error', () => resolve());
      signal.addEventListener('abort', () => resolve());
    });
    for await (const piece of pieces) {
      signal.throwIfAborted();
      this.#parser.write(piece);
      await this.#drained();
    }
    this.#parser.end();
    await parsed;
    if (this.#file) return;
    this.#reject(badRequest('the form has no part named "file", which is what it uploads'));
  }

  /** Ends the search or the file after the last byte of the body. */
  fail(error: unknown): void {
    this.#reject(error);
    if (this.#file && !this.#file.readableEnded) {
      this.#file.destroy(error instanceof Error ? error : new Error(String(error)));
    }
    this.#resume();
  }

  close(): void {
    this.#stop.abort();
    this.fail(new Error('the form is not read any further'));
  }

  /** Resolves once all parsed bytes of the file were read. */
  #drained(): Promise<void> {
    return new Promise((drained) => {
      this.#resume = drained;
      if (!this.#file?.readableLength || this.#file.destroyed) drained();
    });
  }

  #take(part: Readable, headers: PartHeaders): void {
    const name = partName(headers);
    if (this.#file || name === undefined) part.resume();
    else if (name !== FILE) {
      const field = this.#readField(part, name);
      field.catch(this.#reject);
      if (this.#fields.push(field) <= MAX_FIELDS) return;
      this.#reject(badRequest(`the form has more than ${MAX_FIELDS} fields before its file`));
    } else {
      this.#file = part;
      const fileType = partType(headers);
      const file = readPart(part, () => this.#resume());
      const found = Promise.all(this.#fields).then((fields) => ({ fields, fileType, file }));
      found.then(this.#resolve, this.#reject);
    }
  }

  async #readField(part: Readable, name: string): Promise<Pair> {
    const pieces: Uint8Array[] = [];
    this.#countBytes(name.length);
    for await (const piece of readPart(part)) {
      this.#countBytes(piece.length);
      pieces.push(piece);
    }
    return [name, Buffer.concat(pieces).toString('utf8')];
  }

  #countBytes(bytes: number): void {
    this.#fieldBytes += bytes;
    if (this.#fieldBytes <= MAX_FIELD_BYTES) return;
    throw badRequest(`the fields of the form have more than ${MAX_FIELD_BYTES} bytes together`);
  }
}

function isPartHeaders(headers: unknown): headers is PartHeaders {
  return (
    hasMembers(headers) && Object.values(headers).every((all) => isList(all) && all.every(isText))
  );
}

async function* readPart(
  part: AsyncIterable<Uint8Array>,
  onPiece = (): void => {},
): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of part) {
      onPiece();
      yield piece;
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw badRequest('the form ends within a part, which no delimiter closes');
  }
}

/** The headers of a part of a form (RFC 7578 §4.2). */
function partName(headers: PartHeaders): string | undefined {
  const disposition = headers['content-disposition']?.[0] ?? '';
  if (!/^form-data\s*;/i.test(disposition)) return undefined;
  const [, quoted, bare] = /;\s*name=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(disposition) ?? [];
  const name = quoted?.replace(/\\(.)/g, '$1') ?? bare;
  return name === undefined ? undefined : decodeUtf8(name);
}

function partType(headers: PartHeaders): string | undefined {
  const type = headers['content-type']?.[0];
  return type === undefined ? undefined : decodeUtf8(type).trim();
}

/** Decodes UTF-8 from a text in which the parser has written each byte as one character. */
function decodeUtf8(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
