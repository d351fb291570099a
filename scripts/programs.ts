/**
 * Joins the compiled modules of each program into a few files: Node loads one large file much faster than forty small ones.
 *
 * @module
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { packagePath } from '../harness/suite/package-root.ts';

/** The compiled programs, by their names in `dist/bin`. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'svc-conformance': 'dist/harness/cli/cli.js',
  'reference-adapter': 'dist/adapters/reference/adapter.js',
  'etag-worker': 'dist/harness/cli/etag/worker.js',
  'module-adapter': 'dist/harness/respondents/module/adapter.js',
};

/** The modules that users import, by their folders in `dist`. */
const LIBRARIES: Readonly<Record<string, { readonly name: string; readonly path: string }>> = {
  vitest: { name: 'conformance', path: 'dist/harness/cli/vitest/conformance.js' },
  server: { name: 'server', path: 'dist/harness/respondents/serve/start.js' },
};

/** Packages that npm installs beside this one: they are large, or contain machine code. */
const EXTERNAL = ['yaml', 'fast-check', 'vitest', '@fastify/busboy', 'classic-level'];

/** A module and all that it imports statically, directly or not. */
function findStaticImports(path: string, found: Set<string> = new Set()): ReadonlySet<string> {
  if (found.has(path)) return found;
  found.add(path);
  const imports = readFileSync(path, 'utf8').matchAll(
    /^(?:import|export)(?: [\w*{}\s,]+ from)? '(\.[^']+)';$/gm,
  );
  for (const [, name = ''] of imports) findStaticImports(join(dirname(path), name), found);
  return found;
}

/** Writes `dist/bin` and the libraries. Each program is joined separately: the harness must share no code with the adapters. */
export async function writePrograms(): Promise<void> {
  for (const [name, path] of Object.entries(PROGRAMS)) {
    // Node starts a CommonJS program about ten milliseconds faster.
    await joinModules(name, path, { dir: 'dist/bin', format: 'cjs', extension: 'cjs' });
  }
  for (const [folder, { name, path }] of Object.entries(LIBRARIES)) {
    await joinModules(name, path, { dir: `dist/${folder}`, format: 'es', extension: 'js' });
  }
}

async function joinModules(
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
  const start = findStaticImports(packagePath(path));
  await joined.write({
    dir: packagePath(to.dir),
    // By default, Rolldown splits the modules of the start into one file for each set of verbs that share them.
    codeSplitting: { groups: [{ name: 'start', test: (id) => start.has(id) }] },
    format: to.format,
    entryFileNames: `[name].${to.extension}`,
    chunkFileNames: `${name}-[name].${to.extension}`,
  });
  await joined.close();
}
