/**
 * Append: `PUT /<key>?append&position=N`, bytes at the end of a file.
 *
 * @module
 */
import { createHash, type Hash } from 'node:crypto';
import { type Answer, emptyAnswer } from '../answer.ts';
import type { FileCall, FileOperation } from '../service.ts';
import type { Content, StoredObject } from '../store/store.ts';
import { headerOf } from '../wire-request.ts';
import { announcedMd5, checkMd5 } from './content-md5.ts';
import { etagHeader, isFrozen } from './object-headers.ts';
import { contentTypeOf, metaOf, storageClassOf, UNKNOWN_TYPE } from './particulars.ts';
import { bytesOf, checkNamed, newObject } from './placed-object.ts';
import { kept, LARGEST_BODY } from './received-content.ts';
import { badRequest, refusal } from './refusal.ts';

export const append: FileOperation = { name: 'Append', isPublicRead: false, answer };

/** The whole is written anew, as its ETag has to be computed anew: the last block of before is no whole one. */
async function answer(call: FileCall): Promise<Answer> {
  const { service, bucket, key } = call;
  checkNamed(key);
  const before = await service.store.object(bucket.name, key);
  if (before && isFrozen(before, service.now())) throw refusal('frozen');
  checkPosition(call, before);
  const announced = announcedMd5(headerOf(call.wire, 'Content-MD5'));
  const added = createHash('md5');
  const content = await service.store.content(joined(call, before, added), {
    partEtag: false,
    md5: false,
  });
  await kept(service, content, () => checkMd5({ md5: added.digest('hex') }, announced));
  if (before) await exchanged(call, before, content);
  else await begun(call, content);
  return emptyAnswer(200, [etagHeader(content.etag)]);
}

function checkPosition({ query }: FileCall, before: StoredObject | undefined): void {
  const text = query.get('position') ?? '';
  const size = before?.size ?? 0;
  if (!/^\d{1,15}$/.test(text)) {
    throw badRequest(`position is ${JSON.stringify(text)}; it has to be a number of bytes`);
  }
  if (Number(text) !== size) {
    throw refusal('badPosition', `position is ${text}, the file ends at ${size}`);
  }
}

async function* joined(
  { service, wire }: FileCall,
  before: StoredObject | undefined,
  added: Hash,
): AsyncGenerator<Uint8Array> {
  if (before) {
    const pieces = await service.store.opened(before, 0, before.size);
    if (pieces === undefined) throw changedMeanwhile();
    yield* pieces;
  }
  for await (const piece of wire.body.pieces(LARGEST_BODY)) {
    added.update(piece);
    yield piece;
  }
}

/** Puts the longer file in the place of the one that it was made of, and of no other. */
async function exchanged(call: FileCall, before: StoredObject, content: Content): Promise<void> {
  const { store, now } = call.service;
  const ids = idsOf(before);
  let isSame = false;
  const found = await store.changeObject(call.bucket.name, call.key, (object) => {
    isSame = idsOf(object) === ids;
    return isSame ? { ...object, ...bytesOf(content), modifyTime: now() } : object;
  });
  if (found && isSame) return;
  // Thrown away only here: after any other failure the object may be there already.
  await store.discard(content);
  throw changedMeanwhile();
}

async function begun(call: FileCall, content: Content): Promise<void> {
  const { service, wire, bucket, key } = call;
  const particulars = {
    contentType: contentTypeOf(wire) ?? UNKNOWN_TYPE,
    storageClass: storageClassOf(wire) ?? bucket.storageClass,
    meta: metaOf(wire, service.context),
  };
  const object = newObject(call, key, particulars, bytesOf(content));
  const result = await service.store.putObject(object, 'only new');
  if (result === 'unknown bucket') throw refusal('bucketUnknown');
  if (result === 'exists') throw changedMeanwhile();
}

function idsOf({ contents }: StoredObject): string {
  return contents.map(({ id }) => id).join();
}

function changedMeanwhile(): Error {
  return refusal('badPosition', 'the file was changed meanwhile; ask for its size and try again');
}
