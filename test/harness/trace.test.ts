import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { computeReply } from '../../dist/harness/engine/diagnosis/reference-reply.js';
import { analyzeTrace, findSpans } from '../../dist/harness/engine/insight/trace.js';
import { bundledSuite } from '../../dist/harness/suite/bundle.js';
import {
  generatedMistakes,
  type Mistake,
  mistaken,
  mistakesAt,
} from '../../dist/reference/mistakes/index.js';
import { OPERATIONS, resultStages } from '../../dist/reference/operations.js';
import { inDialect, SPECIFICATION, SVC } from '../../dist/reference/signing/specification.js';
import type { Span } from '../../harness/engine/insight/attribution.ts';
import type { Stages } from '../../harness/engine/vector.ts';
import { RUNS, thorough } from '../amount.ts';
import { always } from '../properties.ts';
import { ANSWERED, type Answered, answeredVector } from './answered-vectors.ts';
import { svcConformance, unwrapped } from './svc-conformance.ts';
import { program } from './trial.ts';

const suite = bundledSuite();
const HEADERS = 'authorization/canonical-headers/sorts-by-name-against-the-worked-example';
const EMPTY_LINES = 'authorization/blanks/removes-spaces-after-the-colon';
const BLANKS_AT_THE_END = 'authorization/blanks/removes-a-tab-at-the-end';
const FORM = 'form-authorization/fields-and-headers/signs-the-field-and-not-the-header';
const LINK = 'presigned-url/path/keeps-unreserved-characters';
const POLICY = 'policy-authorization/signing/appends-the-policy-to-text-and-header';
const INSTANT = 'instant-upload/requests/signs-the-key-and-not-the-path';
const ACTION = 'action-query/query/signs-special-characters-alike-in-both-forms';
const NUMBERS = 'action-query/query/writes-numbers-in-plain-digits';
const LISTS = 'action-signature/flattening/counts-the-items-of-a-list-from-zero';

const summarize = ({ part, step, rule }: Span): string => `${part}: ${step}, ${rule}`;

/** A text in place of another one, or any change. */
type Change = readonly [from: string, to: string] | ((text: string) => string);

function changed(text: string, change: Change): string {
  if (typeof change === 'function') return change(text);
  const [from, to] = change;
  expect(text).toContain(from);
  return text.replace(from, () => to);
}

