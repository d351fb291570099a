/**
 * Reads the YAML files of `site/`, and checks that they have the shape that the code expects.
 *
 * @module
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { packagePath } from '../../harness/suite/package-root.ts';
import type { Guard } from '../../reference/values.ts';

/** @param path relative to the package */
export function readSiteFile<Shape>(path: string, isShape: Guard<Shape>): Shape {
  const value: unknown = parse(readFileSync(packagePath(path), 'utf8'));
  if (isShape(value)) return value;
  throw new Error(`${path} does not have the shape that its reader in scripts/site/ expects`);
}
