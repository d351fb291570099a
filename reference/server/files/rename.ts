/**
 * Rename: `PUT /<key>?newFileName=&force=`.
 *
 * @module
 */
import { type Answer, emptyAnswer } from '../answer.ts';
import type { FileCall, FileOperation } from '../service.ts';
import { checkNamed } from './placed-object.ts';
import { refusal } from './refusal.ts';
import { checkedKey } from './request-target.ts';

export const rename: FileOperation = { name: 'Rename', isPublicRead: false, answer };

async function answer({ service, bucket, key, query }: FileCall): Promise<Answer> {
  const newKey = checkedKey(query.get('newFileName') ?? '');
  checkNamed(newKey);
  const overwrites = query.get('force') === 'true';
  const result = await service.store.renameObject(bucket.name, key, newKey, overwrites);
  if (result === 'unknown') throw refusal('fileUnknown');
  if (result === 'exists') {
    throw refusal('nameTaken', `${JSON.stringify(newKey)} is there; force=true replaces it`);
  }
  return emptyAnswer(200);
}