/** The vector, the change to the string to sign that is shown, and the spans that are reported. */
const TEXTS: readonly (readonly [vector: string, change: Change, ...spans: readonly string[]])[] = [
  [
    HEADERS,
    ['x-svc-bar:2,3\nx-svc-foo:1\n', 'x-svc-foo:1\nx-svc-bar:2,3\n'],
    'order of the headers: sortedHeaders, 5.2/headers-sorted',
  ],
  [HEADERS, ['2,3', '2, 3'], 'header x-svc-bar: joinValues, 5.2/headers-merged'],
  [HEADERS, ['bar:2,3', 'bar:2\nx-svc-bar:3'], 'header x-svc-bar: joinValues, 5.2/headers-merged'],
  [HEADERS, ['x-svc-foo', 'X-Svc-Foo'], 'header x-svc-foo: lowerCaseName, 5.2/headers-lower-case'],
  [HEADERS, ['foo:1', 'foo: 1'], 'header x-svc-foo: headerPieces, 5.2/headers-colon-blanks'],
  [HEADERS, ['foo:1', 'foo :1'], 'header x-svc-foo: signedHeaderName, 5.2/headers-lower-case'],
  [HEADERS, ['foo:1', 'foo:1\t'], 'header x-svc-foo: signedHeaderValue, 5.2/headers-merged'],
  [HEADERS, ['foo:1\n', 'foo:1'], 'header x-svc-foo: headersText, 5.2/headers-line-feed'],
  [HEADERS, ['x-svc-foo:1\n', ''], 'header x-svc-foo: isExtraHeader, 5.2/headers-selected'],
  [
    HEADERS,
    ['x-svc-foo:1\n', 'x-svc-foo:1\nx-other:2\n'],
    'header x-svc-foo: isExtraHeader, 5.2/headers-selected',
  ],
  [HEADERS, ['text/plain', ''], 'line 3 (Content-Type): positionalValue, 5.2/positional-values'],
  [
    HEADERS,
    ['text/plain', 'Content-Type:text/plain'],
    'line 3 (Content-Type): positionalValue, 5.2/positional-values',
  ],
  [HEADERS, ['\ntext', '\n text'], 'line 3 (Content-Type): contentType, 5.2/positional-order'],
  [HEADERS, ['PUT\n\n', 'PUT\n'], 'line 2 (Content-MD5): signedPieces, 5.2/positional-order'],
  [HEADERS, ['PUT', 'put'], 'line 1 (verb): verb, 5.2/verb'],
  [HEADERS, (text) => text.replaceAll('\n', '\r\n'), 'string to sign: stringToSign, 5.2/verb'],
  [HEADERS, ['/demo/a.txt', '/a.txt'], 'resource: resourcePieces, 5.2/resource'],
  [HEADERS, ['/demo/a.txt', '/demo/a%2Etxt'], 'resource: resourceKey, 5.2/resource-raw'],
  [HEADERS, (text) => `${text}\n`, 'resource: signedPolicy, 5.2/resource'],
  [
    HEADERS,
    (text) =>
      text.replace('text/plain', 'text/html').replace('2,3', '2,  3').replace('/demo/', '/'),
    'line 3 (Content-Type): contentType, 5.2/positional-order',
    'header x-svc-bar: joinValues, 5.2/headers-merged',
    'resource: resourcePieces, 5.2/resource',
  ],
  [
    EMPTY_LINES,
    ['\n\n\n\n', '\n'],
    'line 2 (Content-MD5): signedPieces, 5.2/positional-absent',
    'line 3 (Content-Type): signedPieces, 5.2/positional-absent',
    'line 4 (Date): signedPieces, 5.2/positional-absent',
  ],
  [
    EMPTY_LINES,
    ['foo:three', 'foo:   three'],
    'header x-svc-foo: trimValue, 5.2/headers-colon-blanks',
  ],
  [
    BLANKS_AT_THE_END,
    ['value\n', 'value \t\n'],
    'header x-svc-foo: trimValue, 5.2/headers-trailing-blanks',
  ],
  [
    FORM,
    ['image/png', 'multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW'],
    'line 3 (Content-Type): formPositionalValues, 4.3/form-content-type',
  ],
  [
    FORM,
    ['image/png', 'multipart/form-data'],
    'line 3 (Content-Type): formPositionalValues, 4.3/form-content-type',
  ],
  [LINK, ['1790000001', ''], 'line 4 (Expires): presignedPositionalValues, 5.4/expires-position'],
  [
    LINK,
    ['\n\n\n', '\n\ntext/plain\n'],
    'line 3 (Content-Type): presignedType, 5.4/empty-positions',
  ],
  [POLICY, ['eyJj', '\neyJj'], 'resource: signedPieces, 5.2/policy-signed'],
  [INSTANT, ['zero.bin', 'uploadhit'], 'resource: instantUploadKey, 4.3/instant-upload-resource'],
  [ACTION, ['ActionSetRemark', ''], 'parameter Action: parameterSet, 5.1/all-parameters'],
  [
    ACTION,
    ['ActionSetRemarkPublicKeyacme', 'PublicKeyacmeActionSetRemark'],
    'order of the parameters: sortedParameters, 5.1/sort-bytes',
  ],
  [
    ACTION,
    ['PublicKeyacme', 'PublicKey=acme'],
    'parameter PublicKey: parameterEntry, 5.1/concatenation',
  ],
  [
    ACTION,
    ['SetRemark', 'SetRemark&'],
    'parameter Action: joinParameterEntries, 5.1/concatenation',
  ],
  [
    ACTION,
    (text) =>
      text.replace(/Remark50.*云主机/, (piece) => `Remark${encodeURIComponent(piece.slice(6))}`),
    'parameter Remark: signedValue, 5.1/unescaped',
  ],
  [ACTION, ['s3cret', ''], 'private key: actionPieces, 5.1/private-key-last'],
  [
    ACTION,
    (text) => `s3cret${text}`.slice(0, -6),
    'parameter Action: withPrivateKey, 5.1/private-key-last',
    'private key: withPrivateKey, 5.1/private-key-last',
  ],
  [NUMBERS, ['1000000000000000000000', '1e+21'], 'parameter Budget: numberText, 5.1/plain-decimal'],
  [
    LISTS,
    ['InstanceIds.0i-8d21InstanceIds.1i-8d22', 'InstanceIds.1i-8d21InstanceIds.2i-8d22'],
    'parameter InstanceIds.0: elementName, 5.1/flattening',
    'parameter InstanceIds.1: elementName, 5.1/flattening',
  ],
];

