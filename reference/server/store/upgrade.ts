/**
 * From format 1, in which nothing had checksums. All of it can be done once more, so it can be cut short at any time.
 *
 * @module
 */
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClassicLevel } from 'classic-level';
import { type Context, etagHash } from '../../signing/index.ts';
import { type BlockSums, blockSums } from './block-sums.ts';
import type { DataFolder } from './data-folder.ts';
import { everyObject, everyPart } from './record-names.ts';
import { CHECKED, isPlain, PLAIN } from './record-text.ts';
import type { Records } from './records.ts';
import type { Part, StoredObject } from './store.ts';

/** Bytes read at a time. */
const PIECE_SIZE = 256 * 1024;

/** Records written at a time. */
const MOST_RECORDS = 1000;

/** Adds checksums to contents that fit their ETags; returns those that do not, each in a sentence. */
export function upgradeContents(
  records: Records,
  folder: DataFolder,
  context: Context,
): Promise<readonly string[]> {
  return misfits(records, async (owned, etag) => {
    const summed = await summedContents(folder, owned, etag, context);
    await addSums(folder, summed ?? []);
    return summed !== undefined;
  });
}

/** Returns contents that do not fit their ETags, each in a sentence; changes nothing. */
export function unfitContents(
  records: Records,
  folder: DataFolder,
  context: Context,
): Promise<readonly string[]> {
  return misfits(
    records,
    async (owned, etag) => (await summedContents(folder, owned, etag, context)) !== undefined,
  );
}

async function misfits(
  records: Records,
  fits: (owned: StoredObject['contents'], etag: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const faults: string[] = [];
  for await (const { bucket, key, etag, contents } of records.walk<StoredObject>(everyObject())) {
    if (await fits(contents, etag)) continue;
    faults.push(
      `file ${JSON.stringify(key)} in bucket ${JSON.stringify(bucket)} does not fit its ETag`,
    );
  }
  for await (const { number, content } of records.walk<Part>(everyPart())) {
    if (await fits([content], content.etag)) continue;
    faults.push(`part ${number} of an upload does not fit its ETag`);
  }
  return faults;
}

interface Summed {
  readonly id: string;
  readonly size: number;
  readonly sums: BlockSums;
}

/** Nothing where the bytes do not fit the ETag. */
async function summedContents(
  { contents }: DataFolder,
  owned: StoredObject['contents'],
  etag: string,
  context: Context,
): Promise<readonly Summed[] | undefined> {
  const hash = etagHash(context);
  const summed: Summed[] = owned.map(({ id, size }) => ({ id, size, sums: blockSums() }));
  for (const { id, size, sums } of summed) {
    const path = join(contents, id);
    const isThere = await withFile(path, 'r', (file) => read(file, size, [hash, sums]));
    if (!isThere) return undefined;
  }
  return hash.stages().etag === etag ? summed : undefined;
}

async function addSums({ contents }: DataFolder, summed: readonly Summed[]): Promise<void> {
  for (const { id, size, sums } of summed) {
    await withFile(join(contents, id), 'r+', async (file) => {
      await file.truncate(size);
      await file.write(sums.trailer(), 0, undefined, size);
      await file.datasync();
    });
  }
}

/** Nothing where the file cannot be opened. */
async function withFile<T>(
  path: string,
  flags: 'r' | 'r+',
  work: (file: FileHandle) => Promise<T>,
): Promise<T | undefined> {
  const file = await open(path, flags).catch(() => undefined);
  if (!file) return undefined;
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

/** Whether there were so many bytes. */
async function read(
  file: FileHandle,
  size: number,
  sums: readonly Pick<BlockSums, 'update'>[],
): Promise<boolean> {
  for (let position = 0; position < size; ) {
    const piece = new Uint8Array(Math.min(PIECE_SIZE, size - position));
    const { bytesRead } = await file.read(piece, 0, piece.length, position);
    if (bytesRead === 0) return false;
    for (const sum of sums) sum.update(piece.subarray(0, bytesRead));
    position += bytesRead;
  }
  return true;
}

/** Gives each record its checksum. */
export async function upgradeRecords(database: ClassicLevel): Promise<void> {
  const texts = { valueEncoding: 'utf8' } as const;
  let waiting: { type: 'put'; key: string; value: string }[] = [];
  const write = async (): Promise<void> => {
    await database.batch<string, string>(waiting, { ...texts, sync: true });
    waiting = [];
  };
  for await (const [name, text] of database.iterator<string, string>(texts)) {
    if (!isPlain(text)) continue;
    waiting.push({ type: 'put', key: name, value: CHECKED.encode(name, PLAIN.decode(name, text)) });
    if (waiting.length === MOST_RECORDS) await write();
  }
  await write();
}
