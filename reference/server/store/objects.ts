/**
 * The objects of a store: their records and their bytes.
 *
 * A writer changes the records first and discards contents afterwards, so no record ever names a missing content.
 *
 * @module
 */
import { fileError } from '../messages/errors.ts';
import { type Contents, contentDamage } from './contents.ts';
import type { Locks, ReferenceCounts } from './locks.ts';
import {
  bucketName,
  type Change,
  etagName,
  objectName,
  objectsLike,
  objectsWithin,
  type Records,
} from './records.ts';
import type { Store, StoredObject } from './store.ts';

/** The parts of a store that its operations use. */
export interface Backing {
  readonly records: Records;
  readonly contents: Contents;
  readonly references: ReferenceCounts;
  /** The locks. Take them in this order: bucket, upload, then objects in byte order or a part. */
  readonly locks: Locks;
}

export type WithContents = Pick<StoredObject, 'contents'>;

/** Discards contents after the records that named them were changed. */
export async function commit(
  { records, references }: Backing,
  changes: readonly Change[],
  discarded: readonly string[],
): Promise<void> {
  await records.commit(changes);
  if (discarded.length > 0) await references.discard(discarded);
}

export const contentIds = (object: WithContents | undefined): readonly string[] =>
  object?.contents.map(({ id }) => id) ?? [];

/** The contents that are no longer named once `after` has replaced `before`. */
export function removedContents(
  before: WithContents | undefined,
  after: WithContents | undefined,
): readonly string[] {
  if (!before) return [];
  const kept = new Set(contentIds(after));
  return contentIds(before).filter((id) => !kept.has(id));
}

type ObjectOperations = Pick<
  Store,
  | 'object'
  | 'putObject'
  | 'changeObject'
  | 'deleteObject'
  | 'renameObject'
  | 'objects'
  | 'objectWithEtag'
  | 'read'
  | 'duplicate'
>;

export function objectOperations(backing: Backing): ObjectOperations {
  const { records } = backing;
  return {
    object: (bucket, key) => findObject(backing, bucket, key),
    putObject: (object, condition) =>
      lockKeys(backing, object.bucket, [object.key], () => putObject(backing, object, condition)),
    changeObject: (bucket, key, change) =>
      lockKeys(backing, bucket, [key], () => changeObject(backing, bucket, key, change)),
    deleteObject: (bucket, key) =>
      lockKeys(backing, bucket, [key], () => deleteObject(backing, bucket, key)),
    renameObject: (bucket, key, newKey, overwrites) =>
      lockKeys(backing, bucket, [key, newKey], () =>
        renameObject(backing, bucket, key, newKey, overwrites),
      ),
    objects: (bucket, range) => records.list(objectsWithin(bucket, range), range.limit),
    async objectWithEtag(etag, size) {
      const [name] = await records.list<readonly [string, string]>(objectsLike(etag, size), 1);
      const object = name && (await findObject(backing, ...name));
      return object?.etag === etag && object.size === size ? object : undefined;
    },
    read: (object, start, end) => readObject(backing, object, start, end),
    duplicate: (object) => duplicateContents(backing, object),
  };
}

export function findObject(
  { records }: Backing,
  bucket: string,
  key: string,
): Promise<StoredObject | undefined> {
  return records.read(objectName(bucket, key));
}

/** Runs the work while no other operation writes these keys or deletes their bucket. */
function lockKeys<T>(
  { locks }: Backing,
  bucket: string,
  keys: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  // Always in the same order, so that two crosswise renames do not wait for each other.
  const sorted = keys.length === 1 ? keys : [...new Set(keys)].sort();
  const names = sorted.map((key) => objectName(bucket, key));
  const locked = names.reduceRight((inner, name) => () => locks.exclusive(name, inner), work);
  return locks.shared(bucketName(bucket), locked);
}

async function putObject(
  backing: Backing,
  object: StoredObject,
  condition: 'only new' | undefined,
): Promise<'put' | 'unknown bucket' | 'exists'> {
  const before = await findObject(backing, object.bucket, object.key);
  const hasBucket = (await backing.records.read(bucketName(object.bucket))) !== undefined;
  if (!hasBucket || (before && condition === 'only new')) {
    await backing.references.discard(removedContents(object, before));
    return hasBucket ? 'exists' : 'unknown bucket';
  }
  await commit(backing, replaceObject(before, object), removedContents(before, object));
  return 'put';
}

async function changeObject(
  backing: Backing,
  bucket: string,
  key: string,
  change: (object: StoredObject) => StoredObject,
): Promise<StoredObject | undefined> {
  const before = await findObject(backing, bucket, key);
  if (!before) return undefined;
  const after = change(before);
  await commit(backing, replaceObject(before, after), removedContents(before, after));
  return after;
}

