/**
 * Operations that write, copy, rename or delete a whole file.
 *
 * @module
 */
import { createHash, type Hash } from 'node:crypto';
import { urlDecode } from '../../signing/index.ts';
import { type FileCall, ownsBucket, type Service } from '../authentication/service.ts';
import { badRequest, fileError } from '../messages/errors.ts';
import { type Answer, emptyAnswer, headerValue } from '../messages/exchange.ts';
import type { Content, StoredObject } from '../store/entries.ts';
import { answerWithCallback, parseCallback } from './callbacks.ts';
import { etagHeader, isFrozen } from './downloads.ts';
import {
  changedMeanwhile,
  checkKey,
  checkMd5,
  discardOnError,
  LARGEST_BODY,
  newObject,
  objectProperties,
  type Properties,
  parseMd5,
  placeObject,
  receiveBody,
  replacesMetadata,
  requireKey,
  storageClassIn,
  UNKNOWN_TYPE,
  wholeContent,
} from './new-object.ts';

export async function putFile(call: FileCall): Promise<Answer> {
  const properties = objectProperties(call, UNKNOWN_TYPE);
  const callback = parseCallback(headerValue(call.wire, 'Authorization'));
  requireKey(call.key);
  const content = await receiveBody(call, false);
  const object = newObject(call, call.key, properties, wholeContent(content));
  await placeObject(call, object);
  return answerWithCallback(call, callback, emptyAnswer(200, [etagHeader(object.etag)]));
}

export async function deleteFile({ service, bucket, key }: FileCall): Promise<Answer> {
  const result = await service.store.deleteObject(bucket.name, key);
  if (result === 'unknown') throw fileError('fileUnknown');
  return emptyAnswer(204);
}

export async function rename({ service, bucket, key, query }: FileCall): Promise<Answer> {
  const newKey = checkKey(query.get('newFileName') ?? '');
  requireKey(newKey);
  const overwrites = query.get('force') === 'true';
  const result = await service.store.renameObject(bucket.name, key, newKey, overwrites);
  if (result === 'unknown') throw fileError('fileUnknown');
  if (result === 'exists') {
    throw fileError('nameTaken', `${JSON.stringify(newKey)} is there; force=true replaces it`);
  }
  return emptyAnswer(200);
}

/** `POST /uploadhit?Hash=&FileName=&FileSize=`: an upload without its bytes. */
export async function uploadHit(call: FileCall): Promise<Answer> {
  const { service, wire, key, query } = call;
  requireKey(key);
  // Some clients send a body and read the answer only afterwards.
  for await (const _ of await wire.body.pieces(LARGEST_BODY));
  const size = fileSize(query.get('FileSize') ?? '');
  const source = await service.store.objectWithEtag(query.get('Hash') ?? '', size);
  if (source === undefined || !(await mayCopy(service, source))) {
    throw fileError('fileUnknown', 'no file here has this Hash and FileSize; upload it');
  }
  return placeCopy(call, source, objectProperties(call, source.contentType));
}

function fileSize(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw badRequest(`FileSize is ${JSON.stringify(text)}; it has to be the file's size in bytes`);
}

export async function copy(call: FileCall): Promise<Answer> {
  const { wire, bucket, key } = call;
  requireKey(key);
  const source = await findCopySource(call);
  const storageClass = storageClassIn(wire) ?? bucket.storageClass;
  const properties = replacesMetadata(wire, 'COPY')
    ? objectProperties(call, source.contentType)
    : { contentType: source.contentType, storageClass, meta: source.meta };
  return placeCopy(call, source, properties);
}

async function placeCopy(
  call: FileCall,
  source: StoredObject,
  properties: Properties,
): Promise<Answer> {
  const object = newObject(call, call.key, properties, source);
  const contents = await call.service.store.duplicate(source);
  await placeObject(call, { ...object, contents });
  return emptyAnswer(200, [etagHeader(object.etag)]);
}

/**
 * The object of `X-Ufile-Copy-Source: /<bucket>/<key>`.
 *
 * SDKs send the name unescaped (Go), escaped (Python), or with its slashes escaped too (Java). If no object has the
 * decoded name, the name as sent counts.
 */
