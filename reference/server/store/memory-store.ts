/**
 * A store in memory, whose data is lost when the process ends.
 *
 * @module
 */
import { compareBytes } from '../../signing/bytes.ts';
import type { Context } from '../../signing/index.ts';
import { storeFull } from '../messages/errors.ts';
import type { Contents, Draft } from './contents.ts';
import type { NameRange } from './entries.ts';
import { type Change, type Records, trustRecord } from './records.ts';
import { Store } from './store.ts';

export interface MemoryStoreOptions {
  readonly context: Context;
  /** The most bytes of all files together; 1 GiB by default. */
  readonly mostBytes?: number;
  /** The most bytes of all records together; 1 GiB by default. */
  readonly mostRecordBytes?: number;
}

export async function openMemoryStore({
  context,
  mostBytes = DEFAULT_BYTES,
  mostRecordBytes = DEFAULT_BYTES,
}: MemoryStoreOptions): Promise<Store> {
  const records = new MemoryRecords(mostRecordBytes);
  return new Store(records, new MemoryContents(records, mostBytes), context);
}

const DEFAULT_BYTES = 1024 ** 3;

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

  constructor(records: MemoryRecords, mostBytes: number) {
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
  /** The names in the order of their UTF-8 bytes as of the last list, which may include removed ones. */
  #sorted: readonly string[] = [];
  /** The names that were added since. They are sorted only when a list is requested, which is rare. */
  readonly #added = new Set<string>();
  readonly #mostBytes: number;
  #size = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  async read<T>(name: string): Promise<T | undefined> {
    return trustRecord(this.#records.get(name)?.value);
  }

  async list<T>(range: NameRange, limit?: number): Promise<readonly T[]> {
    const names = this.#namesWithin(range, limit);
    return names.map((name) => trustRecord<T>(this.#records.get(name)?.value));
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
      if (!record) {
        this.#records.delete(name);
        this.#added.delete(name);
      } else {
        if (!this.#records.has(name)) this.#added.add(name);
        this.#records.set(name, record);
      }
    }
  }

  async close(): Promise<void> {}

  /** Throws if the remaining room is reserved for changes, and no new bytes may be stored. */
  checkRoom(): void {
    this.#checkSize(this.#size, this.#mostBytes * (1 - RESERVE));
  }

  #checkSize(bytes: number, most: number): void {
    if (bytes <= most) return;
    throw storeFull(
      `the store in memory holds records of at most ${this.#mostBytes} bytes; delete files, uploads or buckets, or keep them in a folder with --data`,
    );
  }

  #namesWithin(range: NameRange, limit: number = Number.POSITIVE_INFINITY): readonly string[] {
    const exists = (name: string): boolean => this.#records.has(name);
    if (this.#added.size > 0) {
      // A name that was removed and added again is in both.
      const all = new Set([...this.#sorted.filter(exists), ...this.#added]);
      this.#sorted = [...all].sort(compareBytes);
      this.#added.clear();
    }
    const found: string[] = [];
    const end = countBefore(this.#sorted, (name) => name.compare(range.lt) >= 0);
    let at = countBefore(this.#sorted, (name) =>
      'gt' in range ? name.compare(range.gt) > 0 : name.compare(range.gte) >= 0,
    );
    for (; at < end && found.length < limit; at++) {
      const name = this.#sorted[at];
      if (name !== undefined && exists(name)) found.push(name);
    }
    return found;
  }
}

/** The number of sorted names before the first that `isReached`. */
function countBefore(names: readonly string[], isReached: (name: Buffer) => boolean): number {
  let from = 0;
  let to = names.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isReached(Buffer.from(names[middle] ?? ''))) to = middle;
    else from = middle + 1;
  }
  return from;
}

function toRecord(change: Change): MemoryRecord | undefined {
  if (change.type === 'del') return undefined;
  const { key, value } = change;
  return { value, size: RECORD_OVERHEAD + key.length + JSON.stringify(value).length };
}
