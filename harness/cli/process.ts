/**
 * The command line as a process: the streams, the signals and the exit code of the process.
 *
 * @module
 */
import { createReadStream, fstatSync } from 'node:fs';
import type { Io } from './call.ts';
import { main } from './main.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const UNCAUGHT = ['uncaughtException', 'unhandledRejection'] as const;

const io: Io = {
  stdout: process.stdout,
  // Opened on the first use: for a pipe, Node then loads its code for networks, which takes milliseconds.
  get stderr() {
    return ignoringErrors(process.stderr);
  },
  get stdin() {
    // Of a folder, process.stdin is empty, and this stream fails.
    return isFolder(0) ? createReadStream('', { fd: 0 }) : process.stdin;
  },
  env: process.env,
  onInterrupt(listener) {
    for (const signal of SIGNALS) process.on(signal, listener);
    return () => {
      for (const signal of SIGNALS) process.off(signal, listener);
    };
  },
  onUncaught(abandon) {
    // The state is unknown after an uncaught error, so nothing continues. An error after the call is as fatal as one during it.
    const end = (error: unknown): void => process.exit(abandon(error));
    for (const event of UNCAUGHT) process.on(event, end);
  },
};

function isFolder(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isDirectory();
  } catch {
    return false;
  }
}

function ignoreError(): void {}

/** A stream whose errors do not end the process after the call, which reports them. */
function ignoringErrors(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  return stream.listeners('error').includes(ignoreError) ? stream : stream.on('error', ignoreError);
}

/** Runs the command line of this process, and sets its exit code. */
export async function runProcess(): Promise<void> {
  ignoringErrors(process.stdout);
  process.exitCode = await main(process.argv.slice(2), io);
}
