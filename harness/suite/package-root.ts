/**
 * Paths of this package's own files, from source and from `dist/` alike.
 *
 * @module
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = findRoot(dirname(fileURLToPath(import.meta.url)));

/** Searches upwards for the manifest: source, `dist/` and the joined programs differ in depth. */
function findRoot(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findRoot(dirname(folder));
}

/** @param path with slashes, relative to the package */
export function packagePath(path: string): string {
  return join(ROOT, ...path.split('/'));
}

/** The repository as GitHub names it, which a release writes into package.json; before, with a word for the owner. */
export function repositoryName(): string {
  const { repository } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as {
    repository?: { readonly url: string };
  };
  if (!repository) return 'OWNER/svc-conformance';
  return repository.url
    .replace(/\.git$/, '')
    .split('/')
    .slice(-2)
    .join('/');
}

export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as {
    version: string;
  };
  return version;
}
