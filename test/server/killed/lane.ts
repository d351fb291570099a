/**
 * One of several clients that write to a server which may be killed: what it was promised, and what it has under way.
 *
 * @module
 */
import type { Client, Reply } from '../../../bench/load/client.ts';
import type { Random } from '../../../bench/load/random.ts';
import { etag, partEtag, SPECIFICATION } from '../../../reference/signing/index.ts';

/** The number and the size of a content; they say what its bytes are. */
export type Text = readonly [number: number, size: number];

/** What there is of a lane. */
export interface Entries {
  readonly buckets: readonly string[];
  /** By bucket and key, with a slash between them; a file has as many texts as it had parts. */
  readonly files: Readonly<Record<string, readonly Text[]>>;
  readonly upload?: Upload | undefined;
}

/** An upload in parts, in the bucket of all lanes. */
export interface Upload {
  /** Nothing until the server has said it. */
  readonly id?: string;
  readonly key: string;
  readonly parts: readonly Text[];
}

export interface Lane {
  readonly number: number;
  was: Entries;
  /** What was under way; it may have been done or not. */
  becomes?: Entries;
}

/** Something that a lane does. */
export interface Deed {
  readonly becomes: Entries;
  readonly act: (client: Client) => Promise<Reply>;
}

/** What a lane is in when it does something. */
export interface Situation {
  readonly lane: number;
  readonly now: Entries;
  readonly random: Random;
}

/** Where every lane writes; further buckets are its own. */
export const SHARED = 'shared';

export function newLane(number: number): Lane {
  return { number, was: { buckets: [], files: {} } };
}

export const bytesOf = (texts: readonly Text[]): Buffer =>
  Buffer.concat(texts.map(([number, size]) => Buffer.alloc(size, `content ${number}, `)));

export const etagOf = (bytes: Uint8Array): string => etag(bytes, SPECIFICATION).etag;
export const partEtagOf = (bytes: Uint8Array): string => partEtag(bytes, SPECIFICATION).etag;
