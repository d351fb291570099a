import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { kitsWithTemplate } from '../../dist/harness/cli/init/project.js';
import { findMissingTool } from '../../dist/harness/respondents/adapter/build.js';
import { MANIFEST, resolveManifest } from '../../dist/harness/respondents/adapter/manifest.js';
import { bundledSuite } from '../../dist/harness/suite/bundle.js';
import { packageVersion } from '../../dist/harness/suite/package-root.js';
import { RUNS, someOf } from '../amount.ts';
import { ROOT } from '../root.ts';
import { folderOfTest } from '../temporary-folder.ts';
import { linesIn } from './report-lines.ts';
import { PROGRAM, svcConformance, unwrapped } from './svc-conformance.ts';

/** A module of the kit's own implementation, because no crate is available without a network. */
const ofRustKit = (module: string): string =>
  `#[allow(dead_code)] #[path = ${JSON.stringify(join(ROOT, 'adapters/rust/src/operations', `${module}.rs`))}] mod ${module};`;

/** By kit: the SDK in `init/`, the code for the marked line, and code for the start of the file. */
const FILLED_IN: Readonly<Record<string, readonly [sdk: string, call: string, start?: string]>> = {
  bash: ['sdk.sh', 'source "$(dirname "$BASH_SOURCE")/sdk.sh"; sdk_authorization'],
  c: [
    'sdk.c',
    'kit_text value; return sdk_authorization(q, &value) && (kit_add_line(&q->answer, KIT_TEXT("result.authorization"), value), true);',
    '#include "operations.h"\nbool sdk_authorization(kit_question *, kit_text *);\n',
  ],
  cpp: [
    'sdk.cpp',
    'reply.result("authorization", sdkAuthorization(question));',
    '#include "operations.hpp"\nstd::string sdkAuthorization(kit::Question&);\n',
  ],
  go: [
    'sdk.go',
    'value, err := sign(in, keys, words); return stages{"authorization": value}, nil, err',
  ],
  java: ['Sdk.java', 'return new Answer().result("authorization", Sdk.authorization(question));'],
  node: [
    'sdk.mjs',
    `return import('./sdk.mjs').then((sdk) => ({ result: { authorization: sdk.authorization(input, keys, dialect) } }));`,
  ],
  php: [
    'sdk.php',
    `require_once __DIR__ . '/sdk.php'; return ['result' => ['authorization' => sdkAuthorization($input, $this->keys, $this->dialect)]];`,
  ],
  python: [
    'sdk.py',
    'import sdk; return {"authorization": sdk.authorization(given, keys, dialect)}, {}',
  ],
  ruby: [
    'sdk.rb',
    'require_relative "sdk"; { result: { authorization: Sdk.authorization(method, bucket, key, headers, [@public_key, @private_key], @scheme, @header_prefix) } }',
  ],
  rust: [
    'sdk.rs',
    `#[path = "../sdk.rs"] mod sdk; ${ofRustKit('sha1')} ${ofRustKit('text')} Ok(Answer { result: vec![("authorization", sdk::authorization(question, sha1::hmac_sha1, text::base64)?)], trace: vec![] })`,
  ],
};

const WHY = 'the SDK has no DELETE';

/** The code before that call, for an SDK that cannot express a method. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  bash: `[[ \${Message[input.method]} != DELETE ]] || { unsupported '${WHY}'; return; }`,
  c: `if (kit_same(kit_text_at(q->asked, "input.method"), KIT_TEXT("DELETE"))) return kit_unsupported(&q->by, "${WHY}");`,
  cpp: `if (Message(question.asked).text("input.method") == "DELETE") throw Unsupported("${WHY}");`,
  go: `if in.Method == "DELETE" { return nil, nil, unsupported("${WHY}") }`,
  java: `if (question.text("method").equals("DELETE")) return Answer.unsupported("${WHY}");`,
  node: `if (input.method === 'DELETE') throw new Unsupported('${WHY}');`,
  php: `if ($input['method'] === 'DELETE') throw new Unsupported('${WHY}');`,
  python: `if given["method"] == "DELETE": raise Unsupported("${WHY}")`,
  ruby: `raise Unsupported, "${WHY}" if method == "DELETE"`,
  rust: `if question.text("method")? == "DELETE" { return Err(Failure::Unsupported("${WHY}".into())); }`,
};

/** The kits whose errors name the file and the line of what was thrown. */
const PLACED = ['go', 'java', 'node', 'php', 'python', 'ruby', 'rust'];

