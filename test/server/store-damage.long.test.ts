/** Damage in a data folder is found and reported, and everything else is kept. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { expect, test } from 'vitest';
import { createRandom } from '../../bench/load/random.ts';
import { checkFolder } from '../../reference/server/store/check-folder.ts';
import { openDurableStore } from '../../reference/server/store/durable-store.ts';
import type { StoredObject } from '../../reference/server/store/entries.ts';
import { findDamagedTables, repairDatabase } from '../../reference/server/store/leveldb-files.ts';
import { RUNS } from '../amount.ts';
import { folderOfTest } from '../temporary-folder.ts';
import { bucketNamed, held, OPTIONS, put, read, withBucket } from './stores.ts';

const PARTS = 300_000;

/** In bytes: the footer of a LevelDB table has the place of its index, zeros, and a mark. */
const FOOTER = 48;
const MARK = 8;

/** A folder with the files "small" and "large" in bucket "b". */
async function used(): Promise<{ folder: string; small: StoredObject; large: StoredObject }> {
  const folder = folderOfTest();
  const store = await withBucket(openDurableStore(folder, OPTIONS));
  const small = await put(store, 'b', 'small', 'some text');
  const large = await put(store, 'b', 'large', 'x'.repeat(PARTS));
  await store.close();
  return { folder, small, large };
}

const pathOf = (folder: string, { contents: [content] }: StoredObject): string =>
  join(folder, 'contents', content?.id ?? '');

function flip(path: string, offset: number): void {
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(offset) ^ 1, offset);
  writeFileSync(path, bytes);
}

/** Changes the database directly, without the store. */
async function changed(folder: string, change: (database: ClassicLevel) => Promise<void>) {
  const database = new ClassicLevel(join(folder, 'metadata'));
  await change(database);
  await database.close();
}

test('a changed content of the same length is reported by reads and the check', async () => {
  const { folder, small } = await used();
  flip(pathOf(folder, small), 3);
  const damage = `content ${small.contents[0]?.id} is damaged: its bytes 0 to 8 have changed`;
  expect((await checkFolder(folder)).faults).toEqual([
    `file "small" in bucket "b": file damaged: ${damage}`,
  ]);
  const store = await openDurableStore(folder, OPTIONS);
  await expect(read(store, 'b', 'small')).rejects.toThrow(`file damaged: ${damage}`);
  await put(store, 'b', 'small', 'put anew');
  expect(await read(store, 'b', 'small')).toBe('put anew');
  await store.close();
  expect((await checkFolder(folder)).faults).toEqual([]);
});

test('an undamaged range is read, and no byte of a damaged block is returned', async () => {
  const { folder, large } = await used();
  flip(pathOf(folder, large), PARTS - 1);
  const store = await openDurableStore(folder, OPTIONS);
  let size = 0;
  const all = async (end: number): Promise<void> => {
    for await (const piece of (await store.read(large, 0, end)) ?? []) size += piece.length;
  };
  await all(200_000);
  expect(size).toBe(200_000);
  size = 0;
  await expect(all(PARTS)).rejects.toThrow('its bytes 262144 to 299999 have changed');
  expect(size).toBe(262_144);
  await store.close();
});

/** The folder with its records in one table, including old versions that later ones replace. */
async function withTable(): Promise<{ folder: string; table: string; whole: Buffer }> {
  const { folder } = await used();
  await changed(folder, async (database) => {
    for await (const [name, text] of database.iterator()) await database.put(name, text);
  });
  await changed(folder, () => Promise.resolve());
  const tables = readdirSync(join(folder, 'metadata')).filter((name) => name.endsWith('.ldb'));
  const table = tables.at(-1) ?? '';
  return { folder, table, whole: readFileSync(join(folder, 'metadata', table)) };
}

function damaged(bytes: Buffer, offset: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(offset) ^ 0x10, offset);
  return copy;
}

test('every byte of a table is verified, except for the padding of its footer', async () => {
  const { folder, table, whole } = await withTable();
  const metadata = join(folder, 'metadata');
  expect(await findDamagedTables(metadata)).toEqual([]);
  const silent: number[] = [];
  for (let offset = 0; offset < whole.length; offset++) {
    writeFileSync(join(metadata, table), damaged(whole, offset));
    if ((await findDamagedTables(metadata)).length === 0) silent.push(offset);
  }
  const padding = silent.filter(
    (offset) => offset >= whole.length - FOOTER && offset < whole.length - MARK,
  );
  expect(silent).toEqual(padding);
  expect(whole.subarray(padding[0], -MARK)).toEqual(Buffer.alloc(padding.length));
});

