import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  createWriteStream,
  mkdirSync,
  openSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { escapePath, formatLine, parseLine } from '../../dist/harness/cli/etag/lines.js';
import { etag as etagOf, SPECIFICATION } from '../../dist/reference/signing/index.js';
import { always } from '../properties.ts';
import { folderOfFile } from '../temporary-folder.ts';
import { PROGRAM, svcConformance } from './svc-conformance.ts';
import { testUsageErrors } from './usage-errors.ts';

const MIB = 1024 * 1024;

const posix = process.platform === 'win32' ? test.skip : test;

const folder = folderOfFile();

/** Bytes without a period, so that no two blocks are equal. */
function contentOf(size: number): Uint8Array {
  const words = new Uint32Array(Math.ceil(size / 4));
  for (let i = 0; i < words.length; i++) words[i] = Math.imul(i + 1, 2654435761);
  return new Uint8Array(words.buffer).subarray(0, size);
}

const etag = (content: Uint8Array): string => etagOf(content, SPECIFICATION).etag;

function write(name: string, content: Uint8Array | string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

test.each([
  0,
  1,
  64 * 1024 - 1,
  64 * 1024,
  64 * 1024 + 1,
  4 * MIB - 1,
  4 * MIB,
  4 * MIB + 1,
  32 * MIB - 1,
  32 * MIB,
  41 * MIB + 5,
])('a file of %i bytes has the ETag of the reference', async (size) => {
  const content = contentOf(size);
  const path = write('content', content);
  const expected = etag(content);
  const written = await svcConformance(['etag', path]);
  expect(written).toEqual({ code: 0, stdout: `${expected}  ${path}\n`, stderr: '' });
  if (size > 5 * MIB) return;
  const piped = await svcConformance(['etag', '--json', '-'], { stdin: content });
  const blockCount = Math.ceil(size / (4 * MIB));
  expect(JSON.parse(piped.stdout)).toEqual({ path: '-', size, blockCount, etag: expected });
});

test('a small file of any bytes has the ETag of the reference', async () => {
  const small = fc.uint8Array({ maxLength: 5000, size: 'max' });
  await fc.assert(
    fc.asyncProperty(fc.array(small, { minLength: 1, maxLength: 20 }), async (contents) => {
      const paths = contents.map((content, i) => write(`small-${i}`, content));
      const { stdout } = await svcConformance(['etag', ...paths]);
      const lines = contents.map((content, i) => `${etag(content)}  ${paths[i]}\n`);
      expect(stdout).toBe(lines.join(''));
    }),
    { numRuns: 50 },
  );
});

test('--check verifies each file of a list that etag wrote', async () => {
  const paths = ['b', 'a b', 'c'].map((name) => write(name, name));
  const { stdout: list } = await svcConformance(['etag', ...paths]);
  const file = write('list', list);
  const right = await svcConformance(['etag', '--check', file]);
  expect(right).toEqual({ code: 0, stdout: paths.map((p) => `${p}: OK\n`).join(''), stderr: '' });
  write('b', 'changed');
  rmSync(join(folder, 'c'));
  const wrong = await svcConformance(['etag', '--check', '--quiet', '-'], { stdin: list });
  expect(wrong).toEqual({
    code: 1,
    stdout: `${paths[0]}: FAILED\n${paths[2]}: FAILED open or read (there is no such file or folder)\n`,
    stderr: 'svc-conformance: 1 of 3 files cannot be read\nsvc-conformance: 1 of 3 ETags differ\n',
  });
  const json = await svcConformance(['etag', '--check', '--json', file]);
  const lines = json.stdout.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).status)).toEqual(['differs', 'ok', 'unread']);
});

test('a folder is hashed file by file, in the order of the names', async () => {
  const top = join(folder, 'tree');
  mkdirSync(join(top, 'd', 'empty'), { recursive: true });
  for (const name of ['z', 'a', join('d', 'x'), '.hidden']) writeFileSync(join(top, name), name);
  const { stdout } = await svcConformance(['etag', top]);
  const names = stdout
    .trim()
    .split('\n')
    .map((line) => line.slice(34));
  expect(names).toEqual(['.hidden', 'a', join('d', 'x'), 'z'].map((name) => join(top, name)));
});