const MARKED = /^.*fill in authorization\(\) in .*$/m;

/** An empty folder, in which the commands run. */
let here: string;

beforeEach(() => {
  here = folderOfTest();
});

const inProject = (...path: string[]): string => join(here, 'my adapter', ...path);

/** Runs a command line as it was printed, or the program with these parameters. */
function ran(command: string | readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const { FORCE_COLOR: _, ...inherited } = process.env;
  const options = { cwd: here, encoding: 'utf8', env: { ...inherited, ...environment } } as const;
  const { status, stdout, stderr } =
    typeof command === 'string'
      ? spawnSync(command, { ...options, shell: true })
      : spawnSync(process.execPath, [PROGRAM, ...command], options);
  return { code: status, text: unwrapped(stdout), stdout, stderr };
}

/** Runs the program without a process of its own. */
async function called(...parameters: readonly string[]) {
  const before = process.cwd();
  process.chdir(here);
  try {
    const ended = await svcConformance(parameters);
    return { ...ended, text: unwrapped(ended.stdout) };
  } finally {
    process.chdir(before);
  }
}

/** Runs `init`, and adds the command that it prints. */
async function begun(language: string, folder = 'my adapter') {
  const init = await called('init', language, folder);
  const [, words = ''] = /^ {2}svc-conformance (run .*)$/m.exec(init.stdout) ?? [];
  return { ...init, command: `"${process.execPath}" "${PROGRAM}" ${words}` };
}

function fillIn(kit: string, file: string): void {
  const [sdk, call, start = ''] = FILLED_IN[kit] ?? ['', ''];
  const path = inProject(file);
  const unfilled = readFileSync(path, 'utf8');
  const indent = /^\s*/.exec(MARKED.exec(unfilled)?.[0] ?? '')?.[0] ?? '';
  const lines = [UNSUPPORTED[kit], call].map((line) => `${indent}${line}`).join('\n');
  writeFileSync(path, start + unfilled.replace(MARKED, () => lines));
  cpSync(join(ROOT, 'test/harness/init', sdk), inProject(sdk));
  // A build that lists its sources must list the SDK, too.
  const manifest = readFileSync(inProject(MANIFEST), 'utf8');
  writeFileSync(inProject(MANIFEST), manifest.replace(`"${file}"`, `"${file}", "${sdk}"`));
}

/** The vectors about the operation that can pass, and those of the method that is not supported. */
const JUDGED = bundledSuite().vectors.filter(
  ({ operation, level }) => operation === 'authorization' && level !== 'open',
);
const DELETIONS = JUDGED.filter(
  ({ input, control }) => (control?.input ?? input)['method'] === 'DELETE',
);

test('every kit with a template is tested here', () => {
  expect(kitsWithTemplate().map(({ name }) => name)).toEqual(Object.keys(FILLED_IN));
});

/** The kits whose interpreters start or work slowly. */
const SLOW = ['bash', 'php', 'ruby'];

/** A guard against hangs, for two verdicts with a build each; in milliseconds. */
const TWO_VERDICTS = 1_800_000;

