import { expect, test, vi } from 'vitest';
import { someOf, thorough } from '../amount.ts';
import { ALL_PASS, NEVER_WORKED, poisoned, program, trial } from './trial.ts';

// They wait more than they work.
vi.setConfig({ maxConcurrency: 10 });

const PATIENCE = ['--timeout', '1', '--start-timeout', '5'];

test.concurrent.each(someOf([64, 1], 2))(
  'the question over which it hangs is named, window %i',
  async (window) => {
    const { result, report } = await trial(program('hangs-over-poison', `${window}`), PATIENCE);
    expect(result).toEqual(poisoned('timeout'));
    expect(report).toContain('no reply within 1 s');
  },
);

test.concurrent.each(someOf([64, 1], 2))(
  'a question that it forgets is named, window %i',
  async (window) => {
    const { result } = await trial(program('forgets-poison', `${window}`), PATIENCE);
    expect(result).toEqual(poisoned('timeout'));
  },
);

thorough.concurrent.each([64, 1])(
  'one that hangs over everything never worked, window %i',
  async (window) => {
    const { result, report } = await trial(program('hangs-over-everything', `${window}`), [
      ...PATIENCE,
      'url-encode',
    ]);
    expect(result).toEqual(NEVER_WORKED);
    expect(report).toContain('ended as timeout: no reply within 1 s');
  },
);

test.concurrent('one that never says hello never worked', async () => {
  const { result, report } = await trial(program('is-silent'), ['--start-timeout', '1']);
  expect(result).toEqual(NEVER_WORKED);
  expect(report).toContain('it did not reply to hello within 1 s');
});

test.concurrent('one that takes a second to start is waited for', async () => {
  const { result } = await trial(program('starts-slowly', '1', '1000'), ['--start-timeout', '3']);
  expect(result).toEqual(ALL_PASS);
});

thorough.concurrent('one that takes longer than it may to start never worked', async () => {
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
  'one that %s and lives is one that hangs, window %i',
  async (name, window) => {
    const { result } = await trial(program(name, window), PATIENCE);
    expect(result).toEqual(poisoned('timeout'));
  },
);

thorough.concurrent(
  'the time limit of a run is no fault of the question that is under way',
  async () => {
    const hangs = program('hangs-over-poison');
    const { result, report } = await trial(hangs, ['--time-limit', '1', 'url-encode']);
    expect(result).toEqual({ code: 5, failures: {}, counts: { pass: 3, 'not-asked': 4 } });
    expect(report).toContain('the time limit of 1 s for the whole run was reached');
  },
);

// Windows cannot stop a process.
const posix = process.platform === 'win32' ? test.skip : test.concurrent;

posix('the time in which the harness may not run is not charged', async () => {
  const { result } = await trial(program('stops-the-harness'), ['--timeout', '1']);
  expect(result).toEqual(ALL_PASS);
});
