import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeShape, findShape } from '../../dist/harness/engine/insight/shape.js';
import { bundledSuite } from '../../dist/harness/suite/bundle.js';
import { resultStages } from '../../dist/reference/operations.js';
import { SVC } from '../../dist/reference/signing/index.js';
import { RUNS } from '../amount.ts';
import { always } from '../properties.ts';
import { type Answered, answeredVector } from './answered-vectors.ts';

const answered = bundledSuite().vectors.flatMap((vector) =>
  [
    vector.expect,
    vector.control?.expect,
    ...Object.values(vector.accept ?? {}).map(({ expect: answer }) => answer),
  ].flatMap((answer) => (answer ? [{ ...vector, expect: answer }] : [])),
);

const ACTION = 'action-signature/published-examples/signs-the-creation-of-an-instance';
const HEADER = 'authorization/signature/writes-plus-slash-and-padding-together';
const POLICY = 'policy-authorization/signing/appends-the-policy-to-text-and-header';
const URL_ID = 'presigned-url/query-and-host/encodes-plus-slash-and-padding-together';
const QUERY = 'action-query/query/signs-special-characters-alike-in-both-forms';
const BUCKET = 'bucket-request/operations/creates-a-public-bucket';
const BODY = 'action-json/body/sends-the-vendors-creation-of-an-instance';
const ETAG = 'etag/contents/shows-hyphen-and-underscore';
const PART = 'part-etag/parts/shows-hyphen-and-underscore';
const PASSWORD = 'password/base64/pads-with-one-equals-sign';
const ENCODED = 'url-encode/beyond-ascii/escapes-two-bytes-of-an-accented-letter';
const DECOMPOSED = 'url-encode/beyond-ascii/keeps-nfd-text-decomposed';

function lastResult({ operation, expect: answer }: Answered): readonly [string, string] {
  const stage = resultStages(operation).at(-1) ?? '';
  return [stage, String(answer[stage])];
}

/** Replaces the signature in the correct answer by another text. */
const signed =
  (change: (bytes: Buffer, text: string) => string) =>
  (right: string, { expect: answer, operation }: Answered): string => {
    const text = String(answer['signature']);
    const there = operation === 'presigned-url' ? encodeURIComponent(text) : text;
    expect(right).toContain(there);
    const bytes = Buffer.from(text, /^[0-9a-f]{40}$/.test(text) ? 'hex' : 'base64');
    return right.replace(there, () => change(bytes, text));
  };

const hex = (bytes: Buffer): string => bytes.toString('hex');

