import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { someOf } from '../amount.ts';
import { folderOfFile } from '../temporary-folder.ts';
import { PROGRAM, svcConformance } from './svc-conformance.ts';

/** A folder with the program by its name, as npm installs it, and with a file to complete. */
const bin = folderOfFile();

beforeAll(() => {
  const path = join(bin, 'svc-conformance');
  writeFileSync(path, `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`);
  chmodSync(path, 0o755);
  mkdirSync(join(bin, 'reports'));
  writeFileSync(join(bin, 'reports', 'junit.xml'), '');
});

async function scriptFor(shell: string): Promise<string> {
  const { code, stdout } = await svcConformance(['completion', shell]);
  expect(code).toBe(0);
  return stdout;
}

/** A shell that runs longer than this hangs; in milliseconds. */
const HARD_LIMIT = 300_000;

/** Runs a command in the folder of the program. */
function runShell(shell: string, command: string, ...parameters: readonly string[]) {
  const PATH = `${bin}${delimiter}${process.env['PATH']}`;
  const env = { ...process.env, PATH, ZDOTDIR: bin };
  return spawnSync(shell, ['-c', command, ...parameters], {
    cwd: bin,
    encoding: 'utf8',
    env,
    timeout: HARD_LIMIT,
  });
}

/** The lines that a command prints; fails the test if the command fails or prints errors. */
function linesFrom(...call: Parameters<typeof runShell>): readonly string[] {
  const { status, stdout, stderr } = runShell(...call);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.trimEnd().split('\n');
}

/** A test that needs a shell; its name says why it is skipped. */
function testIn(shell: string, body: () => Promise<void>): void {
  const lacks = runShell(shell, 'exit 0').status !== 0;
  const reason = lacks ? `: skipped, because ${shell} is not installed` : '';
  test.skipIf(lacks)(`${shell} completes verbs, options, values and files${reason}`, body);
}

test('completion words prints the candidates for the last word', async () => {
  const { code, stdout } = await svcConformance(['completion', 'words', '--', 'run', '--st']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '--start-timeout\n' });
});

testIn('bash', async () => {
  const script = await scriptFor('bash');
  const completedBy = (...words: readonly string[]): readonly string[] => {
    const line = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _svc_conformance "$1"; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return linesFrom('bash', `${script}\n${line}`, 'bash', 'svc-conformance', ...words);
  };
  expect(completedBy('ex')).toEqual(['export', 'explain']);
  expect(completedBy('run', '--ti')).toEqual(['--timeout', '--time-limit']);
  expect(completedBy('run', '--level', '=', 'o')).toEqual(['observed', 'open']);
  // Without candidates, bash completes commands and files.
  expect(completedBy('run', '--', 'pyth')).toEqual(['']);
  expect(completedBy('run', '--reporter', 'junit', '=', 'r')).toEqual(['']);
  expect(completedBy('run', '--reporter', '=', 'junit', '=', 'r')).toEqual(['']);
});

interface Completed {
  /** A line without the name of the program. */
  readonly line: string;
  /** The line after zsh completed it: with the only candidate, or with what all candidates start with. */
  readonly inZsh: string;
  /** The candidates of fish for the last word. */
  readonly inFish: readonly string[];
}

/** Each line starts the program once in zsh and once in fish. */
const COMPLETED: readonly Completed[] = someOf<Completed>(
  [
    { line: 'ex', inZsh: 'exp', inFish: ['explain', 'export'] },
    { line: 'run --st', inZsh: 'run --start-timeout ', inFish: ['--start-timeout'] },
    { line: 'run --ti', inZsh: 'run --time', inFish: ['--timeout', '--time-limit'] },
    { line: 'run --level op', inZsh: 'run --level open ', inFish: ['open'] },
    { line: 'run --level=op', inZsh: 'run --level=open ', inFish: ['--level=open'] },
    { line: 'show folds-k', inZsh: 'show folds-kept ', inFish: ['folds-kept'] },
    { line: 'compare rep', inZsh: 'compare reports/', inFish: ['reports/'] },
    { line: 'run --vectors=rep', inZsh: 'run --vectors=reports/', inFish: ['--vectors=reports/'] },
    ...['run --reporter junit=', 'run --reporter=junit='].map((start) => ({
      line: `${start}reports/ju`,
      inZsh: `${start}reports/junit.xml `,
      inFish: [`${start.replace('run --reporter ', '').replace('run ', '')}reports/junit.xml`],
    })),
    {
      line: 'run -- svc-conf',
      inZsh: 'run -- svc-conformance ',
      inFish: ['svc-conformance\tcommand'],
    },
    { line: 'run -- cat rep', inZsh: 'run -- cat reports/', inFish: ['reports/'] },
  ],
  3,
);

/** Presses Tab after each line of the file `lines`, and writes the completed lines to the file `completed`. */
const PRESS_TAB = `
press_tab() {
  for BUFFER in "\${(@f)$(<lines)}"; do
    CURSOR=$#BUFFER
    zle complete-word
    print -r -- "$BUFFER"
  done >completed
  exit
}
zle -N zle-line-init press_tab
`;

testIn('zsh', async () => {
  const script = await scriptFor('zsh');
  const lines = COMPLETED.map(({ line }) => `svc-conformance ${line}`).join('\n');
  writeFileSync(join(bin, 'lines'), lines);
  writeFileSync(
    join(bin, '.zshrc'),
    `autoload -Uz compinit; compinit -u -D\n${script}${PRESS_TAB}`,
  );
  // zsh completes only on a terminal; the loop reads from it until the shell ends.
  const terminal = 'zpty shell "zsh -o NO_GLOBAL_RCS -i"; while zpty -r shell line; do :; done';
  linesFrom('zsh', `zmodload zsh/zpty; ${terminal}`);
  expect(readFileSync(join(bin, 'completed'), 'utf8').replace(/\n$/, '').split('\n')).toEqual(
    COMPLETED.map(({ inZsh }) => `svc-conformance ${inZsh}`),
  );
});

testIn('fish', async () => {
  writeFileSync(join(bin, 'script.fish'), await scriptFor('fish'));
  for (const { line, inFish } of COMPLETED) {
    const command = `source script.fish; complete -C 'svc-conformance ${line}'`;
    expect(linesFrom('fish', command), line).toEqual(inFish);
  }
});
