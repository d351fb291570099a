/**
 * Finds damage in a data folder without changing the folder.
 *
 * @module
 */

import { copyFile, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClassicLevel } from 'classic-level';
import { type Context, etagHash, SPECIFICATION } from '../../signing/index.ts';
import { describeSystemError } from '../../system-errors.ts';
import { errorMessage } from '../../values.ts';
import {
  contentOwners,
  findDamagedContents,
  readDamage,
  unreferencedContents,
} from './contents.ts';
import { type DamagedEntry, type DataFolder, findDataFolder, forEachFile } from './data-folder.ts';
import type { StoredObject } from './entries.ts';
import { type BlockSums, blockSums, FileContents, isContent, readPiece } from './file-contents.ts';
import { createDatabase, loadLevelDb } from './leveldb.ts';
import { findDamagedTables, repairDatabase } from './leveldb-files.ts';
import {
  Count,
  checkRecord,
  checksumOf,
  createRecords,
  type DecodeRecord,
  decodeAnyFormat,
  decodeRecord,
  MARK,
  type Records,
  readMark,
  TALLY,
  type Tally,
  trustRecord,
} from './records.ts';

export interface FolderCheck {
  /** One sentence for each damaged or missing part. */
  readonly faults: readonly string[];
  /** One sentence for each part that is in order but may surprise you. */
  readonly notes: readonly string[];
}

/**
 * Reads every record and every byte. LevelDB changes a database when it opens one, so this reads a copy of the database.
 *
 * @throws Error if the path is not a data folder, or a server writes to it
 */