/** Correct answers in a wrong form: the vector, the change to the answer, and the shape ids. */
const REWRITTEN: readonly (readonly [
  string,
  (right: string, vector: Answered) => string,
  ...ids: readonly string[],
])[] = [
  [HEADER, signed(hex), 'hexadecimal'],
  [HEADER, signed((bytes) => hex(bytes).toUpperCase()), 'hexadecimal'],
  [POLICY, signed(hex), 'hexadecimal'],
  [URL_ID, signed(hex), 'hexadecimal'],
  [ETAG, (right) => hex(Buffer.from(right, 'base64url')), 'hexadecimal'],
  [PART, (right) => hex(Buffer.from(right, 'base64url')), 'hexadecimal'],
  [ACTION, signed((bytes) => bytes.toString('base64')), 'base64'],
  [ACTION, signed((bytes) => bytes.toString('base64url')), 'base64'],
  [QUERY, signed((bytes) => bytes.toString('base64')), 'base64'],
  [BODY, signed((bytes) => bytes.toString('base64')), 'base64'],
  [BUCKET, signed((bytes) => hex(bytes).toUpperCase()), 'upper-case-hexadecimal'],
  [ACTION, signed((bytes) => hex(bytes).toUpperCase()), 'upper-case-hexadecimal'],
  [HEADER, signed((bytes) => btoa(hex(bytes))), 'signature-of-hexadecimal'],
  [ACTION, signed((bytes) => btoa(hex(bytes))), 'action-base64-of-hexadecimal'],
  [HEADER, signed((_, text) => btoa(text)), 'file-signature-text/base64-twice'],
  [
    ACTION,
    signed((_, text) => text.match(/../g)?.join('-') ?? ''),
    'action-signature-text/hex-hyphens',
  ],
  [ACTION, signed((_, text) => `0x${text}`), 'action-signature-text/hex-0x'],
  [HEADER, (right) => right.replace('=', ''), 'padding-missing'],
  [PART, (right) => right.replace('=', ''), 'padding-missing'],
  [PASSWORD, (right) => right.replace('=', ''), 'padding-missing'],
  [HEADER, (right) => right.replaceAll('+', '-').replaceAll('/', '_'), 'url-safe-alphabet'],
  [HEADER, signed((bytes) => bytes.toString('base64url')), 'padding-missing', 'url-safe-alphabet'],
  [ETAG, (right) => right.replaceAll('-', '+').replaceAll('_', '/'), 'standard-alphabet'],
  [HEADER, (right) => `${right}\n`, 'line-end'],
  [HEADER, (right) => `${right}\r\n`, 'line-end'],
  [ACTION, (right) => `${right}\r`, 'line-end'],
  [ACTION, (right) => `${right} `, 'blank-behind'],
  [ACTION, (right) => ` ${right}`, 'blank-in-front'],
  [ACTION, (right) => `${right}\0`, 'nul'],
  [ACTION, (right) => `\ufeff${right}`, 'byte-order-mark'],
  [PASSWORD, (right) => `${right.slice(0, 8)}\n${right.slice(8)}`, 'line-broken'],
  [HEADER, (right) => `"${right}"`, 'double-quotes'],
  [BODY, (right) => JSON.stringify(right), 'body-text/json-text-javascript'],
  [ETAG, (right) => `'${right}'`, 'single-quotes'],
  [ETAG, (right) => `b'${right}'`, 'python-bytes'],
  [HEADER, signed((_, text) => `b'${text}'`), 'python-bytes'],
  [ACTION, (right) => `"${right}"\n`, 'line-end', 'double-quotes'],
  [HEADER, (right) => `Authorization: ${right}`, 'authorization-value/header-line'],
  [HEADER, (right) => right.slice('Svc '.length), 'authorization-without-scheme'],
  [HEADER, (right) => `Svc ${right}`, 'authorization-value/scheme-twice'],
  [HEADER, (right) => right.replace('Svc', 'svc'), 'authorization-scheme-in-lower-case'],
  [HEADER, (right) => right.replace('Svc', 'UCloud'), 'sent-scheme/is-ucloud'],
  [HEADER, (right) => right.replace(':', ': '), 'blank-in-front'],
  [
    HEADER,
    (_, { expect: answer }) => String(answer['signature']),
    'authorization-value/signature-only',
  ],
  [
    URL_ID,
    (_, { expect: answer }) => String(answer['encodedSignature']),
    'presigned-signature-alone',
  ],
  [QUERY, (right) => `?${right}`, 'question-mark'],
  [QUERY, (right) => `https://api.svc.example/?${right}`, 'whole-url', 'question-mark'],
  [BUCKET, (right) => `https://api.svc.example${right}`, 'whole-url'],
  [BUCKET, (right) => right.slice(2), 'bucket-target/query-only'],
  [ENCODED, (right) => encodeURIComponent(right), 'escape-twice'],
  [
    URL_ID,
    (right) => right.replaceAll(/%(?=[0-9A-F]{2})/g, '%25'),
    'presigned-signature-encoded-twice',
  ],
  [QUERY, (right) => encodeURIComponent(right), 'query-text/encoded'],
  [HEADER, signed((_, text) => encodeURIComponent(text)), 'authorization-signature-encoded'],
  [ENCODED, (right) => decodeURIComponent(right), 'url-encode/none'],
  [URL_ID, signed((_, text) => text), 'signature-not-encoded'],
  [
    URL_ID,
    (right) => right.replaceAll(/%../g, (one) => one.toLowerCase()),
    'presigned-signature-escaped-in-lower-case',
  ],
  [ENCODED, (right) => right.replaceAll('%20', '+'), 'escape-space-as-plus'],
  [BUCKET, (right) => right.replaceAll('&', '&amp;'), 'query-text/html'],
  [URL_ID, (right) => right.replaceAll('&', '\\u0026'), 'url-text/json-go'],
  [
    ENCODED,
    (right) =>
      encodeURIComponent(Buffer.from(decodeURIComponent(right), 'utf8').toString('latin1')),
    'url-encode/utf-8-twice',
  ],
  [ENCODED, (right) => right.replace('%C3%BC', '%FC').replace('%C3%BF', '%FF'), 'escape-latin-1'],
  [
    DECOMPOSED,
    (right) => encodeURIComponent(decodeURIComponent(right).normalize('NFC')),
    'url-encode/to-nfc',
  ],
];

