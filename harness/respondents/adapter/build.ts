/**
 * Builds the programs of adapters in compiled languages. Apart from what a run checks, which starts no compiler.
 *
 * @module
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { BUILD_FOLDER, isInstalled, type Kit, notFoundMessage } from './kit.ts';
import type { RepositoryAdapter } from './manifest.ts';

/** Finds why the adapter cannot be built on this machine; undefined if it can. */
export function findBuildObstacle(folder: string, { toolchain, needs }: Kit): string | undefined {
  if (!isInstalled(toolchain, folder)) return notFoundMessage(toolchain);
  if (!needs) return undefined;
  const [program = '', ...parameters] = needs.check;
  const { status } = spawnSync(program, parameters, { cwd: folder, stdio: 'ignore' });
  return status === 0 ? undefined : needs.missing;
}

/** Runs the build and returns why it failed, if it did. The compiler writes to standard error. */
export function buildProgram(folder: string, { build }: Kit): string | undefined {
  mkdirSync(join(folder, BUILD_FOLDER), { recursive: true });
  const [program = '', ...parameters] = build;
  const { status, error } = spawnSync(program, parameters, {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  if (status === 0) return undefined;
  return `the build failed, ${error ? error.message : `status ${status}`}`;
}

/** Finds what this machine lacks to build the adapter, or to start it if it is not built; undefined if nothing. */
export function findMissingTool({ folder, kit, missing }: RepositoryAdapter): string | undefined {
  return kit ? findBuildObstacle(folder, kit) : missing;
}
