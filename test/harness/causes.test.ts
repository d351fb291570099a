import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FoundCause } from '../../harness/engine/diagnosis/diagnose.ts';
import type { Outcome } from '../../harness/engine/judge/outcome.ts';
import { findExample } from '../../harness/engine/report/example.ts';
import { selectSimplest } from '../../harness/engine/select.ts';
import type { Vector } from '../../harness/engine/vector.ts';
import { bundledSuite } from '../../harness/suite/bundle.ts';
import { mistaken } from '../../reference/mistakes/index.ts';
import { isVerifier } from '../../reference/operations.ts';
import { type Context, inDialect } from '../../reference/signing/index.ts';
import { RUNS, someOf, thorough } from '../amount.ts';
import { hasPython, PYTHON, withoutPython } from '../python.ts';
import { folderOfTest } from '../temporary-folder.ts';
import { answerWith, findCauses, knownMistake, making, SVC } from './find-causes.ts';
import { programPath } from './program-path.ts';
import { run, unwrapped } from './svc-conformance.ts';
import { program } from './trial.ts';

/** A vector, and two mistakes that give the same wrong answer to it. */
const RIVALS: readonly (readonly [vector: string, a: string, b: string])[] = [
  [
    'authorization/resource/keeps-a-long-key-of-1023-bytes',
    'resource-encoded',
    'resource-encoded-with-slashes',
  ],
  [
    'authorization/folding/replaces-a-fold-with-a-tab',
    'headers-names-as-written',
    'headers-names-in-title-case',
  ],
  [
    'action-signature/texts/keeps-a-plus',
    'action-text-percent-encoded',
    'action-text-uri-component-encoded',
  ],
  ['presigned-url/path/encodes-a-plus', 'signature-url-safe', 'presigned-signature-url-safe'],
  [
    'verify-presigned-url/expiry/refuses-expires-without-a-value',
    'verify-expires-as-number',
    'verify-expires-unchecked',
  ],
];

async function oneVector(vector: string, mistake: string, answers?: number): Promise<string> {
  const { code, stdout, stderr } = await run(
    `--no-fresh ${vector}`,
    program('makes-mistakes', mistake),
    answers === undefined ? {} : { environment: { MOST_ANSWERS: `${answers}` } },
  );
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  return stdout;
}

test.concurrent.each(
  someOf(
    RIVALS.flatMap(([vector, a, b]) => [[a, vector] as const, [b, vector] as const]),
    5,
  ),
)('further questions leave only %s of the mistakes that fit %s', async (mistake, vector) => {
  const stdout = await oneVector(vector, mistake);
  expect([...stdout.matchAll(/^CAUSE (.*)$/gm)].map(([, line]) => line)).toEqual([mistake]);
});

thorough.concurrent.each(RIVALS)(
  'for %s, %s stays one of several causes if the adapter stops replying',
  async (vector, a) => {
    // The vector, one known-good question, and for a verify operation the control of the vector.
    const stdout = await oneVector(vector, a, isVerifier(vector) ? 3 : 2);
    expect(stdout).toMatch(/^CAUSE \S+ \(one of several\)$/m);
  },
);

thorough.concurrent(
  'a cause that a single wrong verdict shows is reported as likely, and can be accepted like any other',
  async () => {
    const vector = 'verify-authorization/malformed-headers/refuses-credentials-without-a-scheme';
    const stdout = await oneVector(vector, 'parsed-authorization/scheme-optional');
    expect(stdout).toContain('\nCAUSE parsed-authorization/scheme-optional (likely)\n');
    expect(stdout).toContain(
      '\n  only one wrong answer shows it, so the cause may be another one\n',
    );
    expect(stdout).toContain(' --cause parsed-authorization/scheme-optional ');
  },
);

thorough.concurrent('a cause that only verdicts show is reported as likely', async () => {
  const { stdout } = await run(
    'authorization presigned-url verify-presigned-url',
    program('makes-mistakes', 'key-of-path/empty-refused'),
  );
  expect(stdout).toContain('\nCAUSE key-of-path/empty-refused (likely)\n');
  expect(stdout).toMatch(/^ {2}explains [2-9] failures, /m);
  expect(stdout).toContain(
    '\n  no wrong text has this cause alone, so the cause may be another one\n',
  );
});

const ofPython = hasPython ? thorough : test.skip;

ofPython(`no cause of an adapter with a random wrong key is certain${withoutPython}`, async () => {
  const junk = ['bench/trials/junk/junk.py', '73'];
  const { stdout } = await run('', [PYTHON, ...junk]);
  const causes = stdout.match(/^CAUSE .*/gm) ?? [];
  expect(stdout).toContain('\nUNEXPLAINED ');
  for (const cause of causes) expect(cause).toMatch(/\((?:likely|one of several)\)$/);
});

