/**
 * Reads the files of a LevelDB database without LevelDB, and builds a new database from what can be read.
 *
 * LevelDB verifies no checksum of its tables, and ends the process when it merges a table whose names are out of order. So
 * the tables are verified before LevelDB opens them, and it never gets damaged ones. Its own repair is no help: it drops a
 * whole table for a single bad block, and keeps tables whose entries can be listed but not found.
 *
 * @module
 */

import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../values.ts';
import type { DataFolder } from './data-folder.ts';
import { createDatabase, writeInBatches } from './leveldb.ts';

/** A write or a deletion of a record (LevelDB: of a user key). Of entries with the same name, the one with the highest number counts. */
interface Entry {
  readonly name: Buffer;
  readonly number: number;
  /** Undefined for a deletion. */
  readonly value: Buffer | undefined;
}

/** The damaged tables, each in a sentence; none if the list of the tables is damaged itself. */
export async function findDamagedTables(folder: string): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const [name, size] of (await readTablesInUse(folder)) ?? []) {
    const file = await readFile(join(folder, name)).catch(() => undefined);
    const fault = file && tableDamage(file.subarray(0, size));
    if (fault !== undefined) faults.push(`table ${name} of the records is damaged: ${fault}`);
  }
  return faults;
}

/** Every entry that can be read in a table or a log, in no order, as often as it occurs. */
async function* readEntries(folder: string): AsyncGenerator<Entry> {
  const names = await readdir(folder);
  const used = await readTablesInUse(folder);
  for (const name of names.filter((each) => each.endsWith('.ldb'))) {
    if (used && !used.has(name)) continue;
    const file = await readFile(join(folder, name));
    for (const block of dataBlocks(file)) yield* tableEntries(blockContent(file, block));
  }
  for (const name of names.filter((each) => each.endsWith('.log'))) {
    const { texts } = parseLog(await readFile(join(folder, name)));
    for (const text of texts) yield* untilDamage(batchEntries(text));
  }
}

/** The tables with their sizes in bytes; undefined if the list of them is missing or damaged. */
async function readTablesInUse(folder: string): Promise<ReadonlyMap<string, number> | undefined> {
  try {
    const manifest = (await readFile(join(folder, 'CURRENT'), 'utf8')).trimEnd();
    const { texts, isWhole } = parseLog(await readFile(join(folder, manifest)));
    if (!isWhole) return undefined;
    const tables = new Map<number, number>();
    for (const text of texts) applyEdit(text, tables);
    return new Map([...tables].map(([number, size]) => [tableName(number), size]));
  } catch {
    return undefined;
  }
}

const tableName = (number: number): string => `${String(number).padStart(6, '0')}.ldb`;

/** Field 6 deletes a table, field 7 adds one; the others say nothing about tables. */
function applyEdit(text: Buffer, tables: Map<number, number>): void {
  const from = new Cursor(text);
  while (!from.isAtEnd) {
    const field = from.varint();
    if (field === 1) from.counted();
    else if ([2, 3, 4, 9].includes(field)) from.varint();
    else if (field === 5) {
      from.varint();
      from.counted();
    } else if (field === 6) {
      from.varint();
      tables.delete(from.varint());
    } else if (field === 7) {
      from.varint();
      tables.set(from.varint(), from.varint());
      from.counted();
      from.counted();
    } else throw new RangeError(`field ${field} is unknown`);
  }
}

const FOOTER = 48;
const MAGIC = Buffer.from('57fb808b247547db', 'hex');

/** The end of a table names the block of its index, and a block of metadata. */
function parseFooter(file: Buffer): { readonly meta: Extent; readonly index: Extent } | undefined {
  if (file.length < FOOTER || !file.subarray(-MAGIC.length).equals(MAGIC)) return undefined;
  const from = new Cursor(file.subarray(-FOOTER));
  try {
    return { meta: readExtent(from), index: readExtent(from) };
  } catch {
    return undefined;
  }
}

const readExtent = (from: Cursor): Extent => ({ offset: from.varint(), size: from.varint() });

const parseIndex = (file: Buffer, block: Extent): readonly Extent[] =>
  [...blockEntries(blockContent(file, block))].map(([, value]) => readExtent(new Cursor(value)));

function tableDamage(file: Buffer): string | undefined {
  const footer = parseFooter(file);
  if (!footer) return 'it does not end as a table does';
  const { meta, index } = footer;
  const named = [meta, index].filter((block) => isIntact(file, block));
  const blocks = [meta, index, ...named.flatMap((block) => parseIndex(file, block))];
  const bad = blocks.find((block) => !isIntact(file, block));
  return bad && `the ${bad.size + TRAILER} bytes from byte ${bad.offset} do not fit their checksum`;
}

/** The blocks of entries, including damaged ones. If the index is damaged, those up to the first damaged one. */
function dataBlocks(file: Buffer): readonly Extent[] {
  const footer = parseFooter(file);
  if (footer && isIntact(file, footer.index)) return parseIndex(file, footer.index);
  const blocks: Extent[] = [];
  let at = 0;
  for (;;) {
    const block = blockAt(file, at);
    if (!block) return blocks;
    at = block.offset + block.size + TRAILER;
    // The index itself precedes the footer.
    if (at === file.length - FOOTER) return blocks;
    blocks.push(block);
  }
}

