/**
 * An adapter in a folder of somebody's own, such as `init` writes.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DataError, UsageError } from '../errors.ts';
import { adapterManifest } from '../schema/data-validators.js';
import { schemaProblems, yamlFile } from '../suite/yaml-file.ts';
import { buildFailure, unbuildableReason } from './building.ts';
import type { Kit } from './kit.ts';
import { adapterOf, MANIFEST, type Manifest, type RepositoryAdapter } from './manifest.ts';

/** Reads the folder's manifest and, in a compiled language, builds the program. */
export function folderAdapter(given: string): RepositoryAdapter {
  const folder = resolve(given);
  const path = join(folder, MANIFEST);
  if (!existsSync(path)) {
    throw new UsageError(
      `there is no ${path}; --adapter takes a name of the repository or a folder that \`svc-conformance init\` has written`,
    );
  }
  const file = yamlFile(path, path);
  const problems = schemaProblems(file, adapterManifest, file.data);
  if (problems.length > 0) throw new DataError(problems);
  const adapter = adapterOf(folder, false, file.data as Manifest);
  return adapter.kit ? built(adapter, adapter.kit) : adapter;
}

/** Built for every run: the SDK that it calls may have changed, and compilers see what is to do. */
function built(adapter: RepositoryAdapter, kit: Kit): RepositoryAdapter {
  const missing = unbuildableReason(adapter.folder, kit) ?? buildFailure(adapter.folder, kit);
  return { ...adapter, missing };
}
