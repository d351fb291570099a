/**
 * Contents as files in one folder, with random names. The id of a small content is its bytes.
 *
 * @module
 */

import { randomBytes } from 'node:crypto';
import {
  copyFile,
  type FileHandle,
  link,
  open,
  readdir,
  rename,
  stat,
  statfs,
  unlink,
} from 'node:fs/promises';
import { basename, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { errorMessage, systemCode } from '../../values.ts';
import { fileError, storeFull } from '../messages/errors.ts';
import type { Contents, Draft } from './contents.ts';

const ID = /^[0-9a-f]{32}$/;

/** Whether this is the name of a finished content. */
export const isContent = (name: string): boolean => ID.test(name);

const UNFINISHED = '.new';

/** The names of finished and unfinished contents. No other files are ever removed. */
const OWN_NAME = /^[0-9a-f]{32}(\.new)?$/;

/** The size of a block with a checksum: 64 KiB. Changing it would change the format of the folder. */
const BLOCK = 64 * 1024;

/** The number of bytes that are read at a time; a multiple of the block size. */
const PIECE_SIZE = 4 * BLOCK;

export class FileContents implements Contents {
  readonly #path: string;
  /** Makes the names in the folder durable. */
  readonly #sync: () => Promise<void>;
  /** Call before you write so many bytes. Throws if only the reserved space is left. */
  readonly #checkRoom: (bytes: number) => Promise<void>;

  constructor(path: string) {
    this.#path = path;
    this.#sync = shareSyncs(() => syncFolder(path));
    this.#checkRoom = createRoomCheck(path);
  }

  keep(bytes: Uint8Array, isPart: boolean): Promise<string> {
    const isFile = isPart || bytes.length > LARGEST_INLINE;
    return withRoom(isFile ? this.#keepFile(bytes) : this.#keepInline(bytes));
  }

  draft(): Promise<Draft> {
    return withRoom(this.#createDraft());
  }

  duplicates(ids: readonly string[]): Promise<readonly string[]> {
    return withRoom(this.#duplicate(ids));
  }

  pieces(id: string, start: number, end: number): AsyncGenerator<Uint8Array, void> {
    return isInline(id) ? readInline(id, start, end) : readPieces(this.#pathOf(id), start, end);
  }

  bytesInMemory(id: string, start: number, end: number): Uint8Array | undefined {
    return isInline(id) ? inlineBytes(id).subarray(start, end) : undefined;
  }

  async remove(name: string): Promise<void> {
    if (OWN_NAME.test(name)) await removeFile(join(this.#path, name));
  }

  names(): Promise<readonly string[]> {
    return readdir(this.#path);
  }

  async size(id: string): Promise<number | undefined> {
    if (isInline(id)) return inlineBytes(id).length;
    const found = await stat(this.#pathOf(id)).catch(() => undefined);
    return found && sizeBefore(found.size);
  }

  #pathOf(id: string): string {
    if (!ID.test(id)) throw new Error(`${JSON.stringify(id)} is not the id of a content`);
    return join(this.#path, id);
  }

  async #keepInline(bytes: Uint8Array): Promise<string> {
    await this.#checkRoom(bytes.length);
    const { buffer, byteOffset, byteLength } = bytes;
    return INLINE + Buffer.from(buffer, byteOffset, byteLength).toString('base64');
  }

  async #keepFile(bytes: Uint8Array): Promise<string> {
    const draft = await this.#createDraft();
    try {
      await draft.write(bytes);
      return await draft.keep();
    } catch (error) {
      await draft.drop();
      throw error;
    }
  }

  async #createDraft(): Promise<Draft> {
    await this.#checkRoom(0);
    const id = newId();
    const path = join(this.#path, id);
    const file = await open(path + UNFINISHED, 'wx', 0o600);
    const sums = blockSums();
    const write = async (piece: Uint8Array): Promise<void> => {
      await this.#checkRoom(piece.length);
      const done = writeAll(file, piece);
      sums.update(piece);
      await done;
    };
    const keep = async (): Promise<string> => {
      await writeAll(file, sums.trailer());
      await file.datasync();
      await file.close();
      await rename(path + UNFINISHED, path);
      await this.#sync();
      return id;
    };
    return {
      write: (piece) => withRoom(write(piece)),
      keep: () => withRoom(keep()),
      async drop() {
        await file.close().catch(() => undefined);
        await removeFile(path + UNFINISHED);
        await removeFile(path);
      },
    };
  }

  /** Copies the files. An inline content keeps its id, which contains the bytes. */
  async #duplicate(ids: readonly string[]): Promise<readonly string[]> {
    const copies = ids.map((id) => (isInline(id) ? id : newId()));
    const files = copies.filter((id) => !isInline(id));
    try {
      for (const [at, id] of ids.entries()) {
        if (!isInline(id)) await duplicateFile(this.#pathOf(id), this.#pathOf(copies[at] ?? ''));
      }
      if (files.length > 0) await this.#sync();
      return copies;
    } catch (error) {
      for (const id of files) await this.remove(id);
      throw error;
    }
  }
}

/*
 * A small content is kept in the record that names it: its id is the bytes themselves. So storing it needs only the sync of
 * the record, which other records may share, and the checksum of the record covers it.
 */

/** In bytes. The limit is low, because listings read whole records. */
const LARGEST_INLINE = 2 * 1024;

/** The prefix of an id that contains the bytes in Base64. */
const INLINE = '=';

const isInline = (id: string): boolean => id.startsWith(INLINE);

const inlineBytes = (id: string): Uint8Array => Buffer.from(id.slice(INLINE.length), 'base64');

async function* readInline(
  id: string,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array, void> {
  if (start < end) yield inlineBytes(id).subarray(start, end);
}

const newId = (): string => randomBytes(16).toString('hex');

/** Calls during a sync share the next sync, because the running one may miss their writes. */
function shareSyncs(sync: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | undefined;
  return () => {
    const begin = (): Promise<void> => {
      waiting = undefined;
      return sync();
    };
    waiting ??= last = last.then(begin, begin);
    return waiting;
  };
}

/** Links a file, or copies it if linking fails, such as on a file system without links or beyond its maximum number of links. */
async function duplicateFile(path: string, newPath: string): Promise<void> {
  const isLinked = await link(path, newPath).then(
    () => true,
    (error: unknown) => {
      if (systemCode(error) === 'ENOENT') throw new Error(`content ${path} is missing`);
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

/** Verifies each block before it yields any byte of it. */
async function* readPieces(
  path: string,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array, void> {
  const file = await open(path, 'r');
  try {
    const { size: length } = await file.stat();
    const size = sizeBefore(length);
    const isWhole = await blockCheck(file, length).catch((error: unknown) => {
      throw damageError(path, errorMessage(error));
    });
    for (let position = start - (start % BLOCK); position < end; ) {
      const piece = await readPiece(file, position, size);
      if (piece.length === 0) throw damageError(path, `it ends after ${position} bytes`);
      checkBlocks(path, piece, position, isWhole);
      yield piece.subarray(Math.max(0, start - position), end - position);
      position += piece.length;
    }
  } finally {
    await file.close();
  }
}

/** Reads the next bytes up to `end`. Goes on until the buffer is full or the file ends, because a single call may read less. */
export async function readPiece(
  file: FileHandle,
  position: number,
  end: number,
): Promise<Uint8Array> {
  const piece = new Uint8Array(Math.max(0, Math.min(PIECE_SIZE, end - position)));
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
    throw damageError(path, `its bytes ${position + at} to ${position + last} have changed`);
  }
}

function damageError(path: string, how: string): Error {
  return fileError('damaged', `content ${basename(path)} is damaged: ${how}`);
}

/** Makes the names in a folder durable. Windows does it by itself, and cannot open folders. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Writes all bytes, because a single call may write less. `writeFile` reaches only two thirds of this speed. */
async function writeAll(file: FileHandle, piece: Uint8Array): Promise<void> {
  for (let start = 0; start < piece.length; ) {
    const { bytesWritten } = await file.write(piece, start);
    start += bytesWritten;
  }
}

/** Removes a file. If that fails, the next start removes it. */
async function removeFile(path: string): Promise<void> {
  await unlink(path).catch(() => undefined);
}

/** The space that is reserved for records, 64 MiB: without free space, a database cannot even delete. */
const RESERVE = 64 * 1024 ** 2;

const NO_ROOM = new Set(['ENOSPC', 'EDQUOT']);

/** The free space is checked again after this many bytes (4 MiB) or milliseconds. */
const UNCHECKED_BYTES = 4 * 1024 ** 2;
const UNCHECKED_TIME = 100;

/** Creates a function that throws if only the reserved space is left. */
function createRoomCheck(folder: string): (bytes: number) => Promise<void> {
  let written = 0;
  let checked = Number.NEGATIVE_INFINITY;
  return async (bytes) => {
    written += bytes;
    if (written < UNCHECKED_BYTES && performance.now() - checked < UNCHECKED_TIME) return;
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < RESERVE) {
      throw storeFull(
        `the disk of the data folder has ${bavail * bsize} bytes left, but ${RESERVE} are reserved for its records; delete files, or make room`,
      );
    }
    written = 0;
    checked = performance.now();
  };
}

/** Converts the error of a full disk to an error of the service. */
async function withRoom<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined || !NO_ROOM.has(code)) throw error;
    throw storeFull(`the disk of the data folder is full (${code}); make room on it`);
  }
}

const SUM_LENGTH = 4;

export interface BlockSums {
  readonly update: (piece: Uint8Array) => void;
  /** The checksums, which follow the bytes in the file. */
  readonly trailer: () => Buffer;
}

export function blockSums(): BlockSums {
  const sums: number[] = [];
  let size = 0;
  let current = 0;
  return {
    update(piece) {
      for (let start = 0; start < piece.length; ) {
        const part = piece.subarray(start, start + BLOCK - (size % BLOCK));
        current = crc32(part, current);
        size += part.length;
        start += part.length;
        if (size % BLOCK > 0) continue;
        sums.push(current);
        current = 0;
      }
    },
    trailer: () => createTrailer(size % BLOCK > 0 ? [...sums, current] : sums, size),
  };
}

function createTrailer(sums: readonly number[], size: number): Buffer {
  const trailer = Buffer.alloc((sums.length + 1) * SUM_LENGTH);
  for (const [at, sum] of sums.entries()) trailer.writeUInt32LE(sum, at * SUM_LENGTH);
  trailer.writeUInt32LE(totalSum(trailer.subarray(0, -SUM_LENGTH), size), sums.length * SUM_LENGTH);
  return trailer;
}

/** The checksum of the checksums. It includes the size, so that a file that was cut between blocks is detected. */
function totalSum(sums: Uint8Array, size: number): number {
  return crc32(String(size), crc32(sums));
}

/** The size of the content in a file of this length, without the checksums. */
export function sizeBefore(length: number): number {
  return Math.max(
    0,
    length - SUM_LENGTH * (Math.ceil((length - SUM_LENGTH) / (BLOCK + SUM_LENGTH)) + 1),
  );
}

/** Returns a function that verifies a block by its number. Throws if the checksums themselves are damaged. */
export async function blockCheck(
  file: FileHandle,
  length: number,
): Promise<(block: Uint8Array, number: number) => boolean> {
  const size = sizeBefore(length);
  const trailer = Buffer.alloc(length - size);
  await file.read(trailer, 0, trailer.length, size);
  const sums = trailer.subarray(0, -SUM_LENGTH);
  const isWhole =
    trailer.length >= SUM_LENGTH && trailer.readUInt32LE(sums.length) === totalSum(sums, size);
  if (!isWhole) throw new Error('the checksums at its end are damaged');
  return (block, number) =>
    (number + 1) * SUM_LENGTH <= sums.length &&
    sums.readUInt32LE(number * SUM_LENGTH) === crc32(block);
}
