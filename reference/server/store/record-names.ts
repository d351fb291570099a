/**
 * The names of records in the database. Their order, that of their UTF-8 bytes, is the order of every list.
 *
 * What may be any text stands last or as JSON, which says where it ends: no name can be read as another.
 *
 * @module
 */
import type { ListRange, Part, StoredObject, Upload } from './store.ts';

/** A stretch of the database; each end as bytes, for some are not the bytes of any text. */
export type Stretch<K = Buffer> = ({ readonly gt: K } | { readonly gte: K }) & {
  readonly lt: K;
};

/** Comes after every byte of UTF-8. */
const AFTER_ALL = Buffer.from([0xff]);

const OBJECTS = 'object';
const PARTS = 'part';
const BUCKETS = 'bucket:';

export const bucketName = (bucket: string): string => `${BUCKETS}${bucket}`;
export const everyBucket = (): Stretch => stretchOf(BUCKETS);

export const objectName = (bucket: string, key: string): string => objectsOf(bucket) + key;
const objectsOf = (bucket: string): string => OBJECTS + JSON.stringify([bucket]);
export const everyObject = (): Stretch => stretchOf(OBJECTS);

export function objectsWithin(bucket: string, { prefix, after }: ListRange): Stretch {
  const start = objectsOf(bucket);
  return stretchAfter(start + prefix, Buffer.from(start + after));
}

/** Where an object is found by its content. */
export const etagName = ({ etag, size, bucket, key }: StoredObject): string =>
  etagsOf(etag, size) + JSON.stringify([bucket]) + key;
const etagsOf = (etag: string, size: number): string => `etag${JSON.stringify([etag, size])}`;
export const objectsLike = (etag: string, size: number): Stretch => stretchOf(etagsOf(etag, size));

export const uploadName = (id: string): string => `upload:${id}`;
/** Where an upload is found by its key. */
export const uploadKeyName = ({ bucket, key, id }: Upload): string =>
  uploadsOf(bucket) + ended(key) + id;
const uploadsOf = (bucket: string): string => `uploads${JSON.stringify([bucket])}`;

/** With `afterId`, from the upload of the key `after` that comes next to it; else from the next key. */
export function uploadsWithin(
  bucket: string,
  { prefix, after }: ListRange,
  afterId?: string,
): Stretch {
  const start = uploadsOf(bucket);
  const last = Buffer.from(start + ended(after) + (afterId ?? ''));
  return stretchAfter(
    start + escaped(prefix),
    afterId === undefined ? Buffer.concat([last, AFTER_ALL]) : last,
  );
}

export const partName = (uploadId: string, { number }: Pick<Part, 'number'>): string =>
  partsOf(uploadId) + String(number).padStart(16, '0');
const partsOf = (uploadId: string): string => PARTS + JSON.stringify([uploadId]);
export const everyPartOf = (uploadId: string): Stretch => stretchOf(partsOf(uploadId));
export const everyPart = (): Stretch => stretchOf(PARTS);

/** Two NUL end a key, and no key has two: so "a" comes before "a" and anything else. */
const ended = (key: string): string => `${escaped(key)}\0\0`;
const escaped = (key: string): string => key.replaceAll('\0', '\0\u0001');

function stretchOf(start: string): Stretch {
  const first = Buffer.from(start);
  return { gte: first, lt: Buffer.concat([first, AFTER_ALL]) };
}

function stretchAfter(start: string, last: Buffer): Stretch {
  const all = stretchOf(start);
  return Buffer.from(start).compare(last) > 0 ? all : { gt: last, lt: all.lt };
}
