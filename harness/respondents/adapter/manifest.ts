/**
 * The adapters of this repository, and what each of them lacks to run on this machine.
 *
 * @module
 */
import { dirname, join, resolve } from 'node:path';
import type { Subject } from '../../engine/respondent.ts';
import {
  IS_BINARY,
  isInBinary,
  isPackageFile,
  listPackageFolder,
  packagePath,
  readPackageFile,
} from '../../suite/package-root.ts';
import {
  BUILD_FOLDER,
  findRunObstacle,
  isInstalled,
  type Kit,
  type Needs,
  notFoundMessage,
} from './kit.ts';

/** `adapter.json` in an adapter's folder (schema/adapter.schema.json). */
export interface Manifest {
  readonly name: string;
  readonly command: readonly string[];
  readonly dialect: string;
  /** The wire form of its messages; JSON if absent. */
  readonly wire?: string;
  /** Other programs that it starts, by their names on the PATH. */
  readonly programs?: readonly string[];
  /** The command that installs or builds what the adapter needs; if absent, `npm run setup:kits`. */
  readonly setup?: string;
  /** The program that builds an adapter in a compiled language, by its name on the PATH. */
  readonly toolchain?: string;
  /** The command that builds it. */
  readonly build?: readonly string[];
  readonly needs?: Needs;
}

export interface RepositoryAdapter {
  readonly name: string;
  readonly dialect: string;
  readonly wire: string;
  readonly folder: string;
  /** Whether it drives a published SDK and not an implementation of this project. */
  readonly published: boolean;
  readonly command: readonly string[];
  /** How its program is built; absent if it runs from source. */
  readonly kit?: Kit;
  /** The path of its expectations file, if it has one. */
  readonly expectations?: string;
  /** Why it cannot run on this machine; undefined if it can. */
  readonly missing: string | undefined;
}

export const MANIFEST = 'adapter.json';

/** The adapter that `run` replaces by the reference in its own process. */
const REFERENCE = 'reference';
const EXPECTATIONS = 'expectations.yaml';

/** Whether a subject is the reference, which answers in the process of the harness. */
export const isReference = ({ name, ownAdapter }: Subject): boolean =>
  ownAdapter && name === REFERENCE;

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
      const manifest = JSON.parse(readPackageFile(path).toString('utf8')) as Manifest;
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