ofPython(`a verifier that answers at random gets no cause${withoutPython}`, async () => {
  const junk = ['bench/trials/junk/junk.py', '86'];
  const { stdout } = await run('', [PYTHON, ...junk]);
  expect(stdout).toContain('\nUNEXPLAINED ');
  expect(stdout).not.toContain('\nCAUSE ');
});

ofPython.each([
  // It makes up for a list without falsy values that in truth is filtered after merging.
  ['naive/03.py', 'extra-list/reversed-2 (likely)'],
  // It makes up for an encoder that in truth does not encode the public key.
  ['programs/322.py', 'presigned-public-key/component (likely)'],
  // An encoder that was fitted to the answers on top of another one.
  ['programs/316.py', 'presigned-public-key/spelled-7ek-3fk (likely)'],
] as const)(
  `of %s, a cause that only makes up for another one is likely${withoutPython}`,
  async (file, expected) => {
    const { stdout } = await run('--no-fresh', [PYTHON, `bench/trials/${file}`]);
    expect(stdout.match(/^CAUSE .*/gm)).toContain(`CAUSE ${expected}`);
  },
);

thorough.concurrent('a cause is reported with an example and the failure count', async () => {
  const command = program('makes-mistakes', 'headers-merged-by-comma-space');
  const { stdout } = await run('authorization', command);
  expect(stdout).toMatch(/^1 cause explains \d+ failures$/m);
  const [, id] = /^ {2}shown by (\S+):$/m.exec(stdout) ?? [];
  expect(id).toMatch(/^authorization\//);
  expect(stdout).toMatch(/^ {4}input \{"method":.*\}$/m);
  expect(stdout).toMatch(
    /^ {4}stringToSign differs at character \d+ \(computed from your answer\)\n {4}expected {2}".*\n {4}actual {4}".*\n +\^$/m,
  );
  expect(stdout).toMatch(
    /^ {2}explains \d+ failures, such as authorization\/\S+ and authorization\/\S+$/m,
  );
});

/** In `npm test`, only a part of these operations: the search for causes takes seconds. */
const AUTHORIZATION = RUNS > 1 ? 'authorization' : 'authorization/resource';
const ACTION_SIGNATURE = RUNS > 1 ? 'action-signature' : 'action-signature/private-key-and-digest';

const JAVASCRIPT = program('makes-unknown-mistakes');
const PATCHED = [PYTHON, programPath('patched.py')];

/** Unknown mistakes, with the smallest failing request and the nearest passing request. */
const UNKNOWN: readonly (readonly [
  command: readonly string[],
  selected: string,
  shown: readonly string[],
])[] = [
  [
    [...JAVASCRIPT, 'letter-q-doubled'],
    'url-encode',
    [
      'input {"text":"q"} encoded differs at character 2',
      'nearest passing request: with text as "Q"',
    ],
  ],
  [
    [...JAVASCRIPT, 'header-values-interleaved'],
    'authorization',
    [
      '"headers":[["X-Svc-","lue"]]}',
      'nearest passing request: without "l" in the value of "X-Svc-"',
    ],
  ],
  [
    [...PATCHED, '"/" + bucket + "/" + key', '"/" + bucket + "/" + key[1:] + key[:1]'],
    AUTHORIZATION,
    [
      '"key":"ka","headers":[]} canonicalResource differs',
      'nearest passing request: without "k" in key',
    ],
  ],
  [
    [...PATCHED, '[name + text for', '[name + text[1::2] + text[::2] for'],
    ACTION_SIGNATURE,
    [
      'input {"parameters":[["PublicKey","pub-65"]]} stringToSign differs at character 10',
      'nearest passing request: without "PublicKey" in parameters',
    ],
  ],
  [
    [...PATCHED, 'string_to_sign = "".join([name', 'string_to_sign = "v1" + "".join([name'],
    ACTION_SIGNATURE,
    ['input {"parameters":[]} stringToSign differs at character 1', 'no similar request'],
  ],
];

// Not concurrent: the search for smaller requests has a time limit, and calls share a thread.
if (!hasPython) test.skip(`unknown mistakes of programs in Python${withoutPython}`, () => {});
const RUNNABLE = UNKNOWN.filter(([command]) => command[0] !== PYTHON || hasPython);

test.each(someOf(RUNNABLE, 3))(
  'the failures of %s are unexplained and shrunk to the smallest request',
  async (command, selected, shown) => {
    const { code, stdout, stderr } = await run(selected, command);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).not.toMatch(/^CAUSE/m);
    expect(stdout).toMatch(/^no known mistake explains (?:the failure|the \d+ failures)$/m);
    const [, block = ''] = /^UNEXPLAINED by any known mistake$([\s\S]*?)\n\n/m.exec(stdout) ?? [];
    for (const text of shown) expect(unwrapped(block)).toContain(text);
    expect(unwrapped(block)).not.toContain('the search for smaller requests stopped early');
  },
);

