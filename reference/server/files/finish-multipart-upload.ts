/**
 * FinishMultipartUpload: `POST /<key>?uploadId=`, whose body lists the ETags of the parts.
 *
 * @module
 */
import { type Answer, jsonAnswer } from '../answer.ts';
import type { FileCall, FileOperation } from '../service.ts';
import type { Part, Upload } from '../store/store.ts';
import { headerOf } from '../wire-request.ts';
import { callbackOf, calledBack } from './callback.ts';
import { isReplaced } from './copy.ts';
import { listedParts, wholeOf } from './listed-parts.ts';
import { unknownUpload, uploadOf } from './multipart-upload.ts';
import { etagHeader } from './object-headers.ts';
import { contentTypeOf, metaOf, type Particulars, UNKNOWN_TYPE } from './particulars.ts';
import { newObject } from './placed-object.ts';
import { checkedKey } from './request-target.ts';

export const finishMultipartUpload: FileOperation = {
  name: 'FinishMultipartUpload',
  isPublicRead: false,
  takesPolicy: true,
  answer,
};

/** Of the list, in bytes: 240 000 parts, almost 1 TB. */
const LONGEST_LIST = 8 * 1024 * 1024;

async function answer(call: FileCall): Promise<Answer> {
  const { service, wire, bucket } = call;
  const upload = await uploadOf(call);
  const callback = callbackOf(wire);
  const list = Buffer.from(await wire.body.bytes(LONGEST_LIST)).toString('utf8');
  const parts = listedParts(list, await service.store.parts(upload.id));
  const whole = wholeOf(parts, service.context);
  const key = await finalKey(call);
  const object = newObject(call, key, particularsOf(call, upload, parts), whole);

  if ((await service.store.finishUpload(upload.id, object)) === 'unknown') {
    throw unknownUpload(upload.id);
  }
  const members = { Bucket: bucket.name, Key: key, FileSize: object.size };
  return calledBack(call, callback, jsonAnswer(200, members, [etagHeader(object.etag)]));
}

/** `newKey` counts only where the key is taken meanwhile. */
async function finalKey({ service, bucket, key, query }: FileCall): Promise<string> {
  const newKey = checkedKey(query.get('newKey') ?? '');
  if (newKey === '') return key;
  return (await service.store.object(bucket.name, key)) ? newKey : key;
}

/** The type of the beginning, else of the first part, else of the end. */
function particularsOf(
  { service, wire }: FileCall,
  upload: Upload,
  parts: readonly Part[],
): Particulars {
  const directive = headerOf(wire, 'X-Ufile-Metadata-Directive');
  return {
    contentType:
      upload.contentType || parts[0]?.contentType || (contentTypeOf(wire) ?? UNKNOWN_TYPE),
    storageClass: upload.storageClass,
    meta: isReplaced(directive, 'UNCHANGED') ? metaOf(wire, service.context) : upload.meta,
  };
}
