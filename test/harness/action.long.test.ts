import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { folderOfFile } from '../temporary-folder.ts';
import { program } from './trial.ts';

interface Step {
  readonly shell: string;
  readonly run: string;
  readonly env: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<
    Record<string, { readonly required?: boolean; readonly default?: string }>
  >;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

const action = parse(readFileSync('action.yml', 'utf8')) as Action;
const folder = folderOfFile();

type Inputs = Readonly<Record<string, string>>;

/** Replaces the expressions in a text as a runner does. */
function expanded(text: string, inputs: Inputs): string {
  return text.replace(/\$\{\{ *(\S+) *\}\}/g, (_, expression: string) => {
    if (expression === 'github.action_path') return process.cwd();
    const name = expression.replace(/^inputs\./, '');
    const value = inputs[name] ?? action.inputs[name]?.default;
    if (value === undefined) throw new Error(`nobody says what ${expression} is`);
    return value;
  });
}

/** Runs a step as a runner does: the script in a file, without a profile, up to the first error. */
function ran(
  step: Step,
  script: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly code: number | null; readonly stdout: string }> {
  expect(step.shell).toBe('bash');
  writeFileSync(script, step.run);
  const shell = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 600_000,
  });
  let stdout = '';
  shell.stdout.setEncoding('utf8').on('data', (piece: string) => {
    stdout += piece;
  });
  shell.stderr.resume();
  return new Promise((resolve) => shell.once('close', (code) => resolve({ code, stdout })));
}

interface Job {
  readonly code: number | null;
  /** Of the last step. */
  readonly stdout: string;
  readonly summary: string;
  readonly output: string;
  /** The temporary folder of the job. */
  readonly home: string;
}

let jobs = 0;

/** Runs the steps of the action in order until one fails. */
async function job(inputs: Inputs): Promise<Job> {
  const home = join(folder, `${++jobs}`);
  mkdirSync(home);
  const [summary, output] = [join(home, 'summary.md'), join(home, 'output')];
  let code: number | null = 0;
  let stdout = '';
  for (const [i, step] of action.runs.steps.entries()) {
    const own = Object.entries(step.env).map(([name, text]) => [name, expanded(text, inputs)]);
    ({ code, stdout } = await ran(step, join(home, `${i}.sh`), {
      ...process.env,
      RUNNER_TEMP: home,
      GITHUB_STEP_SUMMARY: summary,
      GITHUB_OUTPUT: output,
      // The file in which the test programs record what they do.
      RECORD: join(home, 'record'),
      ...Object.fromEntries(own),
    }));
    if (code !== 0) break;
  }
  const read = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');
  return { code, stdout, summary: read(summary), output: read(output), home };
}

function lines(words: readonly string[]): string {
  return words.join('\n');
}

const SMALL = lines(['--vectors', 'test/harness/vectors']);
const posix = process.platform === 'win32' ? test.skip : test;

test('no script of the action contains an expression', () => {
  expect(action.runs.using).toBe('composite');
  expect(action.runs.steps.length).toBeGreaterThan(1);
  for (const { run } of action.runs.steps) expect(run).not.toContain('${{');
});

posix('a correct adapter passes', async () => {
  const { code, summary, output } = await job({ command: lines(program('makes-mistakes')) });
  expect({ code, output }).toEqual({ code: 0, output: 'exit-code=0\n' });
  expect(summary).toContain('**all as expected');
  expect(summary).toMatch(/^\| must \| [0-9]+ pass \|$/m);
});

posix('the summary names the mistake of a wrong adapter', async () => {
  const command = JSON.stringify(program('makes-mistakes', 'folds-kept'));
  const { code, summary, output } = await job({ command, options: 'authorization' });
  expect({ code, output }).toEqual({ code: 1, output: 'exit-code=1\n' });
  expect(summary).toContain('**conformance failures: ');
  expect(summary).toMatch(
    /^- \*\*folds-kept\*\* \(.*\): a folded value is signed with its line breaks\./m,
  );
});

