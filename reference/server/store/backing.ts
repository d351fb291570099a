/**
 * What every part of the store works with.
 *
 * @module
 */
import type { Contents } from './contents.ts';
import type { Leases } from './leases.ts';
import { etagName, objectName } from './record-names.ts';
import type { Change, Records } from './records.ts';
import type { StoredObject } from './store.ts';
import type { Turns } from './turns.ts';

export interface Backing {
  readonly records: Records;
  readonly contents: Contents;
  readonly leases: Leases;
  /** Names are taken from the outside in: bucket, upload, then objects in their order, or a part. */
  readonly turns: Turns;
}

/** Changes records, and then discards contents: while a record names them they are there. */
export async function commit(
  { records, leases }: Backing,
  changes: readonly Change[],
  discarded: readonly string[],
): Promise<void> {
  await records.commit(changes);
  await leases.discard(discarded);
}

export const idsOf = (object: Pick<StoredObject, 'contents'> | undefined): readonly string[] =>
  object?.contents.map(({ id }) => id) ?? [];

/** What is left of the contents of one object when another has taken its place. */
export function leftOver(
  before: Pick<StoredObject, 'contents'> | undefined,
  after: Pick<StoredObject, 'contents'> | undefined,
): readonly string[] {
  const kept = new Set(idsOf(after));
  return idsOf(before).filter((id) => !kept.has(id));
}

/** Puts an object in the place of another with its name; removes that first from where it is found by its content. */
export function replacement(
  before: StoredObject | undefined,
  after: StoredObject,
): readonly Change[] {
  const { bucket, key } = after;
  return [
    ...(before ? removal(before) : []),
    { type: 'put', key: objectName(bucket, key), value: after },
    { type: 'put', key: etagName(after), value: [bucket, key] },
  ];
}

export function removal(object: StoredObject): readonly Change[] {
  return [
    { type: 'del', key: objectName(object.bucket, object.key) },
    { type: 'del', key: etagName(object) },
  ];
}
