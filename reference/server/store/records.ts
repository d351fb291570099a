/**
 * Records in a database of sorted names.
 *
 * @module
 */

import { hash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClassicLevel } from 'classic-level';
import { parseJson, systemCode } from '../../values.ts';
import { fileError } from '../messages/errors.ts';
import type { NameRange } from './entries.ts';

export type Change =
  | { readonly type: 'put'; readonly key: string; readonly value: unknown }
  | { readonly type: 'del'; readonly key: string };

export interface Records {
  readonly read: <T>(name: string) => Promise<T | undefined>;
  readonly list: <T>(range: NameRange, limit?: number) => Promise<readonly T[]>;
  /** Reads one by one, for lists that may not fit into memory; leaves out damaged records. */
  readonly walk: <T>(range: NameRange) => AsyncIterable<T>;
  /** Makes all the changes or none. */
  readonly commit: (changes: readonly Change[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

const ENTRIES = { keyEncoding: 'buffer', valueEncoding: 'utf8' } as const;

type Entry = readonly [name: string | Buffer, text: string];

/** A value that was stored under a name. Its type follows from the name, which the checksum in a database covers. */
export const trustRecord = <T>(value: unknown): T => value as T;

/** @param write makes changes durable; without it, records can only be read */
export function createRecords(
  database: ClassicLevel,
  decodeText: DecodeRecord,
  write: Write = () => Promise.reject(new Error('these records cannot be written')),
): Records {
  const decode = <T>([name, text]: Entry): T => trustRecord(decodeText(name.toString(), text));
  const iterate = (range: NameRange, limit = Number.POSITIVE_INFINITY) =>
    database.iterator<Buffer, string>({ ...range, ...ENTRIES, limit });
  return {
    read: <T>(name: string) =>
      explainDamage(async () => {
        // Synchronously: the data is usually in memory, so a read is faster than a switch of threads.
        const text = database.getSync(name);
        return text === undefined ? undefined : decode<T>([name, text]);
      }),
    list: <T>(range: NameRange, limit?: number) =>
      explainDamage(async () => (await iterate(range, limit).all()).map(decode<T>)),
    async *walk<T>(range: NameRange) {
      for await (const entry of iterate(range)) {
        try {
          yield decode<T>(entry);
        } catch (error) {
          if (!(error instanceof DamagedRecord)) throw error;
        }
      }
    },
    commit: (changes) => write([...changes]),
    close: () => database.close(),
  };
}

/** Reports damage with its own error instead of an internal error. */
async function explainDamage<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const isDamaged = error instanceof DamagedRecord;
    if (!isDamaged && systemCode(error) !== 'LEVEL_CORRUPTION') throw error;
    const how = isDamaged ? error.message : 'its records cannot be read';
    throw fileError('damaged', `${how}; restart the server to recover the rest`);
  }
}

export type DecodeRecord = (name: string, text: string) => unknown;

/** A record whose text does not fit its checksum. */
class DamagedRecord extends Error {
  override readonly name = 'DamagedRecord';
}

/** The length of a checksum in characters: 128 bits in hexadecimal. */
const CHECKSUM_LENGTH = 32;

/** JSON with a checksum before it, which covers the name too, so that no record is taken for another. */
export function encodeRecord(name: string, value: unknown): string {
  const json = JSON.stringify(value);
  return computeChecksum(name, json) + json;
}

/** @throws DamagedRecord if the text was not written under this name */
export const decodeRecord: DecodeRecord = (name, text) => parseJson(checkRecord(name, text));

/**
 * The JSON of a record.
 *
 * @throws DamagedRecord if the text was not written under this name
 */
export function checkRecord(name: string, text: string): string {
  const json = text.slice(CHECKSUM_LENGTH);
  if (checksumOf(text) === computeChecksum(name, json)) return json;
  throw new DamagedRecord(`the record ${JSON.stringify(name)} does not fit its checksum`);
}

/** Also reads format 1, in which records have no checksum. */
export function decodeAnyFormat(name: string, text: string): unknown {
  if (!isPlain(text)) return decodeRecord(name, text);
  try {
    return parseJson(text);
  } catch {
    throw new DamagedRecord(`the record ${JSON.stringify(name)} is no JSON`);
  }
}

/** The checksum at the start of the text of a record. */
export const checksumOf = (text: string): string => text.slice(0, CHECKSUM_LENGTH);

/** Whether a text is JSON of an object, an array or a string, and so has no checksum. */
export const isPlain = (text: string): boolean => /^[{["]/.test(text);

function computeChecksum(name: string, json: string): string {
  return hash('sha256', `${name}\0${json}`, 'hex').slice(0, CHECKSUM_LENGTH);
}

type Write = (changes: Change[]) => Promise<void>;

/**
 * Only one write runs at a time. Changes that arrive in the meantime are written together in the next one.
 *
 * After a failure, such as a full disk, the log of LevelDB may end in half a record. LevelDB would append further ones, and
 * not find them at the next start; so after a failure all writes fail.
 */
export function groupWrites(write: Write): Write {
  let waiting: Change[][] = [];
  let written: Promise<void> = Promise.resolve();

  const next = async (before: Promise<void>): Promise<void> => {
    let group: Change[][] = [];
    try {
      await before;
    } finally {
      group = waiting;
      waiting = [];
    }
    await write(group.flat());
  };
  return (changes) => {
    waiting.push(changes);
    if (waiting.length === 1) written = next(written);
    return written;
  };
}

/** Writes all changes or none. Only one call may run at a time, and none after a failure. */
export function tallyWrites(
  database: ClassicLevel,
  start: Tally,
  mark: Pick<HighWaterMark, 'raise'>,
): (changes: readonly Change[]) => Promise<void> {
  let tally = start;
  return async (changes) => {
    // Of several changes of one record, the last counts.
    const last = new Map(changes.map((change) => [change.key, change] as const));
    const next = [...last.values()].map((change) =>
      change.type === 'del' ? change : { ...change, value: encodeRecord(change.key, change.value) },
    );
    const before = [...last.keys()].map((name) => database.getSync(name));
    const count = new Count(tally);
    for (const text of before) if (text !== undefined) count.add(checksumOf(text), -1);
    for (const change of next) if (change.type === 'put') count.add(checksumOf(change.value));
    const total = count.total(tally.writes + 1);
    const tallied = { type: 'put', key: TALLY, value: encodeRecord(TALLY, total) } as const;
    await database.batch([...next, tallied], { sync: true });
    tally = total;
    mark.raise(total.writes);
  };
}

export interface Tally {
  /** The number of writes, each of one or more changes. */
  readonly writes: number;
  readonly records: number;
  /** The exclusive or of the checksums of all records, in hexadecimal. */
  readonly sum: string;
}

/** The name of the tally, which sorts after all names of records and is in none of their ranges. */
export const TALLY = 'zz-tally';

/** Counts records for a tally. */
export class Count {
  #records: number;
  #sum: bigint;

  constructor({ records, sum }: Pick<Tally, 'records' | 'sum'> = { records: 0, sum: '0' }) {
    this.#records = records;
    this.#sum = parseChecksum(sum);
  }

  /** @param change -1 for a record that is removed */
  add(checksum: string, change: 1 | -1 = 1): void {
    this.#records += change;
    this.#sum ^= parseChecksum(checksum);
  }

  total(writes: number): Tally {
    return { writes, records: this.#records, sum: this.#sum.toString(16) };
  }
}

/** A checksum as a number; zero for a damaged one, so that the tally does not match. */
function parseChecksum(hexadecimal: string): bigint {
  return /^[0-9a-f]{1,32}$/.test(hexadecimal) ? BigInt(`0x${hexadecimal}`) : 0n;
}

export const MARK = 'acknowledged';

/** The length of every mark, so that each write overwrites the previous one completely. */
const MARK_LENGTH = 64;

interface HighWaterMark {
  readonly raise: (writes: number) => void;
  readonly close: () => Promise<void>;
}

/** Reads the mark; undefined if the file is missing or damaged. */
export async function readMark(folder: string): Promise<number | undefined> {
  try {
    const text = await readFile(join(folder, MARK), 'utf8');
    const writes = Number(decodeRecord(MARK, text.trimEnd()));
    return text === markText(writes) ? writes : undefined;
  } catch {
    return undefined;
  }
}

export async function openMark(folder: string, writes: number): Promise<HighWaterMark> {
  const path = join(folder, MARK);
  const file = await open(path, 'r+').catch(() => open(path, 'w+', 0o600));
  await file.truncate(MARK_LENGTH);
  await file.write(markText(writes), 0);
  await file.sync();
  return {
    raise(count) {
      try {
        // Without a change of threads, which takes longer than the write into the page cache.
        writeSync(file.fd, markText(count), 0);
      } catch {
        // It does no harm: the write itself is on disk, and a low mark shows less.
      }
    },
    async close() {
      await file.sync().catch(() => undefined);
      await file.close();
    },
  };
}

const markText = (writes: number): string =>
  `${encodeRecord(MARK, writes).padEnd(MARK_LENGTH - 1)}\n`;