test.each(REWRITTEN.map(([id, make, ...ids]) => [ids.join(' and '), id, make, ids] as const))(
  'the shape %s is reported for a correct answer in a wrong form to %s',
  (_, id, make, ids) => {
    const vector = answeredVector(id);
    const [stage, right] = lastResult(vector);
    const wrong = make(right, vector);
    const found = findShape(vector, { ...vector.expect, [stage]: wrong }, SVC);
    expect(found).toMatchObject({ stage, right: true });
    expect(found?.shapes.map((shape) => shape.id)).toEqual(ids);
  },
);

const OTHER = createHash('sha1').update('another text').digest();

const OTHER_64 = OTHER.toString('base64');

/** Answers that are also wrong in other ways. */
const MISSHAPEN: readonly (readonly [
  string,
  (right: string, vector: Answered) => string,
  ...ids: readonly string[],
])[] = [
  [HEADER, signed(() => hex(OTHER)), 'hexadecimal'],
  [ACTION, () => OTHER.toString('base64'), 'base64'],
  [ACTION, () => hex(OTHER).toUpperCase(), 'upper-case-hexadecimal'],
  [HEADER, signed(() => OTHER.toString('base64').slice(0, -1)), 'padding-missing'],
  [HEADER, signed(() => `${OTHER.toString('base64')}\n`), 'line-end'],
  [ACTION, () => hex(createHash('sha256').update('x').digest()), 'other-length'],
  [ACTION, () => hex(createHash('md5').update('x').digest()), 'other-length'],
  [HEADER, signed(() => createHmac('sha256', 'k').update('x').digest('base64')), 'other-length'],
  [
    HEADER,
    signed(() => createHmac('sha256', 'k').update('x').digest('hex')),
    'hexadecimal',
    'other-length',
  ],
  [ACTION, (right) => right.slice(0, 32), 'cut'],
  [HEADER, signed((bytes) => bytes.subarray(0, 12).toString('base64')), 'cut'],
  [
    ETAG,
    (right) => Buffer.from(right, 'base64url').subarray(4).toString('base64url'),
    'padding-missing',
    'other-length',
  ],
  [ACTION, () => '', 'empty'],
  [HEADER, signed(() => ''), 'empty'],
  [ACTION, () => 'null', 'no-value'],
  [HEADER, signed(() => 'undefined'), 'no-value'],
  [BODY, () => '[object Object]', 'no-value'],
  [ETAG, () => 'None', 'no-value'],
  [HEADER, signed(() => '[B@1b6d3586'), 'object-shown'],
  [ACTION, () => hex(OTHER).slice(1), 'digit-count'],
  [URL_ID, signed(() => OTHER_64), 'signature-not-encoded'],
  [
    HEADER,
    (right, vector) => `Authorization: ${signed(() => hex(OTHER))(right, vector)}`,
    'authorization-value/header-line',
    'hexadecimal',
  ],
  [HEADER, signed((bytes) => bytes.toString('utf8')), 'replacement-characters'],
];

