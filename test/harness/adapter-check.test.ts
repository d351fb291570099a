import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  listRepositoryAdapters,
  MANIFEST,
} from '../../dist/harness/respondents/adapter/manifest.js';
import { RUNS } from '../amount.ts';
import { folderOfFile } from '../temporary-folder.ts';
import { svcConformance, unwrapped } from './svc-conformance.ts';
import { program } from './trial.ts';

for (const { name, missing } of listRepositoryAdapters()) {
  test(`${name}: its messages fit the protocol`, async ({ skip }) => {
    skip(missing !== undefined, missing);
    skip(name === 'bash' && RUNS === 1, 'bash takes long: SVC_TEST_RUNS=2 runs it');
    const { code, stdout } = await svcConformance(`adapter check --adapter ${name}`);
    expect(stdout).toContain('the messages fit the protocol');
    expect(code).toBe(0);
  });
}

const folder = folderOfFile();

/** Checks an adapter in a folder of its own that has this command. */
async function checkInFolder(command: readonly string[]) {
  const own = mkdtempSync(join(folder, 'adapter-'));
  const manifest = { name: 'mine', command, dialect: 'svc' };
  writeFileSync(join(own, MANIFEST), JSON.stringify(manifest));
  return svcConformance(`adapter check --adapter ${own}`);
}

test.concurrent('--adapter FOLDER is checked; an operation with only errors is BAD', async () => {
  const { code, stdout } = await checkInFolder(program('says-error'));
  expect(stdout).toMatch(/^BAD {2}/m);
  expect(code).not.toBe(0);
});

test.concurrent('errors of the SDK for some questions fit the protocol, and are reported as a note', async () => {
  const module = join(folder, 'signer.mjs');
  const urlEncode = `({ text }) => { if (text.includes('~')) throw new Error('no tilde'); return text; }`;
  writeFileSync(module, `export default { urlEncode: ${urlEncode} };`);
  const { code, stdout } = await svcConformance(`adapter check --module ${module}`);
  expect(unwrapped(stdout)).toMatch(
    /note url-encode: [1-9][0-9]* of [0-9]+ replies report an error/,
  );
  expect(code).toBe(0);
});

test.concurrent('each kind of problem is printed, however often another one occurs before it', async () => {
  const answerer = `require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { n } = JSON.parse(line);
    console.log(JSON.stringify(n === undefined
      ? { protocol: 1, implementation: { name: 'x', version: '1', language: 'x' }, operations: ['url-encode'] }
      : { n, result: { value: '', ...(n > 9 && { encoded: '' }) } }));
  });`;
  const command = [process.execPath, '-e', answerer];
  const { code, stdout } = await svcConformance(['adapter', 'check', '--', ...command]);
  expect(stdout).toMatch(
    /^ {7}the result lacks encoded\n {7}value is not a stage of this operation$/m,
  );
  expect(code).toBe(1);
});

test.concurrent('an adapter that cannot be started does not pass the check', async () => {
  const { code, stdout } = await checkInFolder(['no-such-program']);
  expect(unwrapped(stdout)).toMatch(/^mine not run, because no-such-program was not found/);
  expect(code).toBe(4);
});
