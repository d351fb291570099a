import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { someOf } from '../amount.ts';
import { folderOfFile } from '../temporary-folder.ts';
import { programPath } from './program-path.ts';
import { svcConformance, unwrapped } from './svc-conformance.ts';
import { testUsageErrors } from './usage-errors.ts';

const program = (name: string): string => programPath(`${name}.mjs`);

const UCLOUD = 'UCloud,X-UCloud-,UCloudPublicKey';

const folder = folderOfFile();

/** Runs an adapter that speaks the dialect of these words, or the one that it is asked in, with a known mistake. */
async function ran(words: string, mistake: string, ...options: readonly string[]) {
  const mistakes = mistake === '' ? [] : [mistake];
  const command = [process.execPath, program('makes-mistakes'), ...mistakes];
  const ended = await svcConformance(['run', ...options, '--', ...command], {
    environment: words === '' ? {} : { WORDS: words },
  });
  const causes = [...ended.stdout.matchAll(/^CAUSE (\S+)/gm)].map(([, cause]) => cause);
  return { ...ended, causes, said: unwrapped(ended.stdout) };
}

const SIGNING = ['authorization', 'presigned-url', 'form-authorization', 'verify-authorization'];

test.concurrent('an SDK of the dialect ucloud that is asked in svc has one cause with its fix', async () => {
  const { code, causes, said, stdout } = await ran(UCLOUD, '', ...SIGNING);
  expect(code).toBe(1);
  expect(causes).toEqual(['wrong-dialect']);
  expect(said).toMatch(/1 cause explains ([0-9]+) failures/);
  expect(said).toContain('fix: pass --dialect ucloud, or configure the implementation for svc');
  expect(stdout).not.toMatch(/^FAIL | accept --reason/m);
  const right = await ran(UCLOUD, '', '--dialect', 'ucloud', ...SIGNING);
  expect(right.code).toBe(0);
});

test.concurrent('an SDK of the dialect svc that is asked in ucloud has one cause with its fix', async () => {
  const words = 'Svc,X-Svc-,SvcPublicKey';
  const { causes, said } = await ran(words, '', '--dialect', 'ucloud', 'authorization');
  expect(causes).toEqual(['wrong-dialect']);
  expect(said).toContain('fix: pass --dialect svc,');
});

test.concurrent.each([
  ['scheme', 'UCloud,X-Svc-,SvcPublicKey', 'authorization'],
  ['header prefix', 'Svc,X-UCloud-,SvcPublicKey', 'authorization'],
  ['public-key parameter', 'Svc,X-Svc-,UCloudPublicKey', 'presigned-url'],
])('the fix for an SDK with another %s names all three words', async (_, words, selected) => {
  const { causes, said } = await ran(words, '', selected);
  expect(causes).toEqual(['wrong-dialect']);
  expect(said).toContain(`fix: pass --dialect ${words},`);
});

test.concurrent('a known mistake of an SDK in another dialect is named besides the wrong dialect', async () => {
  const mistake = 'signature-url-safe';
  const { causes, stdout } = await ran(UCLOUD, mistake, '--all', 'authorization');
  expect(causes).toEqual(['wrong-dialect', mistake]);
  expect(stdout).toMatch(/^FAIL authorization\//m);
});

test.concurrent.each(
  someOf(['headers-left-out', 'authorization-without-scheme', 'hmac-left-out'], 3),
)('the mistake %s in the right dialect is not reported as another dialect', async (mistake) => {
  const { causes } = await ran('', mistake, 'authorization');
  expect(causes).toEqual([mistake]);
});

test.concurrent('answers of another dialect in a file have one cause', async () => {
  const { stdout: questions } = await svcConformance(['export', 'authorization', 'presigned-url']);
  const [header = ''] = questions.split('\n', 1);
  const parsed = JSON.parse(header) as object;
  const [scheme, headerPrefix, publicKeyParameter] = UCLOUD.split(',');
  const other = { ...parsed, dialect: { scheme, headerPrefix, publicKeyParameter } };
  const { stdout: answers } = spawnSync(process.execPath, [program('answers-questions')], {
    input: questions.replace(header, JSON.stringify(other)),
    encoding: 'utf8',
  });
  const path = join(folder, 'answers.jsonl');
  const [own = ''] = answers.split('\n', 1);
  const restored = { ...(JSON.parse(own) as object), dialect: Reflect.get(parsed, 'dialect') };
  writeFileSync(path, answers.replace(own, JSON.stringify(restored)));
  const { code, stdout } = await svcConformance(['check', path]);
  expect(code).toBe(1);
  expect(unwrapped(stdout)).toMatch(/1 cause explains [0-9]+ failures CAUSE wrong-dialect/);
});

test.concurrent('accept writes no entries for another dialect', async () => {
  const known = join(folder, 'known.yaml');
  const words = ['accept', '--reason', 'Why.', '--expectations', known, 'authorization'];
  const { code, stderr } = await svcConformance([...words, '--module', program('signer')], {
    environment: { WORDS: UCLOUD },
  });
  expect(code).toBe(2);
  expect(stderr).toContain('nothing is accepted: the implementation signs in the dialect ucloud');
});

test.concurrent.each([
  [
    'an Authorization header',
    'GET /k HTTP/1.1\nHost: d.e.f\nAuthorization: UCloud a:x\n\n',
    'the request has UCloud, but --dialect names the dialect with Svc; pass --dialect ucloud',
  ],
  [
    'a pre-signed URL',
    'http://d.e.f/k?UCloudPublicKey=a&Expires=9&Signature=x',
    'the request has UCloudPublicKey, but --dialect names the dialect with SvcPublicKey; pass --dialect ucloud',
  ],
])('explain says that %s is in another dialect than --dialect', async (_, request, what) => {
  const path = join(folder, `${request.length}.txt`);
  writeFileSync(path, request);
  const { code, stdout } = await svcConformance(`explain --dialect svc ${path}`, {
    environment: { SVC_PUBLIC_KEY: 'a', SVC_PRIVATE_KEY: 'priv-example' },
  });
  expect(code).toBe(1);
  expect(unwrapped(stdout)).toContain(`another dialect: ${what}`);
  expect(stdout).not.toContain('wrongly signed');
});

test.concurrent.each(['ucloud', 'Acme,X-Acme-,AcmeKey'])(
  'init --dialect %s writes the dialect into adapter.json, which run reads',
  async (dialect) => {
    const place = join(folder, `of-${dialect}`);
    const begun = await svcConformance(['init', '--dialect', dialect, 'node', place]);
    expect(begun.code).toBe(0);
    const manifest: unknown = JSON.parse(readFileSync(join(place, 'adapter.json'), 'utf8'));
    expect(manifest).toMatchObject({ dialect });
    const { stdout } = await svcConformance(['run', '--adapter', place, 'authorization']);
    expect(stdout).toContain(`in the dialect ${dialect}`);
  },
);

testUsageErrors([['init --dialect aws node /no/such', '"aws" is not a dialect']]);
