/**
 * Tests `run --watch`. Every step waits for the line which says that the run has ended.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { folderOfTest } from '../temporary-folder.ts';
import { type Ended, runProgram, svcConformance } from './svc-conformance.ts';
import { testUsageErrors } from './usage-errors.ts';

// Windows has no signals.
const posix = process.platform === 'win32' ? test.skip : test;

const RIGHT = `
export const urlEncode = ({ text }) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase());\n`;
const WRONG = 'export const urlEncode = ({ text }) => text;\n';

let folder: string;

beforeEach(() => {
  folder = folderOfTest();
});

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

/** Watches the folder, does a step each time the program waits, and interrupts it at the end. */
function watch(steps: readonly (() => void)[], parameters: readonly string[] = []): Promise<Ended> {
  const left = [...steps];
  const words = ['--module', 'signer.mjs', '--no-fresh', 'url-encode', ...parameters];
  return runProgram(['run', '--watch', ...words], {
    folder,
    meanwhile(cli) {
      let seen = '';
      cli.stderr?.on('data', (text: string) => {
        seen += text;
        const waits = seen.split('Ctrl-C ends\n');
        seen = waits.at(-1) ?? '';
        for (let i = 1; i < waits.length; i += 1) {
          const step = left.shift();
          if (step) step();
          else cli.kill('SIGINT');
        }
      });
    },
  });
}

const verdicts = ({ stdout }: Ended): readonly string[] =>
  stdout.split('\n').filter((line) => /^(?:all as expected|conformance failures)/.test(line));

posix('a run is repeated when a file changes, and the last one decides the exit code', async () => {
  write('signer.mjs', WRONG);
  mkdirSync(join(folder, 'node_modules'));
  const ended = await watch([() => write('signer.mjs', RIGHT)]);
  expect(verdicts(ended)).toEqual([
    expect.stringMatching(/^conformance failures: /),
    expect.stringMatching(/^all as expected/),
  ]);
  expect(ended.code).toBe(0);
  expect(ended.stderr).toBe(
    'watching 2 folders; Ctrl-C ends\n"signer.mjs" changed\nwatching 2 folders; Ctrl-C ends\n',
  );
  expect(ended.stdout).not.toContain('\u001b');
});

posix('a new folder is watched from the next run on, and a broken file is tolerated', async () => {
  write('signer.mjs', RIGHT);
  const ended = await watch([
    () => mkdirSync(join(folder, 'lib')),
    () => writeFileSync(join(folder, 'lib', 'a.js'), '1'),
    () => write('signer.mjs', 'syntax error'),
  ]);
  expect(ended.stderr.match(/^".*" changed$/gm)).toEqual([
    '"lib" changed',
    `"${join('lib', 'a.js')}" changed`,
    '"signer.mjs" changed',
  ]);
  expect(verdicts(ended)).toHaveLength(3);
  expect(ended.code).toBe(4);
});

posix('files that a run writes do not start runs endlessly', async () => {
  const log = "import { appendFileSync } from 'node:fs';\nappendFileSync('runs.txt', 'run ');\n";
  write('signer.mjs', log + RIGHT);
  const ended = await watch([], ['--reporter', 'junit=report.xml']);
  expect(readFileSync(join(folder, 'runs.txt'), 'utf8')).toBe('run run ');
  expect(ended.stderr).toBe('"runs.txt" changed\nwatching 2 folders; Ctrl-C ends\n');
});

test('a terminal is cleared before each run', async () => {
  const { code, stdout } = await svcConformance('run --watch --adapter reference url-encode', {
    columns: 80,
    meanwhile: ({ interrupt, onStderr }) =>
      onStderr((text) => {
        if (text.includes('Ctrl-C')) interrupt();
      }),
  });
  expect(code).toBe(0);
  expect(stdout.startsWith('\u001b[2J\u001b[3J\u001b[H')).toBe(true);
});

testUsageErrors([['run --watch --adapter ./no-such', 'there is no ']]);

const isRoot = process.getuid?.() === 0;
test.skipIf(isRoot || process.platform === 'win32')(
  `a folder that cannot be read is not watched${isRoot ? ': skipped, because root reads every folder' : ''}`,
  async () => {
    write('signer.mjs', RIGHT);
    mkdirSync(join(folder, 'locked'), { mode: 0 });
    const { code, stderr } = await watch([]);
    expect(code).toBe(0);
    expect(stderr).not.toContain('locked');
  },
);
