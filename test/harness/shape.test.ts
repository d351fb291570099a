import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shapeOf, shapeOfStage, shapeSentence } from '../../harness/diagnosis/shape.ts';
import { bundledSuite } from '../../harness/suite/bundle.ts';
import { resultStages } from '../../harness/suite/operations.ts';
import type { Stages, Vector } from '../../harness/suite/vector.ts';

const answered = bundledSuite().vectors.flatMap((vector) =>
  [
    vector.expect,
    vector.control?.expect,
    ...Object.values(vector.accept ?? {}).map(({ expect: answer }) => answer),
  ].flatMap((answer) => (answer ? [{ ...vector, expect: answer }] : [])),
);

type Answered = Vector & { readonly expect: Stages };

function answeredVector(id: string): Answered {
  const found = answered.find((one) => one.id === id);
  if (!found) throw new Error(`no vector with an answer is named ${id}`);
  return found;
}

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

/** The signature of the answer, put in place of the right one as another text. */
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

/** Each is a right answer written in another way: the vector, how it is written, and what it is called. */
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
  [HEADER, signed((bytes) => btoa(hex(bytes))), 'base64-of-hexadecimal'],
  [ACTION, signed((bytes) => btoa(hex(bytes))), 'base64-of-hexadecimal'],
  [HEADER, signed((_, text) => btoa(text)), 'base64-twice'],
  [ACTION, signed((_, text) => text.match(/../g)?.join('-') ?? ''), 'hexadecimal-separated'],
  [ACTION, signed((_, text) => `0x${text}`), 'hexadecimal-prefixed'],
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
  [BODY, (right) => JSON.stringify(right), 'double-quotes'],
  [ETAG, (right) => `'${right}'`, 'single-quotes'],
  [ETAG, (right) => `b'${right}'`, 'python-bytes'],
  [HEADER, signed((_, text) => `b'${text}'`), 'python-bytes'],
  [ACTION, (right) => `"${right}"\n`, 'line-end', 'double-quotes'],
  [HEADER, (right) => `Authorization: ${right}`, 'header-line'],
  [HEADER, (right) => right.slice('Svc '.length), 'scheme-missing'],
  [HEADER, (right) => `Svc ${right}`, 'scheme-twice'],
  [HEADER, (right) => right.replace('Svc', 'svc'), 'scheme-in-another-case'],
  [HEADER, (right) => right.replace('Svc', 'UCloud'), 'other-scheme'],
  [HEADER, (right) => right.replace(':', ': '), 'blanks-in-header'],
  [HEADER, (_, { expect: answer }) => String(answer['signature']), 'signature-alone'],
  [URL_ID, (_, { expect: answer }) => String(answer['encodedSignature']), 'signature-alone'],
  [QUERY, (right) => `?${right}`, 'whole-url'],
  [QUERY, (right) => `https://api.svc.example/?${right}`, 'whole-url'],
  [BUCKET, (right) => `https://api.svc.example${right}`, 'whole-url'],
  [BUCKET, (right) => right.slice(2), 'query-alone'],
  [ENCODED, (right) => encodeURIComponent(right), 'encoded-twice'],
  [URL_ID, (right) => right.replaceAll(/%(?=[0-9A-F]{2})/g, '%25'), 'encoded-twice'],
  [QUERY, (right) => encodeURIComponent(right), 'encoded-whole'],
  [HEADER, signed((_, text) => encodeURIComponent(text)), 'encoded-signature'],
  [ENCODED, (right) => decodeURIComponent(right), 'not-encoded'],
  [URL_ID, signed((_, text) => text), 'signature-not-encoded'],
  [
    URL_ID,
    (right) => right.replaceAll(/%../g, (one) => one.toLowerCase()),
    'escapes-in-lower-case',
  ],
  [ENCODED, (right) => right.replaceAll('%20', '+'), 'spaces-as-plus'],
  [BUCKET, (right) => right.replaceAll('&', '&amp;'), 'html-escaped'],
  [URL_ID, (right) => right.replaceAll('&', '\\u0026'), 'json-escaped'],
  [
    ENCODED,
    (right) =>
      encodeURIComponent(Buffer.from(decodeURIComponent(right), 'utf8').toString('latin1')),
    'utf-8-as-latin-1',
  ],
  [ENCODED, (right) => right.replace('%C3%BC', '%FC').replace('%C3%BF', '%FF'), 'latin-1-encoded'],
  [
    DECOMPOSED,
    (right) => encodeURIComponent(decodeURIComponent(right).normalize('NFC')),
    'normal-form',
  ],
];