test.each(TEXTS.map(([id, change, ...spans], i) => [i, spans.join(' and '), id, change] as const))(
  '%i: a difference in the shown text is reported as %s, for %s',
  (_, spans, id, change) => {
    const vector = answeredVector(id);
    const stringToSign = changed(String(vector.expect['stringToSign']), change);
    expect(findSpans(vector, { stringToSign }).map(summarize).join(' and ')).toBe(spans);
  },
);

test('every step and every rule that spans name exists', () => {
  const rules = suite.rules.map(({ id }) => id);
  const spans = TEXTS.flatMap(([id, change]) => {
    const vector = answeredVector(id);
    return findSpans(vector, {
      stringToSign: changed(String(vector.expect['stringToSign']), change),
    });
  });
  expect(
    spans.filter(({ step, rule }) => !(step in SPECIFICATION.steps) || !rules.includes(rule)),
  ).toEqual([]);
});

test('correct stages have no span, and the trace of a correct answer is not analyzed', () => {
  const accused = ANSWERED.filter((vector) => {
    const results = resultStages(vector.operation);
    const of = (stages: readonly string[]): Stages =>
      Object.fromEntries(stages.map((stage) => [stage, vector.expect[stage]]));
    const trace = of(OPERATIONS[vector.operation]?.stages ?? []);
    const wrong = { ...trace, stringToSign: 'another text' };
    return (
      findSpans(vector, trace).length > 0 ||
      analyzeTrace(vector, { result: of(results), trace: wrong }) !== undefined
    );
  });
  expect(accused.map(({ id }) => id)).toEqual([]);
});

test('every wrong text has a span, and none causes an exception', () => {
  always(
    [
      fc.constantFrom(HEADERS, LINK, POLICY, ACTION, LISTS).map(answeredVector),
      fc.oneof(fc.string(), fc.constantFrom('\n', 'x-svc-foo:', '&', '/')),
      fc.nat(),
      fc.nat({ max: 9 }),
    ],
    RUNS > 1 ? 200 * RUNS : 50,
    (vector, text, at, cut) => {
      const right = String(vector.expect['stringToSign']);
      const start = at % right.length;
      const stringToSign = right.slice(0, start) + text + right.slice(start + cut);
      const spans = findSpans(vector, { stringToSign });
      expect(spans.length > 0).toBe(stringToSign !== right);
    },
  );
});

/** The string to sign with a mistake; undefined if the reference then fails or refuses. */
function mistakenText(vector: Answered, mistake: Mistake): string | undefined {
  const reply = computeReply(mistaken(inDialect(SVC), [mistake]), vector);
  return reply.kind === 'result' ? String(reply.result['stringToSign']) : undefined;
}

/** Pairs of a vector and a generated mistake of one step that changes its string to sign, drawn with a fixed seed. */
function mistakenVectors(count: number): readonly (readonly [Answered, Mistake, string])[] {
  const mistakes = generatedMistakes().filter((mistake) => mistake.steps.length === 1);
  const signed = ANSWERED.filter(({ expect }) => expect['stringToSign'] !== undefined);
  const drawn = fc.sample(fc.tuple(fc.constantFrom(...signed), fc.constantFrom(...mistakes)), {
    seed: 642759,
    numRuns: count * 40,
  });
  const changed = drawn.flatMap(([vector, mistake]) => {
    const text = mistakenText(vector, mistake);
    const isChanged = text !== undefined && text !== vector.expect['stringToSign'];
    return isChanged ? [[vector, mistake, text] as const] : [];
  });
  return changed.slice(0, count);
}

