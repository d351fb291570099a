import { cpSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packagePath } from '../../dist/harness/suite/package-root.js';
import { formatReply } from '../../harness/engine/diagnosis/observation.ts';
import type { Question } from '../../harness/engine/protocol.ts';
import { drawQuestions } from '../../harness/make/fuzz/trial.ts';
import { bundledSuite } from '../../harness/suite/bundle.ts';
import { SPECIFICATION, type Steps, withSteps } from '../../reference/signing/index.ts';
import { RUNS, someOf, thorough } from '../amount.ts';
import { folderOfFile } from '../temporary-folder.ts';
import { SVC } from './find-causes.ts';
import { type Finding, findingsIn } from './findings.ts';
import { answerIn, contextWith } from './mistaken-respondent.ts';
import { type Ended, type Running, svcConformance, wordsOf } from './svc-conformance.ts';
import { program } from './trial.ts';
import { testUsageErrors } from './usage-errors.ts';

/** The reference as a process, and in the process of the tests. */
const REFERENCE = [process.execPath, packagePath('dist/bin/reference-adapter.cjs')];
const RIGHT = program('makes-mistakes');

const temporary = folderOfFile();

/** An adapter that replaces one of its steps. */
const swapping = (what: string): readonly string[] => program('swaps-a-step', '64', what);

interface Fuzzed extends Ended {
  readonly findings: readonly Finding[];
}

/** Runs the command line, and checks that it leaves no temporary files. */
async function run(
  parameters: readonly string[],
  meanwhile: (call: Running) => unknown = () => {},
): Promise<Fuzzed> {
  const folder = mkdtempSync(join(temporary, 'run-'));
  const record = join(folder, 'record');
  writeFileSync(record, '');
  const ended = await svcConformance(parameters, {
    environment: { FORCE_COLOR: '0', RECORD: record, TMPDIR: folder, TEMP: folder },
    meanwhile,
  });
  expect(readdirSync(folder)).toEqual(['record']);
  return { ...ended, findings: findingsIn(ended.stdout) };
}

function fuzz(command: readonly string[], line = ''): Promise<Fuzzed> {
  return run(['fuzz', '--seed', '1', ...wordsOf(line), '--', ...command]);
}

test.concurrent('fuzz finds nothing in the reference', async () => {
  const { code, stdout, stderr } = await fuzz(REFERENCE, `--runs ${RUNS > 1 ? 500 * RUNS : 100}`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/ requests about 18 operations · \d+ questions · 0 findings\n$/);
});

const { steps: CORRECT } = SPECIFICATION;

/** What a correct implementation may do otherwise than the reference, because the rules are open about it. */
const OPEN_CHOICES: readonly (readonly [what: string, operation: string, steps: Partial<Steps>])[] =
  [
    [
      'signs only the last value of a name that is given twice',
      'action-signature',
      {
        signedParameters: (parameters, context) =>
          CORRECT.signedParameters([...new Map(parameters)], context),
      },
    ],
    [
      'accepts an Expires of more than 15 digits',
      'verify-presigned-url',
      { expirySeconds: (expires) => (/^[0-9]+$/.test(expires) ? Number(expires) : undefined) },
    ],
    [
      'accepts a signature in upper-case hexadecimal',
      'verify-json',
      { sameText: (expected, received) => CORRECT.sameText(expected, received.toLowerCase()) },
    ],
    [
      'accepts the scheme in any case',
      'verify-authorization',
      { hasScheme: (value, scheme) => value.toLowerCase().startsWith(`${scheme.toLowerCase()} `) },
    ],
    [
      'reads a plus in a query as a space',
      'verify-query',
      { decodedText: (text) => CORRECT.decodedText(text.replaceAll('+', '%20')) },
    ],
    [
      'leaves "@" of the public key unescaped',
      'presigned-url',
      { presignedPublicKey: (publicKey) => encodeURIComponent(publicKey).replaceAll('%40', '@') },
    ],
  ];

test.each(OPEN_CHOICES)(
  'neither a vector nor fuzz accuses an implementation that %s',
  (_, operation, steps) => {
    const right = contextWith([], 'svc');
    const other = withSteps(right, steps);
    const differs = (question: Question): boolean =>
      formatReply(operation, answerIn(right, question)) !==
      formatReply(operation, answerIn(other, question));
    const asked = bundledSuite().vectors.filter((vector) => vector.operation === operation);
    expect(asked.filter(differs).filter(({ accept }) => accept === undefined)).toEqual([]);
    expect(asked.some(differs)).toBe(true);
    const drawn = drawQuestions([operation], { dialect: SVC, operations: [operation] }, 2000);
    expect(drawn.filter(differs)).toEqual([]);
  },
);

