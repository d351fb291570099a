/**
 * What a verb is doing, on terminals, once it takes more than a second.
 *
 * @module
 */
import type { Call } from './call.ts';

/** In milliseconds. */
const PERIOD = 200;
const PATIENCE = 1000;

export interface Progress {
  /** Shows the next step at once, as it may keep the process too busy for a timer. */
  readonly show: (step: string) => void;
  /** Names the next step, which is shown after a while. */
  readonly next: (step: string) => void;
  readonly stop: () => void;
}

/** @param step what is being done first */
export function startProgress(call: Call, step: string): Progress {
  let current = step;
  const start = performance.now();
  const show = (): void => {
    const seconds = Math.floor((performance.now() - start) / 1000);
    call.showProgress(seconds === 0 ? current : `${current} · ${seconds} s`);
  };
  const timer = setInterval(() => performance.now() - start > PATIENCE && show(), PERIOD);
  timer.unref();
  return {
    show(next) {
      current = next;
      show();
    },
    next(step) {
      current = step;
    },
    stop() {
      clearInterval(timer);
      call.clearProgress();
    },
  };
}