/** The keys and values of a block, which ends with the offsets of entries with complete keys, and their number. */
function* blockEntries(block: Buffer): Generator<readonly [key: Buffer, value: Buffer]> {
  if (block.length < 4) return;
  const count = block.readUInt32LE(block.length - 4);
  const end = block.length - 4 - 4 * count;
  if (end < 0) return;
  for (let index = 0; index < count; index++) {
    const next = index + 1 < count ? block.readUInt32LE(end + 4 * (index + 1)) : end;
    const entries = parseEntries(
      block.subarray(0, Math.min(next, end)),
      block.readUInt32LE(end + 4 * index),
    );
    yield* untilDamage(entries);
  }
}

/** Each key is stored as its difference to the one before. */
function* parseEntries(
  bytes: Buffer,
  start: number,
): Generator<readonly [key: Buffer, value: Buffer]> {
  const from = new Cursor(bytes, start);
  let key: Buffer = Buffer.alloc(0);
  while (!from.isAtEnd) {
    const [shared, rest, size] = [from.varint(), from.varint(), from.varint()];
    key = Buffer.concat([key.subarray(0, shared), from.slice(rest)]);
    yield [key, from.slice(size)];
  }
}

/** The items up to the first that cannot be read. */
function* untilDamage<Item>(items: Generator<Item>): Generator<Item> {
  try {
    yield* items;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

const DELETED = 0;
const PUT = 1;

/** Eight bytes after a name: the kind of the entry, and its number. */
const AFTER_NAME = 8;

function* tableEntries(block: Buffer): Generator<Entry> {
  for (const [key, value] of blockEntries(block)) {
    const at = key.length - AFTER_NAME;
    const kind = key[at];
    if (at < 0 || (kind !== DELETED && kind !== PUT)) continue;
    yield {
      name: key.subarray(0, at),
      number: key.readUIntLE(at + 1, 6),
      value: kind === PUT ? value : undefined,
    };
  }
}

/** A batch is a number, a count, and as many entries, numbered from there. */
function* batchEntries(text: Buffer): Generator<Entry> {
  const from = new Cursor(text);
  const first = from.slice(8).readUIntLE(0, 6);
  const count = from.slice(4).readUInt32LE();
  for (let index = 0; index < count; index++) {
    const kind = from.byte();
    const name = from.counted();
    const value = kind === PUT ? from.counted() : undefined;
    yield { name, number: first + index, value };
  }
}

/** In bytes. */
const LOG_BLOCK = 32 * 1024;

/** Before each piece in a log: four bytes of checksum, two of length, one of kind. */
const PIECE_HEADER = 7;

const FULL = 1;
const FIRST = 2;
const LAST = 4;

/** The texts in a log; damage ends the block that it is in. */
function parseLog(file: Buffer): { readonly texts: readonly Buffer[]; readonly isWhole: boolean } {
  const texts: Buffer[] = [];
  let pieces: Buffer[] = [];
  let isWhole = true;
  for (let start = 0; start < file.length; start += LOG_BLOCK) {
    const block = file.subarray(start, start + LOG_BLOCK);
    for (let at = 0; at + PIECE_HEADER <= block.length; ) {
      const end = at + PIECE_HEADER + block.readUInt16LE(at + 4);
      const kind = block.readUInt8(at + 6);
      // An interrupted write is at the end of the file.
      if (end > block.length && start + LOG_BLOCK >= file.length) break;
      if (
        end > block.length ||
        maskedChecksum(block.subarray(at + 6, end)) !== block.readUInt32LE(at)
      ) {
        isWhole = false;
        pieces = [];
        break;
      }
      const isBegun = kind === FULL || kind === FIRST;
      if (isBegun) pieces = [];
      if (isBegun || pieces.length > 0) pieces.push(block.subarray(at + PIECE_HEADER, end));
      if (kind === FULL || (kind === LAST && pieces.length > 0)) {
        texts.push(Buffer.concat(pieces));
        pieces = [];
      }
      at = end;
    }
  }
  return { texts, isWhole };
}

const BYTES = { keyEncoding: 'buffer', valueEncoding: 'buffer' } as const;

/** Replaces the database, of which there is a snapshot; throws if a process has it open. */
export async function repairDatabase({ metadata }: DataFolder): Promise<void> {
  await refuseIfOpen(metadata);
  const fresh = `${metadata}.new`;
  await rm(fresh, { recursive: true, force: true });
  const rescued = await createDatabase<Buffer, Buffer>(fresh, BYTES);
  try {
    await rescued.open();
    await writeInBatches(rescued, readRecords(metadata));
  } finally {
    await rescued.close();
  }
  await rm(metadata, { recursive: true });
  await rename(fresh, metadata);
}

/** With `errorIfExists`, LevelDB takes the lock of an existing database and reads nothing of it. */
async function refuseIfOpen(metadata: string): Promise<void> {
  const database = await createDatabase(metadata, { createIfMissing: false, errorIfExists: true });
  try {
    await database.open();
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (systemCode(cause) === 'LEVEL_LOCKED') throw error;
  } finally {
    await database.close();
  }
}

/** The last entry of each name. Reads the entries twice, to keep only their numbers in memory. */
async function* readRecords(folder: string): AsyncGenerator<readonly [Buffer, Buffer]> {
  const last = new Map<string, number>();
  for await (const { name, number } of readEntries(folder)) {
    const key = name.toString('latin1');
    if (number > (last.get(key) ?? -1)) last.set(key, number);
  }
  for await (const { name, number, value } of readEntries(folder)) {
    const key = name.toString('latin1');
    if (last.get(key) !== number) continue;
    last.delete(key);
    if (value) yield [name, value];
  }
}

/** Reads the parts of a text in turn; throws RangeError at its end. */
class Cursor {
  readonly bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  byte(): number {
    const byte = this.bytes.readUInt8(this.at);
    this.at += 1;
    return byte;
  }

  /** Seven bits in each byte, the lowest first; the highest bit tells that another byte follows. */
  varint(): number {
    let value = 0;
    for (let scale = 1; scale < 2 ** 63; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    throw new RangeError('a number has more than 63 bits');
  }

  slice(length: number): Buffer {
    const end = this.at + length;
    if (end > this.bytes.length) throw new RangeError(`${length} bytes are too many`);
    const slice = this.bytes.subarray(this.at, end);
    this.at = end;
    return slice;
  }

  /** Bytes after their count. */
  counted(): Buffer {
    return this.slice(this.varint());
  }
}

/** The remainders of all bytes by the reversed polynomial of CRC-32C. */
const REMAINDERS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++)
    rest = (rest & 1) === 1 ? (rest >>> 1) ^ 0x82f63b78 : rest >>> 1;
  return rest;
});