/** The test damages one byte in this many. */
const STRIDE = RUNS > 1 ? 23 : 97;

test('a damaged byte of a table is reported and does not crash compaction', async () => {
  const { folder, table, whole } = await withTable();
  const reads: unknown[] = [];
  for (let offset = 5; offset < whole.length; offset += STRIDE) {
    const copy = folderOfTest();
    cpSync(folder, copy, { recursive: true });
    writeFileSync(join(copy, 'metadata', table), damaged(whole, offset));
    const { faults } = await checkFolder(copy);
    const store = await openDurableStore(copy, OPTIONS);
    expect(store.recovered).toHaveLength(faults.length > 0 ? 1 : 0);
    const text = await read(store, 'b', 'small').catch(() => undefined);
    expect([text, store.recovered]).toEqual(
      text === undefined
        ? [undefined, [expect.stringContaining('record "')]]
        : ['some text', expect.anything()],
    );
    reads.push(text);
    await store.close();
    await changed(copy, (database) => database.compactRange('', '~'));
    expect((await checkFolder(copy)).faults).toEqual([]);
  }
  expect(reads.filter((text) => text !== undefined).length).toBeGreaterThan(reads.length / 2);
});

test('a record whose checksum starts with a quotation mark is reported once', async () => {
  const { folder } = await used();
  const names: string[] = [];
  await changed(folder, async (database) => {
    for await (const name of database.keys()) names.push(name);
  });
  expect(names.length).toBeGreaterThan(3);
  for (const name of names) {
    const copy = folderOfTest();
    cpSync(folder, copy, { recursive: true });
    await changed(copy, async (database) => {
      await database.put(name, `"${String(await database.get(name)).slice(1)}`);
    });
    const store = await openDurableStore(copy, OPTIONS);
    expect([name, store.recovered]).toEqual([name, [expect.any(String)]]);
    await store.close();
    expect((await checkFolder(copy)).faults).toEqual([]);
  }
});

/** Tables on several levels and a log, with compressed blocks, overwritten and deleted names. */
async function manyRecords(folder: string): Promise<ReadonlyMap<string, string>> {
  const random = createRandom(7);
  const records = new Map<string, string>();
  for (let round = 0; round < 4; round++) {
    const database = new ClassicLevel(folder, { writeBufferSize: 300_000 });
    for (let number = 0; number < 2000; number++) {
      const name = `name ${random(3000)}`;
      const text = String(random(2 ** 30)).repeat(1 + random(200));
      if (random(4) === 0) {
        await database.del(name);
        records.delete(name);
      } else {
        await database.put(name, text);
        records.set(name, text);
      }
    }
    await database.close();
  }
  return records;
}

test('repairDatabase keeps all records, even from tables without their footers', async () => {
  const metadata = folderOfTest();
  const records = await manyRecords(metadata);
  const cut = folderOfTest();
  cpSync(metadata, cut, { recursive: true });
  const tables = readdirSync(cut).filter((name) => name.endsWith('.ldb'));
  expect(tables).not.toEqual([]);
  for (const table of tables) {
    const bytes = readFileSync(join(cut, table));
    // LevelDB leaves an empty table if it is closed during a compaction.
    writeFileSync(join(cut, table), bytes.fill(0, Math.max(0, bytes.length - FOOTER)));
  }
  expect(await findDamagedTables(metadata)).toEqual([]);
  expect(await findDamagedTables(cut)).not.toEqual([]);
  for (const each of [metadata, cut]) {
    await repairDatabase({ path: each, metadata: each, contents: each, format: 2 });
    const database = new ClassicLevel(each, { createIfMissing: false });
    expect(new Map(await database.iterator().all())).toEqual(records);
    await database.close();
  }
});

