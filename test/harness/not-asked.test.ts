import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exitCode } from '../../dist/harness/engine/judge/summary.js';
import { thorough } from '../amount.ts';
import { folderOfFile } from '../temporary-folder.ts';
import { svcConformance, unwrapped } from './svc-conformance.ts';
import { program, watched } from './trial.ts';

const posix = process.platform === 'win32' ? test.skip : test.concurrent;

const folder = folderOfFile();
let files = 0;

/** Writes a file into a folder that is removed after the tests, and returns its path. */
function fresh(name: string, text: string): string {
  files += 1;
  const path = join(folder, `${files}-${name}`);
  writeFileSync(path, text);
  return path;
}

function expectations(...entries: readonly string[]): string {
  const known = entries.map((entry) => `\n  - { ${entry}, reason: Known. }`).join('');
  return fresh('known.yaml', `expectations:${known || ' []'}\n`);
}

const PASSED = { vector: { level: 'must' }, verdict: { status: 'pass', message: '' } };
const UNASKED = { vector: { level: 'must' }, verdict: { status: 'not-asked', message: 'gone' } };

test.each([
  ['none', {}, 0],
  ['a vector', { outcomes: [PASSED, UNASKED] }, 5],
  ['an open vector', { outcomes: [PASSED, { ...UNASKED, vector: { level: 'open' } }] }, 5],
  ['a forged request', { forged: [UNASKED] }, 5],
  ['a question on fresh data', { fresh: { seed: 1, outcomes: [UNASKED] } }, 5],
])('the exit code of a run with unasked questions: %s', (_, members, code) => {
  const run = { outcomes: [PASSED], banner: 0, ...members };
  expect(exitCode(run as unknown as Parameters<typeof exitCode>[0])).toBe(code);
});

/** Asks about a single operation, and also sends forged requests. */
const DYING = ['verify-json', '--forged', '--', ...program('dies-once-asked')];
const LEFT =
  /(\d+) questions were not asked, because the adapter broke 3 times on verify-json; the rest of that operation was skipped/;

thorough.concurrent('forged requests that were not asked never count as expected', async () => {
  const path = expectations('forged: verify-json/**, status: crashed');
  const run = await watched(['run', '--expectations', path, ...DYING]);
  expect(run.code).toBe(5);
  expect(run.stdout).not.toContain('all as expected');
  expect(unwrapped(run.stdout)).toMatch(LEFT);
});

thorough.concurrent('accept says why it accepts nothing from a broken adapter', async () => {
  const path = expectations();
  const { code, stderr } = await svcConformance(
    ['accept', '--reason', 'Known.', '--expectations', path, ...DYING],
    { environment: { RECORD: fresh('record', '') } },
  );
  expect(code).toBe(5);
  expect(stderr).toMatch(LEFT);
  expect(stderr).not.toContain('supports no operation');
});

thorough.concurrent('JUnit and Markdown say why questions were not asked', async () => {
  const [junit, markdown] = await Promise.all(
    ['junit', 'markdown'].map((name) => watched(['run', '--reporter', name, ...DYING])),
  );
  expect(junit?.stdout).toMatch(/<testcase classname="adapter" name="is asked all questions"/);
  expect(junit?.stdout).toMatch(LEFT);
  expect(markdown?.stdout).toMatch(LEFT);
});

test.concurrent('a run is aborted if a question that separates the causes of known failures was not asked', async () => {
  const id = 'presigned-url/path/encodes-a-plus';
  const mistake = 'signature-url-safe';
  const parameters = ['run', '--no-fresh', id, '--', ...program('makes-mistakes', mistake)];
  const first = await svcConformance(parameters, { environment: { MOST_ANSWERS: '2' } });
  const [, cause = ''] = /^CAUSE (\S+) \(one of several\)$/m.exec(first.stdout) ?? [];
  const path = expectations(`vectors: ${id}, status: fail, cause: ${cause}`);
  const known = ['run', '--no-fresh', '--expectations', path, ...parameters.slice(2)];
  const { code, stdout } = await svcConformance(known, { environment: { MOST_ANSWERS: '2' } });
  expect(unwrapped(stdout)).toContain('a question that separates causes was not asked');
  expect(code).toBe(5);
});

posix('an interrupted adapter check does not report missing messages as faults', async () => {
  const { code, stdout } = await watched(
    ['adapter', 'check', '--', ...program('hangs-over-everything')],
    async (call, recorded) => {
      await recorded('hangs');
      call.interrupt();
    },
  );
  expect(code).toBe(5);
  expect(stdout).not.toContain('do not fit the protocol');
  expect(stdout).toMatch(/aborted: some questions were not asked: the check was interrupted\n$/);
});

posix('an interrupted fuzz counts only the questions that it sent', async () => {
  const { code, stdout } = await watched(
    [
      'fuzz',
      '--seed',
      '1',
      '--operation',
      'url-encode',
      '--',
      ...program('answers-then-hangs', '1', '5'),
    ],
    async (call, recorded) => {
      await recorded('hangs');
      call.interrupt();
    },
  );
  expect(code).toBe(5);
  const [, requests, questions] = /^(\d+) requests .* (\d+) questions/m.exec(stdout) ?? [];
  expect(Number(requests)).toBeLessThanOrEqual(5);
  expect(Number(questions)).toBeLessThanOrEqual(5);
});