/** The state of a CRC-32C before its first byte. */
const INITIAL_STATE = -1;

const nextState = (state: number, byte: number): number =>
  (REMAINDERS[(state ^ byte) & 255] ?? 0) ^ (state >>> 8);

/** As LevelDB writes it: rotated, with a number added, since checksums of checksums are weak. */
function maskSum(state: number): number {
  const sum = ~state >>> 0;
  return (((sum >>> 15) | (sum << 17)) + 0xa282ead8) >>> 0;
}

function maskedChecksum(bytes: Buffer): number {
  let state = INITIAL_STATE;
  for (let at = 0; at < bytes.length; at++) state = nextState(state, bytes[at] ?? 0);
  return maskSum(state);
}

interface Extent {
  readonly offset: number;
  readonly size: number;
}

/** After each block: a byte for its compression, and four of a checksum of both. */
const TRAILER = 5;

const isIntact = (file: Buffer, { offset, size }: Extent): boolean =>
  offset + size + TRAILER <= file.length &&
  maskedChecksum(file.subarray(offset, offset + size + 1)) === file.readUInt32LE(offset + size + 1);

/** The intact block that begins at an offset, found by its checksum. */
function blockAt(file: Buffer, offset: number): Extent | undefined {
  let state = INITIAL_STATE;
  for (let end = offset; end + TRAILER <= file.length; end++) {
    state = nextState(state, file[end] ?? 0);
    if (maskSum(state) === file.readUInt32LE(end + 1)) return { offset, size: end - offset };
  }
  return undefined;
}

/** Of a damaged block, as much as can be read. */
function blockContent(file: Buffer, { offset, size }: Extent): Buffer {
  const stored = file.subarray(offset, offset + size);
  return file[offset + size] === 0 ? stored : decompress(stored);
}

/** In bytes; far above the size of any block that LevelDB writes here. */
const MAX_BLOCK = 64 * 1024 * 1024;

/** Snappy: the length, then pieces, each either bytes or a reference to earlier ones. */
function decompress(stored: Buffer): Buffer {
  const from = new Cursor(stored);
  let text = Buffer.alloc(0);
  let size = 0;
  try {
    text = Buffer.alloc(Math.min(from.varint(), MAX_BLOCK));
    while (!from.isAtEnd && size < text.length) {
      const tag = from.byte();
      const kind = tag & 3;
      if (kind === 0) {
        size += from.slice(literalLength(from, tag >>> 2)).copy(text, size);
        continue;
      }
      const length = kind === 1 ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1;
      const back =
        kind === 1 ? (tag >>> 5) * 256 + from.byte() : readLittleEndian(from, kind === 2 ? 2 : 4);
      if (back === 0 || back > size) break;
      // A piece may copy bytes that it writes itself.
      for (let left = length; left > 0 && size < text.length; left--, size++) {
        text[size] = text[size - back] ?? 0;
      }
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return text.subarray(0, size);
}

const literalLength = (from: Cursor, length: number): number =>
  (length < 60 ? length : readLittleEndian(from, length - 59)) + 1;

const readLittleEndian = (from: Cursor, bytes: number): number =>
  from.slice(bytes).readUIntLE(0, bytes);
