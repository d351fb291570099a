/**
 * Bytes in the files of one folder, whose names are random and made here.
 *
 * @module
 */

import { randomBytes } from 'node:crypto';
import { copyFile, link, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Contents, type Draft, storeIsFull } from './contents.ts';
import { syncFolder } from './synced-folder.ts';

/** Of a file that is not whole yet. */
const UNFINISHED = '.new';

const ID = /^[0-9a-f]{32}$/;
/** No other file is ever touched. */
const OWN_NAME = /^[0-9a-f]{32}(\.new)?$/;

/** Bytes read at a time. */
const PIECE_SIZE = 256 * 1024;

const NO_ROOM = new Set(['ENOSPC', 'EDQUOT']);

const newId = (): string => randomBytes(16).toString('hex');

/** Contents in a folder that is there. */
export function fileContents(folder: string): Contents {
  const pathOf = (id: string): string => {
    if (!ID.test(id)) throw new Error(`${JSON.stringify(id)} is no id of a content`);
    return join(folder, id);
  };
  return {
    draft: () => withRoom(fileDraft(folder)),
    duplicates: (ids) => withRoom(duplicates(ids.map(pathOf), folder)),
    pieces: (id, start, end) => piecesOf(pathOf(id), start, end),
    async remove(name) {
      if (OWN_NAME.test(name)) await removeFile(join(folder, name));
    },
    names: () => readdir(folder),
    size: (id) =>
      stat(pathOf(id)).then(
        ({ size }) => size,
        () => undefined,
      ),
  };
}

async function fileDraft(folder: string): Promise<Draft> {
  const id = newId();
  const path = join(folder, id);
  const file = await open(path + UNFINISHED, 'wx', 0o600);
  const keep = async (): Promise<string> => {
    await file.datasync();
    await file.close();
    await rename(path + UNFINISHED, path);
    await syncFolder(folder);
    return id;
  };
  return {
    write: (piece) => withRoom(file.writeFile(piece)),
    keep: () => withRoom(keep()),
    async drop() {
      await file.close().catch(() => undefined);
      await removeFile(path + UNFINISHED);
      await removeFile(path);
    },
  };
}

async function duplicates(paths: readonly string[], folder: string): Promise<readonly string[]> {
  const made: string[] = [];
  try {
    for (const path of paths) {
      const id = newId();
      made.push(id);
      await duplicate(path, join(folder, id));
    }
    await syncFolder(folder);
    return made;
  } catch (error) {
    for (const id of made) await removeFile(join(folder, id));
    throw error;
  }
}

/** Gives a file a second name; where the file system has no such thing, or too many already, copies it. */
async function duplicate(path: string, newPath: string): Promise<void> {
  const isLinked = await link(path, newPath).then(
    () => true,
    ({ code }) => {
      if (code === 'ENOENT') throw new Error(`content ${path} is missing`);
      return false;
    },
  );
  if (isLinked) return;
  await copyFile(path, newPath);
  const file = await open(newPath, 'r+');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}

async function* piecesOf(
  path: string,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array, void> {
  const file = await open(path, 'r');
  try {
    for (let position = start; position < end; ) {
      const piece = new Uint8Array(Math.min(PIECE_SIZE, end - position));
      const { bytesRead } = await file.read(piece, 0, piece.length, position);
      if (bytesRead === 0)
        throw new Error(`content ${path} ends after ${position} bytes; it was longer`);
      yield piece.subarray(0, bytesRead);
      position += bytesRead;
    }
  } finally {
    await file.close();
  }
}

/** What cannot be removed now is removed at the next start. */
async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => undefined);
}

/** Says it in the words of the service where there is no room. */
async function withRoom<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!NO_ROOM.has(code)) throw error;
    throw storeIsFull(`the disk of the data folder is full (${code}); make room on it`);
  }
}
