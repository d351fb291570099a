/**
 * Uploads in parts.
 *
 * @module
 */
import { randomUUID } from 'node:crypto';
import type { Context } from '../../signing/index.ts';
import type { FileCall } from '../authentication/service.ts';
import { badRequest, fileError, quote } from '../messages/errors.ts';
import { type Answer, emptyAnswer, headerValue, jsonAnswer } from '../messages/exchange.ts';
import type { Content, Part, StoredObject, Upload } from '../store/entries.ts';
import { answerWithCallback, parseCallback } from './callbacks.ts';
import { type ByteRange, contentRange, etagHeader } from './downloads.ts';
import {
  type Bytes,
  checkKey,
  newObject,
  objectProperties,
  type Properties,
  receiveBody,
  replacesMetadata,
  requireKey,
  UNKNOWN_TYPE,
  userMetadata,
} from './new-object.ts';
import { findCopySource } from './objects.ts';

/** The most parts of an upload: with parts of 4 MiB, the largest file of 5 TB. */
const MAX_PARTS = 1_310_720;

/** The largest list of parts in bytes: 240 000 parts, almost 1 TB. */
const LONGEST_ETAG_LIST = 8 * 1024 * 1024;

const UPLOAD_ID = /^[0-9a-f-]{36}$/;

export async function initiateMultipartUpload(call: FileCall): Promise<Answer> {
  const { service, bucket, key } = call;
  requireKey(key);
  const id = randomUUID();
  const created = await service.store.createUpload({
    id,
    bucket: bucket.name,
    key,
    // Without a type here, the type of the first part counts.
    ...objectProperties(call, ''),
    startTime: service.now(),
  });
  if (created === 'unknown bucket') throw fileError('bucketUnknown');
  const { blockSize } = service.context.steps;
  return jsonAnswer(200, { UploadId: id, BlkSize: blockSize, Bucket: bucket.name, Key: key });
}

export async function uploadPart(call: FileCall): Promise<Answer> {
  const number = partNumber(call);
  const { id } = await findUpload(call);
  return putPart(call, id, number, await receiveBody(call, true));
}

/** UploadPartCopy: a part with the bytes of a file, or a range of them. */
export async function uploadPartCopy(call: FileCall): Promise<Answer> {
  const { store } = call.service;
  const number = partNumber(call);
  const { id } = await findUpload(call);
  const source = await findCopySource(call);
  const range = copyRange(headerValue(call.wire, 'X-Ufile-Copy-Source-Range'), source);
  const pieces = await store.read(source, range.start, range.end);
  if (pieces === undefined) throw fileError('fileUnknown');
  const answer = await putPart(call, id, number, await store.receive(pieces));
  return { ...answer, headers: [...answer.headers, contentRange(range, source.size)] };
}

/** The range to copy. It must be within the file, because no source says that the service cuts it. */
function copyRange(header: string | undefined, { size }: StoredObject): ByteRange {
  if (header === undefined || header === '') return { start: 0, end: size };
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(header) ?? [];
  const range = { start: Number(first), end: Number(last) + 1 };
  if (range.start < range.end && range.end <= size) return range;
  throw fileError(
    'badCopyRange',
    `X-Ufile-Copy-Source-Range is ${JSON.stringify(header)}; it has to be bytes=a-b within the ${size} bytes of the source`,
  );
}

async function putPart(
  { service, wire }: FileCall,
  uploadId: string,
  number: number,
  content: Content,
): Promise<Answer> {
  const contentType = headerValue(wire, 'Content-Type') ?? '';
  const part = { number, content, contentType, modifyTime: service.now() };
  if ((await service.store.putPart(uploadId, part)) === 'unknown') throw unknownUpload(uploadId);
  return jsonAnswer(200, { PartNumber: number }, [etagHeader(content.partEtag)]);
}

/** `POST /<key>?uploadId=`, whose body lists the ETags of the parts */
export async function finishMultipartUpload(call: FileCall): Promise<Answer> {
  const { service, wire, bucket } = call;
  const upload = await findUpload(call);
  const callback = parseCallback(headerValue(wire, 'Authorization'));
  const list = Buffer.from(await wire.body.bytes(LONGEST_ETAG_LIST)).toString('utf8');
  const parts = selectParts(list, await service.store.parts(upload.id));
  const bytes = joinParts(parts, service.context);
  const key = await finalKey(call);
  const object = newObject(call, key, finalProperties(call, upload, parts), bytes);
  if ((await service.store.finishUpload(upload.id, object)) === 'unknown') {
    throw unknownUpload(upload.id);
  }
  const members = { Bucket: bucket.name, Key: key, FileSize: object.size };
  const answer = jsonAnswer(200, members, [etagHeader(object.etag)]);
  return answerWithCallback(call, callback, answer);
}

