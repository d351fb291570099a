/**
 * A file that becomes a content when it is whole.
 *
 * @module
 */
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { blockSums } from './block-sums.ts';
import type { Draft } from './contents.ts';
import { checkRoom, withRoom } from './disk-room.ts';
import { syncFolder } from './synced-folder.ts';

/** Of a file that is not whole yet. */
const UNFINISHED = '.new';

/** How many bytes are written before room is looked for again: 4 MiB. */
const UNCHECKED = 4 * 1024 ** 2;

export const newId = (): string => randomBytes(16).toString('hex');

export async function fileDraft(folder: string): Promise<Draft> {
  await checkRoom(folder);
  const id = newId();
  const path = join(folder, id);
  const file = await open(path + UNFINISHED, 'wx', 0o600);
  const sums = blockSums();
  let unchecked = 0;

  const keep = async (): Promise<string> => {
    await written(file, sums.trailer());
    await file.datasync();
    await file.close();
    await rename(path + UNFINISHED, path);
    await syncFolder(folder);
    return id;
  };
  return {
    async write(piece) {
      unchecked += piece.length;
      if (unchecked >= UNCHECKED) {
        await checkRoom(folder);
        unchecked = 0;
      }
      const done = withRoom(written(file, piece));
      sums.update(piece);
      await done;
    },
    keep: () => withRoom(keep()),
    async drop() {
      await file.close().catch(() => undefined);
      await removeFile(path + UNFINISHED);
      await removeFile(path);
    },
  };
}

/** One call may write less than it is given. `writeFile` knows that too, at two thirds of the speed. */
async function written(file: FileHandle, piece: Uint8Array): Promise<void> {
  for (let start = 0; start < piece.length; ) {
    const { bytesWritten } = await file.write(piece, start);
    start += bytesWritten;
  }
}

/** What cannot be removed now is removed at the next start. */
export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => undefined);
}
