/**
 * How many writes were acknowledged, in a file beside the database.
 *
 * LevelDB takes a damaged end of its log for a write that was cut short, and drops it. The mark shows that it was not.
 * It is written after the write that it counts and is never ahead of the database, so a kill at any time leaves the two
 * in order. It is not synced for each write: after a loss of power it may be low, and then it shows less.
 *
 * @module
 */
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CHECKED } from './record-text.ts';

export const MARK = 'acknowledged';

/** The same for every mark, so that one is written in the place of another in one piece. */
const LENGTH = 64;

export interface HighWaterMark {
  readonly raise: (writes: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Nothing where the file is missing or damaged. */
export async function highWaterMark(folder: string): Promise<number | undefined> {
  try {
    const text = await readFile(join(folder, MARK), 'utf8');
    const writes = Number(CHECKED.decode(MARK, text.trimEnd()));
    return text === textOf(writes) ? writes : undefined;
  } catch {
    return undefined;
  }
}

/** Opens the mark, or makes one. */
export async function openMark(folder: string, writes: number): Promise<HighWaterMark> {
  const path = join(folder, MARK);
  const file = await open(path, 'r+').catch(() => open(path, 'w+', 0o600));
  await file.truncate(LENGTH);
  await written(file, writes);
  await file.sync();
  return {
    // The write itself is on disk: a mark that stays low does no harm.
    raise: (count) => written(file, count).catch(() => undefined),
    async close() {
      await file.sync().catch(() => undefined);
      await file.close();
    },
  };
}

const textOf = (writes: number): string => `${CHECKED.encode(MARK, writes).padEnd(LENGTH - 1)}\n`;

async function written(file: FileHandle, writes: number): Promise<void> {
  await file.write(textOf(writes), 0);
}
