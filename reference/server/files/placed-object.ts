/**
 * Puts an object where a request wants it.
 *
 * @module
 */
import type { FileCall } from '../service.ts';
import type { Content, StoredObject } from '../store/store.ts';
import type { Particulars } from './particulars.ts';
import { badRequest, refusal } from './refusal.ts';

export type Bytes = Pick<StoredObject, 'etag' | 'size' | 'contents'>;

/** What an object has of a content that is its whole. */
export function bytesOf({ id, size, etag }: Content): Bytes {
  return { etag, size, contents: [{ id, size }] };
}

/** A file has a key. */
export function checkNamed(key: string): void {
  if (key === '') throw badRequest('the key is empty; a file is addressed by /<key> (§4.3)');
}

/** An object that is new in its place, whatever was there. */
export function newObject(
  { service, bucket }: FileCall,
  key: string,
  particulars: Particulars,
  { etag, size, contents }: Bytes,
): StoredObject {
  const now = service.now();
  return {
    bucket: bucket.name,
    key,
    etag,
    size,
    contents,
    ...particulars,
    tags: [],
    acl: 'default',
    createTime: now,
    modifyTime: now,
  };
}

/** Puts it in the place of what is there. */
export async function placed({ service }: FileCall, object: StoredObject): Promise<void> {
  if ((await service.store.putObject(object)) === 'unknown bucket') throw refusal('bucketUnknown');
}
