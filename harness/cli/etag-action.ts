/**
 * Writes and checks ETags. Loaded when `etag` runs, not for its help.
 *
 * @module
 */

import { createReadStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { describeSystemError } from '../../reference/system-errors.ts';
import { EXIT, UsageError } from '../engine/errors.ts';
import { LARGEST, readFolder } from '../suite/user-files.ts';
import type { Call } from './call.ts';
import { Hasher } from './etag/hasher.ts';
import { type Entry, escapePath, formatLine, parseLine } from './etag/lines.ts';
import type { FileEtag } from './etag/small-files.ts';
import { flagOption, type Parsed } from './verb.ts';

/** The output is written in pieces of this many characters. */
const WRITTEN_AT_ONCE = 32 * 1024;

/** The most files whose ETags are computed before the first of them is written. */
const LARGEST_BATCH = 4096;

/** How often the line of progress changes; in milliseconds. */
const REFRESH = 100;
const MIB = 1024 * 1024;

const WHAT_TO_NAME = 'name files or folders that exist and can be read, or - for standard input';

/** Writes a line for each file; the exit code is 1 if a file cannot be read. */
export async function writeEtags(given: Parsed, call: Call): Promise<number> {
  const { positionals } = given;
  if (positionals.length === 0) {
    throw new UsageError(
      'no file is named; write svc-conformance etag FILE…, or - for standard input',
    );
  }
  if (flagOption(given, 'quiet'))
    throw new UsageError('--quiet works only with --check; leave it out');
  const format = flagOption(given, 'json') ? JSON.stringify : formatLine;
  return withHasher(call, async (hasher, output) => {
    let faults = 0;
    await hashAll(hasher, positionals, call, (path, hashed) => {
      if (typeof hashed === 'string') {
        output.warn(`${escapePath(path)} cannot be read: ${hashed}; ${WHAT_TO_NAME}`);
        faults += 1;
      } else output.print(format({ path, ...hashed }));
    });
    return faults === 0 ? EXIT.asExpected : EXIT.failures;
  });
}

/** Compares files with the lists; the exit code is 1 if a file differs or cannot be read. */
export async function checkLists(given: Parsed, call: Call): Promise<number> {
  const { positionals } = given;
  const lists = positionals.length === 0 ? ['-'] : positionals;
  const entries = (await Promise.all(lists.map((list) => readList(list, call)))).flat();
  return withHasher(call, async (hasher, output) => {
    const counts = { ok: 0, differs: 0, unread: 0 };
    for (const { etag, path } of entries) {
      const hashed = await hashAny(hasher, path, call);
      const actual = typeof hashed === 'string' ? undefined : hashed.etag;
      const status = actual === undefined ? 'unread' : actual === etag ? 'ok' : 'differs';
      counts[status] += 1;
      if (status === 'ok' && flagOption(given, 'quiet')) continue;
      const json = { path, expected: etag, ...(actual !== undefined && { actual }), status };
      output.print(
        flagOption(given, 'json') ? JSON.stringify(json) : formatCheck(path, hashed, etag),
      );
    }
    if (counts.unread > 0)
      output.warn(`${counts.unread} of ${entries.length} files cannot be read`);
    if (counts.differs > 0) output.warn(`${counts.differs} of ${entries.length} ETags differ`);
    return counts.ok === entries.length ? EXIT.asExpected : EXIT.failures;
  });
}

/** As `sha256sum` writes it. */
function formatCheck(path: string, hashed: FileEtag | string, expected: string): string {
  const shown = escapePath(path);
  const name = `${shown === path ? '' : '\\'}${shown}`;
  if (typeof hashed === 'string') return `${name}: FAILED open or read (${hashed})`;
  return `${name}: ${hashed.etag === expected ? 'OK' : 'FAILED'}`;
}

/** @throws UsageError if a line does not have the form of a list of ETags */
async function readList(list: string, call: Call): Promise<readonly Entry[]> {
  const name = list === '-' ? 'standard input' : list;
  const advice = 'name a file that etag wrote, or - for standard input';
  const bytes = await call.readInput(list, LARGEST.answers, 'a list of ETags', advice);
  const lines = bytes
    .toString('utf8')
    .split('\n')
    .map((line) => line.replace(/\r$/, ''));
  return lines.flatMap((line, i) => {
    if (line === '') return [];
    const entry = parseLine(line);
    if (entry) return [entry];
    throw new UsageError(
      `${name}:${i + 1}: not a line of a list of ETags; write an ETag of 32 characters, two spaces and a file name`,
    );
  });
}

interface ListedFile {
  readonly path: string;
  /** Whether its folder lists it as a regular file. */
  readonly isFile: boolean;
}

/** The paths, with the files of a folder instead of the folder. */
function* listFiles(paths: readonly string[]): Generator<ListedFile> {
  for (const path of paths) {
    const entries = path === '-' ? undefined : readFolder(path);
    if (!entries) yield { path, isFile: false };
    // Joined once for each folder, because joining takes as long as reading a small file.
    const start = join(path, '_').slice(0, -1);
    for (const entry of entries ?? []) {
      const inside = start + entry.name;
      if (entry.isDirectory()) yield* listFiles([inside]);
      else if (entry.isFile()) yield { path: inside, isFile: true };
    }
  }
}

/**
 * Hashes the files of folders in batches, which threads share.
 *
 * @param take receives the ETag of each file, or why it cannot be read
 */
async function hashAll(
  hasher: Hasher,
  paths: readonly string[],
  call: Call,
  take: (path: string, hashed: FileEtag | string) => void,
): Promise<void> {
  let batch: string[] = [];
  const hashBatch = async (): Promise<void> => {
    const etags = await hasher.hashSmallFiles(batch);
    for (const [i, path] of batch.entries()) take(path, etags[i] ?? hashFile(hasher, path));
    batch = [];
  };
  for (const { path, isFile } of listFiles(paths)) {
    if (isFile) batch.push(path);
    if (isFile && batch.length < LARGEST_BATCH) continue;
    await hashBatch();
    if (!isFile) take(path, await hashAny(hasher, path, call));
  }
  await hashBatch();
}

/** The ETag, or why the path cannot be read. */
async function hashAny(hasher: Hasher, path: string, call: Call): Promise<FileEtag | string> {
  try {
    if (path === '-') return await hasher.hashStream(call.io.stdin);
    // Opening a pipe waits for its writer, and nothing else may wait.
    const isPipe = statSync(path, { throwIfNoEntry: false })?.isFIFO() ?? false;
    if (isPipe) return await hasher.hashStream(createReadStream(path));
  } catch (error) {
    return describeSystemError(error);
  }
  return hashFile(hasher, path);
}

function hashFile(hasher: Hasher, path: string): FileEtag | string {
  try {
    return hasher.hashFile(path);
  } catch (error) {
    return describeSystemError(error);
  }
}

interface Output {
  readonly print: (line: string) => void;
  readonly warn: (line: string) => void;
}

/** Calls a function with a hasher and an output, and closes both afterwards. */
async function withHasher(
  call: Call,
  use: (hasher: Hasher, output: Output) => Promise<number>,
): Promise<number> {
  const hasher = new Hasher(createProgress(call));
  let text = '';
  const flush = (): void => {
    call.clearProgress();
    if (text !== '') call.print(text);
    text = '';
  };
  try {
    return await use(hasher, {
      print(line) {
        text += `${line}\n`;
        if (call.isWatched || text.length > WRITTEN_AT_ONCE) flush();
      },
      warn(line) {
        flush();
        call.warn(`svc-conformance: ${line}\n`);
      },
    });
  } finally {
    flush();
    await hasher.close();
  }
}

/** Shows the number of MiB on a terminal. */
function createProgress(call: Call): (bytes: number) => void {
  let hashed = 0;
  let next = Date.now() + REFRESH;
  return (bytes) => {
    hashed += bytes;
    if (Date.now() < next) return;
    call.showProgress(`${Math.floor(hashed / MIB)} MiB`);
    next = Date.now() + REFRESH;
  };
}
