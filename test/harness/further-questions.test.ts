/**
 * Further evidence: exceptions, answers that almost fit, and the signatures that verifiers accept.
 */
import { expect, test } from 'vitest';
import { listRewritings } from '../../harness/engine/answer.ts';
import { toObservations } from '../../harness/engine/diagnosis/observation.ts';
import { createPredictor } from '../../harness/engine/diagnosis/reference-reply.ts';
import { Search } from '../../harness/engine/diagnosis/search.ts';
import { dropNeedless } from '../../harness/engine/diagnosis/simplification.ts';
import { toControlQuestion, toQuestion } from '../../harness/engine/judge/outcome.ts';
import type { Question, Reply } from '../../harness/engine/protocol.ts';
import { signForVerifier } from '../../harness/make/further/resigned-requests.ts';
import { addTellingValues } from '../../harness/make/further/telling-values.ts';
import { BUNDLED, bundledSuite } from '../../harness/suite/bundle.ts';
import { JSON_NUMBER } from '../../reference/mistakes/changes/numbers.ts';
import { numberText } from '../../reference/signing/parameters.ts';
import { someOf, thorough } from '../amount.ts';
import {
  answerWith,
  findCauses,
  findFullCauses,
  knownMistake,
  making,
  makingIf,
  observe,
  SVC,
} from './find-causes.ts';

const refusing = (reason: string): Reply => ({ kind: 'refused', reason, message: '' });
const EXCEPTION: Reply = { kind: 'error', message: 'UnicodeEncodeError' };

const isAscii = (question: Question): boolean =>
  /^[\x20-\x7e]*$/.test(JSON.stringify(question.input));

test('exceptions for texts beyond ASCII are named as the cause', async () => {
  const causes = await findCauses(['password'], (question) =>
    isAscii(question) ? answerWith(question) : EXCEPTION,
  );
  expect(causes).toHaveLength(1);
  expect(causes[0]?.[0]).toMatch(/^password-.*\/beyond-ascii-refused$/);
});

test('an operation whose requests all end with an exception has that exception as its cause', async () => {
  const message = 'ReferenceError: path is not defined';
  const causes = await findFullCauses(['url-encode', 'verify-query', 'etag'], (question) =>
    question.operation === 'etag' ? answerWith(question) : { kind: 'error', message },
  );
  expect(causes.map(({ mistake, confidence }) => [mistake.id, confidence])).toEqual([
    ['exception', 'exact'],
  ]);
  expect(causes[0]?.mistake.wrong).toBe(
    `every request of url-encode and verify-query ends with an exception: ${message}`,
  );
  const operations = causes[0]?.explains.map((id) => id.split('/')[0]);
  expect(new Set(operations)).toEqual(new Set(['url-encode', 'verify-query']));
});

test('exceptions for numbers are not explained by a mistake that changes numbers', async () => {
  const causes = await findCauses(['action-json', 'action-signature'], (question) =>
    JSON.stringify(question.input).includes('"number"')
      ? { kind: 'error', message: "NameError: name 'Decimal' is not defined" }
      : answerWith(question),
  );
  expect(causes).toEqual([['undue-refusal@values-number', 'one of']]);
});

test('refusals of some verbs are named by the verbs that are answered', async () => {
  const usual = ['GET', 'HEAD', 'PUT'];
  const causes = await findCauses(['authorization', 'presigned-url'], (question) =>
    usual.includes(`${question.input.method}`.toUpperCase())
      ? answerWith(question)
      : refusing('method'),
  );
  expect(causes).toEqual([['undue-refusal@not-verb-GET-HEAD-PUT', 'one of']]);
});

test('refusals of long numbers are named by their length, not by the parameter that some of them share', async () => {
  const isLong = ([, number = '']: readonly string[]): boolean =>
    JSON_NUMBER.test(number) && numberText(number).length > 30;
  const causes = await findCauses(['action-json', 'action-signature'], (question) =>
    [...JSON.stringify(question.input).matchAll(/"number":"([^"]*)"/g)].some(isLong)
      ? refusing('number')
      : answerWith(question),
  );
  expect(causes).toEqual([['undue-refusal@number-from-31', 'one of']]);
});

