/**
 * The tests that `init` writes for pytest, `go test` and JUnit 5: one for each vector.
 *
 * @module
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { kitsWithTemplate } from '../../dist/harness/cli/init/project.js';
import { isInstalled, notFoundMessage } from '../../dist/harness/respondents/adapter/manifest.js';
import { packageVersion } from '../../dist/harness/suite/package-root.js';
import { RUNS } from '../amount.ts';
import { PROGRAM, svcConformance } from './svc-conformance.ts';

/** How a test ended, by its name. */
type Results = ReadonlyMap<string, { readonly status: string; readonly text: string }>;

interface TestKit {
  readonly command: readonly string[];
  /** Takes as long as a compiler. */
  readonly compiles?: true;
  /** Why it cannot run here. */
  readonly lacking: () => string | undefined;
  /** The sources of the complete implementation, which replace those of the template. */
  readonly sources: RegExp;
  /** Plants the mistake of merging headers with a comma and a space. */
  readonly mistake: readonly [file: string, right: string, wrong: string];
  readonly results: (stdout: string) => Results;
}

const lackingTool = (tool: string) => () =>
  isInstalled(tool, '.') ? undefined : notFoundMessage(tool);

/** Maven loads it from a network once. */
const JUNIT = join(homedir(), '.m2/repository/org/junit/jupiter/junit-jupiter');

const KITS: Readonly<Record<string, TestKit>> = {
  go: {
    command: ['go', 'test', '-json'],
    compiles: true,
    lacking: lackingTool('go'),
    sources: /\.go$/,
    mistake: ['files.go', '"," + header[1]', '", " + header[1]'],
    results: readGoTest,
  },
  java: {
    command: ['mvn', '--offline', '--batch-mode', 'test'],
    compiles: true,
    lacking: () => lackingTool('mvn')() ?? lackingJunit(),
    sources: /\.java$/,
    mistake: ['Headers.java', 'String.join(",", entry', 'String.join(", ", entry'],
    results: () => readXml(readFileSync(join(here, SUREFIRE), 'utf8')),
  },
  python: {
    command: ['pytest', '-p', 'no:cacheprovider', '--junitxml=results.xml'],
    lacking: lackingTool('pytest'),
    sources: /\.py$/,
    mistake: ['signing.py', '",".join(merged[name])', '", ".join(merged[name])'],
    results: () => readXml(readFileSync(join(here, 'results.xml'), 'utf8')),
  },
};

const SUREFIRE = 'target/surefire-reports/TEST-ConformanceTest.xml';

function lackingJunit(): string | undefined {
  try {
    return readdirSync(JUNIT).length > 0 ? undefined : 'JUnit 5 is not in ~/.m2';
  } catch {
    return 'JUnit 5 is not in ~/.m2; run mvn test in a project of init java once';
  }
}

/** The events of `go test -json`; the last one of a test says how it ended. */
function readGoTest(stdout: string): Results {
  const results = new Map<string, { status: string; text: string }>();
  for (const line of stdout.split('\n').filter((each) => each.startsWith('{'))) {
    const { Action: action, Test: name = '', Output: output = '' } = JSON.parse(line);
    const short = name.replace(/^TestConformance\/?/, '');
    if (short === '') continue;
    const { text = '' } = results.get(short) ?? {};
    results.set(short, { status: STATUSES[action] ?? '', text: text + output });
  }
  return results;
}

const STATUSES: Readonly<Record<string, string>> = {
  pass: 'passed',
  fail: 'failed',
  skip: 'skipped',
};

/** The results in JUnit XML, with the names as the frameworks write them. */
function readXml(xml: string): Results {
  const cases = xml.matchAll(/<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g);
  return new Map(
    [...cases].map(([, attributes = '', inside = '']) => {
      const name = /\bname="([^"]*)"/.exec(attributes)?.[1] ?? '';
      const [, kind = ''] = /<(failure|error|skipped)\b/.exec(inside) ?? [];
      const status = kind === '' ? 'passed' : kind === 'skipped' ? 'skipped' : 'failed';
      return [name.replace(/^vectors\(\) |^test_vector\[|\]$/g, ''), { status, text: inside }];
    }),
  );
}

/** A project with a new adapter. */
let here: string;

beforeEach(async () => {
  here = realpathSync(mkdtempSync(join(tmpdir(), 'svc-kit-tests-')));
});

afterEach(() => rmSync(here, { recursive: true, force: true }));

/** Runs the framework in the project. */
function runTests({ command, results }: TestKit, program: string) {
  const [name = '', ...parameters] = command;
  const { FORCE_COLOR: _, ...inherited } = process.env;
  const ended = spawnSync(name, parameters, {
    cwd: here,
    encoding: 'utf8',
    env: { ...inherited, SVC_CONFORMANCE: program },
    maxBuffer: 2 ** 28,
  });
  const output = `${ended.stdout}${ended.stderr}`;
  return { code: ended.status, output, results: () => results(ended.stdout) };
}

