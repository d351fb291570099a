import { describe, expect, test } from 'vitest';
import { someOf, thorough } from '../amount.ts';
import { ALL_PASS, NEVER_WORKED, poisoned, program, SOME_WIRES, trial, trialIn } from './trial.ts';

describe.concurrent.each(SOME_WIRES)('in %s', (wire) => {
  const trial = trialIn(wire);

  test('a correct adapter passes in a single process, which has ended after the run', async () => {
    const { result, record } = await trial(program('is-right', '64'));
    expect(result).toEqual(ALL_PASS);
    expect(record).toHaveLength(1);
  });

  test.each(someOf([64, 1], 2))(
    'the question on which an adapter crashes is reported, window %i',
    async (window) => {
      const { result, report } = await trial(program('crashes-over-poison', `${window}`));
      expect(result).toEqual(poisoned('crashed'));
      expect(report).toContain('it exited with status 70');
      expect(report).toContain('standard error ends with "PoisonError: it was in the text"');
    },
  );

  test.each(someOf([64, 1], 2))(
    'an adapter that crashes on every question is reported as "never worked", window %i',
    async (window) => {
      const { result, report } = await trial(program('crashes-over-everything', `${window}`));
      expect(result).toEqual(NEVER_WORKED);
      expect(report).toContain('ended as crashed: it was ended by SIGABRT');
    },
  );
});

test.concurrent('an adapter that crashes before its reply to hello is reported as "never worked"', async () => {
  const { result, report } = await trial(program('crashes-before-hello'));
  expect(result).toEqual(NEVER_WORKED);
  expect(report).toContain('it exited with status 7 before it replied to hello');
  expect(report).toContain('standard error ends with "ImportError: no module named signing"');
});

test.concurrent('an adapter that exits right after its reply to hello is reported as "never worked"', async () => {
  expect((await trial(program('ends-after-hello', '64'))).result).toEqual(NEVER_WORKED);
});

test.concurrent('the answers of an adapter that keeps exiting are reported', async () => {
  const keepsExiting = program('exits-after-answers', '1', '2');
  const { result, report, record } = await trial(keepsExiting, ['--restarts', '1', 'url-encode']);
  expect(result.code).toBe(5);
  expect(result.counts).toEqual({ pass: 3, crashed: 2, 'not-asked': 2 });
  expect(report).toContain(
    'the run stopped early: the adapter had to be restarted more than 1 times',
  );
  expect(record).toHaveLength(2);
});

thorough.concurrent(
  'an operation is skipped after three crashes, and the others are not',
  async () => {
    const { result } = await trial(program('crashes-over-most-texts', '64'));
    expect(result.code).toBe(5);
    expect(result.counts).toEqual({ pass: 6, crashed: 3, 'not-asked': 3 });
  },
);

test.concurrent('questions are asked again if the adapter exits normally before it answers them', async () => {
  const { result, record } = await trial(program('dies-once-idle', '64'));
  expect(result).toEqual(ALL_PASS);
  expect(record).toHaveLength(2);
});
