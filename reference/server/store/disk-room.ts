/**
 * Room on the disk of the data folder.
 *
 * @module
 */
import { statfs } from 'node:fs/promises';
import { storeIsFull } from './contents.ts';

/** 64 MiB, left to the records: a database that has no room takes no deletions either. */
const RESERVE = 64 * 1024 ** 2;

const NO_ROOM = new Set(['ENOSPC', 'EDQUOT']);

/** Throws where only the reserve is left. */
export async function checkRoom(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= RESERVE) return;
  throw storeIsFull(
    `the disk of the data folder has ${bavail * bsize} bytes left, of which the last ${RESERVE} are for its records; delete files, or make room`,
  );
}

/** Says it in the words of the service where there is no room. */
export async function withRoom<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!NO_ROOM.has(code)) throw error;
    throw storeIsFull(`the disk of the data folder is full (${code}); make room on it`);
  }
}
