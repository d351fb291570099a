/**
 * The folder of a durable store: that it is one, and of a format that is known.
 *
 * @module
 */
import { mkdir, open, readdir, readFile, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MARK } from './high-water-mark.ts';
import { SNAPSHOT_NAMES } from './snapshot.ts';
import { syncFolder } from './synced-folder.ts';

/** One more with each change that an older version cannot read. In 1, nothing had checksums. */
export const FORMAT = 2;

const NAME = 'svc-conformance';
const LABEL = 'store.json';
const UNFINISHED_LABEL = `${LABEL}.new`;

export interface DataFolder {
  readonly path: string;
  readonly metadata: string;
  readonly contents: string;
  /** 0 where it is not labelled yet: it is new, or was left while it was being made. */
  readonly format: number;
}

/** Makes the folder where there is none; throws where it is something else. */
export async function dataFolder(path: string): Promise<DataFolder> {
  await usable(path, makeFolder(path));
  const folder = await foundFolder(path);
  await usable(path, mkdir(folder.contents, { recursive: true, mode: 0o700 }));
  return folder;
}

/** As `mkdir` does with `recursive`, which does not come to an end below /proc. */
async function makeFolder(path: string): Promise<void> {
  const make = (): Promise<void> => mkdir(path, { mode: 0o700 });
  try {
    await make();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await make();
  }
}

/** The same, and changes nothing. */
export async function foundFolder(path: string): Promise<DataFolder> {
  const folder = { path, metadata: join(path, 'metadata'), contents: join(path, 'contents') };
  const names = await usable(path, readdir(path));
  if (names.includes(LABEL)) {
    const text = await usable(path, readFile(join(path, LABEL), 'utf8'));
    return { ...folder, format: formatIn(path, text) };
  }
  checkUnlabelled(path, names);
  return { ...folder, format: 0 };
}

async function usable<T>(path: string, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`${path} cannot be a data folder (${code}); name an empty folder or a new one`);
  }
}

/** Makes the folder known as a store: the last step of making one. */
export async function label({ path }: DataFolder): Promise<void> {
  const file = await open(join(path, UNFINISHED_LABEL), 'w', 0o600);
  try {
    await file.writeFile(`${textOf(FORMAT)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(join(path, UNFINISHED_LABEL), join(path, LABEL));
  await syncFolder(path);
}

/** A folder in the making may have been left behind. */
function checkUnlabelled(path: string, names: readonly string[]): void {
  const own = new Set(['metadata', 'contents', MARK, ...SNAPSHOT_NAMES, UNFINISHED_LABEL]);
  const foreign = names.find((name) => !own.has(name));
  if (foreign === undefined) return;
  throw new Error(
    `${path} is no data folder of ${NAME}: it has ${JSON.stringify(foreign)} and no ${LABEL}; name an empty folder or a new one`,
  );
}

const textOf = (format: number): string => JSON.stringify({ store: NAME, format });

function formatIn(path: string, text: string): number {
  const { store, format } = labelIn(text);
  if (store !== NAME || !Number.isInteger(format) || Number(format) < 1) {
    throw new Error(
      `${path} is no data folder of ${NAME}: ${LABEL} says something else; if it is one and that file is damaged, write ${textOf(FORMAT)} into it`,
    );
  }
  if (Number(format) <= FORMAT) return Number(format);
  throw new Error(
    `${path} has format ${format}; this version of ${NAME} knows formats up to ${FORMAT}: use a newer one`,
  );
}

function labelIn(text: string): { readonly store?: unknown; readonly format?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