test.each(MISSHAPEN.map(([id, make, ...ids]) => [ids.join(' and '), id, make, ids] as const))(
  'the shape %s is reported for a wrong answer to %s',
  (_, id, make, ids) => {
    const vector = answeredVector(id);
    const [stage, right] = lastResult(vector);
    const found = findShape(vector, { [stage]: make(right, vector) }, SVC);
    expect(found).toMatchObject({ stage, right: false });
    expect(found?.shapes.map((shape) => shape.id)).toEqual(ids);
  },
);

test('no shape is reported for the correct answer to any vector', () => {
  expect(answered.length).toBeGreaterThan(500);
  expect(answered.filter((vector) => findShape(vector, vector.expect, SVC))).toEqual([]);
});

test('no shape is reported for a wrong answer in the correct form', () => {
  const digests = fc
    .uint8Array({ minLength: 20, maxLength: 20 })
    .map((bytes) => Buffer.from(bytes));
  const vector = answeredVector(HEADER);
  const [stage, right] = lastResult(vector);
  always([digests], (digest) => {
    const wrong = signed(() => digest.toString('base64'))(right, vector);
    expect(findShape(vector, { [stage]: wrong }, SVC)).toBeUndefined();
    expect(findShape(answeredVector(ACTION), { signature: hex(digest) }, SVC)).toBeUndefined();
  });
});

test('another order of parameters is not a shape, and no text causes an exception', () => {
  const vector = answeredVector(QUERY);
  const [stage, right] = lastResult(vector);
  const [first = '', second = '', ...rest] = right.split('&');
  const other = [second, first, ...rest].join('&');
  expect(findShape(vector, { [stage]: other }, SVC)).toBeUndefined();
  always(
    [
      fc.constantFrom(HEADER, URL_ID, QUERY, BODY, ETAG).map(answeredVector),
      fc.oneof(fc.string({ unit: 'binary' }), fc.string()),
      fc.nat(),
    ],
    RUNS > 1 ? 100 : 25,
    (one, text, at) => {
      const [place, due] = lastResult(one);
      const cut = at % (due.length + 1);
      const wrong = due.slice(0, cut) + text + due.slice(cut);
      const found = findShape(one, { [place]: wrong }, SVC);
      expect(found === undefined || found.shapes.length > 0).toBe(true);
      expect(wrong === due && found !== undefined).toBe(false);
    },
  );
});

test('the sentence about a shape says whether only the form is wrong, and what to write', () => {
  const vector = answeredVector(HEADER);
  const [stage, right] = lastResult(vector);
  const sentence = (wrong: string): string => {
    const found = findShape(vector, { [stage]: wrong }, SVC);
    return found ? Object.values(describeShape(found)).join('; ') : '';
  };
  expect(sentence(signed(hex)(right, vector))).toBe(
    'only the form is wrong: the digest is in hexadecimal; write it in standard Base64 (§5.2)',
  );
  expect(sentence(signed(() => hex(OTHER))(right, vector))).toBe(
    'the digest is in hexadecimal, and differs in other ways too; write it in standard Base64 (§5.2)',
  );
  expect(sentence(signed((bytes) => `0x${hex(bytes)}`)(right, vector))).toBe(
    'only the form is wrong: the signature of a file request is in hexadecimal after "0x"; write it in standard Base64 (§5.2)',
  );
  const unpadded = OTHER.toString('base64url');
  expect(sentence(signed(() => `${unpadded}\n`)(right, vector))).toBe(
    'the answer ends with a line break and the digest lacks its padding, and differs in other ways too; write nothing after it; end it with "=" up to a multiple of 4 characters',
  );
  const sha256 = createHash('sha256').update('x').digest('hex');
  expect(sentence(signed(() => sha256)(right, vector))).toBe(
    'the digest is in hexadecimal and has 32 bytes, as many as a SHA-256; write it in standard Base64 (§5.2); use the SHA-1, 20 bytes',
  );
  expect(sentence('Svc')).toBe('');
});
