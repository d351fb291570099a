/**
 * LevelDB, which only data folders need: an optional package with machine code.
 *
 * @module
 */

import { isSea } from 'node:sea';
import type { ClassicLevel, DatabaseOptions } from 'classic-level';
import { systemCode } from '../../values.ts';

/** The version that package.json names, without a range. */
const INSTALL = 'npm install classic-level@3';

const NOT_IN_BINARY =
  'a data folder needs machine code that the binary does not contain; serve without --data, or install svc-conformance with npm';

/** Loads the package; call it before anything is written. @throws Error that says what to install */
export async function loadLevelDb(): Promise<typeof ClassicLevel> {
  try {
    return (await import('classic-level')).ClassicLevel;
  } catch (error) {
    if (isSea()) throw new Error(NOT_IN_BINARY, { cause: error });
    const isMissing = systemCode(error)?.endsWith('MODULE_NOT_FOUND');
    const why = isMissing ? 'is not installed' : 'cannot be loaded on this machine';
    throw new Error(
      `a data folder needs the package classic-level, which ${why}; run ${INSTALL}, or serve without --data`,
      { cause: error },
    );
  }
}

/** A database that is not open yet. */
export async function createDatabase<Key = string, Value = string>(
  folder: string,
  options: DatabaseOptions<Key, Value>,
): Promise<ClassicLevel<Key, Value>> {
  const LevelDb = await loadLevelDb();
  return new LevelDb<Key, Value>(folder, options);
}

/** The number of records that are written at a time. */
const BATCH = 1000;

/** Writes records as they come, so that few are in memory. */
export async function writeInBatches<Key, Value>(
  database: ClassicLevel<Key, Value>,
  records: AsyncIterable<readonly [Key, Value]>,
): Promise<void> {
  let waiting: { readonly type: 'put'; readonly key: Key; readonly value: Value }[] = [];
  const write = async (): Promise<void> => {
    await database.batch(waiting, { sync: true });
    waiting = [];
  };
  for await (const [key, value] of records) {
    waiting.push({ type: 'put', key, value });
    if (waiting.length === BATCH) await write();
  }
  await write();
}
