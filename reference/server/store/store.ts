/**
 * A store: its operations on buckets, objects and uploads, with any records and contents.
 *
 * @module
 */
import type { Context } from '../../signing/index.ts';
import { fileError, httpError } from '../messages/errors.ts';
import type { Pieces } from '../messages/exchange.ts';
import {
  type Contents,
  findFaults,
  openSlices,
  receiveContent,
  sliceContents,
} from './contents.ts';
import {
  type Bucket,
  bucketName,
  type Content,
  etagName,
  everyBucket,
  everyPartOf,
  type ListRange,
  objectName,
  objectsLike,
  objectsWithin,
  type Part,
  partName,
  type StoredObject,
  type Upload,
  uploadKeyName,
  uploadName,
  uploadsWithin,
  type WantedSums,
} from './entries.ts';
import { Locks, type Mode, References } from './locks.ts';
import type { Change, Records } from './records.ts';

const ALL_SUMS: WantedSums = { partEtag: true, md5: true };

const ALL: ListRange = { prefix: '', after: '', limit: Number.POSITIVE_INFINITY };

/**
 * In a durable store, every write is durable once its promise resolves.
 *
 * A writer changes the records first and discards contents afterwards, so no record ever names a missing content.
 */
export class Store {
  /** A sentence for each damage that was found when the store was opened, and the place of the remains. */
  readonly recovered: readonly string[];
  readonly #records: Records;
  readonly #contents: Contents;
  readonly #context: Context;
  readonly #references: References;
  /** Take them in this order: bucket, upload, then objects in byte order or a part. */
  readonly #locks = new Locks();

  /** @param context the context whose steps compute the ETags */
  constructor(
    records: Records,
    contents: Contents,
    context: Context,
    recovered: readonly string[] = [],
  ) {
    this.#records = records;
    this.#contents = contents;
    this.#context = context;
    this.#references = new References((id) => contents.remove(id));
    this.recovered = recovered;
  }

