import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { RUNS } from '../amount.ts';
import { ROOT } from '../root.ts';
import { folderOfTest } from '../temporary-folder.ts';

const BIOME = join(ROOT, 'node_modules/@biomejs/biome/bin/biome');

/** For each folder: imports that its layer must not have, and one that it may have. */
const ROWS: readonly (readonly [file: string, forbidden: readonly string[], allowed: string])[] = [
  [
    'harness/engine/judge/any.ts',
    [
      '../../suite/suite-folder.ts',
      '../../make/fuzz/trial.ts',
      '../../render/xml.ts',
      'node:fs',
      'yaml',
    ],
    '../../../reference/mistakes/index.ts',
  ],
  [
    'harness/suite/any.ts',
    ['../make/fuzz/trial.ts', '../respondents/adapter/pool.ts', '../cli/call.ts', 'fast-check'],
    '../engine/vector.ts',
  ],
  [
    'harness/make/fuzz/any.ts',
    ['../../respondents/adapter/pool.ts', '../../render/xml.ts', '../../cli/call.ts', 'node:net'],
    '../../suite/suite-folder.ts',
  ],
  [
    'harness/render/any.ts',
    [
      '../suite/suite-folder.ts',
      '../make/fuzz/trial.ts',
      '../respondents/adapter/pool.ts',
      'node:fs',
    ],
    '../engine/judge/outcome.ts',
  ],
  [
    'harness/respondents/client/any.ts',
    ['../../make/fuzz/trial.ts', '../../render/xml.ts', '../../cli/call.ts', 'fast-check'],
    '../../../reference/server/server.ts',
  ],
  [
    'reference/server/any.ts',
    ['../mistakes/index.ts', '../../harness/engine/vector.ts'],
    'node:net',
  ],
  ['reference/mistakes/any.ts', ['../server/server.ts', 'node:fs'], '../signing/index.ts'],
  ['reference/signing/any.ts', ['../mistakes/index.ts', 'node:crypto'], './bytes.ts'],
  ['adapters/reference/any.ts', ['../../harness/engine/vector.ts'], '../../reference/answers.ts'],
];

/** Type imports and dynamic imports count, too. */
const lines = (specifier: string): readonly string[] => [
  `import '${specifier}';`,
  `export type { A } from '${specifier}';`,
  `await import('${specifier}');`,
];

/** A copy of the rules in a folder of its own, with a file for each row, checked by one process. */
function reportOn(files: ReadonlyMap<string, string>): readonly string[] {
  const folder = folderOfTest();
  cpSync(join(ROOT, 'biome.json'), join(folder, 'biome.json'));
  for (const [file, text] of files) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const { stdout } = spawnSync(
    process.execPath,
    [
      BIOME,
      'lint',
      '--only=style/noRestrictedImports',
      '--max-diagnostics=none',
      '--reporter=github',
    ],
    { cwd: folder, encoding: 'utf8' },
  );
  return stdout.match(/\b(?:harness|reference|adapters)\/[\w/]+\.ts,line=\d+/g) ?? [];
}

test('each layer imports from layers below it only', () => {
  const wrong = new Map(ROWS.map(([file, forbidden]) => [file, forbidden.flatMap(lines)]));
  const found = reportOn(new Map([...wrong].map(([file, all]) => [file, `${all.join('\n')}\n`])));
  const expected = [...wrong].flatMap(([file, all]) => all.map((_, i) => `${file},line=${i + 1}`));
  expect([...found].sort()).toEqual(expected.sort());
  const right = ROWS.map(([file, , allowed]) => [file, `${lines(allowed).join('\n')}\n`] as const);
  expect(reportOn(new Map(right))).toEqual([]);
});

// `npm run check` shows the same.
test.skipIf(RUNS === 1)(
  'neither files nor folders import each other in a cycle, and the check of casts passes',
  () => {
    const house = join(ROOT, 'dist/scripts/house.js');
    const options = { cwd: ROOT, encoding: 'utf8' } as const;
    const { stdout, status } = spawnSync(process.execPath, [house, '--check'], options);
    expect(stdout).toMatch(/^casts and values of the type any: \d+$/m);
    expect(stdout.split('\n').filter((line) => line.startsWith('cycle of '))).toEqual([]);
    expect(status).toBe(0);
  },
);

/** Classes of the half of the program that only runs with failures need to load. */
const NOT_AT_START = ['Generated', 'Predictor', 'Search'].map((name) => `${name}=class`);

test('the start of the program contains no mistakes and no search for causes', () => {
  const folder = join(ROOT, 'dist/bin');
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const names = readdirSync(folder).filter((name) => name.startsWith('svc-conformance'));
  const loaded = new Set(['svc-conformance.cjs']);
  for (const name of loaded) {
    const required = read(name).matchAll(/require_\w+=require\("\.\/([^"]+)"\)/g);
    for (const [, file = ''] of required) loaded.add(file);
  }
  const start = [...loaded].map(read).join('');
  const rest = names
    .filter((name) => !loaded.has(name))
    .map(read)
    .join('');
  expect(start).toContain('function judge(');
  for (const name of NOT_AT_START) {
    expect(rest).toContain(name);
    expect(start).not.toContain(name);
  }
});