test('thousands of files, hashed by several threads, have the ETags of the reference', async () => {
  const top = join(folder, 'many');
  mkdirSync(top);
  const sizes = [...Array.from({ length: 4500 }, (_, i) => i % 90), 65_535, 65_536, 65_537];
  const lines = sizes.map((size, i) => {
    const path = join(top, String(i).padStart(5, '0'));
    const content = contentOf(size + i).subarray(i);
    writeFileSync(path, content);
    return `${etag(content)}  ${path}\n`;
  });
  const { code, stdout, stderr } = await svcConformance(['etag', top]);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: lines.join(''), stderr: '' });
});

test('a thread hashes the small files of the paths that it receives', async () => {
  const sizes = [...Array.from({ length: 150 }, (_, i) => i), 65_535, 65_536];
  const paths = sizes.map((size, i) => write(`of-thread-${i}`, contentOf(size)));
  const worker = new Worker(new URL('../../dist/bin/etag-worker.cjs', import.meta.url));
  onTestFinished(async () => void (await worker.terminate()));
  const start = Uint8Array.of(1, 0, 0, 0);
  const next = new Int32Array(new SharedArrayBuffer(4));
  worker.postMessage({ paths: [...paths, 'gone'], start, next });
  const [hashed] = await once(worker, 'message');
  const etags = sizes.map((size) =>
    size === 0 || size === 65_536
      ? undefined
      : { size, blockCount: 1, etag: etag(contentOf(size)) },
  );
  expect(hashed).toEqual([
    { first: 0, etags: etags.slice(0, 64) },
    { first: 64, etags: etags.slice(64, 128) },
    { first: 128, etags: [...etags.slice(128), undefined] },
  ]);
});

test('a file that cannot be read is reported, and the others are hashed', async () => {
  const path = write('there', 'there');
  const { code, stdout, stderr } = await svcConformance(['etag', join(folder, 'gone'), path]);
  expect(code).toBe(1);
  expect(stdout).toBe(`${etag(Buffer.from('there'))}  ${path}\n`);
  expect(stderr).toBe(
    `svc-conformance: ${escapePath(join(folder, 'gone'))} cannot be read: there is no such file or folder; name files or folders that exist and can be read, or - for standard input\n`,
  );
});

// Windows has no named pipes in folders.

posix('reading a named pipe does not block the event loop', async () => {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  let turns = 0;
  const { code, stdout } = await svcConformance(`etag ${path}`, {
    // The writer starts in a later turn of the event loop, which a blocking open would never reach.
    meanwhile: () =>
      setImmediate(() => {
        turns += 1;
        createWriteStream(path).end('from a pipe');
      }),
  });
  expect({ code, turns, stdout }).toEqual({
    code: 0,
    turns: 1,
    stdout: `${etag(Buffer.from('from a pipe'))}  ${path}\n`,
  });
});

testUsageErrors([
  [
    'etag',
    'svc-conformance: no file is named; write svc-conformance etag FILE…, or - for standard input\n',
  ],
  ['etag --quiet x', 'svc-conformance: --quiet works only with --check; leave it out\n'],
  ['etag -c no-list', 'no-list'],
]);

test('a line that does not belong in a list of ETags is reported', async () => {
  const { code, stderr } = await svcConformance(['etag', '-c', '-'], { stdin: 'x  y\n' });
  expect(code).toBe(2);
  expect(stderr).toContain('standard input:1: not a line of a list of ETags');
});

posix.each([['-'], ['--check']])(
  'a folder as standard input of etag %s gives a one-line error',
  (option) => {
    const stdin = openSync(folder, 'r');
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, 'etag', option], {
      stdio: [stdin, 'pipe', 'pipe'],
      encoding: 'utf8',
    });
    closeSync(stdin);
    expect(stdout).toBe('');
    expect(stderr).toMatch(
      /^svc-conformance: (?:-|standard input) cannot be read: it is a folder; .+\n$/,
    );
    expect(status).toBe(option === '-' ? 1 : 2);
  },
);

test('a sparse file of 64 MiB has the ETag of the reference', async () => {
  const path = write('sparse', '');
  truncateSync(path, 64 * MIB);
  const { stdout } = await svcConformance(['etag', path]);
  expect(stdout).toBe(`${etag(new Uint8Array(64 * MIB))}  ${path}\n`);
});

test('a path survives a round trip through its line, which has no control characters', () => {
  always([fc.string({ unit: 'binary', minLength: 1 })], (path) => {
    const line = formatLine({ etag: 'A'.repeat(32), path });
    expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
    expect(parseLine(line)).toEqual({ etag: 'A'.repeat(32), path });
  });
});
