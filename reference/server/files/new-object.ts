/**
 * Creates an object for an upload or a copy: receives the bytes, reads the properties and stores the object.
 *
 * @module
 */

import type { Context, Pair } from '../../signing/index.ts';
import type { FileCall, Service } from '../authentication/service.ts';
import { badRequest, fileError, quote } from '../messages/errors.ts';
import { headerValue, type Pieces, type WireRequest } from '../messages/exchange.ts';
import type { Content, StorageClass, StoredObject } from '../store/entries.ts';

/** The largest put, form or part; in bytes. */
export const LARGEST_BODY: number = 512 * 1024 * 1024;

/** The longest key, in bytes of UTF-8. */
const LONGEST_KEY = 1023;

/** The largest metadata, names and values together; in bytes. */
const LARGEST_META = 8 * 1024;

export const UNKNOWN_TYPE = 'application/octet-stream';

export type Properties = Pick<StoredObject, 'contentType' | 'storageClass' | 'meta'>;
export type Bytes = Pick<StoredObject, 'etag' | 'size' | 'contents'>;

/** Returns the key. Throws if it is too long; an empty key, of a request on the bucket, is allowed. */
export function checkKey(key: string): string {
  const size = Buffer.byteLength(key, 'utf8');
  if (size <= LONGEST_KEY) return key;
  throw badRequest(`the key has ${size} bytes; at most ${LONGEST_KEY} are allowed`);
}

export function requireKey(key: string): void {
  if (key === '') throw badRequest('the key is empty; a file is addressed by /<key> (§4.3)');
}

/** The properties of the new object in a request. The storage class defaults to that of the bucket. */
export function objectProperties(
  { service, wire, bucket }: FileCall,
  defaultType: string,
): Properties {
  return {
    contentType: headerValue(wire, 'Content-Type') || defaultType,
    storageClass: storageClassIn(wire) ?? bucket.storageClass,
    meta: userMetadata(wire, service.context),
  };
}

export function storageClassIn(wire: WireRequest): StorageClass | undefined {
  const text = headerValue(wire, 'X-Ufile-Storage-Class') ?? '';
  return text === '' ? undefined : parseStorageClass(text);
}

export function parseStorageClass(text: string): StorageClass {
  if (text === 'STANDARD' || text === 'IA' || text === 'ARCHIVE') return text;
  throw badRequest(
    `the storage class is ${JSON.stringify(text)}; it has to be STANDARD, IA or ARCHIVE`,
  );
}

/**
 * The metadata headers: `X-Ufile-Meta-*` of the service's documentation, and `x-svc-meta-<name>` of §2.
 *
 * Answers write both as `X-Ufile-Meta-*`.
 */
export function userMetadata(
  { headers }: WireRequest,
  { dialect }: Pick<Context, 'dialect'>,
): readonly Pair[] {
  const prefixes = ['x-ufile-meta-', `${dialect.headerPrefix.toLowerCase()}meta-`];
  const meta = headers.flatMap(([header, value]) => {
    const name = header.toLowerCase();
    const prefix = prefixes.find((start) => name.startsWith(start));
    return prefix === undefined ? [] : [[header.slice(prefix.length), value.trim()] as const];
  });
  const wrong = meta.find(([name]) => !/^[A-Za-z0-9-]+$/.test(name));
  if (wrong) {
    throw badRequest(
      `the metadata ${JSON.stringify(wrong[0])} is no name of letters, digits and "-"`,
    );
  }
  if (meta.length === 0) return meta;
  const size = Buffer.byteLength(meta.flat().join(''), 'utf8');
  if (size <= LARGEST_META) return meta;
  throw badRequest(`the metadata has ${size} bytes; at most ${LARGEST_META} are allowed`);
}

