import fc from 'fast-check';
import { test } from 'vitest';
import {
  actionQuery,
  actionSignature,
  authorization,
  formAuthorization,
  password,
  presignedUrl,
  SPECIFICATION,
  urlEncode,
} from '../../reference/signing/index.ts';
import { always } from '../properties.ts';
import { brokenText, half, keyPair, text } from './arbitraries.ts';
import { asAction, parameters } from './arbitrary-parameters.ts';
import { type Attempt, expectInputError, signsAction, signsFile } from './attempts.ts';

const REQUEST = { method: 'GET', bucket: 'b', key: '', headers: [] };
const withoutLineEnds = (v: string): string => v.replace(/[\r\n\0]/g, '');

/** Every place of a request that can contain half a surrogate pair. */
const TEXTS: Readonly<Record<string, (broken: string) => Attempt>> = {
  'the key': (key) => signsFile(REQUEST, { key }),
  'the bucket': (bucket) => signsFile(REQUEST, { bucket: `b${bucket.replaceAll('/', '')}` }),
  'an extra header': (v) => signsFile(REQUEST, { headers: [['X-Svc-A', withoutLineEnds(v)]] }),
  'a positional header': (v) => signsFile(REQUEST, { headers: [['Date', withoutLineEnds(v)]] }),
  'a parameter name': (name) => signsAction([[name, '']]),
  'one of two parameter names': (name) =>
    signsAction([
      [name, ''],
      ['A', ''],
    ]),
  'a nested parameter name': (name) => signsAction([['A', { object: [[name, true]] }]]),
  'a parameter value': (v) => signsAction([['A', v]]),
  'a nested parameter value': (v) => signsAction([['A', { list: [v] }]]),
  'a form field': (v) => (keys) =>
    formAuthorization(
      { ...REQUEST, fields: [['Content-Type', withoutLineEnds(v)]] },
      keys,
      SPECIFICATION,
    ),
  Expires: (expires) => (keys) =>
    presignedUrl({ ...REQUEST, expires, scheme: 'https', fileHost: 'h' }, keys, SPECIFICATION),
  'the private key of an action':
    (broken) =>
    ({ privateKey }) =>
      actionSignature([], privateKey + broken, SPECIFICATION),
  'the private key of a file request': (broken) => (keys) =>
    authorization(REQUEST, { ...keys, privateKey: keys.privateKey + broken }, SPECIFICATION),
  'a text to encode': (t) => () => urlEncode(t),
  'a password': (t) => () => password(t),
};

test.each(Object.entries(TEXTS))(
  '§5.3: half a surrogate pair in %s is an input error',
  (_place, attempt) => {
    always([brokenText, keyPair], (broken, keys) => {
      expectInputError('text', () => attempt(broken)(keys));
    });
  },
);

/** Adjacent places in a string to sign, with nothing between them. */
const NEIGHBOURS: Readonly<Record<string, (first: string, second: string) => Attempt>> = {
  'a parameter name and its value': (a, b) => signsAction([[a, b]]),
  'a parameter value and the next name': (a, b) =>
    signsAction([
      ['', a],
      [b, ''],
    ]),
  'a parameter value and the private key': (a, b) => () =>
    actionSignature([['A', a]], b, SPECIFICATION),
  'a key and its policy': (key, policy) => (keys) =>
    authorization({ ...REQUEST, key }, keys, SPECIFICATION, policy),
};

test.each(Object.entries(NEIGHBOURS))(
  '§5: a surrogate pair split between %s is an input error',
  (_places, attempt) => {
    always([text, text, keyPair], (before, after, keys) => {
      expectInputError('text', () => attempt(`${before}\uD83D`, `\uDE00${after}`)(keys));
    });
  },
);

test('§5: half a surrogate pair anywhere among parameters is an input error', () => {
  const place = fc.constantFrom(
    (t: string) => [t, ''] as const,
    (t: string) => ['A', t] as const,
  );
  always([parameters, place, text, half, keyPair], (rest, placed, before, broken, keys) => {
    const signed = asAction(
      [...rest.filter(([name]) => name !== 'A'), placed(before + broken)],
      keys,
    );
    expectInputError('text', () => actionQuery(signed, keys, SPECIFICATION));
  });
});
