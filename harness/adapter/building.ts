/**
 * The build of an adapter in a compiled language.
 *
 * @module
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { BUILD_FOLDER, type Kit, notFound } from './kit.ts';
import type { RepositoryAdapter } from './manifest.ts';
import { isProgram } from './program.ts';

/** What this machine lacks of what an adapter is built or started with; nothing where it has all. */
export function lackingReason({ folder, kit, missing }: RepositoryAdapter): string | undefined {
  return kit ? unbuildableReason(folder, kit) : missing;
}

/** Why it cannot be built here; nothing where it can. */
export function unbuildableReason(folder: string, { toolchain, needs }: Kit): string | undefined {
  if (!isProgram(toolchain, folder)) return notFound(toolchain);
  if (!needs) return undefined;
  const [program = '', ...parameters] = needs.check;
  const { status } = spawnSync(program, parameters, { cwd: folder, stdio: 'ignore' });
  return status === 0 ? undefined : needs.missing;
}

/** Builds; says why that failed, if it did. The compiler's own messages go to standard error as they come. */
export function buildFailure(folder: string, { build }: Kit): string | undefined {
  mkdirSync(join(folder, BUILD_FOLDER), { recursive: true });
  const [program = '', ...parameters] = build;
  const { status, error } = spawnSync(program, parameters, {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  if (status === 0) return undefined;
  return `the build failed, ${error ? error.message : `status ${status}`}`;
}
