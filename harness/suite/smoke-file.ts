/**
 * `smoke.yaml`: the smoke set of a folder of vectors, made by `vectors prove --write-smoke`.
 *
 * It is computed there and not by the build, because the proof takes longer than the whole build.
 *
 * @module
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataError } from '../errors.ts';
import { smoke as smokeSchema } from '../schema/data-validators.js';
import { schemaProblems, yamlFile } from './yaml-file.ts';

export const SMOKE_FILE = 'smoke.yaml';

/** The ids in it; nothing where the folder has none. */
export function readSmoke(
  folder: string,
  shownName: (path: string) => string,
  known: readonly string[],
): readonly string[] | undefined {
  const path = join(folder, SMOKE_FILE);
  if (!existsSync(path)) return undefined;
  const file = yamlFile(path, shownName(path));
  const problems = [...schemaProblems(file, smokeSchema, file.data)];
  if (problems.length > 0) throw new DataError(problems);
  const { vectors } = file.data as { readonly vectors: readonly string[] };
  for (const [i, id] of vectors.entries()) {
    if (known.includes(id)) continue;
    problems.push(
      file.problem(
        ['vectors', i],
        `is ${id}, which is no vector; write the file again with \`vectors prove --write-smoke\``,
      ),
    );
  }
  if (problems.length > 0) throw new DataError(problems);
  return vectors;
}

export function writeSmoke(folder: string, ids: readonly string[]): void {
  writeFileSync(
    join(folder, SMOKE_FILE),
    `# For each operation, few of its vectors that catch what all of its vectors catch, or nearly so.\n` +
      `# Made by \`svc-conformance vectors prove --write-smoke\`; not to be edited.\n` +
      `vectors:\n${ids.map((id) => `  - ${id}\n`).join('')}`,
  );
}
