/**
 * A store that is gone with the process.
 *
 * @module
 */
import { MemoryLevel } from 'memory-level';
import { levelStore, type StoreOptions } from './level-store.ts';
import { memoryContents } from './memory-contents.ts';
import { recordRoom } from './memory-records.ts';
import { PLAIN } from './record-text.ts';
import { type Change, records } from './records.ts';
import type { Store } from './store.ts';

export interface MemoryStoreOptions extends StoreOptions {
  /** How many bytes all files together may have; 1 GiB where nothing is said. */
  readonly mostBytes?: number;
  /** How many bytes all records together may have; 1 GiB where nothing is said. */
  readonly mostRecordBytes?: number;
}

export async function memoryStore(options: MemoryStoreOptions): Promise<Store> {
  const database = new MemoryLevel();
  await database.open();
  const room = recordRoom(options.mostRecordBytes);
  const write = async (changes: Change[]): Promise<void> => {
    room.take(changes);
    await database.batch<string, unknown>(changes, { valueEncoding: 'json' });
  };
  const contents = memoryContents(room.check, options.mostBytes);
  return levelStore(records(database, PLAIN, write), contents, options);
}
