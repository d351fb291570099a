/**
 * The entries of a store: buckets, objects, uploads and parts, and the names of their records.
 *
 * @module
 */
import type { Pair } from '../../signing/index.ts';

export interface Bucket {
  readonly name: string;
  readonly id: string;
  readonly type: 'public' | 'private';
  readonly region: string;
  readonly tag: string;
  readonly storageClass: StorageClass;
  /** The creation time in Unix seconds, like all times here. */
  readonly createTime: number;
  readonly modifyTime: number;
  /** The public key of its account; without one it belongs to every account. */
  readonly owner?: string;
}

export type StorageClass = 'STANDARD' | 'IA' | 'ARCHIVE';

/** A stored content and its digests. */
export interface Content {
  readonly id: string;
  readonly size: number;
  readonly etag: string;
  /** The URL-safe Base64 of the SHA-1 of the whole content; empty if it was not requested. */
  readonly partEtag: string;
  /** The MD5 in lower-case hexadecimal; empty if it was not requested. */
  readonly md5: string;
}

/** The digests to compute besides the ETag. Each takes at least as much time as the ETag. */
export interface WantedSums {
  readonly partEtag: boolean;
  readonly md5: boolean;
}

export interface StoredObject {
  readonly bucket: string;
  readonly key: string;
  readonly etag: string;
  readonly size: number;
  readonly contentType: string;
  readonly storageClass: StorageClass;
  /** The metadata. Names are without their prefix, in their original case. */
  readonly meta: readonly Pair[];
  readonly tags: readonly Pair[];
  readonly acl: 'default' | 'public-read';
  readonly createTime: number;
  readonly modifyTime: number;
  /** The time until which a restored archive can be read. */
  readonly restoredUntil?: number;
  /** The contents of the object in order; an empty file may have no content. */
  readonly contents: readonly Pick<Content, 'id' | 'size'>[];
}

export interface Upload {
  readonly id: string;
  readonly bucket: string;
  readonly key: string;
  readonly contentType: string;
  readonly storageClass: StorageClass;
  readonly meta: readonly Pair[];
  readonly startTime: number;
}

export interface Part {
  /** The number of the part, starting with 0. */
  readonly number: number;
  readonly content: Content;
  /** The Content-Type of its request; empty without one. */
  readonly contentType?: string;
  readonly modifyTime: number;
}

export interface ListRange {
  readonly prefix: string;
  /** Lists only entries after this one, in the order of UTF-8 bytes; empty for all entries. */
  readonly after: string;
  readonly limit: number;
}

/*
 * The names of records. Their order, that of their UTF-8 bytes, is the order of every list. Arbitrary text is last in a
 * name or written as JSON, which marks its end, so no name can be read as another.
 */

/** A range of names; its ends are bytes, as some are not UTF-8. */
export type NameRange = ({ readonly gt: Buffer } | { readonly gte: Buffer }) & {
  readonly lt: Buffer;
};

/** A byte that sorts after every byte of UTF-8. */
const AFTER_ALL = Buffer.from([0xff]);

const OBJECTS = 'object';
const PARTS = 'part';
const BUCKETS = 'bucket:';

export const bucketName = (bucket: string): string => `${BUCKETS}${bucket}`;
export const everyBucket = (): NameRange => rangeOf(BUCKETS);

export const objectName = (bucket: string, key: string): string => objectsOf(bucket) + key;
const objectsOf = (bucket: string): string => OBJECTS + JSON.stringify([bucket]);
export const everyObject = (): NameRange => rangeOf(OBJECTS);

export function objectsWithin(bucket: string, { prefix, after }: ListRange): NameRange {
  const start = objectsOf(bucket);
  return rangeAfter(start + prefix, Buffer.from(start + after));
}

/** The index of objects by their content. */
export const etagName = ({ etag, size, bucket, key }: StoredObject): string =>
  etagsOf(etag, size) + JSON.stringify([bucket]) + key;
const etagsOf = (etag: string, size: number): string => `etag${JSON.stringify([etag, size])}`;
export const objectsLike = (etag: string, size: number): NameRange => rangeOf(etagsOf(etag, size));

export const uploadName = (id: string): string => `upload:${id}`;
/** The index of uploads by their keys. */
export const uploadKeyName = ({ bucket, key, id }: Upload): string =>
  uploadsOf(bucket) + endKey(key) + id;
const uploadsOf = (bucket: string): string => `uploads${JSON.stringify([bucket])}`;

/** The range of uploads after the upload `afterId` of the key `after`, or after the key if there is no `afterId`. */
export function uploadsWithin(
  bucket: string,
  { prefix, after }: ListRange,
  afterId?: string,
): NameRange {
  const start = uploadsOf(bucket);
  const last = Buffer.from(start + endKey(after) + (afterId ?? ''));
  return rangeAfter(
    start + escapeNul(prefix),
    afterId === undefined ? Buffer.concat([last, AFTER_ALL]) : last,
  );
}

export const partName = (uploadId: string, { number }: Pick<Part, 'number'>): string =>
  partsOf(uploadId) + String(number).padStart(16, '0');
const partsOf = (uploadId: string): string => PARTS + JSON.stringify([uploadId]);
export const everyPartOf = (uploadId: string): NameRange => rangeOf(partsOf(uploadId));
export const everyPart = (): NameRange => rangeOf(PARTS);

/** Two NULs end a key, and no key has two: so "a" comes before "a" and anything else. */
const endKey = (key: string): string => `${escapeNul(key)}\0\0`;
const escapeNul = (key: string): string => key.replaceAll('\0', '\0\u0001');

function rangeOf(start: string): NameRange {
  const first = Buffer.from(start);
  return { gte: first, lt: Buffer.concat([first, AFTER_ALL]) };
}

function rangeAfter(start: string, last: Buffer): NameRange {
  const all = rangeOf(start);
  return Buffer.from(start).compare(last) > 0 ? all : { gt: last, lt: all.lt };
}