  createBucket(bucket: Bucket): Promise<'created' | 'taken'> {
    return this.#locks.exclusive(bucketName(bucket.name), async () => {
      if (await this.bucket(bucket.name)) return 'taken';
      await this.#commit([putBucket(bucket)]);
      return 'created';
    });
  }

  bucket(name: string): Promise<Bucket | undefined> {
    return this.#records.read(bucketName(name));
  }

  /** In the order of their names. */
  buckets(): Promise<readonly Bucket[]> {
    return this.#records.list(everyBucket());
  }

  updateBucket(bucket: Bucket): Promise<'updated' | 'unknown'> {
    return this.#locks.exclusive(bucketName(bucket.name), async () => {
      if (!(await this.bucket(bucket.name))) return 'unknown';
      await this.#commit([putBucket(bucket)]);
      return 'updated';
    });
  }

  /** Deletes a bucket and aborts its uploads, but refuses to delete a bucket with objects. */
  deleteBucket(name: string): Promise<'deleted' | 'unknown' | 'not empty'> {
    return this.#locks.exclusive(bucketName(name), async () => {
      if (!(await this.bucket(name))) return 'unknown';
      if ((await this.objects(name, { ...ALL, limit: 1 })).length > 0) return 'not empty';
      const changes: Change[] = [{ type: 'del', key: bucketName(name) }];
      const discarded: string[] = [];
      for (const upload of await this.uploads(name, ALL)) {
        const removal = await this.#removeUpload(upload);
        changes.push(...removal.changes);
        discarded.push(...contentIds(removal));
      }
      await this.#commit(changes, discarded);
      return 'deleted';
    });
  }

  /**
   * Stores bytes for an object or a part; `discard` removes them again. If the pieces throw, nothing is left.
   *
   * Reads no faster than it writes and hashes. By default it computes all sums.
   */
  receive(pieces: Pieces, wanted: WantedSums = ALL_SUMS): Promise<Content> {
    return receiveContent(pieces, this.#contents, wanted, this.#context);
  }

  discard({ id }: Pick<Content, 'id'>): Promise<void> {
    return this.#references.discard([id]);
  }

  /** Copies the contents under new ids; throws a `ServiceError` if the object is gone. */
  async duplicate(object: StoredObject): Promise<StoredObject['contents']> {
    const ids = contentIds(object);
    if (!(await this.#hold(object, ids))) throw fileError('fileUnknown');
    try {
      const copies = await this.#contents.duplicates(ids);
      return copies.map((id, at) => ({ id, size: object.contents[at]?.size ?? 0 }));
    } finally {
      await this.#references.release(ids);
    }
  }

  /**
   * The bytes from `start` up to and without `end`, even if the object is replaced or deleted while they are read.
   * Undefined if the object is gone already.
   *
   * Contents are held until they are read to the end or `return` is called, as `for await` and `Readable.from` do.
   */
  async read(
    object: StoredObject,
    start: number,
    end: number,
  ): Promise<AsyncIterableIterator<Uint8Array> | undefined> {
    const slices = sliceContents(object, start, end);
    const ids = slices.map(({ id }) => id);
    if (!(await this.#hold(object, ids))) return undefined;
    return openSlices(this.#contents, slices, () => this.#references.release(ids));
  }

  /** The same bytes at once, if they are in memory in one piece; undefined otherwise. */
  bytesInMemory(
    { contents: [only, ...others] }: StoredObject,
    start: number,
    end: number,
  ): Uint8Array | undefined {
    return only && others.length === 0
      ? this.#contents.bytesInMemory(only.id, start, end)
      : undefined;
  }

  object(bucket: string, key: string): Promise<StoredObject | undefined> {
    return this.#records.read(objectName(bucket, key));
  }

  /** Replaces the object with this key. If it is refused, its contents are discarded. */
  putObject(
    object: StoredObject,
    condition?: 'only new',
  ): Promise<'put' | 'unknown bucket' | 'exists'> {
    const { bucket, key } = object;
    return this.#lockKeys(bucket, [key], async () => {
      const before = await this.object(bucket, key);
      const hasBucket = (await this.bucket(bucket)) !== undefined;
      if (!hasBucket || (before && condition === 'only new')) {
        await this.#references.discard(removedContents(object, before));
        return hasBucket ? 'exists' : 'unknown bucket';
      }
      await this.#commit(replaceObject(before, object), removedContents(before, object));
      return 'put';
    });
  }

  /** Replaces an object with the result of `change`, in one step. Returns undefined if the object does not exist. Discards contents that are no longer named. */
  changeObject(
    bucket: string,
    key: string,
    change: (object: StoredObject) => StoredObject,
  ): Promise<StoredObject | undefined> {
    return this.#lockKeys(bucket, [key], async () => {
      const before = await this.object(bucket, key);
      if (!before) return undefined;
      const after = change(before);
      await this.#commit(replaceObject(before, after), removedContents(before, after));
      return after;
    });
  }

  deleteObject(bucket: string, key: string): Promise<'deleted' | 'unknown'> {
    return this.#lockKeys(bucket, [key], async () => {
      const object = await this.object(bucket, key);
      if (!object) return 'unknown';
      await this.#commit(replaceObject(object, undefined), contentIds(object));
      return 'deleted';
    });
  }

  renameObject(
    bucket: string,
    key: string,
    newKey: string,
    overwrites: boolean,
  ): Promise<'renamed' | 'unknown' | 'exists'> {
    return this.#lockKeys(bucket, [key, newKey], async () => {
      const object = await this.object(bucket, key);
      if (!object) return 'unknown';
      const target = await this.object(bucket, newKey);
      if (target && !overwrites) return 'exists';
      const after = { ...object, key: newKey };
      const changes = [...replaceObject(object, undefined), ...replaceObject(target, after)];
      await this.#commit(changes, removedContents(target, after));
      return 'renamed';
    });
  }

  objects(bucket: string, range: ListRange): Promise<readonly StoredObject[]> {
    return this.#records.list(objectsWithin(bucket, range), range.limit);
  }

  /** Finds an object with these bytes, in any bucket. */
  async objectWithEtag(etag: string, size: number): Promise<StoredObject | undefined> {
    const [name] = await this.#records.list<readonly [string, string]>(objectsLike(etag, size), 1);
    const object = name && (await this.object(...name));
    return object?.etag === etag && object.size === size ? object : undefined;
  }

  createUpload(upload: Upload): Promise<'created' | 'unknown bucket'> {
    return this.#locks.shared(bucketName(upload.bucket), async () => {
      if (!(await this.bucket(upload.bucket))) return 'unknown bucket';
      await this.#commit([
        { type: 'put', key: uploadName(upload.id), value: upload },
        { type: 'put', key: uploadKeyName(upload), value: upload.id },
      ]);
      return 'created';
    });
  }

  upload(id: string): Promise<Upload | undefined> {
    return this.#records.read(uploadName(id));
  }

  /** Replaces the part with this number. If the upload no longer exists, the content is discarded. */
  async putPart(uploadId: string, part: Part): Promise<'put' | 'unknown'> {
    const key = partName(uploadId, part);
    const result = await this.#withUpload(uploadId, 'shared', () =>
      this.#locks.exclusive(key, async () => {
        const before = await this.#records.read<Part>(key);
        const discarded = before ? [before.content.id] : [];
        await this.#commit([{ type: 'put', key, value: part }], discarded);
        return 'put' as const;
      }),
    );
    if (result === 'unknown') await this.discard(part.content);
    return result;
  }

  /** In the order of their numbers. */
  parts(uploadId: string): Promise<readonly Part[]> {
    return this.#records.list(everyPartOf(uploadId));
  }

  /** In the order of their keys; `afterId` is the last listed upload of the key `after`. */
  async uploads(bucket: string, range: ListRange, afterId?: string): Promise<readonly Upload[]> {
    const names = uploadsWithin(bucket, range, afterId);
    const ids = await this.#records.list<string>(names, range.limit);
    const uploads = await Promise.all(ids.map((id) => this.upload(id)));
    return uploads.filter((upload) => upload !== undefined);
  }

  /** Replaces the upload with the object, in one step, and discards unused parts. Throws a `ServiceError` if a used part was replaced. */
  finishUpload(uploadId: string, object: StoredObject): Promise<'finished' | 'unknown'> {
    const { bucket, key } = object;
    return this.#withUpload(uploadId, 'exclusive', (upload) =>
      // Not `#lockKeys`, because the bucket is already locked, and locking it twice could cause a deadlock.
      this.#locks.exclusive(objectName(bucket, key), async () => {
        const removal = await this.#removeUpload(upload);
        if (removedContents(object, removal).length > 0) {
          throw httpError(
            409,
            `a part of upload ${upload.id} was replaced while the upload was being finished; finish it again`,
            false,
          );
        }
        const before = await this.object(bucket, key);
        await this.#commit(
          [...removal.changes, ...replaceObject(before, object)],
          [...removedContents(removal, object), ...removedContents(before, object)],
        );
        return 'finished' as const;
      }),
    );
  }

  abortUpload(uploadId: string): Promise<'aborted' | 'unknown'> {
    return this.#withUpload(uploadId, 'exclusive', async (upload) => {
      const removal = await this.#removeUpload(upload);
      await this.#commit(removal.changes, contentIds(removal));
      return 'aborted' as const;
    });
  }

  /** Describes contents that are missing, damaged or unreferenced. Call it only while no operation is running. */
  faults(): Promise<readonly string[]> {
    return findFaults(this.#records, this.#contents);
  }

  close(): Promise<void> {
    return this.#records.close();
  }

  /** Discards contents after the records that named them were changed. */
  async #commit(changes: readonly Change[], discarded: readonly string[] = []): Promise<void> {
    await this.#records.commit(changes);
    if (discarded.length > 0) await this.#references.discard(discarded);
  }

  /** Runs the work while no other operation writes these keys or deletes their bucket. */
  #lockKeys<T>(bucket: string, keys: readonly string[], work: () => Promise<T>): Promise<T> {
    // Always in the same order, so that two crosswise renames do not wait for each other.
    const sorted = keys.length === 1 ? keys : [...new Set(keys)].sort();
    const names = sorted.map((key) => objectName(bucket, key));
    const locked = names.reduceRight(
      (inner, name) => () => this.#locks.exclusive(name, inner),
      work,
    );
    return this.#locks.shared(bucketName(bucket), locked);
  }

  /** Runs the work while the upload and its bucket are locked against deletion. */
  async #withUpload<T>(
    id: string,
    mode: Mode,
    work: (upload: Upload) => Promise<T>,
  ): Promise<T | 'unknown'> {
    const known = await this.upload(id);
    if (!known) return 'unknown';
    return this.#locks.shared(bucketName(known.bucket), () =>
      this.#locks.hold(uploadName(id), mode, async () => {
        const upload = await this.upload(id);
        return upload ? work(upload) : 'unknown';
      }),
    );
  }

  /** The changes that remove an upload, and the contents of its parts. */
  async #removeUpload(
    upload: Upload,
  ): Promise<WithContents & { readonly changes: readonly Change[] }> {
    const parts = await this.parts(upload.id);
    const names = [
      uploadName(upload.id),
      uploadKeyName(upload),
      ...parts.map((part) => partName(upload.id, part)),
    ];
    return {
      changes: names.map((key) => ({ type: 'del', key })),
      contents: parts.map(({ content }) => content),
    };
  }

  /**
   * Holds contents of an object until they are released; false if the object no longer has them.
   *
   * If the record is still the same after the contents are held, they were not removed.
   */
  async #hold({ bucket, key }: StoredObject, ids: readonly string[]): Promise<boolean> {
    this.#references.acquire(ids);
    let isHeld = false;
    try {
      const current = new Set(contentIds(await this.object(bucket, key)));
      isHeld = ids.every((id) => current.has(id));
    } finally {
      if (!isHeld) await this.#references.release(ids);
    }
    return isHeld;
  }
}

const putBucket = (bucket: Bucket): Change => ({
  type: 'put',
  key: bucketName(bucket.name),
  value: bucket,
});

type WithContents = Pick<StoredObject, 'contents'>;

const contentIds = (object: WithContents | undefined): readonly string[] =>
  object?.contents.map(({ id }) => id) ?? [];

/** The contents that are no longer named once `after` has replaced `before`. */
function removedContents(
  before: WithContents | undefined,
  after: WithContents | undefined,
): readonly string[] {
  const kept = new Set(contentIds(after));
  return contentIds(before).filter((id) => !kept.has(id));
}

/** The changes of an object's record and of its entry in the index of ETags. Of several changes of one record, the last counts. */
function replaceObject(
  before: StoredObject | undefined,
  after: StoredObject | undefined,
): readonly Change[] {
  const changes: Change[] = [];
  if (before) {
    changes.push({ type: 'del', key: objectName(before.bucket, before.key) });
    changes.push({ type: 'del', key: etagName(before) });
  }
  if (after) {
    const { bucket, key } = after;
    changes.push({ type: 'put', key: objectName(bucket, key), value: after });
    changes.push({ type: 'put', key: etagName(after), value: [bucket, key] });
  }
  return changes;
}