test('exceptions beside a wrong answer do not hide its cause', async () => {
  const operations = ['authorization', 'form-authorization', 'etag'];
  const causes = await findCauses(operations, (question) =>
    /"x-svc-/i.test(JSON.stringify(question.input.headers))
      ? EXCEPTION
      : answerWith(question, 'positional-blanks-kept', 'etag-empty-without-digest'),
  );
  const ids = [
    'positional-blanks-kept',
    'etag-empty-without-digest',
    'undue-refusal@header-x-svc-',
  ];
  expect(causes.map(([id]) => id)).toEqual(ids);
});

test('exceptions for further questions and in place of refusals have the cause that leads to them', async () => {
  // decodeURIComponent throws for a "%" alone, in keys to sign and in keys to verify.
  const id = 'resource-key/decoded-or-refused';
  const operations = ['authorization', 'verify-authorization'];
  const causes = await findFullCauses(operations, (question) => {
    const reply = answerWith(question, id);
    return reply.kind === 'refused' && reply.reason === 'text' ? EXCEPTION : reply;
  });
  expect(causes.map(({ mistake, confidence }) => [mistake.id, confidence])).toEqual([
    [id, 'exact'],
  ]);
  expect(causes[0]?.explains).toContain(
    'verify-authorization/mistaken-signers/refuses-a-key-signed-with-percent-escapes',
  );
});

const signatureOf = ({ input }: Question): string =>
  /(?:^|&)Signature=([^&]*)/.exec(String(input.query))?.[1] ?? '';

/** A verifier that compares signatures by a function that requires equal lengths. */
const throwsForLengths = (question: Question, ...ids: readonly string[]): Reply => {
  const reply = answerWith(question, ...ids);
  return reply.kind === 'refused' && signatureOf(question).length !== 40 ? EXCEPTION : reply;
};

test('exceptions in place of refusals are a cause, and do not hide other mistakes', async () => {
  const one = ['exception-for-refusal', 'exact'];
  expect(await findCauses(['verify-query'], (question) => throwsForLengths(question))).toEqual([
    one,
  ]);
  const causes = await findCauses(['verify-query'], (question) =>
    throwsForLengths(question, 'decoded-query/second-part-only'),
  );
  expect(causes).toEqual([['decoded-query/second-part-only', 'exact'], one]);
});

test('a refusal for another reason has the cause that leads to this reason', async () => {
  const mistake = 'verify-expiry-ignored';
  const causes = await findFullCauses(['verify-presigned-url'], making(mistake));
  expect(causes.map(({ mistake: { id } }) => id)).toEqual([mistake]);
  // With a wrong signature: this verifier says so, and a correct one says that the URL expired.
  expect(causes[0]?.explains).toContain(
    'verify-presigned-url/expiry/says-expired-before-it-looks-at-the-signature',
  );
});

test('a mistake that changes only reasons of refusals is a cause, unless all reasons are the same', async () => {
  const mistake = 'is-expiry-first/after-signature';
  const operations = ['verify-presigned-url'];
  const answer = making(mistake);
  expect(await findCauses(operations, answer)).toEqual([[mistake, 'exact']]);
  const causes = await findCauses(operations, (question) => {
    const reply = answer(question);
    return reply.kind === 'refused' ? { ...reply, reason: 'signature-mismatch' } : reply;
  });
  expect(causes).toEqual([]);
});

test('further questions of a signer keep the form of an expiry, which it may check', async () => {
  const refused: Reply = { kind: 'refused', reason: 'number', message: '' };
  const causes = await findCauses(['presigned-url'], (question) =>
    /^[0-9]+$/.test(question.input.expires ?? '')
      ? answerWith(question, 'file-path/dot-segments')
      : refused,
  );
  // Both resolve dot segments; versions of Node differ in which other characters a URL changes.
  expect(causes.map(([id]) => id).join()).toMatch(
    /^(?:file-path\/dot-segments|path-dots-resolved)$/,
  );
  expect(causes.map(([, confidence]) => confidence)).toEqual(['exact']);
});

