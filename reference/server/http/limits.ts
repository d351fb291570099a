/**
 * The limits of sizes, counts and times, so that no client can make the server hang or use up memory.
 *
 * @module
 */

/** The limits; sizes are in bytes, times in milliseconds. */
export interface Limits {
  /** The most bytes of the request line and all headers together. */
  readonly headSize: number;
  /** The time from the first byte of a connection or request until its headers are complete. */
  readonly headTime: number;
  /** The largest put, form or part. */
  readonly bodySize: number;
  /** The most bytes of an unneeded body that are read and discarded, because clients read the answer only after sending the body. */
  readonly unreadSize: number;
  /** How long a client may pause within a body, while sending or receiving. */
  readonly stallTime: number;
  /** The lowest allowed speed of a client in bytes per second, over each `stallTime` of waiting for it. */
  readonly leastSpeed: number;
  /** The time from the headers of a request until its answer begins. */
  readonly answerTime: number;
  /** How long an idle connection stays open. */
  readonly idleTime: number;
  readonly connections: number;
  /** The most pipelined requests on one connection. Further ones are not read until earlier ones are answered. */
  readonly pipelined: number;
  /** How long running requests may continue when the server stops. */
  readonly stopTime: number;
}

const MEBIBYTE = 1024 * 1024;

export const DEFAULT_LIMITS: Limits = {
  headSize: 32 * 1024,
  headTime: 20_000,
  bodySize: 512 * MEBIBYTE,
  unreadSize: 512 * MEBIBYTE,
  stallTime: 20_000,
  leastSpeed: 1024,
  answerTime: 15 * 60_000,
  idleTime: 30_000,
  connections: 512,
  pipelined: 32,
  stopTime: 5_000,
};

/**
 * Creates a function that says, after each wait and its bytes, whether the client is fast enough.
 *
 * It counts only the time of waiting for the client, and uses a window instead of an average: otherwise a client that was
 * fast once could stall for hours.
 */
export function createPaceCheck({
  stallTime,
  leastSpeed,
}: Limits): (waited: number, bytes: number) => boolean {
  let waitedInWindow = 0;
  let bytesInWindow = 0;
  return (waited, bytes) => {
    waitedInWindow += waited;
    bytesInWindow += bytes;
    if (waitedInWindow < stallTime) return true;
    const isFastEnough = bytesInWindow >= (leastSpeed * waitedInWindow) / 1000;
    waitedInWindow = 0;
    bytesInWindow = 0;
    return isFastEnough;
  };
}

/** Waits for events of an emitter; `stop` removes its listeners. */
export interface EventWait<Name> {
  /** Resolves to the next of the events, to `late` after the time limit, or to `aborted`. */
  readonly next: () => Promise<Name | 'late' | 'aborted'>;
  readonly stop: () => void;
}

/** Creates waits that share listeners and a timer, because a long body needs one wait for each piece. */
export function createEventWait<Name extends string>(
  emitter: NodeJS.EventEmitter,
  names: readonly Name[],
  timeLimit: number,
  signal?: AbortSignal,
): EventWait<Name> {
  let settle = (_: Name | 'late' | 'aborted'): void => {};
  const timer = setTimeout(() => settle('late'), timeLimit);
  const listeners = names.map((name) => [name, () => settle(name)] as const);
  const abort = (): void => settle('aborted');
  for (const [name, listener] of listeners) emitter.on(name, listener);
  signal?.addEventListener('abort', abort);
  return {
    next: () =>
      new Promise((resolve) => {
        settle = resolve;
        timer.refresh();
        if (signal?.aborted) abort();
      }),
    stop() {
      clearTimeout(timer);
      for (const [name, listener] of listeners) emitter.off(name, listener);
      signal?.removeEventListener('abort', abort);
    },
  };
}
