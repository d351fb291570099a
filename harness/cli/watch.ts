/**
 * `run --watch`: runs again whenever a file changes, until an interrupt.
 *
 * @module
 */

import { existsSync, type FSWatcher, watch } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describeSystemError } from '../../reference/system-errors.ts';
import { systemCode } from '../../reference/values.ts';
import { UsageError } from '../engine/errors.ts';
import { formatCount, quote } from '../engine/excerpt.ts';
import { BUNDLE } from '../suite/bundle.ts';
import { IS_BINARY, packagePath } from '../suite/package-root.ts';
import { readFolder } from '../suite/user-files.ts';
import type { Call } from './call.ts';
import { isFolder } from './subjects.ts';
import { type Parsed, textOption, textsOption } from './verb.ts';

/** Ends at an interrupt, with the exit code of the last run. */
export async function runOnChange(
  given: Parsed,
  call: Call,
  run: () => Promise<number>,
): Promise<number> {
  const interrupt = new AbortController();
  const ignore = call.io.onInterrupt(() => interrupt.abort());
  let written: ReadonlySet<string> = new Set();
  let start = run;
  try {
    for (;;) {
      const watch = new Watch(given);
      try {
        call.clearScreen();
        const code = await start();
        if (interrupt.signal.aborted) return code;
        const during = await takeChanges(watch);
        const path = await nextChange(call, watch, interrupt.signal, during, written);
        if (path === undefined) return code;
        written = during;
        start = () => runAgain(call, path, run);
      } finally {
        watch.close();
      }
    }
  } finally {
    ignore();
  }
}

/** Without a repair of the file, the next run fails as well; the one after it may not. */
function runAgain(call: Call, changed: string, run: () => Promise<number>): Promise<number> {
  call.warn(`${quote(changed)} changed\n`);
  return run().catch((error: unknown) => call.abandon(error));
}

/** What changed during a run. The system reports the last changes in the turn after the next one at the latest. */
async function takeChanges(watch: Watch): Promise<ReadonlySet<string>> {
  await nextTurn();
  await nextTurn();
  return watch.take();
}

/** A file that changed in this run and in the one before is written by runs, so it starts none. */
function nextChange(
  call: Call,
  watch: Watch,
  signal: AbortSignal,
  during: ReadonlySet<string>,
  before: ReadonlySet<string>,
): Promise<string | undefined> | string {
  const changed = [...during].find((path) => !before.has(path));
  if (changed !== undefined) return changed;
  call.warn(`watching ${watch.count}; Ctrl-C ends\n`);
  return watch.next(signal);
}

/** Programs write these folders, people do not; names with a leading dot count as well. */
const NOT_SOURCES = new Set(['node_modules', '__pycache__', 'target', 'build', 'dist', 'coverage']);

/** Build tools and caches mark their folders with this file (https://bford.info/cachedir/). */
const CACHE_MARK = 'CACHEDIR.TAG';

/** Systems limit how many folders are watched. */
const MOST_FOLDERS = 4000;

/** Editors write a file in several steps, and tools write several files; in milliseconds. */
const CALM = 50;

class Watch {
  readonly #changed = new Set<string>();
  readonly #watchers: FSWatcher[] = [];
  /** Files whose changes do not count: a run writes them. */
  readonly #outputs: ReadonlySet<string>;
  #notify: () => void = () => {};

  /** Watches what a run reads. A command may use any file of the working directory. @throws UsageError if there are too many folders */
  constructor(given: Parsed) {
    const reports = textsOption(given, 'reporter').map((text) => text.slice(text.indexOf('=') + 1));
    this.#outputs = new Set(reports.map((path) => resolve(path)));
    const adapters = textsOption(given, 'adapter').filter(isFolder);
    const [module, vectors] = [textOption(given, 'module'), textOption(given, 'vectors')];
    const trees = ['.', ...adapters, vectors ?? [], module === undefined ? [] : dirname(module)];
    const folders = new Set<string>();
    for (const tree of trees.flat()) addFolders(resolve(tree), folders);
    const bundle = IS_BINARY || vectors !== undefined ? [] : packagePath(BUNDLE);
    const files = [textOption(given, 'expectations') ?? [], bundle].flat();
    const others = files.map((file) => resolve(file)).filter((file) => !folders.has(dirname(file)));
    try {
      for (const folder of folders) this.#watch(folder);
      for (const file of others) this.#watch(dirname(file), basename(file));
    } catch (error) {
      // An open watcher would keep the process running.
      this.close();
      throw error;
    }
  }

  /** In words. */
  get count(): string {
    return formatCount(this.#watchers.length, 'folder');
  }

  /** The paths that changed since the last call. */
  take(): ReadonlySet<string> {
    const taken = new Set(this.#changed);
    this.#changed.clear();
    return taken;
  }

  /** Waits for a change and the end of further ones; undefined if it was aborted. */
  next(signal: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        this.#notify = () => {};
        const [first] = this.take();
        resolve(signal.aborted ? undefined : first);
      };
      this.#notify = () => {
        clearTimeout(timer);
        timer = setTimeout(end, CALM);
      };
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
      else if (this.#changed.size > 0) this.#notify();
    });
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.close();
  }

  /** @param only the only name that counts; every source without it */
  #watch(folder: string, only?: string): void {
    try {
      const watcher = watch(folder, (_, name) => {
        const path = name === null ? folder : join(folder, name);
        const counts = only === undefined ? isSource(name ?? '') : name === only;
        if (!counts || this.#outputs.has(path)) return;
        this.#changed.add(relative('', path));
        this.#notify();
      });
      this.#watchers.push(watcher.on('error', () => {}));
    } catch (error) {
      const isLimit = systemCode(error) === 'ENOSPC';
      const why = isLimit ? 'the system watches no more folders' : describeSystemError(error);
      throw new UsageError(
        `--watch cannot watch ${JSON.stringify(folder)}: ${why}; run it in the folder of your adapter`,
      );
    }
  }
}

function isSource(name: string): boolean {
  return !(name.startsWith('.') || name.endsWith('~') || NOT_SOURCES.has(name));
}

/** Adds a folder and the folders below it that hold sources. */
function addFolders(folder: string, found: Set<string>): void {
  if (found.has(folder) || existsSync(join(folder, CACHE_MARK))) return;
  const entries = readFolder(folder);
  if (!entries) return;
  found.add(folder);
  if (found.size > MOST_FOLDERS) {
    throw new UsageError(
      `--watch watches at most ${MOST_FOLDERS} folders, and there are more below ${JSON.stringify(process.cwd())}; run it in the folder of your adapter`,
    );
  }
  for (const entry of entries) {
    if (entry.isDirectory() && isSource(entry.name)) addFolders(join(folder, entry.name), found);
  }
}
