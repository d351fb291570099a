import { setImmediate as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Content, StoredObject } from '../../reference/server/store/entries.ts';
import type { Store } from '../../reference/server/store/store.ts';
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

/** A store with a bucket, an upload to it, and parts. */
async function withParts(open: () => Promise<Store>, ...texts: readonly string[]) {
  const store = await withBucket(open());
  expect(await store.createUpload(uploadNamed('u', 'b', 'k'))).toBe('created');
  const contents = await Promise.all(texts.map((text) => held(store, text)));
  const results = contents.map((content, number) => store.putPart('u', partOf(number, content)));
  expect(await Promise.all(results)).toEqual(texts.map(() => 'put'));
  return { store, contents };
}

/** An object of these parts. The store does not check its ETag. */
function assembled(contents: readonly Content[]): StoredObject {
  const size = contents.reduce((sum, content) => sum + content.size, 0);
  const content = { id: '', size, etag: 'assembled', partEtag: '', md5: '' };
  return { ...objectNamed('b', 'k', content), contents };
}

describeEachStore((open) => {
  test('a finished upload makes an object of the given parts and discards others', async () => {
    const { store, contents } = await withParts(open, 'one, ', 'unused', 'two');
    await put(store, 'b', 'k', 'before');
    const used = contents.filter((_, i) => i !== 1);
    expect(await store.finishUpload('u', assembled(used))).toBe('finished');
    expect(await read(store, 'b', 'k')).toBe('one, two');
    expect(await store.upload('u')).toBeUndefined();
    expect(await store.parts('u')).toEqual([]);
    expect(await store.finishUpload('u', assembled(used))).toBe('unknown');
    expect(await store.putPart('u', partOf(3, await held(store, 'late')))).toBe('unknown');
  });

  test('parts are listed by number', async () => {
    const { store, contents } = await withParts(open);
    expect(contents).toEqual([]);
    for (const number of [10, 2, 0, 1_000_000]) {
      await store.putPart('u', partOf(number, await held(store, 'part')));
    }
    expect((await store.parts('u')).map(({ number }) => number)).toEqual([0, 2, 10, 1_000_000]);
  });

  test('all of 1100 parts are listed', async () => {
    const texts = Array.from({ length: 1100 }, () => 'part');
    const { store } = await withParts(open, ...texts);
    expect((await store.parts('u')).map(({ number }) => number)).toEqual([...texts.keys()]);
  });

  test('a part replaces the earlier part with the same number', async () => {
    const { store } = await withParts(open, 'before');
    const after = await held(store, 'after');
    await store.putPart('u', partOf(0, after));
    expect(await store.parts('u')).toEqual([partOf(0, after)]);
    await store.finishUpload('u', assembled([after]));
    expect(await read(store, 'b', 'k')).toBe('after');
  });

  test('an upload is not finished with a part that was replaced meanwhile', async () => {
    const { store, contents } = await withParts(open, 'before');
    await store.putPart('u', partOf(0, await held(store, 'after')));
    await expect(store.finishUpload('u', assembled(contents))).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('was replaced while the upload was being finished'),
    });
    expect(await store.parts('u')).toHaveLength(1);
    expect(await store.object('b', 'k')).toBeUndefined();
  });

  test('an aborted upload leaves nothing behind', async () => {
    const { store } = await withParts(open, 'one', 'two');
    expect(await store.abortUpload('u')).toBe('aborted');
    expect(await store.abortUpload('u')).toBe('unknown');
    expect(await store.upload('u')).toBeUndefined();
    expect(await store.uploads('b', { prefix: '', after: '', limit: 9 })).toEqual([]);
  });

  test('of simultaneous attempts to finish and abort an upload, one succeeds', async () => {
    const { store, contents } = await withParts(open, 'text');
    const results = await Promise.all([
      store.finishUpload('u', assembled(contents)),
      store.abortUpload('u'),
      store.finishUpload('u', assembled(contents)),
    ]);
    // Each reads the upload before it waits for the lock, so any of them may be the first.
    expect([...results].sort()).toEqual([
      expect.stringMatching(/^(?:finished|aborted)$/),
      'unknown',
      'unknown',
    ]);
    const isFinished = results.includes('finished');
    expect(await store.object('b', 'k')).toEqual(isFinished ? expect.anything() : undefined);
    expect(await store.upload('u')).toBeUndefined();
  });

  test('finishing an upload and deleting its bucket do not deadlock', async () => {
    const store = await open();
    for (let moment = 0; moment < 30; moment++) {
      const bucket = `b${moment}`;
      await store.createBucket(bucketNamed(bucket));
      await store.createUpload(uploadNamed(bucket, bucket, 'k'));
      const content = await held(store, 'text');
      await store.putPart(bucket, partOf(0, content));
      const finished = store.finishUpload(bucket, objectNamed(bucket, 'k', content));
      for (let i = 0; i < moment; i++) await (moment % 2 ? Promise.resolve() : wait());
      const both = Promise.all([finished, store.deleteBucket(bucket)]);
      // With a deadlock, this would never resolve.
      expect(String(await both)).toMatch(/^(?:finished,not empty|unknown,deleted)$/);
    }
  });

  test('uploads are listed by key, and those with the same key by id', async () => {
    const store = await withBucket(open());
    const uploads = [
      uploadNamed('f', 'b', 'a'),
      uploadNamed('3', 'b', 'a\0b'),
      uploadNamed('1', 'b', 'ab'),
      uploadNamed('2', 'b', 'ab'),
      uploadNamed('0', 'b', 'b'),
    ];
    for (const upload of uploads.toReversed()) await store.createUpload(upload);
    await store.createUpload(uploadNamed('other', 'other', 'a'));
    const ids = async (...range: readonly [string, string, number, string?]): Promise<string> => {
      const [prefix, after, limit, afterId] = range;
      const found = await store.uploads('b', { prefix, after, limit }, afterId);
      return found.map(({ id }) => id).join('');
    };
    expect(await ids('', '', 9)).toBe('f3120');
    expect(await ids('', '', 3)).toBe('f31');
    expect(await ids('', 'a', 9)).toBe('3120');
    expect(await ids('', 'ab', 9)).toBe('0');
    expect(await ids('', 'ab', 9, '1')).toBe('20');
    expect(await ids('ab', '', 9)).toBe('12');
    expect(await ids('a\0', '', 9)).toBe('3');
  });
});
