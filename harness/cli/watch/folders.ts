/**
 * Watches folders for changes, by the events of the system.
 *
 * @module
 */
import { existsSync, type FSWatcher, readdirSync, watch } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { UsageError } from '../../engine/errors.ts';

export interface Watched {
  /** Folders with all that is below them. */
  readonly trees: readonly string[];
  readonly files: readonly string[];
  /** Files whose changes do not count: a run writes them. */
  readonly outputs: readonly string[];
}

/** Programs write these folders, people do not; names with a leading dot count as well. */
const NOT_SOURCES = new Set(['node_modules', '__pycache__', 'target', 'build', 'dist', 'coverage']);

/** Build tools and caches mark their folders with this file (https://bford.info/cachedir/). */
const CACHE_MARK = 'CACHEDIR.TAG';

/** Systems limit how many folders are watched. */
const MOST_FOLDERS = 4000;

/** Editors write a file in several steps, and tools write several files; in milliseconds. */
const CALM = 50;

export class Watch {
  readonly #changed = new Set<string>();
  readonly #watchers: readonly FSWatcher[];
  readonly #outputs: ReadonlySet<string>;
  #notify: () => void = () => {};

  /** @throws UsageError if there are too many folders */
  constructor({ trees, files, outputs }: Watched) {
    this.#outputs = new Set(outputs);
    const folders = new Set<string>();
    for (const tree of trees) addFolders(tree, folders);
    const watchers = [...folders].map((folder) => this.#watch(folder));
    const others = files.filter((file) => !folders.has(dirname(file)));
    this.#watchers = [
      ...watchers,
      ...others.map((file) => this.#watch(dirname(file), basename(file))),
    ];
  }

  /** In words. */
  get count(): string {
    const { length } = this.#watchers;
    return `${length} ${length === 1 ? 'folder' : 'folders'}`;
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
  #watch(folder: string, only?: string): FSWatcher {
    try {
      return watch(folder, (_, name) => {
        const path = name === null ? folder : join(folder, name);
        const counts = only === undefined ? isSource(name ?? '') : name === only;
        if (!counts || this.#outputs.has(path)) return;
        this.#changed.add(relative('', path));
        this.#notify();
      }).on('error', () => {});
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new UsageError(
        `--watch cannot watch ${JSON.stringify(folder)}: ${code}; run it in the folder of your adapter`,
      );
    }
  }
}

function isSource(name: string): boolean {
  return !(name.startsWith('.') || name.endsWith('~') || NOT_SOURCES.has(name));
}

/** Adds a folder and the folders below it that hold sources. */
function addFolders(folder: string, found: Set<string>): void {
  if (found.has(folder) || !existsSync(folder) || existsSync(join(folder, CACHE_MARK))) return;
  found.add(folder);
  if (found.size > MOST_FOLDERS) {
    throw new UsageError(
      `--watch watches at most ${MOST_FOLDERS} folders, and there are more below ${JSON.stringify(process.cwd())}; run it in the folder of your adapter`,
    );
  }
  for (const entry of readFolder(folder)) {
    if (entry.isDirectory() && isSource(entry.name)) addFolders(join(folder, entry.name), found);
  }
}

/** Nothing if it cannot be read, or was removed meanwhile. */
function readFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
