/**
 * The bytes of objects, whole even where an object is replaced or deleted while it is read.
 *
 * @module
 */
import { FILE_ERRORS, serviceError } from '../errors.ts';
import { ServiceError } from '../service-error.ts';
import { type Backing, idsOf } from './backing.ts';
import { damageOf } from './check.ts';
import { objectName } from './record-names.ts';
import type { Store, StoredObject } from './store.ts';

interface Slice {
  readonly id: string;
  readonly start: number;
  readonly end: number;
}

export function readings(backing: Backing): Pick<Store, 'opened' | 'duplicate'> {
  const { contents } = backing;
  return {
    async opened(object, start, end) {
      const slices = slicesOf(object, start, end);
      const ids = slices.map(({ id }) => id);
      const release = await held(backing, object, ids);
      if (!release) return undefined;
      const read = object.contents.filter(({ id }) => ids.includes(id));
      await refuseDamaged(backing, read).catch((error) =>
        release().then(() => Promise.reject(error)),
      );
      return leased(await begun(piecesOf(backing, slices), release), release);
    },
    async duplicate(object) {
      const ids = idsOf(object);
      const release = await held(backing, object, ids);
      if (!release) throw new ServiceError(404, -148654, 'file not exist');
      try {
        const copies = await contents.duplicates(ids);
        return object.contents.flatMap(({ size }, i) => {
          const id = copies[i];
          return id === undefined ? [] : [{ id, size }];
        });
      } finally {
        await release();
      }
    },
  };
}

/**
 * Takes a lease of contents of an object; nothing where it has them no longer.
 *
 * What discards contents changes the record first and asks for leases then: so whoever finds
 * the record unchanged while the lease is taken has the contents.
 */
async function held(
  { records, leases }: Backing,
  { bucket, key }: StoredObject,
  ids: readonly string[],
): Promise<(() => Promise<void>) | undefined> {
  const release = leases.take(ids);
  try {
    const current = new Set(idsOf(await records.read<StoredObject>(objectName(bucket, key))));
    if (ids.every((id) => current.has(id))) return release;
  } catch (error) {
    await release();
    throw error;
  }
  await release();
  return undefined;
}

/** Before anything of them is sent: afterwards, nobody can be told. */
async function refuseDamaged({ contents }: Backing, read: StoredObject['contents']): Promise<void> {
  for (const content of read) {
    const damage = await damageOf(content, contents);
    if (damage !== undefined) throw serviceError(FILE_ERRORS.damaged, damage);
  }
}

/** Which bytes of which contents make up a range of an object. */
function slicesOf({ contents }: StoredObject, start: number, end: number): readonly Slice[] {
  const slices: Slice[] = [];
  let position = 0;
  for (const { id, size } of contents) {
    const from = Math.max(start - position, 0);
    const to = Math.min(end - position, size);
    if (from < to) slices.push({ id, start: from, end: to });
    position += size;
  }
  return slices;
}

async function* piecesOf(
  { contents }: Backing,
  slices: readonly Slice[],
): AsyncGenerator<Uint8Array, void> {
  for (const { id, start, end } of slices) yield* contents.pieces(id, start, end);
}

type Pieces = Pick<AsyncGenerator<Uint8Array, void>, 'next' | 'return'>;

/** Reads the first piece ahead: damage in it is answered, which it cannot be once something was sent. */
async function begun(
  pieces: AsyncGenerator<Uint8Array, void>,
  release: () => Promise<void>,
): Promise<Pieces> {
  let ahead: IteratorResult<Uint8Array, void> | undefined = await pieces
    .next()
    .catch((error) => release().then(() => Promise.reject(error)));
  return {
    async next() {
      const first = ahead;
      ahead = undefined;
      return first ?? pieces.next();
    },
    return: (value) => pieces.return(value),
  };
}

/** Ends the lease with the reading, also where the reading is given up before it began. */
function leased(pieces: Pieces, release: () => Promise<void>): AsyncIterableIterator<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      try {
        const result = await pieces.next();
        if (result.done) await release();
        return result;
      } catch (error) {
        await release();
        throw error;
      }
    },
    async return() {
      try {
        return await pieces.return();
      } finally {
        await release();
      }
    },
  };
}
