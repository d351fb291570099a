import { expect, test } from 'vitest';
import { thorough } from '../amount.ts';
import { programPath } from './program-path.ts';
import { linesIn } from './report-lines.ts';
import { run, svcConformance, unwrapped } from './svc-conformance.ts';
import { program } from './trial.ts';

const SDK = programPath('small-sdk.mjs');
const HINT = 'if your SDK has no way to express it, reply {"unsupported": "why"} to such questions';

function judged(environment: Readonly<Record<string, string>>, ...options: readonly string[]) {
  return svcConformance(['run', ...options, '--module', SDK], { environment });
}

test.concurrent('if all failures have a repeated header, the report suggests the reply unsupported', async () => {
  const { code, stdout } = await judged({ OFFERED: 'authorization' }, '--level', 'must');
  expect(code).toBe(1);
  expect(unwrapped(stdout)).toMatch(
    /each of the [0-9]+ failures has a header name that appears twice; /,
  );
  expect(unwrapped(stdout)).toContain(HINT);
});

thorough.concurrent('if two kinds of input cover all failures, the report names both', async () => {
  const { stdout } = await judged({ OFFERED: 'authorization,action-signature' });
  const [, what = ''] = /each of the [0-9]+ failures has (.*?); /.exec(unwrapped(stdout)) ?? [];
  expect(what.split(' or ').toSorted()).toEqual([
    'a header name that appears twice',
    'a parameter that is not a text',
  ]);
});

test.concurrent('an SDK that replies unsupported passes, and reports contain its reason', async () => {
  const { code, stdout } = await judged({ WITHOUT: 'reply' }, '--reporter', 'json-lines');
  const lines = linesIn(stdout);
  const failed = lines.filter(({ status }) =>
    ['fail', 'refused', 'error'].includes(String(status)),
  );
  expect(failed.filter(({ level }) => level !== 'advised')).toEqual([]);
  expect(code).toBe(0);
  expect(lines).toContainEqual(
    expect.objectContaining({ status: 'unsupported', message: 'headers are a dictionary' }),
  );
  expect(stdout).not.toContain('no way to express');
});

test.concurrent('a client that adds PublicKey by itself passes', async () => {
  const { code, stdout } = await judged({ WITHOUT: 'reply' }, 'action-*/**', 'bucket-request');
  expect(code, stdout).toBe(0);
});

test.concurrent('a client that signs without PublicKey fails', async () => {
  const ids = ['action-json/body/signs-no-body-without-public-key'];
  const unchecked = program('makes-mistakes', 'public-key-not-required');
  const { code } = await svcConformance(['run', ...ids, '--', ...unchecked]);
  expect(code).toBe(1);
});

thorough.concurrent('if failures have nothing in common, the report suggests nothing', async () => {
  const mistaken = program('makes-mistakes', 'verb-in-lower-case');
  const { code, stdout } = await run('authorization', mistaken);
  expect(code).toBe(1);
  expect(stdout).not.toContain('no way to express');
});
