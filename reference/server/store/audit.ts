/**
 * Whether the records of a database are those that were acknowledged: all of them, and as they were written.
 *
 * @module
 */
import type { ClassicLevel } from 'classic-level';
import type { DataFolder } from './data-folder.ts';
import { highWaterMark, MARK } from './high-water-mark.ts';
import { CHECKED, CHECKED_OR_PLAIN, checksumOf, type RecordText } from './record-text.ts';
import { type Count, countFrom, NO_RECORDS, TALLY, type Tally } from './tally.ts';

export interface DamagedEntry {
  readonly name: Buffer;
  readonly text: Buffer;
}

export interface Audit {
  /** Each in a sentence; empty where every record that was acknowledged is there. */
  readonly faults: readonly string[];
  readonly damaged: readonly DamagedEntry[];
  /** Of the records that are there and not damaged. */
  readonly tally: Tally;
}

const BYTES = { keyEncoding: 'buffer', valueEncoding: 'buffer' } as const;

export interface Audited {
  readonly folder: DataFolder;
  readonly database: ClassicLevel;
  /** What was found before the database was opened, each in a sentence. */
  readonly damagedTables: readonly string[];
}

/** Records before format 2 have no checksums. */
export const textOf = ({ format }: DataFolder): RecordText =>
  format > 1 ? CHECKED : CHECKED_OR_PLAIN;

/** Reads every record. Without a tally, as before format 2, only damage within a record shows. */
export async function auditOf({ folder, database, damagedTables }: Audited): Promise<Audit> {
  const isTallied = folder.format > 1;
  const { damaged, count, found } = await countRecords(database, textOf(folder));
  const mark = isTallied ? await highWaterMark(folder.path) : 0;
  const tally = count.total(Math.max(found?.writes ?? 0, mark ?? 0));
  const faults = [
    ...damagedTables,
    ...damaged.map(({ name }) => `record ${JSON.stringify(name.toString())} is damaged`),
    ...(isTallied ? tallyFaults(tally, found, damaged.length) : []),
    ...(isTallied ? markFaults(found?.writes, mark) : []),
  ];
  return { faults, damaged, tally };
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