/** The questions of the vectors, as texts. */
const ofVectors: ReadonlySet<string> = new Set(
  bundledSuite()
    .vectors.flatMap((vector) => [
      toQuestion(vector),
      ...(vector.control ? [toControlQuestion(vector)] : []),
    ])
    .map(({ input }) => JSON.stringify(input)),
);

const DECLINED: readonly Reply[] = [
  { kind: 'unsupported' },
  { kind: 'refused', reason: 'method', message: '' },
  EXCEPTION,
];

/** Which further question is declined: the first ones separate causes, the last ones confirm them. */
const DECLINED_AT = [0, 1, 2, 3];

test.each(DECLINED_AT)(
  'the causes are certain although an implementation declines further question %i',
  async (at) => {
    for (const id of ['content-type/empty', 'extra-value/padding-lost', 'resource-key/latin-1']) {
      for (const declined of DECLINED) {
        let asked = 0;
        const causes = await findCauses(['authorization'], (question) => {
          const isFurther = !ofVectors.has(JSON.stringify(question.input));
          return isFurther && asked++ === at ? declined : answerWith(question, id);
        });
        expect(asked).toBeGreaterThan(at);
        expect(causes).toEqual([[id, 'exact']]);
      }
    }
  },
);

thorough(
  'a cause of refusals is not certain if others of the same operation have no cause',
  async () => {
    // Its refusals of private keys with a hyphen look like refusals of some public keys, too.
    const causes = await findCauses(['verify-authorization'], (question) =>
      question.keys.privateKey.includes('-')
        ? { kind: 'refused', reason: 'authorization-malformed', message: 'no' }
        : answerWith(question),
    );
    expect(causes.length).toBeGreaterThan(0);
    expect(causes.map(([, confidence]) => confidence)).not.toContain('exact');
  },
);

/** The right requests that are asked only as controls of refusals. */
const controls: ReadonlySet<string> = new Set(
  bundledSuite().vectors.flatMap((vector) =>
    vector.operation === 'verify-query' && vector.control
      ? [JSON.stringify(toControlQuestion(vector).input)]
      : [],
  ),
);

test('exceptions in place of all refusals, or also for right requests, show no mistake', async () => {
  const throwsAlways = (reply: Reply): boolean => reply.kind === 'refused';
  const throwsForSome = (_: Reply, question: Question): boolean =>
    signatureOf(question).startsWith('5');
  const throwsForControls = (_: Reply, { input }: Question): boolean =>
    controls.has(JSON.stringify(input));
  for (const throws of [throwsAlways, throwsForSome, throwsForControls]) {
    const causes = await findCauses(['verify-query'], (question) => {
      const reply = throwsForLengths(question);
      return throws(reply, question) ? EXCEPTION : reply;
    });
    expect(causes.map(([id]) => id)).not.toContain('exception-for-refusal');
  }
});

test('a wrong acceptance has the same cause whether it names the received or the held public key', async () => {
  const mistake = 'same-account/case';
  const withHeldKey = (question: Question): Reply => {
    const reply = answerWith(question, mistake);
    const { publicKey } = question.keys;
    return reply.kind === 'result' ? { ...reply, result: { publicKey } } : reply;
  };
  const operations = ['verify-authorization', 'verify-query'];
  const received = await findCauses(operations, making(mistake));
  expect(received.map(([id]) => id)).toEqual([mistake]);
  expect(await findCauses(operations, withHeldKey)).toEqual(received);
});

test('another public key than the expected one is a wrong answer to a right request', async () => {
  const vectors = bundledSuite().vectors.filter(({ operation }) => operation === 'verify-query');
  const [vector] = vectors.filter(({ expect: expected, accept }) => expected && !accept);
  if (!vector) throw new Error('no query is accepted');
  const reply = (publicKey: string): Reply => ({
    kind: 'result',
    result: { publicKey },
    trace: {},
  });
  const [right] = toObservations(vector, reply(vector.keys.publicKey));
  const [other] = toObservations(vector, reply('another'));
  expect(right?.actual).toBe(right?.right);
  expect(other?.actual).not.toBe(other?.right);
});

