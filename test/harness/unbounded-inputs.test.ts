import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, ftruncateSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { RUNS, someOf, thorough } from '../amount.ts';
import { folderOfFile } from '../temporary-folder.ts';
import { type Ended, run, runProgram, svcConformance } from './svc-conformance.ts';
import { program } from './trial.ts';

const folder = folderOfFile();

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** A sparse file of 200 MiB. */
const LARGE = join(folder, 'large.yaml');
ftruncateSync(openSync(LARGE, 'w'), 200 * 1024 * 1024);

/** Each name is an alias for a list with nine times the one before it. */
const LETTERS = [...'abcdefgh'];
const BOMB = file(
  'bomb.yaml',
  [
    'a0: &a [x, x, x, x, x, x, x, x, x]',
    ...LETTERS.slice(1).map(
      (name, i) => `${name}0: &${name} [${Array(9).fill(`*${LETTERS[i]}`).join(', ')}]`,
    ),
    'publicKey: *h',
    'privateKey: *h',
    'expectations: *h',
    '',
  ].join('\n'),
);

const FOLDER_OF_LARGE = join(folder, 'vectors');
mkdirSync(FOLDER_OF_LARGE);
ftruncateSync(openSync(join(FOLDER_OF_LARGE, 'rules.yaml'), 'w'), 200 * 1024 * 1024);

const REFERENCE = ['--adapter', 'reference', 'url-encode'];
const KEYS = { SVC_PUBLIC_KEY: 'k', SVC_PRIVATE_KEY: 'k' };

/** The memory that is enough for every refusal; in MiB. */
const HEAP = 256;

/** Runs the program with little memory. */
function ended(parameters: readonly string[]): Promise<Ended> {
  return runProgram(parameters, {
    environment: { ...KEYS, NODE_OPTIONS: `--max-old-space-size=${HEAP}` },
  });
}

/** Checks the exit code and the message, which must have no stack trace. */
function expectRefused({ code, stderr }: Ended, expected: number, sentence: string): void {
  expect({ code, stderr }).toMatchObject({ code: expected });
  expect(stderr).toContain(sentence);
  expect(stderr).not.toMatch(/\n\s+at /);
}

const INPUTS = [LARGE, ...(existsSync('/dev/zero') ? ['/dev/zero'] : [])];

thorough.concurrent.each(INPUTS)('%s is refused as the file of any option', async (path) => {
  const cases = [
    [['run', '--expectations', path, ...REFERENCE], 3],
    [['accept', '--reason', 'why', '--expectations', path, ...REFERENCE], 3],
    [['vectors', 'fill', path], 3],
    [['check', path], 2],
    [['explain', path], 2],
    [['explain', 'package.json', '--keys', path], 2],
    [['probe', 'http://127.0.0.1:1', '--keys', path], 2],
    [['serve', '--port', '0', '--key', path], 2],
    [['serve', '--port', '0', '--cert', path, '--key-file', path], 2],
    [['wire', '--expectations', path, '--', 'true'], 3],
  ] as const;
  for (const [parameters, code] of someOf(cases, 3)) {
    expectRefused(await ended(parameters), code, 'it is larger than');
  }
});

test.concurrent('a rules file of 200 MiB is refused', async () => {
  const run = await ended(['run', '--vectors', FOLDER_OF_LARGE, ...REFERENCE]);
  expectRefused(run, 3, 'it is larger than');
});

test.concurrent.each(['check', 'explain'])('%s refuses endless standard input', async (verb) => {
  const child = spawn(process.execPath, ['dist/bin/svc-conformance.cjs', verb, '-'], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { ...process.env, ...KEYS },
    timeout: 600_000,
  });
  const piece = Buffer.alloc(1024 * 1024, 'x');
  const write = (): void => void child.stdin?.write(piece);
  child.stdin?.on('drain', write).on('error', () => {});
  write();
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expectRefused({ code, stdout: '', stderr }, 2, 'standard input cannot be read');
});

test.concurrent('YAML with aliases of aliases is refused', async () => {
  expectRefused(await ended(['run', '--expectations', BOMB, ...REFERENCE]), 3, 'an alias');
  const probe = await ended(['probe', 'http://127.0.0.1:1', '--keys', BOMB]);
  expectRefused(probe, 2, 'too many aliases');
});

test.concurrent('reading a file of answers stops after 1000 wrong lines', async () => {
  const wrong = file('wrong.jsonl', 'x\n'.repeat(2_000_000));
  const { code, stderr } = await ended(['check', wrong]);
  expect(code).toBe(3);
  expect(stderr).toContain('1001: the rest of the file was not read');
});

test.concurrent('more than 256 processes are refused', async () => {
  expectRefused(
    await svcConformance(['run', '-j', '99999', ...REFERENCE]),
    2,
    'more than 256 processes',
  );
});

test.concurrent('a missing folder for temporary files is reported', async () => {
  const missing = join(folder, 'missing');
  const refused = await run('etag', program('is-right'), {
    environment: { TMPDIR: missing, TEMP: missing, TMP: missing },
  });
  expectRefused(refused, 2, 'set TMPDIR to a writable folder');
});

const linux = process.platform === 'linux' ? test.concurrent : test.skip;

linux.each([
  [['init', 'python', '/proc/x']],
  [['export', '--files', '/proc/x/y', 'etag']],
  [['serve', '--port', '0', '--authority', 'off', '--data', '/proc/x/y']],
])('%j is refused and does not hang', async (parameters) => {
  expectRefused(await svcConformance(parameters), 2, 'there is no such file or folder');
});

// Writing so many files takes seconds.
test
  .skipIf(RUNS === 1)
  .concurrent('a folder of vectors with more than 50,000 entries is refused', async () => {
    const large = join(folder, 'large');
    mkdirSync(large);
    for (let i = 0; i <= 50_000; i++) writeFileSync(join(large, `${i}`), '');
    const run = await ended(['run', '--vectors', folder, ...REFERENCE]);
    expectRefused(run, 2, 'holds more than 50000 entries; name one that holds rules.yaml');
  });

linux('a deleted working directory is reported', async () => {
  const gone = join(folder, 'gone');
  mkdirSync(gone);
  const program = resolve('dist/bin/svc-conformance.cjs');
  const line = `rmdir "$PWD" && exec "$0" "$1" run --adapter reference url-encode`;
  const child = spawn('sh', ['-c', line, process.execPath, program], {
    cwd: gone,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  const run = { code, stdout: '', stderr };
  expectRefused(run, 2, 'the working directory was deleted; change to another one');
});
