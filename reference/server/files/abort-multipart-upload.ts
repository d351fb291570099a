/**
 * AbortMultipartUpload: `DELETE /<key>?uploadId=`.
 *
 * @module
 */
import { type Answer, emptyAnswer } from '../answer.ts';
import type { FileCall, FileOperation } from '../service.ts';
import { unknownUpload, uploadOf } from './multipart-upload.ts';

export const abortMultipartUpload: FileOperation = {
  name: 'AbortMultipartUpload',
  isPublicRead: false,
  answer,
};

async function answer(call: FileCall): Promise<Answer> {
  const { id } = await uploadOf(call);
  if ((await call.service.store.abortUpload(id)) === 'unknown') throw unknownUpload(id);
  return emptyAnswer(200);
}
