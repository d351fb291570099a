/**
 * Joins the compiled modules of each program into few files: Node reads one file in the time of one of forty.
 *
 * @module
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { packagePath } from '../harness/suite/package-root.ts';

/** The programs of the package, by the name they get in `dist/bin`. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'svc-conformance': 'dist/harness/cli.js',
  'reference-adapter': 'dist/adapters/reference/adapter.js',
  'module-adapter': 'dist/harness/signer/adapter.js',
};

/** What people import, in ECMAScript, by the folder of `dist` that it gets. */
const LIBRARIES: Readonly<Record<string, { readonly name: string; readonly path: string }>> = {
  vitest: { name: 'conformance', path: 'dist/harness/vitest/conformance.js' },
  server: { name: 'server', path: 'dist/harness/serve/start.js' },
};

/** Is installed with the package: too large to be in it, or compiled for a machine. */
const EXTERNAL = [
  'yaml',
  'fast-check',
  'vitest',
  '@fastify/busboy',
  'classic-level',
  'memory-level',
];

/** A module, and every module that it imports from its start on. */
function startModules(path: string, found: Set<string> = new Set()): ReadonlySet<string> {
  if (found.has(path)) return found;
  found.add(path);
  const imports = readFileSync(path, 'utf8').matchAll(
    /^(?:import|export)(?: [\w*{}\s,]+ from)? '(\.[^']+)';$/gm,
  );
  for (const [, name = ''] of imports) startModules(join(dirname(path), name), found);
  return found;
}

/** Writes `dist/bin` and the libraries. Each is joined on its own, so that the harness shares no code with the adapter. */
export async function writePrograms(): Promise<void> {
  for (const [name, path] of Object.entries(PROGRAMS)) {
    // Node starts a CommonJS program some ten milliseconds sooner.
    await writeJoined(name, path, { dir: 'dist/bin', format: 'cjs', extension: 'cjs' });
  }
  for (const [folder, { name, path }] of Object.entries(LIBRARIES)) {
    await writeJoined(name, path, { dir: `dist/${folder}`, format: 'es', extension: 'js' });
  }
}

async function writeJoined(
  name: string,
  path: string,
  to: { readonly dir: string; readonly format: 'cjs' | 'es'; readonly extension: string },
): Promise<void> {
  const joined = await rolldown({
    input: { [name]: packagePath(path) },
    platform: 'node',
    external: [/^node:/, ...EXTERNAL],
    resolve: { conditionNames: ['node', 'import'] },
  });
  const start = startModules(packagePath(path));
  await joined.write({
    dir: packagePath(to.dir),
    // Left to itself, it splits what a start needs into a file for each set of verbs that share it.
    codeSplitting: { groups: [{ name: 'start', test: (id) => start.has(id) }] },
    format: to.format,
    entryFileNames: `[name].${to.extension}`,
    chunkFileNames: `${name}-[name].${to.extension}`,
  });
  await joined.close();
}
