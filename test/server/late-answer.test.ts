/** Requests that are answered 503 while they are still running. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Client } from '../../bench/load/client.ts';
import { DEVELOPMENT_KEYS } from '../../reference/server/options.ts';
import type { Store } from '../../reference/server/store/store.ts';
import { until } from './broken-requests.ts';
import { fileServer } from './file-server.ts';
import { bucketNamed, describeEachStore, put, read } from './stores.ts';

const BUCKET = 'box';
const ANSWER_TIME = 200;

async function served(store: Store): Promise<Client> {
  await store.createBucket(bucketNamed(BUCKET));
  const accounts = [{ ...DEVELOPMENT_KEYS, isDevelopment: true }];
  const { port } = await fileServer({ store, accounts }, { answerTime: ANSWER_TIME });
  const client = new Client(port);
  onTestFinished(() => client.end());
  return client;
}

describeEachStore((open) => {
  test('a put that times out during its body changes nothing', async () => {
    const store = await open();
    const client = await served(store);
    await put(store, BUCKET, 'slow', 'as it was');
    const pieces = 2 * (ANSWER_TIME / 20);
    const body = { length: pieces * 10_000, pieces: [] };
    const { outgoing, response } = client.begin({
      bucket: BUCKET,
      key: 'slow',
      method: 'PUT',
      body,
    });
    for (let piece = 0; piece < pieces; piece++) {
      outgoing.write(Buffer.alloc(10_000, piece));
      await sleep(20);
    }
    outgoing.end();
    expect((await response).statusCode).toBe(503);
    await until(async () => (await store.faults()).length === 0);
    expect(await read(store, BUCKET, 'slow')).toBe('as it was');
  });

  test('a file that is opened after its request timed out is released', async () => {
    const store = await open();
    let opened = 0;
    const original = store.read.bind(store);
    const slow: Store['read'] = async (...of) => {
      await sleep(2 * ANSWER_TIME);
      opened += 1;
      return original(...of);
    };
    const client = await served(
      Object.assign(store, { read: slow, bytesInMemory: () => undefined }),
    );
    await put(store, BUCKET, 'late', 'one');
    const reply = await client.ask({ bucket: BUCKET, key: 'late', method: 'GET' });
    expect(reply.status).toBe(503);
    await until(() => opened === 1);
    await put(store, BUCKET, 'late', 'two');
    await until(async () => (await store.faults()).length === 0);
  });
});
