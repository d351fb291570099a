/**
 * The vectors as one JSON file, made at build time: parsing YAML costs a quarter of a second, this a millisecond.
 *
 * @module
 */
import { readFileSync } from 'node:fs';
import { packagePath } from './package-root.ts';
import type { Suite } from './vector.ts';

/** In ASCII alone. */
export const BUNDLE = 'dist/vectors.json';

/** Reads the suite that the package was built with. */
export function bundledSuite(): Suite {
  return JSON.parse(readFileSync(packagePath(BUNDLE), 'latin1')) as Suite;
}
