/**
 * The objects of the store.
 *
 * @module
 */
import { type Backing, commit, leftOver, removal, replacement } from './backing.ts';
import { bucketName, objectName, objectsLike, objectsWithin } from './record-names.ts';
import type { Store, StoredObject } from './store.ts';

type ObjectStore = Pick<
  Store,
  | 'object'
  | 'putObject'
  | 'changeObject'
  | 'deleteObject'
  | 'renameObject'
  | 'objects'
  | 'objectWithEtag'
>;

export function objectStore(backing: Backing): ObjectStore {
  const { records } = backing;
  const read = (bucket: string, key: string): Promise<StoredObject | undefined> =>
    records.read(objectName(bucket, key));

  return {
    object: read,
    putObject: (object, condition) =>
      withKeys(backing, object.bucket, [object.key], async () => {
        const refused = await refusal(backing, object, condition);
        if (refused) {
          await backing.leases.discard(leftOver(object, await read(object.bucket, object.key)));
          return refused;
        }
        await replace(backing, await read(object.bucket, object.key), object);
        return 'put';
      }),
    changeObject: (bucket, key, change) =>
      withKeys(backing, bucket, [key], async () => {
        const before = await read(bucket, key);
        if (!before) return undefined;
        const after = change(before);
        await replace(backing, before, after);
        return after;
      }),
    deleteObject: (bucket, key) =>
      withKeys(backing, bucket, [key], async () => {
        const object = await read(bucket, key);
        if (!object) return 'unknown';
        await commit(backing, removal(object), leftOver(object, undefined));
        return 'deleted';
      }),
    renameObject: (bucket, key, newKey, overwrites) =>
      withKeys(backing, bucket, [key, newKey], () =>
        renamed(backing, bucket, key, newKey, overwrites),
      ),
    objects: (bucket, range) => records.list(objectsWithin(bucket, range), range.limit),
    async objectWithEtag(etag, size) {
      const [name] = await records.list<readonly [string, string]>(objectsLike(etag, size), 1);
      const object = name && (await read(...name));
      return object?.etag === etag && object.size === size ? object : undefined;
    },
  };
}

/** Does the work while nobody else writes these keys or deletes their bucket. */
function withKeys<T>(
  { turns }: Backing,
  bucket: string,
  keys: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  // Always in the same order, so that two who rename crosswise do not wait for each other.
  const names = [...new Set(keys)].sort().map((key) => objectName(bucket, key));
  const inTurn = names.reduceRight((inner, name) => () => turns.alone(name, inner), work);
  return turns.shared(bucketName(bucket), inTurn);
}

async function refusal(
  { records }: Backing,
  { bucket, key }: StoredObject,
  condition: 'only new' | undefined,
): Promise<'unknown bucket' | 'exists' | undefined> {
  if (!(await records.read(bucketName(bucket)))) return 'unknown bucket';
  if (condition && (await records.read(objectName(bucket, key)))) return 'exists';
  return undefined;
}

function replace(
  backing: Backing,
  before: StoredObject | undefined,
  after: StoredObject,
): Promise<void> {
  return commit(backing, replacement(before, after), leftOver(before, after));
}

async function renamed(
  backing: Backing,
  bucket: string,
  key: string,
  newKey: string,
  overwrites: boolean,
): Promise<'renamed' | 'unknown' | 'exists'> {
  const { records } = backing;
  const object = await records.read<StoredObject>(objectName(bucket, key));
  if (!object) return 'unknown';
  const target = await records.read<StoredObject>(objectName(bucket, newKey));
  if (target && !overwrites) return 'exists';

  const after = { ...object, key: newKey };
  const changes = [...removal(object), ...replacement(target, after)];
  await commit(backing, changes, leftOver(target, after));
  return 'renamed';
}