test('a damaged record is moved to lost+found with its contents', async () => {
  const { folder, small } = await used();
  await changed(folder, async (database) => {
    const name = 'object["b"]small';
    const text = (await database.get(name)) ?? '';
    await database.put(name, text.replace('text/plain', 'text/plaim'));
  });
  const sentence = 'record "object[\\"b\\"]small" is damaged';
  expect((await checkFolder(folder)).faults).toEqual([
    sentence,
    '1 contents have no record; the next start moves them to lost+found',
  ]);

  const store = await openDurableStore(folder, OPTIONS);
  expect(store.recovered).toEqual([
    `${folder} was damaged: ${sentence}; lost+found in it has 1 contents without a record and 1 damaged records, and metadata-1, the database as it was`,
  ]);
  expect(await store.object('b', 'small')).toBeUndefined();
  expect(await read(store, 'b', 'large')).toBe('x'.repeat(PARTS));
  const lost = join(folder, 'lost+found');
  expect(readFileSync(join(lost, small.contents[0]?.id ?? ''), 'utf8')).toBe('some text');
  expect(readFileSync(join(lost, 'records.jsonl'), 'utf8')).toContain('text/plaim');
  expect(readFileSync(join(lost, 'report.txt'), 'utf8')).toContain(sentence);
  await store.close();
  const again = await openDurableStore(folder, OPTIONS);
  expect([again.recovered, await again.faults()]).toEqual([[], []]);
  await again.close();
});

test.each<readonly [string, (folder: string) => Promise<void> | void, RegExp]>([
  [
    'a missing record',
    (folder) => changed(folder, (database) => database.del('object["b"]small')),
    /: 1 of 5 records are missing; .* has 1 contents/,
  ],
  [
    'a record copied to another name',
    (folder) =>
      changed(folder, async (database) => {
        const bucket = (await database.get('bucket:b')) ?? '';
        await database.put('bucket:c', bucket);
      }),
    /: record "bucket:c" is damaged; /,
  ],
  [
    'a missing tally of the records',
    (folder) => changed(folder, (database) => database.del('zz-tally')),
    /: the tally of the records is missing or damaged/,
  ],
  [
    'a missing file "acknowledged"',
    (folder) => rmSync(join(folder, 'acknowledged')),
    /: the file acknowledged is missing or damaged/,
  ],
])('%s is reported once', async (_, damage, sentence) => {
  const { folder } = await used();
  await damage(folder);
  expect((await checkFolder(folder)).faults).not.toEqual([]);
  const store = await openDurableStore(folder, OPTIONS);
  expect(store.recovered).toEqual([expect.stringMatching(sentence)]);
  await store.close();
  expect((await checkFolder(folder)).faults).toEqual([]);
});

test('acknowledged writes that LevelDB drops at the end of its log are reported', async () => {
  const { folder, small } = await used();
  const store = await openDurableStore(folder, OPTIONS);
  await store.createBucket(bucketNamed('c'));
  await put(store, 'b', 'last', 'last text');
  await store.close();
  const metadata = join(folder, 'metadata');
  const log = readdirSync(metadata).find((name) => name.endsWith('.log')) ?? '';
  // Changes the length of the first entry, so LevelDB takes it for an incomplete write.
  flip(join(metadata, log), 5);
  const next = await openDurableStore(folder, OPTIONS);
  expect(next.recovered[0]).toMatch(/: the last 2 acknowledged writes are missing; .* 1 contents/);
  expect(await read(next, 'b', 'small')).toBe('some text');
  expect(await next.bucket('c')).toBeUndefined();
  await next.close();
  const lost = readdirSync(join(folder, 'lost+found')).filter((name) =>
    /^[0-9a-f]{32}$/.test(name),
  );
  const texts = lost.map((name) => readFileSync(join(folder, 'lost+found', name), 'utf8'));
  expect(texts).toEqual(['last text']);
  expect(existsSync(pathOf(folder, small))).toBe(true);
});

test('the contents of a folder without its database and its label are kept', async () => {
  const { folder, small } = await used();
  for (const name of ['metadata', 'store.json']) rmSync(join(folder, name), { recursive: true });
  const store = await openDurableStore(folder, OPTIONS);
  expect(store.recovered).toEqual([
    expect.stringMatching(/^2 contents without a record were moved/),
  ]);
  const kept = join(folder, 'lost+found', small.contents[0]?.id ?? '');
  expect(readFileSync(kept, 'utf8')).toBe('some text');
  await store.close();
});

test('the database that an interrupted start has set aside is kept', async () => {
  const { folder } = await used();
  const before = join(folder, 'metadata.before');
  mkdirSync(before);
  writeFileSync(join(before, 'CURRENT'), 'of an earlier start');
  await changed(folder, (database) => database.del('object["b"]small'));
  await (await openDurableStore(folder, OPTIONS)).close();
  expect(readFileSync(join(folder, 'lost+found', 'metadata-1', 'CURRENT'), 'utf8')).toBe(
    'of an earlier start',
  );
  expect(existsSync(before)).toBe(false);
});

