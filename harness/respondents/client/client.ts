/**
 * A client as a process: pointed at the server by its environment, run until it exits or its time is up, and killed
 * with everything that it has started.
 *
 * @module
 */

import type { ChildProcess } from 'node:child_process';
import type { BucketSeed } from '../../../reference/server/options.ts';
import {
  describeExit,
  describeStartFailure,
  GRACE,
  keepEnd,
  killTree,
  type ProcessTree,
  signalGroup,
  spawnTree,
} from '../adapter/process.ts';
import { formatSpent, TimeLimit, waitAtMost } from '../adapter/time-limit.ts';
import type { RunningServer } from '../serve/start.ts';

/** How a client ended. The texts complete sentences about the client. */
export type ClientEnd =
  | { readonly kind: 'exited'; readonly how: string; readonly isSuccess: boolean }
  /** The client could not be started. */
  | { readonly kind: 'absent'; readonly why: string }
  /** The time limit or an interrupt ended the client. */
  | { readonly kind: 'aborted'; readonly why: string };

export interface ClientOptions {
  readonly environment: NodeJS.ProcessEnv;
  /** In milliseconds. */
  readonly timeLimit: number;
  /** Receives the output of the client; if undefined, the end of the output is kept. */
  readonly stderr: { readonly fd?: number; readonly write: (text: string) => unknown } | undefined;
  /** Ends the client when aborted; the reason is a sentence. */
  readonly signal: AbortSignal;
}

export interface Client {
  readonly end: ClientEnd;
  /** The end of the output, if it was kept. */
  readonly output: string;
}

/** Runs a client, then kills what is left of its processes. */
export async function runClient(
  command: readonly string[],
  { environment, timeLimit, stderr, signal }: ClientOptions,
): Promise<Client> {
  const [program = ''] = command;
  // Standard output belongs to the report, so both outputs of the client go to standard error.
  const output = stderr?.fd ?? 'pipe';
  let tree: ProcessTree;
  try {
    tree = spawnTree(command, environment, { stdio: ['ignore', output, output] });
  } catch (error) {
    return { end: toAbsentEnd(program, error), output: '' };
  }
  const { child } = tree;
  const readKept = stderr ? forwardOutput(child, stderr) : keepEnd(child.stdout, child.stderr);
  const closed = new Promise((resolve) => child.once('close', resolve));
  const end = await waitForEnd(child, program, timeLimit, signal);
  if (end.kind === 'aborted') await terminate(child);
  killTree(tree);
  // Reads the rest of the output, but a process outside the group may keep the pipes open.
  if (end.kind !== 'absent') await waitAtMost(GRACE, closed);
  child.stdout?.destroy();
  child.stderr?.destroy();
  return { end, output: readKept() };
}

/** Forwards the output, unless the client writes to a file descriptor itself; keeps nothing. */
function forwardOutput(
  { stdout, stderr }: ChildProcess,
  to: NonNullable<ClientOptions['stderr']>,
): () => string {
  for (const stream of [stdout, stderr]) {
    stream
      ?.setEncoding('utf8')
      .on('data', (text: string) => to.write(text))
      .on('error', () => {});
  }
  return () => '';
}

function waitForEnd(
  child: ChildProcess,
  program: string,
  timeLimit: number,
  signal: AbortSignal,
): Promise<ClientEnd> {
  return new Promise((resolve) => {
    const limit = new TimeLimit(
      timeLimit,
      (spent) => {
        const why = `the client did not exit ${formatSpent(spent)}; set a longer limit with --timeout SECONDS`;
        settle({ kind: 'aborted', why });
      },
      () => runningPids(child),
    );
    limit.start();
    const abort = (): void => settle({ kind: 'aborted', why: String(signal.reason) });
    const settle = (end: ClientEnd): void => {
      limit.stop();
      signal.removeEventListener('abort', abort);
      resolve(end);
    };
    child.once('error', (error) => settle(toAbsentEnd(program, error)));
    child.once('exit', (status, endSignal) => {
      settle({ kind: 'exited', how: describeExit(status, endSignal), isSuccess: status === 0 });
    });
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
  });
}

function runningPids({ pid, exitCode }: ChildProcess): readonly number[] {
  return pid === undefined || exitCode !== null ? [] : [pid];
}

function toAbsentEnd(program: string, error: unknown): ClientEnd {
  return { kind: 'absent', why: describeStartFailure(program, error) };
}

/** Asks the client to exit and gives it a moment; Windows has no such signal. */
async function terminate(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || process.platform === 'win32') return;
  if (!signalGroup(child.pid, 'SIGTERM')) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  await waitAtMost(GRACE, exited, () => runningPids(child));
}

const PROXIES = ['http_proxy', 'https_proxy', 'all_proxy'];

/** The environment variables that point a client at the server, added to those that it inherits. */
export function clientEnvironment(
  { url, port, keys }: RunningServer,
  buckets: readonly BucketSeed[],
  inherited: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const { JAVA_TOOL_OPTIONS: java = '', ...others } = inherited;
  return {
    ...others,
    // With the proxy variables, no request of the client leaves the machine.
    ...Object.fromEntries(
      PROXIES.flatMap((name) => [name, name.toUpperCase()]).map((name) => [name, url]),
    ),
    no_proxy: '',
    NO_PROXY: '',
    JAVA_TOOL_OPTIONS: [java, ...javaProxyOptions(port)].join(' ').trim(),
    SVC_ENDPOINT: url,
    SVC_API_URL: `${url}/`,
    SVC_FILE_HOST: `files.localhost:${port}`,
    SVC_BUCKET: buckets[0]?.name ?? '',
    SVC_BUCKETS: buckets.map(({ name }) => name).join(','),
    SVC_PUBLIC_KEY: keys.publicKey,
    SVC_PRIVATE_KEY: keys.privateKey,
  };
}

/** Java ignores the proxy variables. */
function javaProxyOptions(port: number): readonly string[] {
  return [
    ...['http', 'https'].flatMap((scheme) => [
      `-D${scheme}.proxyHost=127.0.0.1`,
      `-D${scheme}.proxyPort=${port}`,
    ]),
    '-Dhttp.nonProxyHosts=',
  ];
}
