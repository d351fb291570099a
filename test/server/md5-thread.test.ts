import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startMd5Thread } from '../../reference/server/store/md5-thread.ts';
import { openMemoryStore } from '../../reference/server/store/memory-store.ts';
import { SPECIFICATION } from '../../reference/signing/index.ts';
import { arriving } from './stores.ts';

/** In bytes. A body with this announced length gets a thread. */
const LARGE = 16 * 1024 ** 2;
const WANTED = { partEtag: false, md5: true, length: LARGE };

const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex');

/** Starts all threads that can run at the same time, so that no other can start. */
function startAllThreads(): readonly { readonly end: () => void }[] {
  const thread = startMd5Thread(LARGE);
  return thread ? [thread, ...startAllThreads()] : [];
}

function countFreeThreads(): number {
  const started = startAllThreads();
  for (const thread of started) thread.end();
  return started.length;
}

async function* breaking(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('half');
  throw new Error('the connection is gone');
}

test('a thread computes the MD5 of any pieces, even of more than it queues', async () => {
  // Some pieces are parts of a larger buffer, as those of sockets are.
  const piece = fc
    .tuple(fc.uint8Array({ maxLength: 9 }), fc.constantFrom(0, 1, 70_000, 5_000_000))
    .map(([bytes, size]) => Buffer.concat([bytes, Buffer.alloc(size, 7), bytes]).subarray(1));
  const property = fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
    const thread = startMd5Thread(LARGE);
    if (!thread) throw new Error('no thread is free');
    for (const one of pieces) await thread.update(one);
    const digest = await thread.digest();
    thread.end();
    expect(digest).toBe(md5(Buffer.concat(pieces)));
  });
  await fc.assert(property, { numRuns: 12 });
});

test('a body that is small or of unknown length gets no thread', () => {
  expect(startMd5Thread()).toBeUndefined();
  expect(startMd5Thread(LARGE - 1)).toBeUndefined();
});

test('a content has the same MD5 with and without a thread, and releases its thread', async () => {
  const store = await openMemoryStore({ context: SPECIFICATION });
  const free = countFreeThreads();
  expect(free).toBeGreaterThan(0);
  let during = free;
  async function* counting(): AsyncGenerator<Uint8Array> {
    during = countFreeThreads();
    yield* arriving('text');
  }
  const inThread = await store.receive(counting(), WANTED);
  expect([during, countFreeThreads()]).toEqual([free - 1, free]);
  const others = startAllThreads();
  const here = await store.receive(arriving('text'), WANTED);
  for (const thread of others) thread.end();
  expect([inThread.md5, here.md5]).toEqual([md5(Buffer.from('text')), md5(Buffer.from('text'))]);
});

test('an interrupted body releases its thread', async () => {
  const store = await openMemoryStore({ context: SPECIFICATION });
  const free = countFreeThreads();
  await expect(store.receive(breaking(), WANTED)).rejects.toThrow('the connection is gone');
  expect(countFreeThreads()).toBe(free);
  expect(await store.faults()).toEqual([]);
});
