import { spawn } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../root.ts';

const SIGNER = join(ROOT, 'test/harness/programs/signer.mjs');
const JSON_REPORTER = new URL('programs/json-reporter.mjs', import.meta.url).href;

/** How a test framework is run. */
interface Framework {
  /** The ending of its test files. */
  readonly ending: 'mjs' | 'cjs';
  readonly name: string;
  /** The command for the tests of a folder in the project. */
  readonly command: (folder: string, report: string) => readonly string[];
}

const modules = (...path: readonly string[]): string => join(project, 'node_modules', ...path);

/** The program of a jest that is installed somewhere; without it, a stand-in with jest's globals. */
const JEST = process.env['SVC_JEST'] ?? join(ROOT, 'test/harness/programs/jest.cjs');

const FRAMEWORKS: readonly Framework[] = [
  {
    name: 'vitest',
    ending: 'mjs',
    command: (folder, report) => [
      modules('vitest', 'vitest.mjs'),
      ...['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, folder],
    ],
  },
  {
    name: 'jest',
    ending: 'cjs',
    command: (folder, report) => [JEST, '--json', `--outputFile=${report}`, folder],
  },
  {
    name: 'node-test',
    ending: 'mjs',
    command: (folder, report) => [
      ...[
        '--test',
        '--test-concurrency=1',
        '--test-reporter=spec',
        '--test-reporter-destination=stdout',
      ],
      ...[`--test-reporter=${JSON_REPORTER}`, `--test-reporter-destination=${report}`],
      ...readdirSync(join(project, folder))
        .filter((name) => name.endsWith('.test.mjs'))
        .map((name) => join(folder, name)),
    ],
  },
];

/** A project in which this package is installed. */
const project = realpathSync(mkdtempSync(join(tmpdir(), 'svc-frameworks-')));

beforeAll(async () => {
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly files: readonly string[];
  };
  const data = files.filter((path) => /^dist\/[a-z]+\.json/.test(path));
  for (const path of ['package.json', 'dist/bin', ...data])
    cpSync(join(ROOT, path), modules('svc-conformance', path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules', 'vitest'), modules('vitest'), 'junction');
  const jest = { testMatch: ['**/*.test.cjs'] };
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'user', jest }));
  // Jest loads no ES modules.
  const signer = await rolldown({ input: SIGNER, platform: 'node', external: [/^node:/] });
  await signer.write({ file: join(project, 'signer.cjs'), format: 'cjs' });
  await signer.close();
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

interface Tested {
  readonly fullName: string;
  readonly status: 'passed' | 'failed' | 'skipped' | 'pending';
  readonly failureMessages?: readonly string[];
}

/** The results of one test file. */
interface Suite {
  readonly tests: readonly Tested[];
  /** The error of a file whose tests could not be registered. */
  readonly message: string;
}

interface Run {
  readonly code: number | null;
  /** Standard output and standard error. */
  readonly output: string;
  readonly suites: Readonly<Record<string, Suite>>;
  /** Folders of contents that were not removed. */
  readonly left: readonly string[];
}

const IMPORTS: Readonly<Record<Framework['ending'], (name: string) => string>> = {
  mjs: (name) =>
    `import { conformance } from 'svc-conformance/${name}';\nimport signer from '../signer.cjs';\nconst right = signer.default ?? signer;`,
  cjs: (name) =>
    `const { conformance } = require('svc-conformance/${name}');\nconst signer = require('../signer.cjs');\nconst right = signer.default ?? signer;`,
};

/** Runs a test file for each of these calls in one project; the signer makes these mistakes. */
async function run(
  { name: framework, ending, command }: Framework,
  calls: Readonly<Record<string, string>>,
  mistakes = '',
): Promise<Run> {
  const contents = mkdtempSync(join(project, 'tmp-'));
  for (const [name, call] of Object.entries(calls)) {
    const text = `${IMPORTS[ending](framework)}\n${call}\n`;
    writeFileSync(join(contents, `${name}.test.${ending}`), text);
  }
  const report = join(contents, 'report.json');
  const { FORCE_COLOR: _, VITEST: __, NODE_TEST_CONTEXT: ___, ...inherited } = process.env;
  const child = spawn(process.execPath, command(basename(contents), report), {
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
    return [basename(name, `.test.${ending}`), { tests, message }] as const;
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
const LATE = `conformance({ password() { throw Object.assign(new Error(), { unsupported: 'no such text' }); } }, { ids: 'password' });`;
const THROWING = `{ password() { throw new RangeError('odd'); }, urlEncode() { throw Object.assign(new Error('no'), { reason: 'text' }); } }`;

function counts(tests: readonly Tested[]): Readonly<Record<string, number>> {
  const statuses = tests.map(({ status }) => (status === 'pending' ? 'skipped' : status));
  return Object.fromEntries(
    [...new Set(statuses)].sort().map((one) => [one, statuses.filter((s) => s === one).length]),
  );
}

/** Starting a framework takes longer than its tests, so there are two runs: one that passes and one that fails. */
describe.each(FRAMEWORKS)('$name', (framework) => {
  let passing: Run;
  let failing: Run;

  beforeAll(async () => {
    passing = await run(framework, {
      right: 'conformance(right);',
      dialect: `conformance(right, { dialect: 'ucloud', operation: ['authorization', 'presigned-url'], level: 'must' });`,
      half: `conformance({ password: right.password }, { operation: ['password', 'url-encode'] });`,
      late: LATE,
      known: EXPECTING.replace(/'password\/base64[^']*'/, `'password'`).replace(
        'right,',
        '{ password: () => "x" },',
      ),
    });
    failing = await run(
      framework,
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
    expect([Object.keys(passing.suites).length, Object.keys(failing.suites).length]).toEqual([
      5, 8,
    ]);
  });

  test('every vector is a test; a correct signer fails none, and open vectors are skipped', () => {
    const { tests } = passing.suites['right'] ?? NONE;
    const { failed = 0, passed = 0, skipped = 0 } = counts(tests);
    expect(failed).toBe(0);
    expect(passed).toBeGreaterThan(600);
    expect(skipped).toBeGreaterThan(20);
    expect(tests[0]?.fullName).toMatch(/^ *svc-conformance \S+ (\S+) \1\/\S+$/);
    expect(passing.left).toEqual([]);
  });

  test('a correct signer passes in another dialect', () => {
    const { tests } = passing.suites['dialect'] ?? NONE;
    expect(Object.keys(counts(tests))).toEqual(['passed']);
  });

  test('a failing test names the mistake, and the summary at the end names the cause', () => {
    const { tests } = failing.suites['mistake'] ?? NONE;
    const failed = tests.filter(({ status }) => status === 'failed');
    expect(failed.length).toBeGreaterThan(3);
    for (const { failureMessages: [message = ''] = [] } of failed) {
      expect(message).toContain('cause: repeated headers are joined with ", "');
      expect(message).toMatch(
        /differs at character \d+\n {2}expected {2}["…].*\n {2}actual {4}["…]/,
      );
      expect(message).toMatch(/^ {2}rule: {2}5\.2\/headers-\S+ \(must\): /m);
    }
    expect(failing.output).toMatch(/1 cause explains \d+ failures/);
    expect(failing.output).toContain('CAUSE headers-merged-by-comma-space');
  });

  test('vectors of operations without a function are skipped as unsupported', () => {
    const { tests } = passing.suites['half'] ?? NONE;
    const skipped = tests.filter(({ fullName }) => fullName.endsWith('(unsupported)'));
    expect(skipped.length).toBeGreaterThan(10);
    expect(skipped.every(({ fullName }) => fullName.includes(' url-encode/'))).toBe(true);
    expect(counts(tests)).toEqual({
      passed: tests.length - skipped.length,
      skipped: skipped.length,
    });
  });

  test('unsupported inputs are skipped; in jest, they pass and are listed at the end', () => {
    const { tests } = passing.suites['late'] ?? NONE;
    expect(tests.length).toBeGreaterThan(1);
    const skips = framework.name !== 'jest';
    expect(counts(tests)).toEqual({ [skips ? 'skipped' : 'passed']: tests.length });
    const sentence = `jest cannot skip a test that is running, so ${tests.length} tests without a verdict passed: `;
    expect(passing.output.includes(sentence)).toBe(!skips);
    expect(passing.output.includes('(unsupported: no such text), password/')).toBe(!skips);
  });

  test('expected failures pass while they fail, and fail once they pass', () => {
    const { tests } = failing.suites['stale'] ?? NONE;
    expect(tests.length).toBeGreaterThan(1);
    expect(counts(tests)).toEqual({ failed: 1, passed: tests.length - 1 });
    const [message] = tests.flatMap(({ failureMessages = [] }) => failureMessages);
    expect(message).toContain('is among expectFailures and passes; take it off that list');
    expect(counts(passing.suites['known']?.tests ?? [])).toEqual({ passed: tests.length });
  });

  test('a function that throws, or refuses a correct request, fails its tests', () => {
    const { tests } = failing.suites['throws'] ?? NONE;
    expect(Object.keys(counts(tests))).toEqual(['failed']);
    const messages = tests.flatMap(({ failureMessages = [] }) => failureMessages);
    expect(messages.some((message) => message.includes('RangeError: odd'))).toBe(true);
    expect(messages.some((message) => message.includes('refused as "text": no'))).toBe(true);
  });

  test.each<readonly [what: string, name: string, said: string]>([
    [
      'a signer without operations',
      'none',
      'no function of the signer has the name of an operation',
    ],
    [
      'a signer without a selected operation',
      'apart',
      'no selected vector has an operation of the signer',
    ],
    ['an unknown option', 'option', 'did you mean rule?'],
    ['an unknown rule', 'rule', 'no rule matches "9.9/no"'],
    ['an unknown id in expectFailures', 'idle', 'no vector matches "no/such"'],
  ])('%s fails the test file with an error message', (_, name, said) => {
    const { tests, message } = failing.suites[name] ?? NONE;
    expect(tests).toEqual([]);
    expect(message).toContain(said);
  });
});
