/**
 * The adapters of this repository: which there are, and which can run here.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { packagePath } from '../suite/package-root.ts';

/** `adapter.json` in an adapter's folder. */
export interface Manifest {
  readonly name: string;
  readonly command: readonly string[];
  readonly dialect: string;
  /** The command that installs what the adapter needs. */
  readonly setup?: string;
}

export interface RepositoryAdapter {
  readonly name: string;
  readonly dialect: string;
  readonly folder: string;
  /** A published SDK, not one of this project's own implementations. */
  readonly published: boolean;
  readonly command: readonly string[];
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
  const python = process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python'];
  const places: Readonly<Record<string, string>> = {
    '{node}': process.execPath,
    '{package}': packagePath('.'),
    '{dir}': folder,
    '{venv}': join(folder, '.venv', ...python),
  };
  const command = manifest.command.map((part) =>
    part
      .split('/')
      .map((piece) => places[piece] ?? piece)
      .reduce((path, piece) => join(path, piece)),
  );
  const missing = missingReason(command[0] ?? '', manifest.setup);
  return {
    name: manifest.name,
    dialect: manifest.dialect,
    folder,
    published,
    command,
    ...(existsSync(join(folder, EXPECTATIONS)) && { expectations: join(folder, EXPECTATIONS) }),
    ...(missing !== undefined && { missing }),
  };
}

function missingReason(program: string, setup: string | undefined): string | undefined {
  if (isProgram(program)) return undefined;
  const way = setup === undefined ? `install it and put it on the PATH` : `run \`${setup}\``;
  const what = setup === undefined ? `${program} was not found` : 'it is not set up';
  return `${what}; ${way}`;
}

/** Whether a program can be started: as a path, or by name on the PATH. */
function isProgram(program: string): boolean {
  if (program !== '' && dirname(program) !== '.') return existsSync(program);
  const endings = process.platform === 'win32' ? ['.exe', '.com'] : [''];
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.some((folder) =>
    endings.some((ending) => existsSync(join(folder, program + ending))),
  );
}
