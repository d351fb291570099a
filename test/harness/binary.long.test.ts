/**
 * Runs the binary in a root that has only the system libraries that it loads: no Node, no package.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageVersion } from '../../dist/harness/suite/package-root.js';
import { RUNS } from '../amount.ts';
import { ROOT } from '../root.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-binary-'));
const binary = join(root, 'svc-conformance');

/** The command that starts a program in another root; undefined if that is not permitted here. */
function findChroot(): readonly string[] | undefined {
  return [['chroot'], ['unshare', '--map-root-user', 'chroot']].find(
    ([program = '', ...words]) => spawnSync(program, [...words, '/', 'true']).status === 0,
  );
}

const chroot = process.platform === 'linux' && RUNS > 1 ? findChroot() : undefined;
const missing =
  RUNS > 1
    ? ', skipped: this machine does not permit chroot, or is not Linux'
    : ', not run: SVC_TEST_RUNS=2 builds it';
const reason = chroot ? '' : missing;

beforeAll(() => {
  execFileSync(process.execPath, [join(ROOT, 'dist/scripts/binary.js'), '--out', binary], {
    stdio: 'pipe',
  });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Copies a file of the system to the same place in the empty root. */
function copySystemFile(path: string): void {
  mkdirSync(join(root, dirname(path)), { recursive: true });
  copyFileSync(realpathSync(path), join(root, path));
}

describe.skipIf(!chroot)(`the binary in an empty root${reason}`, () => {
  beforeAll(() => {
    const libraries = execFileSync('ldd', [binary], { encoding: 'utf8' });
    for (const [path] of libraries.matchAll(/\/\S+/g)) copySystemFile(path);
    for (const name of ['tmp', 'work']) mkdirSync(join(root, name));
    cpSync(join(ROOT, 'docs/examples'), join(root, 'examples'), { recursive: true });
  });

  /** Only PATH, whose folders do not exist in the root. */
  const env = { PATH: process.env['PATH'] };

  const start = (words: readonly string[]): [string, string[]] => {
    const [program = '', ...before] = chroot ?? [];
    return [program, [...before, root, '/svc-conformance', ...words]];
  };

  function run(...words: readonly string[]) {
    const [program, all] = start(words);
    const { status, stdout, stderr } = spawnSync(program, all, { encoding: 'utf8', env });
    return { status, stdout, stderr };
  }

  test('-V prints the version', () => {
    expect(run('-V')).toEqual({ status: 0, stdout: `${packageVersion()}\n`, stderr: '' });
  });

  test('run judges the reference, and names the adapters that it cannot start', () => {
    const { status, stdout } = run('run');
    expect(status).toBe(0);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('not run, because the binary cannot start it');
    expect(stdout).toContain('all as expected (');
  });

  test('run --module starts the binary itself as the adapter', () => {
    const { status, stdout } = run('run', '--module', '/examples/signer.mjs', '--smoke');
    expect(status).toBe(1);
    expect(stdout).toContain('headers-as-in-the-worked-example');
    expect(run('run', '--module', '/examples/signer.mjs', '--smoke').stderr).toBe('');
  });

  test('a command that needs Node fails with a message that asks for node on the PATH', () => {
    expect(run('init', 'node', '/work/node').status).toBe(0);
    const { status, stdout } = run('run', '--adapter', '/work/node');
    expect(status).toBe(4);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('node was not found; install it and put it');
  });

  test('init, list, show, explain and fuzz work', () => {
    const begun = run('init', 'python', '/work/python');
    expect(begun.stdout).toContain('./svc-conformance run --adapter ./work/python');
    expect(readFileSync(join(root, 'work/python/adapter.py'), 'utf8')).toBe(
      readFileSync(join(ROOT, 'adapters/python/adapter.py'), 'utf8'),
    );
    expect(run('list').stdout.split('\n').length).toBeGreaterThan(500);
    const shown = run('show', 'form-type-of-header-without-field');
    expect(shown).toMatchObject({ status: 0, stderr: '' });
    expect(shown.stdout).toContain('known failures of SDKs (2)');
    const explained = run('explain', '/examples/request.txt', '--keys', '/examples/keys.yaml');
    expect(explained.stdout).toContain('resource-without-bucket');
    const fuzzed = run('fuzz', '--seed', '1', '--runs', '20', '--module', '/examples/signer.mjs');
    expect(fuzzed.stderr).toBe('');
  });

  test('etag hashes a file that is large enough for threads', () => {
    const content = Buffer.alloc(33 * 1024 * 1024, 'x');
    writeFileSync(join(root, 'work/large'), content);
    const { status, stdout, stderr } = run('etag', '/work/large');
    const blocks = Array.from({ length: 9 }, (_, i) =>
      createHash('sha1')
        .update(content.subarray(i * 4194304, (i + 1) * 4194304))
        .digest(),
    );
    const digest = createHash('sha1').update(Buffer.concat(blocks)).digest();
    const etag = Buffer.concat([Buffer.from([9, 0, 0, 0]), digest]).toString('base64url');
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: `${etag}  /work/large\n`,
      stderr: '',
    });
  });

  test('probe passes against serve, and serve exits at SIGTERM', async () => {
    const [program, words] = start([
      'serve',
      '--port',
      '0',
      '--bucket',
      'demo',
      '--dialect',
      'ucloud',
    ]);
    const server = spawn(program, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const url = await firstUrl(server);
    const vectors = 'verify-authorization/rewritten-signatures';
    const probed = run('probe', url, vectors, '--dialect', 'ucloud', '--timeout', '600');
    server.kill('SIGTERM');
    const code = await new Promise((resolve) => server.once('close', resolve));
    expect({ status: probed.status, code }).toEqual({ status: 0, code: 0 });
    expect(probed.stdout).toContain('all as expected');
  });

  test('serve --data is refused with a one-line error', () => {
    const { status, stderr } = run('serve', '--data', '/work/data', '--port', '0');
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringMatching(/machine code that the binary does not contain; .*\n$/),
    });
  });

  test.skipIf(!existsSync(join(ROOT, 'dist/site.br')))('docs works if the site is built', () => {
    expect(run('docs', 'folds-kept').stdout).toContain('folds-kept');
  });
});

function firstUrl(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    server.once('close', () => reject(new Error(`serve ended: ${text}`)));
    server.stdout?.on('data', (piece) => {
      text += piece;
      const [url] = /http:\S+/.exec(text) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
}
