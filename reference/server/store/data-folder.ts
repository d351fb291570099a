/**
 * The folder of a durable store: its label with the format, a snapshot of its database, and its `lost+found`.
 *
 * The snapshot is a copy of the database before LevelDB opens it, because LevelDB deletes files that it cannot read. Recovery
 * moves the snapshot to `lost+found`, with contents that no record names and records that cannot be read.
 *
 * @module
 */

import {
  appendFile,
  copyFile,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describeSystemError } from '../../system-errors.ts';
import { hasMembers, type Members, parseJsonIfValid, systemCode } from '../../values.ts';
import { blockCheck, sizeBefore, syncFolder } from './file-contents.ts';
import { MARK } from './records.ts';

/**
 * Increases with each change that an older version cannot read. In format 1, nothing had checksums; in format 2, all
 * contents were files.
 */
export const FORMAT = 3;

const NAME = 'svc-conformance';
const LABEL = 'store.json';
const UNFINISHED_LABEL = `${LABEL}.new`;

export interface DataFolder {
  readonly path: string;
  readonly metadata: string;
  readonly contents: string;
  /** The format; 0 for a folder without a label, which is new or whose creation was interrupted. */
  readonly format: number;
}

/** Creates the folder if it does not exist. Throws if the path is not a data folder. */
export async function createDataFolder(path: string): Promise<DataFolder> {
  await explainErrors(path, makeFolder(path));
  const folder = await findDataFolder(path);
  await explainErrors(path, mkdir(folder.contents, { recursive: true, mode: 0o700 }));
  return folder;
}

/** Like `mkdir` with `recursive`, which never returns below /proc. */
async function makeFolder(path: string): Promise<void> {
  const make = (): Promise<void> => mkdir(path, { mode: 0o700 });
  try {
    await make();
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await make();
  }
}

/** Like `createDataFolder`, but changes nothing. */
export async function findDataFolder(path: string): Promise<DataFolder> {
  const folder = { path, metadata: join(path, 'metadata'), contents: join(path, 'contents') };
  const names = await explainErrors(path, readdir(path));
  if (names.includes(LABEL)) {
    const text = await explainErrors(path, readFile(join(path, LABEL), 'utf8'));
    return { ...folder, format: parseFormat(path, text) };
  }
  checkUnlabelled(path, names);
  return { ...folder, format: 0 };
}

async function explainErrors<T>(path: string, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    throw new Error(
      `${path} cannot be a data folder: ${describeSystemError(error)}; name an empty folder or a new one`,
    );
  }
}

