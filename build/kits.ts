/**
 * `npm run setup:kits`: builds every adapter in a compiled language whose toolchain is found; other
 * `setup:` commands build the published SDKs of one toolchain, which takes a network.
 *
 * @module
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { BUILD_FOLDER, type Kit, recordSources, sourcesOf } from '../harness/adapter/kit.ts';
import { repositoryAdapters } from '../harness/adapter/manifest.ts';
import { isProgram } from '../harness/adapter/program.ts';

/** What became of it; the compiler's own messages go to standard error as they come. */
function built(folder: string, { toolchain, build }: Kit): string {
  if (!isProgram(toolchain)) return `not built, because ${toolchain} was not found`;
  // Before the build: what changes meanwhile is not in the program.
  const sources = sourcesOf(folder);
  mkdirSync(join(folder, BUILD_FOLDER), { recursive: true });
  recordSources(folder);
  const [program = '', ...parameters] = build;
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

/** The toolchain whose published SDKs are meant; without it, the kits of this project. */
const sdks = process.argv[2];
for (const { name, folder, kit, published } of repositoryAdapters()) {
  if (kit && published === (sdks !== undefined) && (!published || kit.toolchain === sdks))
    process.stdout.write(`${name}: ${built(folder, kit)}\n`);
}
