/**
 * Adapters in compiled languages: what builds their programs, and whether a program is that of the sources.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isProgram } from './program.ts';

export interface Kit {
  /** The program that builds it, by its name on the PATH. */
  readonly toolchain: string;
  readonly build: readonly string[];
  readonly needs?: Needs;
  /** The command of this repository that runs the build. */
  readonly setup: string;
}

/** What building takes besides the toolchain. */
export interface Needs {
  /** A command that ends with status 0 where it is there. */
  readonly check: readonly string[];
  /** That it is not, and the way out. */
  readonly missing: string;
}

/** Where its program goes: a folder in the adapter's own, which git ignores. */
export const BUILD_FOLDER = '.build';

/** The sources that the program was built from, in the folder of the program. */
const BUILT_FROM = 'built-from';

/** Why the program of a kit cannot run; nothing where it can. */
export function unbuiltReason(
  folder: string,
  command: readonly string[],
  { toolchain, setup }: Kit,
): string | undefined {
  const built = join(folder, BUILD_FOLDER);
  const record = join(built, BUILT_FROM);
  const isBuilt = existsSync(record) && command.every((word) => hasItsPaths(word, built));
  const [program = ''] = command;
  // A program that is there runs without its toolchain, but some need another to run them.
  if (isBuilt && !isProgram(program, folder)) return notFound(program);
  if (isBuilt && readFileSync(record, 'utf8') === sourcesOf(folder)) return undefined;
  if (!isProgram(toolchain, folder)) return notFound(toolchain);
  return isBuilt
    ? `its sources have changed since it was built; run \`${setup}\``
    : `it is not built; run \`${setup}\``;
}

/** Whether the paths into the build folder exist, of which a class path has several; `*` stands for files. */
function hasItsPaths(word: string, built: string): boolean {
  return word
    .split(delimiter)
    .filter((path) => path.startsWith(built) && !path.includes('*', built.length))
    .every((path) => existsSync(path));
}

/** That a program is not on the PATH, and the way out. */
export function notFound(program: string): string {
  return `${program} was not found; install it and put it on the PATH`;
}

/** What lies beside the sources and is in no program. */
const BESIDE = ['README.md', 'expectations.yaml'];

/** Every file of the adapter, by path and content; hidden ones are none of its sources. */
export function sourcesOf(folder: string): string {
  const entries = readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && !BESIDE.includes(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries
    .map((entry) => {
      const path = join(folder, entry.name);
      const text = entry.isDirectory() ? sourcesOf(path) : readFileSync(path, 'utf8');
      return `${entry.name} ${text.length}\n${text}\n`;
    })
    .join('');
}

/** Remembers what the program in the build folder was built from; without sources, that it is being built. */
export function recordSources(folder: string, sources?: string): void {
  const record = join(folder, BUILD_FOLDER, BUILT_FROM);
  if (sources === undefined) rmSync(record, { force: true });
  else writeFileSync(record, sources);
}
