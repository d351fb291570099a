/**
 * Reads the files of a LevelDB database without LevelDB.
 *
 * LevelDB verifies no checksum of its tables, and ends the process where it merges a table whose names are out of
 * order. So the tables are verified before it opens them, and those that are damaged are never given to it.
 *
 * @module
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  blockAt,
  blockContent,
  Cursor,
  type Extent,
  isIntact,
  maskedSum,
  TRAILER,
} from './leveldb-blocks.ts';

/** A name was given a value, or was deleted; of the same name, the higher number is the later one. */
export interface Entry {
  readonly name: Buffer;
  readonly number: number;
  /** Nothing where the name was deleted. */
  readonly value: Buffer | undefined;
}

/** The tables of a database that are damaged, each in a sentence; none where LevelDB itself cannot know its tables. */
export async function damagedTables(folder: string): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const [name, size] of (await tablesInUse(folder)) ?? []) {
    const file = await readFile(join(folder, name)).catch(() => undefined);
    const fault = file && damageOf(file.subarray(0, size));
    if (fault !== undefined) faults.push(`table ${name} of the records is damaged: ${fault}`);
  }
  return faults;
}

/** Every entry of every table and log that can be read, in no order, as often as it is there. */
export async function* everyEntry(folder: string): AsyncGenerator<Entry> {
  const names = await readdir(folder);
  const used = await tablesInUse(folder);
  for (const name of names.filter((each) => each.endsWith('.ldb'))) {
    if (used && !used.has(name)) continue;
    const file = await readFile(join(folder, name));
    for (const block of dataBlocks(file)) yield* entriesOfTable(blockContent(file, block));
  }
  for (const name of names.filter((each) => each.endsWith('.log'))) {
    const { texts } = logTexts(await readFile(join(folder, name)));
    for (const text of texts) yield* entriesOfBatch(text);
  }
}

/** The tables with their sizes in bytes; nothing where the list of them is missing or damaged. */
async function tablesInUse(folder: string): Promise<ReadonlyMap<string, number> | undefined> {
  try {
    const manifest = (await readFile(join(folder, 'CURRENT'), 'utf8')).trimEnd();
    const { texts, isWhole } = logTexts(await readFile(join(folder, manifest)));
    if (!isWhole) return undefined;
    const tables = new Map<number, number>();
    for (const text of texts) applyEdit(text, tables);
    return new Map([...tables].map(([number, size]) => [tableName(number), size]));
  } catch {
    return undefined;
  }
}

const tableName = (number: number): string => `${String(number).padStart(6, '0')}.ldb`;

