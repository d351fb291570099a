/**
 * What is being read is not removed before it is read.
 *
 * @module
 */

export interface Leases {
  /** Holds contents; what is returned lets go of them, once. */
  readonly take: (ids: readonly string[]) => () => Promise<void>;
  /** Removes contents, those that are held as soon as nobody holds them any more. */
  readonly discard: (ids: readonly string[]) => Promise<void>;
}

/** Leases of contents; `remove` does away with one that nobody holds. */
export function leases(remove: (id: string) => Promise<void>): Leases {
  const holders = new Map<string, number>();
  const doomed = new Set<string>();

  const letGo = async (id: string): Promise<void> => {
    const others = (holders.get(id) ?? 0) - 1;
    if (others > 0) {
      holders.set(id, others);
      return;
    }
    holders.delete(id);
    if (doomed.delete(id)) await remove(id);
  };
  return {
    take(ids) {
      for (const id of ids) holders.set(id, (holders.get(id) ?? 0) + 1);
      let held = ids;
      return async () => {
        const released = held;
        held = [];
        for (const id of released) await letGo(id);
      };
    },
    async discard(ids) {
      for (const id of ids) {
        if (holders.has(id)) doomed.add(id);
        else await remove(id);
      }
    },
  };
}
