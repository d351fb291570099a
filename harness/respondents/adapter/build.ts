/**
 * Builds the programs of adapters in compiled languages, and loads an adapter from a folder of its own. Apart from what a run checks, which starts no compiler.
 *
 * @module
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UsageError } from '../../engine/errors.ts';
import { adapterManifest } from '../../suite/schema/data-validators.js';
import type { Manifest } from '../../suite/schema/shapes.ts';
import { readCheckedYaml } from '../../suite/yaml-file.ts';
import {
  BUILD_FOLDER,
  isInstalled,
  type Kit,
  MANIFEST,
  notFoundMessage,
  type RepositoryAdapter,
  resolveManifest,
} from './manifest.ts';

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

/**
 * Reads the folder's manifest. In a compiled language, it also builds the program, on every run: the SDK that the
 * adapter calls may have changed, and compilers rebuild only what is out of date.
 */
export function loadFolderAdapter(path: string): RepositoryAdapter {
  const folder = resolve(path);
  const adapter = resolveManifest(folder, false, readManifest(join(folder, MANIFEST)));
  if (!adapter.kit) return adapter;
  const missing = findBuildObstacle(folder, adapter.kit) ?? buildProgram(folder, adapter.kit);
  return { ...adapter, missing };
}

/** @throws UsageError or DataError if the file does not exist or does not match its schema */
export function readManifest(path: string): Manifest {
  if (!existsSync(path)) {
    throw new UsageError(
      `there is no ${path}; --adapter takes a name of the repository or a folder that \`svc-conformance init\` has written`,
    );
  }
  return readCheckedYaml(path, adapterManifest, path).data;
}
