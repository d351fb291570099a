/**
 * Builds the adapters in compiled languages.
 *
 * `npm run setup:kits` builds the kits whose toolchain is installed. The other `setup:` commands build the adapters of
 * the published SDKs of one toolchain, and need a network.
 *
 * @module
 */
import { buildProgram, findBuildObstacle } from '../harness/respondents/adapter/build.ts';
import {
  type Kit,
  listRepositoryAdapters,
  readSources,
  recordSources,
} from '../harness/respondents/adapter/manifest.ts';

/** Builds one adapter and describes the result. */
function buildKit(folder: string, kit: Kit): string {
  const reason = findBuildObstacle(folder, kit);
  if (reason !== undefined) return `not built, because ${reason}`;
  // Record the sources before the build, because the program does not contain later changes.
  const sources = readSources(folder);
  recordSources(folder);
  const failure = buildProgram(folder, kit);
  if (failure === undefined) recordSources(folder, sources);
  else process.exitCode = 1;
  return failure ?? 'built';
}

/** The toolchain whose SDK adapters are built; undefined for the kits of this project. */
const toolchain = process.argv[2];
for (const { name, folder, kit, published } of listRepositoryAdapters()) {
  const isMeant = toolchain === undefined ? !published : published && kit?.toolchain === toolchain;
  if (kit && isMeant) process.stdout.write(`${name}: ${buildKit(folder, kit)}\n`);
}
