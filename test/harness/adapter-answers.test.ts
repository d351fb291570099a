import { expect, test } from 'vitest';
import { thorough } from '../amount.ts';
import { NEVER_WORKED, program, trial } from './trial.ts';

const REFUSALS = [
  'authorization/requests/refuses-a-blank-in-a-name',
  'verify-authorization/signatures/refuses-the-signature-of-another-request',
] as const;

test.concurrent('an adapter that refuses everything is reported as "never worked"', async () => {
  const { result, report } = await trial(program('refuses', '64', 'everything'));
  expect(result).toEqual(NEVER_WORKED);
  expect(report).toContain('known-good questions got a result; the first one ended as refused');
});

thorough.concurrent('a refusal is inconclusive if the corrected input is refused too', async () => {
  const { result, report } = await trial(program('refuses', '64', 'all-but-the-first'));
  expect(result.code).toBe(1);
  expect(result.counts).toEqual({ pass: 3, 'wrongly refused': 7, inconclusive: 2 });
  for (const id of REFUSALS) expect(result.failures).toHaveProperty([id], 'inconclusive');
  expect(report).toContain('refused, but the correct input was refused too');
});

test.concurrent('a verifier that refuses everything passes no vector of its operation', async () => {
  const { result } = await trial(program('refuses', '64', 'verifications'));
  expect(result).toEqual({
    code: 1,
    failures: {
      'verify-authorization/signatures/accepts-the-right-signature': 'refused',
      [REFUSALS[1]]: 'inconclusive',
    },
    counts: { pass: 10, 'wrongly refused': 1, inconclusive: 1 },
  });
});

test.concurrent('a verifier that accepts everything fails', async () => {
  const { result, report } = await trial(program('accepts-everything'), ['verify-authorization']);
  expect(result).toEqual({
    code: 1,
    failures: { [REFUSALS[1]]: 'fail' },
    counts: { pass: 1, fail: 1 },
  });
  expect(report).toContain('answered "pub"; must be refused for example as signature-mismatch');
});

test.concurrent('a constant answer passes only the vectors that expect it', async () => {
  const { result } = await trial(program('answers-a-constant', '64'), [
    'url-encode',
    'authorization',
  ]);
  expect(result.code).toBe(1);
  expect(result.counts).toEqual({ pass: 2, fail: 8 });
  expect(result.failures).toHaveProperty([REFUSALS[0]], 'fail');
});

thorough.concurrent('an adapter with only errors is reported as "never worked"', async () => {
  const { result, report } = await trial(program('says-error', '64'));
  expect(result).toEqual(NEVER_WORKED);
  expect(report).toContain('ended as error: TypeError: sign is not a function');
});

thorough.concurrent('an adapter that supports nothing is reported as "never worked"', async () => {
  const { result } = await trial(program('has-no-operation', '64', 'everything'));
  expect(result).toEqual(NEVER_WORKED);
});

test.concurrent.each([
  ['an operation', 'verify-authorization', { pass: 10, unsupported: 2 }],
  ['a question', 'poison', { pass: 11, unsupported: 1 }],
])('%s that is listed but unsupported does not fail the run', async (_, what, counts) => {
  const { result } = await trial(program('has-no-operation', '64', what));
  expect(result).toEqual({ code: 0, failures: {}, counts });
});
