/**
 * Adapters in compiled languages: what their programs are built from, and whether a program is up to date.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/** How the program of an adapter is built. */
export interface Kit {
  /** The program that builds it, by its name on the PATH. */
  readonly toolchain: string;
  readonly build: readonly string[];
  readonly needs?: Needs;
  /** The command of this repository that runs the build. */
  readonly setup: string;
}

/** What the build needs besides the toolchain, such as the headers of a library. */
export interface Needs {
  /** A command that exits with status 0 if the build can use it. */
  readonly check: readonly string[];
  /** The sentence that reports its absence and says what to do. */
  readonly missing: string;
}

/** The folder of the built program, inside the adapter's folder and ignored by git. */
export const BUILD_FOLDER = '.build';

/** A copy of the sources that the program was built from, in the build folder. */
const BUILT_FROM = 'built-from';

/** Finds why the built program cannot run; undefined if it can. */
export function findRunObstacle(
  folder: string,
  command: readonly string[],
  { toolchain, setup }: Kit,
): string | undefined {
  const buildFolder = join(folder, BUILD_FOLDER);
  const record = join(buildFolder, BUILT_FROM);
  const isBuilt = existsSync(record) && command.every((word) => hasBuiltPaths(word, buildFolder));
  const [program = ''] = command;
  // A built program runs without its toolchain, but some need an interpreter, such as `java`.
  if (isBuilt && !isInstalled(program, folder)) return notFoundMessage(program);
  if (isBuilt && readFileSync(record, 'utf8') === readSources(folder)) return undefined;
  if (!isInstalled(toolchain, folder)) return notFoundMessage(toolchain);
  return isBuilt
    ? `its sources have changed since it was built; run \`${setup}\``
    : `it is not built; run \`${setup}\``;
}

/** Whether all paths of a word that point into the build folder exist. A class path has several paths, and `*` matches files. */
function hasBuiltPaths(word: string, buildFolder: string): boolean {
  return word
    .split(delimiter)
    .filter((path) => path.startsWith(buildFolder) && !path.includes('*', buildFolder.length))
    .every((path) => existsSync(path));
}

/** Files beside the sources that do not affect the program. */
const NOT_SOURCES = ['README.md', 'expectations.yaml', 'results.jsonl'];

/** Reads all source files of the adapter into one text of paths and contents. Hidden files are not sources. */
export function readSources(folder: string): string {
  const entries = readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && !NOT_SOURCES.includes(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries
    .map((entry) => {
      const path = join(folder, entry.name);
      const text = entry.isDirectory() ? readSources(path) : readFileSync(path, 'utf8');
      return `${entry.name} ${text.length}\n${text}\n`;
    })
    .join('');
}

/** Records which sources the program was built from; without sources, removes the record before a build. */
export function recordSources(folder: string, sources?: string): void {
  const record = join(folder, BUILD_FOLDER, BUILT_FROM);
  if (sources === undefined) rmSync(record, { force: true });
  else writeFileSync(record, sources);
}

/** Whether a program exists: `./adapter` as a path from the folder, `adapter` as a name on the PATH. */
export function isInstalled(program: string, folder: string): boolean {
  if (isPath(program)) return existsSync(resolve(folder, program));
  const endings = process.platform === 'win32' ? ['.exe', '.com'] : [''];
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.some((folder) =>
    endings.some((ending) => existsSync(join(folder, program + ending))),
  );
}

function isPath(program: string): boolean {
  return process.platform === 'win32' ? /[/\\:]/.test(program) : program.includes('/');
}

export function notFoundMessage(program: string): string {
  return `${program} was not found; install it and put it on the PATH`;
}
