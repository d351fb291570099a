/**
 * Whether a data folder is whole, found out without changing anything in it.
 *
 * @module
 */
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { SPECIFICATION } from '../../signing/index.ts';
import { auditOf, textOf } from './audit.ts';
import { damagedContents, unnamed } from './check.ts';
import { type DataFolder, foundFolder } from './data-folder.ts';
import { fileContents, isContent } from './file-contents.ts';
import { highWaterMark } from './high-water-mark.ts';
import { damagedTables } from './leveldb-files.ts';
import { records } from './records.ts';
import { repairDatabase } from './repair.ts';
import { eachFile } from './snapshot.ts';
import { unfitContents } from './upgrade.ts';

export interface FolderCheck {
  /** What is damaged or missing, each in a sentence. */
  readonly faults: readonly string[];
  /** What is as it should be and may surprise, each in a sentence. */
  readonly notes: readonly string[];
}

/**
 * Reads every record and every byte. LevelDB changes what it opens, so a copy of the database is read.
 *
 * @throws Error that says why it is no data folder, or that a server writes to it
 */
export async function checkFolder(path: string): Promise<FolderCheck> {
  const folder = await foundFolder(path);
  if (folder.format === 0) {
    throw new Error(`${path} is no data folder yet; name one that serve --data has made`);
  }
  const copy = await mkdtemp(join(tmpdir(), 'svc-check-'));
  try {
    await copyOf(folder, copy);
    return await checked(folder, copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function copyOf(folder: DataFolder, copy: string): Promise<void> {
  const before = await highWaterMark(folder.path);
  try {
    await eachFile(folder.metadata, (from, name) => copyFile(from, join(copy, name)));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `the database in ${folder.path} cannot be copied to be checked (${code}); stop the server that uses it, and make room for a copy`,
    );
  }
  if ((await highWaterMark(folder.path)) === before) return;
  throw new Error(
    `${folder.path} is being written to; stop the server that uses it, then check it`,
  );
}

async function checked(folder: DataFolder, copy: string): Promise<FolderCheck> {
  const tables = await damagedTables(copy);
  if (tables.length > 0) await repairDatabase({ ...folder, metadata: copy });
  const database = new ClassicLevel(copy, { createIfMissing: false });
  try {
    await database.open();
    const found = records(database, textOf(folder), () => Promise.reject(new Error('a copy')));
    const contents = fileContents(folder.contents);
    const isChecked = folder.format > 1;
    const audit = await auditOf({ folder, database, damagedTables: tables });
    const damaged = isChecked
      ? await damagedContents(found, contents)
      : await unfitContents(found, folder, SPECIFICATION);
    const strays = (await unnamed(found, contents)).filter(isContent).length;
    const faults = [...audit.faults, ...damaged];
    if (strays === 0) return { faults, notes: [] };
    if (audit.faults.length > 0) return { faults: [...faults, lost(strays)], notes: [] };
    return { faults, notes: [isChecked ? leftOver(strays) : lost(strays)] };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { faults: [`the database is damaged: ${reasonOf(cause, copy)}`], notes: [] };
  } finally {
    await database.close();
  }
}

/** Without the path of the copy, which is gone; LevelDB writes a slash on Windows too. */
const reasonOf = (error: unknown, copy: string): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll(`${copy}/`, '');

const lost = (contents: number): string =>
  `${contents} contents have no record; the next start moves them to lost+found`;

const leftOver = (contents: number): string =>
  `${contents} contents of requests that were cut short; the next start removes them`;
