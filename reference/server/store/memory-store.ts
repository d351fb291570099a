/**
 * A store that is gone with the process.
 *
 * @module
 */
import { MemoryLevel } from 'memory-level';
import { levelStore, type StoreOptions } from './level-store.ts';
import { memoryContents } from './memory-contents.ts';
import { type Change, records } from './records.ts';
import type { Store } from './store.ts';

export interface MemoryStoreOptions extends StoreOptions {
  /** How many bytes all files together may have; 1 GiB where nothing is said. */
  readonly mostBytes?: number;
}

export async function memoryStore(options: MemoryStoreOptions): Promise<Store> {
  const database = new MemoryLevel();
  await database.open();
  const write = (changes: Change[]): Promise<void> =>
    database.batch<string, unknown>(changes, { valueEncoding: 'json' });
  return levelStore(records(database, write), memoryContents(options.mostBytes), options);
}
