import { describe, expect, test } from 'vitest';
import { programRun } from './client-run.ts';
import { PYTHON, source, withoutPython } from './clients.ts';

const FILE_REFUSAL = { status: 403, answer: { RetCode: -148658, ErrMsg: 'invalid signature' } };
const ACTION_REFUSAL = {
  status: 200,
  answer: { RetCode: 171, Message: 'Signature VerifyAC Error' },
};

/** The planted mistake, the expected refusal, and the expected cause in the answer. */
const MISTAKES = [
  ['resource-without-bucket', FILE_REFUSAL, { mistake: 'resource-without-bucket' }],
  ['resource-encoded', FILE_REFUSAL, { mistake: 'resource-encoded' }],
  ['verb-in-lower-case', FILE_REFUSAL, { mistake: 'verb-in-lower-case' }],
  [
    'Content-Type unsigned',
    FILE_REFUSAL,
    {
      cause:
        'the request was signed without the header Content-Type, but it is sent with "text/plain"',
    },
  ],
  ['signature-url-safe', FILE_REFUSAL, { mistake: 'signature-url-safe' }],
  ['parameters-unsorted', ACTION_REFUSAL, { mistake: 'parameters-unsorted' }],
] as const;

describe.skipIf(withoutPython)(`the SDK for Python with a mistake${withoutPython}`, () => {
  test.each(MISTAKES)('the answer names the mistake %s', async (mistake, refusal, cause) => {
    const { told, exchanges } = await programRun([PYTHON, source('python/wrong.py'), mistake]);
    const refused = JSON.parse(told);
    expect(refused).toMatchObject(refusal);
    const [first] = refused.answer.Signature.causes;
    expect(first).toEqual([expect.objectContaining(cause)]);
    expect(exchanges).toMatchObject([{ judgement: { kind: 'wrong' } }]);
  });
});