for (const { name, folder, fillIn: file } of kitsWithTemplate()) {
  const manifest = JSON.parse(readFileSync(join(folder, 'template', MANIFEST), 'utf8'));
  const lacking = findMissingTool(resolveManifest(folder, false, manifest));

  test(
    `${name}: init and run give a verdict, one function makes the run pass, and inexpressible inputs are unsupported`,
    async ({ skip }) => {
      skip(lacking !== undefined, lacking);
      skip('build' in manifest && RUNS === 1, 'compilers take long: SVC_TEST_RUNS=2 runs them');
      skip(SLOW.includes(name) && RUNS === 1, 'this kit takes long: SVC_TEST_RUNS=2 runs it');
      const { code, command } = await begun(name);
      expect(code).toBe(0);
      expect(command).toContain(' run --adapter ');

      const first = ran(command);
      expect(first.text, first.stderr).toContain(`fill in authorization() in ${file}`);
      if (PLACED.includes(name)) expect(first.text).toMatch(new RegExp(`${file}:[0-9]+[:)]`));
      expect(first.text).toMatch(/an adapter never worked$/);
      expect(first.code).toBe(4);

      fillIn(name, file);
      const report = inProject('report.jsonl');
      const reporters = `--reporter terminal --reporter "json-lines=${report}"`;
      const second = ran(command.replace(' run ', ` run ${reporters} `));
      expect(second.text, second.stderr).toMatch(/all as expected(?: in \d+ of \d+ vectors)?$/);
      expect(second.stderr, 'no warning about the sources of the SDK').not.toContain('warning:');
      expect(second.code).toBe(0);
      // The questions on fresh data repeat some of them.
      const counts = second.stdout.matchAll(/^ *(?:must|observed|advised) +([0-9]+) pass/gm);
      const passes = [...counts].map(([, count]) => Number(count));
      expect(passes.reduce((a, b) => a + b)).toBe(JUDGED.length - DELETIONS.length);
      const lines = linesIn(readFileSync(report, 'utf8'));
      const unsupported = lines.filter(({ message }) => message === WHY);
      expect(unsupported.map(({ id }) => id)).toEqual(DELETIONS.map(({ id }) => id));
      expect(unsupported.length).toBeGreaterThan(0);
    },
    TWO_VERDICTS,
  );
}

test('init overwrites no existing file, and then writes nothing', async () => {
  mkdirSync(inProject());
  writeFileSync(inProject('README.md'), 'mine');
  const { code, stderr } = await begun('node');
  expect(stderr).toMatch(
    /^svc-conformance: README\.md already exists in .*my adapter, and init overwrites nothing; name an empty or a new folder\n$/,
  );
  expect(code).toBe(2);
  expect(readdirSync(inProject())).toEqual(['README.md']);
});

test('init in the current folder prints a command that runs there', async () => {
  const { command, stdout } = await begun('node', '.');
  expect(command).toMatch(/ run --adapter \.$/);
  expect(stdout).not.toContain('move .github');
  expect(ran(command).text).toContain('fill in authorization() in signing.mjs');
});

test('a folder that cannot be created is reported', async () => {
  writeFileSync(inProject(), 'a file');
  const { code, stderr } = await begun('node', join('my adapter', 'below'));
  expect(stderr).toMatch(/^svc-conformance: the adapter cannot be written into .*name another/);
  expect(code).toBe(2);
});

test('init names the nearest kit and all kits for a language without one, and knows other names of a language', async () => {
  const wrong = await called('init', 'pyhton');
  expect(wrong.stderr).toMatch(/^svc-conformance: there is no kit for "pyhton"; did you mean py/);
  expect(wrong.stderr).toContain(`there are ${Object.keys(FILLED_IN).join(', ')}\n`);
  expect((await called('init', 'qqq')).stderr).toContain('for "qqq"; there are bash, c, ');
  const bare = await called('init');
  expect(bare.stderr).toContain(
    'write svc-conformance init [--dialect NAME] [--ci NAME] LANGUAGE [FOLDER]',
  );
  expect([wrong.code, bare.code]).toEqual([2, 2]);
  expect(readdirSync(here)).toEqual([]);
  expect((await begun('JavaScript')).stdout).toContain('signing.mjs');
});

test('init reports a missing toolchain, and run fails because of it', () => {
  const missing = 'was not found; install it and put it on the PATH';
  for (const language of someOf(['go', 'python'], 2)) {
    const program = language === 'go' ? 'go' : 'python3';
    const init = ran(['init', language, language], { PATH: '', Path: '' });
    expect(init.text).toContain(`It cannot run here yet: ${program} ${missing}.`);
    expect(init.code).toBe(0);
    const run = ran(['run', '--adapter', `./${language}`], { PATH: '', Path: '' });
    expect(run.text).toContain(`my-sdk not run, because ${program} ${missing}`);
    expect(run.text).toMatch(/an adapter never worked \(1 adapter not run\)$/);
    expect(run.code).toBe(4);
  }
});

