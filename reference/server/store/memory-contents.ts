/**
 * Bytes in memory, up to a limit.
 *
 * @module
 */
import { randomUUID } from 'node:crypto';
import { type Contents, type Draft, storeIsFull } from './contents.ts';

/** 1 GiB. */
const MOST_BYTES = 1024 ** 3;

const SMALLEST_CHUNK = 16 * 1024;
const LARGEST_CHUNK = 1024 ** 2;

interface Held {
  readonly chunks: readonly Uint8Array[];
  readonly size: number;
  /** How many ids there are for these bytes. */
  readonly shared: { count: number };
}

/** Counts what all drafts and contents hold together. */
interface Room {
  readonly take: (bytes: number) => void;
  readonly free: (bytes: number) => void;
}

/** Contents that are gone with the process; `check` throws where no more may be taken in. */
export function memoryContents(check: () => void, mostBytes: number = MOST_BYTES): Contents {
  const held = new Map<string, Held>();
  const room = roomOf(mostBytes);

  const kept = (content: Held): string => {
    const id = randomUUID();
    held.set(id, content);
    return id;
  };
  const present = (id: string): Held => {
    const content = held.get(id);
    if (content) return content;
    throw new Error(`content ${JSON.stringify(id)} is not held; it was discarded before`);
  };
  return {
    async draft() {
      check();
      return memoryDraft(room, kept);
    },
    async duplicates(ids) {
      check();
      return ids.map(present).map((content) => {
        content.shared.count++;
        return kept(content);
      });
    },
    async *pieces(id, start, end) {
      yield* cut(present(id).chunks, start, end);
    },
    async remove(id) {
      const content = held.get(id);
      if (!content || !held.delete(id)) return;
      if (--content.shared.count === 0) room.free(content.size);
    },
    names: async () => [...held.keys()],
    size: async (id) => held.get(id)?.size,
  };
}

function roomOf(mostBytes: number): Room {
  let taken = 0;
  return {
    take(bytes) {
      if (taken + bytes > mostBytes) {
        throw storeIsFull(
          `the store in memory holds at most ${mostBytes} bytes; delete files, or keep them in a folder with --data`,
        );
      }
      taken += bytes;
    },
    free(bytes) {
      taken -= bytes;
    },
  };
}

function memoryDraft(room: Room, kept: (content: Held) => string): Draft {
  const chunks: Uint8Array[] = [];
  let chunk = new Uint8Array(0);
  let filled = 0;
  let size = 0;

  // Copied, for a piece may be a small view of a large buffer, which would stay in memory as a whole.
  const put = (piece: Uint8Array): void => {
    for (let start = 0; start < piece.length; ) {
      if (filled === chunk.length) {
        if (filled > 0) chunks.push(chunk);
        chunk = new Uint8Array(Math.min(Math.max(size, SMALLEST_CHUNK), LARGEST_CHUNK));
        filled = 0;
      }
      const part = piece.subarray(start, start + chunk.length - filled);
      chunk.set(part, filled);
      filled += part.length;
      start += part.length;
    }
  };
  return {
    async write(piece) {
      room.take(piece.length);
      size += piece.length;
      put(piece);
    },
    keep: async () =>
      kept({ chunks: [...chunks, chunk.slice(0, filled)], size, shared: { count: 1 } }),
    drop: async () => room.free(size),
  };
}

function* cut(chunks: readonly Uint8Array[], start: number, end: number): Generator<Uint8Array> {
  let position = 0;
  for (const chunk of chunks) {
    const from = Math.max(start - position, 0);
    const to = Math.min(end - position, chunk.length);
    if (from < to) yield chunk.subarray(from, to);
    position += chunk.length;
  }
}
