import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Accounts,
  type ActionParameters,
  actionJson,
  actionQuery,
  type KeyPair,
  type ParameterValue,
  SPECIFICATION,
  urlEncode,
  type Verification,
  verifyJson,
  verifyQuery,
} from '../../reference/signing/index.ts';
import { always } from '../properties.ts';
import { character, keyPair, only, overwritten, shuffled } from './arbitraries.ts';
import {
  asAction,
  changedParameters,
  decimal,
  parameterName,
  parameters,
} from './arbitrary-parameters.ts';

/** A form of §4.2, and how to sign, forge and verify it. */
interface Form {
  readonly name: string;
  readonly made: (
    p: ActionParameters,
    keys: KeyPair,
  ) => { readonly sent: string; readonly signature: string };
  readonly inForm: (signature: string) => string;
  readonly verified: (sent: string, accounts: Accounts) => Verification<unknown>;
}

const FORMS: readonly Form[] = [
  {
    name: 'a query',
    made(p, keys) {
      const { query, signature } = actionQuery(p, keys, SPECIFICATION);
      return { sent: query, signature };
    },
    inForm: urlEncode,
    verified: (sent, accounts) => verifyQuery(sent, accounts, SPECIFICATION),
  },
  {
    name: 'a JSON body',
    made(p, keys) {
      const { body, signature } = actionJson(p, keys, SPECIFICATION);
      return { sent: body, signature };
    },
    inForm: (signature) => JSON.stringify(signature).slice(1, -1),
    verified: (sent, accounts) => verifyJson(sent, accounts, SPECIFICATION),
  },
];

const EACH_FORM = FORMS.map((form) => [form.name, form] as const);

const MISMATCH = { accepted: false, reason: 'signature-mismatch' };

test.each(EACH_FORM)('§5.1: a verifier accepts %s that is signed', (_name, { made, verified }) => {
  always([parameters, keyPair], 200, (rest, keys) => {
    const { sent, signature } = made(asAction(rest, keys), keys);
    const expected = { accepted: true, publicKey: keys.publicKey, stages: { signature } };
    expect(verified(sent, only(keys))).toMatchObject(expected);
  });
});

/** A JSON text of this value, not flattened. */
function written(value: ParameterValue): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if ('number' in value) return value.number;
  if ('list' in value) return `[${value.list.map(written).join(',')}]`;
  const members = value.object.map(([name, m]) => `${JSON.stringify(name)}:${written(m)}`);
  return `{${members.join(',')}}`;
}

test('§5.1: a verifier accepts nested members of a JSON body in any order', () => {
  always([parameters.chain(shuffled), keyPair], (rest, keys) => {
    const { signature } = actionQuery(asAction(rest, keys), keys, SPECIFICATION);
    const object = asAction([['Signature', signature], ...rest], keys).toReversed();
    expect(verifyJson(written({ object }), only(keys), SPECIFICATION).accepted).toBe(true);
  });
});

test('§5.3: a verifier accepts a query with needless and lower-case escapes', () => {
  const escaped = (c: string): string =>
    [...Buffer.from(c)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  const ways = [
    (c: string) => (/[&=%]/.test(c) ? escaped(c) : c),
    escaped,
    (c: string) => escaped(c).toUpperCase(),
  ];
  always([parameters, keyPair, fc.infiniteStream(fc.constantFrom(...ways))], (rest, keys, way) => {
    const { query } = actionQuery(asAction(rest, keys), keys, SPECIFICATION);
    const rewritten = query.replace(/[^&=]+/g, (t) =>
      Array.from(decodeURIComponent(t), (c) => way.next().value(c)).join(''),
    );
    expect(verifyQuery(rewritten, only(keys), SPECIFICATION).accepted).toBe(true);
  });
});

test.each(EACH_FORM)(
  '§7 E1: a verifier refuses %s whose signature has one character changed',
  (_name, form) => {
    always([parameters, keyPair, fc.nat(), character], 200, (rest, keys, at, by) => {
      const { sent, signature } = form.made(asAction(rest, keys), keys);
      const changed = overwritten(signature, at, by);
      fc.pre(changed !== signature && !JSON.stringify(changed).includes(signature));
      const start = sent.lastIndexOf(signature);
      const forged = sent.slice(0, start) + form.inForm(changed) + sent.slice(start + 40);
      const verification = form.verified(forged, only(keys));
      expect(verification).toMatchObject(MISMATCH);
      expect(JSON.stringify(verification)).not.toContain(signature);
    });
  },
);

test.each(EACH_FORM)(
  '§7 E1: a verifier refuses %s with one character of a name or a value changed',
  (_name, form) => {
    always([changedParameters, keyPair], 200, (change, keys) => {
      const [one, other] = change.map((p) => form.made(asAction(p, keys), keys));
      const forged = other?.sent.replace(other.signature, one?.signature ?? '') ?? '';
      const verification = form.verified(forged, only(keys));
      expect(verification).toMatchObject(MISMATCH);
      expect(JSON.stringify(verification)).not.toContain(other?.signature);
    });
  },
);

test('§7 E1: a verifier refuses a JSON body with a changed number', () => {
  const lastDigit = /[0-9](?=[^0-9]*$)/;
  const change = fc
    .tuple(decimal, fc.nat(9))
    .map(([n, digit]) => [n, n.replace(lastDigit, `${digit}`)]);
  always([parameterName, change, keyPair], (name, numbers, keys) => {
    const [one, other] = numbers.map((number) =>
      actionJson(asAction([[name, { number }]], keys), keys, SPECIFICATION),
    );
    fc.pre(one?.stringToSign !== other?.stringToSign);
    const forged = other?.body.replace(other.signature, one?.signature ?? '') ?? '';
    expect(verifyJson(forged, only(keys), SPECIFICATION)).toMatchObject(MISMATCH);
  });
});
