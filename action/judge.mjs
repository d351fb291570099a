/**
 * A step of the GitHub Action: judges the adapter that the environment names and shows a summary.
 *
 * Runs before anything is built, so it is plain JavaScript without dependencies.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The exit codes of the command line for what cannot be done, and for a run that stopped early. */
const USAGE = 2;
const ABORTED = 5;

const { env } = process;

/** The words of an input: a JSON list, or one a line. No word is ever split or expanded. */
function words(text) {
  if (!text.trimStart().startsWith('[')) {
    return text.split(/\r?\n/).filter((line) => line.trim() !== '');
  }
  const list = JSON.parse(text);
  if (list.every((word) => typeof word === 'string')) return list;
  throw new SyntaxError('a list of something other than texts');
}

function wordsOf(input, text = '') {
  try {
    return words(text);
  } catch (error) {
    throw new Error(
      `the input ${input} is no JSON list of words (${error.message}); write one, or one word a line`,
    );
  }
}

/** The command line: of the version that was installed, or of this action's own build. */
function commandLine() {
  const folder = env.SVC_VERSION
    ? join(env.RUNNER_TEMP ?? tmpdir(), 'svc-conformance', 'node_modules', 'svc-conformance')
    : env.ACTION_PATH;
  return join(folder, 'dist', 'bin', 'svc-conformance.cjs');
}

/** Whether failures become annotations; the runner takes them from standard output. */
function hasAnnotations() {
  const { SVC_ANNOTATIONS: text = 'false' } = env;
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Error(`the input annotations is ${JSON.stringify(text)}; write true or false`);
}

function parametersFor(summary, annotations) {
  const command = wordsOf('command', env.SVC_COMMAND);
  if (command.length === 0 && !env.SVC_ADAPTER)
    throw new Error('the inputs command and adapter are empty; name your adapter');
  if (command.length > 0 && env.SVC_ADAPTER)
    throw new Error('the inputs command and adapter each name an adapter; give one of them');
  const option = (name, value) => (value ? [name, value] : []);
  return [
    'run',
    ...['--reporter', 'terminal', '--reporter', `markdown=${summary}`],
    ...option('--reporter', env.SVC_JUNIT && `junit=${env.SVC_JUNIT}`),
    ...option('--reporter', env.SVC_REPORT && `json-lines=${env.SVC_REPORT}`),
    ...option('--reporter', hasAnnotations() && `github=${annotations}`),
    ...option('--shard', env.SVC_SHARD),
    ...option('--dialect', env.SVC_DIALECT),
    ...option('--expectations', env.SVC_EXPECTATIONS),
    ...wordsOf('options', env.SVC_OPTIONS),
    ...(env.SVC_ADAPTER ? ['--adapter', env.SVC_ADAPTER] : ['--', ...command]),
  ];
}

/** Runs it to its end; whoever cancels the job waits for the report of what is known by then. */
function ended(parameters) {
  const run = spawn(process.execPath, [commandLine(), ...parameters], {
    cwd: env.SVC_WORKING_DIRECTORY || '.',
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => run.kill(signal));
  return new Promise((resolve, reject) => {
    run.once('error', reject);
    // Without a code, a signal ended it: that is no verdict on the adapter.
    run.once('close', (code) => resolve(code ?? ABORTED));
  });
}

function publish(variable, text) {
  if (env[variable]) appendFileSync(env[variable], text);
}

async function judged() {
  const folder = mkdtempSync(join(env.RUNNER_TEMP ?? tmpdir(), 'svc-summary-'));
  const [summary, annotations] = ['summary.md', 'annotations.txt'].map((name) =>
    join(folder, name),
  );
  try {
    const code = await ended(parametersFor(summary, annotations));
    if (existsSync(annotations)) process.stdout.write(readFileSync(annotations, 'utf8'));
    const text = existsSync(summary) ? readFileSync(summary, 'utf8') : '';
    publish(
      'GITHUB_STEP_SUMMARY',
      text || '**svc-conformance did not judge anything**; see the log.\n',
    );
    return code;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

try {
  process.exitCode = await judged();
} catch (error) {
  process.stderr.write(`svc-conformance action: ${error.message}\n`);
  publish('GITHUB_STEP_SUMMARY', '**svc-conformance did not judge anything**; see the log.\n');
  process.exitCode = USAGE;
}
publish('GITHUB_OUTPUT', `exit-code=${process.exitCode}\n`);