thorough.concurrent('fuzz finds nothing in the reference in another dialect', async () => {
  const { code, stderr } = await fuzz(
    RIGHT,
    `--dialect ucloud --runs ${RUNS > 1 ? 200 * RUNS : 100}`,
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

thorough.concurrent('a request with a large content is asked only once', async () => {
  const { stdout } = await fuzz(RIGHT, '--operation etag --runs 600');
  const asked = Number(/(\d+) requests/.exec(stdout)?.[1]);
  // One draft in ten has one of ten large contents.
  expect(600 - asked).toBeGreaterThan(20);
});

test.concurrent('fuzz takes an adapter by its name or folder', async () => {
  const options = ['--runs', '20', '--operation', 'url-encode'];
  const named = await run(['fuzz', '--seed', '1', ...options, '--adapter', 'reference']);
  expect({ code: named.code, findings: named.findings }).toEqual({ code: 0, findings: [] });
  const folder = packagePath('adapters/reference');
  const inFolder = await run(['fuzz', '--seed', '1', ...options, '--adapter', folder]);
  expect({ code: inFolder.code, findings: inFolder.findings }).toEqual({ code: 0, findings: [] });
});

const ANY = expect.anything();

/** A planted mistake, the operation that shows it first, its cause, and its smallest request. */
const PLANTED: readonly (readonly [
  planted: string,
  operation: string,
  cause: string,
  input: Readonly<Record<string, unknown>>,
])[] = [
  [
    'joins-with-comma-and-space',
    'authorization',
    'headers-merged-by-comma-space',
    { method: 'GET', key: '', headers: [ANY, ANY] },
  ],
  [
    'sorts-by-utf-16',
    'action-signature',
    'parameters-sorted-by-utf-16',
    { parameters: [ANY, ANY, ANY, ANY] },
  ],
  [
    'sorts-ignoring-case',
    'action-signature',
    'parameters-sorted-ignoring-case',
    { parameters: ANY },
  ],
  [
    'encodes-the-key',
    'authorization',
    'resource-encoded',
    { method: 'GET', key: expect.stringMatching(/^.{1,2}$/u), headers: [] },
  ],
  [
    'writes-numbers-as-javascript',
    'action-signature',
    'number-javascript',
    { parameters: [ANY, ANY, ANY] },
  ],
  ['escapes-spaces-as-plus', 'url-encode', 'escape-space-as-plus', { text: ' ' }],
  [
    'trims-in-unicode',
    'authorization',
    'blanks-trimmed-in-unicode',
    { method: 'GET', key: '', headers: [ANY] },
  ],
  ['cuts-long-keys', 'authorization', 'hmac-long-key-cut', { method: 'GET', key: '', headers: [] }],
  [
    'accepts-any-signature',
    'verify-authorization',
    'verify-any-signature',
    { method: 'GET', key: '', headers: [ANY] },
  ],
];

test.concurrent.each(someOf(PLANTED, 8))(
  'the cause of an adapter that %s is named, with a very small request',
  async (planted, operation, cause, input) => {
    const { code, stderr, findings } = await fuzz(
      swapping(planted),
      `--operation ${operation} --runs 300`,
    );
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    const [first] = findings;
    expect(first).toMatchObject({ operation, causes: [cause], vector: { input } });
    expect(first?.text).toContain('nearest passing request: ');
    expect(findings.map(({ causes }) => causes)).toEqual([[cause]]);
  },
);

/** In `npm test`, only two operations that sign extra headers: each finding takes time. */
const HEADERS_SIGNED = '--operation authorization --operation form-authorization';

test.concurrent('a cause is reported once for each operation', async () => {
  const { findings } = await fuzz(
    swapping('joins-with-comma-and-space'),
    RUNS > 1 ? '--runs 2000' : `${HEADERS_SIGNED} --runs 120`,
  );
  const shown = findings.map((finding) => `${finding.operation} ${finding.causes}`);
  expect(shown.length).toBeGreaterThan(RUNS > 1 ? 3 : 1);
  expect(new Set(shown).size).toBe(shown.length);
});

thorough.concurrent('two mistakes of one adapter are two findings', async () => {
  const { findings } = await fuzz(
    swapping('joins-with-comma-and-space,encodes-the-key'),
    '--operation authorization --runs 300',
  );
  expect(findings.flatMap(({ causes }) => causes).sort()).toEqual([
    'headers-merged-by-comma-space',
    'resource-encoded',
  ]);
});

thorough.concurrent(
  'a mistake that is not known is reported with its nearest passing request',
  async () => {
    const { code, findings } = await fuzz(
      swapping('signs-every-other-character-first'),
      '--operation authorization --runs 300',
    );
    expect(code).toBe(1);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({
      causes: [],
      vector: { input: { key: expect.stringMatching(/^.{3}$/u), headers: [] } },
    });
    expect(findings[0]?.text).toContain('unexplained: no known mistake gives this answer');
    expect(findings[0]?.text).toMatch(/nearest passing request: with/);
  },
);

test.concurrent('a crash is a finding with the question that triggers it', async () => {
  const { code, findings } = await fuzz(
    program('crashes-over-a-plus', '64'),
    '--operation url-encode --runs 100',
  );
  expect(code).toBe(1);
  expect(findings).toHaveLength(1);
  expect(findings[0]).toMatchObject({ status: 'CRASHED', vector: { input: { text: '+' } } });
  expect(findings[0]?.text).toContain('SignError: it was in the text');
});

thorough.concurrent('a hang is a finding, and other operations are still tested', async () => {
  const { code, findings, stdout } = await fuzz(
    program('hangs-over-a-plus', '64'),
    '--operation url-encode --operation policy --runs 100 --timeout 0.4',
  );
  expect(code).toBe(1);
  expect(findings).toHaveLength(1);
  expect(findings[0]).toMatchObject({ status: 'TIMEOUT', vector: { input: { text: '+' } } });
  expect(stdout).toContain('about 2 operations');
});

test.concurrent('a wrong answer that does not recur is reported as flaky', async () => {
  const { code, findings } = await fuzz(program('errs-once'), '--operation url-encode --runs 60');
  expect(code).toBe(1);
  expect(findings[0]?.text).toContain('flaky: the same question passed when repeated');
});

test.concurrent('the command line of a finding gives the same finding', async () => {
  const command = swapping('joins-with-comma-and-space');
  const { findings } = await fuzz(command, '--operation authorization --runs 100');
  const [first] = findings;
  const again = await run(first?.again ?? []);
  expect(again.code).toBe(1);
  expect(again.findings[0]?.vector).toEqual(first?.vector);
  expect(again.findings[0]?.again).toEqual(first?.again);
});

thorough.concurrent('the same seed gives the same report', async () => {
  const command = swapping('encodes-the-key');
  const [one, other] = await Promise.all([
    fuzz(command, '--operation authorization --runs 100'),
    fuzz(command, '--operation authorization --runs 100'),
  ]);
  expect(other.stdout).toBe(one.stdout);
});

thorough.concurrent('a vector from a report passes vectors check', async () => {
  const folder = mkdtempSync(join(temporary, 'vectors-'));
  const { stdout } = await fuzz(
    swapping('accepts-any-signature'),
    '--operation verify-presigned-url --runs 200',
  );
  const yaml = (stdout.match(/^ {4}.*$/gm) ?? []).filter((line) => !line.trim().startsWith('^'));
  mkdirSync(join(folder, 'verify-presigned-url'));
  writeFileSync(
    join(folder, 'verify-presigned-url', 'found.yaml'),
    `operation: verify-presigned-url\nvectors:\n${yaml.join('\n')}\n`,
  );
  cpSync(packagePath('vectors/rules.yaml'), join(folder, 'rules.yaml'));
  const { code, stdout: checked, stderr } = await run(['vectors', 'check', folder]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(checked).toContain('1 vector (1 must be refused)');
});

thorough.concurrent('a run with --time and without --runs ends', async () => {
  const { code } = await fuzz(REFERENCE, '--time 0.5');
  expect(code).toBe(0);
});

const posix = process.platform === 'win32' ? test.skip : test.concurrent;

posix('the findings before an interruption are reported', async () => {
  const command = swapping('escapes-spaces-as-plus');
  const { code, stdout, stderr } = await run(
    ['fuzz', '--seed', '1', '--time', '60', '--', ...command],
    ({ onStdout, interrupt }) =>
      onStdout((text) => {
        if (text.includes('FOUND')) interrupt();
      }),
  );
  expect({ code, stderr }).toEqual({ code: 5, stderr: '' });
  expect(stdout).toContain('cause: escape-space-as-plus');
  expect(stdout).toMatch(/aborted: the run was interrupted\n$/);
});

test.concurrent.each([
  ['crashes-before-hello'],
  ['crashes-over-everything'],
  ['has-no-operation', '1', 'everything'],
] as const)('an adapter that %s never worked, and has no finding', async (name, ...parameters) => {
  const { code, stdout } = await fuzz(program(name, ...parameters));
  expect(code).toBe(4);
  expect(stdout).toContain('the adapter never worked');
});

test.concurrent('an operation that the adapter does not offer is refused', async () => {
  const { code, stderr } = await fuzz(program('offers-url-encode'), '--operation etag');
  expect(code).toBe(2);
  expect(stderr).toContain('the adapter does not offer etag; it offers url-encode');
});

test.concurrent('a command that cannot be started never worked', async () => {
  expect((await run(['fuzz', '--', 'a'])).code).toBe(4);
});

testUsageErrors([
  ['fuzz', 'write svc-conformance fuzz'],
  ['fuzz --operation authorisation -- a', 'did you mean authorization?'],
  ['fuzz --operation toString -- a', '"toString" is not an operation'],
  ['fuzz --path 1 -- a', '--path needs --seed'],
  ['fuzz --seed 1.5 -- a', '--seed "1.5" is not a seed'],
  ['fuzz --runs 0 -- a', '--runs 0 is not a count'],
  ['fuzz --sede 1 -- a', 'did you mean --seed?'],
  ['fuzz --dialect none -- a', 'is not a dialect'],
  ['fuzz --runs 20', 'fuzz takes one adapter; write svc-conformance fuzz [options]'],
  [
    'fuzz --adapter reference --adapter node',
    'fuzz takes one adapter; write svc-conformance fuzz [options]',
  ],
]);
