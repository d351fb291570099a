/**
 * Locks for concurrent operations: a readers–writer lock for each name, and reference counts of contents.
 *
 * @module
 */

export type Mode = 'shared' | 'exclusive';

interface Lock {
  /** The number of readers; -1 for a writer. */
  holders: number;
  /** The waiting readers and writers, in order, so that later readers do not delay a writer. */
  readonly waiting: { readonly mode: Mode; readonly start: () => void }[];
}

export class Locks {
  readonly #locks = new Map<string, Lock>();

  /** Runs the work while no writer holds the name. Other readers may hold it too. */
  shared<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.hold(name, 'shared', work);
  }

  /** Runs the work after all earlier holders of the name; later ones wait. */
  exclusive<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.hold(name, 'exclusive', work);
  }

  async hold<T>(name: string, mode: Mode, work: () => Promise<T>): Promise<T> {
    const lock = this.#locks.get(name) ?? { holders: 0, waiting: [] };
    this.#locks.set(name, lock);
    if (lock.waiting.length === 0 && isFree(lock, mode)) enter(lock, mode);
    else await new Promise<void>((start) => lock.waiting.push({ mode, start }));
    try {
      return await work();
    } finally {
      leave(lock, mode);
      if (lock.holders === 0) this.#locks.delete(name);
    }
  }
}

function isFree({ holders }: Lock, mode: Mode): boolean {
  return mode === 'shared' ? holders >= 0 : holders === 0;
}

function enter(lock: Lock, mode: Mode): void {
  lock.holders = mode === 'shared' ? lock.holders + 1 : -1;
}

/** Lets in the next writer, or all readers before it. */
function leave(lock: Lock, mode: Mode): void {
  lock.holders = mode === 'shared' ? lock.holders - 1 : 0;
  for (let [next] = lock.waiting; next && isFree(lock, next.mode); [next] = lock.waiting) {
    lock.waiting.shift();
    enter(lock, next.mode);
    next.start();
  }
}

/** Delays the removal of contents until no reader holds them. */
export class References {
  readonly #remove: (id: string) => Promise<void>;
  readonly #counts = new Map<string, number>();
  readonly #discarded = new Set<string>();

  constructor(remove: (id: string) => Promise<void>) {
    this.#remove = remove;
  }

  acquire(ids: readonly string[]): void {
    for (const id of ids) this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1);
  }

  async release(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const others = (this.#counts.get(id) ?? 0) - 1;
      if (others > 0) this.#counts.set(id, others);
      else {
        this.#counts.delete(id);
        if (this.#discarded.delete(id)) await this.#remove(id);
      }
    }
  }

  /** Removes contents. Contents that are held are removed when they are released. */
  async discard(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      if (this.#counts.has(id)) this.#discarded.add(id);
      else await this.#remove(id);
    }
  }
}
