import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  listRepositoryAdapters,
  MANIFEST,
} from '../../dist/harness/respondents/adapter/manifest.js';
import { RUNS } from '../amount.ts';
import { svcConformance, unwrapped } from './svc-conformance.ts';
import { program } from './trial.ts';

for (const { name, missing } of listRepositoryAdapters()) {
  test(`${name}: its messages fit the protocol`, async ({ skip }) => {
    skip(missing !== undefined, missing);
    skip(name === 'bash' && RUNS === 1, 'bash takes long: SVC_TEST_RUNS=2 runs it');
    const parameters = ['adapter', 'check', '--adapter', name];
    const { code, stdout } = await svcConformance(parameters);
    expect(stdout).toContain('the messages fit the protocol');
    expect(code).toBe(0);
  });
}

/** Checks an adapter in a folder of its own that has this command. */
async function checkedFolder(command: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-check-'));
  try {
    const manifest = { name: 'mine', command, dialect: 'svc' };
    writeFileSync(join(folder, MANIFEST), JSON.stringify(manifest));
    return await svcConformance(['adapter', 'check', '--adapter', folder]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test.concurrent('an adapter is checked by its folder, and replies that are all errors are reported as BAD', async () => {
  const { code, stdout } = await checkedFolder(program('says-error'));
  expect(stdout).toMatch(/^BAD {2}/m);
  expect(code).not.toBe(0);
});

test.concurrent('errors of the SDK for some questions fit the protocol, and are reported as a note', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-check-'));
  try {
    const module = join(folder, 'signer.mjs');
    const sign = `({ text }) => { if (text.includes('~')) throw new Error('no tilde'); return text; }`;
    writeFileSync(module, `export default { urlEncode: ${sign} };`);
    const { code, stdout } = await svcConformance(['adapter', 'check', '--module', module]);
    expect(unwrapped(stdout)).toMatch(
      /note url-encode: [1-9][0-9]* of [0-9]+ replies report an error/,
    );
    expect(code).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.concurrent('an adapter that cannot be started does not pass the check', async () => {
  const { code, stdout } = await checkedFolder(['no-such-program']);
  expect(unwrapped(stdout)).toMatch(/^mine not run, because no-such-program was not found/);
  expect(code).toBe(4);
});
