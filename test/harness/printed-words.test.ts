import { delimiter, join, sep } from 'node:path';
import { expect, test } from 'vitest';
import { programWords } from '../../dist/harness/render/program.js';
import { PROGRAM, runProgram } from './svc-conformance.ts';

const BIN = join(sep, 'usr', 'bin');
const PACKAGES = join(sep, 'work', 'node_modules');
const NPX = ['npx', 'svc-conformance'];

test.each([
  ['a program that the shell finds', join(BIN, 'svc-conformance'), false, ['svc-conformance']],
  ['a binary that the shell finds', join(BIN, 'svc-conformance'), true, ['svc-conformance']],
  ['npx', join(PACKAGES, '.bin', 'svc-conformance'), false, NPX],
  ['a package', join(PACKAGES, 'svc-conformance', 'dist', 'svc-conformance.cjs'), false, NPX],
  [
    'a binary in the working directory',
    join(process.cwd(), 'svc-conformance'),
    true,
    [`.${sep}svc-conformance`],
  ],
  ['a clone', PROGRAM, false, ['node', join('dist', 'bin', 'svc-conformance.cjs')]],
  ['another program', join(PACKAGES, 'vitest', 'vitest.mjs'), false, ['svc-conformance']],
])('printed commands start as %s does', (_, file, isBinary, words) => {
  const searched = [BIN, join(PACKAGES, '.bin')].join(delimiter);
  expect(programWords({ file, isBinary, searched })).toEqual(words);
});

test('a run prints commands that start as it was started', async () => {
  const { stdout } = await runProgram([
    ...['run', 'password', '--module'],
    'test/harness/programs/wrong-password.mjs',
  ]);
  const start = `node ${join('dist', 'bin', 'svc-conformance.cjs')}`;
  expect(stdout).toContain(`\n  page:  \`${start} docs password-unpadded\``);
  expect(stdout).toContain(`\n    ${start} run password/`);
  expect(stdout).toContain(`\n    ${start} accept `);
});
