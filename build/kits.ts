/**
 * `npm run setup:kits`: builds every adapter in a compiled language whose toolchain is found.
 *
 * @module
 */
import { buildFailure } from '../harness/adapter/building.ts';
import { type Kit, recordSources, sourcesOf } from '../harness/adapter/kit.ts';
import { repositoryAdapters } from '../harness/adapter/manifest.ts';
import { isProgram } from '../harness/adapter/program.ts';

/** What became of it. */
function built(folder: string, { toolchain, build }: Kit): string {
  if (!isProgram(toolchain)) return `not built, because ${toolchain} was not found`;
  // Before the build: what changes meanwhile is not in the program.
  const sources = sourcesOf(folder);
  recordSources(folder);
  const failure = buildFailure(folder, build);
  if (failure === undefined) recordSources(folder, sources);
  else process.exitCode = 1;
  return failure ?? 'built';
}

for (const { name, folder, kit } of repositoryAdapters()) {
  if (kit) process.stdout.write(`${name}: ${built(folder, kit)}\n`);
}
