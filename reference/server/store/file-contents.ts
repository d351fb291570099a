/**
 * Bytes in the files of one folder, whose names are random and made here.
 *
 * @module
 */
import { copyFile, type FileHandle, link, open, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { FILE_ERRORS, serviceError } from '../errors.ts';
import { BLOCK, blockCheck, sizeBefore } from './block-sums.ts';
import type { Contents } from './contents.ts';
import { withRoom } from './disk-room.ts';
import { fileDraft, newId, removeFile } from './file-draft.ts';
import { syncFolder } from './synced-folder.ts';

const ID = /^[0-9a-f]{32}$/;

/** Whether a name in the folder is that of a content, and not of one that came in when the process ended. */
export const isContent = (name: string): boolean => ID.test(name);

/** No other file is ever touched. */
const OWN_NAME = /^[0-9a-f]{32}(\.new)?$/;

/** Bytes read at a time: whole blocks. */
const PIECE_SIZE = 4 * BLOCK;

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
        ({ size }) => sizeBefore(size),
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

/** Each block is checked before any byte of it is handed on. */
async function* piecesOf(
  path: string,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array, void> {
  const file = await open(path, 'r');
  try {
    const { size: length } = await file.stat();
    const size = sizeBefore(length);
    const isWhole = await blockCheck(file, length).catch((error) => {
      throw damaged(path, error.message);
    });
    for (let position = start - (start % BLOCK); position < end; ) {
      const piece = await pieceAt(file, position, Math.min(PIECE_SIZE, size - position));
      if (piece.length === 0) throw damaged(path, `it ends after ${position} bytes`);
      checkBlocks(path, piece, position, isWhole);
      yield piece.subarray(Math.max(0, start - position), end - position);
      position += piece.length;
    }
  } finally {
    await file.close();
  }
}

/** One call may read less than is asked for. */
async function pieceAt(file: FileHandle, position: number, size: number): Promise<Uint8Array> {
  const piece = new Uint8Array(Math.max(0, size));
  let filled = 0;
  while (filled < piece.length) {
    const { bytesRead } = await file.read(piece, filled, piece.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return piece.subarray(0, filled);
}

function checkBlocks(
  path: string,
  piece: Uint8Array,
  position: number,
  isWhole: (block: Uint8Array, number: number) => boolean,
): void {
  for (let at = 0; at < piece.length; at += BLOCK) {
    if (isWhole(piece.subarray(at, at + BLOCK), (position + at) / BLOCK)) continue;
    const last = Math.min(at + BLOCK, piece.length) - 1;
    throw damaged(path, `its bytes ${position + at} to ${position + last} have changed`);
  }
}

function damaged(path: string, how: string): Error {
  return serviceError(FILE_ERRORS.damaged, `content ${basename(path)} is damaged: ${how}`);
}