/** The key of the finished file: `newKey` if the original key was taken in the meantime. */
async function finalKey({ service, bucket, key, query }: FileCall): Promise<string> {
  const newKey = checkKey(query.get('newKey') ?? '');
  if (newKey === '') return key;
  return (await service.store.object(bucket.name, key)) ? newKey : key;
}

/** The type of the first of these requests that has one: initiate, first part, finish. */
function finalProperties(
  { service, wire }: FileCall,
  { contentType, storageClass, meta }: Upload,
  [first]: readonly Part[],
): Properties {
  return {
    contentType:
      contentType || first?.contentType || headerValue(wire, 'Content-Type') || UNKNOWN_TYPE,
    storageClass,
    meta: replacesMetadata(wire, 'UNCHANGED') ? userMetadata(wire, service.context) : meta,
  };
}

/**
 * The parts that a list of ETags names, in the order of their numbers.
 *
 * The order of the list does not matter, because the SDK for JavaScript writes it in the order of completion. SDKs send
 * quotes, an empty last entry and both forms of a part's ETag.
 */
function selectParts(list: string, uploaded: readonly Part[]): readonly Part[] {
  const wanted = countEtags(list);
  const take = (etag: string): boolean => {
    const count = wanted.get(etag) ?? 0;
    if (count > 1) wanted.set(etag, count - 1);
    else wanted.delete(etag);
    return count > 0;
  };
  const parts = uploaded.filter(({ content }) => take(content.partEtag) || take(content.etag));
  const [missing] = wanted.keys();
  if (missing !== undefined) {
    throw fileError(
      'badParts',
      `the list names ${quote(missing)} more often than the ${uploaded.length} parts that came have it as ETag`,
    );
  }
  if (parts.length === 0 && uploaded.length > 0) {
    throw fileError('badParts', `the list is empty, though ${uploaded.length} parts came`);
  }
  return parts;
}

function countEtags(list: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const entry of list.split(',')) {
    const etag = entry.trim().replace(/^"|"$/g, '');
    if (etag !== '') counts.set(etag, (counts.get(etag) ?? 0) + 1);
  }
  return counts;
}

/** The file of these parts. Each part is a block, so the file has the same ETag as if it were uploaded whole. */
function joinParts(parts: readonly Part[], context: Context): Bytes {
  const { steps } = context;
  checkPartSizes(parts, steps.blockSize);
  const filled = parts.map(({ content }) => content).filter(({ size }) => size > 0);
  const blocks = filled.map(({ partEtag }) => Buffer.from(partEtag, 'base64url'));
  return {
    etag: steps.etagText(steps.etagBytes(blocks.length, steps.fileDigest(blocks), context)),
    size: filled.reduce((sum, { size }) => sum + size, 0),
    contents: filled.map(({ id, size }) => ({ id, size })),
  };
}

function checkPartSizes(parts: readonly Part[], blockSize: number): void {
  const last = parts.at(-1);
  const wrong = parts.find(({ content }) => content.size !== blockSize);
  if (wrong === undefined || (wrong === last && wrong.content.size < blockSize)) return;
  throw fileError(
    'badParts',
    `part ${wrong.number} has ${wrong.content.size} bytes; every part but the last has BlkSize, ${blockSize} bytes, and the last no more`,
  );
}

export async function abortMultipartUpload(call: FileCall): Promise<Answer> {
  const { id } = await findUpload(call);
  if ((await call.service.store.abortUpload(id)) === 'unknown') throw unknownUpload(id);
  return emptyAnswer(200);
}

/** An upload of this bucket, and of this key if the request names one. */
export async function findUpload({ service, bucket, key, query }: FileCall): Promise<Upload> {
  const id = query.get('uploadId') ?? '';
  const upload = UPLOAD_ID.test(id) ? await service.store.upload(id) : undefined;
  if (upload?.bucket === bucket.name && (key === '' || upload.key === key)) return upload;
  throw unknownUpload(id);
}

function unknownUpload(id: string): Error {
  return fileError(
    'uploadUnknown',
    `no upload ${quote(id)} of this file is under way; it was finished, aborted or never begun`,
  );
}

/** Parts are numbered from 0. */
function partNumber({ query }: FileCall): number {
  const text = query.get('partNumber') ?? '';
  if (/^\d{1,7}$/.test(text) && Number(text) < MAX_PARTS) return Number(text);
  throw badRequest(
    `partNumber is ${JSON.stringify(text)}; it has to be a number from 0 to ${MAX_PARTS - 1}`,
  );
}
