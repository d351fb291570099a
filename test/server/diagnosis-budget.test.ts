import { expect, test } from 'vitest';
import { createDiagnose, TimeBudget } from '../../harness/respondents/serve/diagnosis.ts';
import type { Diagnosis, SuspectRequest } from '../../reference/server/messages/judgement.ts';
import { authorization, SPECIFICATION, SVC } from '../../reference/signing/index.ts';
import { thorough } from '../amount.ts';
import { KEYS } from './judging-service.ts';

/** Signed by nobody, so that every pair of mistakes is tried. */
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
  'a flood of wrong signatures has few searches, and the other answers say that no cause was looked for',
  () => {
    // They all come at one moment.
    const diagnose = createDiagnose(SVC, () => 0);
    const diagnoses: (Diagnosis | undefined)[] = [];
    for (let i = 0; i < 300; i++) {
      diagnoses.push(diagnose(SUSPECT, KEYS, true));
    }
    expect(diagnoses[0]?.tried).toBeGreaterThan(50);
    const unlooked = diagnoses.filter((one) => one?.note?.includes('not searched for'));
    expect(unlooked.length).toBeGreaterThan(200);
    for (const one of unlooked) expect(one).toMatchObject({ causes: [], tried: 0 });
    expect(unlooked[0]?.lines.length).toBe(65);
    expect(unlooked[0]?.expected).toHaveLength(28);
  },
);

test('a request of thousands of parameters is not taken apart, and one just short enough is', () => {
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

test('a right signature that is refused for its form is explained by no mistake', () => {
  const request = { method: 'PUT', bucket: 'demo', key: 'a', headers: [] };
  const right = [
    'Authorization',
    authorization(request, KEYS, SPECIFICATION).authorization,
  ] as const;
  const twice = { ...SUSPECT, headers: [['Host', 'demo.files.example'], right, right] as const };
  expect(createDiagnose(SVC)(twice, KEYS, true)).toBeUndefined();
});

test('what is no request to explain has no diagnosis and throws nothing', () => {
  const diagnose = createDiagnose(SVC);
  const wrong: readonly Partial<SuspectRequest>[] = [
    { headers: [] },
    { target: '/%ff' },
    { target: 'nonsense', method: '' },
    { headers: [['Authorization', '']] },
    { headers: [['Content-Type', 'multipart/form-data; boundary=x']], body: 'nothing' },
    {
      headers: [
        ['Date', '1'],
        ['Date', '2'],
        ['Authorization', 'Svc a:b'],
      ],
    },
  ];
  for (const one of wrong) {
    expect(() => diagnose({ ...SUSPECT, ...one }, KEYS, true)).not.toThrow();
  }
  expect(diagnose({ ...SUSPECT, headers: [] }, KEYS, true)).toBeUndefined();
});

test('a budget fills with a quarter of the time that passes, up to its most', () => {
  const budget = new TimeBudget(0);
  expect(budget.available(0)).toBe(2000);
  budget.spend(2400);
  expect(budget.available(0)).toBe(-400);
  expect(budget.available(4000)).toBe(600);
  expect(budget.available(1_000_000)).toBe(2000);
});
