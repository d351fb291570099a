/**
 * A new database of all records that can be read in a damaged one.
 *
 * LevelDB's own repair is no help: it drops a whole table for a single bad block, keeps tables whose entries can be
 * listed but not found, and ends the process where names are out of order.
 *
 * @module
 */
import { rename, rm } from 'node:fs/promises';
import { ClassicLevel } from 'classic-level';
import type { DataFolder } from './data-folder.ts';
import { everyEntry } from './leveldb-files.ts';

/** Records written at a time. */
const MOST = 1000;

const BYTES = { keyEncoding: 'buffer', valueEncoding: 'buffer' } as const;

/** Puts it in the place of the damaged one, of which a snapshot was taken before; throws where a process has that open. */
export async function repairDatabase({ metadata }: DataFolder): Promise<void> {
  await refuseIfOpen(metadata);
  const fresh = `${metadata}.new`;
  await rm(fresh, { recursive: true, force: true });
  const rescued = new ClassicLevel<Buffer, Buffer>(fresh, BYTES);
  try {
    await rescued.open();
    await copyRecords(metadata, rescued);
  } finally {
    await rescued.close();
  }
  await rm(metadata, { recursive: true });
  await rename(fresh, metadata);
}

/** LevelDB takes its lock before it refuses a database that is there, and reads nothing of it. */
async function refuseIfOpen(metadata: string): Promise<void> {
  const database = new ClassicLevel(metadata, { createIfMissing: false, errorIfExists: true });
  try {
    await database.open();
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (cause instanceof Error && 'code' in cause && cause.code === 'LEVEL_LOCKED') throw error;
  } finally {
    await database.close();
  }
}

/** The last of the entries of each name. They are read twice: only their numbers are kept in memory. */
async function copyRecords(folder: string, to: ClassicLevel<Buffer, Buffer>): Promise<void> {
  const last = new Map<string, number>();
  for await (const { name, number } of everyEntry(folder)) {
    const key = name.toString('latin1');
    if (number > (last.get(key) ?? -1)) last.set(key, number);
  }
  let waiting: { type: 'put'; key: Buffer; value: Buffer }[] = [];
  const write = async (): Promise<void> => {
    await to.batch(waiting, { sync: true });
    waiting = [];
  };
  for await (const { name, number, value } of everyEntry(folder)) {
    const key = name.toString('latin1');
    if (last.get(key) !== number) continue;
    last.delete(key);
    if (value) waiting.push({ type: 'put', key: name, value });
    if (waiting.length >= MOST) await write();
  }
  await write();
}