/** Whether the metadata directive is REPLACE; `keep` is the other allowed word. */
export function replacesMetadata(wire: WireRequest, keep: 'COPY' | 'UNCHANGED'): boolean {
  const directive = headerValue(wire, 'X-Ufile-Metadata-Directive') ?? '';
  if (directive === 'REPLACE') return true;
  if (directive === '' || directive === keep) return false;
  throw badRequest(
    `X-Ufile-Metadata-Directive is ${JSON.stringify(directive)}; it has to be ${keep} or REPLACE`,
  );
}

/** Returns a media type from a body. Throws if it cannot be a header value, because answers send it in a header. */
export function checkMediaType(text: string): string {
  const isHeaderText = /^[\t\x20-\x7e\u0080-\u{10ffff}]*$/u.test(text);
  if (text !== '' && text.length <= 1024 && isHeaderText) return text;
  throw badRequest(`the media type ${quote(text)} cannot be the value of a header`);
}

/**
 * The MD5 of the header Content-MD5, in lower-case hexadecimal.
 *
 * The service's documentation has 32 hexadecimal digits. Base64 of 16 bytes (RFC 1864) is accepted too.
 */
export function parseMd5(text = ''): string | undefined {
  if (text === '') return undefined;
  if (/^[0-9a-f]{32}$/i.test(text)) return text.toLowerCase();
  if (/^[A-Za-z0-9+/]{22}==$/.test(text)) return Buffer.from(text, 'base64').toString('hex');
  throw badRequest(
    `Content-MD5 is ${JSON.stringify(text)}; it has to be 32 hexadecimal digits or Base64 of 16 bytes`,
  );
}

export function checkMd5(md5: string, announced: string | undefined): void {
  if (announced === undefined || announced === md5) return;
  throw fileError(
    'badDigest',
    `Content-MD5 says ${announced}, the bytes that came have ${md5}; nothing is kept`,
  );
}

/** Stores the body of the request and compares it with its Content-MD5. */
export async function receiveBody(call: FileCall, partEtag: boolean): Promise<Content> {
  const { body } = call.wire;
  const announced = parseMd5(headerValue(call.wire, 'Content-MD5'));
  return receiveChecked(call, await body.pieces(LARGEST_BODY), { partEtag, announced });
}

interface Expected {
  readonly partEtag: boolean;
  readonly announced: string | undefined;
  /** What has to be read beside the bytes before they are kept. */
  readonly rest?: Promise<void>;
}

/** Stores bytes, unless they differ from their announced MD5. */
export async function receiveChecked(
  { service }: FileCall,
  pieces: Pieces,
  { partEtag, announced, rest }: Expected,
): Promise<Content> {
  const content = await service.store.receive(pieces, { partEtag, md5: announced !== undefined });
  await discardOnError(service, content, async () => {
    await rest;
    checkMd5(content.md5, announced);
  });
  return content;
}

export async function discardOnError(
  { store }: Service,
  content: Content,
  check: () => void | Promise<void>,
): Promise<void> {
  try {
    await check();
  } catch (error) {
    await store.discard(content);
    throw error;
  }
}

/** The bytes of an object with a single content. */
export function wholeContent({ id, size, etag }: Content): Bytes {
  return { etag, size, contents: [{ id, size }] };
}

export function newObject(
  { service, bucket }: Pick<FileCall, 'service' | 'bucket'>,
  key: string,
  properties: Properties,
  { etag, size, contents }: Bytes,
): StoredObject {
  const now = service.now();
  return {
    bucket: bucket.name,
    key,
    etag,
    size,
    contents,
    ...properties,
    tags: [],
    acl: 'default',
    createTime: now,
    modifyTime: now,
  };
}

export async function placeObject(
  { service }: Pick<FileCall, 'service'>,
  object: StoredObject,
  condition?: 'only new',
): Promise<void> {
  const result = await service.store.putObject(object, condition);
  if (result === 'unknown bucket') throw fileError('bucketUnknown');
  if (result === 'exists') throw changedMeanwhile();
}

export function changedMeanwhile(): Error {
  return fileError('badPosition', 'the file was changed meanwhile; ask for its size and try again');
}
