/**
 * Whether a client keeps up: it is waited for, but not for ever.
 *
 * @module
 */
import type { Limits } from './limits.ts';

export interface Pace {
  /** Takes note of a wait and what it brought; whether the client is still fast enough. */
  readonly isKept: (waited: number, bytes: number) => boolean;
}

/**
 * Only the time that the client is waited for counts, not what the server takes itself.
 *
 * A window and not an average: who was fast once could stall for hours otherwise.
 */
export function paceOf({ stallTime, leastSpeed }: Limits): Pace {
  let waitedInWindow = 0;
  let bytesInWindow = 0;
  return {
    isKept: (waited, bytes) => {
      waitedInWindow += waited;
      bytesInWindow += bytes;
      if (waitedInWindow < stallTime) return true;
      const isFastEnough = bytesInWindow >= (leastSpeed * waitedInWindow) / 1000;
      waitedInWindow = 0;
      bytesInWindow = 0;
      return isFastEnough;
    },
  };
}

/** Resolves with the first of these events of an emitter, or with `late`; leaves no listener behind. */
export function firstOf<Name extends string>(
  emitter: NodeJS.EventEmitter,
  names: readonly Name[],
  most: number,
  signal?: AbortSignal,
): Promise<Name | 'late' | 'aborted'> {
  return new Promise((resolve) => {
    const listeners = names.map((name) => [name, () => settle(name)] as const);
    const abort = (): void => settle('aborted');
    const timer = setTimeout(() => settle('late'), most);
    const settle = (outcome: Name | 'late' | 'aborted'): void => {
      clearTimeout(timer);
      for (const [name, listener] of listeners) emitter.off(name, listener);
      signal?.removeEventListener('abort', abort);
      resolve(outcome);
    };
    for (const [name, listener] of listeners) emitter.on(name, listener);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort);
  });
}