thorough.concurrent(
  'the report says that the search for smaller requests stopped early if the adapter stops replying',
  async () => {
    const command = [...JAVASCRIPT, 'letter-q-doubled'];
    const { code, stdout } = await run('--no-fresh url-encode', command, {
      environment: { MOST_ANSWERS: '25' },
    });
    expect(code).toBe(1);
    expect(unwrapped(stdout)).toContain(
      'the search for smaller requests stopped early, because a further question was not answered within 2 s',
    );
  },
);

/** In `npm test`, the operation that shows most of the mistake. */
const SORTED = RUNS > 1 ? '' : 'action-signature';

test('the plain vector of an operation is simpler than a shorter one with marks, and than a refused one', () => {
  const [model] = bundledSuite().vectors.filter(({ operation }) => operation === 'url-encode');
  if (!model) throw new Error('url-encode has no vector');
  const { expect: encoded, refuse: _, ...rest } = model;
  const of = (text: string): Vector => ({ ...rest, id: text, input: { text } });
  const answered = (text: string): Vector => ({ ...of(text), ...(encoded && { expect: encoded }) });
  const texts = ['', '%', '\n', 'é', 'web server'];
  const vectors = [...texts.map(answered), of('a')];
  expect(selectSimplest(vectors).map(({ id }) => id)).toEqual(['web server']);
});

test('the plain vector of an operation has no callback policy, which some verifiers refuse', () => {
  const ids = [
    'verify-authorization/callback-policies/takes-a-policy-with-a-plus',
    'verify-authorization/right-requests/keeps-two-spaces-within-a-type-and-a-value',
  ];
  const vectors = bundledSuite().vectors.filter(({ id }) => ids.includes(id));
  expect(vectors).toHaveLength(2);
  expect(selectSimplest(vectors).map(({ id }) => id)).toEqual(ids.slice(1));
});

const WITHIN = [
  ['action-signature', 'action-text-as-query', 'signed-name/upper-case'],
  ['action-query', 'query-pair/colon', 'query-name/upper-case'],
  ['authorization', 'authorization-value/header-line', 'sent-public-key/upper-case'],
  ['action-json', 'json-members/nested', 'number-text+json-value/javascript'],
  ['action-signature', 'flattened-list+flattened-object/bare-as-given', 'boolean-as-digit'],
] as const;

test.each(WITHIN)(
  'both mistakes are named if one is in a step within the other: %s, %s and %s',
  async (operation, ...ids) => {
    const causes = await findCauses([operation], making(...ids));
    expect(causes.toSorted()).toEqual(ids.map((id) => [id, 'exact']).toSorted());
  },
);

const OF_ONE_STEP = [
  ['action-signature', 'number-decimal-comma', 'number-minus-zero-kept'],
  ['etag', 'etag-first-block-only', 'etag-hash-of-one-hash'],
] as const;

test.each(OF_ONE_STEP)(
  'both mistakes are named if each replaces the same step for other inputs: %s, %s and %s',
  async (operation, ...ids) => {
    const causes = await findCauses([operation], making(...ids));
    expect(causes.toSorted()).toEqual(ids.map((id) => [id, 'exact']));
  },
);

test('a verifier that refuses most requests, the plainest one included, has the cause that explains all its refusals', async () => {
  const id = 'credentials/word-characters';
  const { stdout } = await run('verify-authorization', program('makes-mistakes', id));
  expect([...stdout.matchAll(/^CAUSE (.*)$/gm)].map(([, line]) => line)).toEqual([id]);
  expect(stdout).not.toContain('UNEXPLAINED');
});

test('another digest of an action hashes the private key in the same character set as the text', () => {
  const keys = { publicKey: 'pub-example', privateKey: 'cl\u00e9' };
  const parameters = [
    ['Action', 'ListDisks'],
    ['PublicKey', 'pub-example'],
  ] as const;
  const text = `ActionListDisksPublicKeypub-example${keys.privateKey}`;
  const signature = createHash('sha256').update(text, 'latin1').digest('hex');
  expect(
    answerWith(
      { operation: 'action-signature', keys, input: { parameters } },
      'action-digest/sha256-key-last',
      'action-text-latin-1',
    ),
  ).toMatchObject({ result: { signature } });
});

