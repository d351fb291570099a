/**
 * PutFile: `PUT /<key>`, whose body is the file.
 *
 * @module
 */
import { type Answer, emptyAnswer } from '../answer.ts';
import type { FileCall, FileOperation } from '../service.ts';
import { callbackOf, calledBack } from './callback.ts';
import { etagHeader } from './object-headers.ts';
import { contentTypeOf, metaOf, storageClassOf, UNKNOWN_TYPE } from './particulars.ts';
import { bytesOf, checkNamed, newObject, placed } from './placed-object.ts';
import { receivedContent } from './received-content.ts';

export const putFile: FileOperation = {
  name: 'PutFile',
  isPublicRead: false,
  takesPolicy: true,
  answer,
};

async function answer(call: FileCall): Promise<Answer> {
  const { service, wire, bucket, key } = call;
  const particulars = {
    contentType: contentTypeOf(wire) ?? UNKNOWN_TYPE,
    storageClass: storageClassOf(wire) ?? bucket.storageClass,
    meta: metaOf(wire, service.context),
  };
  const callback = callbackOf(wire);
  checkNamed(key);
  const content = await receivedContent(call, 'file');
  const object = newObject(call, key, particulars, bytesOf(content));
  await placed(call, object);
  return calledBack(call, callback, emptyAnswer(200, [etagHeader(object.etag)]));
}
