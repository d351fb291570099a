/**
 * Creates a folder and its parents.
 *
 * @module
 */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** `mkdirSync` with `recursive` never returns below /proc. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  mkdirSync(path);
}