posix('an adapter that crashes on a question fails', async () => {
  const command = lines(program('crashes-over-poison'));
  const { code, summary } = await job({ command, options: SMALL });
  expect(code).toBe(1);
  expect(summary).toContain('crashed url-encode/words/poison');
});

posix('a run that is killed by a signal gives no verdict on the adapter', async () => {
  const { code } = await job({ command: program('kills-its-parent').join('\n') });
  expect(code).toBe(5);
});

posix('an adapter that crashes at start is reported as "never worked"', async () => {
  const { code, summary } = await job({ command: lines(program('crashes-before-hello')) });
  expect(code).toBe(4);
  expect(summary).toContain('**an adapter never worked**');
});

posix('an adapter that hangs at start is stopped after the start timeout', async () => {
  const command = lines(program('is-silent'));
  const { code, summary } = await job({ command, options: lines(['--start-timeout', '1']) });
  expect(code).toBe(4);
  expect(summary).toContain('**an adapter never worked**');
});

posix('an adapter that hangs on a question is stopped after the timeout', async () => {
  const command = lines(program('hangs-over-poison'));
  const options = lines([SMALL, '--timeout', '1']);
  const { code, summary } = await job({ command, options });
  expect(code).toBe(1);
  expect(summary).toContain('timeout url-encode/words/poison');
});

posix('known failures pass, and JUnit XML is written to the given file', async () => {
  const expectations = join(folder, 'known.yaml');
  writeFileSync(
    expectations,
    'expectations:\n  - { vectors: url-encode/words/poison, status: crashed, reason: Known. }\n',
  );
  const junit = join(folder, 'junit.xml');
  const { code, summary } = await job({
    command: lines(program('crashes-over-poison')),
    options: SMALL,
    expectations,
    junit,
  });
  expect(code).toBe(0);
  expect(summary).toContain('1 known failure');
  expect(readFileSync(junit, 'utf8')).toContain('message="known failure: Known."');
});

posix('the folder of an adapter replaces a command; both together are refused', async () => {
  const { code, summary } = await job({ adapter: './adapters/node', options: SMALL });
  expect({ code, summary }).toMatchObject({ code: 0, summary: expect.stringContaining('12') });
  const both = await job({ adapter: './adapters/node', command: 'true' });
  expect(both.code).toBe(2);
});

posix('a shard writes its report, and failures become annotations', async () => {
  const command = JSON.stringify(program('makes-mistakes', 'folds-kept'));
  const report = join(folder, 'shard.jsonl');
  const inputs = { command, report, options: 'authorization', shard: '2/2', annotations: 'true' };
  const { code, stdout } = await job(inputs);
  expect(code).toBe(1);
  const [header] = readFileSync(report, 'utf8').split('\n');
  expect(JSON.parse(header ?? '')).toMatchObject({ shard: { index: 2, count: 2 } });
  expect(stdout).toMatch(/^::error .*folds-kept/m);
  const without = await job({ ...inputs, annotations: 'false' });
  expect(without.stdout).not.toContain('::error');
  const other = await job({ ...inputs, annotations: 'yes' });
  expect(other.code).toBe(2);
});

posix('no shell executes the inputs', async () => {
  const planted = join(folder, 'planted');
  const evil = `$(touch ${planted}) \`touch ${planted}\`; touch ${planted}`;
  const { code } = await job({
    command: lines([...program('crashes-before-hello'), evil]),
    options: '--start-timeout\n2',
    dialect: 'ucloud',
  });
  expect(code).toBe(4);
  const refused = await job({ command: 'true', dialect: evil, expectations: evil });
  expect(refused.code).toBe(2);
  expect(refused.summary).toContain('did not judge anything');
  expect(existsSync(planted)).toBe(false);
});

posix.each([
  ['', 'no command'],
  ['["node", 1]', 'a list with a number'],
  ['["node"', 'an unclosed list'],
])('the command %j is refused: %s', async (command) => {
  const { code, output, summary } = await job({ command });
  expect({ code, output }).toEqual({ code: 2, output: 'exit-code=2\n' });
  expect(summary).toContain('did not judge anything');
});
