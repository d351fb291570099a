/**
 * What a start does before anything is served: it finds out whether every acknowledged record is there, and removes
 * nothing that a missing record may have named.
 *
 * @module
 */
import type { ClassicLevel } from 'classic-level';
import type { Context } from '../../signing/index.ts';
import { type Audit, type Audited, auditOf, countRecords } from './audit.ts';
import { unnamed } from './check.ts';
import type { Contents } from './contents.ts';
import type { DataFolder } from './data-folder.ts';
import { isContent } from './file-contents.ts';
import { LOST_AND_FOUND, lostAndFound } from './lost-and-found.ts';
import { CHECKED } from './record-text.ts';
import type { Records } from './records.ts';
import { dropSnapshot, keepSnapshot } from './snapshot.ts';
import { TALLY, type Tally } from './tally.ts';
import { upgradeContents, upgradeRecords } from './upgrade.ts';

export interface Recovery {
  /** What the next write goes on from. */
  readonly tally: Tally;
  /** What was wrong, each in a sentence. */
  readonly report: readonly string[];
}

export interface Opened extends Audited {
  readonly records: Records;
  readonly contents: Contents;
}

/** Brings a folder into a state that can be served; loses nothing, and reports all that is not as it was. */
export async function recovered(opened: Opened, context: Context): Promise<Recovery> {
  const { folder, database, records } = opened;
  const isChecked = folder.format > 1;
  const audit = await auditOf(opened);
  const inContents = isChecked ? [] : await upgradeContents(records, folder, context);
  const report = await clearedUp(opened, audit, [...audit.faults, ...inContents]);
  if (isChecked && audit.faults.length === 0) {
    await dropSnapshot(folder);
    return { tally: audit.tally, report };
  }
  const tally = await newTally(database, audit);
  await dropSnapshot(folder);
  return { tally, report };
}

/** Removes what came in when the process ended, or moves it where it may be something else. */
async function clearedUp(
  { folder, records, contents }: Opened,
  { damaged }: Audit,
  faults: readonly string[],
): Promise<readonly string[]> {
  const strays = await unnamed(records, contents);
  const areLeftovers = faults.length === 0 && folder.format > 1;
  const lost = areLeftovers ? [] : strays.filter(isContent);
  if (faults.length > 0 || lost.length > 0) {
    const place = await lostAndFound(folder);
    await place.note(faults);
    await place.keepRecords(damaged);
    await place.keepContents(lost);
  }
  const leftovers = areLeftovers ? strays : strays.filter((name) => !isContent(name));
  for (const name of leftovers) await contents.remove(name);
  if (faults.length > 0) return [await damageReport(folder, faults, damaged.length, lost.length)];
  return lost.length > 0 ? [strayReport(folder, lost.length)] : [];
}

/** More of them are in the file of `lost+found`. */
const SHOWN = 3;

async function damageReport(
  folder: DataFolder,
  faults: readonly string[],
  records: number,
  contents: number,
): Promise<string> {
  const more = faults.length > SHOWN ? `; ${faults.length - SHOWN} more` : '';
  const name = await keepSnapshot(folder);
  const database = name === undefined ? '' : `, and ${name}, the database as it was`;
  return `${folder.path} was damaged: ${faults.slice(0, SHOWN).join('; ')}${more}; ${LOST_AND_FOUND} in it has ${contents} contents without a record and ${records} damaged records${database}`;
}

function strayReport({ path }: DataFolder, contents: number): string {
  return `${contents} contents without a record were moved to ${LOST_AND_FOUND} in ${path}: nothing in it showed whether records are missing`;
}

/** Takes the records as they are from here on. */
async function newTally(database: ClassicLevel, { damaged, tally }: Audit): Promise<Tally> {
  const names = damaged.map(({ name }) => ({ type: 'del', key: name }) as const);
  await database.batch<Buffer, string>(names, { keyEncoding: 'buffer' });
  // What is damaged may look like a record without a checksum.
  await upgradeRecords(database);
  const total = (await countRecords(database, CHECKED)).count.total(tally.writes + 1);
  await database.put<string, string>(TALLY, CHECKED.encode(TALLY, total), {
    valueEncoding: 'utf8',
    sync: true,
  });
  return total;
}
