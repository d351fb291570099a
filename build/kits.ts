/**
 * `npm run setup:kits`: builds every adapter in a compiled language whose toolchain is found.
 *
 * @module
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { BUILD_FOLDER, type Kit, recordSources, sourcesOf } from '../harness/adapter/kit.ts';
import { repositoryAdapters } from '../harness/adapter/manifest.ts';
import { isProgram } from '../harness/adapter/program.ts';

/** Why it cannot be built here; nothing where it can. */
function missing({ toolchain, needs }: Kit): string | undefined {
  if (!isProgram(toolchain)) return `${toolchain} was not found`;
  if (!needs) return undefined;
  const [program = '', ...parameters] = needs.check;
  const { status } = spawnSync(program, parameters, { stdio: 'ignore' });
  return status === 0 ? undefined : needs.missing;
}

/** What became of it; the compiler's own messages go to standard error as they come. */
function built(folder: string, kit: Kit): string {
  const reason = missing(kit);
  if (reason !== undefined) return `not built, because ${reason}`;
  // Before the build: what changes meanwhile is not in the program.
  const sources = sourcesOf(folder);
  mkdirSync(join(folder, BUILD_FOLDER), { recursive: true });
  recordSources(folder);
  const [program = '', ...parameters] = kit.build;
  const { status, error } = spawnSync(program, parameters, {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) {
    process.exitCode = 1;
    return `the build failed, ${error ? error.message : `status ${status}`}`;
  }
  recordSources(folder, sources);
  return 'built';
}

for (const { name, folder, kit } of repositoryAdapters()) {
  if (kit) process.stdout.write(`${name}: ${built(folder, kit)}\n`);
}