/** The kit of this repository in place of the template, as if all operations were filled in. */
async function beginComplete(language: string, { sources }: TestKit): Promise<void> {
  const { code } = await svcConformance(['init', language, here]);
  expect(code).toBe(0);
  const folder = kitsWithTemplate().find(({ name }) => name === language)?.folder ?? '';
  for (const file of readdirSync(folder).filter((name) => sources.test(name)))
    cpSync(join(folder, file), join(here, file));
}

/** Writes the program as one executable file, because the tests take no further parameters. */
function writeProgram(): string {
  const path = join(here, 'svc-conformance');
  const words = [process.execPath, PROGRAM].map((word) => `'${word}'`).join(' ');
  writeFileSync(path, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  return path;
}

interface OutcomeLine {
  readonly type: string;
  readonly id: string;
  readonly status: string;
  readonly level: string;
}

/** Names of forged requests, which have no lines of their own in the report; Go replaces spaces. */
const FORGED = /[ _]signed[ _]with[ _]/;

const NO_FAILURES = ['pass', 'open', 'unsupported'];

/** The ids of some statuses, as the report for programs has them. */
async function judge(): Promise<(isMeant: (status: string) => boolean) => string[]> {
  const report = join(here, 'report.jsonl');
  await svcConformance(['run', '--adapter', here, `--reporter=json-lines=${report}`]);
  const outcomes = readFileSync(report, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as OutcomeLine)
    .filter(({ type, level }) => (type === 'outcome' || type === 'fresh') && level !== 'advised');
  return (isMeant) => outcomes.flatMap(({ id, status }) => (isMeant(status) ? [id] : []));
}

const posix = process.platform === 'win32' ? test.skip : test;

test('every kit that has tests is tested here, and its template has the test file', () => {
  const kits = kitsWithTemplate().filter(({ tests }) => tests);
  expect(kits.map(({ name }) => name)).toEqual(Object.keys(KITS));
  for (const { name, folder, tests } of kits) {
    expect(readFileSync(join(folder, 'template', tests?.file ?? ''), 'utf8')).toContain('SVC_CONF');
    expect(KITS[name]?.command.join(' ')).toMatch(
      new RegExp(`^${tests?.command.split(' ')[0]}\\b`),
    );
  }
});

for (const [language, kit] of Object.entries(KITS)) {
  const lacking = kit.lacking();

  posix(
    `${language}: every vector is a test, a mistake fails its vectors with the cause, and one skipped test counts the others`,
    async ({ skip }) => {
      skip(lacking !== undefined, lacking);
      skip(kit.compiles === true && RUNS === 1, 'compilers take long: SVC_TEST_RUNS=2 runs them');
      await beginComplete(language, kit);
      const program = writeProgram();
      const right = runTests(kit, program);
      expect(right.code, right.output).toBe(0);
      expect(right.results().size).toBeGreaterThan(600);

      const [file, good, bad] = kit.mistake;
      const source = readFileSync(join(here, file), 'utf8');
      expect(source).toContain(good);
      writeFileSync(join(here, file), source.replace(good, bad));
      const wrong = runTests(kit, program);
      expect(wrong.code).not.toBe(0);
      const results = wrong.results();
      const found = (status: string) =>
        [...results].flatMap(([name, one]) => (one.status === status ? [name] : []));
      const judged = await judge();
      const failed = found('failed').filter((name) => !FORGED.test(name));
      expect(failed.sort()).toEqual(judged((status) => !NO_FAILURES.includes(status)).sort());
      expect(found('passed')).toEqual(
        expect.arrayContaining(judged((status) => status === 'pass')),
      );
      for (const name of failed.filter((id) => id.startsWith('authorization/')))
        expect(results.get(name)?.text).toContain('repeated headers are joined with');
      expect(found('skipped').length).toBe(1);
      const [skipped = ''] = found('skipped');
      expect(results.get(skipped)?.text).toContain(
        `${judged((status) => status === 'open').length} open`,
      );
    },
  );

  posix(`${language}: a run that judges nothing fails with an error message`, async ({ skip }) => {
    skip(lacking !== undefined, lacking);
    skip(kit.compiles === true && RUNS === 1, 'compilers take long: SVC_TEST_RUNS=2 runs them');
    await beginComplete(language, kit);
    const missing = runTests(kit, join(here, 'absent'));
    expect(missing.code).not.toBe(0);
    expect(missing.output).toContain('install Node 20.19 or later, or name the program svc-conf');
    const silent = runTests(kit, 'true');
    expect(silent.code).not.toBe(0);
    expect(silent.output).toContain('svc-conformance run judged 0 cases and ended with status 0: ');
  });
}

test('the tests run the version of the program that wrote them', async () => {
  for (const [language, kit] of Object.entries(KITS)) {
    expect((await svcConformance(['init', language, join(here, language)])).code).toBe(0);
    const { tests } = kitsWithTemplate().find(({ name }) => name === language) ?? {};
    const text = readFileSync(join(here, language, tests?.file ?? ''), 'utf8');
    expect(text).toContain(`"svc-conformance@${packageVersion()}"`);
    const readme = readFileSync(join(here, language, 'README.md'), 'utf8');
    expect(readme).toContain(`\`${tests?.command}\` runs every vector as a test of its own`);
    expect(kit.command[0]).toBe(tests?.command.split(' ')[0]);
  }
});
