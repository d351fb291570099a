/**
 * Runs a client program with a new server, which the client uses as a forward proxy.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Exchange,
  type RunningServer,
  startServer,
} from '../../../harness/respondents/serve/start.ts';
import { type Client, PROGRAM } from './clients.ts';
import type { Step } from './steps.ts';

export const BUCKET = 'demo';

/** In milliseconds. */
const HARD_LIMIT = 600_000;

export interface ProgramRun {
  /** The standard output of the program. */
  readonly told: string;
  readonly exchanges: readonly Exchange[];
}

export interface ClientRun extends Pick<ProgramRun, 'exchanges'> {
  readonly steps: readonly Step[];
}

/** Builds a client if it needs that, and runs it. */
export async function clientRun({ build, command }: Client): Promise<ClientRun> {
  const { told, exchanges } = await programRun(command, build);
  const lines = told.trimEnd().split('\n');
  return { steps: lines.map((line) => JSON.parse(line) as Step), exchanges };
}

/** Runs a program in a temporary folder, which is removed afterwards. */
export async function programRun(
  command: readonly string[],
  build?: Client['build'],
): Promise<ProgramRun> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-client-'));
  const placed = (parts: readonly string[]): readonly string[] =>
    parts.map((part) => (part === PROGRAM ? join(folder, 'client') : part));
  const exchanges: Exchange[] = [];
  const server = await startServer({
    port: 0,
    dialect: 'ucloud',
    buckets: [{ name: BUCKET }],
    onExchange: (exchange) => exchanges.push(exchange),
  });
  try {
    if (build) await output(placed(build.command), build.folder, process.env);
    const told = await output(placed(command), folder, environmentFor(server));
    return { told, exchanges };
  } finally {
    await server.close();
    rmSync(folder, { recursive: true });
  }
}

/** A new environment, so that no other variable decides where requests go. */
function environmentFor({ url, port, keys }: RunningServer): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return {
    PATH,
    HOME,
    LC_ALL: 'C.UTF-8',
    http_proxy: url,
    JAVA_TOOL_OPTIONS: `-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=${port}`,
    SVC_PUBLIC_KEY: keys.publicKey,
    SVC_PRIVATE_KEY: keys.privateKey,
    SVC_BUCKET: BUCKET,
  };
}

/** The standard output of a program; rejects with its standard error if the program fails. */
function output(
  [program = '', ...parameters]: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, {
      cwd,
      env,
      timeout: HARD_LIMIT,
      killSignal: 'SIGKILL',
    });
    const pieces: Record<'stdout' | 'stderr', string[]> = { stdout: [], stderr: [] };
    child.stdout.setEncoding('utf8').on('data', (piece: string) => pieces.stdout.push(piece));
    child.stderr.setEncoding('utf8').on('data', (piece: string) => pieces.stderr.push(piece));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) return resolve(pieces.stdout.join(''));
      const complaint = pieces.stderr.join('').slice(-2000);
      reject(new Error(`${program} ended with ${code ?? signal}: ${complaint}`));
    });
  });
}
