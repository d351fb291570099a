/**
 * DeleteFile: `DELETE /<key>`.
 *
 * @module
 */
import { type Answer, emptyAnswer } from '../answer.ts';
import type { FileCall, FileOperation } from '../service.ts';
import { refusal } from './refusal.ts';

export const deleteFile: FileOperation = { name: 'DeleteFile', isPublicRead: false, answer };

async function answer({ service, bucket, key }: FileCall): Promise<Answer> {
  const result = await service.store.deleteObject(bucket.name, key);
  if (result === 'unknown') throw refusal('fileUnknown');
  return emptyAnswer(204);
}
