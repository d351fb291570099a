/**
 * Who waits for whom, so that what is written about one name is written one after the other.
 *
 * @module
 */

export interface Turns {
  /** Does the work while nobody has the name alone; others may share it. */
  readonly shared: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  /** Does the work when everybody who came before is done; who comes after waits. */
  readonly alone: <T>(name: string, work: () => Promise<T>) => Promise<T>;
}

interface Queue {
  /** The end of everything that was asked for: what work alone waits for. */
  all: Promise<unknown>;
  /** The end of the last work alone: what shared work waits for. */
  alone: Promise<unknown>;
}

const NOTHING: Promise<unknown> = Promise.resolve();

/** Turns that nobody has taken yet. Names are forgotten when nobody waits for them. */
export function turns(): Turns {
  const queues = new Map<string, Queue>();

  const joined = (name: string, queue: Queue, end: Promise<unknown>): void => {
    queue.all = end;
    queues.set(name, queue);
    void end.then(() => {
      if (queue.all === end) queues.delete(name);
    });
  };
  const queueOf = (name: string): Queue => queues.get(name) ?? { all: NOTHING, alone: NOTHING };

  return {
    shared(name, work) {
      const queue = queueOf(name);
      const done = queue.alone.then(work);
      joined(name, queue, Promise.allSettled([queue.all, done]));
      return done;
    },
    alone(name, work) {
      const queue = queueOf(name);
      const done = queue.all.then(work);
      queue.alone = Promise.allSettled([done]);
      joined(name, queue, queue.alone);
      return done;
    },
  };
}
