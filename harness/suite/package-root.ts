/**
 * Where this package lies, from source and from `dist/` alike.
 *
 * @module
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = rootAbove(dirname(fileURLToPath(import.meta.url)));

/** The folder of the manifest: right from source, from `dist/`, and from the joined programs. */
function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}

/** The path of a file of the package, which is given with slashes. */
export function packagePath(path: string): string {
  return join(ROOT, ...path.split('/'));
}

/** The version in the package's manifest. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as {
    version: string;
  };
  return version;
}
