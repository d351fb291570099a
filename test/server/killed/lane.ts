/**
 * A lane is one of several clients that write to a server that is killed: its acknowledged writes
 * and its pending write.
 *
 * @module
 */
import type { Client, Reply } from '../../../bench/load/client.ts';
import type { Random } from '../../../bench/load/random.ts';
import { etag, partEtag, SPECIFICATION } from '../../../reference/signing/index.ts';

/** The number and the size of a content, which determine its bytes. */
export type Text = readonly [number: number, size: number];

/** The buckets, files and upload of a lane. */
export interface Entries {
  readonly buckets: readonly string[];
  /** By bucket and key, with a slash between them. A file has a text for each of its parts. */
  readonly files: Readonly<Record<string, readonly Text[]>>;
  readonly upload?: Upload | undefined;
}

/** A multipart upload in the shared bucket. */
export interface Upload {
  /** Undefined until the server has returned it. */
  readonly id?: string;
  readonly key: string;
  readonly parts: readonly Text[];
}

export interface Lane {
  readonly number: number;
  was: Entries;
  /** The entries after the pending operation, which the server may or may not have done. */
  becomes?: Entries;
}

/** An operation of a lane. */
export interface Deed {
  readonly becomes: Entries;
  readonly act: (client: Client) => Promise<Reply>;
}

/** What the next operation of a lane is chosen from. */
export interface Situation {
  readonly lane: number;
  readonly now: Entries;
  readonly random: Random;
}

/** The bucket of all lanes. Other buckets belong to one lane. */
export const SHARED = 'shared';

export function newLane(number: number): Lane {
  return { number, was: { buckets: [], files: {} } };
}

export const bytesOf = (texts: readonly Text[]): Buffer =>
  Buffer.concat(texts.map(([number, size]) => Buffer.alloc(size, `content ${number}, `)));

export const etagOf = (bytes: Uint8Array): string => etag(bytes, SPECIFICATION).etag;
export const partEtagOf = (bytes: Uint8Array): string => partEtag(bytes, SPECIFICATION).etag;
