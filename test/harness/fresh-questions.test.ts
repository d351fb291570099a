import { expect, test } from 'vitest';
import { deriveSeed } from '../../dist/harness/make/rederive/fresh-questions.js';
import { bundledSuite } from '../../dist/harness/suite/bundle.js';
import { someOf } from '../amount.ts';
import { ofType, reportLines } from './report-lines.ts';
import { svcConformance, unwrapped } from './svc-conformance.ts';
import { program, watched, watchedRun } from './trial.ts';
import { testUsageErrors } from './usage-errors.ts';

const posix = process.platform === 'win32' ? test.skip : test.concurrent;

const RIGHT = ['--', ...program('is-right', '64')];
const SEED = deriveSeed(bundledSuite().version, { name: 'program', version: '1' });

test.concurrent.each(someOf(['unsupported', 'refuses', 'errs'], 3))(
  'an adapter that replays the published answers fails; to other questions it %s',
  async (otherwise) => {
    const replayed = ['run', '--', ...program('replays', '64', otherwise)];
    const { code, stdout } = await watched(replayed);
    expect(code).toBe(1);
    expect(unwrapped(stdout)).toContain(
      'questions on fresh data failed, although the adapter passes the original vectors',
    );
    expect(stdout).toMatch(new RegExp(`^ {2}fresh {5}\\d+ [a-z ]+ \\(--seed ${SEED}\\)$`, 'm'));
    const whole = await watchedRun('--no-fresh', program('replays', '64', otherwise));
    expect(whole.code).toBe(0);
  },
);

test.concurrent('the same adapter is always asked the same fresh questions, and passes if it is correct', async () => {
  const [first, second] = await Promise.all(
    [1, 2].map(() => watched(['run', '--reporter', 'json-lines', ...RIGHT])),
  );
  expect(first?.code).toBe(0);
  expect(second?.stdout).toBe(first?.stdout);
  const lines = reportLines(first?.stdout ?? '');
  expect(lines.find(({ type }) => type === 'adapter')).toMatchObject({ freshSeed: SEED });
  const asked = ofType(lines, 'fresh');
  expect(new Set(asked.map(({ operation }) => operation)).size).toBe(18);
  for (const { id, status } of asked) {
    expect(id).toMatch(/^fresh\/[a-z-]+\/[a-z0-9-]+\/[a-z0-9-]+$/);
    expect(status).toBe('pass');
  }
});

test('the seed depends on the version of the suite, and on the name and version of the adapter', () => {
  const seeds = [
    deriveSeed('1', { name: 'a', version: '1' }),
    deriveSeed('2', { name: 'a', version: '1' }),
    deriveSeed('1', { name: 'b', version: '1' }),
    deriveSeed('1', { name: 'a', version: '2' }),
  ];
  expect(new Set(seeds).size).toBe(4);
  for (const seed of seeds) expect(seed).toBeLessThan(1_000_000);
});

posix('the command that a failure prints asks the same question again', async () => {
  const run = await watchedRun('', program('replays', '64', 'errs'));
  const [, id = ''] = /^ERROR fresh\/(\S+)$/m.exec(run.stdout) ?? [];
  const again = `  again: svc-conformance run ${id} --seed ${SEED} -- `;
  expect(run.stdout).toContain(again);
  const one = await watchedRun(`${id} --seed ${SEED}`, program('replays', '64', 'errs'));
  expect(one.code).toBe(1);
  expect(one.stdout).toContain(`ERROR fresh/${id}\n`);
  const right = await watched(['run', id, '--seed', `${SEED}`, ...RIGHT]);
  expect(right.code).toBe(0);
});

test.concurrent('the JUnit report has the seed as a property, and each fresh question as a test case', async () => {
  const { stdout } = await watched(['run', 'url-encode', '--reporter', 'junit', ...RIGHT]);
  expect(stdout).toContain(`<property name="seed" value="${SEED}"`);
  expect(stdout).toMatch(
    /<testcase classname="fresh\/url-encode\/[^"]+" name="fresh\/url-encode\//,
  );
});

test.concurrent('the Markdown report has the seed and the results of the fresh questions', async () => {
  const { stdout } = await watched(['run', 'url-encode', '--reporter', 'markdown', ...RIGHT]);
  expect(stdout).toContain(`| fresh (seed ${SEED}) | 3 pass |`);
});

test.concurrent('vectors that an adapter fails are not asked again on fresh data', async () => {
  const parameters = [
    'run',
    'url-encode',
    '--',
    ...program('makes-mistakes', 'escape-space-as-plus'),
  ];
  const { code, stdout } = await svcConformance(parameters);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^ {2}fresh {5}3 pass \(--seed \d+\)$/m);
});

testUsageErrors([
  ['run --no-fresh --fresh -- true', '--no-fresh cannot be combined with --fresh or --seed'],
  ['run --no-fresh --seed 1 -- true', '--no-fresh cannot be combined with --fresh or --seed'],
  ['run --no-fresh --seed 5', 'leave out --fresh and --seed'],
  [
    'run --vectors test/harness/vectors --seed 1 -- true',
    '--seed needs --fresh with vectors of a folder',
  ],
  ['run --rounds 2', 'write --fresh [SEED] --rounds N'],
  ['run --fresh --rounds 0', 'write 1 or more'],
]);
