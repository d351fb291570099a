import { expect, test } from 'vitest';
import {
  bucketNamed,
  describeEachStore,
  held,
  objectNamed,
  partOf,
  put,
  read,
  uploadNamed,
  withBucket,
} from './stores.ts';

describeEachStore((open) => {
  test('buckets are listed by name and can be changed', async () => {
    const store = await open();
    for (const name of ['b', 'a-b', 'a', 'ab']) await store.createBucket(bucketNamed(name));
    const names = (await store.buckets()).map(({ name }) => name);
    expect(names).toEqual(['a', 'a-b', 'ab', 'b']);
    expect(await store.updateBucket({ ...bucketNamed('a'), type: 'public' })).toBe('updated');
    expect(await store.bucket('a')).toEqual({ ...bucketNamed('a'), type: 'public' });
    expect(await store.updateBucket(bucketNamed('none'))).toBe('unknown');
    expect(await store.bucket('none')).toBeUndefined();
  });

  test('of simultaneous creations of a bucket only one succeeds', async () => {
    const store = await open();
    const results = await Promise.all([1, 2, 3].map(() => store.createBucket(bucketNamed('b'))));
    expect(results).toEqual(['created', 'taken', 'taken']);
  });

  test('only an empty bucket can be deleted', async () => {
    const store = await withBucket(open());
    await store.createBucket(bucketNamed('b2'));
    await put(store, 'b', 'k', 'text');
    expect(await store.deleteBucket('b')).toBe('not empty');
    expect(await read(store, 'b', 'k')).toBe('text');
    expect(await store.deleteBucket('b2')).toBe('deleted');
    await store.deleteObject('b', 'k');
    expect(await store.deleteBucket('b')).toBe('deleted');
    expect(await store.deleteBucket('b')).toBe('unknown');
    expect(await store.buckets()).toEqual([]);
  });

  test('deleting a bucket ends its uploads', async () => {
    const store = await withBucket(open());
    await store.createUpload(uploadNamed('u', 'b', 'k'));
    await store.putPart('u', partOf(0, await held(store, 'part')));
    expect(await store.deleteBucket('b')).toBe('deleted');
    expect(await store.upload('u')).toBeUndefined();
    expect(await store.parts('u')).toEqual([]);
    expect(await store.putPart('u', partOf(0, await held(store, 'part')))).toBe('unknown');
    expect(await store.createUpload(uploadNamed('v', 'b', 'k'))).toBe('unknown bucket');
    expect(await store.upload('v')).toBeUndefined();
  });

  test('nothing is left of an object or upload created while its bucket is deleted', async () => {
    const store = await open();
    for (let round = 0; round < 10; round++) {
      await store.createBucket(bucketNamed('b'));
      const content = await held(store, 'text');
      const [, result] = await Promise.all([
        store.deleteBucket('b'),
        store.putObject(objectNamed('b', 'early', content)),
        store.createUpload(uploadNamed(`u${round}`, 'b', 'k')),
      ]);
      expect(result).toBe('unknown bucket');
      expect(await store.object('b', 'early')).toBeUndefined();
      expect(await store.uploads('b', { prefix: '', after: '', limit: 9 })).toEqual([]);
    }
  });

  test('a bucket is not deleted if a put to it started first', async () => {
    const store = await withBucket(open());
    const content = await held(store, 'text');
    const results = await Promise.all([
      store.putObject(objectNamed('b', 'k', content)),
      store.deleteBucket('b'),
    ]);
    expect(results).toEqual(['put', 'not empty']);
  });
});
