/**
 * Where a damaged folder keeps what has lost its place: contents that no record names, and records that cannot be read.
 *
 * @module
 */
import { appendFile, copyFile, mkdir, open, rename, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { DamagedEntry } from './audit.ts';
import { blockCheck, sizeBefore } from './block-sums.ts';
import type { DataFolder } from './data-folder.ts';
import { syncFolder } from './synced-folder.ts';

export const LOST_AND_FOUND = 'lost+found';

export interface LostAndFound {
  readonly keepRecords: (damaged: readonly DamagedEntry[]) => Promise<void>;
  /** Moves contents, each as a file of its bytes alone. */
  readonly keepContents: (names: readonly string[]) => Promise<void>;
  /** The sentences of an audit, for later. */
  readonly note: (sentences: readonly string[]) => Promise<void>;
}

export async function lostAndFound({ path, contents, format }: DataFolder): Promise<LostAndFound> {
  const folder = join(path, LOST_AND_FOUND);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await syncFolder(path);
  return {
    async keepRecords(damaged) {
      const lines = damaged.map(({ name, text }) =>
        JSON.stringify({ name: name.toString(), text: text.toString() }),
      );
      await append(join(folder, 'records.jsonl'), lines);
    },
    async keepContents(names) {
      for (const name of names)
        await moveContent(join(contents, name), join(folder, name), format > 1);
      await syncFolder(folder);
    },
    note: (sentences) => {
      const time = new Date().toISOString();
      return append(
        join(folder, 'report.txt'),
        sentences.map((sentence) => `${time} ${sentence}`),
      );
    },
  };
}

async function append(path: string, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  await appendFile(path, `${lines.join('\n')}\n`, { mode: 0o600, flush: true });
}

/** The checksums stay behind; where the file has another name too, they belong to that one. */
async function moveContent(from: string, to: string, hasSums: boolean): Promise<void> {
  const { size, nlink } = await stat(from);
  if (nlink > 1) {
    await copyFile(from, to);
    await rm(from);
  } else await rename(from, to);
  if (hasSums || (await endsInSums(to, size))) await truncate(to, sizeBefore(size));
}

async function endsInSums(path: string, length: number): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    return await blockCheck(file, length).then(
      () => true,
      () => false,
    );
  } finally {
    await file.close();
  }
}
