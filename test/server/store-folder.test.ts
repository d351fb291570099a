import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkFolder } from '../../reference/server/store/check-folder.ts';
import { openDurableStore } from '../../reference/server/store/durable-store.ts';
import type { Content, StoredObject } from '../../reference/server/store/entries.ts';
import { folderOfTest } from '../temporary-folder.ts';
import {
  held,
  OPTIONS,
  objectNamed,
  partOf,
  put,
  read,
  textOf,
  uploadNamed,
  withBucket,
} from './stores.ts';

/** A folder with a file "k" in bucket "b", and the object of that file. */
async function used(): Promise<{ readonly folder: string; readonly object: StoredObject }> {
  const folder = folderOfTest();
  const store = await withBucket(openDurableStore(folder, OPTIONS));
  const object = await put(store, 'b', 'k', 'some text');
  await store.close();
  return { folder, object };
}

const contentPath = (folder: string, object: StoredObject): string =>
  join(folder, 'contents', object.contents[0]?.id ?? '');

test('a folder that is opened again has the same objects', async () => {
  const { folder, object } = await used();
  const store = await openDurableStore(folder, OPTIONS);
  expect(await store.object('b', 'k')).toEqual(object);
  expect(await read(store, 'b', 'k')).toBe('some text');
  expect(await store.faults()).toEqual([]);
  await store.close();
});

test('a small file that comes at once is kept in its record, and a part is not', async () => {
  const folder = folderOfTest();
  const store = await withBucket(openDurableStore(folder, OPTIONS));
  const bytes = Buffer.from('ü'.repeat(1024));
  const receive = (size: number, partEtag: boolean): Promise<Content> =>
    store.receive([bytes.subarray(0, size)], { partEtag, md5: false });
  const files = (): number => readdirSync(join(folder, 'contents')).length;
  for (const size of [0, 1, 2048]) {
    await store.putObject(objectNamed('b', `${size}`, await receive(size, false)));
  }
  expect(files()).toBe(0);
  const part = await receive(2048, true);
  expect(files()).toBe(1);
  await store.discard(part);
  const object = await store.object('b', '2048');
  if (!object) throw new Error('the file is not there');
  const contents = await store.duplicate(object);
  await store.putObject({ ...object, key: 'copy', contents });
  await store.deleteObject('b', '2048');
  await store.close();

  const next = await openDurableStore(folder, OPTIONS);
  expect(next.recovered).toEqual([]);
  expect(await next.faults()).toEqual([]);
  expect(await read(next, 'b', 'copy')).toBe(bytes.toString());
  expect(await read(next, 'b', '0')).toBe('');
  const copy = await next.object('b', 'copy');
  expect(copy && next.bytesInMemory(copy, 2, 6)).toEqual(bytes.subarray(2, 6));
  expect(copy && (await textOf(await next.read(copy, 2, 6)))).toBe('üü');
  await next.close();
  expect(await checkFolder(folder)).toEqual({ faults: [], notes: [] });
});

test('a content of more than 2 KiB is kept as a file', async () => {
  const folder = folderOfTest();
  const store = await withBucket(openDurableStore(folder, OPTIONS));
  const content = await store.receive([Buffer.alloc(2049)], { partEtag: false, md5: false });
  await store.putObject(objectNamed('b', 'k', content));
  expect(readdirSync(join(folder, 'contents'))).toEqual([content.id]);
  await store.close();
});

test('a folder that is open already is refused', async () => {
  const { folder } = await used();
  const store = await openDurableStore(folder, OPTIONS);
  for (const repairs of [false, true]) {
    await expect(openDurableStore(folder, { ...OPTIONS, repairs })).rejects.toThrow(
      `${folder} is in use by another process; stop it, or name another folder`,
    );
  }
  expect(await read(store, 'b', 'k')).toBe('some text');
  await store.close();
  await (await openDurableStore(folder, OPTIONS)).close();
});

test('contents without a record are removed at the start, and other files are not', async () => {
  const { folder, object } = await used();
  const stray = join(folder, 'contents', '0123456789abcdef0123456789abcdef');
  const foreign = join(folder, 'contents', 'notes.txt');
  for (const path of [stray, `${stray}.new`, foreign]) writeFileSync(path, 'text');
  const store = await openDurableStore(folder, OPTIONS);
  expect([stray, `${stray}.new`, foreign, contentPath(folder, object)].map(existsSync)).toEqual([
    false,
    false,
    true,
    true,
  ]);
  expect(await store.faults()).toEqual(['"notes.txt" is stored, but no record names it']);
  await store.close();
});

test('a received content that was not put is removed at the start, and a part is not', async () => {
  const { folder } = await used();
  const store = await openDurableStore(folder, OPTIONS);
  await held(store, 'never put');
  await store.createUpload(uploadNamed('u', 'b', 'parts'));
  const part = partOf(0, await held(store, 'part'));
  await store.putPart('u', part);
  expect(await store.faults()).toHaveLength(1);
  await store.close();
  const again = await openDurableStore(folder, OPTIONS);
  expect(await again.faults()).toEqual([]);
  expect(await again.parts('u')).toEqual([part]);
  await again.close();
});

