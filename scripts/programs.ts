/**
 * Joins the compiled modules of each program into a few files: Node loads one large file much faster than forty small ones.
 *
 * @module
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
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

interface Library {
  readonly folder: string;
  readonly format: 'cjs' | 'es';
  /** Compiled modules by the names of the files that users import. */
  readonly entries: Readonly<Record<string, string>>;
  /** Compiled modules that it imports from other files of its folder. */
  readonly apart?: Readonly<Record<string, string>>;
}

const FRAMEWORKS = 'dist/harness/cli/frameworks';

const VECTOR_TESTS = `${FRAMEWORKS}/vector-tests.js`;

/** The modules that users import. Jest loads CommonJS, which ES modules can import; `require` cannot load vitest. */
const LIBRARIES: readonly Library[] = [
  {
    folder: 'frameworks',
    format: 'cjs',
    entries: {
      jest: `${FRAMEWORKS}/jest.js`,
      'node-test': `${FRAMEWORKS}/node-test.js`,
      'vector-tests': VECTOR_TESTS,
    },
  },
  {
    folder: 'frameworks',
    format: 'es',
    entries: { vitest: `${FRAMEWORKS}/vitest.js` },
    apart: { [VECTOR_TESTS]: './vector-tests.cjs' },
  },
  {
    folder: 'server',
    format: 'es',
    entries: { server: 'dist/harness/respondents/serve/start.js' },
  },
];

/** Packages that the user installs. The bundles contain the used parts of all others, which are a fifth of their size. */
const EXTERNAL = ['vitest', '@jest/globals', 'classic-level'];

const LICENCES = 'dist/LICENCES.txt';

/** A module and all modules that it imports statically, directly or indirectly. */
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
  const packages = new Set<string>();
  for (const [name, path] of Object.entries(PROGRAMS)) {
    // Node starts a CommonJS program about ten milliseconds faster.
    await joinModules({ folder: 'bin', format: 'cjs', entries: { [name]: path } }, packages, name);
  }
  for (const library of LIBRARIES) await joinModules(library, packages);
  writeFileSync(packagePath(LICENCES), [...packages].sort().map(readLicence).join('\n'));
}

/** The licence of a package, which its copies have to contain. */
function readLicence(name: string): string {
  const folder = packagePath(`node_modules/${name}`);
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  if (file === undefined) throw new Error(`${name} has no file with its licence`);
  return `${name}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}

/** The name of the package that a module is from. */
const PACKAGE = /node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/;

/**
 * @param packages receives the names of the packages that are joined in
 * @param name the start of the names of the files beside the entries
 */
async function joinModules(
  { folder, format, entries, apart = {} }: Library,
  packages: Set<string>,
  name: string = folder,
): Promise<void> {
  const paths = withPackagePaths(apart);
  const joined = await rolldown({
    input: Object.fromEntries(
      Object.entries(entries).map(([entry, path]) => [entry, packagePath(path)]),
    ),
    platform: 'node',
    external: [/^node:/, ...EXTERNAL, ...Object.keys(paths)],
    resolve: { conditionNames: ['node', 'import'] },
  });
  const start = findStart(Object.values(entries).map(packagePath));
  const extension = format === 'cjs' ? 'cjs' : 'js';
  const { output } = await joined.write({
    dir: packagePath(`dist/${folder}`),
    // By default, Rolldown splits the modules of the start into one file for each set of verbs that share them.
    codeSplitting: { groups: [{ name: 'start', test: (id) => start.has(id) }] },
    format,
    paths,
    // They are in the sources; the licences have a file of their own.
    comments: false,
    // Names stay, so that a stack tells where an error is from.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    entryFileNames: `[name].${extension}`,
    chunkFileNames: `${name}-[name].${extension}`,
  });
  await joined.close();
  for (const id of output.flatMap((one) => (one.type === 'chunk' ? one.moduleIds : []))) {
    const [, own] = PACKAGE.exec(id) ?? [];
    if (own !== undefined) packages.add(own);
  }
}

function withPackagePaths(files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, file]) => [packagePath(path), file]));
}

/** What is loaded first. Several entries share it, and none of them loads the framework of another. */
function findStart(entries: readonly string[]): ReadonlySet<string> {
  const start = new Set(entries.flatMap((path) => [...findStaticImports(path)]));
  if (entries.length > 1) for (const path of entries) start.delete(path);
  return start;
}
