/**
 * `npm run setup:kits`: builds every adapter in a compiled language whose toolchain is found; other
 * `setup:` commands build the published SDKs of one toolchain, which takes a network.
 *
 * @module
 */
import { buildFailure, unbuildableReason } from '../harness/adapter/building.ts';
import { type Kit, recordSources, sourcesOf } from '../harness/adapter/kit.ts';
import { repositoryAdapters } from '../harness/adapter/manifest.ts';

/** What became of it. */
function built(folder: string, kit: Kit): string {
  const reason = unbuildableReason(folder, kit);
  if (reason !== undefined) return `not built, because ${reason}`;
  // Before the build: what changes meanwhile is not in the program.
  const sources = sourcesOf(folder);
  recordSources(folder);
  const failure = buildFailure(folder, kit);
  if (failure === undefined) recordSources(folder, sources);
  else process.exitCode = 1;
  return failure ?? 'built';
}

/** The toolchain whose published SDKs are meant; without it, the kits of this project. */
const sdks = process.argv[2];
for (const { name, folder, kit, published } of repositoryAdapters()) {
  if (kit && published === (sdks !== undefined) && (!published || kit.toolchain === sdks))
    process.stdout.write(`${name}: ${built(folder, kit)}\n`);
}