/** What the tools themselves give: PHP 8.2, Node 20. */
const OF_TOOLS: readonly (readonly [
  id: string,
  call: (context: Context) => unknown,
  given: unknown,
])[] = [
  [
    'decoded-query/parse-str',
    (made) => made.steps.decodedQuery('%20a.b[c=1&%00x=2&d.e[0]=3&f=+&f=4&g%00h=5&[i=6', made),
    [
      ['a_b_c', '1'],
      // PHP holds a list here, and writes a list as this text.
      ['d_e', 'Array'],
      ['f', '4'],
      ['g', '5'],
    ],
  ],
  [
    'received-url/javascript',
    (made) => made.steps.receivedUrl('https://B.example:443/a/../b\\c'),
    'https://b.example/b/c',
  ],
  [
    'date/reformatted-javascript',
    (made) =>
      ['Jul6', '2026-11-21T00:00:00+08:00', 'soon'].map((text) => made.steps.date(text, [], made)),
    ['Fri, 06 Jul 2001 00:00:00 GMT', 'Fri, 20 Nov 2026 16:00:00 GMT', 'soon'],
  ],
  [
    'extra-headers/neighbours-lost',
    (made) =>
      made.steps
        .extraHeaders(
          ['X-Svc-A', 'X-Svc-B', 'X-Svc-C', 'Date', 'X-Svc-D'].map((name) => [name, '1']),
          made,
        )
        .map(([name]) => name),
    ['x-svc-a', 'x-svc-c', 'x-svc-d'],
  ],
  [
    'same-text/skipping-base64-php',
    (made) =>
      ['TUVN=RQ==', 'TU-VN!RQ', 'TUVNRQ=a'].map((text) => made.steps.sameText('TUVNRQ==', text)),
    [true, true, false],
  ],
];

test.each(OF_TOOLS)('%s gives what the tool gives', (id, call, given) => {
  expect(call(mistaken(inDialect(SVC), [knownMistake(id)]))).toEqual(given);
});

thorough(
  'a mistake that resembles a known one has the nearest cause, and no cause that fits by chance',
  async () => {
    const folder = folderOfTest();
    const swapping = program('swaps-a-step', '64', 'sorts-by-a-collation-of-its-own');
    const { stdout } = await run(`--no-fresh ${SORTED}`, swapping, {
      environment: { RECORD: join(folder, 'record') },
    });
    const causes = stdout.match(/^CAUSE .*/gm) ?? [];
    // The signed list is sorted once, so both steps describe the order equally well.
    expect(causes[0]).toMatch(/ (?:sorted-parameters|signed-pairs)\/words-lower /);
    // The few sorted names of bucket requests are nearly in the order of a comparison without regard to case.
    const nearest =
      /^CAUSE (?:(?:sorted-parameters|signed-pairs)\/words-lower|parameters-sorted-ignoring-case) \(fits \d+ of \d+ answers\)$/;
    for (const cause of causes) expect(cause).toMatch(nearest);
  },
);

test('the example of a cause has no other cause, texts to compare, its rule, and a plain small input', () => {
  const outcomeOf = (id: string, rule: string, bucket: string, isTold: boolean): Outcome => {
    const [model] = bundledSuite().vectors.filter(({ operation }) => operation === 'authorization');
    if (!model) throw new Error('authorization has no vector');
    const difference = { stage: 'authorization', expected: 'a', actual: 'b', at: 0 };
    return {
      vector: { ...model, id, rules: [rule], input: { ...model.input, bucket } },
      verdict: { status: 'fail', message: '', ...(isTold && { difference }) },
      reply: { kind: 'unsupported' },
    };
  };
  const outcomes = [
    outcomeOf('mixed', 'r', 'a', true),
    outcomeOf('verdict', 'r', 'a', false),
    outcomeOf('foreign', 's', 'a', true),
    outcomeOf('marked', 'r', 'ä', true),
    outcomeOf('long', 'r', 'a'.repeat(60), true),
    outcomeOf('best', 'r', 'abc', true),
  ];
  const causeOf = (id: string, explains: readonly string[]): FoundCause => {
    return {
      mistake: { id, rule: 'r', wrong: '', fix: '' },
      confidence: 'exact',
      others: [],
      explains,
    };
  };
  const ids = outcomes.map(({ vector }) => vector.id);
  const cause = causeOf('one', ids);
  const causes = [cause, causeOf('other', ['mixed'])];
  const chosen = (without: number): string | undefined =>
    findExample({ ...cause, explains: ids.slice(0, without) }, { causes, outcomes })?.vector.id;
  expect([6, 5, 4, 3, 2, 1].map(chosen)).toEqual([
    'best',
    'long',
    'marked',
    'foreign',
    'verdict',
    'mixed',
  ]);
});
