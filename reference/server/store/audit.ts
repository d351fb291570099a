/**
 * Whether the records of a database are those that were acknowledged: all of them, and as they were written.
 *
 * @module
 */
import type { ClassicLevel } from 'classic-level';
import { highWaterMark, MARK } from './high-water-mark.ts';
import { checksumOf, type RecordText } from './record-text.ts';
import { type Count, countFrom, NO_RECORDS, TALLY, type Tally } from './tally.ts';

export interface DamagedEntry {
  readonly name: Buffer;
  readonly text: Buffer;
}

export interface Audit {
  /** Each in a sentence; empty where every record that was acknowledged is there. */
  readonly faults: readonly string[];
  readonly damaged: readonly DamagedEntry[];
  /** Records that are listed, but not found by their names: the tables' indexes and filters have no checksum that is verified. */
  readonly unfindable: readonly DamagedEntry[];
  /** Of the records that are there and not damaged. */
  readonly tally: Tally;
}

/** Records that are looked up at a time. */
const MOST = 1000;

const BYTES = { keyEncoding: 'buffer', valueEncoding: 'buffer' } as const;

/**
 * Whether every record is as it was written, and stands in the order of names.
 *
 * LevelDB ends the process where it merges tables whose names are out of order, as it does now and then by itself once records are
 * looked up. So a database that is not sound is made anew before anything else is done with it.
 */
export async function isSound(database: ClassicLevel, text: RecordText): Promise<boolean> {
  let last: Buffer = Buffer.alloc(0);
  for await (const [name, value] of database.iterator<Buffer, Buffer>(BYTES)) {
    if (Buffer.compare(last, name) >= 0) return false;
    last = name;
    try {
      text.decode(name.toString(), value.toString());
    } catch {
      return false;
    }
  }
  return true;
}

/** Reads every record. Without a tally, as before format 2, only damage within a record shows. */
export async function auditOf(
  database: ClassicLevel,
  folder: string,
  text: RecordText,
  isTallied: boolean,
): Promise<Audit> {
  const { damaged, count, found } = await countRecords(database, text);
  const unfindable = await unfindableIn(database);
  const mark = isTallied ? await highWaterMark(folder) : 0;
  const tally = count.total(Math.max(found?.writes ?? 0, mark ?? 0));
  const faults = [
    ...damaged.map(({ name }) => `record ${JSON.stringify(name.toString())} is damaged`),
    ...unfindable.map(
      ({ name }) => `record ${JSON.stringify(name.toString())} is not found by its name`,
    ),
    ...(isTallied ? tallyFaults(tally, found, damaged.length) : []),
    ...(isTallied ? markFaults(found?.writes, mark) : []),
  ];
  return { faults, damaged, unfindable, tally };
}

interface Counted {
  readonly damaged: readonly DamagedEntry[];
  readonly count: Count;
  /** The tally that was written last. */
  readonly found: Tally | undefined;
}

export async function countRecords(database: ClassicLevel, text: RecordText): Promise<Counted> {
  const damaged: DamagedEntry[] = [];
  const count = countFrom(NO_RECORDS);
  let found: Tally | undefined;
  for await (const [name, value] of database.iterator<Buffer, Buffer>(BYTES)) {
    const written = value.toString();
    try {
      const record = text.decode(name.toString(), written);
      if (name.toString() === TALLY) found = record as Tally;
      else count.add(checksumOf(written));
    } catch {
      damaged.push({ name, text: value });
    }
  }
  return { damaged, count, found };
}

async function unfindableIn(database: ClassicLevel): Promise<readonly DamagedEntry[]> {
  const unfindable: DamagedEntry[] = [];
  let waiting: DamagedEntry[] = [];
  const lookUp = async (): Promise<void> => {
    const names = waiting.map(({ name }) => name);
    const texts = await database.getMany<Buffer, Buffer>(names, BYTES);
    unfindable.push(...waiting.filter(({ text }, at) => texts[at]?.equals(text) !== true));
    waiting = [];
  };
  for await (const [name, text] of database.iterator<Buffer, Buffer>(BYTES)) {
    waiting.push({ name, text });
    if (waiting.length === MOST) await lookUp();
  }
  await lookUp();
  return unfindable;
}

function tallyFaults(tally: Tally, found: Tally | undefined, damaged: number): readonly string[] {
  if (found === undefined) {
    return ['the tally of the records is missing or damaged: records may be missing'];
  }
  const missing = found.records - tally.records - damaged;
  if (missing > 0) return [`${missing} of ${found.records} records are missing`];
  if (missing < 0) return [`${-missing} records are there that were deleted`];
  if (damaged > 0 || tally.sum === found.sum) return [];
  return ['records are there that were replaced, in the place of later ones'];
}

function markFaults(writes: number | undefined, mark: number | undefined): readonly string[] {
  if (mark === undefined) {
    return [`the file ${MARK} is missing or damaged: the last writes may be missing`];
  }
  if (writes === undefined || writes >= mark) return [];
  return [`the last ${mark - writes} acknowledged writes are missing`];
}
