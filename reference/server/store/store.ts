/**
 * What the service remembers. Whatever is written here is there when the promise is fulfilled, whatever happens then.
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
  /** Unix seconds, as all times here. */
  readonly createTime: number;
  readonly modifyTime: number;
}

export type StorageClass = 'STANDARD' | 'IA' | 'ARCHIVE';

/** Bytes that are held, with what was computed while they came in. */
export interface Content {
  readonly id: string;
  /** In bytes. */
  readonly size: number;
  readonly etag: string;
  /** URL-safe Base64 of the SHA-1 of the whole; empty where it was not wanted. */
  readonly partEtag: string;
  /** Of all bytes, in lower-case hexadecimal; empty where it was not wanted. */
  readonly md5: string;
}

/** What is computed of bytes beside their ETag: each makes taking them in slower. */
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
  /** Names without their prefix, as they were written. */
  readonly meta: readonly Pair[];
  readonly tags: readonly Pair[];
  readonly acl: 'default' | 'public-read';
  readonly createTime: number;
  readonly modifyTime: number;
  /** Of a restored archive, until when it can be read. */
  readonly restoredUntil?: number;
  /** The ids of its contents, in their order; none of an empty file that has none. */
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
  /** From 0. */
  readonly number: number;
  readonly content: Content;
  /** What its request said; empty where it said nothing. */
  readonly contentType?: string;
  readonly modifyTime: number;
}

export interface ListRange {
  readonly prefix: string;
  /** Only what comes after this, in the order of UTF-8 bytes; empty for all. */
  readonly after: string;
  readonly limit: number;
}

export interface Store {
  readonly createBucket: (bucket: Bucket) => Promise<'created' | 'taken'>;
  readonly bucket: (name: string) => Promise<Bucket | undefined>;
  /** In the order of their names. */
  readonly buckets: () => Promise<readonly Bucket[]>;
  readonly updateBucket: (bucket: Bucket) => Promise<'updated' | 'unknown'>;
  readonly deleteBucket: (name: string) => Promise<'deleted' | 'unknown' | 'not empty'>;

  /**
   * Takes bytes in and holds them until an object, a part or `discard` takes them over. Where the pieces throw, nothing is left.
   *
   * At most as fast as they are written and hashed, in constant memory where contents are on disk. All sums are computed where nothing else is wanted.
   */
  readonly content: (pieces: AsyncIterable<Uint8Array>, wanted?: WantedSums) => Promise<Content>;
  readonly discard: (content: Pick<Content, 'id'>) => Promise<void>;
  /** The same bytes once more, under ids of their own; throws a `ServiceError` where the object is gone already. */
  readonly duplicate: (object: StoredObject) => Promise<StoredObject['contents']>;
  /**
   * The bytes from `start` up to and without `end`; whole even where the object is replaced or deleted meanwhile. Nothing where it is gone already.
   *
   * They are held until they are read to their end or `return` is called, which `for await` and `Readable.from` do: one of these has to happen.
   */
  readonly opened: (
    object: StoredObject,
    start: number,
    end: number,
  ) => Promise<AsyncIterableIterator<Uint8Array> | undefined>;

  readonly object: (bucket: string, key: string) => Promise<StoredObject | undefined>;
  /** Puts an object in the place of what is there; `unknown bucket` where the bucket is gone, and the contents are discarded. */
  readonly putObject: (
    object: StoredObject,
    condition?: 'only new',
  ) => Promise<'put' | 'unknown bucket' | 'exists'>;
  /** Puts what `change` makes of an object in its place, with nothing in between; nothing where there is no object. Contents that it names no longer are discarded. */
  readonly changeObject: (
    bucket: string,
    key: string,
    change: (object: StoredObject) => StoredObject,
  ) => Promise<StoredObject | undefined>;
  readonly deleteObject: (bucket: string, key: string) => Promise<'deleted' | 'unknown'>;
  /** Gives an object another key. */
  readonly renameObject: (
    bucket: string,
    key: string,
    newKey: string,
    overwrites: boolean,
  ) => Promise<'renamed' | 'unknown' | 'exists'>;
  readonly objects: (bucket: string, range: ListRange) => Promise<readonly StoredObject[]>;
  /** Any object with this content, in any bucket. */
  readonly objectWithEtag: (etag: string, size: number) => Promise<StoredObject | undefined>;

  readonly createUpload: (upload: Upload) => Promise<'created' | 'unknown bucket'>;
  readonly upload: (id: string) => Promise<Upload | undefined>;
  /** Puts a part in the place of the one with its number; `unknown` where the upload is over, and the content is discarded. */
  readonly putPart: (uploadId: string, part: Part) => Promise<'put' | 'unknown'>;
  /** In the order of their numbers. */
  readonly parts: (uploadId: string) => Promise<readonly Part[]>;
  /** In the order of their keys; `afterId` names the last one of the key `after` that was listed. */
  readonly uploads: (
    bucket: string,
    range: ListRange,
    afterId?: string,
  ) => Promise<readonly Upload[]>;
  /** Makes the object, in the bucket of the upload, out of its parts in one step: the upload is gone, the parts that it does not use too. Throws a `ServiceError` where a part of it was replaced meanwhile. */
  readonly finishUpload: (
    uploadId: string,
    object: StoredObject,
  ) => Promise<'finished' | 'unknown'>;
  readonly abortUpload: (uploadId: string) => Promise<'aborted' | 'unknown'>;

  /** What was damaged when the store was opened, and where the rest of it is; each in a sentence. */
  readonly recovered: readonly string[];
  /** What is on disk for nothing, or lacking: empty in a store that is whole and where nothing is under way. */
  readonly faults: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}
