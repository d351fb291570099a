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
  const parser = new Dicer({ boundary: parseBoundary(wire), ...PARSER_OPTIONS });
  const stop = new AbortController();
  const search = searchFile(parser);
  const rest = feedParser(parser, await wire.body.pieces(LARGEST_BODY), search, stop.signal);
  rest.then(search.end, search.fail);
  const close = (): void => {
    stop.abort();
    search.fail(new Error('the form is not read any further'));
  };
  try {
    return { ...(await search.found), rest, close };
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

/** Feeds the body to the parser, no faster than the file is read, and waits until everything is parsed. */
async function feedParser(
  parser: Dicer,
  pieces: Pieces,
  { drained }: FileSearch,
  signal: AbortSignal,
): Promise<void> {
  const parsed = new Promise<void>((resolve) => {
    parser.once('finish', resolve);
    // The SDK for Python sends a form without its end delimiter. An incomplete part reports its own error.
    parser.on('error', () => resolve());
    signal.addEventListener('abort', () => resolve());
  });
  for await (const piece of pieces) {
    signal.throwIfAborted();
    parser.write(piece);
    await drained();
  }
  parser.end();
  await parsed;
}

interface FileSearch {
  readonly found: Promise<FormUpToFile>;
  /** Resolves once all parsed bytes of the file were read. */
  readonly drained: () => Promise<void>;
  /** Resolves once the whole form is parsed. */
  readonly end: () => void;
  /** Ends the search or the file after the last byte of the body. */
  readonly fail: (error: Error) => void;
}

type PartHeaders = Readonly<Record<string, readonly string[] | undefined>>;

/** Collects the fields up to the file. The parser skips a part without headers, which the SDK for Go sends. */
function searchFile(parser: Dicer): FileSearch {
  const { promise: found, resolve, reject } = createDeferred<FormUpToFile>();
  const fields = collectFields(reject);
  let file: Readable | undefined;
  let resume = (): void => {};
  listenToParts(parser, (part, headers) => {
    const name = partName(headers);
    if (file || name === undefined) part.resume();
    else if (name !== FILE) fields.add(part, name);
    else {
      file = part;
      const rest = { fileType: partType(headers), file: readPart(part, () => resume()) };
      fields.all().then((before) => resolve({ fields: before, ...rest }), reject);
    }
  });
  return {
    found,
    drained: () =>
      new Promise((drained) => {
        resume = drained;
        if (!file?.readableLength || file.destroyed) drained();
      }),
    end() {
      if (!file) reject(badRequest('the form has no part named "file", which is what it uploads'));
    },
    fail(error) {
      reject(error);
      if (file && !file.readableEnded) file.destroy(error);
      resume();
    },
  };
}

function listenToParts(parser: Dicer, take: (part: Readable, headers: PartHeaders) => void): void {
  parser.on('part', (part) => {
    // Errors of a part reach its reader; errors of skipped parts have no effect.
    part.on('error', () => {});
    part.on('header', (headers: unknown) => {
      if (isPartHeaders(headers)) take(part, headers);
    });
  });
}

function isPartHeaders(headers: unknown): headers is PartHeaders {
  return (
    hasMembers(headers) && Object.values(headers).every((all) => isList(all) && all.every(isText))
  );
}

interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

/** `Promise.withResolvers`, which Node 20 lacks. */
function createDeferred<T>(): Deferred<T> {
  let settle: Omit<Deferred<T>, 'promise'> = { resolve: () => {}, reject: () => {} };
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
}

interface FieldCollection {
  readonly add: (part: Readable, name: string) => void;
  readonly all: () => Promise<readonly Pair[]>;
}

/** @param fail is called if the fields are too many or too large */
function collectFields(fail: (error: Error) => void): FieldCollection {
  const fields: Promise<Pair>[] = [];
  let size = 0;
  const count = (bytes: number): void => {
    size += bytes;
    if (size > MAX_FIELD_BYTES) {
      throw badRequest(`the fields of the form have more than ${MAX_FIELD_BYTES} bytes together`);
    }
  };
  return {
    add(part, name) {
      const field = readField(part, name, count);
      field.catch(fail);
      if (fields.push(field) > MAX_FIELDS) {
        fail(badRequest(`the form has more than ${MAX_FIELDS} fields before its file`));
      }
    },
    all: () => Promise.all(fields),
  };
}

async function readField(
  part: Readable,
  name: string,
  count: (bytes: number) => void,
): Promise<Pair> {
  const pieces: Uint8Array[] = [];
  count(name.length);
  for await (const piece of readPart(part)) {
    count(piece.length);
    pieces.push(piece);
  }
  return [name, Buffer.concat(pieces).toString('utf8')];
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
