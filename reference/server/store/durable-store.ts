/**
 * A store in a folder. Acknowledged writes survive even a crash of the process.
 *
 * Before it serves requests, a start checks that every acknowledged record is present and intact. It removes no content
 * that a missing record may have named.
 *
 * @module
 */
import { open } from 'node:fs/promises';
import type { ClassicLevel } from 'classic-level';
import type { Context } from '../../signing/index.ts';
import { errorMessage, parseJson, systemCode } from '../../values.ts';
import { fileError, storeFull } from '../messages/errors.ts';
import {
  type Audit,
  auditRecords,
  countRecords,
  decoderFor,
  findMismatches,
  hasChecksums,
  type OpenDatabase,
  type SummedContent,
} from './check-folder.ts';
import { type Contents, unreferencedContents } from './contents.ts';
import {
  createDataFolder,
  type DataFolder,
  dropSnapshot,
  FORMAT,
  keepSnapshot,
  LOST_AND_FOUND,
  labelFolder,
  moveToLostAndFound,
  type Remains,
  takeSnapshot,
} from './data-folder.ts';
import { FileContents, isContent } from './file-contents.ts';
import { createDatabase, loadLevelDb, writeInBatches } from './leveldb.ts';
import { findDamagedTables, repairDatabase } from './leveldb-files.ts';
import {
  checkRecord,
  createRecords,
  decodeRecord,
  encodeRecord,
  groupWrites,
  isPlain,
  openMark,
  TALLY,
  type Tally,
  tallyWrites,
} from './records.ts';
import { Store } from './store.ts';

export interface DurableStoreOptions {
  readonly context: Context;
  readonly repairs?: boolean;
}

/** Opens the store in a folder, or creates one; only one process can have it open. */
export async function openDurableStore(path: string, options: DurableStoreOptions): Promise<Store> {
  await loadLevelDb();
  const folder = await createDataFolder(path);
  const opened = await openDatabase(folder, options.repairs ?? false);
  try {
    return await startStore(opened, options);
  } catch (error) {
    await opened.database.close();
    throw systemCode(error)?.startsWith('LEVEL_') ? unreadable(folder, error) : error;
  }
}

async function startStore(opened: OpenDatabase, options: DurableStoreOptions): Promise<Store> {
  const { folder, database } = opened;
  const contents = new FileContents(folder.contents);
  const recovery = await recoverFolder(opened, contents, options.context);
  const mark = await openMark(folder.path, recovery.tally.writes);
  if (folder.format !== FORMAT) await labelFolder(folder);
  const write = tallyWrites(database, recovery.tally, mark);
  const records = createRecords(
    database,
    decodeRecord,
    groupWrites((changes) => write(changes).catch(explainWriteError)),
  );
  const close = async (): Promise<void> => {
    await database.close();
    await mark.close();
  };
  return new Store({ ...records, close }, contents, options.context, recovery.report);
}

/** Creates no database in a labelled folder: that would abandon its contents. */
async function openDatabase(folder: DataFolder, repairs: boolean): Promise<OpenDatabase> {
  const { metadata, format } = folder;
  const isNew = format === 0;
  const hasSnapshot = !isNew && (await takeSnapshot(folder).catch(() => false));
  try {
    const tableFaults = isNew ? [] : await findDamagedTables(metadata);
    if (tableFaults.length > 0 || (repairs && !isNew)) await repairDatabase(folder);
    const database = await createDatabase(metadata, { createIfMissing: isNew });
    await database.open();
    return { folder, database, tableFaults };
  } catch (error) {
    if (hasSnapshot) await dropSnapshot(folder);
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    if (systemCode(cause) !== 'LEVEL_LOCKED') throw unreadable(folder, cause);
    throw new Error(`${folder.path} is in use by another process; stop it, or name another folder`);
  }
}

function unreadable({ path }: DataFolder, error: unknown): Error {
  return new Error(
    `${path} cannot be opened: its database is damaged (${errorMessage(error)}); restore it, or start once with --repair to save what can be read`,
  );
}

