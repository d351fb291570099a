/**
 * The object that a request is about.
 *
 * @module
 */
import type { FileCall } from '../service.ts';
import type { StoredObject } from '../store/store.ts';
import { refusal } from './refusal.ts';

export async function foundObject({ service, bucket, key }: FileCall): Promise<StoredObject> {
  const object = await service.store.object(bucket.name, key);
  if (object === undefined) throw refusal('fileUnknown');
  return object;
}
