import { describe, expect, test } from 'vitest';
import { ALL_PASS, NEVER_WORKED, program, SOME_WIRES, trialIn } from './trial.ts';

describe.concurrent.each(SOME_WIRES)('in %s', (wire) => {
  const trial = trialIn(wire);

  test('a banner before the reply to hello is tolerated and reported', async () => {
    const { result, report } = await trial(program('prints-a-banner', '64', '3'));
    expect(result).toEqual(ALL_PASS);
    expect(report).toContain('3 lines before the reply to hello were not messages');
  });

  test('endless lines before the reply to hello are not tolerated', async () => {
    const { result, report } = await trial(program('floods-output'));
    expect(result).toEqual(NEVER_WORKED);
    expect(report).toContain('lines that are not a reply to hello, the last one: "y"');
  });

  test('an endless line before the reply to hello is not tolerated', async () => {
    const { result, report } = await trial(program('floods-output', '1', 'one line'));
    expect(result).toEqual(NEVER_WORKED);
    expect(report).toContain('it wrote a line of more than 8 MiB before it replied to hello');
  });

  test.each([
    ['no operation', { operations: [] }, 'operations must NOT have fewer than 1 items'],
    [
      'an unknown operation',
      { operations: ['url-encode', 'sign'] },
      'operations/1 is not one of "url-',
    ],
    ['another version', { protocol: 2 }, 'protocol is not 1'],
    ['a version as text', { protocol: '01' }, 'protocol is not 1'],
    ['a window of 0', { window: 0 }, 'window must be >= 1'],
    ['a window of 65', { window: 65 }, 'window must be <= 64'],
    ['an unknown trace', { traces: ['hmac'] }, 'traces/0 is not one of'],
    ['no name', { implementation: { version: '1', language: 'c' } }, 'lacks the member "name"'],
    ['an unknown member', { dialect: 'svc' }, 'the unknown member "dialect"'],
  ])('a reply to hello with %s is refused', async (_, members, fault) => {
    const { result, report } = await trial(program('says-hello', '1', JSON.stringify(members)));
    expect(result).toEqual(NEVER_WORKED);
    expect(report).toContain('its reply to hello is malformed');
    expect(report).toContain(fault);
  });

  test('a run without any vector for the operations of the adapter is a usage error', async () => {
    const policies = program('says-hello', '1', '{"operations":["policy"]}');
    const { result, report } = await trial(policies);
    expect(result).toEqual({ code: 2, failures: {}, counts: { unsupported: 12 } });
    expect(report).toContain('nothing was judged');
  });

  test('vectors for operations that the adapter lacks count as unsupported and do not fail the run', async () => {
    const encoder = program('says-hello', '64', '{"operations":["url-encode"]}');
    const { result } = await trial(encoder);
    expect(result).toEqual({ code: 0, failures: {}, counts: { pass: 7, unsupported: 5 } });
  });
});