test('a truncated or missing content is reported', async () => {
  const { folder, object } = await used();
  const path = contentPath(folder, object);
  const content = `content ${object.contents[0]?.id}`;
  // Four bytes, and two checksums of four bytes.
  truncateSync(path, 12);
  const short = await openDurableStore(folder, OPTIONS);
  expect(await short.faults()).toEqual([
    `file "k" in bucket "b": ${content} has 4 bytes; it was stored with 9`,
  ]);
  await expect(read(short, 'b', 'k')).rejects.toThrow(`file damaged: ${content} has 4 bytes`);
  rmSync(path);
  expect(await short.faults()).toEqual([`file "k" in bucket "b": ${content} is missing`]);
  await short.close();
});

test('a folder with other files is refused and not changed', async () => {
  const folder = folderOfTest();
  writeFileSync(join(folder, 'notes.txt'), 'text');
  await expect(openDurableStore(folder, OPTIONS)).rejects.toThrow(
    `${folder} is no data folder of svc-conformance: it has "notes.txt" and no store.json; name an empty folder or a new one`,
  );
  expect(readdirSync(folder)).toEqual(['notes.txt']);
  await expect(openDurableStore(join(folder, 'notes.txt'), OPTIONS)).rejects.toThrow(
    /notes\.txt cannot be a data folder: something else has this name; name an empty folder or a new one/,
  );
});

test.skipIf(process.platform !== 'linux')(
  'a folder that cannot be created is refused',
  async () => {
    await expect(openDurableStore('/proc/x/y', OPTIONS)).rejects.toThrow(
      '/proc/x/y cannot be a data folder: there is no such file or folder; name an empty folder or a new one',
    );
  },
);

test.each([
  [
    '{"store":"svc-conformance","format":4}',
    /has format 4; this version .* up to 3: use a newer one/,
  ],
  ['{"store":"another"}', /store\.json says something else; if it is one .* write \{.*\} into it/],
  [
    '{"store":"svc-conformance","format":0.5}',
    /store\.json says something else; if it is one .* write \{.*\} into it/,
  ],
  ['nonsense', /store\.json says something else; if it is one .* write \{.*\} into it/],
  ['null', /store\.json says something else; if it is one .* write \{.*\} into it/],
])('a folder with the label %s is refused', async (label, sentence) => {
  const { folder } = await used();
  expect(JSON.parse(readFileSync(join(folder, 'store.json'), 'utf8'))).toEqual({
    store: 'svc-conformance',
    format: 3,
  });
  writeFileSync(join(folder, 'store.json'), label);
  await expect(openDurableStore(folder, OPTIONS)).rejects.toThrow(sentence);
});

test.each(['store.json', 'contents'])(
  'a folder with the wrong kind of file as its %s is refused',
  async (name) => {
    const { folder } = await used();
    rmSync(join(folder, name), { recursive: true });
    if (name === 'contents') writeFileSync(join(folder, name), 'text');
    else mkdirSync(join(folder, name));
    await expect(openDurableStore(folder, OPTIONS)).rejects.toThrow(
      /cannot be a data folder: (?:something else has this name|it is a folder); name an empty folder or a new one$/,
    );
  },
);

test('a folder without its database is refused and keeps its contents', async () => {
  const { folder, object } = await used();
  rmSync(join(folder, 'metadata'), { recursive: true });
  await expect(openDurableStore(folder, OPTIONS)).rejects.toThrow(
    /cannot be opened: .*does not exist.*; restore it, or start once with --repair to save/,
  );
  expect(existsSync(contentPath(folder, object))).toBe(true);
});

test('a folder whose creation was interrupted is opened', async () => {
  const folder = folderOfTest();
  mkdirSync(join(folder, 'contents'));
  writeFileSync(join(folder, 'store.json.new'), '{"sto');
  const store = await openDurableStore(folder, OPTIONS);
  await store.close();
  expect(readdirSync(folder).toSorted()).toEqual([
    'acknowledged',
    'contents',
    'metadata',
    'store.json',
  ]);
});

test('the id of a content cannot name a file elsewhere', async () => {
  const { folder, object } = await used();
  const outside = join(folder, 'store.json');
  const store = await openDurableStore(folder, OPTIONS);
  for (const id of [
    '../store.json',
    outside,
    '..',
    '',
    `${object.contents[0]?.id}/../../store.json`,
  ]) {
    await store.discard({ id });
    const forged = { ...object, key: 'forged', contents: [{ id, size: 9 }] };
    await store.putObject(forged);
    const reading = store.read(forged, 0, 9).then((pieces) => pieces?.next());
    await expect(reading).rejects.toThrow('is not the id of a content');
    await store.deleteObject('b', 'forged');
  }
  expect(existsSync(outside)).toBe(true);
  expect(await store.faults()).toEqual([]);
  await store.close();
});
