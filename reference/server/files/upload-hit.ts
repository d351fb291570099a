/**
 * UploadHit: `POST /uploadhit?Hash=&FileName=&FileSize=`, an upload without its bytes.
 *
 * @module
 */
import { type Answer, emptyAnswer } from '../answer.ts';
import type { FileCall, FileOperation } from '../service.ts';
import { etagHeader } from './object-headers.ts';
import { contentTypeOf, metaOf, storageClassOf } from './particulars.ts';
import { checkNamed, newObject, placed } from './placed-object.ts';
import { ignoredBody } from './received-content.ts';
import { badRequest, refusal } from './refusal.ts';

export const uploadHit: FileOperation = { name: 'UploadHit', isPublicRead: false, answer };

async function answer(call: FileCall): Promise<Answer> {
  const { service, wire, bucket, key, query } = call;
  checkNamed(key);
  await ignoredBody(call);
  const source = await service.store.objectWithEtag(query.get('Hash') ?? '', sizeOf(call));
  if (source === undefined) {
    throw refusal('fileUnknown', 'no file here has this Hash and FileSize; upload it');
  }
  const object = newObject(
    call,
    key,
    {
      contentType: contentTypeOf(wire) ?? source.contentType,
      storageClass: storageClassOf(wire) ?? bucket.storageClass,
      meta: metaOf(wire, service.context),
    },
    source,
  );
  const contents = await service.store.duplicate(source);
  await placed(call, { ...object, contents });
  return emptyAnswer(200, [etagHeader(object.etag)]);
}

function sizeOf({ query }: FileCall): number {
  const text = query.get('FileSize') ?? '';
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw badRequest(`FileSize is ${JSON.stringify(text)}; it has to be the file's size in bytes`);
}