test('at least 92 % of generated mistakes are traced to their step or to an equivalent one', () => {
  const count = 200 * RUNS;
  const cases = mistakenVectors(count);
  const traced = cases.map(([vector, mistake, stringToSign]) => {
    const steps = findSpans(vector, { stringToSign }).map(({ step }) => step);
    const isOwn = steps.some((step) => mistake.steps.includes(step));
    const isSame = (): boolean =>
      steps.flatMap(mistakesAt).some((other) => mistakenText(vector, other) === stringToSign);
    return isOwn ? 'own' : isSame() ? 'same' : `${mistake.id} at ${vector.id}`;
  });
  const missed = traced.filter((one) => one !== 'own' && one !== 'same');
  expect(cases.length).toBe(count);
  expect(missed.length, missed.join('\n')).toBeLessThanOrEqual((count * 8) / 100);
  expect(traced.filter((one) => one === 'own').length).toBeGreaterThanOrEqual((count * 55) / 100);
});

/** The vector HEADERS with a changed input, and its answer. */
function headersWith(changed: object, dialect = SVC): Answered {
  const { expect: _, ...vector } = answeredVector(HEADERS);
  const question = { ...vector, input: { ...vector.input, ...changed } };
  const reply = computeReply(inDialect(dialect), question);
  if (reply.kind !== 'result') throw new Error('the reference refuses the input');
  return { ...question, expect: reply.result };
}

test.each(['X-Svc-', 'X-UCloud-', 'X-Acme-'])(
  'extra headers with the prefix %s are traced',
  (headerPrefix) => {
    const headers = [[`${headerPrefix}Foo`, ' 1']];
    const vector = headersWith({ headers }, { ...SVC, headerPrefix });
    const stringToSign = String(vector.expect['stringToSign']).replace(':1', ': 1');
    expect(findSpans(vector, { stringToSign }).map(({ part }) => part)).toEqual([
      `header ${headerPrefix.toLowerCase()}foo`,
    ]);
  },
);

test('a difference in a request with private-use characters still has a span', () => {
  const vector = headersWith({ key: 'a\u{F0001}b\u{10FFFD}' });
  const stringToSign = String(vector.expect['stringToSign']).replace('PUT', 'put');
  expect(findSpans(vector, { stringToSign }).map(summarize)).toEqual([
    'string to sign: stringToSign, 5.2/positional-order',
  ]);
});

const WORK = 100_000;

test.each([
  ['extra headers', (i: number) => `x-svc-meta-${i}:value ${i}\n`],
  ['empty lines', () => '\n'],
  ['one character', () => 'x'],
  ['the line of the text', () => 'x-svc-foo:1\n'],
])('a shown text near the size limit takes bounded work: %s', (_, line) => {
  const vector = answeredVector(HEADERS);
  const many = Array.from({ length: 20_000 }, (__, i) => line(i)).join('');
  // Line feeds are two characters in the JSON of a trace.
  const stringToSign = many.slice(0, (19_000 * many.length) / JSON.stringify(many).length);
  const work = { left: WORK };
  expect(findSpans(vector, { stringToSign }, work).length).toBeGreaterThan(0);
  // Work that was begun is finished.
  expect(work.left).toBeGreaterThan(-WORK);
});

test('an expected text of 15,000 characters takes bounded work, even if every line differs', () => {
  const count = RUNS > 1 ? 440 : 160;
  const value = 'some value of header'.padEnd(RUNS > 1 ? 0 : 90, '.');
  const headers = Array.from({ length: count }, (_, i) => [`X-Svc-${i}`, `${value} ${i}`]);
  const vector = headersWith({ headers });
  const text = String(vector.expect['stringToSign']);
  const stringToSign = text.replaceAll(/ (\d+)\n/g, (_, i) => ` ${i % 7}!${i}\n`);
  expect(text.length).toBeGreaterThan(15_000);
  const work = { left: WORK };
  const spans = findSpans(vector, { stringToSign }, work);
  expect(spans.map(({ part }) => part)).toContain('header x-svc-77');
  expect(work.left).toBeGreaterThan(-WORK);
});

const findNotes = (id: string, signature: string, stringToSign: string): readonly string[] => {
  const vector = answeredVector(id);
  const { publicKey } = vector.keys;
  const result = { authorization: `Svc ${publicKey}:${signature}` };
  return analyzeTrace(vector, { result, trace: { stringToSign } })?.notes ?? [];
};

