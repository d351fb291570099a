/**
 * The adapters of this repository, what their programs are built from, and what each of them lacks to run on this machine.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { Subject } from '../../engine/respondent.ts';
import { readPackageData } from '../../suite/package-data.ts';
import {
  IS_BINARY,
  isInBinary,
  isPackageFile,
  listPackageFolder,
  packagePath,
} from '../../suite/package-root.ts';
import type { Manifest, Needs } from '../../suite/schema/shapes.ts';

/** How the program of an adapter is built. */
export interface Kit {
  /** The program that builds it, by its name on the PATH. */
  readonly toolchain: string;
  readonly build: readonly string[];
  readonly needs?: Needs;
  /** The command of this repository that runs the build. */
  readonly setup: string;
}

/** The folder of the built program, inside the adapter's folder and ignored by git. */
export const BUILD_FOLDER = '.build';

/** A copy of the sources that the program was built from, in the build folder. */
const BUILT_FROM = 'built-from';

/** Finds why the built program cannot run; undefined if it can. */
function findRunObstacle(
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

export interface RepositoryAdapter
  extends Pick<Subject, 'name' | 'dialect' | 'wire' | 'jobs' | 'command' | 'expectations'> {
  readonly folder: string;
  /** Whether it drives a published SDK and not an implementation of this project. */
  readonly published: boolean;
  /** How its program is built; absent if it runs from source. */
  readonly kit?: Kit;
  /** Why it cannot run on this machine; undefined if it can. */
  readonly missing: string | undefined;
}

export const MANIFEST = 'adapter.json';

/** The adapter that `run` replaces by the reference in its own process. */
const REFERENCE = 'reference';
const EXPECTATIONS = 'expectations.yaml';

/** Whether a subject is the reference, which answers in the process of the harness. */
export const isReference = ({ name, isBundled }: Subject): boolean =>
  isBundled && name === REFERENCE;

/** The wire forms by their names. */
export const WIRE_NAMES: readonly string[] = ['json', 'tabs'];

/**
 * The adapters for implementations of this project, the reference first, then those for published SDKs; each group by name.
 *
 * @param names of the adapters to read, which are those of their folders; all if absent
 */
export function listRepositoryAdapters(names?: readonly string[]): readonly RepositoryAdapter[] {
  const adapters = packagePath('adapters');
  return [
    ...readManifests(adapters, false, names),
    ...readManifests(join(adapters, 'sdk'), true, names),
  ];
}

function readManifests(
  parent: string,
  published: boolean,
  names: readonly string[] | undefined,
): readonly RepositoryAdapter[] {
  const adapters = listPackageFolder(parent)
    .filter((name) => names === undefined || names.includes(name))
    .map((name) => join(parent, name, MANIFEST))
    .filter(isPackageFile)
    .map((path) => {
      const manifest = readPackageData('adapter', path);
      return resolveManifest(dirname(path), published, manifest);
    });
  const rank = ({ name }: RepositoryAdapter): number => (name === REFERENCE ? 0 : 1);
  return adapters.sort((a, b) => rank(a) - rank(b));
}

const NOT_STARTED = 'the binary cannot start it; run it from a clone of the repository';

/** Resolves the placeholders and defaults of a manifest for an adapter in a folder. */
export function resolveManifest(
  folder: string,
  published: boolean,
  manifest: Manifest,
): RepositoryAdapter {
  const command = replacePlaceholders(manifest.command, folder);
  const kit = toKit(manifest, folder);
  return {
    name: manifest.name,
    dialect: manifest.dialect,
    wire: manifest.wire ?? 'json',
    ...(manifest.jobs !== undefined && { jobs: manifest.jobs }),
    folder,
    published,
    command,
    ...(kit && { kit }),
    ...(isPackageFile(join(folder, EXPECTATIONS)) && { expectations: join(folder, EXPECTATIONS) }),
    // A getter, so that a run checks only the adapters that it selects.
    get missing() {
      if (isInBinary(folder)) return manifest.name === REFERENCE ? undefined : NOT_STARTED;
      return kit
        ? findRunObstacle(folder, command, kit)
        : findMissingProgram(folder, command, manifest);
    },
  };
}

function toKit(
  { toolchain, build, needs, setup = 'npm run setup:kits' }: Manifest,
  folder: string,
): Kit | undefined {
  if (toolchain === undefined || !build) return undefined;
  return { toolchain, build: replacePlaceholders(build, folder), setup, ...(needs && { needs }) };
}

/** Any other word in braces is ordinary text. */
const PLACEHOLDER = /\{(?:node|package|dir|venv|build|exe)\}/g;

function replacePlaceholders(command: readonly string[], folder: string): readonly string[] {
  const windows = process.platform === 'win32';
  const values: Readonly<Record<string, string>> = {
    // The binary is no Node that runs other programs.
    '{node}': IS_BINARY ? 'node' : process.execPath,
    '{package}': resolve(packagePath('.')),
    '{dir}': folder,
    '{venv}': join(folder, '.venv', ...(windows ? ['Scripts', 'python.exe'] : ['bin', 'python'])),
    '{build}': join(folder, BUILD_FOLDER),
    '{exe}': windows ? '.exe' : '',
  };
  return command.map((word) =>
    word.replaceAll(PLACEHOLDER, (placeholder) => values[placeholder] ?? placeholder),
  );
}

function findMissingProgram(
  folder: string,
  [program = '']: readonly string[],
  { setup, programs = [] }: Manifest,
): string | undefined {
  if (isInstalled(program, folder)) {
    const missing = programs.find((other) => !isInstalled(other, folder));
    return missing === undefined ? undefined : notFoundMessage(missing);
  }
  return setup === undefined ? notFoundMessage(program) : `it is not set up; run \`${setup}\``;
}

/** Time limits in milliseconds of the adapter's own time, and how many restarts are tolerated. */
export interface Limits {
  /** From the start of the process to its reply to hello. */
  readonly start: number;
  /** For one question. */
  readonly question: number;
  /** For the whole session. */
  readonly total: number;
  readonly restarts: number;
}

export const LIMITS: Limits = { start: 10_000, question: 5_000, total: 600_000, restarts: 12 };