test('the workflow runs the adapter from the root of the repository', async () => {
  mkdirSync(join(here, '.git'));
  const { text } = await begun('python', join('tests', 'adapter'));
  expect(text).toContain('only at the root of a repository: move .github there');
  const project = join(here, 'tests', 'adapter');
  const { jobs } = parse(
    readFileSync(join(project, '.github', 'workflows', 'conformance.yml'), 'utf8'),
  );
  const steps = jobs.conformance.steps as { readonly uses?: string; readonly run?: string }[];
  expect(steps.map(({ uses, run }) => uses ?? run)).toEqual([
    'actions/checkout@v4',
    'actions/setup-node@v4',
    'actions/setup-python@v5',
    `npx --yes svc-conformance@${packageVersion()} run --adapter ./tests/adapter`,
  ]);
  expect(readFileSync(join(project, 'README.md'), 'utf8')).toContain('--adapter ./tests/adapter');
});

test('run uses the expectations in the folder of the adapter', async () => {
  const { command } = await begun('node');
  fillIn('node', 'signing.mjs');
  const sdk = readFileSync(inProject('sdk.mjs'), 'utf8');
  writeFileSync(inProject('sdk.mjs'), sdk.replace('method.toUpperCase()', 'method'));
  expect(ran(command).code).toBe(1);
  const known = readFileSync(inProject('expectations.yaml'), 'utf8').replace(
    /\[\]\s*$/,
    '\n  - vectors: authorization/**\n    status: fail\n    reason: The SDK signs the verb as it is given.\n',
  );
  writeFileSync(inProject('expectations.yaml'), known);
  const { code, text } = ran(command);
  expect(text).toMatch(/ known failures .*all as expected$/);
  expect(code).toBe(0);
});

const COMPILED = {
  name: 'tiny',
  toolchain: 'node',
  build: ['{node}', '{dir}/compiler.cjs'],
  command: ['{node}', '{build}/adapter.cjs'],
  dialect: 'svc',
};

/** Writes an adapter in a language whose compiler is this program. */
function writeCompiled(compiler: string, manifest: object = COMPILED): void {
  mkdirSync(inProject(), { recursive: true });
  writeFileSync(inProject('adapter.json'), JSON.stringify(manifest));
  writeFileSync(inProject('compiler.cjs'), compiler);
}

const RUN = ['run', 'url-encode/**', '--adapter', './my adapter'];

test('an adapter in a compiled language is built for each run, and an old build is never run', () => {
  const reference = JSON.stringify(join(ROOT, 'dist/bin/reference-adapter.cjs'));
  writeCompiled(`require('node:fs').copyFileSync(${reference}, '.build/adapter.cjs');`);
  expect(ran(RUN).text).toMatch(/must \d\d pass .*all as expected in \d+ of \d+ vectors$/);
  writeCompiled(`throw new Error('a message of the compiler');`);
  const { code, text, stderr } = ran(RUN);
  expect(text).toMatch(/tiny not run, because the build failed, status 1 an adapter never worked/);
  expect(stderr).toContain('a message of the compiler');
  expect(code).toBe(4);
});

test('run says what is wrong if the folder has no manifest or a wrong one', async () => {
  mkdirSync(inProject());
  const without = await called(...RUN);
  expect(without.stderr).toMatch(/there is no .*adapter\.json; --adapter takes a name/);
  expect(without.code).toBe(2);
  writeCompiled('', { ...COMPILED, comand: [] });
  const wrong = await called(...RUN);
  expect(wrong.stderr).toMatch(/adapter\.json:1:[0-9]+: comand is not a member here/);
  expect(wrong.code).toBe(3);
  const bare = await called('run', '--adapter', 'my adapter');
  expect(bare.stderr).toContain('is not an adapter of this repository; write "./my');
  expect(bare.code).toBe(2);
});

