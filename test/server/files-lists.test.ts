/** Both lists of files: their members, and that their pages neither lose nor repeat an entry. */
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { type ListingQuery, listPage } from '../../reference/server/files/lists.ts';
import type { StoredObject } from '../../reference/server/store/entries.ts';
import { openMemoryStore } from '../../reference/server/store/memory-store.ts';
import type { Store } from '../../reference/server/store/store.ts';
import { etag, SPECIFICATION } from '../../reference/signing/index.ts';
import { fileServer } from './file-server.ts';

const TAG = etag(Buffer.from('x'), SPECIFICATION).etag;

test('PrefixFileList has the members that SDKs read, with sizes as numbers', async () => {
  const { ask } = await fileServer({ now: () => 77 });
  await ask('PUT', '/b/1', { body: 'x', headers: [['Content-Type', 'text/plain']] });
  await ask('PUT', '/b/2', { body: 'x', headers: [['X-Ufile-Storage-Class', 'ARCHIVE']] });
  await ask('PUT', '/c', { body: 'x' });
  const first = await ask('GET', '/?list&prefix=b%2F&marker=&limit=1');
  expect([first.status, first.headers.get('Content-Type')]).toEqual([200, 'application/json']);
  const entry = {
    BucketName: 'box',
    Hash: TAG,
    Size: 1,
    CreateTime: 77,
    ModifyTime: 77,
    first_object: '',
  };
  expect(first.json()).toEqual({
    BucketName: 'box',
    BucketId: 'id-box',
    NextMarker: 'b/1',
    DataSet: [
      {
        ...entry,
        FileName: 'b/1',
        MimeType: 'text/plain',
        StorageClass: 'STANDARD',
        RestoreStatus: '',
      },
    ],
  });
  expect((await ask('GET', '/?&list=&prefix=b/&marker=b/1')).json()).toMatchObject({
    NextMarker: '',
    DataSet: [{ FileName: 'b/2', StorageClass: 'ARCHIVE', RestoreStatus: 'Frozen' }],
  });
});

test('a plus in a query is a space, as the SDKs for Go and Python write it', async () => {
  const { ask } = await fileServer();
  for (const key of ['a%20b', 'a+b']) await ask('PUT', `/${key}`);
  for (const [prefix, key] of [
    ['a+', 'a b'],
    ['a%20', 'a b'],
    ['a%2B', 'a+b'],
  ]) {
    const list = (await ask('GET', `/?listobjects&prefix=${prefix}`)).json();
    expect(list['Contents']).toEqual([expect.objectContaining({ Key: key })]);
  }
});

test('without a limit, PrefixFileList returns 20 files and ListObjects returns 100', async () => {
  const { ask } = await fileServer();
  for (let i = 0; i < 101; i += 1) await ask('PUT', `/k${i}`);
  const list = (await ask('GET', '/?list')).json();
  const objects = (await ask('GET', '/?listobjects')).json();
  expect([Object(list['DataSet']).length, Object(objects['Contents']).length]).toEqual([20, 100]);
});

test('ListObjects has every member, with MaxKeys and Size as strings', async () => {
  const { ask } = await fileServer({ now: () => 77 });
  const headers = { 'Content-Type': 'text/plain', 'X-Ufile-Meta-Color': 'red' };
  for (const key of ['d/', 'd/1', 'd/e/1', 'd/e/2', 'd/f', 'z']) {
    await ask('PUT', `/${key}`, { body: 'x', headers });
  }
  const list = async (more: string) => (await ask('GET', `/?listobjects${more}`)).json();
  expect(await list('&prefix=d/&delimiter=/&max-keys=2&marker=')).toEqual({
    Name: 'box',
    Prefix: 'd/',
    MaxKeys: '2',
    Delimiter: '/',
    IsTruncated: true,
    NextMarker: 'd/e/',
    Contents: [
      {
        Key: 'd/1',
        MimeType: 'text/plain',
        ETag: TAG,
        Size: '1',
        StorageClass: 'STANDARD',
        LastModified: 77,
        CreateTime: 77,
        UserMeta: { Color: 'red' },
      },
    ],
    CommonPrefixes: [{ Prefix: 'd/e/' }],
  });
  for (const marker of ['d/e/', 'd/e/1']) {
    expect(await list(`&prefix=d/&delimiter=/&marker=${marker}`)).toMatchObject({
      IsTruncated: false,
      NextMarker: '',
      Contents: [{ Key: 'd/f' }],
      CommonPrefixes: [],
    });
  }
  expect(await list('&max-keys=0')).toMatchObject({ IsTruncated: false, Contents: [] });
  expect(await list('&max-keys=99999')).toMatchObject({ MaxKeys: '1000' });
});

