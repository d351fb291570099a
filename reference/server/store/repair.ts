/**
 * A new database of all records that can be read in a damaged one.
 *
 * LevelDB's own repair keeps a table whose entries can be listed but not found, and drops one for a single bad block.
 * It is used only where the database cannot be opened otherwise.
 *
 * @module
 */
import { rename, rm } from 'node:fs/promises';
import { ClassicLevel } from 'classic-level';
import type { DataFolder } from './data-folder.ts';

/** Records written at a time. */
const MOST = 1000;

const BYTES = { keyEncoding: 'buffer', valueEncoding: 'buffer' } as const;

/** Puts it in the place of the damaged one, of which a snapshot was taken before. */
export async function repairDatabase({ metadata }: DataFolder): Promise<void> {
  const fresh = `${metadata}.new`;
  await rm(fresh, { recursive: true, force: true });
  const damaged = await openedAnyhow(metadata);
  const rescued = new ClassicLevel<Buffer, Buffer>(fresh, BYTES);
  try {
    await rescued.open();
    // What is behind the damage is read from the other end.
    for (const reverse of [false, true]) await copyRecords(damaged, rescued, reverse);
  } finally {
    await damaged.close();
    await rescued.close();
  }
  await rm(metadata, { recursive: true });
  await rename(fresh, metadata);
}

async function openedAnyhow(metadata: string): Promise<ClassicLevel<Buffer, Buffer>> {
  const database = new ClassicLevel<Buffer, Buffer>(metadata, { ...BYTES, createIfMissing: false });
  try {
    await database.open();
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (cause instanceof Error && 'code' in cause && cause.code === 'LEVEL_LOCKED') throw error;
    await ClassicLevel.repair(metadata);
    await database.open();
  }
  return database;
}

/** Up to the end, or to what cannot be read. */
async function copyRecords(
  from: ClassicLevel<Buffer, Buffer>,
  to: ClassicLevel<Buffer, Buffer>,
  reverse: boolean,
): Promise<void> {
  let waiting: { type: 'put'; key: Buffer; value: Buffer }[] = [];
  const write = async (): Promise<void> => {
    await to.batch(waiting, { sync: true });
    waiting = [];
  };
  // With more at a time, what cannot be read takes what was read before along.
  const iterator = from.iterator({ reverse, highWaterMarkBytes: 1 });
  try {
    for (;;) {
      const entry = await iterator.next().catch(() => undefined);
      if (entry === undefined) break;
      waiting.push({ type: 'put', key: entry[0], value: entry[1] });
      if (waiting.length >= MOST) await write();
    }
  } finally {
    await iterator.close();
  }
  await write();
}
