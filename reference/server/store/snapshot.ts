/**
 * The database as it was before LevelDB opened it: recovery drops what it cannot read, and deletes the files of it.
 *
 * @module
 */
import { copyFile, link, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataFolder } from './data-folder.ts';
import { LOST_AND_FOUND } from './lost-and-found.ts';

const SNAPSHOT = 'metadata.before';
const UNFINISHED = `${SNAPSHOT}.new`;

export const SNAPSHOT_NAMES: readonly string[] = [SNAPSHOT, UNFINISHED];

/** LevelDB writes these in place; the others it replaces by new ones when it opens a database. */
const OWN = /^(?:LOCK|LOG|LOG\.old)$/;

/** Gives the files of the database a second name; false where a start that was cut short has left an older one, which stays. */
export async function takeSnapshot({ path, metadata }: DataFolder): Promise<boolean> {
  if ((await readdir(path)).includes(SNAPSHOT)) return false;
  const unfinished = join(path, UNFINISHED);
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await eachFile(metadata, (from, name) => {
    const to = join(unfinished, name);
    return link(from, to).catch(() => copyFile(from, to));
  });
  await rename(unfinished, join(path, SNAPSHOT));
  return true;
}

export async function dropSnapshot({ path }: DataFolder): Promise<void> {
  for (const name of SNAPSHOT_NAMES) await rm(join(path, name), { recursive: true, force: true });
}

/** Leaves it in `lost+found`, and returns its name there; nothing where there was no room for one. */
export async function keepSnapshot({ path }: DataFolder): Promise<string | undefined> {
  if (!(await readdir(path)).includes(SNAPSHOT)) return undefined;
  const kept = join(path, LOST_AND_FOUND);
  await mkdir(kept, { recursive: true, mode: 0o700 });
  const names = await readdir(kept);
  let number = 1;
  while (names.includes(`metadata-${number}`)) number += 1;
  await rename(join(path, SNAPSHOT), join(kept, `metadata-${number}`));
  return `metadata-${number}`;
}

/** Does something with each file of a database, which has no folders but that of a repair. */
export async function eachFile(
  metadata: string,
  work: (path: string, name: string) => Promise<void>,
): Promise<void> {
  for (const entry of await readdir(metadata, { withFileTypes: true })) {
    if (entry.isFile() && !OWN.test(entry.name)) await work(join(metadata, entry.name), entry.name);
  }
}