test.each(['max-keys=x', 'max-keys=-1', 'delimiter=,'])(
  'ListObjects with %s is refused',
  async (query) => {
    const { ask } = await fileServer();
    expect((await ask('GET', `/?listobjects&${query}`)).status).toBe(400);
  },
);

/** Few characters, so that directories occur; some are the first or last in byte order. */
const CHARACTERS = ['a', 'b', '/', '.', '0', 'é', '\uffff', '𐀀', '\u{10ffff}'];
const keyText = fc.string({ unit: fc.constantFrom(...CHARACTERS), minLength: 1, maxLength: 6 });
const prefixText = fc.string({ unit: fc.constantFrom('a', 'b', '/', 'é'), maxLength: 2 });

let store: Store;
beforeAll(async () => {
  store = await openMemoryStore({ context: SPECIFICATION });
});

async function filled(name: string, keys: readonly string[]): Promise<void> {
  const times = { createTime: 1, modifyTime: 1 };
  const storageClass = 'STANDARD';
  await store.createBucket({
    name,
    id: name,
    type: 'private',
    region: '',
    tag: '',
    storageClass,
    ...times,
  });
  for (const key of keys) {
    const object: StoredObject = {
      bucket: name,
      key,
      etag: '',
      size: 0,
      contentType: '',
      storageClass,
      meta: [],
      tags: [],
      acl: 'default',
      contents: [],
      ...times,
    };
    await store.putObject(object);
  }
}

/** The expected entries, computed from the keys alone. */
function entries(keys: readonly string[], prefix: string, delimiter: string): readonly string[] {
  const names = keys
    .filter((key) => key.startsWith(prefix))
    .filter((key) => delimiter === '' || !prefix.endsWith('/') || key !== prefix)
    .map((key) => {
      const rest = key.slice(prefix.length).split('/');
      return delimiter === '' || rest.length === 1 ? key : `${prefix}${rest[0]}/`;
    });
  return [...new Set(names)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

let buckets = 0;

/** The names on all pages after a marker. */
async function allPages(bucket: string, query: ListingQuery): Promise<readonly string[]> {
  const found: string[] = [];
  let { marker } = query;
  for (;;) {
    const page = await listPage(store, bucket, { ...query, marker });
    const names = [...page.objects.map(({ key }) => key), ...page.directories];
    expect(names.length).toBeLessThanOrEqual(query.limit);
    found.push(...entries(names, '', ''));
    if (!page.isTruncated) return found;
    expect(names.length).toBe(query.limit);
    marker = page.nextMarker;
  }
}

const isAfter = (name: string, marker: string): boolean =>
  Buffer.compare(Buffer.from(name), Buffer.from(marker)) > 0;

test('the pages together have every entry after the marker once, in byte order', async () => {
  const property = fc.asyncProperty(
    fc.uniqueArray(keyText, { maxLength: 25 }),
    prefixText,
    fc.constantFrom('', '/'),
    fc.oneof(fc.constant(-1), fc.nat(24)),
    fc.integer({ min: 1, max: 6 }),
    async (keys, prefix, delimiter, markerAt, limit) => {
      const marker = keys[markerAt] ?? '';
      buckets += 1;
      const bucket = `bucket-${buckets}`;
      await filled(bucket, keys);
      const expected = entries(keys, prefix, delimiter).filter((name) => isAfter(name, marker));
      expect(await allPages(bucket, { prefix, delimiter, marker, limit })).toEqual(expected);
    },
  );
  await fc.assert(property, { numRuns: 300 });
});

test('a listing continues after a directory of keys with the last character', async () => {
  const keys = ['1', '2', '3', '4'].map((digit) => `d/\u{10ffff}${digit}`);
  await filled('last', [...keys, 'e']);
  const query = { prefix: '', delimiter: '/', marker: '', limit: 1 };
  expect(await allPages('last', query)).toEqual(['d/', 'e']);
});
