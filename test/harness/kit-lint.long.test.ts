import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type BeginningKit, kitsWithTemplate } from '../../dist/harness/cli/init/project.js';
import { findMissingTool } from '../../dist/harness/respondents/adapter/build.js';
import {
  isInstalled,
  MANIFEST,
  notFoundMessage,
  resolveManifest,
} from '../../dist/harness/respondents/adapter/manifest.js';
import { RUNS } from '../amount.ts';
import { folderOfTest } from '../temporary-folder.ts';
import { svcConformance } from './svc-conformance.ts';

/** A check that finds no problem in good sources. */
interface Lint {
  /** `{out}` is replaced by a folder for its output. */
  readonly command: readonly string[];
  /** The files of the folder that it takes; none if absent. */
  readonly files?: RegExp;
  /** It takes one file at a time. */
  readonly isSingle?: true;
  /** The program that it needs besides its own. */
  readonly needs?: string;
}

const C_WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wshadow', '-Werror', '-fsyntax-only'];

const LINTS: Readonly<Record<string, readonly Lint[]>> = {
  bash: [
    { command: ['shellcheck'], files: /\.sh$/ },
    { command: ['bash', '-n'], files: /\.sh$/, isSingle: true },
  ],
  c: [{ command: ['cc', '-std=c11', ...C_WARNINGS], files: /\.c$/ }],
  cpp: [{ command: ['g++', '-std=c++17', ...C_WARNINGS], files: /\.cpp$/ }],
  go: [{ command: ['gofmt', '-l', '.'] }, { command: ['go', 'vet', './...'] }],
  java: [{ command: ['javac', '-Xlint:all', '-Werror', '-d', '{out}'], files: /\.java$/ }],
  node: [{ command: [process.execPath, '--check'], files: /\.mjs$/, isSingle: true }],
  php: [{ command: ['php', '-l'], files: /\.php$/, isSingle: true }],
  python: [{ command: ['ruff', 'check', '--isolated', '--no-cache'], files: /\.py$/ }],
  ruby: [{ command: ['ruby', '-wc'], files: /\.rb$/, isSingle: true }],
  rust: [
    { command: ['cargo', 'fmt', '--check'], needs: 'cargo-fmt' },
    {
      command: ['cargo', 'clippy', '--quiet', '--target-dir', '{out}', '--', '-D', 'warnings'],
      needs: 'cargo-clippy',
    },
  ],
};

/** What the checks print for sources without problems. */
const NO_PROBLEMS = /^(?:No syntax errors detected in .*|Syntax OK|All checks passed!)\n/gm;

/** Why the check does not run here; undefined if it does. */
function lackingFor({ command, needs }: Lint, { folder }: BeginningKit): string | undefined {
  const manifest = JSON.parse(readFileSync(join(folder, 'template', MANIFEST), 'utf8'));
  if ('build' in manifest && RUNS === 1) return 'compilers take long: SVC_TEST_RUNS=2 runs them';
  const [program = ''] = command;
  const absent = [program, ...(needs === undefined ? [] : [needs])].find(
    (one) => !isInstalled(one, '.'),
  );
  if (absent !== undefined) return notFoundMessage(absent);
  const adapter = resolveManifest(folder, false, manifest);
  return adapter.kit && findMissingTool(adapter);
}

/** The problems that the check of a folder prints. @param out a folder for its output */
function findProblems({ command, files, isSingle }: Lint, folder: string, out: string): string {
  const [program = '', ...parameters] = command.map((word) => word.replace('{out}', out));
  const chosen = files ? readdirSync(folder).filter((name) => files.test(name)) : [];
  if (files) expect(chosen).not.toEqual([]);
  const rounds = isSingle ? chosen.map((name) => [name]) : [chosen];
  return rounds
    .map((names) => {
      const options = { cwd: folder, encoding: 'utf8' } as const;
      const { status, stdout, stderr } = spawnSync(program, [...parameters, ...names], options);
      const text = `${stdout}${stderr}`.replace(NO_PROBLEMS, '').trim();
      return status === 0 ? text : `status ${status}\n${text}`;
    })
    .join('');
}

test('every kit that init can write has its checks', () => {
  expect(Object.keys(LINTS)).toEqual(kitsWithTemplate().map(({ name }) => name));
});

for (const kit of kitsWithTemplate()) {
  for (const lint of LINTS[kit.name] ?? []) {
    const [program = '', first = ''] = lint.command;
    const words = program === process.execPath ? `node ${first}` : `${program} ${first}`.trim();
    const lacking = lackingFor(lint, kit);

    test(`${kit.name}: ${words} finds no problem in a new kit, nor in the kit of this repository`, async ({
      skip,
    }) => {
      skip(lacking !== undefined, lacking);
      const out = folderOfTest();
      const fresh = join(out, 'fresh');
      expect((await svcConformance(['init', kit.name, fresh])).code).toBe(0);
      expect(findProblems(lint, fresh, out)).toBe('');
      expect(findProblems(lint, kit.folder, out)).toBe('');
    });
  }
}
