/**
 * The one place that writes: standard output, standard error and the files of reports.
 *
 * @module
 */
import { existsSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from './errors.ts';
import { harmlessLines } from './report/harmless.ts';
import { takesColour } from './report/terminal.ts';

/** Why not all output could be written; nothing while all was. */
let fault: string | undefined;
let isPrintedLost = false;

/** Writes to standard output. */
export function print(text: string): void {
  if (!isPrintedLost) process.stdout.write(harmlessLines(text, hasColours(process.stdout)));
}

/** Writes to standard error. */
export function warn(text: string): void {
  process.stderr.write(harmlessLines(text, hasColours(process.stderr)));
}

function hasColours(stream: NodeJS.WriteStream): boolean {
  return takesColour(stream, process.env);
}

/** Whether output is missing, which makes the exit code 6. */
export function isOutputLost(): boolean {
  return fault !== undefined;
}

/** Says on standard error that output is missing; the run goes on. */
export function loseOutput(why: string): void {
  fault ??= why;
  warn(`svc-conformance: ${why}\n`);
}

/** Lets the program outlive streams that cannot be written any more. */
export function watchStreams(): void {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (isPrintedLost) return;
    isPrintedLost = true;
    // A reader that goes away early, such as `head`, is no failure of the run.
    if (code !== 'EPIPE') loseOutput(`standard output cannot be written: ${code}`);
  });
  // There is nowhere left to say so.
  process.stderr.on('error', () => {});
}

/** Opens a file to write text to; throws a `UsageError` where that cannot be done. */
export function textFile(path: string): (text: string) => void {
  let file: number;
  try {
    file = openSync(path, 'w');
  } catch (error) {
    throw new UsageError(
      `the report ${JSON.stringify(path)} cannot be written: ${codeOf(error)}; name a file that can be`,
    );
  }
  let isLost = false;
  return (text) => {
    const bytes = Buffer.from(harmlessLines(text), 'utf8');
    try {
      for (let from = 0; from < bytes.length && !isLost; ) from += writeSync(file, bytes, from);
    } catch (error) {
      isLost = true;
      loseOutput(`the report ${JSON.stringify(path)} is not complete: ${codeOf(error)}`);
    }
  };
}

/** As `mkdirSync` does with `recursive`, which does not come to an end below /proc. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  mkdirSync(path);
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

type Close = (exitCode: number) => void;

/** What is begun and has to be brought to an end, whatever happens. */
const unfinished = new Set<Close>();

/** Remembers how to end what is begun; the function that comes back says that it has ended. */
export function endingWith(close: Close): () => void {
  unfinished.add(close);
  return () => void unfinished.delete(close);
}

/** Ends everything that is begun, with an exit code to report. */
export function endUnfinished(exitCode: number): void {
  for (const close of [...unfinished]) {
    unfinished.delete(close);
    close(exitCode);
  }
}