/** Takes one change of the list of tables. */
function applyEdit(text: Buffer, tables: Map<number, number>): void {
  const from = new Cursor(text);
  while (!from.isAtEnd) {
    const field = from.varint();
    if (field === 1) from.counted();
    else if (field === 2 || field === 3 || field === 4 || field === 9) from.varint();
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

/** At the end of a table: where the block of its indexes is, and the block that names further ones. */
function footerOf(file: Buffer): { readonly meta: Extent; readonly index: Extent } | undefined {
  if (file.length < FOOTER || !file.subarray(-MAGIC.length).equals(MAGIC)) return undefined;
  const from = new Cursor(file.subarray(-FOOTER));
  try {
    return { meta: extent(from), index: extent(from) };
  } catch {
    return undefined;
  }
}

const extent = (from: Cursor): Extent => ({ offset: from.varint(), size: from.varint() });

/** What a block of indexes names. */
const extentsIn = (file: Buffer, block: Extent): readonly Extent[] =>
  [...entriesOf(blockContent(file, block))].map(([, value]) => extent(new Cursor(value)));

function damageOf(file: Buffer): string | undefined {
  const footer = footerOf(file);
  if (!footer) return 'it does not end as a table does';
  const { meta, index } = footer;
  const named = [meta, index].filter((block) => isIntact(file, block));
  const blocks = [meta, index, ...named.flatMap((block) => extentsIn(file, block))];
  const bad = blocks.find((block) => !isIntact(file, block));
  return bad && `the ${bad.size + TRAILER} bytes from byte ${bad.offset} do not fit their checksum`;
}

/** The blocks of entries, damaged ones too; where the index is damaged, those up to the first damaged one. */
function dataBlocks(file: Buffer): readonly Extent[] {
  const footer = footerOf(file);
  if (footer && isIntact(file, footer.index)) return extentsIn(file, footer.index);
  const blocks: Extent[] = [];
  let at = 0;
  for (;;) {
    const block = blockAt(file, at);
    if (!block) return blocks;
    at = block.offset + block.size + TRAILER;
    // The index itself stands before the footer.
    if (at === file.length - FOOTER) return blocks;
    blocks.push(block);
  }
}

/** The keys and values of a block. It ends with the offsets of entries with whole keys, and their count. */
function* entriesOf(block: Buffer): Generator<readonly [key: Buffer, value: Buffer]> {
  if (block.length < 4) return;
  const count = block.readUInt32LE(block.length - 4);
  const end = block.length - 4 - 4 * count;
  if (end < 0) return;
  for (let index = 0; index < count; index++) {
    const next = index + 1 < count ? block.readUInt32LE(end + 4 * (index + 1)) : end;
    yield* entriesFrom(block.subarray(0, Math.min(next, end)), block.readUInt32LE(end + 4 * index));
  }
}

/** Each key is written as what differs from the one before. What cannot be read ends them. */
function* entriesFrom(
  bytes: Buffer,
  start: number,
): Generator<readonly [key: Buffer, value: Buffer]> {
  const from = new Cursor(bytes, start);
  let key: Buffer = Buffer.alloc(0);
  try {
    while (!from.isAtEnd) {
      const [shared, rest, size] = [from.varint(), from.varint(), from.varint()];
      key = Buffer.concat([key.subarray(0, shared), from.slice(rest)]);
      yield [key, from.slice(size)];
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

const DELETED = 0;
const PUT = 1;

/** Eight bytes after a name: whether it was put or deleted, and the number of that. */
const AFTER_NAME = 8;

function* entriesOfTable(block: Buffer): Generator<Entry> {
  for (const [key, value] of entriesOf(block)) {
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

/** What was written at once: a number, a count, and as many entries with the numbers from there. */
function* entriesOfBatch(text: Buffer): Generator<Entry> {
  const from = new Cursor(text);
  try {
    const first = from.slice(8).readUIntLE(0, 6);
    const count = from.slice(4).readUInt32LE();
    for (let index = 0; index < count; index++) {
      const kind = from.byte();
      const name = from.counted();
      const value = kind === PUT ? from.counted() : undefined;
      yield { name, number: first + index, value };
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

/** Bytes of a block of a log. */
const LOG_BLOCK = 32 * 1024;

/** Of a piece in a log: four bytes of its checksum, two of its length, one of its kind. */
const HEADER = 7;

const FULL = 1;
const FIRST = 2;
const LAST = 4;

/** The texts in a log; what is damaged ends the block that it is in. */
function logTexts(file: Buffer): { readonly texts: readonly Buffer[]; readonly isWhole: boolean } {
  const texts: Buffer[] = [];
  let pieces: Buffer[] = [];
  let isWhole = true;
  for (let start = 0; start < file.length; start += LOG_BLOCK) {
    const block = file.subarray(start, start + LOG_BLOCK);
    for (let at = 0; at + HEADER <= block.length; ) {
      const end = at + HEADER + block.readUInt16LE(at + 4);
      const kind = block.readUInt8(at + 6);
      // A write that was cut short is at the end of the file.
      if (end > block.length && start + LOG_BLOCK >= file.length) break;
      if (end > block.length || maskedSum(block.subarray(at + 6, end)) !== block.readUInt32LE(at)) {
        isWhole = false;
        pieces = [];
        break;
      }
      const isBegun = kind === FULL || kind === FIRST;
      if (isBegun) pieces = [];
      if (isBegun || pieces.length > 0) pieces.push(block.subarray(at + HEADER, end));
      if (kind === FULL || (kind === LAST && pieces.length > 0)) {
        texts.push(Buffer.concat(pieces));
        pieces = [];
      }
      at = end;
    }
  }
  return { texts, isWhole };
}
