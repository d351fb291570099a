/**
 * Creates a store from any records and contents; contains its operations on buckets and uploads.
 *
 * @module
 */
import type { Context } from '../../signing/index.ts';
import { httpError } from '../messages/errors.ts';
import { type Contents, findFaults, receiveContent } from './contents.ts';
import { createLocks, createReferenceCounts } from './locks.ts';
import {
  type Backing,
  commit,
  contentIds,
  findObject,
  objectOperations,
  removedContents,
  replaceObject,
  type WithContents,
} from './objects.ts';
import {
  bucketName,
  type Change,
  everyBucket,
  everyPartOf,
  type NameRange,
  objectName,
  objectsWithin,
  partName,
  type Records,
  uploadKeyName,
  uploadName,
  uploadsWithin,
} from './records.ts';
import type { Bucket, ListRange, Part, Store, StoredObject, Upload, WantedSums } from './store.ts';

export interface StoreOptions {
  /** The context whose steps compute the ETags. */
  readonly context: Context;
}

const ALL_SUMS: WantedSums = { partEtag: true, md5: true };

export function createStore(
  records: Records,
  contents: Contents,
  { context }: StoreOptions,
  recovered: readonly string[] = [],
): Store {
  const references = createReferenceCounts((id) => contents.remove(id));
  const backing = { records, contents, references, locks: createLocks() };
  return {
    ...bucketOperations(backing),
    ...objectOperations(backing),
    ...uploadOperations(backing),
    receive: (pieces, wanted = ALL_SUMS) => receiveContent(pieces, contents, wanted, context),
    bytesInMemory: ({ contents: [only, ...others] }, start, end) =>
      only && others.length === 0 ? contents.bytesInMemory(only.id, start, end) : undefined,
    discard: ({ id }) => references.discard([id]),
    recovered,
    faults: () => findFaults(records, contents),
    close: () => records.close(),
  };
}

type BucketOperations = Pick<
  Store,
  'createBucket' | 'bucket' | 'buckets' | 'updateBucket' | 'deleteBucket'
>;

function bucketOperations(backing: Backing): BucketOperations {
  const { records, locks } = backing;
  const read = (name: string): Promise<Bucket | undefined> => records.read(bucketName(name));
  const write = (bucket: Bucket): Promise<void> =>
    records.commit([{ type: 'put', key: bucketName(bucket.name), value: bucket }]);

  return {
    createBucket: (bucket) =>
      locks.exclusive(bucketName(bucket.name), async () => {
        if (await read(bucket.name)) return 'taken';
        await write(bucket);
        return 'created';
      }),
    bucket: read,
    buckets: () => records.list(everyBucket()),
    updateBucket: (bucket) =>
      locks.exclusive(bucketName(bucket.name), async () => {
        if (!(await read(bucket.name))) return 'unknown';
        await write(bucket);
        return 'updated';
      }),
    deleteBucket: (name) => locks.exclusive(bucketName(name), () => deleteBucket(backing, name)),
  };
}

const ALL: ListRange = { prefix: '', after: '', limit: Number.POSITIVE_INFINITY };

/** Deletes a bucket and aborts its uploads, but refuses to delete a bucket with objects. */
async function deleteBucket(
  backing: Backing,
  name: string,
): Promise<'deleted' | 'unknown' | 'not empty'> {
  const { records } = backing;
  if (!(await records.read(bucketName(name)))) return 'unknown';
  const objects = await records.list<StoredObject>(objectsWithin(name, ALL), 1);
  if (objects.length > 0) return 'not empty';

  const changes: Change[] = [{ type: 'del', key: bucketName(name) }];
  const discarded: string[] = [];
  for (const upload of await readUploads(records, uploadsWithin(name, ALL))) {
    const removal = await removeUpload(records, upload);
    changes.push(...removal.changes);
    discarded.push(...contentIds(removal));
  }
  await commit(backing, changes, discarded);
  return 'deleted';
}

