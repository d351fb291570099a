import { spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SIGNER = new URL('programs/signer.mjs', import.meta.url).href;

/** A project of somebody who installed this package. */
const project = mkdtempSync(join(tmpdir(), 'svc-vitest-'));
const contents = join(project, 'tmp');

beforeAll(() => {
  const modules = join(project, 'node_modules');
  for (const path of ['package.json', 'dist/vitest', 'dist/vectors.json'])
    cpSync(join(ROOT, path), join(modules, 'svc-conformance', path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules', 'vitest'), join(modules, 'vitest'), 'junction');
  writeFileSync(join(project, 'package.json'), '{ "name": "user", "type": "module" }');
  mkdirSync(contents);
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

interface Tested {
  readonly fullName: string;
  readonly status: 'passed' | 'failed' | 'skipped' | 'pending';
  readonly failureMessages?: readonly string[];
}

interface Suite {
  readonly code: number | null;
  /** What people read. */
  readonly output: string;
  readonly tests: readonly Tested[];
  /** What a file says whose tests could not even be found. */
  readonly message: string;
}

/** Runs one test file in the project; the signer makes these mistakes. */
async function ran(name: string, call: string, mistakes = ''): Promise<Suite> {
  const file = `${name}.test.mjs`;
  const imports = `import { conformance } from 'svc-conformance/vitest';\nimport right from '${SIGNER}';`;
  writeFileSync(join(project, file), `${imports}\n${call}\n`);
  const vitest = join(project, 'node_modules', 'vitest', 'vitest.mjs');
  const report = join(project, `${name}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { FORCE_COLOR: _, VITEST: __, ...inherited } = process.env;
  const child = spawn(process.execPath, [vitest, 'run', ...reporters, file], {
    cwd: project,
    env: { ...inherited, NO_COLOR: '1', TMPDIR: contents, TEMP: contents, MISTAKES: mistakes },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const pieces: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece: string) => pieces.push(piece));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    readonly testResults: readonly { assertionResults: Tested[]; message: string }[];
  };
  const [result] = testResults;
  return {
    code,
    output: pieces.join(''),
    tests: result?.assertionResults ?? [],
    message: result?.message ?? '',
  };
}

function counts(tests: readonly Tested[]): Readonly<Record<string, number>> {
  const statuses = tests.map(({ status }) => (status === 'pending' ? 'skipped' : status));
  return Object.fromEntries(
    [...new Set(statuses)].sort().map((one) => [one, statuses.filter((s) => s === one).length]),
  );
}

test.concurrent('every vector is a test; a right signer fails none, and open ones are skipped', async () => {
  const { code, tests } = await ran('right', 'conformance(right);');
  const { failed = 0, passed = 0, skipped = 0 } = counts(tests);
  expect({ code, failed }).toEqual({ code: 0, failed: 0 });
  expect(passed).toBeGreaterThan(600);
  expect(skipped).toBeGreaterThan(20);
  expect(tests[0]?.fullName).toMatch(/^ *svc-conformance \S+ (\S+) \1\/\S+$/);
  expect(readdirSync(contents).filter((name) => name.startsWith('svc-conformance'))).toEqual([]);
});

test.concurrent('a right signer is right in another dialect', async () => {
  const { code, tests } = await ran(
    'dialect',
    `conformance(right, { dialect: 'ucloud', operation: ['authorization', 'presigned-url'], level: 'must' });`,
  );
  expect(Object.keys(counts(tests))).toEqual(['passed']);
  expect(code).toBe(0);
});

test.concurrent('a failing test names the mistake, and the end names it for all', async () => {
  const { code, tests, output } = await ran(
    'mistake',
    `conformance(right, { ids: 'authorization/canonical-headers' });`,
    'headers-merged-by-comma-space',
  );
  expect(code).toBe(1);
  const failed = tests.filter(({ status }) => status === 'failed');
  expect(failed.length).toBeGreaterThan(3);
  for (const { failureMessages: [message = ''] = [] } of failed) {
    expect(message).toContain('cause repeated headers are joined with ", "');
    expect(message).toMatch(/differs at character \d+\n {2}expected {2}["…].*\n {2}actual {4}["…]/);
    expect(message).toMatch(/^ {2}rule 5\.2\/headers-\S+ \(must\): /m);
  }
  expect(output).toMatch(/1 cause explains \d+ failures/);
  expect(output).toContain('CAUSE headers-merged-by-comma-space');
});

test.concurrent('what the signer has no function for is skipped with that word', async () => {
  const { code, tests } = await ran(
    'half',
    `conformance({ password: right.password }, { operation: ['password', 'url-encode'] });`,
  );
  const skipped = tests.filter(({ fullName }) => fullName.endsWith('(unsupported)'));
  expect(skipped.length).toBeGreaterThan(10);
  expect(skipped.every(({ fullName }) => fullName.includes(' url-encode/'))).toBe(true);
  expect(counts(tests)).toEqual({ passed: tests.length - skipped.length, skipped: skipped.length });
  expect(code).toBe(0);
});

test.concurrent('expected failures pass while they fail, and fail once they pass', async () => {
  const call = `conformance(right, { ids: 'password', expectFailures: 'password/base64/encodes-base64-once-more' });`;
  const stale = await ran('stale', call);
  expect(counts(stale.tests)).toEqual({ failed: 1, passed: stale.tests.length - 1 });
  const [message] = stale.tests.flatMap(({ failureMessages = [] }) => failureMessages);
  expect(message).toContain('is among expectFailures and passes; take it off that list');
  const known = await ran(
    'known',
    call
      .replace(/'password\/base64[^']*'/, `'password'`)
      .replace('right,', '{ password: () => "x" },'),
  );
  expect(counts(known.tests)).toEqual({ passed: stale.tests.length });
  expect(known.code).toBe(0);
});

test.concurrent('a function that throws, or refuses where an answer is due, fails its tests', async () => {
  const signer = `{ password() { throw new RangeError('odd'); }, urlEncode() { throw Object.assign(new Error('no'), { reason: 'text' }); } }`;
  const { tests } = await ran(
    'throws',
    `conformance(${signer}, { ids: ['password', 'url-encode'] });`,
  );
  expect(Object.keys(counts(tests))).toEqual(['failed']);
  const messages = tests.flatMap(({ failureMessages = [] }) => failureMessages);
  expect(messages.some((message) => message.includes('RangeError: odd'))).toBe(true);
  expect(messages.some((message) => message.includes('refused as "text": no'))).toBe(true);
});

test.concurrent.each<readonly [what: string, name: string, call: string, said: string]>([
  ['no operation', 'none', 'conformance({ sign() {} });', 'has no function that is named'],
  [
    'no operation that is asked about',
    'apart',
    `conformance({ password() {} }, { operation: 'etag' });`,
    'none of the vectors is about an operation that the signer has',
  ],
  ['an unknown option', 'option', `conformance(right, { rules: 'x' });`, 'did you mean rule?'],
  [
    'an unknown rule',
    'rule',
    `conformance(right, { rule: '9.9/no' });`,
    'no rule matches "9.9/no"',
  ],
  [
    'expected failures that are none',
    'idle',
    `conformance(right, { expectFailures: 'no/such' });`,
    'no vector matches "no/such"',
  ],
])('%s fails the file with a sentence', async (_, name, call, said) => {
  const { code, tests, message } = await ran(name, call);
  expect({ code, tests }).toEqual({ code: 1, tests: [] });
  expect(message).toContain(said);
});
