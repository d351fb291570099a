/**
 * GetFile and HeadFile, with ranges and conditions (RFC 9110 §13 and §14).
 *
 * @module
 */

import { type HeaderList, type Pair, urlEncode } from '../../signing/index.ts';
import type { FileCall, Service } from '../authentication/service.ts';
import { fileError } from '../messages/errors.ts';
import {
  type Answer,
  type AnswerBody,
  emptyAnswer,
  headerValue,
  type WireRequest,
} from '../messages/exchange.ts';
import type { StoredObject } from '../store/entries.ts';

/** How often a download is retried if the object is replaced after its record was read. */
const TRIES = 5;

export async function getFile(call: FileCall): Promise<Answer> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const answer = await sendObject(call, await findObject(call));
    if (answer) return answer;
  }
  throw fileError('fileUnknown');
}

export async function headFile(call: FileCall): Promise<Answer> {
  const object = await findObject(call);
  return emptyAnswer(isModified(call.wire, object) ? 200 : 304, [
    ...objectHeaders(object),
    ['Content-Length', String(object.size)],
    ['X-Ufile-Create-Time', httpDate(object.createTime)],
    ...restoreHeader(object, call.service.now()),
  ]);
}

export async function findObject({ service, bucket, key }: FileCall): Promise<StoredObject> {
  const object = await service.store.object(bucket.name, key);
  if (object === undefined) throw fileError('fileUnknown');
  return object;
}

/** The answer to a GET; undefined if the object was replaced in the meantime. */
async function sendObject(call: FileCall, object: StoredObject): Promise<Answer | undefined> {
  const { service, wire } = call;
  if (!isModified(wire, object)) return emptyAnswer(304, objectHeaders(object));
  if (isFrozen(object, service.now())) throw fileError('frozen');
  const range = requestedRange(wire, object);
  const { start, end } = range ?? { start: 0, end: object.size };
  const body = await readBody(service, object, start, end);
  return (
    body && {
      status: range ? 206 : 200,
      headers: [
        ...objectHeaders(object),
        ...(range ? [contentRange(range, object.size)] : []),
        ...disposition(call),
      ],
      body,
      code: 0,
    }
  );
}

async function readBody(
  { store }: Service,
  object: StoredObject,
  start: number,
  end: number,
): Promise<AnswerBody | undefined> {
  const bytes = store.bytesInMemory(object, start, end);
  if (bytes) return bytes;
  const pieces = await store.read(object, start, end);
  return pieces && { length: end - start, pieces };
}

/** Keeps a stored file from running scripts on the origin of the server. */
export const SANDBOX: Pair = ['Content-Security-Policy', 'sandbox'];

/**
 * Headers that keep a stored file from running scripts on the server's origin, and browsers from guessing its type.
 *
 * Any web page can make a browser upload a file here and open it.
 */
const INERT: HeaderList = [SANDBOX, ['X-Content-Type-Options', 'nosniff']];

/** The headers of an object. Their names are in the case that the published SDKs expect. */
function objectHeaders(object: StoredObject): HeaderList {
  return [
    ['Content-Type', object.contentType],
    ...INERT,
    etagHeader(object.etag),
    ['Last-Modified', httpDate(object.modifyTime)],
    ['Accept-Ranges', 'bytes'],
    ['X-Ufile-Storage-Class', object.storageClass],
    ...object.meta.map(([name, value]) => [`X-Ufile-Meta-${name}`, value] as const),
  ];
}

/** The ETag in double quotes, because the SDK for JavaScript cuts off the first and the last character. */
export function etagHeader(etag: string): readonly ['ETag', string] {
  return ['ETag', `"${etag}"`];
}

/** The header of a restored archive. Its wording is not published; this is the wording of S3. */
function restoreHeader({ restoredUntil }: StoredObject, now: number): HeaderList {
  if (restoredUntil === undefined || restoredUntil <= now) return [];
  const until = httpDate(restoredUntil);
  return [['X-Ufile-Restore', `ongoing-request="false", expiry-date="${until}"`]];
}

/** The last date and its text, because many files in a row have the same one. */
let lastDate = { seconds: 0, text: new Date(0).toUTCString() };

function httpDate(seconds: number): string {
  if (lastDate.seconds !== seconds) {
    lastDate = { seconds, text: new Date(seconds * 1000).toUTCString() };
  }
  return lastDate.text;
}

/** Whether an object is archived and cannot be read, because it was not restored or its restoration has expired. */
export function isFrozen(object: StoredObject, now: number): boolean {
  return object.storageClass === 'ARCHIVE' && (object.restoredUntil ?? 0) <= now;
}

/** The name under which a browser saves the file. */
function disposition({ query }: FileCall): HeaderList {
  const name = query.get('ufileattname');
  if (!name) return [];
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  return [
    ['Content-Disposition', `attachment; filename="${plain}"; filename*=UTF-8''${urlEncode(name)}`],
  ];
}

/** Evaluates the conditions of a request in the order of RFC 9110 §13.2.2; throws if a precondition fails. */
function isModified(wire: WireRequest, { etag, modifyTime }: StoredObject): boolean {
  const match = headerValue(wire, 'If-Match');
  const isMet =
    match === undefined
      ? modifyTime <= secondsIn(wire, 'If-Unmodified-Since', Number.POSITIVE_INFINITY)
      : listsEtag(match, etag);
  if (!isMet) throw fileError('preconditionFailed');
  const noneMatch = headerValue(wire, 'If-None-Match');
  if (noneMatch !== undefined) return !listsEtag(noneMatch, etag);
  return modifyTime > secondsIn(wire, 'If-Modified-Since', Number.NEGATIVE_INFINITY);
}

/** Whether a list of ETags contains this one. Quotes may be missing, because the SDKs return ETags without them. */
function listsEtag(list: string, etag: string): boolean {
  return list
    .split(',')
    .map((entry) => entry.trim().replace(/^W\//, '').replace(/^"|"$/g, ''))
    .some((entry) => entry === '*' || entry === etag);
}

/** A malformed date is ignored (RFC 9110 §13.1.3). */
function secondsIn(wire: WireRequest, name: string, otherwise: number): number {
  const text = headerValue(wire, name);
  if (text === undefined) return otherwise;
  const time = Date.parse(text);
  return Number.isNaN(time) ? otherwise : time / 1000;
}

/** A range of bytes; `end` is exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The range to send; undefined for the whole file. */
function requestedRange(wire: WireRequest, object: StoredObject): ByteRange | undefined {
  const { etag, modifyTime, size } = object;
  const header = headerValue(wire, 'Range');
  const only = headerValue(wire, 'If-Range');
  const isWanted =
    only === undefined || only === `"${etag}"` || Date.parse(only) === modifyTime * 1000;
  return header !== undefined && isWanted ? parseRange(header, size) : undefined;
}

/**
 * Parses a Range header; undefined if it is ignored.
 *
 * Only a single range of bytes counts. A range of an empty file is ignored too, because the SDK for Java always asks for
 * `bytes=0-`.
 */
function parseRange(header: string, size: number): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header.replaceAll(' ', '')) ?? [];
  if ((first === '' && last === '') || size === 0) return undefined;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(Number(last) + 1, size);
  if (start < size) return { start, end };
  throw fileError('badRange', `the file has ${size} bytes, which the Range does not reach into`);
}

export function contentRange(
  { start, end }: ByteRange,
  size: number,
): readonly ['Content-Range', string] {
  return ['Content-Range', `bytes ${start}-${end - 1}/${size}`];
}
