import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type ActionParameters,
  actionQuery,
  actionSignature,
  authorization,
  bucketRequest,
  type FileRequest,
  formAuthorization,
  InputError,
  type InputErrorCode,
  type KeyPair,
  password,
  presignedUrl,
  SPECIFICATION,
  urlEncode,
} from '../../reference/signing/index.ts';
import {
  asAction,
  brokenText,
  fileRequest,
  half,
  keyPair,
  PRIVATE_MARK,
  parameterName,
  parameters,
  positionalName,
  text,
} from './arbitraries.ts';

type Attempt = (keys: KeyPair) => unknown;

const signsFile =
  (request: FileRequest, change: Partial<FileRequest>): Attempt =>
  (keys) =>
    authorization({ ...request, ...change }, keys, SPECIFICATION);
const signsAction =
  (signed: ActionParameters): Attempt =>
  ({ privateKey }) =>
    actionSignature(signed, privateKey, SPECIFICATION);

const notToken = fc.oneof(text, brokenText).filter((t) => !/^[!#$%&'*+\-.^_`|~\w]+$/.test(t));
const notNumber = text.filter((t) => !/^-?\d/.test(t));
/** A line end without a blank after it, or a NUL. */
const notLine = fc
  .tuple(text, fc.constantFrom('\0', '\r', '\n', '\r\n'), fc.constantFrom('', 'a'))
  .map((parts) => parts.join(''));

/** Every place of a request in which half a surrogate pair may stand. */
const TEXTS: Readonly<Record<string, (broken: string) => Attempt>> = {
  'the key': (key) => signsFile({ method: 'GET', bucket: 'b', key, headers: [] }, {}),
  'the bucket': (bucket) =>
    signsFile(
      { method: 'GET', bucket: `b${bucket.replaceAll('/', '')}`, key: '', headers: [] },
      {},
    ),
  'an extra header': (v) =>
    signsFile(
      { method: 'GET', bucket: 'b', key: '', headers: [['X-Svc-A', v.replace(/[\r\n\0]/g, '')]] },
      {},
    ),
  'a positional header': (v) =>
    signsFile(
      { method: 'GET', bucket: 'b', key: '', headers: [['Date', v.replace(/[\r\n\0]/g, '')]] },
      {},
    ),
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
      { bucket: 'b', key: '', headers: [], fields: [['Content-Type', v.replace(/[\r\n\0]/g, '')]] },
      keys,
      SPECIFICATION,
    ),
  Expires: (expires) => (keys) =>
    presignedUrl(
      { method: 'GET', bucket: 'b', key: '', headers: [], expires, scheme: 'https', fileHost: 'h' },
      keys,
      SPECIFICATION,
    ),
  'the private key of an action':
    (broken) =>
    ({ privateKey }) =>
      actionSignature([], privateKey + broken, SPECIFICATION),
  'the private key of a file request': (broken) => (keys) =>
    signsFile(
      { method: 'GET', bucket: 'b', key: '', headers: [] },
      {},
    )({ ...keys, privateKey: keys.privateKey + broken }),
  'a text to encode': (t) => () => urlEncode(t),
  'a password': (t) => () => password(t),
};

/** Input of every kind that §5 gives no signature to. */
const FAULTS: Readonly<Record<InputErrorCode, fc.Arbitrary<Attempt>>> = {
  bucket: fc
    .tuple(
      fileRequest,
      fc.oneof(
        fc.constant(''),
        text.map((t) => `${t}/`),
      ),
    )
    .map(([r, bucket]) => signsFile(r, { bucket })),
  'header-name': fc
    .tuple(
      fileRequest,
      notToken.filter((t) => !/^[ \t]|[ \t]$/.test(t)),
    )
    .map(([r, name]) => signsFile(r, { headers: [...r.headers, [name, 'v']] })),
  'header-repeated': fc
    .tuple(fileRequest, positionalName)
    .map(([r, name]) => signsFile(r, { headers: [...r.headers, [name, 'v'], [name, 'v']] })),
  'header-value': fc
    .tuple(fileRequest, notLine)
    .map(([r, v]) => signsFile(r, { headers: [['a', v], ...r.headers] })),
  method: fc.tuple(fileRequest, notToken).map(([r, method]) => signsFile(r, { method })),
  number: fc
    .tuple(parameterName, notNumber)
    .map(([name, number]) => signsAction([[name, { number }]])),
  'parameter-missing': fc.tuple(parameters, fc.constantFrom(actionQuery, bucketRequest)).map(
    ([p, form]) =>
      (keys) =>
        form(p, keys, SPECIFICATION),
  ),
  'parameter-null': fc
    .tuple(parameters, parameterName)
    .map(([p, name]) => signsAction([...p, [name, null]])),
  'parameter-repeated': fc
    .tuple(parameters, parameterName, text)
    .map(([p, name, v]) => signsAction([...p, [name, v], [name, v]])),
  text: fc
    .tuple(fc.constantFrom(...Object.values(TEXTS)), brokenText)
    .map(([place, broken]) => place(broken)),
};

function expectInputError(code: string, attempt: () => unknown): void {
  let error: unknown;
  try {
    attempt();
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(InputError);
  const { message } = error as InputError;
  expect(error).toMatchObject({ name: 'InputError', code });
  expect(message).toMatch(/^[a-z][^\n]*(§|RFC )[^\n]*; [^\n]*[^.]$/);
  expect(message).not.toContain(PRIVATE_MARK);
}

test.each(Object.entries(FAULTS))(
  '§5: input error %s says what, rule and way out, and no private key',
  (code, fault) => {
    fc.assert(
      fc.property(fault, keyPair, (attempt, keys) => {
        expectInputError(code, () => attempt(keys));
      }),
    );
  },
);

test.each(Object.entries(TEXTS))(
  '§5.3: half a surrogate pair in %s is an input error',
  (_place, attempt) => {
    fc.assert(
      fc.property(brokenText, keyPair, (broken, keys) => {
        expectInputError('text', () => attempt(broken)(keys));
      }),
    );
  },
);

/** Places that follow one another in a signed text, without anything between them. */
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
    authorization({ method: 'GET', bucket: 'b', key, headers: [] }, keys, SPECIFICATION, policy),
};

test.each(Object.entries(NEIGHBOURS))(
  '§5: the halves that end and start %s do not meet',
  (_places, attempt) => {
    fc.assert(
      fc.property(text, text, keyPair, (before, after, keys) => {
        expectInputError('text', () => attempt(`${before}\uD83D`, `\uDE00${after}`)(keys));
      }),
    );
  },
);

test('§5: half a surrogate pair anywhere among parameters is an input error', () => {
  const place = fc.constantFrom(
    (t: string) => [t, ''] as const,
    (t: string) => ['A', t] as const,
  );
  fc.assert(
    fc.property(parameters, place, text, half, keyPair, (rest, placed, before, broken, keys) => {
      const signed = asAction(
        [...rest.filter(([name]) => name !== 'A'), placed(before + broken)],
        keys,
      );
      expectInputError('text', () => actionQuery(signed, keys, SPECIFICATION));
    }),
  );
});
