/**
 * Contents: stored bytes, and the comparison of contents with the records that name them.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { type Context, etagHash } from '../../signing/index.ts';
import { errorMessage } from '../../values.ts';
import { isComplete, type Pieces } from '../messages/exchange.ts';
import { startMd5Thread } from './md5-thread.ts';
import { everyObject, everyPart, type Records } from './records.ts';
import type { Content, Part, StoredObject, WantedSums } from './store.ts';

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
  /** The size of a content in bytes. */
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
export function receiveContent(
  pieces: Pieces,
  contents: Contents,
  wanted: WantedSums,
  context: Context,
): Promise<Content> {
  return isComplete(pieces)
    ? receiveWhole(pieces, contents, startSums(wanted, context), wanted.partEtag)
    : receivePieces(pieces, contents, wanted, context);
}

async function receiveWhole(
  pieces: readonly Uint8Array[],
  contents: Contents,
  sums: Sums,
  isPart: boolean,
): Promise<Content> {
  const [first] = pieces;
  const bytes = first && pieces.length === 1 ? first : Buffer.concat(pieces);
  const kept = contents.keep(bytes, isPart);
  sums.update(bytes);
  return { id: await kept, ...sums.finish() };
}

async function receivePieces(
  pieces: AsyncIterable<Uint8Array>,
  contents: Contents,
  wanted: WantedSums,
  context: Context,
): Promise<Content> {
  const draft = await contents.draft();
  const thread = wanted.md5 ? startMd5Thread(wanted.length) : undefined;
  const sums = startSums(thread ? { ...wanted, md5: false } : wanted, context);
  try {
    for await (const piece of pieces) {
      const written = draft.write(piece);
      const sent = thread?.update(piece);
      sums.update(piece);
      await (sent ? Promise.all([written, sent]) : written);
    }
    const own = sums.finish();
    const md5 = thread ? await thread.digest() : own.md5;
    return { id: await draft.keep(), ...own, md5 };
  } catch (error) {
    await draft.drop();
    throw error;
  } finally {
    thread?.end();
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
export async function contentDamage(
  { id, size }: Sized,
  contents: Contents,
): Promise<string | undefined> {
  const found = await contents.size(id);
  if (found === size) return undefined;
  return found === undefined
    ? `content ${id} is missing`
    : `content ${id} has ${found} bytes; it was stored with ${size}`;
}

/** The names of contents, and of other files, that no record names. */
export async function unreferencedContents(
  records: Records,
  contents: Contents,
): Promise<readonly string[]> {
  const others = new Set(await contents.names());
  for await (const { id } of referencedContents(records)) {
    if (others.size === 0) break;
    others.delete(id);
  }
  return [...others];
}

/** Describes each difference between records and contents. Unfinished operations look like differences. */
export async function findFaults(records: Records, contents: Contents): Promise<readonly string[]> {
  const faults: string[] = [];
  for await (const content of referencedContents(records)) {
    const damage = await contentDamage(content, contents);
    if (damage !== undefined) faults.push(`${content.owner}: ${damage}`);
  }
  const others = await unreferencedContents(records, contents);
  return [
    ...faults,
    ...others.map((name) => `${JSON.stringify(name)} is stored, but no record names it`),
  ];
}

/** Reads every referenced content and describes each damage. */
export async function findDamagedContents(
  records: Records,
  contents: Contents,
): Promise<readonly string[]> {
  const faults: string[] = [];
  for await (const content of referencedContents(records)) {
    const damage = (await contentDamage(content, contents)) ?? (await readError(content, contents));
    if (damage !== undefined) faults.push(`${content.owner}: ${damage}`);
  }
  return faults;
}

async function readError({ id, size }: Sized, contents: Contents): Promise<string | undefined> {
  try {
    for await (const _ of contents.pieces(id, 0, size));
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

async function* referencedContents(
  records: Records,
): AsyncGenerator<Sized & { readonly owner: string }> {
  for await (const { bucket, key, contents } of records.walk<StoredObject>(everyObject())) {
    const owner = `file ${JSON.stringify(key)} in bucket ${JSON.stringify(bucket)}`;
    for (const { id, size } of contents) yield { id, size, owner };
  }
  for await (const { number, content } of records.walk<Part>(everyPart())) {
    yield { ...content, owner: `part ${number} of an upload` };
  }
}
