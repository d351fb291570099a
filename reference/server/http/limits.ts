/**
 * How much, how many and how long: no client makes the server hang or grow.
 *
 * @module
 */

/** Sizes in bytes, times in milliseconds. */
export interface Limits {
  /** The most bytes of the request line and all headers together. */
  readonly headSize: number;
  /** From the first byte of a connection or a request until its headers are whole. */
  readonly headTime: number;
  /** The most bytes of one put, one form or one part. */
  readonly bodySize: number;
  /** The most bytes of a body that no operation reads: its client reads the answer only once it has sent the body. */
  readonly unreadSize: number;
  /** How long a client may pause in the midst of a body, sending or receiving. */
  readonly stallTime: number;
  /** The least speed of a client, sending or receiving; in bytes per second, over each `stallTime` of waiting for it. */
  readonly leastSpeed: number;
  /** From the headers of a request until its answer begins. */
  readonly answerTime: number;
  /** How long a connection is kept without a request. */
  readonly idleTime: number;
  readonly connections: number;
  /** Requests sent ahead on one connection; beyond it, nothing is read from it for a while. */
  readonly pipelined: number;
  /** For running requests, when the server is stopped. */
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
 * Tells after each wait, with the bytes that it brought, whether the client is still fast enough.
 *
 * Counts only the time of waiting for the client. A window and not an average: a client that was fast once could stall
 * for hours otherwise.
 */
export function trackPace({
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
  /** The first of the events from now on, `late` after the time limit, or `aborted`. */
  readonly next: () => Promise<Name | 'late' | 'aborted'>;
  readonly stop: () => void;
}

/** One set of listeners and one timer for many waits: a long body has one for each of its pieces. */
export function waitForEvents<Name extends string>(
  emitter: NodeJS.EventEmitter,
  names: readonly Name[],
  most: number,
  signal?: AbortSignal,
): EventWait<Name> {
  let settle = (_: Name | 'late' | 'aborted'): void => {};
  const timer = setTimeout(() => settle('late'), most);
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
