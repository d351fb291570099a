import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { bundledSuite } from '../../harness/suite/bundle.ts';
import { ROOT } from '../root.ts';
import { folderOfTest } from '../temporary-folder.ts';
import { copyPackage } from './package-copy.ts';
import { unwrapped } from './svc-conformance.ts';

const NODE_FOLDER = dirname(process.execPath);

/** Stands in for a compiler: copies its source, or fails. */
const COMPILER = `
  import { copyFileSync, readFileSync } from 'node:fs';
  const [source, program] = process.argv.slice(2);
  if (readFileSync(source, 'utf8').includes('wrong')) throw new Error('a message of the compiler');
  copyFileSync(source, program);`;

const MANIFEST = {
  name: 'tiny',
  toolchain: basename(process.execPath, '.exe'),
  build: ['{node}', '{dir}/compiler.mjs', '{dir}/source.cjs', '{build}/adapter.cjs'],
  command: ['{node}', '{build}/adapter.cjs'],
  dialect: 'svc',
};

/** A known failure that the adapter does not have. */
const EXPECTATIONS = `expectations:
  - vectors: url-encode/**
    status: fail
    reason: It does not.
`;

/** A package like this one, whose adapters are the reference and, in a language of its own, tiny. */
let root: string;

beforeEach(() => {
  root = folderOfTest();
  copyPackage(root);
  cpSync(
    join(ROOT, 'adapters/reference/adapter.json'),
    join(root, 'adapters/reference/adapter.json'),
  );
  mkdirSync(tiny());
  cpSync(join(ROOT, 'dist/bin/reference-adapter.cjs'), tiny('source.cjs'));
  writeFileSync(tiny('compiler.mjs'), COMPILER);
  writeFileSync(tiny('adapter.json'), JSON.stringify(MANIFEST));
});

const tiny = (...path: string[]): string => join(root, 'adapters', 'tiny', ...path);

/** One of the package's programs, with Node on the PATH or with nothing on it. */
function ran(program: string, parameters: readonly string[] = [], PATH = NODE_FOLDER) {
  const { FORCE_COLOR: _, Path: __, ...inherited } = process.env;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, program), ...parameters],
    { cwd: root, encoding: 'utf8', env: { ...inherited, PATH } },
  );
  return { code: status, text: unwrapped(stdout), stderr };
}

const setup = (PATH?: string) => ran('dist/scripts/kits.js', [], PATH);
const setupSdks = (toolchain: string) => ran('dist/scripts/kits.js', [toolchain]);
const ASKED = bundledSuite().vectors.filter(({ operation }) => operation === 'url-encode').length;
const run = (PATH?: string) => ran('dist/bin/svc-conformance.cjs', ['run', 'url-encode/**'], PATH);

test('an adapter that is not built is not run, and the run passes', () => {
  const { code, text } = run();
  expect(text).toContain('tiny not run, because it is not built; run `npm run setup:kits`');
  expect(text).toMatch(/all as expected in \d+ of \d+ vectors \(1 adapter not run\)$/);
  expect(code).toBe(0);
});

test('an adapter that is built is run, even without its toolchain', () => {
  expect(setup()).toEqual({ code: 0, text: 'tiny: built', stderr: '' });
  for (const PATH of [NODE_FOLDER, '']) {
    const { code, text } = run(PATH);
    expect(text).toMatch(/all as expected(?: in \d+ of \d+ vectors)?$/);
    expect(text.split(` ${ASKED} pass`)).toHaveLength(3);
    expect(code).toBe(0);
  }
});

test('an adapter whose sources changed is not run until it is built again', () => {
  setup();
  writeFileSync(tiny('more.txt'), 'one more source');
  const { code, text } = run();
  expect(text).toContain('not run, because its sources have changed since it was built; run `npm');
  expect(code).toBe(0);
  setup();
  expect(run().text).toMatch(/all as expected(?: in \d+ of \d+ vectors)?$/);
});

test('an adapter whose built program was removed is not run', () => {
  setup();
  rmSync(tiny('.build', 'adapter.cjs'));
  expect(run().text).toContain('not run, because it is not built');
});

test('a word with several paths into the build folder, such as a class path, is not a missing program', () => {
  const paths = ['{build}/adapter.cjs', '{build}/*', '{dir}/adapter.json'].join(delimiter);
  const command = ['{node}', '{build}/adapter.cjs', paths];
  writeFileSync(tiny('adapter.json'), JSON.stringify({ ...MANIFEST, command }));
  setup();
  expect(run().text).toMatch(/all as expected(?: in \d+ of \d+ vectors)?$/);
  rmSync(tiny('.build', 'adapter.cjs'));
  expect(run().text).toContain('not run, because it is not built');
});

test('run and set-up report a missing toolchain, and do not fail', () => {
  const program = MANIFEST.toolchain;
  const { code, text } = run('');
  expect(text).toContain(
    `tiny not run, because ${program} was not found; install it and put it on the PATH`,
  );
  expect(code).toBe(0);
  expect(setup('')).toEqual({
    code: 0,
    text: `tiny: not built, because ${program} was not found; install it and put it on the PATH`,
    stderr: '',
  });
});