export async function checkFolder(path: string): Promise<FolderCheck> {
  await loadLevelDb();
  const folder = await findDataFolder(path);
  if (folder.format === 0) {
    throw new Error(`${path} is not a data folder; pass a folder that serve --data has created`);
  }
  const copy = await mkdtemp(join(tmpdir(), 'svc-check-'));
  try {
    await copyDatabase(folder, copy);
    return await checkCopy(folder, copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function copyDatabase(folder: DataFolder, copy: string): Promise<void> {
  const before = await readMark(folder.path);
  try {
    await forEachFile(folder.metadata, (from, name) => copyFile(from, join(copy, name)));
  } catch (error) {
    throw new Error(
      `the database in ${folder.path} cannot be copied for the check: ${describeSystemError(error)}; stop the server that uses it, and make room for a copy`,
    );
  }
  if ((await readMark(folder.path)) === before) return;
  throw new Error(
    `${folder.path} is being written to; stop the server that uses it, then check it`,
  );
}

async function checkCopy(folder: DataFolder, copy: string): Promise<FolderCheck> {
  const tableFaults = await findDamagedTables(copy);
  if (tableFaults.length > 0) await repairDatabase({ ...folder, metadata: copy });
  const database = await createDatabase(copy, { createIfMissing: false });
  try {
    await database.open();
    return await checkDatabase({ folder, database, tableFaults });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    // Leave out the path of the copy, which the user does not know. LevelDB writes a slash on Windows, too.
    const reason = errorMessage(cause).replaceAll(`${copy}/`, '');
    return { faults: [`the database is damaged: ${reason}`], notes: [] };
  } finally {
    await database.close();
  }
}

async function checkDatabase(opened: OpenDatabase): Promise<FolderCheck> {
  const { folder, database } = opened;
  const records = createRecords(database, decoderFor(folder));
  const contents = new FileContents(folder.contents);
  const audit = await auditRecords(opened);
  const damaged = hasChecksums(folder)
    ? await findDamagedContents(records, contents, readDamage)
    : await findMismatches(records, folder, SPECIFICATION);
  const strays = (await unreferencedContents(records, contents)).filter(isContent).length;
  const faults = [...audit.faults, ...damaged];
  if (strays === 0) return { faults, notes: [] };
  const lost = `${strays} contents have no record; the next start moves them to lost+found`;
  if (audit.faults.length > 0) return { faults: [...faults, lost], notes: [] };
  const leftover = `${strays} contents are left over from interrupted requests; the next start removes them`;
  return { faults, notes: [hasChecksums(folder) ? leftover : lost] };
}

/** An open database whose records are not audited yet. */
export interface OpenDatabase {
  readonly folder: DataFolder;
  readonly database: ClassicLevel;
  /** The damage that was found before the database was opened, each in a sentence. */
  readonly tableFaults: readonly string[];
}

export interface Audit {
  /** What is damaged or missing, each in a sentence; empty if every acknowledged record is intact. */
  readonly faults: readonly string[];
  readonly damaged: readonly DamagedEntry[];
  /** Of the undamaged records. */
  readonly tally: Tally;
}

/** Format 1 has no checksums and no tally. */
export const hasChecksums = ({ format }: DataFolder): boolean => format > 1;

export const decoderFor = (folder: DataFolder): DecodeRecord =>
  hasChecksums(folder) ? decodeRecord : decodeAnyFormat;

/** Reads every record. In format 1, it finds damaged records, but not missing or old ones. */
export async function auditRecords(opened: OpenDatabase): Promise<Audit> {
  const { folder, database, tableFaults } = opened;
  const check = hasChecksums(folder) ? checkRecord : decodeAnyFormat;
  const { damaged, count, found } = await countRecords(database, check);
  const damagedNames = damaged.map(
    ({ name }) => `record ${JSON.stringify(name.toString())} is damaged`,
  );
  if (!hasChecksums(folder)) {
    return { faults: [...tableFaults, ...damagedNames], damaged, tally: count.total(0) };
  }
  const mark = await readMark(folder.path);
  const tally = count.total(Math.max(found?.writes ?? 0, mark ?? 0));
  const inTally = [...tallyFaults(tally, found, damaged.length), ...markFaults(found, mark)];
  return { faults: [...tableFaults, ...damagedNames, ...inTally], damaged, tally };
}

interface Counted {
  readonly damaged: readonly DamagedEntry[];
  readonly count: Count;
  readonly found: Tally | undefined;
}

const BYTES = { keyEncoding: 'buffer', valueEncoding: 'buffer' } as const;

/** @param check throws if a record is damaged */
export async function countRecords(database: ClassicLevel, check: DecodeRecord): Promise<Counted> {
  const damaged: DamagedEntry[] = [];
  const count = new Count();
  let found: Tally | undefined;
  for await (const [bytes, value] of database.iterator<Buffer, Buffer>(BYTES)) {
    const [name, text] = [bytes.toString(), value.toString()];
    try {
      check(name, text);
      if (name === TALLY) found = trustRecord(decodeRecord(name, text));
      else count.add(checksumOf(text));
    } catch {
      damaged.push({ name: bytes, text: value });
    }
  }
  return { damaged, count, found };
}

function tallyFaults(tally: Tally, found: Tally | undefined, damaged: number): readonly string[] {
  if (found === undefined) {
    return ['the tally of the records is missing or damaged: records may be missing'];
  }
  const missing = found.records - tally.records - damaged;
  if (missing > 0) return [`${missing} of ${found.records} records are missing`];
  if (missing < 0) return [`${-missing} deleted records are back`];
  if (damaged > 0 || tally.sum === found.sum) return [];
  return ['older versions of records are back in place of newer ones'];
}

function markFaults(found: Tally | undefined, mark: number | undefined): readonly string[] {
  if (mark === undefined) {
    return [`the file ${MARK} is missing or damaged: the last writes may be missing`];
  }
  if (found === undefined || found.writes >= mark) return [];
  return [`the last ${mark - found.writes} acknowledged writes are missing`];
}

/** For format 1: returns a sentence for each file and part that does not match its ETag, and calls `onMatch` for the others. */
export async function findMismatches(
  records: Records,
  folder: DataFolder,
  context: Context,
  onMatch: (summed: readonly SummedContent[]) => Promise<void> = async () => {},
): Promise<readonly string[]> {
  const faults: string[] = [];
  for await (const { name, contents, etag } of contentOwners(records)) {
    const summed = await sumContents(folder, contents, etag, context);
    if (summed) await onMatch(summed);
    else faults.push(`${name} does not match its ETag`);
  }
  return faults;
}

/** A content of format 1, and the checksums that format 2 adds to it. */
export interface SummedContent {
  readonly path: string;
  readonly size: number;
  readonly sums: BlockSums;
}

/** Undefined if the bytes do not match the ETag. */
async function sumContents(
  folder: DataFolder,
  contents: StoredObject['contents'],
  etag: string,
  context: Context,
): Promise<readonly SummedContent[] | undefined> {
  const hash = etagHash(context);
  const summed: SummedContent[] = [];
  for (const { id, size } of contents) {
    const path = join(folder.contents, id);
    const sums = blockSums();
    const file = await open(path, 'r').catch(() => undefined);
    if (!file) return undefined;
    try {
      for (let position = 0; position < size; ) {
        const piece = await readPiece(file, position, size);
        if (piece.length === 0) return undefined;
        hash.update(piece);
        sums.update(piece);
        position += piece.length;
      }
    } finally {
      await file.close();
    }
    summed.push({ path, size, sums });
  }
  return hash.stages().etag === etag ? summed : undefined;
}
