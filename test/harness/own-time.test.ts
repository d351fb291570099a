import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import {
  formatSpent,
  type QueueTimes,
  type Spent,
  TimeLimit,
  type TimeSource,
} from '../../harness/respondents/adapter/time-limit.ts';

/** A machine whose clock the test moves. */
class Machine implements TimeSource {
  #now = 0;
  #tick: (() => void) | undefined;
  readonly #waited = new Map<string, number>();
  /** What happens before the harness checks the limit, such as a reply that is read. */
  input: () => void = () => {};
  tickLength = 0;

  now = (): number => this.#now;

  startTicks = (milliseconds: number, tick: () => void): (() => void) => {
    this.tickLength = milliseconds;
    this.#tick = tick;
    return () => {
      this.#tick = undefined;
    };
  };

  afterInput = (act: () => void): void => {
    this.input();
    act();
  };

  readQueueTimes = (): QueueTimes => new Map(this.#waited);

  get isTicking(): boolean {
    return this.#tick !== undefined;
  }

  /** Moves the clock by late ticks, during each of which threads wait for a processor. */
  tick(count: number, late = 0, waits: Readonly<Record<string, number>> = {}): void {
    for (let i = 0; i < count && this.#tick; i++) {
      this.#now += this.tickLength + late;
      for (const [thread, wait] of Object.entries(waits)) {
        this.#waited.set(thread, (this.#waited.get(thread) ?? 0) + wait);
      }
      this.#tick();
    }
  }
}

function limited(milliseconds = 10_000): {
  readonly machine: Machine;
  readonly limit: TimeLimit;
  readonly reached: Spent[];
} {
  const machine = new Machine();
  const reached: Spent[] = [];
  const limit = new TimeLimit(
    milliseconds,
    (spent) => reached.push(spent),
    () => [1],
    machine,
  );
  limit.start();
  return { machine, limit, reached };
}

test('on an idle machine a limit is reached when its time has passed', () => {
  const { machine, reached } = limited();
  machine.tick(39);
  expect(reached).toEqual([]);
  machine.tick(1);
  expect(reached.map(formatSpent)).toEqual(['within 10 s']);
  expect(machine.isTicking).toBe(false);
});

test('a late tick counts as much time as a punctual one, and the message says so', () => {
  const { machine, reached } = limited();
  machine.tick(39, 750);
  expect(reached).toEqual([]);
  machine.tick(1, 750);
  expect(reached).toEqual([{ limit: 10_000, own: 10_000, passed: 40_000 }]);
  expect(reached.map(formatSpent)).toEqual([
    'within 10 s of its own time (40 s passed; the machine was busy)',
  ]);
});

test('time in which a thread waits for a processor does not count', () => {
  const { machine, reached } = limited();
  // Of several threads, the one that waits longest says how busy the machine is.
  machine.tick(79, 0, { main: 125, other: 100 });
  expect(reached).toEqual([]);
  machine.tick(1, 0, { main: 125, other: 100 });
  expect(reached.map(formatSpent)).toEqual([
    'within 10 s of its own time (20 s passed; the machine was busy)',
  ]);
});

test('a process that gets no processor time is stopped at the hard limit', () => {
  const { machine, reached } = limited();
  machine.tick(799, 0, { main: 250 });
  expect(reached).toEqual([]);
  machine.tick(1, 0, { main: 250 });
  expect(reached.map(formatSpent)).toEqual([
    'within 200 s, of which 0.0 s were its own; the machine was busy',
  ]);
});

test('a reply that has arrived when the limit is reached counts', () => {
  const { machine, limit, reached } = limited();
  machine.input = () => limit.stop();
  machine.tick(100);
  expect(reached).toEqual([]);
});

test('a limit that is restarted has no time spent', () => {
  const { machine, limit, reached } = limited();
  machine.tick(39);
  limit.start();
  machine.tick(39);
  expect(reached).toEqual([]);
  machine.tick(1);
  expect(reached).toHaveLength(1);
});

test('time in which a process sleeps counts, until the limit is reached', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  const spent = await new Promise<Spent>((resolve) => {
    new TimeLimit(300, resolve, () => [child.pid ?? 0]).start();
  });
  child.kill('SIGKILL');
  expect(spent.limit).toBe(300);
  expect(spent.own > 0).toBe(true);
});
