/**
 * The buckets of the store.
 *
 * @module
 */
import { type Backing, commit, idsOf } from './backing.ts';
import { bucketName, everyBucket, objectsWithin, uploadsWithin } from './record-names.ts';
import type { Change } from './records.ts';
import type { Bucket, ListRange, Store, StoredObject } from './store.ts';
import { endOfUpload, uploadsIn } from './uploads.ts';

type BucketStore = Pick<
  Store,
  'createBucket' | 'bucket' | 'buckets' | 'updateBucket' | 'deleteBucket'
>;

const ALL: ListRange = { prefix: '', after: '', limit: Number.POSITIVE_INFINITY };

export function bucketStore(backing: Backing): BucketStore {
  const { records, turns } = backing;
  const read = (name: string): Promise<Bucket | undefined> => records.read(bucketName(name));
  const write = (bucket: Bucket): Promise<void> =>
    records.commit([{ type: 'put', key: bucketName(bucket.name), value: bucket }]);

  return {
    createBucket: (bucket) =>
      turns.alone(bucketName(bucket.name), async () => {
        if (await read(bucket.name)) return 'taken';
        await write(bucket);
        return 'created';
      }),
    bucket: read,
    buckets: () => records.list(everyBucket()),
    updateBucket: (bucket) =>
      turns.alone(bucketName(bucket.name), async () => {
        if (!(await read(bucket.name))) return 'unknown';
        await write(bucket);
        return 'updated';
      }),
    deleteBucket: (name) => turns.alone(bucketName(name), () => deleted(backing, name)),
  };
}

/** Uploads that are not finished end with their bucket; objects keep it. */
async function deleted(
  backing: Backing,
  name: string,
): Promise<'deleted' | 'unknown' | 'not empty'> {
  const { records } = backing;
  if (!(await records.read(bucketName(name)))) return 'unknown';
  const objects = await records.list<StoredObject>(objectsWithin(name, ALL), 1);
  if (objects.length > 0) return 'not empty';

  const changes: Change[] = [{ type: 'del', key: bucketName(name) }];
  const discarded: string[] = [];
  for (const upload of await uploadsIn(records, uploadsWithin(name, ALL))) {
    const end = await endOfUpload(records, upload);
    changes.push(...end.changes);
    discarded.push(...idsOf(end));
  }
  await commit(backing, changes, discarded);
  return 'deleted';
}
