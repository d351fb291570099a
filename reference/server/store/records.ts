/**
 * Records in a database of sorted names.
 *
 * @module
 */
import { FILE_ERRORS, serviceError } from '../errors.ts';
import type { Stretch } from './record-names.ts';
import { DamagedRecord, type RecordText } from './record-text.ts';

/** What databases on disk and in memory have in common. */
export interface Database {
  readonly get: <K, V>(key: K, options: typeof TEXTS) => Promise<V | undefined>;
  readonly getMany: <K, V>(keys: K[], options: typeof TEXTS) => Promise<(V | undefined)[]>;
  readonly iterator: <K, V>(
    options: Stretch<K> & typeof ENTRIES & { readonly limit?: number },
  ) => AsyncIterable<[K, V]> & { readonly all: () => Promise<[K, V][]> };
  readonly close: () => Promise<void>;
}

export type Change =
  | { readonly type: 'put'; readonly key: string; readonly value: unknown }
  | { readonly type: 'del'; readonly key: string };

export interface Records {
  readonly read: <T>(name: string) => Promise<T | undefined>;
  /** Without what is not there. */
  readonly readEach: <T>(names: readonly string[]) => Promise<readonly T[]>;
  readonly list: <T>(stretch: Stretch, limit?: number) => Promise<readonly T[]>;
  /** The same one by one, for what may be too much at once; leaves out what is damaged. */
  readonly walk: <T>(stretch: Stretch) => AsyncIterable<T>;
  /** Makes all the changes or none. */
  readonly commit: (changes: readonly Change[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

const TEXTS = { valueEncoding: 'utf8' } as const;
const ENTRIES = { keyEncoding: 'buffer', valueEncoding: 'utf8' } as const;

/** The records of a database, as `text` writes them, which `write` changes: how sure that is, is said there. */
export function records(
  database: Database,
  text: RecordText,
  write: (changes: Change[]) => Promise<void>,
): Records {
  // The type of a record follows from its name, as does its checksum.
  const decoded = <T>(name: string, found: string): T => text.decode(name, found) as T;
  return {
    read: <T>(name: string) =>
      readable(async () => {
        const found = await database.get<string, string>(name, TEXTS);
        return found === undefined ? undefined : decoded<T>(name, found);
      }),
    readEach: <T>(names: readonly string[]) =>
      readable(async () => {
        const found = await database.getMany<string, string>([...names], TEXTS);
        return found.flatMap((value, at) =>
          value === undefined ? [] : [decoded<T>(names[at] ?? '', value)],
        );
      }),
    list: <T>(stretch: Stretch, limit = Number.POSITIVE_INFINITY) =>
      readable(async () => {
        const range = { ...stretch, ...ENTRIES, limit };
        const found = await database.iterator<Buffer, string>(range).all();
        return found.map(([name, value]) => decoded<T>(name.toString(), value));
      }),
    async *walk<T>(stretch: Stretch) {
      const range = { ...stretch, ...ENTRIES };
      for await (const [name, value] of database.iterator<Buffer, string>(range)) {
        const record = whole(() => decoded<T>(name.toString(), value));
        if (record !== undefined) yield record;
      }
    },
    commit: (changes) => write([...changes]),
    close: () => database.close(),
  };
}

function whole<T>(reading: () => T): T | undefined {
  try {
    return reading();
  } catch (error) {
    if (error instanceof DamagedRecord) return undefined;
    throw error;
  }
}

/** What is damaged is answered so, and not as a failure of the server. */
async function readable<T>(reading: () => Promise<T>): Promise<T> {
  try {
    return await reading();
  } catch (error) {
    const isCorrupt =
      error instanceof Error && 'code' in error && error.code === 'LEVEL_CORRUPTION';
    if (!isCorrupt && !(error instanceof DamagedRecord)) throw error;
    const how = error instanceof DamagedRecord ? error.message : 'its records cannot be read';
    throw serviceError(FILE_ERRORS.damaged, `${how}; start the server anew to recover the rest`);
  }
}
