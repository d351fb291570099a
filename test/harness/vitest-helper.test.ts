import { spawn } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SIGNER = new URL('programs/signer.mjs', import.meta.url).href;

/** A project of somebody who installed this package. */
const project = mkdtempSync(join(tmpdir(), 'svc-vitest-'));

beforeAll(() => {
  const modules = join(project, 'node_modules');
  for (const path of ['package.json', 'dist/vitest', 'dist/vectors.json', 'dist/steps.json'])
    cpSync(join(ROOT, path), join(modules, 'svc-conformance', path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules', 'vitest'), join(modules, 'vitest'), 'junction');
  writeFileSync(join(project, 'package.json'), '{ "name": "user", "type": "module" }');
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

interface Tested {
  readonly fullName: string;
  readonly status: 'passed' | 'failed' | 'skipped' | 'pending';
  readonly failureMessages?: readonly string[];
}

/** What became of one test file. */
interface Suite {
  readonly tests: readonly Tested[];
  /** What a file says whose tests could not even be found. */
  readonly message: string;
}

interface Run {
  readonly code: number | null;
  /** What people read. */
  readonly output: string;
  readonly suites: Readonly<Record<string, Suite>>;
  /** Folders for contents that are left. */
  readonly left: readonly string[];
}

/** Runs a test file for each of these calls in one project; the signer makes these mistakes. */
async function run(calls: Readonly<Record<string, string>>, mistakes = ''): Promise<Run> {
  const contents = mkdtempSync(join(project, 'tmp-'));
  const imports = `import { conformance } from 'svc-conformance/vitest';\nimport right from '${SIGNER}';`;
  for (const [name, call] of Object.entries(calls))
    writeFileSync(join(contents, `${name}.test.mjs`), `${imports}\n${call}\n`);
  const vitest = join(project, 'node_modules', 'vitest', 'vitest.mjs');
  const report = join(contents, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { FORCE_COLOR: _, VITEST: __, ...inherited } = process.env;
  const child = spawn(process.execPath, [vitest, 'run', ...reporters, basename(contents)], {
    cwd: project,
    env: { ...inherited, NO_COLOR: '1', TMPDIR: contents, TEMP: contents, MISTAKES: mistakes },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const pieces: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece: string) => pieces.push(piece));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    readonly testResults: readonly {
      readonly name: string;
      readonly assertionResults: Tested[];
      readonly message: string;
    }[];
  };
  const suites = testResults.map(({ name, assertionResults: tests, message }) => {
    return [basename(name, '.test.mjs'), { tests, message }] as const;
  });
  return {
    code,
    output: pieces.join(''),
    suites: Object.fromEntries(suites),
    left: readdirSync(contents).filter((entry) => entry.startsWith('svc-conformance')),
  };
}

const NONE: Suite = { tests: [], message: '' };

const EXPECTING = `conformance(right, { ids: 'password', expectFailures: 'password/base64/encodes-base64-once-more' });`;
const THROWING = `{ password() { throw new RangeError('odd'); }, urlEncode() { throw Object.assign(new Error('no'), { reason: 'text' }); } }`;

/** Starting vitest takes longer than its tests, so there are two runs: one that passes and one that fails. */
let passing: Run;
let failing: Run;

beforeAll(async () => {
  passing = await run({
    right: 'conformance(right);',
    dialect: `conformance(right, { dialect: 'ucloud', operation: ['authorization', 'presigned-url'], level: 'must' });`,
    half: `conformance({ password: right.password }, { operation: ['password', 'url-encode'] });`,
    known: EXPECTING.replace(/'password\/base64[^']*'/, `'password'`).replace(
      'right,',
      '{ password: () => "x" },',
    ),
  });
  failing = await run(
    {
      mistake: `conformance(right, { ids: 'authorization/canonical-headers' });`,
      stale: EXPECTING,
      throws: `conformance(${THROWING}, { ids: ['password', 'url-encode'] });`,
      none: 'conformance({ sign() {} });',
      apart: `conformance({ password() {} }, { operation: 'etag' });`,
      option: `conformance(right, { rules: 'x' });`,
      rule: `conformance(right, { rule: '9.9/no' });`,
      idle: `conformance(right, { expectFailures: 'no/such' });`,
    },
    'headers-merged-by-comma-space',
  );
});

test('the exit code says whether all tests passed', () => {
  expect(passing.code, passing.output).toBe(0);
  expect(failing.code).toBe(1);
  expect([Object.keys(passing.suites).length, Object.keys(failing.suites).length]).toEqual([4, 8]);
});

function counts(tests: readonly Tested[]): Readonly<Record<string, number>> {
  const statuses = tests.map(({ status }) => (status === 'pending' ? 'skipped' : status));
  return Object.fromEntries(
    [...new Set(statuses)].sort().map((one) => [one, statuses.filter((s) => s === one).length]),
  );
}

test('every vector is a test; a right signer fails none, and open ones are skipped', () => {
  const { tests } = passing.suites['right'] ?? NONE;
  const { failed = 0, passed = 0, skipped = 0 } = counts(tests);
  expect(failed).toBe(0);
  expect(passed).toBeGreaterThan(600);
  expect(skipped).toBeGreaterThan(20);
  expect(tests[0]?.fullName).toMatch(/^ *svc-conformance \S+ (\S+) \1\/\S+$/);
  expect(passing.left).toEqual([]);
});

test('a right signer is right in another dialect', () => {
  const { tests } = passing.suites['dialect'] ?? NONE;
  expect(Object.keys(counts(tests))).toEqual(['passed']);
});

test('a failing test names the mistake, and the end names it for all', () => {
  const { tests } = failing.suites['mistake'] ?? NONE;
  const failed = tests.filter(({ status }) => status === 'failed');
  expect(failed.length).toBeGreaterThan(3);
  for (const { failureMessages: [message = ''] = [] } of failed) {
    expect(message).toContain('cause repeated headers are joined with ", "');
    expect(message).toMatch(/differs at character \d+\n {2}expected {2}["…].*\n {2}actual {4}["…]/);
    expect(message).toMatch(/^ {2}rule 5\.2\/headers-\S+ \(must\): /m);
  }
  expect(failing.output).toMatch(/1 cause explains \d+ failures/);
  expect(failing.output).toContain('CAUSE headers-merged-by-comma-space');
});

test('what the signer has no function for is skipped with that word', () => {
  const { tests } = passing.suites['half'] ?? NONE;
  const skipped = tests.filter(({ fullName }) => fullName.endsWith('(unsupported)'));
  expect(skipped.length).toBeGreaterThan(10);
  expect(skipped.every(({ fullName }) => fullName.includes(' url-encode/'))).toBe(true);
  expect(counts(tests)).toEqual({ passed: tests.length - skipped.length, skipped: skipped.length });
});

test('expected failures pass while they fail, and fail once they pass', () => {
  const { tests } = failing.suites['stale'] ?? NONE;
  expect(tests.length).toBeGreaterThan(1);
  expect(counts(tests)).toEqual({ failed: 1, passed: tests.length - 1 });
  const [message] = tests.flatMap(({ failureMessages = [] }) => failureMessages);
  expect(message).toContain('is among expectFailures and passes; take it off that list');
  expect(counts(passing.suites['known']?.tests ?? [])).toEqual({ passed: tests.length });
});

test('a function that throws, or refuses where an answer is due, fails its tests', () => {
  const { tests } = failing.suites['throws'] ?? NONE;
  expect(Object.keys(counts(tests))).toEqual(['failed']);
  const messages = tests.flatMap(({ failureMessages = [] }) => failureMessages);
  expect(messages.some((message) => message.includes('RangeError: odd'))).toBe(true);
  expect(messages.some((message) => message.includes('refused as "text": no'))).toBe(true);
});

test.each<readonly [what: string, name: string, said: string]>([
  ['no operation', 'none', 'has no function that is named'],
  [
    'no operation that is asked about',
    'apart',
    'none of the vectors is about an operation that the signer has',
  ],
  ['an unknown option', 'option', 'did you mean rule?'],
  ['an unknown rule', 'rule', 'no rule matches "9.9/no"'],
  ['expected failures that are none', 'idle', 'no vector matches "no/such"'],
])('%s fails the file with a sentence', (_, name, said) => {
  const { tests, message } = failing.suites[name] ?? NONE;
  expect(tests).toEqual([]);
  expect(message).toContain(said);
});
