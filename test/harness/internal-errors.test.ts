import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { someOf, thorough } from '../amount.ts';
import { folderOfFile } from '../temporary-folder.ts';
import { type Ended, runProgram, svcConformance } from './svc-conformance.ts';
import { program, survivors } from './trial.ts';

const folder = folderOfFile();

const SMALL = ['--vectors', 'test/harness/vectors'];
const FORMATS = ['json-lines', 'junit', 'markdown'];

interface Reported extends Ended {
  /** The process ids of the adapter, one for each start. */
  readonly pids: readonly number[];
  readonly files: Readonly<Record<string, string>>;
}

/** A run with every report in a file, and a module that is loaded before the command line. */
async function reported(parameters: readonly string[], command: readonly string[], fault = '') {
  const own = mkdtempSync(join(folder, 'run-'));
  const preload = join(own, 'fault.cjs');
  // Adapters load this module, too, but the fault is only for the harness.
  writeFileSync(preload, `if (process.argv[1].endsWith('svc-conformance.cjs')) {\n${fault}\n}`);
  const ended = await runProgram(
    [
      ...parameters,
      ...['terminal', ...FORMATS].flatMap((name) => ['--reporter', `${name}=${join(own, name)}`]),
      ...(command.length > 0 ? ['--', ...command] : []),
    ],
    {
      environment: { RECORD: join(own, 'record'), NODE_OPTIONS: `--require=${preload}` },
    },
  );
  const files = ['terminal', ...FORMATS].map((name) => [
    name,
    readFileSync(join(own, name), 'utf8'),
  ]);
  const pids = readFileSync(join(own, 'record'), 'utf8').match(/^[0-9]+$/gm) ?? [];
  return { ...ended, pids: pids.map(Number), files: Object.fromEntries(files) };
}

/** Checks that every report is complete, and that none looks like a pass. */
function expectClosed({ files, stderr }: Reported): void {
  const { 'json-lines': lines = '', junit = '', markdown = '', terminal = '' } = files;
  expect(junit.trimEnd().endsWith('</testsuites>')).toBe(true);
  expect(junit).toMatch(/<error type="(internal error|aborted)"/);
  const all = lines.trimEnd().split('\n');
  expect(JSON.parse(all.at(-1) ?? '')).toMatchObject({
    type: 'footer',
    exitCode: 6,
    lines: all.length,
  });
  expect(markdown).toContain('internal error');
  expect(terminal).toContain('internal error');
  expect(stderr).not.toMatch(/\n\s+at /);
}

thorough.concurrent('a verifier that returns a trace and a wrong key is judged', async () => {
  const { code, files, stderr } = await reported(
    ['run', '--forged', 'verify-json/wrong-signatures/refuses-one-changed-character'],
    program('shows-upper-case'),
  );
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(files['terminal']).toContain('conformance failures');
  expect(files['junit']).toContain('</testsuites>');
});

thorough.concurrent('an internal error about one reply keeps the other verdicts', async () => {
  const fault = `const { charCodeAt } = String.prototype;
    String.prototype.charCodeAt = function (at) {
      if (String(this) === 'poison') throw new TypeError('planted');
      return charCodeAt.call(this, at);
    };`;
  const run = await reported(['run', ...SMALL], program('meets-a-fault'), fault);
  expect(run.code).toBe(6);
  expectClosed(run);
  const outcomes = run.files['json-lines']?.match(/"type":"outcome"/g);
  expect(outcomes).toHaveLength(12);
  expect(run.files['junit']).toContain('internal error: TypeError: planted');
});

// Windows has neither such signals nor such a device.
const posix = process.platform === 'win32' ? test.skip : test.concurrent;
const linux = existsSync('/dev/full') ? test.concurrent : test.skip;

posix.each(['const throwIt = (e) => { throw e }; throwIt', 'Promise.reject'])(
  'every report is complete after an uncaught error: %s',
  async (statement) => {
    const fault = `process.on('SIGUSR2', () => { ${statement}(new TypeError('planted')); });`;
    const run = await reported(['run', ...SMALL], program('meets-a-fault', '1', 'signal'), fault);
    expect(run.code).toBe(6);
    expectClosed(run);
    expect(run.stderr).toContain('svc-conformance: internal error: TypeError: planted');
    expect(await survivors(run.pids)).toEqual([]);
  },
);

linux('a report that cannot be written does not affect the other reports', async () => {
  const own = mkdtempSync(join(folder, 'full-'));
  const { code, stdout, stderr } = await svcConformance(
    [
      'run',
      ...SMALL,
      ...['terminal', 'junit=/dev/full', `markdown=${join(own, 'markdown')}`].flatMap((name) => [
        '--reporter',
        name,
      ]),
      '--',
      ...program('is-right'),
    ],
    { environment: { RECORD: join(own, 'record') } },
  );
  expect(code).toBe(6);
  expect(stdout).toContain('12 pass');
  expect(readFileSync(join(own, 'markdown'), 'utf8')).toContain('12 pass');
  expect(stderr).toBe(
    'svc-conformance: the report "/dev/full" is not complete: the disk is full\n',
  );
});

const VERBS: readonly (readonly string[])[] = [
  ['--help'],
  ['list'],
  ['export'],
  ['show', 'url-encode/*'],
  ['run', '--adapter', 'reference', 'url-encode'],
  ['run', '--reporter', 'json-lines', '--adapter', 'reference', 'url-encode'],
  ['vectors', 'check'],
  ['explain', 'http://b.cn-bj.ufileos.com/k?UCloudPublicKey=k&Signature=a&Expires=1'],
  ['adapter', 'check', '--', process.execPath, 'test/harness/programs/is-right.mjs'],
];

linux.each(someOf(VERBS, 4))(
  '%s with a full disk as standard output ends with exit code 6',
  async (...parameters) => {
    const line = [process.execPath, 'dist/bin/svc-conformance.cjs', ...parameters];
    const child = spawn(line[0] ?? '', line.slice(1), {
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
      env: {
        ...process.env,
        SVC_PUBLIC_KEY: 'k',
        SVC_PRIVATE_KEY: 'k',
        RECORD: join(folder, 'record'),
      },
      timeout: 600_000,
    });
    if (!child.stderr) throw new Error('standard error is not a pipe');
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect({ code, stderr }).toEqual({
      code: 6,
      stderr: 'svc-conformance: standard output cannot be written: the disk is full\n',
    });
  },
);
