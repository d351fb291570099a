import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { folderOfTest } from '../temporary-folder.ts';
import { run, svcConformance } from './svc-conformance.ts';
import { testUsageErrors } from './usage-errors.ts';

const NODE_KIT = fileURLToPath(new URL('../../adapters/node/', import.meta.url));

const { stdout: list } = await svcConformance(['list', 'action-signature']);
const ID = list.split('\t')[0] ?? '';

test('--debug prints the lines of one vector in both directions, and asks nothing else', async () => {
  const { code, stderr, stdout } = await svcConformance(`run --debug ${ID} --adapter node`);
  expect({ code, stdout: stdout.includes('1 pass') }).toEqual({ code: 0, stdout: true });
  const lines = stderr.trimEnd().split('\n');
  expect(lines.map((line) => line[0])).toEqual(['→', '←', '→', '←']);
  const messages = lines.map((line) => JSON.parse(line.slice(2)));
  expect(messages).toMatchObject([
    { protocol: 1, dialect: { scheme: 'Svc' } },
    { protocol: 1, implementation: { language: 'javascript' } },
    { n: 1, operation: 'action-signature', keys: {} },
    { n: 1, result: {} },
  ]);
});

test('--debug starts one process, whatever adapter.json says', async () => {
  const folder = folderOfTest();
  cpSync(NODE_KIT, folder, { recursive: true });
  const manifest = join(folder, 'adapter.json');
  const kit = JSON.parse(readFileSync(manifest, 'utf8'));
  writeFileSync(manifest, JSON.stringify({ ...kit, jobs: 3 }));
  const { code, stderr } = await svcConformance(['run', '--debug', ID, '--adapter', folder]);
  expect(code).toBe(0);
  expect(
    stderr
      .trimEnd()
      .split('\n')
      .map((line) => line[0]),
  ).toEqual(['→', '←', '→', '←']);
});

test('--debug prints no further questions about a failure, and masks secrets', async () => {
  const program = `require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { n } = JSON.parse(line);
    console.log(JSON.stringify(n === undefined
      ? { protocol: 1, implementation: { name: 'x', version: process.env.MY_PRIVATE_KEY + process.env.MY_QUOTED_KEY, language: 'x' }, operations: ['action-signature'] }
      : { n, result: { signature: 'wrong' } }));
  });`;
  const { code, stderr, stdout } = await run(`--debug ${ID}`, [process.execPath, '-e', program], {
    environment: {
      // The start of the next one, which must not leave the rest of it.
      MY_KEY: 'my-own',
      MY_PRIVATE_KEY: 'my-own-secret',
      MY_QUOTED_KEY: 'with "quotes"',
    },
  });
  expect(code).toBe(1);
  expect(stderr.trimEnd().split('\n')).toHaveLength(4);
  expect(stderr).toContain('"version":"***"');
  expect(stdout).toContain(`svc-conformance run ${ID} --no-fresh --`);
  expect(stdout).toMatch(/^ {4}svc-conformance accept /m);
  expect(stdout).not.toContain('--debug');
});

test('--debug prints how the program ended', async () => {
  const { stderr } = await run(`--debug ${ID}`, [process.execPath, '-e', 'process.exit(3)']);
  expect(stderr.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^→ /),
    '  it exited with status 3',
  ]);
});

testUsageErrors([
  [`run --debug ${ID}x --adapter node`, `the nearest is ${ID}`],
  [`run --debug ${ID}`, 'adapters; name one with --adapter or -- COMMAND'],
  [`run --debug ${ID} --adapter reference`, 'the reference answers without messages'],
  [`run --debug ${ID} --fresh --adapter node`, 'leave out --fresh'],
  [`run --debug ${ID} --adapter node etag`, 'leave out other ids'],
]);
