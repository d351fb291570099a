/**
 * Time limits that count only a program's own time, so that a busy machine causes no timeouts.
 *
 * A timer ticks and counts the time since the last tick. If a tick is late, the harness itself had to wait, so it counts
 * no more than a punctual tick. On Linux, the time that the program's threads waited for a processor is subtracted.
 *
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs';

/** How many milliseconds each thread has waited for a processor so far, by thread id. */
export type QueueTimes = ReadonlyMap<string, number>;

/** The clock and the timers; tests replace them. All times are in milliseconds. */
export interface TimeSource {
  readonly now: () => number;
  /** Calls `tick` at an interval; the returned function stops it. */
  readonly startTicks: (interval: number, tick: () => void) => () => void;
  /** Calls `act` once input that has arrived by now is read. */
  readonly afterInput: (act: () => void) => void;
  /** Reads the times of all threads of the processes. */
  readonly readQueueTimes: (pids: readonly number[]) => QueueTimes;
}

/** Times in milliseconds. */
export interface Spent {
  readonly limit: number;
  /** The program's own time. */
  readonly own: number;
  /** The time by the clock. */
  readonly passed: number;
}

/** In milliseconds. */
const LONGEST_TICK = 250;
const TICKS_PER_LIMIT = 20;

/** By the clock, a limit is reached after so many times its length, however busy the machine is. */
const HARD_BOUND = 20;

/** The machine counts as busy if so many times the limit passed by the clock. */
const BUSY = 1.5;

export class TimeLimit {
  readonly #limit: number;
  readonly #onReached: (spent: Spent) => void;
  readonly #source: TimeSource;
  readonly #pids: () => readonly number[];
  readonly #tickLength: number;
  #queueTimes: QueueTimes = new Map();
  #start = 0;
  #lastTick = 0;
  #own = 0;
  #stopTicks: (() => void) | undefined;

  /**
   * @param onReached is called once, unless the limit is stopped or started again before
   * @param pids the processes whose time counts
   */
  constructor(
    milliseconds: number,
    onReached: (spent: Spent) => void,
    pids: () => readonly number[] = () => [],
    source: TimeSource = MACHINE,
  ) {
    this.#limit = milliseconds;
    this.#onReached = onReached;
    this.#source = source;
    this.#pids = pids;
    this.#tickLength = Math.max(1, Math.min(LONGEST_TICK, milliseconds / TICKS_PER_LIMIT));
  }

  /** Starts at zero, even if the limit is running. */
  start(): void {
    this.#start = this.#source.now();
    this.#lastTick = this.#start;
    this.#own = 0;
    this.#stopTicks ??= this.#source.startTicks(this.#tickLength, () => this.#tick());
  }

  stop(): void {
    this.#stopTicks?.();
    this.#stopTicks = undefined;
  }

  #tick(): void {
    const now = this.#source.now();
    const counted = Math.min(now - this.#lastTick, this.#tickLength);
    this.#lastTick = now;
    this.#own += Math.max(0, counted - this.#measureWait());
    if (this.#isDue()) {
      // The reply may have arrived and be unread, because the harness had to wait.
      this.#source.afterInput(() => this.#finish());
    }
  }

  #isDue(): boolean {
    const passed = this.#lastTick - this.#start;
    return this.#own >= this.#limit || passed >= HARD_BOUND * this.#limit;
  }

  #finish(): void {
    if (!this.#stopTicks || !this.#isDue()) return;
    this.stop();
    const [limit, own, passed] = [this.#limit, this.#own, this.#source.now() - this.#start];
    this.#onReached({ limit, own, passed });
  }

  /** The longest time that a single thread has waited for a processor since the last tick. */
  #measureWait(): number {
    const before = this.#queueTimes;
    this.#queueTimes = this.#source.readQueueTimes(this.#pids());
    let longest = 0;
    for (const [thread, waited] of this.#queueTimes) {
      longest = Math.max(longest, waited - (before.get(thread) ?? 0));
    }
    return longest;
  }
}

/** Waits for an event, up to a limit. @param pids the processes whose time counts */
export function waitAtMost(
  milliseconds: number,
  event: Promise<unknown>,
  pids?: () => readonly number[],
): Promise<void> {
  return new Promise((resolve) => {
    const limit = new TimeLimit(milliseconds, () => resolve(), pids);
    limit.start();
    void event.then(() => {
      limit.stop();
      resolve();
    });
  });
}

/** Formats the time as `within 10 s`, and says if the machine was busy. */
export function formatSpent({ limit, own, passed }: Spent): string {
  const [clock, seconds] = [Math.round(passed / 1000), limit / 1000];
  if (own < limit) {
    return `within ${clock} s, of which ${(own / 1000).toFixed(1)} s were its own; the machine was busy`;
  }
  return passed < BUSY * limit
    ? `within ${seconds} s`
    : `within ${seconds} s of its own time (${clock} s passed; the machine was busy)`;
}

/** Milliseconds since the start of the harness. */
export function readClock(): number {
  // The first use of `performance` loads a module of Node.
  return process.uptime() * 1000;
}

const MACHINE: TimeSource = {
  now: readClock,
  startTicks(interval, tick) {
    const timer = setInterval(tick, interval);
    // Lets the harness exit once the program has ended.
    timer.unref();
    return () => clearInterval(timer);
  },
  afterInput: (act) => void setImmediate(act),
  readQueueTimes: process.platform === 'linux' ? readLinuxQueueTimes : () => new Map(),
};

/** The most processes of one adapter that are read. */
const MOST_PROCESSES = 64;

/** Reads the times of the processes and of their descendants. */
function readLinuxQueueTimes(pids: readonly number[]): QueueTimes {
  const times = new Map<string, number>();
  const family = [...pids];
  for (let i = 0; i < family.length && i < MOST_PROCESSES; i++) {
    const tasks = `/proc/${family[i]}/task`;
    for (const thread of listNames(tasks)) {
      // The second number of schedstat is the time in the run queue, in nanoseconds.
      const [, waited = ''] = readText(`${tasks}/${thread}/schedstat`).split(' ');
      times.set(thread, Number(waited) / 1e6);
      const children = readText(`${tasks}/${thread}/children`).split(' ');
      family.push(...children.filter((child) => child !== '').map(Number));
    }
  }
  return times;
}

/** None where /proc is not mounted, such as in an empty root. */
export function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Empty if the process has ended or belongs to another user, or the kernel has no such file. */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1').trim();
  } catch {
    return '';
  }
}
