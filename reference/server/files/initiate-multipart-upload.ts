/**
 * InitiateMultipartUpload: `POST /<key>?uploads`.
 *
 * @module
 */
import { randomUUID } from 'node:crypto';
import { type Answer, jsonAnswer } from '../answer.ts';
import type { FileCall, FileOperation } from '../service.ts';
import { contentTypeOf, metaOf, storageClassOf } from './particulars.ts';
import { checkNamed } from './placed-object.ts';
import { refusal } from './refusal.ts';

export const initiateMultipartUpload: FileOperation = {
  name: 'InitiateMultipartUpload',
  isPublicRead: false,
  answer,
};

async function answer({ service, wire, bucket, key }: FileCall): Promise<Answer> {
  checkNamed(key);
  const id = randomUUID();
  const created = await service.store.createUpload({
    id,
    bucket: bucket.name,
    key,
    // Empty where none is said: that of the first part counts then.
    contentType: contentTypeOf(wire) ?? '',
    storageClass: storageClassOf(wire) ?? bucket.storageClass,
    meta: metaOf(wire, service.context),
    startTime: service.now(),
  });
  if (created === 'unknown bucket') throw refusal('bucketUnknown');
  const { blockSize } = service.context.steps;
  return jsonAnswer(200, { UploadId: id, BlkSize: blockSize, Bucket: bucket.name, Key: key });
}