test('init of an installed package prints a command with npx', () => {
  const installed = join(here, 'node_modules', 'svc-conformance');
  for (const path of [
    'package.json',
    'dist/bin',
    'dist/vectors.json',
    'dist/steps.json.br',
    'adapters/node',
  ])
    cpSync(join(ROOT, path), join(installed, path), { recursive: true });
  cpSync(join(ROOT, 'adapters/PROTOCOL.md'), join(installed, 'adapters/PROTOCOL.md'));
  cpSync(join(ROOT, 'node_modules/yaml'), join(here, 'node_modules/yaml'), { recursive: true });
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(installed, 'dist/bin/svc-conformance.cjs'), 'init', 'node', 'mine'],
    { cwd: here, encoding: 'utf8' },
  );
  expect(stdout).toMatch(/^ {2}npx svc-conformance run --adapter \.[/\\]mine$/m);
  expect(status).toBe(0);
  expect(existsSync(join(here, 'mine', 'adapter.mjs'))).toBe(true);
});

/** Words with paths, flags and texts that must not change. */
const WORDS = [
  '/usr/bin/../bin/x',
  '-L../../lib',
  '//host/share/',
  './relative/',
  '-I{dir}/../include',
  '-Wl,-rpath,{build}/lib:{dir}',
  '-DTEXT={"a": "{other}"}',
  'https://example.com//a/./b',
  '',
  '.',
];

test('placeholders of adapter.json are replaced, and every other character reaches the command as it is', () => {
  mkdirSync(inProject('$&'), { recursive: true });
  const folder = inProject('$&');
  const reference = JSON.stringify(join(ROOT, 'dist/bin/reference-adapter.cjs'));
  const recording = `require('node:fs').writeFileSync(__filename + '.json', JSON.stringify(process.argv.slice(2)));`;
  const manifest = {
    name: 'words',
    toolchain: 'node',
    build: ['{node}', './compiler.cjs', ...WORDS],
    command: ['{node}', './adapter.cjs', ...WORDS],
    dialect: 'svc',
  };
  writeFileSync(join(folder, MANIFEST), JSON.stringify(manifest));
  writeFileSync(join(folder, 'compiler.cjs'), recording);
  writeFileSync(join(folder, 'adapter.cjs'), `${recording} require(${reference});`);
  const { code, text, stderr } = ran(['run', 'url-encode/**', '--adapter', folder]);
  expect(text, stderr).toMatch(/all as expected(?: in \d+ of \d+ vectors)?$/);
  expect(code).toBe(0);
  const expected = WORDS.map((word) =>
    word.replaceAll('{dir}', () => folder).replaceAll('{build}', () => join(folder, '.build')),
  );
  for (const program of ['compiler', 'adapter'])
    expect(JSON.parse(readFileSync(join(folder, `${program}.cjs.json`), 'utf8'))).toEqual(expected);
});

// Windows does not run programs without a file extension.
test.skipIf(process.platform === 'win32')(
  'a relative path of a program in adapter.json starts at the folder of adapter.json',
  async () => {
    mkdirSync(inProject());
    const reference = JSON.stringify(join(ROOT, 'dist/bin/reference-adapter.cjs'));
    const script = `#!${process.execPath}\nrequire(${reference});\n`;
    writeFileSync(inProject('adapter'), script, { mode: 0o755 });
    const programs = ['./adapter', '../my adapter/adapter', inProject('adapter')];
    for (const program of someOf(programs, 3)) {
      const manifest = { name: 'beside', command: [program], dialect: 'svc' };
      writeFileSync(inProject(MANIFEST), JSON.stringify(manifest));
      expect((await called(...RUN)).text).toMatch(/all as expected(?: in \d+ of \d+ vectors)?$/);
    }
    const manifest = { name: 'beside', command: ['./absent'], dialect: 'svc' };
    writeFileSync(inProject(MANIFEST), JSON.stringify(manifest));
    expect((await called(...RUN)).text).toContain('beside not run, because ./absent was not found');
  },
);