test('notes say whether the signature was made of the shown text', () => {
  const { expect: right, keys } = answeredVector(HEADERS);
  const text = String(right['stringToSign']);
  const hmac = (signed: string): string =>
    createHmac('sha1', keys.privateKey).update(signed).digest('base64');
  const sha1 = createHash('sha1').update(text).digest('base64');
  const other = text.replace('PUT', 'put');
  expect(findNotes(HEADERS, sha1, text)).toEqual([
    'the string to sign is correct; the mistake is in the digest, its key or its text',
  ]);
  expect(findNotes(HEADERS, Buffer.from(hmac(text), 'base64').toString('hex'), text)).toEqual([
    'the string to sign and its digest are correct; the mistake is in how they are encoded or sent',
  ]);
  expect(findNotes(HEADERS, hmac(other), other)).toEqual([]);
  expect(findNotes(HEADERS, sha1, other)).toEqual([
    `the shown string to sign gives ${hmac(other)}; the adapter signed another text, or used another key or digest`,
  ]);
});

const blocksOf = (stdout: string): ReadonlyMap<string, string> =>
  new Map(
    [...stdout.matchAll(/^FAIL (\S+)\n(?: .*\n)*/gm)].map(([block, id = '']) => [
      id,
      unwrapped(block),
    ]),
  );

const authorizationRun = (selected: readonly string[], command: readonly string[]) =>
  svcConformance(['run', ...selected, '--all', '--no-fresh', '--', ...command]);

/** In `npm test`, few vectors of each shape, and some with correct answers: each wrong one costs a search. */
const SHAPES =
  RUNS > 1
    ? ['--operation', 'authorization']
    : [
        'authorization/blanks/removes-*',
        'authorization/blanks/keeps-inner-*',
        'authorization/canonical-headers/*-i-as-*',
      ];

/** In `npm test`: a few vectors, including HEADERS and EMPTY_LINES. */
const AUTHORIZATION = RUNS > 1 ? SHAPES : [HEADERS, ...SHAPES];

test('a run shows the trace of each failure before the difference, and no shape that a cause explains', async () => {
  const { code, stdout } = await authorizationRun(
    AUTHORIZATION,
    program('shows-its-mistakes', 'signature-in-hexadecimal', 'headers-as-in-the-worked-example'),
  );
  expect(code).toBe(1);
  expect(stdout).not.toMatch(/^ *shape: /m);
  const blocks = blocksOf(stdout);
  expect(blocks.get(EMPTY_LINES)).toMatch(/^FAIL \S+ signature differs/);
  expect(blocks.get(HEADERS)).toMatch(
    /^FAIL \S+ trace: order of the headers \(step sortedHeaders, 5\.2\/headers-sorted\) canonicalHeaders differs/,
  );
});

thorough('a run shows the shape of each failure that no cause explains', async () => {
  const { stdout } = await authorizationRun(
    SHAPES,
    program('makes-unknown-mistakes', 'digests-in-two-forms'),
  );
  expect(stdout).toMatch(
    /^UNEXPLAINED by any known mistake\n {2}\d+ failures in authorization: only the form is wrong: /m,
  );
  const shapes = [...blocksOf(stdout).values()].map(
    (block) => /(?<=^FAIL \S+ )shape: .*(?= fix:)/.exec(block)?.[0],
  );
  expect(new Set(shapes)).toEqual(
    new Set([
      'shape: only the form is wrong: the digest is in hexadecimal',
      'shape: only the form is wrong: the digest lacks its padding',
      'shape: only the form is wrong: the digest lacks its padding and has "-" or "_"',
    ]),
  );
});

thorough('a shape that all unexplained answers have is shown only once', async () => {
  const { stdout } = await authorizationRun(
    RUNS > 1
      ? ['authorization', 'action-signature']
      : ['*/published-examples', 'authorization/verbs'],
    program('makes-unknown-mistakes', 'digests-of-a-secret'),
  );
  expect(stdout).toMatch(
    /^UNEXPLAINED by any known mistake\n {2}shape of all [0-9]+ answers: the digest has 32 bytes, as many as a SHA-256\n {2}fix: {3}use the SHA-1, 20 bytes\n {2}/m,
  );
  expect(unwrapped(stdout).match(/32 bytes/g)).toHaveLength(1);
});
