import { expect, test } from 'vitest';
import {
  bucketNamed,
  describeEachStore,
  held,
  objectNamed,
  put,
  read,
  withBucket,
} from './stores.ts';

describeEachStore((open) => {
  test('a later put replaces the object', async () => {
    const store = await withBucket(open());
    const first = await put(store, 'b', 'k', 'first');
    expect(await store.object('b', 'k')).toEqual(first);
    await put(store, 'b', 'k', 'second');
    expect(await read(store, 'b', 'k')).toBe('second');
    expect(await store.objects('b', { prefix: '', after: '', limit: 9 })).toHaveLength(1);
    expect(await store.objectWithEtag(first.etag, first.size)).toBeUndefined();
  });

  test('a key with quotation marks and brackets is not taken for another key', async () => {
    const store = await withBucket(open());
    await put(store, 'b', 'c"]k', 'text');
    expect(await store.object('b', 'k')).toBeUndefined();
    expect(await store.object('b"]c', 'k')).toBeUndefined();
    expect(await store.object('b', 'C"]k')).toBeUndefined();
  });

  test('of simultaneous puts on a key, one is stored completely', async () => {
    const store = await withBucket(open());
    const texts = Array.from({ length: 20 }, (_, i) => `text ${i} `.repeat(i + 1));
    await Promise.all(texts.map((text) => put(store, 'b', 'k', text)));
    expect(texts).toContain(await read(store, 'b', 'k'));
  });

  test('of simultaneous puts of only new objects on a key, all but one are refused', async () => {
    const store = await withBucket(open());
    const contents = await Promise.all(['1', '2', '3', '4'].map((text) => held(store, text)));
    const results = await Promise.all(
      contents.map((content) => store.putObject(objectNamed('b', 'k', content), 'only new')),
    );
    expect(results.toSorted()).toEqual(['exists', 'exists', 'exists', 'put']);
    expect(await read(store, 'b', 'k')).toBe(String(results.indexOf('put') + 1));
  });

  test('an object that is put into an unknown bucket is refused and discarded', async () => {
    const store = await open();
    const object = objectNamed('none', 'k', await held(store, 'text'));
    expect(await store.putObject(object)).toBe('unknown bucket');
    expect(await store.object('none', 'k')).toBeUndefined();
  });

  test('of two simultaneous deletions of an object, one succeeds', async () => {
    const store = await withBucket(open());
    const { etag, size } = await put(store, 'b', 'k', 'text');
    const results = await Promise.all([store.deleteObject('b', 'k'), store.deleteObject('b', 'k')]);
    expect(results).toEqual(['deleted', 'unknown']);
    expect(await store.object('b', 'k')).toBeUndefined();
    expect(await store.objectWithEtag(etag, size)).toBeUndefined();
  });

  test('simultaneous changes of an object are applied one after the other', async () => {
    const store = await withBucket(open());
    await put(store, 'b', 'k', 'text');
    const names = Array.from({ length: 20 }, (_, i) => `name-${i}`);
    await Promise.all(
      names.map((name) =>
        store.changeObject('b', 'k', (object) => ({
          ...object,
          tags: [...object.tags, [name, '']],
        })),
      ),
    );
    const object = await store.object('b', 'k');
    expect(object?.tags.map(([name]) => name)).toEqual(names);
    expect(await store.changeObject('b', 'none', (other) => other)).toBeUndefined();
    expect(await read(store, 'b', 'k')).toBe('text');
  });

  test('a change that fails changes nothing and does not block the next one', async () => {
    const store = await withBucket(open());
    const before = await put(store, 'b', 'k', 'text');
    const failing = store.changeObject('b', 'k', () => {
      throw new Error('not so');
    });
    await expect(failing).rejects.toThrow('not so');
    expect(await store.changeObject('b', 'k', (object) => object)).toEqual(before);
  });

  test('an object with added contents is read as one text', async () => {
    const store = await withBucket(open());
    await put(store, 'b', 'k', 'one, ');
    const more = await held(store, 'two');
    await store.changeObject('b', 'k', (object) => ({
      ...object,
      size: object.size + more.size,
      contents: [...object.contents, more],
    }));
    expect(await read(store, 'b', 'k')).toBe('one, two');
  });

  test('renaming an object replaces another object only if that is allowed', async () => {
    const store = await withBucket(open());
    await put(store, 'b', 'a', 'from a');
    await put(store, 'b', 'c', 'from c');
    expect(await store.renameObject('b', 'none', 'd', true)).toBe('unknown');
    expect(await store.renameObject('b', 'a', 'c', false)).toBe('exists');
    expect(await read(store, 'b', 'c')).toBe('from c');
    expect(await store.renameObject('b', 'a', 'c', true)).toBe('renamed');
    expect(await read(store, 'b', 'a')).toBeUndefined();
    expect(await read(store, 'b', 'c')).toBe('from a');
    expect(await store.renameObject('b', 'c', 'c', true)).toBe('renamed');
    expect(await read(store, 'b', 'c')).toBe('from a');
  });

  test('simultaneous renames in opposite directions do not deadlock', async () => {
    const store = await withBucket(open());
    await put(store, 'b', 'a', 'from a');
    await put(store, 'b', 'c', 'from c');
    await Promise.all([
      store.renameObject('b', 'a', 'c', true),
      store.renameObject('b', 'c', 'a', true),
    ]);
    expect(await store.objects('b', { prefix: '', after: '', limit: 9 })).toHaveLength(1);
  });

  test('an object in any bucket is found by the ETag and size of its content', async () => {
    const store = await withBucket(open());
    await store.createBucket(bucketNamed('c'));
    const { etag, size } = await put(store, 'b', 'k', 'text');
    await put(store, 'c', 'k', 'text');
    expect(await store.objectWithEtag(etag, size)).toMatchObject({ bucket: 'b' });
    await store.deleteObject('b', 'k');
    expect(await store.objectWithEtag(etag, size)).toMatchObject({ bucket: 'c' });
    expect(await store.objectWithEtag(etag, size + 1)).toBeUndefined();
    await put(store, 'b', 'k', 'text');
    await put(store, 'b', 'k', 'another');
    expect(await store.objectWithEtag(etag, size)).toMatchObject({ bucket: 'c' });
    await store.renameObject('c', 'k', 'other', false);
    expect(await store.objectWithEtag(etag, size)).toMatchObject({ key: 'other' });
  });
});
