/**
 * Pastes every command that the program prints into a shell, and checks that none is a usage error.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { someOf } from '../amount.ts';
import { ROOT } from '../root.ts';
import { folderOfFile } from '../temporary-folder.ts';
import { PROGRAM, run, runProgram } from './svc-conformance.ts';
import { program } from './trial.ts';

/** The commands are pasted into a POSIX shell. */
const posix = process.platform === 'win32' ? test.skip : test;

const folder = folderOfFile();

/** The program under its own name, as an installed package has it. */
const BIN = join(folder, 'bin');
mkdirSync(BIN);
writeFileSync(
  join(BIN, 'svc-conformance'),
  `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`,
  { mode: 0o755 },
);

/** A folder with characters in its name that a shell would interpret. */
const ODD = join(folder, "it's a $HOME *;# folder");
mkdirSync(ODD);
const FORWARD = join(ODD, 'adapter [1].mjs');
writeFileSync(
  FORWARD,
  `process.argv.splice(2, 1);\nawait import(${JSON.stringify(`file://${ROOT}test/harness/programs/`)} + process.env.PROGRAM + '.mjs');\n`,
);
const MODULE = join(ODD, "a 'signer'.mjs");
// In Base64 twice, so that the report has commands to print.
writeFileSync(
  MODULE,
  `export const password = ({ text }) => btoa(btoa(String.fromCharCode(...new TextEncoder().encode(text))));\n`,
);

const RECORD = join(folder, 'record');
const environment = (name: string): Readonly<Record<string, string>> => {
  writeFileSync(RECORD, '');
  return { PROGRAM: name, RECORD };
};

/** An adapter behind an odd path and an odd word. */
function odd(...parameters: readonly string[]): readonly string[] {
  return ['--', process.execPath, FORWARD, '~ `a` "b" \\ !', ...parameters];
}

/** The commands in a text, each up to the closing backtick or the end of the line. */
function commandsIn(text: string): readonly string[] {
  const QUOTED = /`((?:svc-conformance|node \S+svc-conformance\.cjs) [a-z][^`\n]*)`/g;
  const quoted = [...text.matchAll(QUOTED)];
  const rest = text.replace(QUOTED, '');
  const bare = [...rest.matchAll(/(?:svc-conformance [a-z]+ |node \S+svc-conformance\.cjs ).*$/gm)];
  const all = [...quoted.map(([, command = '']) => command), ...bare.map(([command]) => command)];
  return [...new Set(all)];
}

/** Pastes a command into a shell, and returns its exit code and standard error. */
function pasted(command: string, name: string): Promise<{ code: number | null; stderr: string }> {
  const shell = spawn('sh', ['-c', command], {
    cwd: folder,
    env: {
      ...process.env,
      ...environment(name),
      PATH: `${BIN}${delimiter}${process.env['PATH']}`,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  shell.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve) => shell.once('close', (code) => resolve({ code, stderr })));
}

type Scenario = readonly [
  what: string,
  name: string,
  parameters: readonly string[],
  printed: RegExp,
];

const SCENARIOS: readonly Scenario[] = [
  [
    'run with an unexplained failure',
    'makes-unknown-mistakes',
    ['run', 'url-encode', ...odd('letter-q-doubled')],
    /accept/,
  ],
  [
    'run on fresh data',
    'makes-mistakes',
    ['run', 'url-encode', 'policy', '--fresh', ...odd('escape-space-as-plus')],
    /accept .*--seed/,
  ],
  [
    'run of an adapter that never worked',
    'crashes-before-hello',
    ['run', '--dialect', 'ucloud', ...odd()],
    /adapter check --dialect ucloud/,
  ],
  [
    'run of replayed answers',
    'replays',
    ['run', 'url-encode', 'password', ...odd('64', 'errs')],
    /again: node \S+ run/,
  ],
  [
    'run of an adapter that crashes',
    'crashes-over-a-plus',
    ['run', 'url-encode', '--level', 'must', ...odd('1')],
    /accept/,
  ],
  ['run of a module', '', ['run', 'password', '--module', MODULE], /run password\/\S+ --module/],
  [
    'fuzz with a seed above a million',
    'swaps-a-step',
    [
      'fuzz',
      '--operation',
      'url-encode',
      '--runs',
      '64',
      '--seed',
      '2147483000',
      ...odd('64', 'escapes-spaces-as-plus'),
    ],
    /again: node \S+ fuzz .*--seed 2147483\d{3} /,
  ],
  [
    'fuzz of an adapter that never worked',
    'crashes-before-hello',
    ['fuzz', ...odd()],
    /adapter check/,
  ],
  ['init', '', ['init', 'node', join(ODD, 'kit')], /run --adapter/],
  ['an id that matches no vector', '', ['run', '#####', '--', 'false'], /svc-conformance list/],
  [
    'filters that match no vector',
    '',
    ['list', 'etag', '--operation', 'policy'],
    /svc-conformance list/,
  ],
];

posix.each(someOf(SCENARIOS, 2))(
  'every printed command runs: %s',
  async (_, name, parameters, printed) => {
    const { stdout, stderr } = await runProgram(parameters, {
      folder,
      environment: environment(name),
    });
    expect(stdout + stderr).toMatch(printed);
    const commands = commandsIn(stdout + stderr);
    expect(commands).not.toEqual([]);
    for (const command of commands) {
      const { code, stderr: fault } = await pasted(command, name);
      // 2 is a usage error; a shell exits with 126 or more if it cannot run the command.
      expect({ command, fault, isRun: code !== null && code !== 2 && code < 126 }).toEqual({
        command,
        fault,
        isRun: true,
      });
    }
  },
);

posix('each command of a report is printed once', async () => {
  const { stdout } = await run('', program('accepts-everything', '64'), {
    environment: environment(''),
  });
  const lines = stdout.split('\n').filter((line) => /^ {4}svc-conformance accept /.test(line));
  expect(lines.length).toBeGreaterThan(0);
  expect(new Set(lines).size).toBe(lines.length);
});