async function deleteObject(
  backing: Backing,
  bucket: string,
  key: string,
): Promise<'deleted' | 'unknown'> {
  const object = await findObject(backing, bucket, key);
  if (!object) return 'unknown';
  await commit(backing, removeObject(object), contentIds(object));
  return 'deleted';
}

async function renameObject(
  backing: Backing,
  bucket: string,
  key: string,
  newKey: string,
  overwrites: boolean,
): Promise<'renamed' | 'unknown' | 'exists'> {
  const object = await findObject(backing, bucket, key);
  if (!object) return 'unknown';
  const target = await findObject(backing, bucket, newKey);
  if (target && !overwrites) return 'exists';
  const after = { ...object, key: newKey };
  const changes = [...removeObject(object), ...replaceObject(target, after)];
  await commit(backing, changes, removedContents(target, after));
  return 'renamed';
}

/** The changes of an object's record and of its entry in the index of ETags. */
export function replaceObject(
  before: StoredObject | undefined,
  after: StoredObject,
): readonly Change[] {
  const { bucket, key } = after;
  const name = etagName(after);
  const oldName = before && etagName(before);
  return [
    ...(oldName === undefined || oldName === name ? [] : [{ type: 'del', key: oldName } as const]),
    { type: 'put', key: objectName(bucket, key), value: after },
    { type: 'put', key: name, value: [bucket, key] },
  ];
}

function removeObject(object: StoredObject): readonly Change[] {
  return [
    { type: 'del', key: objectName(object.bucket, object.key) },
    { type: 'del', key: etagName(object) },
  ];
}

/** Reads a range of an object; undefined if the object was replaced or deleted. */
async function readObject(
  backing: Backing,
  object: StoredObject,
  start: number,
  end: number,
): Promise<AsyncIterableIterator<Uint8Array> | undefined> {
  const slices = sliceContents(object, start, end);
  const release = await holdContents(
    backing,
    object,
    slices.map(({ id }) => id),
  );
  if (!release) return undefined;
  const pieces = readSlices(backing, slices, release);
  // Read ahead, because an error can be answered only before the first byte is sent. A started generator also releases
  // the contents if its reader stops early.
  let ahead: IteratorResult<Uint8Array, void> | undefined = await pieces.next();
  const reader: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => reader,
    async next() {
      const first = ahead;
      ahead = undefined;
      return first ?? pieces.next();
    },
    return: () => pieces.return(),
  };
  return reader;
}

async function duplicateContents(
  backing: Backing,
  object: StoredObject,
): Promise<StoredObject['contents']> {
  const ids = contentIds(object);
  const release = await holdContents(backing, object, ids);
  if (!release) throw fileError('fileUnknown');
  try {
    const copies = await backing.contents.duplicates(ids);
    return object.contents.flatMap(({ size }, i) => {
      const id = copies[i];
      return id === undefined ? [] : [{ id, size }];
    });
  } finally {
    await release();
  }
}

/**
 * Holds contents of an object until the returned function is called; undefined if the object no longer has them.
 *
 * If the record is still the same after the contents are held, they were not removed.
 */
async function holdContents(
  { records, references }: Backing,
  { bucket, key }: StoredObject,
  ids: readonly string[],
): Promise<(() => Promise<void>) | undefined> {
  const release = references.acquire(ids);
  try {
    const current = new Set(contentIds(await records.read(objectName(bucket, key))));
    if (ids.every((id) => current.has(id))) return release;
  } catch (error) {
    await release();
    throw error;
  }
  await release();
  return undefined;
}

interface Slice {
  readonly id: string;
  /** The size of the whole content. */
  readonly size: number;
  readonly start: number;
  readonly end: number;
}

/** The parts of contents that make up a range of an object. */
function sliceContents({ contents }: StoredObject, start: number, end: number): readonly Slice[] {
  const slices: Slice[] = [];
  let position = 0;
  for (const { id, size } of contents) {
    const from = Math.max(start - position, 0);
    const to = Math.min(end - position, size);
    if (from < to) slices.push({ id, size, start: from, end: to });
    position += size;
  }
  return slices;
}

/** Checks the sizes of all contents before the first byte. */
async function* readSlices(
  { contents }: Backing,
  slices: readonly Slice[],
  release: () => Promise<void>,
): AsyncGenerator<Uint8Array, void> {
  try {
    for (const slice of slices) {
      const damage = await contentDamage(slice, contents);
      if (damage !== undefined) throw fileError('damaged', damage);
    }
    for (const { id, start, end } of slices) yield* contents.pieces(id, start, end);
  } finally {
    await release();
  }
}
