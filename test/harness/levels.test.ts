import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOfFile } from '../temporary-folder.ts';
import { reportLines } from './report-lines.ts';
import { run, svcConformance } from './svc-conformance.ts';
import { program } from './trial.ts';

const folder = folderOfFile();

/** Signs header values that HTTP cannot carry, and is otherwise correct. */
const UNCHECKED = program('makes-mistakes', 'header-values-unchecked');
const ID = 'authorization/refusals/refuses-a-nul-in-a-value';

test.concurrent('failures of advised vectors do not fail the run, and are counted separately', async () => {
  const { code, stdout } = await run('authorization', UNCHECKED);
  expect(code, stdout).toBe(0);
  expect(stdout).toMatch(/^ {2}must +[0-9]+ pass$/m);
  expect(stdout).toMatch(/^ {2}advised +[0-9]+ pass · 8 fail$/m);
  expect(stdout).toContain('--level advised makes them count');
  expect(stdout).not.toContain(ID);
  expect(stdout).toMatch(/all as expected(?: in \d+ of \d+ vectors)?\n$/);
});

test.concurrent('a run without failures of advised rules does not mention them', async () => {
  const { stdout } = await run('authorization', program('makes-mistakes', 'folds-kept'));
  expect(stdout).toMatch(/^ {2}advised .* \d+ inconclusive$/m);
  expect(stdout).not.toContain('failures of advised rules');
});

test.concurrent('--all lists failures of advised vectors', async () => {
  const { code, stdout } = await run(`--all ${ID}`, UNCHECKED);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    new RegExp(`advised vectors that did not pass\\n +${ID}: fail: answered `),
  );
});

test.concurrent('--level advised selects advised vectors, whose failures then fail the run', async () => {
  const { code, stdout } = await run('--level advised authorization', UNCHECKED);
  expect(code).toBe(1);
  expect(stdout).toContain('CAUSE header-values-unchecked');
  expect(stdout).not.toMatch(/^ {2}must /m);
  expect(stdout).toMatch(/^ {2}advised +[0-9]+ pass · 8 fail$/m);
  expect((await run('--level advised', program('makes-mistakes'))).code).toBe(0);
});

test.concurrent('causes of other failures are named, but none for failures of advised vectors alone', async () => {
  const both = program('makes-mistakes', 'header-values-unchecked', 'folds-kept');
  const { code, stdout } = await run('authorization', both);
  expect(code).toBe(1);
  expect(stdout).toContain('CAUSE folds-kept');
  expect(stdout).not.toContain('CAUSE header-values-unchecked');
  expect(stdout).not.toContain('UNEXPLAINED');
});

test.concurrent('reports distinguish failures of advised vectors from other failures', async () => {
  const [junit, markdown] = [join(folder, 'report.xml'), join(folder, 'report.md')];
  const reporters = `--reporter json-lines --reporter junit=${junit} --reporter markdown=${markdown}`;
  const { code, stdout } = await run(`${reporters} ${ID}`, UNCHECKED);
  expect(code).toBe(0);
  const [, , outcome, footer] = reportLines(stdout);
  expect(outcome).toMatchObject({ id: ID, level: 'advised', status: 'fail' });
  expect(footer?.['counts']).toMatchObject([{ advised: { fail: 1 }, must: {} }]);
  expect(readFileSync(junit, 'utf8')).toContain('<skipped message="advised: fail: answered');
  expect(readFileSync(junit, 'utf8')).toContain('failures="0"');
  expect(readFileSync(markdown, 'utf8')).toContain('| advised | 1 fail |');
});

test.concurrent('an entry for a failing advised vector is not stale', async () => {
  const path = join(folder, 'known.yaml');
  const entry = `{ vectors: ${ID}, status: fail, cause: header-values-unchecked, reason: Known. }`;
  writeFileSync(path, `expectations:\n  - ${entry}\n`);
  const known = ['--expectations', path, ID, '--', ...UNCHECKED];
  expect((await svcConformance(['run', ...known])).code).toBe(0);
  expect((await svcConformance(['run', '--level', 'advised', ...known])).code).toBe(0);
});

test.concurrent('fuzz reports failures of advised rules only with --level advised', async () => {
  const options = ['--operation', 'authorization', '--runs', '600', '--seed', '5'];
  const plain = await svcConformance(['fuzz', ...options, '--', ...UNCHECKED]);
  expect(plain.code, plain.stdout).toBe(0);
  const advised = ['fuzz', ...options, '--level', 'advised', '--', ...UNCHECKED];
  const { code, stdout } = await svcConformance(advised);
  expect(code).toBe(1);
  expect(stdout).toMatch(/fuzz .*--level advised/);
});
