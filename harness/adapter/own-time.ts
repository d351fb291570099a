/**
 * Time limits that charge a program for its own time, and not for what else keeps the machine busy.
 *
 * A clock ticks. A late tick shows that the harness itself had to wait, so it charges what a punctual one does. On Linux,
 * the time that the program's threads waited for a processor is taken off as well.
 *
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds that each thread of some processes has waited for a processor so far, by a name of the thread. */
export type Queued = ReadonlyMap<string, number>;

/** What limits are measured with. */
export interface TimeSource {
  /** In milliseconds. */
  readonly now: () => number;
  /** Calls again and again, in milliseconds; the function that comes back ends that. */
  readonly every: (milliseconds: number, tick: () => void) => () => void;
  /** Calls once what has arrived by now is read. */
  readonly afterInput: (act: () => void) => void;
  readonly queued: (pids: readonly number[]) => Queued;
}

export interface Measure {
  readonly source?: TimeSource;
  /** The processes whose time it is. */
  readonly pids?: () => readonly number[];
}

/** Times in milliseconds. */
export interface Spent {
  readonly limit: number;
  /** Of the program itself. */
  readonly own: number;
  /** By the clock. */
  readonly passed: number;
}

/** In milliseconds. */
const LONGEST_TICK = 250;
const TICKS_PER_LIMIT = 20;

/** However busy the machine is, a limit is reached after so many times its length. */
const HARD_BOUND = 20;

/** A machine is busy where so many times the limit passed by the clock. */
const BUSY = 1.5;

export class TimeLimit {
  readonly #limit: number;
  readonly #reached: (spent: Spent) => void;
  readonly #source: TimeSource;
  readonly #pids: () => readonly number[];
  readonly #tickLength: number;
  #queued: Queued = new Map();
  #start = 0;
  #lastTick = 0;
  #own = 0;
  #endTicks: (() => void) | undefined;

  /** @param reached is called once, unless the limit is started again or stopped before */
  constructor(milliseconds: number, reached: (spent: Spent) => void, measure: Measure = {}) {
    const { source = MACHINE, pids = () => [] } = measure;
    this.#limit = milliseconds;
    this.#reached = reached;
    this.#source = source;
    this.#pids = pids;
    this.#tickLength = Math.max(1, Math.min(LONGEST_TICK, milliseconds / TICKS_PER_LIMIT));
  }

  /** Starts, or starts again with nothing spent. */
  start(): void {
    this.#start = this.#source.now();
    this.#lastTick = this.#start;
    this.#own = 0;
    this.#endTicks ??= this.#source.every(this.#tickLength, () => this.#tick());
  }

  stop(): void {
    this.#endTicks?.();
    this.#endTicks = undefined;
  }

  #tick(): void {
    const now = this.#source.now();
    const charged = Math.min(now - this.#lastTick, this.#tickLength);
    this.#lastTick = now;
    this.#own += Math.max(0, charged - this.#queuedSince());
    if (this.#isDue()) {
      // A reply may lie in the pipe, unread because the harness had to wait.
      this.#source.afterInput(() => this.#settle());
    }
  }

  #isDue(): boolean {
    const passed = this.#lastTick - this.#start;
    return this.#own >= this.#limit || passed >= HARD_BOUND * this.#limit;
  }

  #settle(): void {
    if (!this.#endTicks || !this.#isDue()) return;
    this.stop();
    const [limit, own, passed] = [this.#limit, this.#own, this.#source.now() - this.#start];
    this.#reached({ limit, own, passed });
  }

  /** How long the thread that waited longest has waited since the last tick. */
  #queuedSince(): number {
    const before = this.#queued;
    this.#queued = this.#source.queued(this.#pids());
    let longest = 0;
    for (const [thread, waited] of this.#queued) {
      longest = Math.max(longest, waited - (before.get(thread) ?? 0));
    }
    return longest;
  }
}

/** `within 10 s`, and whether the machine was busy. */
export function withinText({ limit, own, passed }: Spent): string {
  const [clock, seconds] = [Math.round(passed / 1000), limit / 1000];
  if (own < limit) {
    return `within ${clock} s, of which ${(own / 1000).toFixed(1)} s were its own; the machine was busy`;
  }
  return passed < BUSY * limit
    ? `within ${seconds} s`
    : `within ${seconds} s of its own time (${clock} s passed; the machine was busy)`;
}

/** A promise that is kept when the time is spent; `stop` lets it rest for ever. */
export function timeSpent(
  milliseconds: number,
  measure?: Measure,
): { readonly spent: Promise<Spent>; readonly stop: () => void } {
  let limit: TimeLimit | undefined;
  const spent = new Promise<Spent>((resolve) => {
    limit = new TimeLimit(milliseconds, resolve, measure);
    limit.start();
  });
  return { spent, stop: () => limit?.stop() };
}

const MACHINE: TimeSource = {
  now: () => performance.now(),
  every(milliseconds, tick) {
    const timer = setInterval(tick, milliseconds);
    // The program whose time it is keeps the harness alive.
    timer.unref();
    return () => clearInterval(timer);
  },
  afterInput: (act) => void setImmediate(act),
  queued: process.platform === 'linux' ? queuedOnLinux : () => new Map(),
};

/** More processes of one adapter are not looked at. */
const MOST_PROCESSES = 64;

/** Of the processes and those that they started. */
function queuedOnLinux(pids: readonly number[]): Queued {
  const queued = new Map<string, number>();
  const family = [...pids];
  for (let i = 0; i < family.length && i < MOST_PROCESSES; i++) {
    const tasks = `/proc/${family[i]}/task`;
    for (const thread of namesIn(tasks)) {
      // The second number of schedstat, in nanoseconds.
      const [, waited = ''] = textOf(`${tasks}/${thread}/schedstat`).split(' ');
      queued.set(thread, Number(waited) / 1e6);
      const children = textOf(`${tasks}/${thread}/children`).split(' ');
      family.push(...children.filter((child) => child !== '').map(Number));
    }
  }
  return queued;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Nothing where the process has ended, or the system does not say. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1').trim();
  } catch {
    return '';
  }
}
