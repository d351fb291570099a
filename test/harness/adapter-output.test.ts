import { describe, expect, test } from 'vitest';
import { someOf } from '../amount.ts';
import { ALL_PASS, NEVER_WORKED, poisoned, program, SOME_WIRES, trial, trialIn } from './trial.ts';

/** With one question at a time, unlike with many, it is clear which question a line is about. */
const WINDOWS = someOf(['64', '1'], 2);

const NO_MESSAGE = { json: 'is not JSON', tabs: 'is not a key, a tab and a value' };

const NESTED = {
  json: 'result/encoded is not of type string',
  tabs: 'the key "result.encoded.0.0.0.0',
};

/** In characters; the paths in commands take part of it. */
const LONGEST_REPORT = 3000;

const LOUD_REPLIES = someOf(
  [
    ['error', 'error'],
    ['answer', 'fail'],
    ['refusal', 'refused'],
    ['unknown member', 'garbage'],
  ] as const,
  2,
);

/** All control characters except the line feed. */
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

describe.concurrent.each(SOME_WIRES)('in %s', (wire) => {
  const trial = trialIn(wire);

  test.each(WINDOWS)('a log line is reported for its question, window %s', async (window) => {
    const { result, report } = await trial(program('babbles', window));
    expect(result).toEqual(poisoned('garbage'));
    expect(report).toContain(
      `the line "debug: signing poison" ${NO_MESSAGE[wire]}; write logs to standard error`,
    );
  });

  test.each(WINDOWS)(
    'an adapter that writes a log line before each reply is reported as "never worked", window %s',
    async (window) => {
      const { result, report } = await trial(program('babbles', window, 'always'));
      expect(result).toEqual(NEVER_WORKED);
      expect(report).toContain('write logs to standard error');
    },
  );

  test.each(WINDOWS)('endless output is reported as "never worked", window %s', async (window) => {
    expect((await trial(program('floods-after-hello', window))).result).toEqual(NEVER_WORKED);
  });

  test('log lines for many questions do not stop the run', async () => {
    const babbles = program('babbles', '2', 'over all but the first');
    const { result, record } = await trial(babbles, ['--restarts', '1', 'url-encode']);
    expect(result.code).toBe(1);
    expect(result.counts).toEqual({ pass: 1, garbage: 6 });
    expect(record).toHaveLength(2);
  });

  test.each(WINDOWS)('a reply with an unknown number is refused, window %s', async (window) => {
    const { result, report } = await trial(program('answers-other-numbers', window));
    expect(result).toEqual(NEVER_WORKED);
    expect(report).toMatch(/it replied to question 10[0-9][0-9], which it was not asked/);
  });

  test.each(WINDOWS)('a second reply is reported for its question, window %s', async (window) => {
    const { result, report } = await trial(program('answers-twice', window));
    expect(result).toEqual(poisoned('garbage'));
    expect(report).toContain('it replied to this question twice');
  });

  test('replies may come in any order within the window', async () => {
    const { result, record } = await trial(program('answers-backwards', '64'));
    expect(result).toEqual(ALL_PASS);
    expect(record).toContain('17 at once');
  });

  test.each(WINDOWS)(
    'a line of more than 8 MiB is reported for its question, window %s',
    async (window) => {
      const { result, report } = await trial(program('writes-a-huge-line', window));
      expect(result).toEqual(poisoned('garbage'));
      expect(report).toContain('it wrote a line of more than 8 MiB');
    },
  );

  test('a line of more than 8 MiB is reported even if it does not end', async () => {
    const { result } = await trial(program('writes-without-end'));
    expect(result).toEqual(poisoned('garbage'));
  });

  test.each(WINDOWS)('a line that is not UTF-8 is a malformed reply, window %s', async (window) => {
    const { result, report } = await trial(program('writes-latin-1', window));
    expect(result).toEqual(poisoned('garbage'));
    expect(report).toContain('it wrote a line that is not UTF-8');
  });

  test('a reply that is nested too deeply is malformed', async () => {
    const { result, report } = await trial(program('nests-deeply'));
    expect(result).toEqual(poisoned('garbage'));
    expect(report).toContain(NESTED[wire]);
  });

  test.each(someOf(LOUD_REPLIES, 3))(
    'a mebibyte of %s does not fill the report',
    async (what, status) => {
      const { result, report } = await trial(program('says-much', '1', what));
      expect(result).toEqual(poisoned(status));
      expect(report.length).toBeLessThan(LONGEST_REPORT);
    },
  );

  test('a mebibyte of answer in place of a refusal does not fill the report', async () => {
    const { result, report } = await trial(program('answers-at-length'), ['authorization']);
    expect(result.counts).toEqual({ pass: 2, fail: 1 });
    expect(report.length).toBeLessThan(LONGEST_REPORT);
  });

  async function expectNoForgery(what: string): Promise<void> {
    const { stdout } = await trial(program('forges-a-report', '1', what));
    expect(stdout).not.toMatch(CONTROL);
    expect(stdout).toMatch(/\n(conformance failures|all as expected).*\n$/);
    expect(stdout.match(/^all as expected/gm) ?? []).toHaveLength(what === 'hello' ? 1 : 0);
  }

  test('control characters of an answer do not reach the terminal', () =>
    expectNoForgery('answer'));

  test.each(['hello', 'error', 'refusal', 'unknown member'])(
    'control characters of %s do not reach the terminal',
    expectNoForgery,
  );

  test('a reply may arrive byte by byte, split within characters', async () => {
    const { result, report } = await trial(program('writes-in-pieces', '64'), ['url-encode']);
    expect(result).toEqual({ ...ALL_PASS, counts: { pass: 7 } });
    expect(report).toContain('Stücke 🔑 1 (javascript)');
  });
});

test.concurrent('a line may end with carriage return and line feed', async () => {
  expect((await trial(program('ends-lines-with-crlf', '64'))).result).toEqual(ALL_PASS);
});

test.concurrent('an adapter that writes megabytes to standard error passes', async () => {
  expect((await trial(program('floods-errors'))).result).toEqual(ALL_PASS);
});
