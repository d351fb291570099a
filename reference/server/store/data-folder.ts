/**
 * The folder of a durable store: that it is one, and of a format that is known.
 *
 * @module
 */
import { mkdir, open, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from './synced-folder.ts';

/** One more with each change that an older version cannot read. */
const FORMAT = 1;

const NAME = 'svc-conformance';
const LABEL = 'store.json';
const UNFINISHED_LABEL = `${LABEL}.new`;

export interface DataFolder {
  readonly path: string;
  readonly metadata: string;
  readonly contents: string;
  /** Not labelled yet: whatever is in it was never acknowledged. */
  readonly isNew: boolean;
}

/** Makes the folder where there is none; throws where it is something else. */
export async function dataFolder(path: string): Promise<DataFolder> {
  const folder = { path, metadata: join(path, 'metadata'), contents: join(path, 'contents') };
  await usable(path, mkdir(path, { recursive: true, mode: 0o700 }));
  const names = await usable(path, readdir(path));
  const isNew = !names.includes(LABEL);
  if (isNew) checkUnlabelled(path, names);
  else checkFormat(path, await usable(path, readFile(join(path, LABEL), 'utf8')));
  await usable(path, mkdir(folder.contents, { recursive: true, mode: 0o700 }));
  return { ...folder, isNew };
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
    await file.writeFile(`${JSON.stringify({ store: NAME, format: FORMAT })}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(join(path, UNFINISHED_LABEL), join(path, LABEL));
  await syncFolder(path);
}

/** A folder in the making may have been left behind. */
function checkUnlabelled(path: string, names: readonly string[]): void {
  const own = new Set(['metadata', 'contents', UNFINISHED_LABEL]);
  const foreign = names.find((name) => !own.has(name));
  if (foreign === undefined) return;
  throw new Error(
    `${path} is no data folder of ${NAME}: it has ${JSON.stringify(foreign)} and no ${LABEL}; name an empty folder or a new one`,
  );
}

function checkFormat(path: string, text: string): void {
  const { store, format } = labelIn(text);
  if (store !== NAME || !Number.isInteger(format) || Number(format) < 1) {
    throw new Error(`${path} is no data folder of ${NAME}: ${LABEL} says something else`);
  }
  if (Number(format) <= FORMAT) return;
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
