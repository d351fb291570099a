/**
 * Contents: stored bytes, and the comparison of contents with the records that name them.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { type Context, etagHash } from '../../signing/index.ts';
import { errorMessage } from '../../values.ts';
import { fileError } from '../messages/errors.ts';
import { isComplete, type Pieces } from '../messages/exchange.ts';
import {
  type Content,
  everyObject,
  everyPart,
  type Part,
  type StoredObject,
  type WantedSums,
} from './entries.ts';
import type { Records } from './records.ts';

export interface Contents {
  /**
   * Makes a small content durable, at the latest with the record that names its id. Resolves to the id. If it fails, no
   * bytes remain.
   *
   * @param isPart the ids of thousands of parts may come together in one record, so they have to be short
   */
  readonly keep: (bytes: Uint8Array, isPart: boolean) => Promise<string>;
  readonly draft: () => Promise<Draft>;
  /** Copies all contents, or none if one copy fails. Resolves to the new ids. */
  readonly duplicates: (ids: readonly string[]) => Promise<readonly string[]>;
  /** The bytes from `start` to `end`, exclusive. Throws if they are missing or damaged. */
  readonly pieces: (id: string, start: number, end: number) => AsyncGenerator<Uint8Array, void>;
  /** The same bytes at once, if they are in memory in one piece. */
  readonly bytesInMemory: (id: string, start: number, end: number) => Uint8Array | undefined;
  /** Removes contents. Never fails: the next start removes what remains. */
  readonly remove: (id: string) => Promise<void>;
  /** The ids of all contents, and the names of other files. */
  readonly names: () => Promise<readonly string[]>;
  readonly size: (id: string) => Promise<number | undefined>;
}

/** An unfinished content. End it with exactly one call of `keep` or `drop`. */
export interface Draft {
  /** Appends a piece, which must not change afterwards. */
  readonly write: (piece: Uint8Array) => Promise<void>;
  /** Makes the bytes durable. Resolves to their id. */
  readonly keep: () => Promise<string>;
  readonly drop: () => Promise<void>;
}

/** Stores the pieces and hashes them while they are written. */
export async function receiveContent(
  pieces: Pieces,
  contents: Contents,
  wanted: WantedSums,
  context: Context,
): Promise<Content> {
  const sums = startSums(wanted, context);
  if (isComplete(pieces)) {
    const [first] = pieces;
    const bytes = first && pieces.length === 1 ? first : Buffer.concat(pieces);
    const kept = contents.keep(bytes, wanted.partEtag);
    sums.update(bytes);
    return { id: await kept, ...sums.finish() };
  }
  const draft = await contents.draft();
  try {
    for await (const piece of pieces) {
      const written = draft.write(piece);
      sums.update(piece);
      await written;
    }
    return { id: await draft.keep(), ...sums.finish() };
  } catch (error) {
    await draft.drop();
    throw error;
  }
}

interface Sums {
  readonly update: (piece: Uint8Array) => void;
  readonly finish: () => Omit<Content, 'id'>;
}

function startSums(wanted: WantedSums, context: Context): Sums {
  const { steps } = context;
  const etag = etagHash(context);
  const sha1 = wanted.partEtag ? createHash('sha1') : undefined;
  const md5 = wanted.md5 ? createHash('md5') : undefined;
  let size = 0;
  return {
    update(piece) {
      etag.update(piece);
      sha1?.update(piece);
      md5?.update(piece);
      size += piece.length;
    },
    finish: () => ({
      size,
      etag: etag.stages().etag,
      partEtag: sha1 ? steps.etagText(steps.partEtagBytes(sha1.digest())) : '',
      md5: md5?.digest('hex') ?? '',
    }),
  };
}

type Sized = Pick<Content, 'id' | 'size'>;

/** Describes a content that is missing or has another size than when it was stored; undefined if it is intact. */
async function contentDamage({ id, size }: Sized, contents: Contents): Promise<string | undefined> {
  const found = await contents.size(id);
  if (found === size) return undefined;
  return found === undefined
    ? `content ${id} is missing`
    : `content ${id} has ${found} bytes; it was stored with ${size}`;
}

/** Part of a content; `size` is the size of the whole content. */
export interface Slice extends Sized {
  readonly start: number;
  readonly end: number;
}

/** The parts of contents that make up a range of an object. */
export function sliceContents(
  { contents }: StoredObject,
  start: number,
  end: number,
): readonly Slice[] {
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

/**
 * Reads the first piece at once, because an error can be answered only before the first byte is sent. A started generator
 * also releases the contents if its reader stops early.
 */
export async function openSlices(
  contents: Contents,
  slices: readonly Slice[],
  release: () => Promise<void>,
): Promise<AsyncIterableIterator<Uint8Array>> {
  const pieces = readSlices(contents, slices, release);
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

/** Checks the sizes of all contents before the first byte. */
async function* readSlices(
  contents: Contents,
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

/** The names of contents, and of other files, that no record names. */
export async function unreferencedContents(
  records: Records,
  contents: Contents,
): Promise<readonly string[]> {
  const others = new Set(await contents.names());
  for await (const owner of contentOwners(records)) {
    if (others.size === 0) break;
    for (const { id } of owner.contents) others.delete(id);
  }
  return [...others];
}

/** Describes each difference between records and contents. Unfinished operations look like differences. */
export async function findFaults(records: Records, contents: Contents): Promise<readonly string[]> {
  const faults = await findDamagedContents(records, contents, contentDamage);
  const others = await unreferencedContents(records, contents);
  return [
    ...faults,
    ...others.map((name) => `${JSON.stringify(name)} is stored, but no record names it`),
  ];
}

/** Describes the damage of each content that a record names. */
export async function findDamagedContents(
  records: Records,
  contents: Contents,
  findDamage: (content: Sized, contents: Contents) => Promise<string | undefined>,
): Promise<readonly string[]> {
  const faults: string[] = [];
  for await (const owner of contentOwners(records)) {
    for (const content of owner.contents) {
      const damage = await findDamage(content, contents);
      if (damage !== undefined) faults.push(`${owner.name}: ${damage}`);
    }
  }
  return faults;
}

/** Like `contentDamage`, but reads all bytes. */
export async function readDamage(content: Sized, contents: Contents): Promise<string | undefined> {
  const damage = await contentDamage(content, contents);
  if (damage !== undefined) return damage;
  try {
    for await (const _ of contents.pieces(content.id, 0, content.size));
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

/** A file or a part, by the name that messages have for it. */
interface ContentOwner extends Pick<StoredObject, 'contents' | 'etag'> {
  readonly name: string;
}

export async function* contentOwners(records: Records): AsyncGenerator<ContentOwner> {
  for await (const { bucket, key, contents, etag } of records.walk<StoredObject>(everyObject())) {
    yield {
      name: `file ${JSON.stringify(key)} in bucket ${JSON.stringify(bucket)}`,
      contents,
      etag,
    };
  }
  for await (const { number, content } of records.walk<Part>(everyPart())) {
    yield { name: `part ${number} of an upload`, contents: [content], etag: content.etag };
  }
}