/** Writes the label, as the last step of creating or upgrading a folder. */
export async function labelFolder({ path }: DataFolder): Promise<void> {
  const file = await open(join(path, UNFINISHED_LABEL), 'w', 0o600);
  try {
    await file.writeFile(`${labelText(FORMAT)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(join(path, UNFINISHED_LABEL), join(path, LABEL));
  await syncFolder(path);
}

/** Refuses a folder with other files. Accepts a folder whose creation was interrupted. */
function checkUnlabelled(path: string, names: readonly string[]): void {
  const own = new Set(['metadata', 'contents', MARK, ...SNAPSHOT_NAMES, UNFINISHED_LABEL]);
  const foreign = names.find((name) => !own.has(name));
  if (foreign === undefined) return;
  throw new Error(
    `${path} is no data folder of ${NAME}: it has ${JSON.stringify(foreign)} and no ${LABEL}; name an empty folder or a new one`,
  );
}

const labelText = (format: number): string => JSON.stringify({ store: NAME, format });

function parseFormat(path: string, text: string): number {
  const label = parseJsonIfValid(text);
  const { store, format }: Members = hasMembers(label) ? label : {};
  if (store !== NAME || !Number.isInteger(format) || Number(format) < 1) {
    throw new Error(
      `${path} is no data folder of ${NAME}: ${LABEL} says something else; if it is one and that file is damaged, write ${labelText(FORMAT)} into it`,
    );
  }
  if (Number(format) <= FORMAT) return Number(format);
  throw new Error(
    `${path} has format ${format}; this version of ${NAME} knows formats up to ${FORMAT}: use a newer one`,
  );
}

const SNAPSHOT = 'metadata.before';
const UNFINISHED_SNAPSHOT = `${SNAPSHOT}.new`;

const SNAPSHOT_NAMES: readonly string[] = [SNAPSHOT, UNFINISHED_SNAPSHOT];

/** Files that a snapshot leaves out, because LevelDB overwrites them in place. It replaces all others. */
const OVERWRITTEN = /^(?:LOCK|LOG|LOG\.old)$/;

/** Creates a snapshot with links to the files of the database. Returns false if an interrupted start has left an older snapshot, which stays. */
export async function takeSnapshot({ path, metadata }: DataFolder): Promise<boolean> {
  if ((await readdir(path)).includes(SNAPSHOT)) return false;
  const unfinished = join(path, UNFINISHED_SNAPSHOT);
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await forEachFile(metadata, (from, name) => {
    const to = join(unfinished, name);
    return link(from, to).catch(() => copyFile(from, to));
  });
  await rename(unfinished, join(path, SNAPSHOT));
  return true;
}

export async function dropSnapshot({ path }: DataFolder): Promise<void> {
  for (const name of SNAPSHOT_NAMES) await rm(join(path, name), { recursive: true, force: true });
}

/** Moves the snapshot to `lost+found`. Resolves to its new name, or to undefined without a snapshot. */
export async function keepSnapshot({ path }: DataFolder): Promise<string | undefined> {
  if (!(await readdir(path)).includes(SNAPSHOT)) return undefined;
  const kept = join(path, LOST_AND_FOUND);
  await mkdir(kept, { recursive: true, mode: 0o700 });
  const names = await readdir(kept);
  let number = 1;
  while (names.includes(`metadata-${number}`)) number += 1;
  const name = `metadata-${number}`;
  await rename(join(path, SNAPSHOT), join(kept, name));
  return name;
}

/** Calls `work` for each file that belongs to a snapshot. A database has no folders, except the one of LevelDB's own repair. */
export async function forEachFile(
  metadata: string,
  work: (path: string, name: string) => Promise<void>,
): Promise<void> {
  for (const entry of await readdir(metadata, { withFileTypes: true })) {
    if (entry.isFile() && !OVERWRITTEN.test(entry.name))
      await work(join(metadata, entry.name), entry.name);
  }
}

/** The bytes of a record that cannot be read. */
export interface DamagedEntry {
  readonly name: Buffer;
  readonly text: Buffer;
}

export const LOST_AND_FOUND = 'lost+found';

export interface Remains {
  readonly faults: readonly string[];
  readonly damaged: readonly DamagedEntry[];
  /** The names of contents without a record, which are moved without their checksums. */
  readonly contents: readonly string[];
}

/** Adds to the report, to the damaged records and to the contents in `lost+found`. */
export async function moveToLostAndFound(
  { path, contents: from, format }: DataFolder,
  { faults, damaged, contents }: Remains,
): Promise<void> {
  const folder = join(path, LOST_AND_FOUND);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await syncFolder(path);
  const time = new Date().toISOString();
  const report = faults.map((sentence) => `${time} ${sentence}`);
  await append(join(folder, 'report.txt'), report);
  const records = damaged.map(({ name, text }) =>
    JSON.stringify({ name: name.toString(), text: text.toString() }),
  );
  await append(join(folder, 'records.jsonl'), records);
  for (const name of contents) {
    await moveContent(join(from, name), join(folder, name), format > 1);
  }
  await syncFolder(folder);
}

async function append(path: string, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  await appendFile(path, `${lines.join('\n')}\n`, { mode: 0o600, flush: true });
}

/** Moves a content without its checksums. If the file has another name too, copies it, so that the other keeps its checksums. */
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
    await blockCheck(file, length);
    return true;
  } catch {
    return false;
  } finally {
    await file.close();
  }
}
