/**
 * Empty stores of both kinds, and data for tests.
 *
 * @module
 */

import { text as streamText } from 'node:stream/consumers';
import { describe, expect, onTestFinished } from 'vitest';
import { openDurableStore } from '../../reference/server/store/durable-store.ts';
import type {
  Bucket,
  Content,
  Part,
  StoredObject,
  Upload,
} from '../../reference/server/store/entries.ts';
import { openMemoryStore } from '../../reference/server/store/memory-store.ts';
import type { Store } from '../../reference/server/store/store.ts';
import { type Context, SPECIFICATION } from '../../reference/signing/index.ts';
import { folderOfTest } from '../temporary-folder.ts';

export const OPTIONS: { readonly context: Context } = { context: SPECIFICATION };

const STORES: Readonly<Record<string, () => Promise<Store>>> = {
  'in memory': () => openMemoryStore(OPTIONS),
  'in a folder': () => openDurableStore(folderOfTest(), OPTIONS),
};

/** Runs tests on each store. `open` opens an empty one, which must have no faults at the end. */
export function describeEachStore(tests: (open: () => Promise<Store>) => void): void {
  describe.each(Object.entries(STORES))('%s', (_, make) => {
    tests(async () => {
      const store = await make();
      onTestFinished(async () => {
        const faults = await store.faults();
        await store.close();
        expect(faults).toEqual([]);
      });
      return store;
    });
  });
}

export function bucketNamed(name: string): Bucket {
  return {
    name,
    id: `id-${name}`,
    type: 'private',
    region: 'cn-bj',
    tag: 'Default',
    storageClass: 'STANDARD',
    createTime: 1,
    modifyTime: 1,
  };
}

/** The store with the bucket "b". */
export async function withBucket<Opened extends Store>(opening: Promise<Opened>): Promise<Opened> {
  const store = await opening;
  await store.createBucket(bucketNamed('b'));
  return store;
}

export function objectNamed(bucket: string, key: string, content: Content): StoredObject {
  return {
    bucket,
    key,
    etag: content.etag,
    size: content.size,
    contentType: 'text/plain',
    storageClass: 'STANDARD',
    meta: [['Author', 'somebody']],
    tags: [],
    acl: 'default',
    createTime: 1,
    modifyTime: 1,
    contents: [content],
  };
}

export function uploadNamed(id: string, bucket: string, key: string): Upload {
  return {
    id,
    bucket,
    key,
    contentType: 'text/plain',
    storageClass: 'STANDARD',
    meta: [],
    startTime: 1,
  };
}

export const partOf = (number: number, content: Content): Part => ({
  number,
  content,
  modifyTime: 1,
});

/** The bytes of a text, in several pieces. */
export async function* arriving(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  const size = Math.max(7, Math.ceil(bytes.length / 9));
  for (let start = 0; start < bytes.length; start += size)
    yield bytes.subarray(start, start + size);
}

export const held = (store: Store, text: string): Promise<Content> => store.receive(arriving(text));

export async function put(
  store: Store,
  bucket: string,
  key: string,
  text: string,
): Promise<StoredObject> {
  const object = objectNamed(bucket, key, await held(store, text));
  expect(await store.putObject(object)).toBe('put');
  return object;
}

export async function textOf(
  pieces: AsyncIterable<Uint8Array> | undefined,
): Promise<string | undefined> {
  return pieces && streamText(pieces);
}

/** The text of the object with this key; undefined if no object has it. */
export async function read(store: Store, bucket: string, key: string): Promise<string | undefined> {
  const object = await store.object(bucket, key);
  return object && textOf(await store.read(object, 0, object.size));
}
