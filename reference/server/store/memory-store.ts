/**
 * A store in memory, whose data is lost when the process ends.
 *
 * @module
 */
import { compareBytes } from '../../signing/bytes.ts';
import { storeFull } from '../messages/errors.ts';
import type { Contents, Draft } from './contents.ts';
import { createStore, type StoreOptions } from './database-store.ts';
import { type Change, type NameRange, type Records, trustRecord } from './records.ts';
import type { Store } from './store.ts';

export interface MemoryStoreOptions extends StoreOptions {
  /** The most bytes of all files together; 1 GiB by default. */
  readonly mostBytes?: number;
  /** The most bytes of all records together; 1 GiB by default. */
  readonly mostRecordBytes?: number;
}

export async function openMemoryStore({
  mostBytes,
  mostRecordBytes,
  ...options
}: MemoryStoreOptions): Promise<Store> {
  const records = new MemoryRecords(mostRecordBytes);
  return createStore(records, new MemoryContents(records, mostBytes), options);
}

/** The default limit: 1 GiB. */
const MAX_CONTENT_BYTES = 1024 ** 3;

interface Held {
  readonly chunks: readonly Uint8Array[];
  readonly size: number;
  /** The number of ids that share these bytes. */
  readonly shared: { count: number };
}

class MemoryContents implements Contents {
  readonly #contents = new Map<string, Held>();
  readonly #records: MemoryRecords;
  readonly #mostBytes: number;
  /** The size of all drafts and contents, in bytes. */
  #size = 0;
  #lastId = 0;

  constructor(records: MemoryRecords, mostBytes: number = MAX_CONTENT_BYTES) {
    this.#records = records;
    this.#mostBytes = mostBytes;
  }

  async keep(bytes: Uint8Array): Promise<string> {
    this.#records.checkRoom();
    this.reserve(bytes.length);
    const chunk = fillsBuffer(bytes) ? bytes : new Uint8Array(bytes);
    return this.hold([chunk], bytes.length);
  }

  async draft(): Promise<Draft> {
    this.#records.checkRoom();
    return new MemoryDraft(this);
  }

  async duplicates(ids: readonly string[]): Promise<readonly string[]> {
    this.#records.checkRoom();
    return ids
      .map((id) => this.#find(id))
      .map((held) => {
        held.shared.count++;
        return this.#add(held);
      });
  }

  async *pieces(id: string, start: number, end: number): AsyncGenerator<Uint8Array, void> {
    let position = 0;
    for (const chunk of this.#find(id).chunks) {
      const from = Math.max(start - position, 0);
      const to = Math.min(end - position, chunk.length);
      if (from < to) yield chunk.subarray(from, to);
      position += chunk.length;
    }
  }

  bytesInMemory(id: string, start: number, end: number): Uint8Array | undefined {
    const chunks = this.#contents.get(id)?.chunks;
    return chunks?.length === 1 ? chunks[0]?.subarray(start, end) : undefined;
  }

  async remove(id: string): Promise<void> {
    const held = this.#contents.get(id);
    if (!held || !this.#contents.delete(id)) return;
    if (--held.shared.count === 0) this.free(held.size);
  }

  async names(): Promise<readonly string[]> {
    return [...this.#contents.keys()];
  }

  async size(id: string): Promise<number | undefined> {
    return this.#contents.get(id)?.size;
  }

  /** Stores the chunks of a draft, whose bytes are already reserved. */
  hold(chunks: readonly Uint8Array[], size: number): string {
    return this.#add({ chunks, size, shared: { count: 1 } });
  }

  reserve(bytes: number): void {
    if (this.#size + bytes > this.#mostBytes) {
      throw storeFull(
        `the store in memory holds at most ${this.#mostBytes} bytes; delete files, or keep them in a folder with --data`,
      );
    }
    this.#size += bytes;
  }

  free(bytes: number): void {
    this.#size -= bytes;
  }

  #add(held: Held): string {
    this.#lastId += 1;
    const id = String(this.#lastId);
    this.#contents.set(id, held);
    return id;
  }

  #find(id: string): Held {
    const held = this.#contents.get(id);
    if (held) return held;
    throw new Error(`content ${JSON.stringify(id)} is not in memory; it was discarded before`);
  }
}

/** Whether a piece almost fills its buffer; otherwise keeping it would waste memory. */
const fillsBuffer = ({ length, buffer }: Uint8Array): boolean =>
  length * 8 >= buffer.byteLength * 7;

const SMALLEST_CHUNK = 16 * 1024;
const LARGEST_CHUNK = 1024 ** 2;

/** Keeps large pieces as they are, and gathers small ones in chunks. */
class MemoryDraft implements Draft {
  readonly #contents: MemoryContents;
  readonly #chunks: Uint8Array[] = [];
  #chunk: Uint8Array = new Uint8Array(0);
  #filled = 0;
  #size = 0;

  constructor(contents: MemoryContents) {
    this.#contents = contents;
  }

  async write(piece: Uint8Array): Promise<void> {
    this.#contents.reserve(piece.length);
    this.#size += piece.length;
    if (piece.length < SMALLEST_CHUNK || !fillsBuffer(piece)) this.#gather(piece);
    else {
      this.#finishChunk();
      this.#chunks.push(piece);
    }
  }

  async keep(): Promise<string> {
    this.#finishChunk();
    return this.#contents.hold(this.#chunks, this.#size);
  }

  async drop(): Promise<void> {
    this.#contents.free(this.#size);
  }

  #gather(piece: Uint8Array): void {
    for (let start = 0; start < piece.length; ) {
      if (this.#filled === this.#chunk.length) {
        this.#finishChunk();
        this.#chunk = new Uint8Array(Math.min(Math.max(this.#size, SMALLEST_CHUNK), LARGEST_CHUNK));
      }
      const part = piece.subarray(start, start + this.#chunk.length - this.#filled);
      this.#chunk.set(part, this.#filled);
      this.#filled += part.length;
      start += part.length;
    }
  }

  #finishChunk(): void {
    const isFull = this.#filled === this.#chunk.length;
    if (this.#filled > 0) {
      this.#chunks.push(isFull ? this.#chunk : this.#chunk.slice(0, this.#filled));
    }
    this.#chunk = new Uint8Array(0);
    this.#filled = 0;
  }
}

/** The default limit: 1 GiB. */
const MAX_RECORD_BYTES = 1024 ** 3;

/** The share of the memory that is reserved for changes, when there is no room for new files. */
const RESERVE = 1 / 16;

/** The memory for a record besides its name and text, in bytes; a generous estimate. */
const RECORD_OVERHEAD = 1536;

interface MemoryRecord {
  readonly value: unknown;
  /** The approximate size of all records, in bytes. */
  readonly size: number;
}

/** Records are never changed in place, so they need no copies. */
class MemoryRecords implements Records {
  readonly #records = new Map<string, MemoryRecord>();
  readonly #names = new SortedNames((name) => this.#records.has(name));
  readonly #mostBytes: number;
  #size = 0;

