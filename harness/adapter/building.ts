/**
 * The build of an adapter in a compiled language.
 *
 * @module
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { BUILD_FOLDER } from './kit.ts';

/** Builds; says why that failed, if it did. The compiler's own messages go to standard error as they come. */
export function buildFailure(folder: string, build: readonly string[]): string | undefined {
  mkdirSync(join(folder, BUILD_FOLDER), { recursive: true });
  const [program = '', ...parameters] = build;
  const { status, error } = spawnSync(program, parameters, {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  if (status === 0) return undefined;
  return `the build failed, ${error ? error.message : `status ${status}`}`;
}
