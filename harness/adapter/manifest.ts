/**
 * The adapters of this repository: which there are, and which can run here.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packagePath } from '../suite/package-root.ts';
import { BUILD_FOLDER, type Kit, notFound, unbuiltReason } from './kit.ts';
import { isProgram } from './program.ts';

/** `adapter.json` in an adapter's folder. */
export interface Manifest {
  readonly name: string;
  readonly command: readonly string[];
  readonly dialect: string;
  /** The command that installs or builds what the adapter needs; `npm run setup:kits` builds those without. */
  readonly setup?: string;
  /** Of a compiled language: the program that builds it, by its name on the PATH, */
  readonly toolchain?: string;
  /** and the command that does. */
  readonly build?: readonly string[];
}

export interface RepositoryAdapter {
  readonly name: string;
  readonly dialect: string;
  readonly folder: string;
  /** A published SDK, not one of this project's own implementations. */
  readonly published: boolean;
  readonly command: readonly string[];
  /** How its program is built; nothing where it runs from source. */
  readonly kit?: Kit;
  /** The file that names its known failures, where there is one. */
  readonly expectations?: string;
  /** Why it cannot run here; nothing where it can. */
  readonly missing?: string;
}

const MANIFEST = 'adapter.json';
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

function adapterOf(folder: string, published: boolean, manifest: Manifest): RepositoryAdapter {
  const command = withPlaces(manifest.command, folder);
  const { toolchain, build, setup = 'npm run setup:kits' } = manifest;
  const kit = toolchain !== undefined &&
    build && { toolchain, build: withPlaces(build, folder), setup };
  const missing = kit
    ? unbuiltReason(folder, command, kit)
    : missingReason(command[0] ?? '', manifest.setup);
  return {
    name: manifest.name,
    dialect: manifest.dialect,
    folder,
    published,
    command,
    ...(kit && { kit }),
    ...(existsSync(join(folder, EXPECTATIONS)) && { expectations: join(folder, EXPECTATIONS) }),
    ...(missing !== undefined && { missing }),
  };
}

/** A command with the paths that its places in braces stand for. */
function withPlaces(command: readonly string[], folder: string): readonly string[] {
  const windows = process.platform === 'win32';
  const places: Readonly<Record<string, string>> = {
    '{node}': process.execPath,
    '{package}': packagePath('.'),
    '{dir}': folder,
    '{venv}': join(folder, '.venv', ...(windows ? ['Scripts', 'python.exe'] : ['bin', 'python'])),
    '{build}': join(folder, BUILD_FOLDER),
  };
  return command.map((part) =>
    part
      .replace('{exe}', windows ? '.exe' : '')
      .split('/')
      .map((piece) => places[piece] ?? piece)
      .reduce((path, piece) => join(path, piece)),
  );
}

function missingReason(program: string, setup: string | undefined): string | undefined {
  if (isProgram(program)) return undefined;
  return setup === undefined ? notFound(program) : `it is not set up; run \`${setup}\``;
}
