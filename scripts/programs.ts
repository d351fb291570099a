/**
 * Joins the compiled modules of each program into a few files: Node loads one large file much faster than forty small ones.
 *
 * @module
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { packagePath } from '../harness/suite/package-root.ts';

/** A compiled module, and others that are joined with it, so that they share their files. */
interface Bundle {
  /** The name of its file in `dist/bin`. */
  readonly name: string;
  /** The path of the module. All that it imports statically is in one file. */
  readonly path: string;
  /** Node starts a CommonJS program about ten milliseconds faster. */
  readonly format: 'cjs' | 'es';
  /** Compiled modules by the names of their files. */
  readonly others?: Readonly<Record<string, string>>;
  /** Files of `dist/bin` that it imports, by the compiled modules in them. */
  readonly apart?: Readonly<Record<string, string>>;
}

const FRAMEWORKS = 'dist/harness/cli/frameworks';

const VECTOR_TESTS = `${FRAMEWORKS}/vector-tests.js`;

/**
 * The programs, and the modules that users import. The harness must share no code with the adapters.
 *
 * Jest loads CommonJS, which ES modules can import; `require` cannot load vitest.
 */
const BUNDLES: readonly Bundle[] = [
  {
    name: 'svc-conformance',
    path: 'dist/harness/cli/cli.js',
    format: 'cjs',
    others: {
      jest: `${FRAMEWORKS}/jest.js`,
      'node-test': `${FRAMEWORKS}/node-test.js`,
      'vector-tests': VECTOR_TESTS,
      server: 'dist/harness/respondents/serve/start.js',
    },
  },
  {
    name: 'vitest',
    path: `${FRAMEWORKS}/vitest.js`,
    format: 'es',
    apart: { [VECTOR_TESTS]: './vector-tests.cjs' },
  },
  { name: 'reference-adapter', path: 'dist/adapters/reference/adapter.js', format: 'cjs' },
  { name: 'etag-worker', path: 'dist/harness/cli/etag/worker.js', format: 'cjs' },
  { name: 'module-adapter', path: 'dist/harness/respondents/module/adapter.js', format: 'cjs' },
];

/** Packages that the user installs. The bundles contain the used parts of all others, which are a fifth of their size. */
const EXTERNAL = ['vitest', '@jest/globals', 'classic-level'];

const LICENCES = 'dist/LICENCES.txt';

/** A module and all modules that it imports statically, directly or indirectly. */
function findStaticImports(path: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  const imports = readFileSync(path, 'utf8').matchAll(
    /^(?:import|export)(?: [\w*{}\s,]+ from)? '(\.[^']+)';$/gm,
  );
  for (const [, name = ''] of imports) findStaticImports(join(dirname(path), name), found);
  return found;
}

/** Writes `dist/bin`. */
export async function writePrograms(): Promise<void> {
  const packages = new Set<string>();
  for (const bundle of BUNDLES) await joinModules(bundle, packages);
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

/** @param packages receives the names of the packages that are joined in */
async function joinModules(
  { name, path, format, others = {}, apart = {} }: Bundle,
  packages: Set<string>,
): Promise<void> {
  const paths = mapEntries(apart, (module, file) => [packagePath(module), file]);
  const joined = await rolldown({
    input: mapEntries({ [name]: path, ...others }, (file, module) => [file, packagePath(module)]),
    platform: 'node',
    external: [/^node:/, ...EXTERNAL, ...Object.keys(paths)],
    resolve: { conditionNames: ['node', 'import'] },
  });
  const start = findStaticImports(packagePath(path));
  // The program starts when its file is loaded, so the others must not load it.
  if (Object.keys(others).length > 0) start.delete(packagePath(path));
  const extension = format === 'cjs' ? 'cjs' : 'js';
  const { output } = await joined.write({
    dir: packagePath('dist/bin'),
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

function mapEntries(
  entries: Readonly<Record<string, string>>,
  change: (key: string, value: string) => readonly [key: string, value: string],
): Record<string, string> {
  return Object.fromEntries(Object.entries(entries).map(([key, value]) => change(key, value)));
}
