/**
 * Time that may be spent on what is not a server's first duty.
 *
 * @module
 */

export interface TimeBudget {
  /** What may be spent now; in milliseconds, as all times here. */
  readonly left: (now: number) => number;
  readonly spend: (time: number) => void;
}

/** What is saved at most. */
const MOST = 2000;

/** What part of the time that passes may be spent. */
const SHARE = 0.25;

/** A budget that is full at first and fills again as time passes. */
export function timeBudget(start: number): TimeBudget {
  let saved = MOST;
  let looked = start;
  return {
    left: (now) => {
      saved = Math.min(MOST, saved + (now - looked) * SHARE);
      looked = now;
      return saved;
    },
    spend: (time) => {
      saved -= time;
    },
  };
}