type UploadOperations = Pick<
  Store,
  'createUpload' | 'upload' | 'putPart' | 'parts' | 'uploads' | 'finishUpload' | 'abortUpload'
>;

function uploadOperations(backing: Backing): UploadOperations {
  const { records, locks } = backing;
  return {
    createUpload: (upload) =>
      locks.shared(bucketName(upload.bucket), () => createUpload(backing, upload)),
    upload: (id) => records.read(uploadName(id)),
    putPart: (uploadId, part) => putPart(backing, uploadId, part),
    parts: (uploadId) => records.list(everyPartOf(uploadId)),
    uploads: (bucket, range, afterId) =>
      readUploads(records, uploadsWithin(bucket, range, afterId), range.limit),
    finishUpload: (uploadId, object) =>
      withUpload(backing, uploadId, 'exclusive', (upload) =>
        // Not `lockKeys`, because the bucket is already locked, and locking it twice could cause a deadlock.
        locks.exclusive(objectName(object.bucket, object.key), () =>
          finishUpload(backing, upload, object),
        ),
      ),
    abortUpload: (uploadId) =>
      withUpload(backing, uploadId, 'exclusive', async (upload) => {
        const removal = await removeUpload(records, upload);
        await commit(backing, removal.changes, contentIds(removal));
        return 'aborted' as const;
      }),
  };
}

/** Runs the work while the upload and its bucket are locked against deletion. */
async function withUpload<T>(
  { records, locks }: Backing,
  id: string,
  mode: 'shared' | 'exclusive',
  work: (upload: Upload) => Promise<T>,
): Promise<T | 'unknown'> {
  const known = await records.read<Upload>(uploadName(id));
  if (!known) return 'unknown';
  return locks.shared(bucketName(known.bucket), () =>
    locks[mode](uploadName(id), async () => {
      const upload = await records.read<Upload>(uploadName(id));
      return upload ? work(upload) : 'unknown';
    }),
  );
}

async function createUpload(
  { records }: Backing,
  upload: Upload,
): Promise<'created' | 'unknown bucket'> {
  if (!(await records.read(bucketName(upload.bucket)))) return 'unknown bucket';
  await records.commit([
    { type: 'put', key: uploadName(upload.id), value: upload },
    { type: 'put', key: uploadKeyName(upload), value: upload.id },
  ]);
  return 'created';
}

async function putPart(backing: Backing, uploadId: string, part: Part): Promise<'put' | 'unknown'> {
  const name = partName(uploadId, part);
  const result = await withUpload(backing, uploadId, 'shared', () =>
    backing.locks.exclusive(name, async () => {
      const before = await backing.records.read<Part>(name);
      const discarded = before ? [before.content.id] : [];
      await commit(backing, [{ type: 'put', key: name, value: part }], discarded);
      return 'put' as const;
    }),
  );
  if (result === 'unknown') await backing.references.discard([part.content.id]);
  return result;
}

async function finishUpload(
  backing: Backing,
  upload: Upload,
  object: StoredObject,
): Promise<'finished'> {
  const { records } = backing;
  const removal = await removeUpload(records, upload);
  if (removedContents(object, removal).length > 0) {
    throw httpError(
      409,
      `a part of upload ${upload.id} was replaced while the upload was being finished; finish it again`,
      false,
    );
  }
  const before = await findObject(backing, object.bucket, object.key);
  const changes = [...removal.changes, ...replaceObject(before, object)];
  await commit(backing, changes, [
    ...removedContents(removal, object),
    ...removedContents(before, object),
  ]);
  return 'finished';
}

interface Removal extends WithContents {
  readonly changes: readonly Change[];
}

/** The changes that remove an upload, and the contents of its parts. */
async function removeUpload(records: Records, upload: Upload): Promise<Removal> {
  const parts = await records.list<Part>(everyPartOf(upload.id));
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

async function readUploads(
  records: Records,
  range: NameRange,
  limit?: number,
): Promise<readonly Upload[]> {
  const ids = await records.list<string>(range, limit);
  return records.readEach(ids.map(uploadName));
}
