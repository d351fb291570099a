import { expect, test, vi } from 'vitest';
import { someOf, thorough } from '../amount.ts';
import { ALL_PASS, NEVER_WORKED, poisoned, program, trial } from './trial.ts';

// These tests mostly wait.
vi.setConfig({ maxConcurrency: 10 });

const PATIENCE = ['--timeout', '1', '--start-timeout', '5'];

test.concurrent.each(someOf([64, 1], 2))(
  'the question on which an adapter hangs is reported, window %i',
  async (window) => {
    const { result, report } = await trial(program('hangs-over-poison', `${window}`), PATIENCE);
    expect(result).toEqual(poisoned('timeout'));
    expect(report).toContain('no reply within 1 s');
  },
);

test.concurrent.each(someOf([64, 1], 2))(
  'a question without a reply is reported, window %i',
  async (window) => {
    const { result } = await trial(program('forgets-poison', `${window}`), PATIENCE);
    expect(result).toEqual(poisoned('timeout'));
  },
);

thorough.concurrent.each([64, 1])(
  'an adapter that hangs on every question is reported as "never worked", window %i',
  async (window) => {
    const { result, report } = await trial(program('hangs-over-everything', `${window}`), [
      ...PATIENCE,
      'url-encode',
    ]);
    expect(result).toEqual(NEVER_WORKED);
    expect(report).toContain('ended as timeout: no reply within 1 s');
  },
);

test.concurrent('an adapter that never replies to hello is reported as "never worked"', async () => {
  const { result, report } = await trial(program('is-silent'), ['--start-timeout', '1']);
  expect(result).toEqual(NEVER_WORKED);
  expect(report).toContain('it did not reply to hello within 1 s');
});

test.concurrent('an adapter that takes a second to start passes', async () => {
  const { result } = await trial(program('starts-slowly', '1', '1000'), ['--start-timeout', '3']);
  expect(result).toEqual(ALL_PASS);
});

thorough.concurrent('an adapter that starts too slowly is reported as "never worked"', async () => {
  const { result } = await trial(program('starts-slowly', '1', '600000'), ['--start-timeout', '2']);
  expect(result).toEqual(NEVER_WORKED);
});

const CLOSING: readonly (readonly [name: string, window: string])[] = [
  ['closes-input', '64'],
  ['closes-input', '1'],
  ['closes-output', '64'],
  ['closes-output', '1'],
];

test.concurrent.each(someOf(CLOSING, 2))(
  'an adapter that %s and keeps running times out, window %i',
  async (name, window) => {
    const { result } = await trial(program(name, window), PATIENCE);
    expect(result).toEqual(poisoned('timeout'));
  },
);

thorough.concurrent(
  'a question that is under way at the time limit of the run does not fail',
  async () => {
    const hangs = program('hangs-over-poison');
    const { result, report } = await trial(hangs, ['--time-limit', '1', 'url-encode']);
    expect(result).toEqual({ code: 5, failures: {}, counts: { pass: 3, 'not-asked': 4 } });
    expect(report).toContain('the time limit of 1 s for the whole run was reached');
  },
);

// Windows cannot suspend a process.
const posix = process.platform === 'win32' ? test.skip : test.concurrent;

posix('time in which the harness is suspended does not count towards the timeout', async () => {
  const { result } = await trial(program('stops-the-harness'), ['--timeout', '1']);
  expect(result).toEqual(ALL_PASS);
});