test('a damaged database is refused, and repaired with the option repairs', async () => {
  const { folder } = await used();
  writeFileSync(join(folder, 'metadata', 'CURRENT'), 'MANIFEST-000099\n');
  expect((await checkFolder(folder)).faults).toEqual([
    expect.stringMatching(/^the database is damaged: .*MANIFEST-000099/),
  ]);
  await expect(openDurableStore(folder, OPTIONS)).rejects.toThrow(
    /cannot be opened: its database is damaged \(.*\); restore it, or start once with --repair/,
  );
  const store = await openDurableStore(folder, { ...OPTIONS, repairs: true });
  expect(await read(store, 'b', 'small')).toBe('some text');
  expect(await read(store, 'b', 'large')).toBe('x'.repeat(PARTS));
  await store.close();
  expect((await checkFolder(folder)).faults).toEqual([]);
});

test('the check names what the next start removes, and refuses another folder', async () => {
  const { folder } = await used();
  const store = await openDurableStore(folder, OPTIONS);
  await held(store, 'never put');
  await store.close();
  expect(await checkFolder(folder)).toEqual({
    faults: [],
    notes: ['1 contents are left over from interrupted requests; the next start removes them'],
  });
  await expect(checkFolder(join(folder, 'contents'))).rejects.toThrow(/is no data folder/);
});

/** The files of a folder that version 0.1.0 wrote, by path, as Base64. */
const OLD: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('folder-0.1.0.json', import.meta.url), 'utf8'),
);

function oldFolder(): string {
  const folder = folderOfTest();
  for (const [path, text] of Object.entries(OLD)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), Buffer.from(text, 'base64'));
  }
  return folder;
}

test('a folder of version 0.1.0 is read and gets the current format', async () => {
  const folder = oldFolder();
  expect(await checkFolder(folder)).toEqual({ faults: [], notes: [] });
  const store = await openDurableStore(folder, OPTIONS);
  expect([store.recovered, await store.faults()]).toEqual([[], []]);
  expect((await store.buckets()).map(({ name }) => name)).toEqual(['b', 'empty']);
  for (const key of ['k', 'ключ']) expect(await read(store, 'b', key)).toBe(`text of ${key}`);
  expect(await read(store, 'b', 'copy')).toBe('text of k');
  expect(await read(store, 'b', 'nothing')).toBe('');
  expect(await store.object('b', 'dir/two')).toBeUndefined();
  expect((await store.parts('u')).map(({ content }) => content.size)).toEqual([6, 6]);
  await put(store, 'b', 'new', 'new text');
  await store.close();
  expect(await checkFolder(folder)).toEqual({ faults: [], notes: [] });
  expect(JSON.parse(readFileSync(join(folder, 'store.json'), 'utf8'))).toMatchObject({ format: 3 });
});

test('a file of version 0.1.0 that does not match its ETag is reported', async () => {
  const folder = oldFolder();
  const store = await openDurableStore(oldFolder(), OPTIONS);
  const object = await store.object('b', 'ключ');
  await store.close();
  if (!object) throw new Error('the old folder has no such file');
  flip(pathOf(folder, object), 0);
  const sentence = 'file "ключ" in bucket "b" does not match its ETag';
  expect((await checkFolder(folder)).faults).toEqual([sentence]);
  const damaged = await openDurableStore(folder, OPTIONS);
  expect(damaged.recovered[0]).toContain(sentence);
  await expect(read(damaged, 'b', 'ключ')).rejects.toThrow('file damaged: ');
  await damaged.close();
});

// The format of version 0.1.0 does not show whether records are missing.
test('contents without a record in a folder of version 0.1.0 are kept', async () => {
  const folder = oldFolder();
  const id = '0123456789abcdef0123456789abcdef';
  writeFileSync(join(folder, 'contents', id), 'text');
  const store = await openDurableStore(folder, OPTIONS);
  expect(store.recovered).toEqual([
    `1 contents without a record were moved to lost+found in ${folder}: nothing in it showed whether records are missing`,
  ]);
  expect(readFileSync(join(folder, 'lost+found', id), 'utf8')).toBe('text');
  await store.close();
});