export async function findCopySource({ service, wire }: FileCall): Promise<StoredObject> {
  const { store, now } = service;
  const raw = headerValue(wire, 'X-Ufile-Copy-Source') ?? '';
  const names = [...new Set([urlDecode(raw) ?? raw, raw])].map(parseSourceName);
  for (const { bucket, key } of names) {
    const object = await store.object(bucket, key);
    if (object && !(await mayCopy(service, object))) {
      throw fileError('notOwner', JSON.stringify(bucket));
    }
    if (object && isFrozen(object, now())) throw fileError('frozen');
    if (object) return object;
  }
  const buckets = await Promise.all(names.map(({ bucket }) => store.bucket(bucket)));
  throw fileError(buckets.some((bucket) => bucket) ? 'fileUnknown' : 'bucketUnknown');
}

/** Whether the account that has signed the request may read this file. */
async function mayCopy(
  { store, accounts, actor }: Service,
  { bucket: name, acl }: StoredObject,
): Promise<boolean> {
  const bucket = await store.bucket(name);
  if (!bucket || bucket.type === 'public' || acl === 'public-read') return true;
  return ownsBucket(accounts, bucket, actor);
}

function parseSourceName(source: string): Pick<StoredObject, 'bucket' | 'key'> {
  const name = source.replace(/^\//, '');
  const slash = name.indexOf('/');
  if (slash > 0) return { bucket: name.slice(0, slash), key: name.slice(slash + 1) };
  throw badRequest(
    `X-Ufile-Copy-Source is ${JSON.stringify(source)}; it has to be /<bucket>/<key>`,
  );
}

/** `PUT /<key>?append&position=N`. Writes the whole file again, because its ETag covers all bytes. */
export async function append(call: FileCall): Promise<Answer> {
  const { service, wire, bucket, key } = call;
  requireKey(key);
  const before = await service.store.object(bucket.name, key);
  if (before && isFrozen(before, service.now())) throw fileError('frozen');
  checkPosition(call.query.get('position') ?? '', before?.size ?? 0);
  // Read the properties before storing the bytes, because nothing would discard the bytes if they are refused.
  const properties = before ?? objectProperties(call, UNKNOWN_TYPE);
  const announced = parseMd5(headerValue(wire, 'Content-MD5'));
  const added = createHash('md5');
  const content = await service.store.receive(appendedBytes(call, before, added), {
    partEtag: false,
    md5: false,
  });
  await discardOnError(service, content, () => checkMd5(added.digest('hex'), announced));
  if (before) await replaceUnchanged(call, before, content);
  else await placeObject(call, newObject(call, key, properties, wholeContent(content)), 'only new');
  return emptyAnswer(200, [etagHeader(content.etag)]);
}

function checkPosition(text: string, size: number): void {
  if (!/^\d{1,15}$/.test(text)) {
    throw badRequest(`position is ${JSON.stringify(text)}; it has to be a number of bytes`);
  }
  if (Number(text) !== size) {
    throw fileError('badPosition', `position is ${text}, the file ends at ${size}`);
  }
}

async function* appendedBytes(
  { service, wire }: FileCall,
  before: StoredObject | undefined,
  added: Hash,
): AsyncGenerator<Uint8Array> {
  if (before) {
    const pieces = await service.store.read(before, 0, before.size);
    if (pieces === undefined) throw changedMeanwhile();
    yield* pieces;
  }
  for await (const piece of await wire.body.pieces(LARGEST_BODY)) {
    added.update(piece);
    yield piece;
  }
}

/** Replaces the file with the longer one, unless the file was replaced in the meantime. */
async function replaceUnchanged(
  { service, bucket, key }: FileCall,
  before: StoredObject,
  content: Content,
): Promise<void> {
  const { store, now } = service;
  let isSame = false;
  const found = await store.changeObject(bucket.name, key, (object) => {
    isSame = contentIds(object) === contentIds(before);
    return isSame ? { ...object, ...wholeContent(content), modifyTime: now() } : object;
  });
  if (found && isSame) return;
  // Discard the bytes only here: after any other failure, the object may already be stored.
  await store.discard(content);
  throw changedMeanwhile();
}

function contentIds({ contents }: StoredObject): string {
  return contents.map(({ id }) => id).join();
}
