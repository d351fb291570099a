/**
 * One page of a bucket's files, and of its directories where a delimiter makes some.
 *
 * @module
 */
import { compareBytes } from '../../signing/bytes.ts';
import type { Store, StoredObject } from '../store/store.ts';

export interface ListingQuery {
  readonly prefix: string;
  /** Empty for no directories. */
  readonly delimiter: string;
  /** Only what comes after it is listed; the last entry of the page before, a file or a directory. */
  readonly marker: string;
  /** Of files and directories together. */
  readonly limit: number;
}

export interface Listing {
  readonly objects: readonly StoredObject[];
  readonly directories: readonly string[];
  /** Empty on the last page. */
  readonly nextMarker: string;
  readonly isTruncated: boolean;
}

/** The last character there is: hardly a key of a directory comes after it. */
const LAST = '\u{10ffff}';

/** Files and directories in the order of their bytes; a directory counts as one entry, whatever it holds. */
export async function listing(store: Store, bucket: string, query: ListingQuery): Promise<Listing> {
  const { limit } = query;
  const entries: Entry[] = [];
  // One more than fits tells whether there is a next page; none is asked for where none fits.
  for await (const entry of limit === 0 ? [] : entriesOf(store, bucket, query)) {
    entries.push(entry);
    if (entries.length > limit) break;
  }
  const page = entries.slice(0, limit);
  const isTruncated = entries.length > limit;
  return {
    objects: page.flatMap(({ object }) => object ?? []),
    directories: page.flatMap(({ name, object }) => (object ? [] : [name])),
    nextMarker: isTruncated ? (page.at(-1)?.name ?? '') : '',
    isTruncated,
  };
}

interface Entry {
  readonly name: string;
  /** Nothing of a directory. */
  readonly object?: StoredObject;
}

async function* entriesOf(
  store: Store,
  bucket: string,
  query: ListingQuery,
): AsyncGenerator<Entry> {
  const { prefix, marker, limit } = query;
  let after = marker;
  let last = marker;
  for (;;) {
    const found = await store.objects(bucket, { prefix, after, limit: limit + 1 });
    for (const object of found) {
      const directory = directoryOf(object.key, query);
      if (directory === undefined) {
        if (!isOwnDirectory(object.key, query)) yield { name: object.key, object };
      } else if (compareBytes(directory, last) > 0) {
        yield { name: directory };
        last = directory;
      }
    }
    const end = found.at(-1)?.key;
    if (end === undefined || found.length <= limit) return;
    after = pastDirectory(end, directoryOf(end, query));
  }
}

/** What a key has up to the first delimiter after the prefix. */
function directoryOf(key: string, { prefix, delimiter }: ListingQuery): string | undefined {
  if (delimiter === '') return undefined;
  const end = key.indexOf(delimiter, prefix.length);
  return end < 0 ? undefined : key.slice(0, end + delimiter.length);
}

/** The directory that is listed is no entry of itself. */
function isOwnDirectory(key: string, { prefix, delimiter }: ListingQuery): boolean {
  return delimiter !== '' && key === prefix && prefix.endsWith(delimiter);
}

/** The rest of a directory that was seen need not be read. */
function pastDirectory(end: string, directory: string | undefined): string {
  if (directory === undefined) return end;
  const past = directory + LAST;
  return compareBytes(past, end) > 0 ? past : end;
}