thorough('a mistake that a few answers contradict is named as the nearest cause', async () => {
  const isShort = ({ input }: Question): boolean => String(input.expires).length <= 11;
  const causes = await findCauses(['presigned-url'], makingIf(isShort, 'signed-expires/http-date'));
  expect(causes).toEqual([['signed-expires/http-date', 'nearest']]);
});

test('further values in a request distinguish mistakes that no vector tells apart', () => {
  const vector = bundledSuite().vectors.find(
    ({ id }) => id === 'action-signature/flattening/flattens-a-list-in-a-list',
  );
  if (!vector) throw new Error('the vector is missing');
  const isToldApart = (question: Question, ids: readonly string[]): boolean =>
    new Set(ids.map((id) => JSON.stringify(answerWith(question, id)))).size === ids.length;
  const numbers = ['javascript', 'plain-numbers'].map(
    (way) => `flattened-object/inner-json-${way}`,
  );
  const trimmed = ['trimmed-unicode', 'stripped-java'].map((way) => `value-text/${way}`);
  const question = toQuestion(vector);
  expect([numbers, trimmed].map((ids) => isToldApart(question, ids))).toEqual([false, false]);
  const further = addTellingValues(question, SVC);
  for (const ids of [numbers, trimmed]) {
    expect(further.filter((one) => isToldApart(one, ids))).not.toEqual([]);
  }
});

test('every request with a further value is legal, and verifiers get it with a correct signature', () => {
  const first = new Map(
    bundledSuite()
      .vectors.filter(({ refuse, operation }) => refuse === undefined && !/etag/.test(operation))
      .map((vector) => [vector.operation, vector]),
  );
  for (const vector of first.values()) {
    const further = addTellingValues(toQuestion(vector), SVC).map(
      (question) => signForVerifier(question, [], SVC) ?? question,
    );
    // A request has several further parameters at once.
    expect(further.length).toBeGreaterThan(vector.input.parameters ? 10 : 100);
    expect(further.filter((question) => answerWith(question).kind !== 'result')).toEqual([]);
  }
  expect(first.size).toBe(16);
});

const ALIKE = [
  ['action-query', 'query-value/trimmed-ascii-2'],
  ['authorization', 'positional-value/after-slash'],
  ['action-json', 'signed-pairs/names-number-zeros-lost'],
  ['verify-query', 'received-pairs/values-trimmed-ascii'],
] as const;

test.each(someOf(ALIKE, 2))(
  'further values leave only the mistake of %s: %s',
  async (operation, id) => {
    const causes = await findCauses([operation], making(id));
    expect(causes).toContainEqual([id, 'exact']);
  },
);

test('a rival that fits only in verifiers is named if further questions exclude the first choice', async () => {
  const operations = ['policy-authorization', 'verify-authorization'];
  const isVerified = ({ operation }: Question): boolean => operation === 'verify-authorization';
  const causes = await findCauses(operations, makingIf(isVerified, 'policy-unsigned'));
  expect(causes).toEqual([['policy-unsigned', 'exact']]);
});

const ACCEPTING = [
  'received-url/underscores',
  'verify-shorter-signature',
  'verify-unpadded-signature',
  'same-text/skipping-base64',
  'same-text/first-32-of-equal-length',
];

test.each(someOf(ACCEPTING, 2))(
  'only the mistake %s that a verifier makes is named as the cause',
  async (id) => {
    const operations = ['verify-authorization', 'verify-presigned-url', 'verify-query'];
    const causes = await findCauses(operations, making(id));
    expect(causes).toEqual([[id, 'exact']]);
  },
);

