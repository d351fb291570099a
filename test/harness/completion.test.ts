import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROGRAM, svcConformance } from './svc-conformance.ts';

/** A folder with the program by its name, as npm installs it. */
const bin = mkdtempSync(join(tmpdir(), 'svc-completion-'));
afterAll(() => rmSync(bin, { recursive: true }));

beforeAll(() => {
  const path = join(bin, 'svc-conformance');
  writeFileSync(path, `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`);
  chmodSync(path, 0o755);
});

async function scriptFor(shell: string): Promise<string> {
  const { code, stdout } = await svcConformance(['completion', shell]);
  expect(code).toBe(0);
  return stdout;
}

function runShell(shell: string, ...parameters: readonly string[]) {
  const PATH = `${bin}${delimiter}${process.env['PATH']}`;
  return spawnSync(shell, parameters, { encoding: 'utf8', env: { ...process.env, PATH } });
}

const lacks = (shell: string): boolean => runShell(shell, '-c', 'exit 0').status !== 0;

test('words prints the candidates for the last word', async () => {
  const { code, stdout } = await svcConformance(['completion', 'words', '--', 'run', '--st']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '--start-timeout\n' });
});

test('without a shell, the error names all', async () => {
  const { code, stderr } = await svcConformance(['completion']);
  expect(code).toBe(2);
  expect(stderr).toContain('write svc-conformance completion bash, or zsh, or fish');
});

test.skipIf(lacks('bash'))('bash completes verbs, options and values by the script', async () => {
  const script = await scriptFor('bash');
  const completedBy = (...words: readonly string[]): readonly string[] => {
    const line = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _svc_conformance "$1"; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = runShell('bash', '-c', `${script}\n${line}`, 'bash', ...words);
    expect(stderr).toBe('');
    return stdout.trim().split('\n');
  };
  expect(completedBy('svc-conformance', 'ex')).toEqual(['export', 'explain']);
  expect(completedBy('svc-conformance', 'run', '--ti')).toEqual(['--timeout', '--time-limit']);
  expect(completedBy('svc-conformance', 'run', '--level', '=', 'o')).toEqual(['observed', 'open']);
  expect(completedBy('svc-conformance', 'run', '--', 'pyth')).toEqual(['']);
});

for (const shell of ['zsh', 'fish']) {
  test.skipIf(lacks(shell))(`${shell} parses the script`, async () => {
    const { status, stderr } = runShell(shell, '-n', '-c', await scriptFor(shell));
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
}
