/**
 * Records in a database of sorted names.
 *
 * @module
 */
import type { Stretch } from './record-names.ts';

/** What databases on disk and in memory have in common. */
export interface Database {
  readonly get: <K, V>(key: K, options: typeof JSON_VALUES) => Promise<V | undefined>;
  readonly getMany: <K, V>(keys: K[], options: typeof JSON_VALUES) => Promise<(V | undefined)[]>;
  readonly values: <K, V>(
    options: Stretch<K> & typeof BYTE_NAMES & { readonly limit?: number },
  ) => AsyncIterable<V> & { readonly all: () => Promise<V[]> };
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
  /** The same one by one, for what may be too much at once. */
  readonly walk: <T>(stretch: Stretch) => AsyncIterable<T>;
  /** Makes all the changes or none. */
  readonly commit: (changes: readonly Change[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

const JSON_VALUES = { valueEncoding: 'json' } as const;
const BYTE_NAMES = { keyEncoding: 'buffer', valueEncoding: 'json' } as const;

/** The records of a database, which `write` changes: how sure that is, is said there. */
export function records(database: Database, write: (changes: Change[]) => Promise<void>): Records {
  return {
    read: <T>(name: string) => database.get<string, T>(name, JSON_VALUES),
    async readEach<T>(names: readonly string[]) {
      const found = await database.getMany<string, T>([...names], JSON_VALUES);
      return found.filter((value) => value !== undefined);
    },
    list: <T>(stretch: Stretch, limit = Number.POSITIVE_INFINITY) =>
      database.values<Buffer, T>({ ...stretch, ...BYTE_NAMES, limit }).all(),
    walk: <T>(stretch: Stretch) => database.values<Buffer, T>({ ...stretch, ...BYTE_NAMES }),
    commit: (changes) => write([...changes]),
    close: () => database.close(),
  };
}
