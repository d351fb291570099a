import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOfFile } from '../temporary-folder.ts';
import { run, svcConformance } from './svc-conformance.ts';
import { program } from './trial.ts';

const folder = folderOfFile();

const FOLDS = program('makes-mistakes', 'folds-kept');
const SHARED = program('shares-a-mistake', 'verify-authorization', 'date-reformatted');

test.concurrent('all formats count the same failures', async () => {
  const formats = ['junit', 'badge', 'gitlab', 'markdown', 'github'];
  const pathOf = (format: string): string => join(folder, `same.${format}`);
  const reporters = formats.map((format) => `--reporter ${format}=${pathOf(format)}`).join(' ');
  const { stdout } = await run(`${reporters} --forged verify-authorization`, FOLDS);
  const verdict = /^conformance failures: (\d+) \(\d+ vectors?, \d+ forged requests?\)$/m;
  const [line = '', count] = verdict.exec(stdout) ?? [];
  const text = (format: string): string => readFileSync(pathOf(format), 'utf8');
  expect(Number(count)).toBeGreaterThan(1);
  expect(text('junit')).toMatch(
    new RegExp(`^<testsuites [^>]*failures="${count}" errors="0"`, 'm'),
  );
  expect(JSON.parse(text('badge'))).toMatchObject({ message: `${count} failures` });
  expect(JSON.parse(text('gitlab'))).toHaveLength(Number(count));
  expect(text('markdown')).toContain(`**${line}**`);
  expect(text('github')).toContain(`::${line}%0A`);
});

test.concurrent('known failures are not counted as skipped', async () => {
  const path = join(folder, 'known.yaml');
  const entry = { vectors: 'etag/**', status: 'fail', reason: 'Known.' };
  writeFileSync(path, `expectations:\n  - ${JSON.stringify(entry)}\n`);
  const command = program('makes-mistakes', 'etag-hexadecimal');
  const { code, stdout } = await run(`--expectations ${path} etag url-encode`, command);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ {2}observed +\d+ known failures$/m);
  expect(stdout).toMatch(/^ {2}total +\d+ pass · \d+ known failures$/m);
});

test.concurrent('a run that fails only because of stale entries says so, and what to do', async () => {
  const path = join(folder, 'stale.yaml');
  writeFileSync(path, 'expectations:\n  - { vectors: no/such, status: fail, reason: Known. }\n');
  const { code, stdout } = await run(`--expectations ${path} etag`, program('makes-mistakes'));
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /\n {2}1 stale remove these lines .*\n {2}next: remove the stale lines, then run again\n\nconformance failures: 1 stale expectation\n$/,
  );
});

test.concurrent('a run that fails only because of forged requests says so, and what to do', async () => {
  const { code, stdout } = await run('--forged verify-authorization', SHARED);
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /\n {2}next: refuse requests signed with date-reformatted, then run again\n[\s\S]*\n\nconformance failures: \d+ forged requests\n$/,
  );
});

test.concurrent('a verdict distinguishes wrong refusals from correct ones', async () => {
  const { stdout } = await run('--forged verify-authorization', FOLDS);
  expect(stdout).toMatch(/^ {2}must .* · \d+ wrongly refused/m);
  expect(stdout).toMatch(/^ {2}forged +\d+ refused/m);
});

test.concurrent('the heading says that failures have two causes', async () => {
  const both = program('makes-mistakes', 'folds-kept', 'headers-merged-by-comma-space');
  const { stdout } = await run('authorization/folding authorization/canonical-headers', both);
  const counts = [...stdout.matchAll(/^ {2}explains (\d+) failure/gm)].map(([, n]) => Number(n));
  const [, total] =
    /^2 causes explain (\d+) failures; some failures have two causes$/m.exec(stdout) ?? [];
  expect(counts.reduce((a, b) => a + b)).toBeGreaterThan(Number(total));
});

test.concurrent('a run of selected vectors that passes says how many there were, and how to run all', async () => {
  const words = ['--exclude', '*/refusals', '--no-fresh', 'password', '--adapter', 'reference'];
  const { stdout } = await svcConformance(['run', ...words]);
  expect(stdout).toMatch(
    /\n {2}next: this run had \d+ of \d+ vectors; run all:\n {4}svc-conformance run --no-fresh --adapter reference\n\nall as expected in \d+ of \d+ vectors\n$/,
  );
  const whole = await svcConformance('run --vectors test/harness/vectors --adapter reference');
  expect(whole.stdout).toMatch(/[^:]\n\nall as expected\n$/);
});
