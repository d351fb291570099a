/**
 * The adapters of this repository: which there are, and which can run here.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { packagePath } from '../suite/package-root.ts';
import { BUILD_FOLDER, type Kit, type Needs, notFound, unbuiltReason } from './kit.ts';
import { isProgram } from './program.ts';

/** `adapter.json` in an adapter's folder. */
export interface Manifest {
  readonly name: string;
  readonly command: readonly string[];
  readonly dialect: string;
  /** Its wire form, where that is not JSON. */
  readonly wire?: string;
  /** Other programs that it starts, by their names on the PATH. */
  readonly programs?: readonly string[];
  /** The command that installs or builds what the adapter needs; `npm run setup:kits` builds those without. */
  readonly setup?: string;
  /** Of a compiled language: the program that builds it, by its name on the PATH, */
  readonly toolchain?: string;
  /** the command that does, */
  readonly build?: readonly string[];
  /** and what that command needs besides, such as headers. */
  readonly needs?: Needs;
}

export interface RepositoryAdapter {
  readonly name: string;
  readonly dialect: string;
  readonly wire: string;
  readonly folder: string;
  /** A published SDK, not one of this project's own implementations. */
  readonly published: boolean;
  readonly command: readonly string[];
  /** How its program is built; nothing where it runs from source. */
  readonly kit?: Kit;
  /** The file that names its known failures, where there is one. */
  readonly expectations?: string;
  /** Why it cannot run here; nothing where it can. */
  readonly missing: string | undefined;
}

export const MANIFEST = 'adapter.json';
const EXPECTATIONS = 'expectations.yaml';

/** Kits first, then published SDKs; each group by name, the reference before all. */
export function repositoryAdapters(): readonly RepositoryAdapter[] {
  const adapters = packagePath('adapters');
  return [...manifestsIn(adapters, false), ...manifestsIn(join(adapters, 'sdk'), true)];
}

function manifestsIn(parent: string, published: boolean): readonly RepositoryAdapter[] {
  if (!existsSync(parent)) return [];
  const adapters = readdirSync(parent)
    .sort()
    .map((name) => join(parent, name, MANIFEST))
    .filter((path) => existsSync(path))
    .map((path) =>
      adapterOf(dirname(path), published, JSON.parse(readFileSync(path, 'utf8')) as Manifest),
    );
  const isFirst = ({ name }: RepositoryAdapter): number => (name === 'reference' ? 0 : 1);
  return adapters.sort((a, b) => isFirst(a) - isFirst(b));
}

/** The adapter that a manifest describes, which is or could be the one in the folder. */
export function adapterOf(
  folder: string,
  published: boolean,
  manifest: Manifest,
): RepositoryAdapter {
  const command = withPlaceholders(manifest.command, folder);
  const kit = kitOf(manifest, folder);
  return {
    name: manifest.name,
    dialect: manifest.dialect,
    wire: manifest.wire ?? 'json',
    folder,
    published,
    command,
    ...(kit && { kit }),
    ...(existsSync(join(folder, EXPECTATIONS)) && { expectations: join(folder, EXPECTATIONS) }),
    // Looked for only where it is asked for: nobody waits for what other adapters lack.
    get missing() {
      return kit ? unbuiltReason(folder, command, kit) : missingReason(folder, command, manifest);
    },
  };
}

function kitOf(
  { toolchain, build, needs, setup = 'npm run setup:kits' }: Manifest,
  folder: string,
): Kit | undefined {
  if (toolchain === undefined || !build) return undefined;
  return { toolchain, build: withPlaceholders(build, folder), setup, ...(needs && { needs }) };
}

/** What stands between braces, by name; any other word in braces is text. */
const PLACEHOLDER = /\{(?:node|package|dir|venv|build|exe)\}/g;

/** The words of a command with their placeholders replaced, and nothing else changed. */
function withPlaceholders(command: readonly string[], folder: string): readonly string[] {
  const windows = process.platform === 'win32';
  const places: Readonly<Record<string, string>> = {
    '{node}': process.execPath,
    '{package}': resolve(packagePath('.')),
    '{dir}': folder,
    '{venv}': join(folder, '.venv', ...(windows ? ['Scripts', 'python.exe'] : ['bin', 'python'])),
    '{build}': join(folder, BUILD_FOLDER),
    '{exe}': windows ? '.exe' : '',
  };
  return command.map((word) => word.replaceAll(PLACEHOLDER, (place) => places[place] ?? place));
}

function missingReason(
  folder: string,
  [program = '']: readonly string[],
  { setup, programs = [] }: Manifest,
): string | undefined {
  if (isProgram(program, folder)) {
    const missing = programs.find((other) => !isProgram(other, folder));
    return missing === undefined ? undefined : notFound(missing);
  }
  return setup === undefined ? notFound(program) : `it is not set up; run \`${setup}\``;
}
