/**
 * Bundles the programs in test/harness/programs once for all tests: a program of one file starts in two thirds of the time.
 *
 * @module
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { BUNDLED_PROGRAMS } from './harness/program-path.ts';

const PROGRAMS = fileURLToPath(new URL('harness/programs/', import.meta.url));

/** The modules of the suite look for the package from where they are, so they cannot move. */
function readsSuite(name: string): boolean {
  return readFileSync(PROGRAMS + name, 'utf8').includes('/dist/harness/suite/');
}

export async function setup(): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-programs-'));
  const names = readdirSync(PROGRAMS).filter((name) => name.endsWith('.mjs') && !readsSuite(name));
  const bundle = await rolldown({
    input: Object.fromEntries(
      names.map((name) => [name.slice(0, -'.mjs'.length), PROGRAMS + name]),
    ),
    platform: 'node',
    resolve: { conditionNames: ['node', 'import'] },
    // Most of them do what they do when they are loaded.
    treeshake: false,
  });
  await bundle.write({
    dir: folder,
    format: 'es',
    entryFileNames: '[name].mjs',
    chunkFileNames: 'shared-[name].mjs',
  });
  await bundle.close();
  process.env[BUNDLED_PROGRAMS] = folder;
  return () => rmSync(folder, { recursive: true });
}
