/**
 * Changes what an object is like, not what it holds.
 *
 * @module
 */
import type { FileCall } from '../service.ts';
import type { StoredObject } from '../store/store.ts';
import { refusal } from './refusal.ts';

/** Nothing comes in between; what `change` throws leaves all as it was. */
export async function changedObject(
  { service, bucket, key }: FileCall,
  change: (object: StoredObject) => StoredObject,
): Promise<StoredObject> {
  const modifyTime = service.now();
  const changed = await service.store.changeObject(bucket.name, key, (object) => ({
    ...change(object),
    modifyTime,
  }));
  if (changed === undefined) throw refusal('fileUnknown');
  return changed;
}
