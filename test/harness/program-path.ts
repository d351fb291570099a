/**
 * Where the programs in test/harness/programs are.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The variable with the folder of the bundled programs. */
export const BUNDLED_PROGRAMS = 'SVC_TEST_PROGRAMS';

/** The path of a program: under vitest that of its bundle, if it has one, which starts faster. */
export function programPath(name: string): string {
  const bundled = join(process.env[BUNDLED_PROGRAMS] ?? '', name);
  return BUNDLED_PROGRAMS in process.env && existsSync(bundled)
    ? bundled
    : fileURLToPath(new URL(`programs/${name}`, import.meta.url));
}
