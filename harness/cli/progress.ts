/**
 * Progress on a terminal, for verbs that take more than a second.
 *
 * @module
 */
import type { Call } from './call.ts';

/** In milliseconds. */
const PERIOD = 200;
/** In seconds. */
const PATIENCE = 1;

export interface Progress {
  /** Shows the next step at once, because a busy process may not run the timer. */
  readonly show: (step: string) => void;
  /** Sets the next step, which the timer shows. */
  readonly next: (step: string) => void;
  readonly stop: () => void;
}

/** @param step the first step */
export function startProgress(call: Call, step: string): Progress {
  let current = step;
  // The first use of `performance` loads a module of Node, which takes longer than all other work here.
  const start = process.uptime();
  const show = (): void => {
    const seconds = Math.floor(process.uptime() - start);
    call.showProgress(seconds === 0 ? current : `${current} · ${seconds} s`);
  };
  const timer = setInterval(() => process.uptime() - start > PATIENCE && show(), PERIOD);
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
