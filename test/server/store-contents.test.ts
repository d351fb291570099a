import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { openMemoryStore } from '../../reference/server/store/memory-store.ts';
import { etag, partEtag, SPECIFICATION } from '../../reference/signing/index.ts';
import {
  arriving,
  bucketNamed,
  describeEachStore,
  held,
  OPTIONS,
  objectNamed,
  put,
  read,
  textOf,
  uploadNamed,
  withBucket,
} from './stores.ts';

const MEGABYTE = 1024 ** 2;

async function* breaking(text: string): AsyncGenerator<Uint8Array> {
  yield* arriving(text);
  throw new Error('the connection is gone');
}

describeEachStore((open) => {
  test('a received content has its hashes, over several blocks', async () => {
    const store = await withBucket(open());
    const bytes = Buffer.alloc(9 * MEGABYTE + 17, 'some bytes, ');
    const pieces = Readable.from([bytes.subarray(0, 100), bytes.subarray(100)]);
    const content = await store.receive(pieces);
    expect(content).toMatchObject({
      size: bytes.length,
      etag: etag(bytes, SPECIFICATION).etag,
      partEtag: partEtag(bytes, SPECIFICATION).etag,
      md5: createHash('md5').update(bytes).digest('hex'),
    });
    await store.putObject(objectNamed('b', 'k', content));
    expect((await read(store, 'b', 'k')) === bytes.toString()).toBe(true);
  });

  test('hashes that are not requested are not computed', async () => {
    const store = await open();
    const content = await store.receive(arriving('text'), { partEtag: false, md5: false });
    expect(content).toMatchObject({
      etag: etag(Buffer.from('text'), SPECIFICATION).etag,
      partEtag: '',
      md5: '',
    });
    await store.discard(content);
  });

  test('an empty file can be put and read', async () => {
    const store = await withBucket(open());
    const { etag: written } = await put(store, 'b', 'k', '');
    expect(written).toBe('AAAAANo5o-5ea0sNMlW_75VgGJCv2AcJ');
    expect(await read(store, 'b', 'k')).toBe('');
  });

  test('a piece may be overwritten when the next one is requested', async () => {
    const store = await withBucket(open());
    const piece = Buffer.alloc(3);
    async function* reusing(): AsyncGenerator<Uint8Array> {
      for (const text of ['one', 'two']) {
        piece.write(text);
        yield piece;
      }
    }
    await store.putObject(objectNamed('b', 'k', await store.receive(reusing())));
    expect(await read(store, 'b', 'k')).toBe('onetwo');
  });

  // Every test checks at its end that no contents are left over.
  test('an interrupted content leaves nothing behind', async () => {
    const store = await open();
    await expect(store.receive(breaking('text '.repeat(100)))).rejects.toThrow(
      'connection is gone',
    );
  });

  test('a discarded content leaves nothing behind', async () => {
    const store = await open();
    const content = await held(store, 'text');
    expect(await store.faults()).toHaveLength(1);
    await store.discard(content);
    await store.discard(content);
  });

  test('a range may cover several contents', async () => {
    const store = await withBucket(open());
    const contents = await Promise.all(['abc', '', 'defg', 'h'].map((text) => held(store, text)));
    const object = {
      ...objectNamed('b', 'k', { id: '', size: 8, etag: '', partEtag: '', md5: '' }),
      contents,
    };
    await store.putObject(object);
    for (let start = 0; start <= 8; start++) {
      for (let end = start; end <= 8; end++) {
        const text = await textOf(await store.read(object, start, end));
        expect(text).toBe('abcdefgh'.slice(start, end));
      }
    }
  });

  test('an object that is replaced and deleted while it is read is read completely', async () => {
    const store = await withBucket(open());
    const text = 'before '.repeat(100_000);
    const object = await put(store, 'b', 'k', text);
    const readers = await Promise.all([1, 2, 3].map(() => store.read(object, 0, object.size)));
    await readers[0]?.next();
    await put(store, 'b', 'k', 'after');
    await store.deleteObject('b', 'k');
    expect((await textOf(readers[1])) === text).toBe(true);
    // Cancels a read that has begun and one that has not.
    await readers[0]?.return?.();
    await readers[2]?.return?.();
    expect(await store.read(object, 0, object.size)).toBeUndefined();
  });

  test('simultaneous readers and writers of a key see only complete objects', async () => {
    const store = await withBucket(open());
    const whole = /^(\d+ )\1*$/;
    await put(store, 'b', 'k', '0 '.repeat(1000));
    let seen = 0;
    const writer = async (): Promise<void> => {
      for (let i = 0; i < 50; i++) await put(store, 'b', 'k', `${i} `.repeat(1000));
    };
    const reader = async (): Promise<void> => {
      for (let i = 0; i < 50; i++) {
        const text = await read(store, 'b', 'k');
        if (text === undefined) continue;
        seen++;
        expect(text).toMatch(whole);
      }
    };
    await Promise.all([writer(), writer(), reader(), reader()]);
    expect(seen).toBeGreaterThan(0);
  });

  test('a duplicate has the same bytes and outlives its original', async () => {
    const store = await withBucket(open());
    const original = await put(store, 'b', 'a', 'text');
    const contents = await store.duplicate(original);
    await store.putObject({ ...original, key: 'c', contents });
    await store.deleteObject('b', 'a');
    expect(await read(store, 'b', 'c')).toBe('text');
    await expect(store.duplicate(original)).rejects.toMatchObject({ status: 404, code: -148654 });
  });
});

test('in memory, all files together have at most the configured size', async () => {
  const store = await openMemoryStore({ ...OPTIONS, mostBytes: 10 });
  await store.createBucket(bucketNamed('b'));
  const refusal = { status: 507, message: expect.stringContaining('at most 10 bytes') };
  await expect(held(store, 'more than ten')).rejects.toMatchObject(refusal);
  await expect(store.receive(breaking('ten bytes.'))).rejects.toThrow('connection is gone');
  const object = await put(store, 'b', 'k', 'six by');
  await expect(held(store, 'five.')).rejects.toMatchObject(refusal);
  await put(store, 'b', 'l', 'four');
  await expect(held(store, '1')).rejects.toMatchObject(refusal);
  // A duplicate shares its bytes with the original; they are freed when both are gone.
  const [copy] = await store.duplicate(object);
  await store.deleteObject('b', 'k');
  await expect(held(store, '1')).rejects.toMatchObject(refusal);
  await store.discard(copy ?? { id: '' });
  await put(store, 'b', 'k', 'once 6');
});

test('in memory, all records together have at most the configured size', async () => {
  const store = await openMemoryStore({ ...OPTIONS, mostRecordBytes: 90_000 });
  await store.createBucket(bucketNamed('b'));
  const refusal = { status: 507, message: expect.stringContaining('at most 90000 bytes') };
  let files = 0;
  const putAll = async (): Promise<void> => {
    for (; files < 1000; files += 1) await put(store, 'b', `${files}`, '');
  };
  await expect(putAll()).rejects.toMatchObject(refusal);
  expect(files).toBeGreaterThan(10);
  // The remaining room is reserved for changes such as new uploads, and is limited too.
  const beginAll = async (): Promise<void> => {
    for (let id = 0; id < 1000; id += 1) await store.createUpload(uploadNamed(`${id}`, 'b', 'k'));
  };
  await expect(beginAll()).rejects.toMatchObject(refusal);
  for (const key of ['0', '1', '2', '3']) await store.deleteObject('b', key);
  await put(store, 'b', '0', '');
  expect(await store.faults()).toEqual([]);
});
