/**
 * The server as people have it: the command line, as a process of its own.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { packagePath } from '../../harness/suite/package-root.ts';

/** A server in another process, ready to be asked. */
export interface Serving {
  readonly port: number;
  readonly pid: number;
  /** From its start to the line that says where it listens; in milliseconds. */
  readonly readyIn: number;
  /** Ends it as a loss of the process does, and waits for that. */
  readonly kill: () => Promise<void>;
  /** Asks it to end; its exit code. */
  readonly stop: () => Promise<number | null>;
}

/** In milliseconds. */
const LONGEST_START = 300_000;

/** A process of the command line; nobody waits until it is ready. */
export function serveProcess(parameters: readonly string[]): ChildProcess {
  const cli = packagePath('dist/bin/svc-conformance.cjs');
  return processOf([cli, 'serve', '--port', '0', '--authority', 'off', '--quiet', ...parameters]);
}

/** `serve` on a free port. */
export function serving(parameters: readonly string[]): Promise<Serving> {
  const from = performance.now();
  return ready(serveProcess(parameters), from);
}

/** A program of Node that says `listens on http://127.0.0.1:PORT` when it does. */
export function servingProgram(parameters: readonly string[]): Promise<Serving> {
  const from = performance.now();
  return ready(processOf(parameters), from);
}

function processOf(parameters: readonly string[]): ChildProcess {
  return spawn(process.execPath, parameters, { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function ready(server: ChildProcess, from: number): Promise<Serving> {
  const ended = once(server, 'close');
  const port = await portOf(server);
  const readyIn = performance.now() - from;
  // What is not read fills the pipe, and stops who writes.
  server.stdout?.resume();
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    server.kill(signal);
    await ended;
    return server.exitCode;
  };
  return {
    port,
    pid: server.pid ?? 0,
    readyIn,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  };
}

function portOf(server: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => {
      server.kill('SIGKILL');
      reject(new Error(`the server is not ready after ${LONGEST_START} ms; it said "${said}"`));
    }, LONGEST_START);
    server.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const port = /listens on \S+:(\d+)\n/.exec(said)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve(Number(port));
    });
    server.once('close', (code) => {
      clearTimeout(timer);
      reject(new Error(`the server ended with ${code} before it was ready; it said "${said}"`));
    });
  });
}
