import { expect, test } from 'vitest';
import { answerQuestion } from '../../reference/answers.ts';
import { OPERATIONS } from '../../reference/operations.ts';
import {
  actionJson,
  actionQuery,
  authorization,
  presignedUrl,
  SPECIFICATION,
  withSteps,
} from '../../reference/signing/index.ts';

const { steps } = SPECIFICATION;
const KEYS = { publicKey: 'pub@example', privateKey: 'priv example' };

/** One input that every operation accepts and that reaches every step. */
const REQUEST = {
  method: 'PUT',
  bucket: 'demo',
  key: 'a b',
  headers: [
    ['X-Svc-B', '2'],
    ['X-Svc-A', '1\r\n 2'],
    ['Date', 'today'],
  ],
} as const;
const PARAMETERS = [
  ['Action', 'CreateBucket'],
  ['PublicKey', KEYS.publicKey],
  ['Type', 'public'],
  ['BucketName', 'demo'],
  ['On', true],
  ['Count', { number: '1e3' }],
  ['None', { number: '0' }],
  ['Disks', { list: ['a', { object: [['Size', 'b']] }] }],
] as const;
const presigned = {
  ...REQUEST,
  expires: '2000000000',
  scheme: 'https',
  fileHost: 'files.example.com',
};
const { authorization: value } = authorization(REQUEST, KEYS, SPECIFICATION, 'e30=');
const INPUT = {
  ...presigned,
  headers: [...REQUEST.headers, ['Authorization', value]],
  fields: [['Content-Type', 'text/plain']],
  etag: 'e',
  size: '1',
  body: actionJson(PARAMETERS, KEYS, SPECIFICATION).body,
  content: { bytes: 'AAAA' },
  members: [['callbackUrl', 'https://example.com']],
  now: '1999999999',
  parameters: PARAMETERS,
  policy: 'e30=',
  query: actionQuery(PARAMETERS, KEYS, SPECIFICATION).query,
  text: 'a b',
  // Reaches the step for unsigned parameters.
  url: `${presignedUrl(presigned, KEYS, SPECIFICATION).url}&download=1`,
};

class Swapped extends Error {}

function throws(operation: string, swapped: typeof steps, input: object = INPUT): boolean {
  try {
    answerQuestion(operation, input, KEYS, { ...SPECIFICATION, steps: swapped });
    return false;
  } catch (error) {
    if (error instanceof Swapped) return true;
    throw error;
  }
}

test.each(Object.keys(OPERATIONS))(
  '§5: the sample input of operation %s has an answer',
  (operation) => {
    expect(answerQuestion(operation, INPUT, KEYS, SPECIFICATION)).toHaveProperty('stages');
  },
);

const swap = (): never => {
  throw new Swapped();
};

const isInSample = (name: string): boolean =>
  !['blockSize', 'otherNumber', 'nullParameter', 'unknownAccount'].includes(name);

test.each(Object.keys(steps).filter(isInSample))(
  '§5: at least one operation calls step %s',
  (step) => {
    const users = Object.keys(OPERATIONS).filter((name) =>
      throws(name, { ...steps, [step]: swap }),
    );
    expect(users).not.toHaveLength(0);
  },
);

test('§5.1: an invalid number calls step otherNumber', () => {
  const parameters = [...PARAMETERS, ['Ratio', { number: 'NaN' }]] as const;
  const swapped = { ...steps, otherNumber: swap };
  expect(throws('action-signature', swapped, { ...INPUT, parameters })).toBe(true);
});

test('§5.1: a null parameter calls step nullParameter', () => {
  const parameters = [...PARAMETERS, ['Nothing', null]] as const;
  const swapped = { ...steps, nullParameter: swap };
  expect(throws('action-signature', swapped, { ...INPUT, parameters })).toBe(true);
});

test('§5: an unknown public key calls step unknownAccount', () => {
  const query = INPUT.query.replace(/PublicKey=[^&]*/, 'PublicKey=nobody');
  const swapped = { ...steps, unknownAccount: swap };
  expect(throws('verify-query', swapped, { ...INPUT, query })).toBe(true);
});

test('§2: an ETag depends on step blockSize', () => {
  const swapped = withSteps(SPECIFICATION, { blockSize: 1 });
  expect(answerQuestion('etag', INPUT, KEYS, swapped)).not.toEqual(
    answerQuestion('etag', INPUT, KEYS, SPECIFICATION),
  );
});
