/**
 * Bytes in the files of one folder, whose names are random and made here.
 *
 * @module
 */
import { copyFile, link, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Contents } from './contents.ts';
import { withRoom } from './disk-room.ts';
import { fileDraft, newId, removeFile } from './file-draft.ts';
import { syncFolder } from './synced-folder.ts';

const ID = /^[0-9a-f]{32}$/;
/** No other file is ever touched. */
const OWN_NAME = /^[0-9a-f]{32}(\.new)?$/;

/** Bytes read at a time. */
const PIECE_SIZE = 256 * 1024;

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
