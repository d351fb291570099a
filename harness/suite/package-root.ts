/**
 * Where this package lies, from source and from `dist/` alike.
 *
 * @module
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A package may name itself: right from source, from `dist/`, and from the joined programs. */
const ROOT = dirname(createRequire(import.meta.url).resolve('svc-conformance/package.json'));

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
