/**
 * A copy of this package, for tests that change a file of it.
 *
 * @module
 */
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../root.ts';

/** Files that tests do not read, and that take seconds to copy. */
const LEFT_OUT = ['site', 'site.br', 'binary'].map((name) => join(ROOT, 'dist', name));

/** Copies the files that the package needs to run, without its adapters. */
export function copyPackage(root: string): void {
  const filter = (path: string): boolean => !LEFT_OUT.includes(path);
  cpSync(join(ROOT, 'package.json'), join(root, 'package.json'));
  cpSync(join(ROOT, 'dist'), join(root, 'dist'), { recursive: true, filter });
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'), 'junction');
}
