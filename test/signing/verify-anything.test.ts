import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Accounts,
  actionJson,
  actionQuery,
  authorization,
  type HeaderList,
  policy,
  presignedUrl,
  SPECIFICATION,
  type Verification,
  verifyAuthorization,
  verifyJson,
  verifyPresignedUrl,
  verifyQuery,
} from '../../reference/signing/index.ts';
import { always } from '../properties.ts';
import { brokenText, character, garbled, half, PRIVATE_MARK, text } from './arbitraries.ts';

const KEYS = { publicKey: 'pub@example', privateKey: `${PRIVATE_MARK}key` };
/** Knows every public key, so that no request is refused for an unknown key. */
const everybody: Accounts = (publicKey) => ({ ...KEYS, publicKey });

const FILE_HOST = 'files.example.com';
const HEADERS: HeaderList = [
  ['X-Svc-A', 'b c'],
  ['Content-Type', 'text/plain'],
];
const REQUEST = { method: 'PUT', bucket: 'demo', key: 'a b/é', headers: HEADERS };
const PLACE = { scheme: 'https', fileHost: FILE_HOST, expires: '2000000000' };
const PARAMETERS = [
  ['Action', 'Describe'],
  ['PublicKey', KEYS.publicKey],
  ['Name', 'a b&é'],
  ['CPU', { number: '1e3' }],
  ['Tag', { list: ['x', { object: [['y', true]] }] }],
] as const;

const anything = fc.oneof(
  text,
  brokenText,
  fc.string({ unit: fc.oneof(character, half), maxLength: 40 }),
);
const like = (valid: string): fc.Arbitrary<string> =>
  fc.oneof({ weight: 4, arbitrary: garbled(valid) }, { weight: 1, arbitrary: anything });
const headers: fc.Arbitrary<HeaderList> = fc.array(fc.tuple(like('X-Svc-A'), like('b\r\n c')), {
  maxLength: 3,
});

/** Expects any verdict without an exception. A refusal names a rule and no private key. */
function expectVerdict(verify: () => Verification<unknown>): void {
  const verification = verify();
  if (verification.accepted) return;
  expect(verification.message).toMatch(/(§|RFC )[0-9]/);
  expect(verification.message).not.toContain(PRIVATE_MARK);
}

const MANY = 1000;

test('§5.2: a verifier returns a verdict on any Authorization', () => {
  const values = [
    authorization(REQUEST, KEYS, SPECIFICATION),
    authorization(REQUEST, KEYS, SPECIFICATION, policy([['a', 'b']])),
  ];
  const value = fc.oneof(...values.map((signed) => like(signed.authorization)));
  always([value], MANY, (v) => {
    const sent = { ...REQUEST, headers: [...HEADERS, ['Authorization', v] as const] };
    expectVerdict(() => verifyAuthorization(sent, everybody, SPECIFICATION));
  });
});

test('§5.2: a verifier returns a verdict on any request', () => {
  const request = fc.record({ method: like('PUT'), bucket: like('demo'), key: anything, headers });
  const { authorization: value } = authorization(REQUEST, KEYS, SPECIFICATION);
  always([request], MANY, (r) => {
    const sent = { ...r, headers: [...r.headers, ['Authorization', value] as const] };
    expectVerdict(() => verifyAuthorization(sent, everybody, SPECIFICATION));
  });
});

test('§5.4: a verifier returns a verdict on any URL', () => {
  const { url } = presignedUrl({ ...REQUEST, ...PLACE }, KEYS, SPECIFICATION);
  const use = fc.record({
    method: fc.oneof(fc.constant('PUT'), like('PUT')),
    url: like(url),
    headers: fc.oneof(fc.constant(HEADERS), headers),
    fileHost: fc.oneof({ weight: 5, arbitrary: fc.constant(FILE_HOST) }, anything),
    now: fc.oneof(fc.constant(1), fc.double()),
  });
  always([use], MANY, (u) => {
    expectVerdict(() => verifyPresignedUrl(u, everybody, SPECIFICATION));
  });
});

test('§5.1: a verifier returns a verdict on any query', () => {
  const { query } = actionQuery(PARAMETERS, KEYS, SPECIFICATION);
  always([like(query)], MANY, (q) => {
    expectVerdict(() => verifyQuery(q, everybody, SPECIFICATION));
  });
});

test('§5.1: a verifier returns a verdict on any JSON body', () => {
  const { body } = actionJson(PARAMETERS, KEYS, SPECIFICATION);
  always([fc.oneof(like(body), fc.json())], MANY, (b) => {
    expectVerdict(() => verifyJson(b, everybody, SPECIFICATION));
  });
});