  constructor(mostBytes: number = MAX_RECORD_BYTES) {
    this.#mostBytes = mostBytes;
  }

  async read<T>(name: string): Promise<T | undefined> {
    return this.#value<T>(name);
  }

  async readEach<T>(names: readonly string[]): Promise<readonly T[]> {
    return names.map((name) => this.#value<T>(name)).filter((value) => value !== undefined);
  }

  async list<T>(range: NameRange, limit?: number): Promise<readonly T[]> {
    return this.readEach<T>(this.#names.within(range, limit));
  }

  async *walk<T>(range: NameRange): AsyncGenerator<T> {
    yield* await this.list<T>(range);
  }

  async commit(changes: readonly Change[]): Promise<void> {
    // Of several changes of one record, the last counts.
    const after = new Map(changes.map((change) => [change.key, toRecord(change)] as const));
    let growth = 0;
    for (const [name, record] of after) {
      growth += (record?.size ?? 0) - (this.#records.get(name)?.size ?? 0);
    }
    if (growth > 0) this.#checkSize(this.#size + growth, this.#mostBytes);
    this.#size += growth;
    for (const [name, record] of after) {
      const isNew = !this.#records.has(name);
      if (!record) this.#records.delete(name);
      else this.#records.set(name, record);
      // After the record, because names without one are dropped.
      if (record && isNew) this.#names.add(name);
    }
  }

  async close(): Promise<void> {}

  /** Throws if the remaining room is reserved for changes, and no new bytes may be stored. */
  checkRoom(): void {
    this.#checkSize(this.#size, this.#mostBytes * (1 - RESERVE));
  }

  #value<T>(name: string): T | undefined {
    return trustRecord(this.#records.get(name)?.value);
  }

  #checkSize(bytes: number, most: number): void {
    if (bytes <= most) return;
    throw storeFull(
      `the store in memory holds records of at most ${this.#mostBytes} bytes; delete files, uploads or buckets, or keep them in a folder with --data`,
    );
  }
}

function toRecord(change: Change): MemoryRecord | undefined {
  if (change.type === 'del') return undefined;
  const { key, value } = change;
  return { value, size: RECORD_OVERHEAD + key.length + JSON.stringify(value).length };
}

/** From this number of added names on, names that were removed again are dropped. */
const FEW_ADDED = 1000;

/** Names in the order of their UTF-8 bytes. They are sorted only when a list is requested, which is rare. */
class SortedNames {
  readonly #exists: (name: string) => boolean;
  /** The sorted names, which may include removed ones. */
  #sorted: readonly string[] = [];
  #added: string[] = [];
  #mostAdded: number = FEW_ADDED;

  constructor(exists: (name: string) => boolean) {
    this.#exists = exists;
  }

  add(name: string): void {
    this.#added.push(name);
    if (this.#added.length < this.#mostAdded) return;
    this.#added = [...new Set(this.#added.filter(this.#exists))];
    this.#mostAdded = Math.max(2 * this.#added.length, FEW_ADDED);
  }

  within(range: NameRange, limit: number = Number.POSITIVE_INFINITY): readonly string[] {
    this.#sort();
    const found: string[] = [];
    const end = this.#search((name) => name.compare(range.lt) >= 0);
    let at = this.#search((name) =>
      'gt' in range ? name.compare(range.gt) > 0 : name.compare(range.gte) >= 0,
    );
    for (; at < end && found.length < limit; at++) {
      const name = this.#sorted[at];
      if (name !== undefined && this.#exists(name)) found.push(name);
    }
    return found;
  }

  #sort(): void {
    if (this.#added.length === 0) return;
    // A name that was removed and added again is in both.
    const all = new Set([...this.#sorted, ...this.#added].filter(this.#exists));
    this.#sorted = [...all].sort(compareBytes);
    this.#added = [];
  }

  /** The number of names before the first that `isReached`. */
  #search(isReached: (name: Buffer) => boolean): number {
    let from = 0;
    let to = this.#sorted.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (isReached(Buffer.from(this.#sorted[middle] ?? ''))) to = middle;
      else from = middle + 1;
    }
    return from;
  }
}