/** What only the question has, a verifier's mistake, another name of it, and excluded rivals. */
const TOLD_APART: readonly (readonly [
  by: string,
  mistake: string,
  same: string,
  rivals: readonly string[],
])[] = [
  [
    'one header alone',
    'is-extra-header/prefix-as-lua-pattern',
    'is-extra-header/prefix-as-lua-pattern',
    ['headers-prefix-without-hyphen', 'is-extra-header/with-host'],
  ],
  [
    'unsigned headers',
    'verified-request/without-md5',
    'content-md-5/empty',
    ['content-md-5/empty-without-host', 'content-md-5/empty-without-user-agent'],
  ],
];

test.each(TOLD_APART)(
  'a question with %s distinguishes %s from its rivals',
  async (_, id, same, rivals) => {
    const operations = ['verify-authorization'];
    const causes = await findFullCauses(operations, making(id));
    expect(causes).toHaveLength(1);
    const fitting = causes.flatMap(({ mistake, others }) => [
      mistake.id,
      ...others.map((o) => o.id),
    ]);
    expect(fitting.some((one) => one === id || one === same)).toBe(true);
    for (const rival of rivals) expect(fitting).not.toContain(rival);
  },
);

test.each(['0123456789abcdef0123456789abcdef01234567', 'mLdHg6aM4W1Q+bQ/k57OgBg8NF5='])(
  'every rewriting of the signature %s differs from it and from the others',
  (signature) => {
    const texts = listRewritings(signature);
    expect(texts.length).toBeGreaterThan(8);
    expect(new Set([...texts, signature]).size).toBe(texts.length + 1);
  },
);

test.each([
  ['verify-authorization', 'verb/always-post'],
  ['verify-presigned-url', 'verb/always-post'],
  ['verify-query', 'signed-name/upper-case'],
  ['verify-json', 'signed-name/upper-case'],
])('only a verifier of %s with the mistake accepts a signature made for it', (operation, id) => {
  const questions = bundledSuite().vectors.filter(
    (vector) => vector.operation === operation && vector.expect && vector.level === 'must',
  );
  const signed = questions.flatMap(({ input, keys }) => {
    const question = { operation, input, keys };
    return signForVerifier(question, [knownMistake(id)], SVC) ?? [];
  });
  expect(signed.length).toBeGreaterThan(0);
  for (const question of signed) {
    expect(answerWith(question).kind).toBe('refused');
    expect(answerWith(question, id).kind).toBe('result');
  }
});

test.each([
  [
    'questions with other numbers show that a verifier writes doubles as Python does',
    ['verify-json'],
    'number-text/python-floats',
  ],
  [
    'one change in two steps is one cause',
    ['action-signature', 'action-json'],
    'number-text+json-value/fixed-6-fractions',
  ],
  [
    'a repeated header shows whether each value or the joined values are changed',
    ['authorization'],
    'signed-header-value/cut-at-colon',
  ],
  [
    'the same change in the hash of files and of parts is one mistake',
    ['etag', 'part-etag'],
    'block-hash+part-hash/stale-8',
  ],
])('%s', async (_, operations, id) => {
  expect(await findCauses(operations, making(id))).toEqual([[id, 'exact']]);
});

test('mistakes that are unnecessary only together are dropped', () => {
  const made = ['is-sent-parameter/publickey-unsent', 'json-members/two-only'].map(knownMistake);
  const needless = ['action-signature-text/reversed', 'json-signature/reversed'].map(knownMistake);
  const observed = observe('action-json', made);
  const search = new Search(observed, createPredictor(SVC, BUNDLED));
  const set = [...made.slice(0, 1), ...needless, ...made.slice(1)].map((mistake) => ({ mistake }));
  const explainsAll = (some: typeof set): boolean =>
    observed.every((one) => search.observed.explains(one, some));
  expect(explainsAll(set)).toBe(true);
  for (const one of needless) {
    expect(explainsAll(set.filter(({ mistake }) => mistake !== one))).toBe(false);
  }
  expect(dropNeedless(search.observed, set).map(({ mistake }) => mistake)).toEqual(made);
});
