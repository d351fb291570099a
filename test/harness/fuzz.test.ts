import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { packagePath } from '../../harness/suite/package-root.ts';
import { type Finding, findingsIn } from './findings.ts';
import { program } from './trial.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CLI = packagePath('dist/bin/svc-conformance.cjs');
const REFERENCE = [process.execPath, packagePath('dist/bin/reference-adapter.cjs')];

/** Whatever takes longer hangs; in milliseconds. */
const HARD_LIMIT = 600_000;

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly findings: readonly Finding[];
}

/** Runs the compiled command line; no process and no file of its own is left. */
async function svcConformance(
  parameters: readonly string[],
  meanwhile: (cli: ChildProcess, record: () => string) => void = () => {},
): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-fuzz-'));
  const record = join(folder, 'record');
  writeFileSync(record, '');
  try {
    const cli = spawn(process.execPath, [CLI, ...parameters], {
      cwd: ROOT,
      env: { ...process.env, FORCE_COLOR: '0', RECORD: record, TMPDIR: folder, TEMP: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: HARD_LIMIT,
      killSignal: 'SIGKILL',
    });
    const texts = { stdout: '', stderr: '' };
    cli.stdout.setEncoding('utf8').on('data', (text: string) => (texts.stdout += text));
    cli.stderr.setEncoding('utf8').on('data', (text: string) => (texts.stderr += text));
    meanwhile(cli, () => readFileSync(record, 'utf8'));
    const code = await new Promise<number | null>((resolve) => cli.once('close', resolve));
    expect(readdirSync(folder)).toEqual(['record']);
    return { code, ...texts, findings: findingsIn(texts.stdout) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function fuzz(command: readonly string[], ...options: readonly string[]): Promise<Ended> {
  return svcConformance(['fuzz', '--seed', '1', ...options, '--', ...command]);
}

test.concurrent('the reference shows nothing', async () => {
  const { code, stdout, stderr } = await fuzz(REFERENCE, '--runs', '2000');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/ requests about 18 operations · \d+ questions · 0 findings\n$/);
});

test.concurrent('the reference shows nothing in the words of another deployment', async () => {
  const { code, stderr } = await fuzz(REFERENCE, '--runs', '500', '--dialect', 'ucloud');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

/** What is planted, where it shows first, the known mistake that it is, and how small its request gets. */
const PLANTED: readonly (readonly [
  planted: string,
  operation: string,
  cause: string,
  input: Readonly<Record<string, unknown>>,
])[] = [
  [
    'joins-with-comma-and-space',
    'authorization',
    'headers-merged-by-comma-space',
    { method: 'GET', key: '', headers: [expect.anything(), expect.anything()] },
  ],
  [
    'sorts-by-utf-16',
    'action-signature',
    'parameters-sorted-by-utf-16',
    { parameters: [expect.anything(), expect.anything(), expect.anything(), expect.anything()] },
  ],
  [
    'sorts-ignoring-case',
    'action-signature',
    'parameters-sorted-ignoring-case',
    { parameters: expect.anything() },
  ],
  [
    'encodes-the-key',
    'authorization',
    'resource-encoded',
    { method: 'GET', key: expect.stringMatching(/^.{1,2}$/u), headers: [] },
  ],
  [
    'writes-numbers-as-javascript',
    'action-signature',
    'number-javascript',
    { parameters: [expect.anything(), expect.anything(), expect.anything()] },
  ],
  ['escapes-spaces-as-plus', 'url-encode', 'escape-space-as-plus', { text: ' ' }],
  [
    'trims-in-unicode',
    'authorization',
    'blanks-trimmed-in-unicode',
    { method: 'GET', key: '', headers: [expect.anything()] },
  ],
  ['cuts-long-keys', 'authorization', 'hmac-long-key-cut', { method: 'GET', key: '', headers: [] }],
  [
    'accepts-any-signature',
    'verify-authorization',
    'verify-any-signature',
    { method: 'GET', key: '', headers: [expect.anything()] },
  ],
];

test.concurrent.each(PLANTED)(
  '%s is found as its cause, shrunk to almost nothing',
  async (planted, operation, cause, input) => {
    const { code, stderr, findings } = await fuzz(program('swaps-a-step', '64', planted));
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    const [first] = findings;
    expect(first).toMatchObject({ operation, causes: [cause], vector: { input } });
    expect(first?.text).toContain('right beside it: the same ');
    expect(new Set(findings.flatMap(({ causes }) => causes))).toEqual(new Set([cause]));
    // No operation shows one cause twice.
    const shown = findings.map((finding) => `${finding.operation} ${finding.causes}`);
    expect(new Set(shown).size).toBe(shown.length);
  },
);

test.concurrent('two mistakes of one adapter are two findings', async () => {
  const { findings } = await fuzz(
    program('swaps-a-step', '64', 'joins-with-comma-and-space,encodes-the-key'),
    '--operation',
    'authorization',
  );
  expect(findings.flatMap(({ causes }) => causes).sort()).toEqual([
    'headers-merged-by-comma-space',
    'resource-encoded',
  ]);
});

test.concurrent('a mistake that is not known is reported with what is right beside it', async () => {
  const { code, findings } = await fuzz(
    program('swaps-a-step', '64', 'signs-every-other-character-first'),
    '--operation',
    'authorization',
  );
  expect(code).toBe(1);
  expect(findings).toHaveLength(1);
  expect(findings[0]).toMatchObject({
    causes: [],
    vector: { input: { key: expect.stringMatching(/^.{3}$/u), headers: [] } },
  });
  expect(findings[0]?.text).toContain('unexplained: no known mistake gives this answer');
  expect(findings[0]?.text).toMatch(/right beside it: the same with/);
});

test.concurrent('a crash is a finding with the question that it is over', async () => {
  const { code, findings } = await fuzz(
    program('crashes-over-a-plus', '64'),
    ...['--operation', 'url-encode', '--runs', '300'],
  );
  expect(code).toBe(1);
  expect(findings).toHaveLength(1);
  expect(findings[0]).toMatchObject({ status: 'CRASHED', vector: { input: { text: '+' } } });
  expect(findings[0]?.text).toContain('SignError: it was in the text');
});

test.concurrent('a hang is a finding, and other operations are tried all the same', async () => {
  const { code, findings, stdout } = await fuzz(
    program('hangs-over-a-plus', '64'),
    ...['--operation', 'url-encode', '--operation', 'policy', '--runs', '200', '--timeout', '0.4'],
  );
  expect(code).toBe(1);
  expect(findings).toHaveLength(1);
  expect(findings[0]).toMatchObject({ status: 'TIMEOUT', vector: { input: { text: '+' } } });
  expect(stdout).toContain('about 2 operations');
});

test.concurrent('an answer that does not come again is reported as such', async () => {
  const { code, findings } = await fuzz(program('errs-once'), '--operation', 'url-encode');
  expect(code).toBe(1);
  expect(findings[0]?.text).toContain('asked again, it was answered rightly');
});

test.concurrent('the command line of a finding gives the same finding', async () => {
  const command = program('swaps-a-step', '64', 'joins-with-comma-and-space');
  const { findings } = await fuzz(command, '--operation', 'authorization', '--runs', '100');
  const [first] = findings;
  const again = await svcConformance(first?.again ?? []);
  expect(again.code).toBe(1);
  expect(again.findings[0]?.vector).toEqual(first?.vector);
  expect(again.findings[0]?.again).toEqual(first?.again);
});

test.concurrent('the same seed gives the same report', async () => {
  const command = program('swaps-a-step', '64', 'encodes-the-key');
  const [one, other] = await Promise.all([
    fuzz(command, '--operation', 'authorization'),
    fuzz(command, '--operation', 'authorization'),
  ]);
  expect(other.stdout).toBe(one.stdout);
});

test.concurrent('a vector of a report is well-formed in a file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-fuzz-vectors-'));
  try {
    const { stdout } = await fuzz(
      program('swaps-a-step', '64', 'accepts-any-signature'),
      ...['--operation', 'verify-presigned-url'],
    );
    const yaml = [...(stdout.match(/^ {4}.*$/gm) ?? [])].filter(
      (line) => !line.trim().startsWith('^'),
    );
    await mkdir(join(folder, 'verify-presigned-url'));
    await writeFile(
      join(folder, 'verify-presigned-url', 'found.yaml'),
      `operation: verify-presigned-url\nvectors:\n${yaml.join('\n')}\n`,
    );
    writeFileSync(
      join(folder, 'rules.yaml'),
      readFileSync(packagePath('vectors/rules.yaml'), 'utf8'),
    );
    const { code, stdout: checked, stderr } = await svcConformance(['vectors', 'check', folder]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(checked).toContain('1 vectors (1 must be refused)');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.concurrent('a run without a number of requests ends with its time', async () => {
  const { code } = await fuzz(REFERENCE, '--time', '2');
  expect(code).toBe(0);
});

const posix = process.platform === 'win32' ? test.skip : test.concurrent;

posix('what was found by an interruption is shown', async () => {
  const command = program('swaps-a-step', '64', 'escapes-spaces-as-plus');
  const { code, stdout, stderr } = await svcConformance(
    ['fuzz', '--seed', '1', '--time', '60', '--', ...command],
    (cli) => {
      cli.stdout?.on('data', (text: string) => {
        if (text.includes('FOUND')) cli.kill('SIGINT');
      });
    },
  );
  expect({ code, stderr }).toEqual({ code: 5, stderr: '' });
  expect(stdout).toContain('cause escape-space-as-plus');
  expect(stdout).toMatch(/aborted: the run was interrupted\n$/);
});

test.concurrent.each([
  ['crashes-before-hello'],
  ['crashes-over-everything'],
  ['has-no-operation', '1', 'everything'],
] as const)('one that %s never worked, which is no finding', async (name, ...parameters) => {
  const { code, stdout } = await fuzz(program(name, ...parameters));
  expect(code).toBe(4);
  expect(stdout).toContain('the adapter never worked');
});

test.concurrent('an operation that is not offered cannot be asked about', async () => {
  const { code, stderr } = await fuzz(program('offers-url-encode'), '--operation', 'etag');
  expect(code).toBe(2);
  expect(stderr).toContain('the adapter has no etag; it has url-encode');
});

test.concurrent.each([
  [['fuzz'], 'write svc-conformance fuzz'],
  [['fuzz', '--', 'a'], undefined],
  [['fuzz', '--operation', 'authorisation', '--', 'a'], 'did you mean authorization?'],
  [['fuzz', '--path', '1', '--', 'a'], '--path needs the --seed'],
  [['fuzz', '--seed', '1.5', '--', 'a'], '--seed "1.5" is not a seed'],
  [['fuzz', '--runs', '0', '--', 'a'], '--runs 0 is not a count'],
  [['fuzz', '--sede', '1', '--', 'a'], 'did you mean --seed?'],
  [['fuzz', '--dialect', 'none', '--', 'a'], 'is not a dialect'],
] as const)('%j is told what is wrong', async (parameters, message) => {
  const { code, stderr } = await svcConformance(parameters);
  expect(code).toBe(message === undefined ? 4 : 2);
  if (message !== undefined) expect(stderr).toContain(message);
});