/** After a disk error, all writes fail until the store is opened again. */
function explainWriteError(error: unknown): never {
  if (systemCode(error) === 'LEVEL_CORRUPTION') {
    throw fileError(
      'damaged',
      'the records of the data folder are damaged, and writing has stopped; restart the server',
    );
  }
  if (systemCode(error) !== 'LEVEL_IO_ERROR') throw error;
  // The path of a file precedes the last colon.
  const reason = errorMessage(error).split(': ').at(-1);
  throw storeFull(
    `the records of the data folder cannot be written (${reason}), and writing has stopped; check its disk and restart the server`,
  );
}

interface Recovery {
  /** The tally that the next write updates. */
  readonly tally: Tally;
  /** A sentence for each damage. */
  readonly report: readonly string[];
}

/** Repairs a folder so that it can be served. Deletes no data, and reports all damage. */
async function recoverFolder(
  opened: OpenDatabase,
  contents: Contents,
  context: Context,
): Promise<Recovery> {
  const { folder, database } = opened;
  const records = createRecords(database, decoderFor(folder));
  const audit = await auditRecords(opened);
  const inContents = hasChecksums(folder)
    ? []
    : await findMismatches(records, folder, context, addChecksums);
  const faults = [...audit.faults, ...inContents];
  const strays = await unreferencedContents(records, contents);
  // Leftovers of interrupted requests, unless records may be missing.
  const areLeftovers = faults.length === 0 && hasChecksums(folder);
  const lost = areLeftovers ? [] : strays.filter(isContent);
  const report = await keepLost(folder, { faults, damaged: audit.damaged, contents: lost });
  for (const name of areLeftovers ? strays : strays.filter((each) => !isContent(each))) {
    await contents.remove(name);
  }
  const isIntact = hasChecksums(folder) && audit.faults.length === 0;
  const tally = isIntact ? audit.tally : await rebuildTally(database, audit);
  await dropSnapshot(folder);
  return { tally, report };
}

/** The most damages in the message; the report in `lost+found` has all. */
const SHOWN = 3;

/** Moves what is left of damaged or missing records to `lost+found`. Resolves to the report, if there is any. */
async function keepLost(folder: DataFolder, remains: Remains): Promise<readonly string[]> {
  const { path } = folder;
  const { faults, damaged, contents } = remains;
  if (faults.length === 0 && contents.length === 0) return [];
  await moveToLostAndFound(folder, remains);
  if (faults.length === 0) {
    return [
      `${contents.length} contents without a record were moved to ${LOST_AND_FOUND} in ${path}: nothing in it showed whether records are missing`,
    ];
  }
  const more = faults.length > SHOWN ? `; ${faults.length - SHOWN} more` : '';
  const name = await keepSnapshot(folder);
  const database = name === undefined ? '' : `, and ${name}, the database as it was`;
  return [
    `${path} was damaged: ${faults.slice(0, SHOWN).join('; ')}${more}; ${LOST_AND_FOUND} in it has ${contents.length} contents without a record and ${damaged.length} damaged records${database}`,
  ];
}

/** Removes the damaged records, and computes the tally of the others. */
async function rebuildTally(database: ClassicLevel, { damaged, tally }: Audit): Promise<Tally> {
  const names = damaged.map(({ name }) => ({ type: 'del', key: name }) as const);
  await database.batch<Buffer, string>(names, { keyEncoding: 'buffer' });
  // A damaged record may look like one without a checksum.
  await upgradeRecords(database);
  const total = (await countRecords(database, checkRecord)).count.total(tally.writes + 1);
  await database.put(TALLY, encodeRecord(TALLY, total), { sync: true });
  return total;
}

/*
 * Format 1 had no checksums. Each step of the upgrade can be repeated, so an interruption does no harm.
 */

async function addChecksums(summed: readonly SummedContent[]): Promise<void> {
  for (const { path, size, sums } of summed) {
    const file = await open(path, 'r+');
    try {
      await file.truncate(size);
      await file.write(sums.trailer(), 0, undefined, size);
      await file.datasync();
    } finally {
      await file.close();
    }
  }
}

async function upgradeRecords(database: ClassicLevel): Promise<void> {
  const upgraded = async function* (): AsyncGenerator<readonly [string, string]> {
    for await (const [name, text] of database.iterator()) {
      if (isPlain(text)) yield [name, encodeRecord(name, parseJson(text))];
    }
  };
  await writeInBatches(database, upgraded());
}