test('the set-up reports what else is missing for a build, and does not fail', () => {
  const check = ['-e', 'process.exit(Number(process.env["LACKS_HEADERS"] ?? 0))'];
  const needs = { check: [process.execPath, ...check], missing: 'headers were not found' };
  writeFileSync(tiny('adapter.json'), JSON.stringify({ ...MANIFEST, needs }));
  vi.stubEnv('LACKS_HEADERS', '1');
  const text = 'tiny: not built, because headers were not found';
  expect(setup()).toEqual({ code: 0, text, stderr: '' });
  vi.unstubAllEnvs();
  expect(setup().text).toBe('tiny: built');
});

test('a build that fails also fails the set-up, and leaves no program to run', () => {
  setup();
  const source = tiny('source.cjs');
  writeFileSync(source, 'wrong');
  const { code, text, stderr } = setup();
  expect({ code, text }).toEqual({ code: 1, text: 'tiny: the build failed, status 1' });
  expect(stderr).toContain('a message of the compiler');
  cpSync(join(root, 'dist/bin/reference-adapter.cjs'), source);
  expect(run().text).toContain('not run, because it is not built');
});

// The adapter in Bash and the programs on this PATH do not run on Windows.
const posix = process.platform === 'win32' ? test.skip : test;

posix('a missing program that an adapter starts is reported', () => {
  cpSync(join(ROOT, 'adapters/bash'), join(root, 'adapters/bash'), { recursive: true });
  const bin = join(root, 'bin');
  mkdirSync(bin);
  for (const name of ['bash', 'sha1sum']) writeFileSync(join(bin, name), '');
  const { code, text } = run(bin);
  expect(text).toContain(
    'bash not run, because stdbuf was not found; install it and put it on the',
  );
  expect(code).toBe(0);
});

test('an adapter with the wire tabs in adapter.json is asked in tab-separated lines', () => {
  const folder = join(root, 'adapters', 'lines');
  mkdirSync(folder);
  const manifest = { name: 'lines', command: ['python3', '{dir}/lines.py'], dialect: 'svc' };
  writeFileSync(join(folder, 'adapter.json'), JSON.stringify({ ...manifest, wire: 'tabs' }));
  const program = JSON.stringify(join(ROOT, 'test/harness/programs/tabs.py'));
  writeFileSync(join(folder, 'lines.py'), `import runpy\nrunpy.run_path(${program})\n`);
  const { code, text } = run(process.env['PATH'] ?? '');
  expect(text).toContain(`tabs 1.0.0 (python) must ${ASKED} pass`);
  expect(code).toBe(0);
});

test('jobs in adapter.json is the number of processes that share the questions, unless --jobs says another', () => {
  cpSync(join(ROOT, 'dist/bin/reference-adapter.cjs'), tiny('reference.cjs'));
  const program = `require('node:fs').appendFileSync(__dirname + '/started', '.'); require('./reference.cjs');`;
  writeFileSync(tiny('shared.cjs'), program);
  const manifest = { name: 'tiny', command: ['{node}', '{dir}/shared.cjs'], dialect: 'svc' };
  writeFileSync(tiny('adapter.json'), JSON.stringify({ ...manifest, jobs: 3 }));
  const started = (...options: string[]): number => {
    rmSync(tiny('started'), { force: true });
    const parameters = ['run', 'url-encode/**', '--adapter', 'tiny', ...options];
    expect(ran('dist/bin/svc-conformance.cjs', parameters).code).toBe(0);
    return readFileSync(tiny('started'), 'utf8').length;
  };
  expect([started(), started('--jobs', '1')]).toEqual([3, 1]);
});

test('an adapter is run after changes to files that are not its sources', () => {
  setup();
  writeFileSync(tiny('README.md'), 'changed');
  writeFileSync(tiny('expectations.yaml'), EXPECTATIONS);
  const { text } = run();
  expect(text).not.toContain('not run');
  expect(text).toContain(`none of the ${ASKED} vectors of url-encode/** still ends as fail`);
});

test('a built program is not run if the program that runs it is missing', () => {
  setup();
  writeFileSync(
    tiny('adapter.json'),
    JSON.stringify({ ...MANIFEST, command: ['no-such-runner', '{build}/adapter.cjs'] }),
  );
  setup();
  expect(run().text).toContain('tiny not run, because no-such-runner was not found');
});

test('a published SDK is built by the command of its toolchain, and by no other', () => {
  const sdk = join(root, 'adapters', 'sdk', 'tiny');
  mkdirSync(dirname(sdk));
  renameSync(tiny(), sdk);
  const command = 'npm run setup:tiny-sdks';
  writeFileSync(join(sdk, 'adapter.json'), JSON.stringify({ ...MANIFEST, setup: command }));
  expect(setup().text).toBe('');
  expect(setupSdks('another').text).toBe('');
  expect(run().text).toContain(`tiny not run, because it is not built; run \`${command}\``);
  expect(setupSdks(MANIFEST.toolchain).text).toBe('tiny: built');
  expect(run().text).not.toContain('not run');
});

test('the run says what the Go adapter lacks, with Go and without', () => {
  cpSync(join(ROOT, 'adapters/go'), join(root, 'adapters/go'), {
    recursive: true,
    filter: (path) => basename(path) !== '.build',
  });
  expect(run('').text).toContain('go not run, because go was not found; install it and put it');
  const bin = join(root, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, process.platform === 'win32' ? 'go.exe' : 'go'), '');
  const { code, text } = run([NODE_FOLDER, bin].join(delimiter));
  expect(text).toContain('go, tiny not run, because it is not built; run `npm run setup:kits`');
  expect(code).toBe(0);
});
