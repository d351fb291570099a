/**
 * A store in a folder: what is acknowledged survives the end of the process, however it ends.
 *
 * @module
 */
import { ClassicLevel } from 'classic-level';
import { sweep } from './check.ts';
import { storeIsFull } from './contents.ts';
import { type DataFolder, dataFolder, label } from './data-folder.ts';
import { fileContents } from './file-contents.ts';
import { groupedWrites } from './grouped-writes.ts';
import { levelStore, type StoreOptions } from './level-store.ts';
import { records } from './records.ts';
import type { Store } from './store.ts';

/** Opens the store in a folder, or makes one; only one process can have it open. */
export async function durableStore(path: string, options: StoreOptions): Promise<Store> {
  const folder = await dataFolder(path);
  const database = await opened(folder);
  const write = groupedWrites((changes) =>
    database
      .batch<string, unknown>(changes, { valueEncoding: 'json', sync: true })
      .catch((error) => Promise.reject(spoken(error))),
  );
  const known = records(database, write);
  const contents = fileContents(folder.contents);
  try {
    await sweep(known, contents);
    if (folder.isNew) await label(folder);
  } catch (error) {
    await database.close();
    throw error;
  }
  return levelStore(known, contents, options);
}

/** A labelled folder without its database is not made anew: that would give up all that is in it. */
async function opened({ path, metadata, isNew }: DataFolder): Promise<ClassicLevel> {
  const database = new ClassicLevel(metadata, { createIfMissing: isNew });
  try {
    await database.open();
    return database;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (cause instanceof Error && 'code' in cause && cause.code === 'LEVEL_LOCKED') {
      throw new Error(`${path} is in use by another process; stop it, or name another folder`);
    }
    const reason = cause instanceof Error ? cause.message : String(error);
    throw new Error(`${path} cannot be opened: ${reason}; restore it, or name another folder`);
  }
}

/** After an error of the disk nothing is written until the store is opened anew. */
function spoken(error: unknown): unknown {
  const isOfDisk = error instanceof Error && 'code' in error && error.code === 'LEVEL_IO_ERROR';
  if (!isOfDisk) return error;
  // Before the last colon stands the path of a file.
  const reason = error.message.split(': ').at(-1);
  return storeIsFull(
    `the records of the data folder cannot be written (${reason}), and nothing is written any more; see to its disk and start the server anew`,
  );
}