test.each(REWRITTEN.map(([id, make, ...ids]) => [ids.join(' and '), id, make, ids] as const))(
  '%s is told of the right answer to %s',
  (_, id, make, ids) => {
    const vector = answeredVector(id);
    const [stage, right] = lastResult(vector);
    const wrong = make(right, vector);
    const found = shapeOf(vector.operation, vector.expect, { ...vector.expect, [stage]: wrong });
    expect(found).toMatchObject({ stage, right: true });
    expect(found?.shapes.map((shape) => shape.id)).toEqual(ids);
  },
);

const OTHER = createHash('sha1').update('another text').digest();

/** Answers that are wrong otherwise too. */
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
  [HEADER, signed(() => ''), 'signature-empty'],
  [ACTION, () => 'null', 'no-value'],
  [HEADER, signed(() => 'undefined'), 'no-value'],
  [BODY, () => '[object Object]', 'no-value'],
  [ETAG, () => 'None', 'no-value'],
  [HEADER, signed(() => '[B@1b6d3586'), 'object-shown'],
  [HEADER, signed((bytes) => bytes.toString('utf8')), 'replacement-characters'],
];

test.each(MISSHAPEN.map(([id, make, ...ids]) => [ids.join(' and '), id, make, ids] as const))(
  '%s is told of a wrong answer to %s',
  (_, id, make, ids) => {
    const vector = answeredVector(id);
    const [stage, right] = lastResult(vector);
    const found = shapeOf(vector.operation, vector.expect, { [stage]: make(right, vector) });
    expect(found).toMatchObject({ stage, right: false });
    expect(found?.shapes.map((shape) => shape.id)).toEqual(ids);
  },
);

test('a right answer has no shape, whatever the vector', () => {
  expect(answered.length).toBeGreaterThan(500);
  expect(
    answered.filter(({ operation, expect: answer }) => shapeOf(operation, answer, answer)),
  ).toEqual([]);
});

test('an answer that is another one and written as it is due has no shape', () => {
  const digests = fc
    .uint8Array({ minLength: 20, maxLength: 20 })
    .map((bytes) => Buffer.from(bytes));
  const vector = answeredVector(HEADER);
  const [stage, right] = lastResult(vector);
  fc.assert(
    fc.property(digests, (digest) => {
      const wrong = signed(() => digest.toString('base64'))(right, vector);
      expect(shapeOfStage(vector.operation, stage, right, wrong)).toBeUndefined();
      expect(
        shapeOfStage('action-signature', 'signature', hex(OTHER), hex(digest)),
      ).toBeUndefined();
    }),
  );
});

test('a free order of parameters is no shape, and any text is looked at without an exception', () => {
  const vector = answeredVector(QUERY);
  const [stage, right] = lastResult(vector);
  const [first = '', second = '', ...rest] = right.split('&');
  const other = [second, first, ...rest].join('&');
  expect(shapeOfStage(vector.operation, stage, right, other)).toBeUndefined();
  fc.assert(
    fc.property(
      fc.constantFrom(HEADER, URL_ID, QUERY, BODY, ETAG).map(answeredVector),
      fc.oneof(fc.string({ unit: 'binary' }), fc.string()),
      fc.nat(),
      (one, text, at) => {
        const [place, due] = lastResult(one);
        const cut = at % (due.length + 1);
        const wrong = due.slice(0, cut) + text + due.slice(cut);
        const found = shapeOfStage(one.operation, place, due, wrong);
        expect(found === undefined || found.shapes.length > 0).toBe(true);
        expect(wrong === due && found !== undefined).toBe(false);
      },
    ),
  );
});

test('a shape in one sentence says what is right underneath, and how to write it', () => {
  const vector = answeredVector(HEADER);
  const [stage, right] = lastResult(vector);
  const sentence = (wrong: string): string => {
    const found = shapeOf(vector.operation, vector.expect, { [stage]: wrong });
    return found ? shapeSentence(found) : '';
  };
  expect(sentence(signed(hex)(right, vector))).toBe(
    'the right digest, in hexadecimal; write it in standard Base64 (§5.2)',
  );
  expect(sentence(signed(() => hex(OTHER))(right, vector))).toBe(
    'the digest is in hexadecimal, and another one underneath; write it in standard Base64 (§5.2)',
  );
  expect(sentence('Svc')).toBe('');
});
