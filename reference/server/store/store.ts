/**
 * The interface of the store. In a durable store, every write is durable once its promise resolves.
 *
 * @module
 */
import type { Pair } from '../../signing/index.ts';
import type { Pieces } from '../messages/exchange.ts';

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
  /** The size in bytes. */
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
  /** The announced length of the content in bytes, if it is known; the content may have another. */
  readonly length?: number | undefined;
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

export interface Store {
  readonly createBucket: (bucket: Bucket) => Promise<'created' | 'taken'>;
  readonly bucket: (name: string) => Promise<Bucket | undefined>;
  /** In the order of their names. */
  readonly buckets: () => Promise<readonly Bucket[]>;
  readonly updateBucket: (bucket: Bucket) => Promise<'updated' | 'unknown'>;
  readonly deleteBucket: (name: string) => Promise<'deleted' | 'unknown' | 'not empty'>;

  /**
   * Stores bytes for an object or a part; `discard` removes them again. If the pieces throw, nothing is left.
   *
   * Reads no faster than it writes and hashes. By default it computes all sums.
   */
  readonly receive: (pieces: Pieces, wanted?: WantedSums) => Promise<Content>;
  readonly discard: (content: Pick<Content, 'id'>) => Promise<void>;
  /** Copies the contents under new ids; throws a `ServiceError` if the object is gone. */
  readonly duplicate: (object: StoredObject) => Promise<StoredObject['contents']>;
  /**
   * The bytes from `start` up to and without `end`, even if the object is replaced or deleted while they are read.
   * Undefined if the object is gone already.
   *
   * Contents are held until they are read to the end or `return` is called, as `for await` and `Readable.from` do.
   */
  readonly read: (
    object: StoredObject,
    start: number,
    end: number,
  ) => Promise<AsyncIterableIterator<Uint8Array> | undefined>;

  /** The same bytes at once, if they are in memory in one piece; undefined otherwise. */
  readonly bytesInMemory: (
    object: StoredObject,
    start: number,
    end: number,
  ) => Uint8Array | undefined;

  readonly object: (bucket: string, key: string) => Promise<StoredObject | undefined>;
  /** Replaces the object with this key. If it is refused, its contents are discarded. */
  readonly putObject: (
    object: StoredObject,
    condition?: 'only new',
  ) => Promise<'put' | 'unknown bucket' | 'exists'>;
  /** Replaces an object with the result of `change`, in one step. Returns undefined if the object does not exist. Discards contents that are no longer named. */
  readonly changeObject: (
    bucket: string,
    key: string,
    change: (object: StoredObject) => StoredObject,
  ) => Promise<StoredObject | undefined>;
  readonly deleteObject: (bucket: string, key: string) => Promise<'deleted' | 'unknown'>;
  readonly renameObject: (
    bucket: string,
    key: string,
    newKey: string,
    overwrites: boolean,
  ) => Promise<'renamed' | 'unknown' | 'exists'>;
  readonly objects: (bucket: string, range: ListRange) => Promise<readonly StoredObject[]>;
  /** Finds an object with these bytes, in any bucket. */
  readonly objectWithEtag: (etag: string, size: number) => Promise<StoredObject | undefined>;

  readonly createUpload: (upload: Upload) => Promise<'created' | 'unknown bucket'>;
  readonly upload: (id: string) => Promise<Upload | undefined>;
  /** Replaces the part with this number. If the upload no longer exists, the content is discarded. */
  readonly putPart: (uploadId: string, part: Part) => Promise<'put' | 'unknown'>;
  /** In the order of their numbers. */
  readonly parts: (uploadId: string) => Promise<readonly Part[]>;
  /** In the order of their keys; `afterId` is the last listed upload of the key `after`. */
  readonly uploads: (
    bucket: string,
    range: ListRange,
    afterId?: string,
  ) => Promise<readonly Upload[]>;
  /** Replaces the upload with the object, in one step, and discards unused parts. Throws a `ServiceError` if a used part was replaced. */
  readonly finishUpload: (
    uploadId: string,
    object: StoredObject,
  ) => Promise<'finished' | 'unknown'>;
  readonly abortUpload: (uploadId: string) => Promise<'aborted' | 'unknown'>;

  /** A sentence for each damage that was found when the store was opened, and the place of the remains. */
  readonly recovered: readonly string[];
  /** Describes contents that are missing, damaged or unreferenced. Call it only while no operation is running. */
  readonly faults: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}
