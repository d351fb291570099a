/**
 * An adapter in a folder outside this repository, such as `init` writes.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UsageError } from '../../engine/errors.ts';
import { adapterManifest } from '../../suite/schema/data-validators.js';
import { readCheckedYaml } from '../../suite/yaml-file.ts';
import { buildProgram, findBuildObstacle } from './build.ts';
import { MANIFEST, type Manifest, type RepositoryAdapter, resolveManifest } from './manifest.ts';

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

function readManifest(path: string): Manifest {
  if (!existsSync(path)) {
    throw new UsageError(
      `there is no ${path}; --adapter takes a name of the repository or a folder that \`svc-conformance init\` has written`,
    );
  }
  return readCheckedYaml(path, path, adapterManifest).data as Manifest;
}
