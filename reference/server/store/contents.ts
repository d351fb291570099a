/**
 * Where bytes are held, whatever they belong to.
 *
 * @module
 */
import type { Context } from '../../signing/index.ts';
import { ServiceError } from '../service-error.ts';
import { contentSums } from './content-sums.ts';
import type { Content, WantedSums } from './store.ts';

export interface Contents {
  /** Opens a place for new bytes. */
  readonly draft: () => Promise<Draft>;
  /** The same bytes once more; all or none. */
  readonly duplicates: (ids: readonly string[]) => Promise<readonly string[]>;
  /** The bytes from `start` up to and without `end`; throws where they are not there. */
  readonly pieces: (id: string, start: number, end: number) => AsyncGenerator<Uint8Array, void>;
  /** Does away with bytes; never fails, for what is left behind is found at the next start. */
  readonly remove: (id: string) => Promise<void>;
  /** The names of all that is held: ids, and whatever else lies there. */
  readonly names: () => Promise<readonly string[]>;
  /** In bytes. */
  readonly size: (id: string) => Promise<number | undefined>;
}

/** Bytes that come in; exactly one of `keep` and `drop` ends it. */
export interface Draft {
  /** Takes the piece as it is now: it may be written over afterwards. */
  readonly write: (piece: Uint8Array) => Promise<void>;
  /** Its id. From now on the bytes survive whatever happens. */
  readonly keep: () => Promise<string>;
  readonly drop: () => Promise<void>;
}

/** Takes in what comes, and hashes it while it is written. */
export async function received(
  pieces: AsyncIterable<Uint8Array>,
  contents: Contents,
  wanted: WantedSums,
  context: Context,
): Promise<Content> {
  const sums = contentSums(wanted, context);
  const draft = await contents.draft();
  let size = 0;
  try {
    for await (const piece of pieces) {
      const written = draft.write(piece);
      sums.update(piece);
      size += piece.length;
      await written;
    }
    return { id: await draft.keep(), size, ...sums.texts() };
  } catch (error) {
    await draft.drop();
    throw error;
  }
}

/** No code is published for it. */
export function storeIsFull(message: string): ServiceError {
  return new ServiceError(507, -149_507, message);
}
