/**
 * Fills a data folder with data of every kind, and reads all of it.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createRandom, type Random } from '../../../bench/load/random.ts';
import { openDurableStore } from '../../../reference/server/store/durable-store.ts';
import type { Content } from '../../../reference/server/store/entries.ts';
import type { Store } from '../../../reference/server/store/store.ts';
import { bucketNamed, OPTIONS, objectNamed, partOf, uploadNamed } from '../stores.ts';

const ALL = { prefix: '', after: '', limit: 10_000 };
const BUCKETS = ['b', 'c', 'empty'];

/** Around the size of a block, 64 KiB, and of several blocks. */
const SIZES = [0, 1, 10, 1000, 65_535, 65_536, 65_537, 100_000, 300_000];

async function* arriving(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 50_000) yield bytes.subarray(at, at + 50_000);
}

function bytesOf(size: number, random: Random): Uint8Array {
  return Uint8Array.from({ length: size }, () => random(256));
}

const taken = (store: Store, size: number, random: Random): Promise<Content> =>
  store.receive(arriving(bytesOf(size, random)));

/** Finishes an upload, because the bytes of its parts can only be read after that. */
async function finished(store: Store, id: string): Promise<unknown> {
  const parts = await store.parts(id);
  const object = {
    ...objectNamed('c', `finished ${id}`, await taken(store, 0, createRandom(1))),
    size: parts.reduce((sum, { content }) => sum + content.size, 0),
    contents: parts.map(({ content }) => content),
  };
  await store.finishUpload(id, object);
  const found = await store.object('c', object.key);
  return found && sumOf(await store.read(found, 0, found.size));
}

/** Opens and closes the store several times, so that records are in the log and in tables. */
export async function fillFolder(folder: string, seed: number): Promise<void> {
  const random = createRandom(seed);
  for (let session = 0; session < 3; session++) {
    const store = await openDurableStore(folder, OPTIONS);
    for (const name of BUCKETS) await store.createBucket(bucketNamed(name));
    for (let number = 0; number < 12; number++) {
      const key = `session ${session}/file ${number}`;
      const content = await taken(store, SIZES[number % SIZES.length] ?? 0, random);
      await store.putObject(objectNamed(BUCKETS[number % 2] ?? 'b', key, content));
    }
    await fillUpload(store, `u${session}`, random);
    await store.deleteObject('b', `session ${session}/file 2`);
    await store.renameObject('b', `session ${session}/file 4`, `renamed ${session}`, true);
    await duplicate(store, session);
    await store.close();
  }
}

async function fillUpload(store: Store, id: string, random: Random): Promise<void> {
  await store.createUpload(uploadNamed(id, 'c', `upload ${id}`));
  for (const number of [0, 1, 2]) {
    await store.putPart(id, partOf(number, await taken(store, 500 + number, random)));
  }
}

async function duplicate(store: Store, session: number): Promise<void> {
  const source = await store.object('c', `session ${session}/file 1`);
  if (!source) throw new Error('the file to copy is missing');
  const contents = await store.duplicate(source);
  await store.putObject({ ...source, key: `copy ${session}`, contents });
}

/** By name: what was read, as JSON, or the error message. */
export type Reading = ReadonlyMap<string, { readonly text: string } | { readonly failure: string }>;

export async function readAll(store: Store): Promise<Reading> {
  const all = new Map<string, { text: string } | { failure: string }>();
  const note = async (name: string, read: () => Promise<unknown>): Promise<void> => {
    try {
      all.set(name, { text: JSON.stringify(await read()) });
    } catch (error) {
      all.set(name, { failure: error instanceof Error ? error.message : String(error) });
    }
  };
  await note('buckets', () => store.buckets());
  for (const bucket of BUCKETS) {
    await note(`list ${bucket}`, async () => store.objects(bucket, ALL));
    await note(`uploads ${bucket}`, async () => store.uploads(bucket, ALL));
    for (const object of await store.objects(bucket, ALL).catch(() => [])) {
      await note(`file ${bucket} ${object.key}`, async () => [
        await store.object(bucket, object.key),
        await sumOf(await store.read(object, 0, object.size)),
      ]);
      await note(`same as ${bucket} ${object.key}`, async () =>
        Boolean(await store.objectWithEtag(object.etag, object.size)),
      );
    }
    for (const { id } of await store.uploads(bucket, ALL).catch(() => [])) {
      await note(`upload ${id}`, async () => [await store.upload(id), await store.parts(id)]);
      await note(`file of upload ${id}`, () => finished(store, id));
    }
  }
  return all;
}

async function sumOf(pieces: AsyncIterable<Uint8Array> | undefined): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of pieces ?? []) hash.update(piece);
  return hash.digest('hex');
}

/** The checksums of the files in a folder, by their paths in it. */
export function filesIn(folder: string): ReadonlyMap<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(
    paths
      .map((path) => join(folder, path))
      .filter((path) => statSync(path).isFile())
      .map((path) => [
        relative(folder, path).replaceAll('\\', '/'),
        createHash('sha256').update(readFileSync(path)).digest('hex'),
      ]),
  );
}
