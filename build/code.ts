/**
 * Joins the compiled modules of each program into few files: Node reads one file in the time of one of forty.
 *
 * @module
 */
import { rolldown } from 'rolldown';
import { packagePath } from '../harness/suite/package-root.ts';

/** The programs of the package, by the name they get in `dist/bin`. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'svc-conformance': 'dist/harness/cli.js',
  'reference-adapter': 'dist/adapters/reference/adapter.js',
  'module-adapter': 'dist/harness/signer/adapter.js',
};

/** Writes `dist/bin`. Each program is joined on its own, so that the harness shares no code with the adapter. */
export async function writePrograms(): Promise<void> {
  for (const [name, path] of Object.entries(PROGRAMS)) {
    const joined = await rolldown({
      input: { [name]: packagePath(path) },
      platform: 'node',
      external: [/^node:/, 'yaml', 'fast-check'],
      resolve: { conditionNames: ['node', 'import'] },
    });
    await joined.write({
      dir: packagePath('dist/bin'),
      // Node starts a CommonJS program some ten milliseconds sooner.
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: `${name}-[name].cjs`,
    });
    await joined.close();
  }
}
