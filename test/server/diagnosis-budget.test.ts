import { expect, test } from 'vitest';
import { createDiagnose, TimeBudget } from '../../harness/respondents/serve/diagnosis.ts';
import type { Diagnosis, SuspectRequest } from '../../reference/server/messages/judgement.ts';
import { authorization, SPECIFICATION, SVC } from '../../reference/signing/index.ts';
import { thorough } from '../amount.ts';
import { KEYS } from './judging-service.ts';

/** Has a made-up signature, so that every pair of mistakes is tried. */
const SUSPECT: SuspectRequest = {
  method: 'PUT',
  target: '/a',
  headers: [
    ['Host', 'demo.files.example'],
    ['Authorization', `Svc ${KEYS.publicKey}:AAAAAAAAAAAAAAAAAAAAAAAAAAA=`],
    ...Array.from({ length: 60 }, (_, i) => [`X-Svc-${i}`, 'x'.repeat(80)] as const),
  ],
  body: '',
  bucket: 'demo',
};

thorough(
  'many simultaneous wrong signatures: only a few are diagnosed, the others get a note',
  () => {
    // All requests come at the same time.
    const diagnose = createDiagnose(SVC, () => 0);
    const diagnoses: (Diagnosis | undefined)[] = [];
    for (let i = 0; i < 300; i++) {
      diagnoses.push(diagnose(SUSPECT, KEYS, true));
    }
    expect(diagnoses[0]?.tried).toBeGreaterThan(50);
    const skipped = diagnoses.filter((one) => one?.note?.includes('not searched for'));
    expect(skipped.length).toBeGreaterThan(200);
    for (const one of skipped) expect(one).toMatchObject({ causes: [], tried: 0 });
    expect(skipped[0]?.lines.length).toBe(65);
    expect(skipped[0]?.expected).toHaveLength(28);
  },
);

test('a request with 10,000 parameters is not split into lines, and one with 3000 is', () => {
  const diagnose = createDiagnose(SVC);
  const action = (count: number): SuspectRequest => ({
    method: 'GET',
    target: `/?Action=A&PublicKey=${KEYS.publicKey}${Array.from({ length: count }, (_, i) => `&${i.toString(36)}=`).join('')}&Signature=0`,
    headers: [],
    body: '',
    bucket: undefined,
  });
  expect(diagnose(action(10_000), KEYS, true)).toMatchObject({
    lines: [],
    note: expect.stringContaining('a shorter one'),
  });
  expect(diagnose(action(3000), KEYS, true)?.lines).toHaveLength(3003);
});

test('a correct signature in a repeated header has no diagnosis', () => {
  const request = { method: 'PUT', bucket: 'demo', key: 'a', headers: [] };
  const right = [
    'Authorization',
    authorization(request, KEYS, SPECIFICATION).authorization,
  ] as const;
  const twice = { ...SUSPECT, headers: [['Host', 'demo.files.example'], right, right] as const };
  expect(createDiagnose(SVC)(twice, KEYS, true)).toBeUndefined();
});

test.each<[what: string, Partial<SuspectRequest>]>([
  ['no header', { headers: [] }],
  ['a path that is not UTF-8', { target: '/%ff' }],
  ['no method and a target without a slash', { target: 'nonsense', method: '' }],
  [
    'a form that is cut off',
    { headers: [['Content-Type', 'multipart/form-data; boundary=x']], body: 'nothing' },
  ],
  [
    'a repeated Date',
    {
      headers: [
        ['Date', '1'],
        ['Date', '2'],
        ['Authorization', 'Svc a:b'],
      ],
    },
  ],
])('a request with %s has no diagnosis', (_, wrong) => {
  expect(createDiagnose(SVC)({ ...SUSPECT, ...wrong }, KEYS, true)).toBeUndefined();
});

test('an empty Authorization is the cause, whatever was signed', () => {
  const empty = { ...SUSPECT, headers: [['Authorization', '']] as const };
  expect(createDiagnose(SVC)(empty, KEYS, true)?.causes).toMatchObject([
    [{ id: 'authorization-text/empty' }],
  ]);
});

test('a budget grows by a quarter of the elapsed time, up to its maximum', () => {
  const budget = new TimeBudget(0);
  expect(budget.available(0)).toBe(2000);
  budget.spend(2400);
  expect(budget.available(0)).toBe(-400);
  expect(budget.available(4000)).toBe(600);
  expect(budget.available(1_000_000)).toBe(2000);
});
