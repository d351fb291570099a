/**
 * A store in a folder: what is acknowledged survives the end of the process, however it ends.
 *
 * @module
 */
import { ClassicLevel } from 'classic-level';
import { FILE_ERRORS, serviceError } from '../errors.ts';
import { type Audited, textOf } from './audit.ts';
import { storeIsFull } from './contents.ts';
import { type DataFolder, dataFolder, FORMAT, label } from './data-folder.ts';
import { fileContents } from './file-contents.ts';
import { groupedWrites } from './grouped-writes.ts';
import { openMark } from './high-water-mark.ts';
import { levelStore, type StoreOptions } from './level-store.ts';
import { damagedTables } from './leveldb-files.ts';
import { CHECKED } from './record-text.ts';
import { type Change, records } from './records.ts';
import { recovered } from './recovery.ts';
import { repairDatabase } from './repair.ts';
import { dropSnapshot, takeSnapshot } from './snapshot.ts';
import type { Store } from './store.ts';
import { talliedWrites } from './tallied-writes.ts';

export interface DurableStoreOptions extends StoreOptions {
  /** Whether to make the database of a folder anew from what can be read of it. */
  readonly repairs?: boolean;
}

/** Opens the store in a folder, or makes one; only one process can have it open. */
export async function durableStore(path: string, options: DurableStoreOptions): Promise<Store> {
  const folder = await dataFolder(path);
  const found = await opened(folder, options.repairs ?? false);
  try {
    return await storeOf(found, options);
  } catch (error) {
    await found.database.close();
    throw error;
  }
}

async function storeOf(found: Audited, options: DurableStoreOptions): Promise<Store> {
  const { folder, database } = found;
  const contents = fileContents(folder.contents);
  const { tally, report } = await recovered(
    { ...found, records: records(database, textOf(folder), refuseWrites), contents },
    options.context,
  ).catch((error) => Promise.reject(isOfDatabase(error) ? unreadable(folder, error) : error));
  const mark = await openMark(folder.path, tally.writes);
  if (folder.format !== FORMAT) await label(folder);
  const write = talliedWrites(database, tally, mark);
  const known = records(
    database,
    CHECKED,
    groupedWrites((changes) => write(changes).catch((error) => Promise.reject(spoken(error)))),
  );
  const close = async (): Promise<void> => {
    await database.close();
    await mark.close();
  };
  return { ...levelStore(known, contents, options, report), close };
}

/** A labelled folder without its database is not made anew: that would give up all that is in it. */
async function opened(folder: DataFolder, repairs: boolean): Promise<Audited> {
  const { metadata, format } = folder;
  const isNew = format === 0;
  const hasSnapshot = !isNew && (await takeSnapshot(folder).catch(() => false));
  try {
    const tables = isNew ? [] : await damagedTables(metadata);
    if (tables.length > 0 || (repairs && !isNew)) await repairDatabase(folder);
    const database = new ClassicLevel(metadata, { createIfMissing: isNew });
    await database.open();
    return { folder, database, damagedTables: tables };
  } catch (error) {
    if (hasSnapshot) await dropSnapshot(folder);
    throw cannotOpen(folder, error);
  }
}

function cannotOpen(folder: DataFolder, error: unknown): Error {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof Error && 'code' in cause && cause.code === 'LEVEL_LOCKED') {
    return new Error(
      `${folder.path} is in use by another process; stop it, or name another folder`,
    );
  }
  return unreadable(folder, cause);
}

function unreadable({ path }: DataFolder, error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error);
  return new Error(
    `${path} cannot be opened: its database is damaged (${reason}); restore it, or start once with --repair to save what can be read`,
  );
}

const refuseWrites = (_: readonly Change[]): Promise<void> =>
  Promise.reject(new Error('nothing is written before the records were audited'));

const isOfDatabase = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('LEVEL_');

const isCorrupt = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'LEVEL_CORRUPTION';

/** After an error of the disk nothing is written until the store is opened anew. */
function spoken(error: unknown): unknown {
  if (isCorrupt(error)) {
    return serviceError(
      FILE_ERRORS.damaged,
      'the records of the data folder, of which none is written any more; start the server anew',
    );
  }
  const isOfDisk = error instanceof Error && 'code' in error && error.code === 'LEVEL_IO_ERROR';
  if (!isOfDisk) return error;
  // Before the last colon stands the path of a file.
  const reason = error.message.split(': ').at(-1);
  return storeIsFull(
    `the records of the data folder cannot be written (${reason}), and nothing is written any more; see to its disk and start the server anew`,
  );
}
