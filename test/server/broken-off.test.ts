/** Clients that disconnect within a body leave nothing behind. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { Client } from '../../bench/load/client.ts';
import { runLoad } from '../../bench/load/load.ts';
import { createFiles } from '../../bench/load/mix.ts';
import { createRandom, pick } from '../../bench/load/random.ts';
import { DEVELOPMENT_KEYS } from '../../reference/server/options.ts';
import { openDurableStore } from '../../reference/server/store/durable-store.ts';
import { openMemoryStore } from '../../reference/server/store/memory-store.ts';
import type { Store } from '../../reference/server/store/store.ts';
import { RUNS } from '../amount.ts';
import { folderOfTest } from '../temporary-folder.ts';
import {
  type Bringing,
  brokenGet,
  brokenPut,
  fileOf,
  formOf,
  partOfUpload,
  SENT,
  until,
  watched,
} from './broken-requests.ts';
import { fileServer } from './file-server.ts';
import { bucketNamed, OPTIONS, put, read, uploadNamed } from './stores.ts';

const TIMES = RUNS > 1 ? 50 : 20;
const READERS = RUNS > 1 ? 15 : 6;
const BUCKET = 'box';
const UPLOAD = '6d0f8b1e-4c53-4f0e-9a55-1f0f8e2f7a31';

/** In bytes: enough for the files and the running uploads, but not for all interrupted uploads. */
const ROOM = 32 * 1024 ** 2;

const STORES: Readonly<Record<string, () => Promise<Store>>> = {
  'in memory': () => openMemoryStore({ ...OPTIONS, mostBytes: ROOM }),
  'in a folder': () => openDurableStore(folderOfTest(), OPTIONS),
};

const BRINGING: Readonly<Record<string, (key: string) => Bringing>> = {
  files: (key) => fileOf(BUCKET, key),
  parts: () => partOfUpload(BUCKET, 'in parts', UPLOAD),
  forms: (key) => formOf(BUCKET, key),
};

async function served(open: () => Promise<Store>) {
  const watch = watched(await open());
  onTestFinished(() => watch.store.close());
  await watch.store.createBucket(bucketNamed(BUCKET));
  await watch.store.createUpload(uploadNamed(UPLOAD, BUCKET, 'in parts'));
  const accounts = [{ ...DEVELOPMENT_KEYS, isDevelopment: true }];
  const { port } = await fileServer({ store: watch.store, accounts });
  const client = new Client(port);
  onTestFinished(() => client.end());
  return { ...watch, client, port };
}

const keysIn = async (store: Store): Promise<readonly string[]> =>
  (await store.objects(BUCKET, { prefix: '', after: '', limit: 1000 })).map(({ key }) => key);

const isWhole = async (store: Store): Promise<boolean> => (await store.faults()).length === 0;

describe.each(Object.entries(STORES))('%s', (_, open) => {
  test.each(Object.entries(BRINGING))(
    `${TIMES} interrupted uploads leave nothing behind: %s`,
    async (_, bringing) => {
      const { client, store, arrived, brokenOff } = await served(open);
      await put(store, BUCKET, 'kept', 'as it was');
      for (let time = 0; time < TIMES; time++) {
        const sent = SENT[time % SENT.length] ?? 1;
        const before = arrived();
        const key = time % 2 === 0 ? 'kept' : `new ${time}`;
        await brokenPut(client, bringing(key), sent, () => arrived() > before);
        await until(() => brokenOff() > time);
      }
      await until(() => isWhole(store));
      expect(brokenOff()).toBe(TIMES);
      expect(await keysIn(store)).toEqual(['kept']);
      expect(await read(store, BUCKET, 'kept')).toBe('as it was');
      expect(await store.parts(UPLOAD)).toEqual([]);
    },
  );

  test(`${TIMES} uploads interrupted under load leave nothing behind`, async () => {
    const { client, port, store, brokenOff } = await served(open);
    const files = createFiles([64 * 1024, 256 * 1024, 1024 ** 2], 2);
    const isOver = (_: number, bytes: number): boolean =>
      brokenOff() >= TIMES && bytes > (RUNS > 1 ? 3e7 : 1e7);
    const load = { port, bucket: BUCKET, files, clients: 4, isOver, sum: 'etag' as const };
    const breaking = async (seed: number): Promise<void> => {
      const random = createRandom(seed);
      while (brokenOff() < TIMES) {
        const key = random(2) === 0 ? pick(files, random).key : `new ${random(9)}`;
        const goneAt = performance.now() + random(20);
        const isTime = (): boolean => performance.now() >= goneAt;
        await brokenPut(client, fileOf(BUCKET, key), pick(SENT, random), isTime);
      }
    };
    const [{ errors, puts, gets }] = await Promise.all([runLoad(load), breaking(1), breaking(2)]);
    expect(errors).toEqual([]);
    expect(Math.min(puts.length, gets.length)).toBeGreaterThan(0);
    await until(() => isWhole(store));
    expect(await keysIn(store)).toEqual(files.map(({ key }) => key).sort());
  });

  test(`${READERS} readers that disconnect release replaced contents`, async () => {
    const { client, store } = await served(open);
    const replaced = (time: number): Promise<unknown> =>
      // Larger than the socket buffers, so the client has not read all of it yet.
      put(store, BUCKET, 'read', `content ${time % 10}`.repeat(1024 ** 2));
    await replaced(0);
    for (let time = 1; time <= READERS; time++) {
      await brokenGet(client, BUCKET, 'read', async () => {
        await replaced(time);
        expect(await isWhole(store), 'what is read is held').toBe(false);
      });
      await until(() => isWhole(store));
    }
    expect(await keysIn(store)).toEqual(['read']);
  });
});
