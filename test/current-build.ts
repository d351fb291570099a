/**
 * Stops tests of an old build: they import compiled files, so a change of a source alone changes no test.
 *
 * @module
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './root.ts';

/** Throws if a source was changed after it was compiled. */
export function setup(): void {
  const [stale] = findStaleSources(ROOT);
  if (stale !== undefined) {
    throw new Error(
      `dist is older than ${stale}; run npm run build, or npx tsc -p tsconfig.build.json`,
    );
  }
}

/** The sources that are newer than their files in `dist`, or have none. */
export function findStaleSources(root: string): readonly string[] {
  const { include }: { readonly include: readonly string[] } = JSON.parse(
    readFileSync(join(root, 'tsconfig.build.json'), 'utf8'),
  );
  return include.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
      .map((name) => join(folder, name))
      .filter((path) => {
        const built = join(root, 'dist', path.replace(/\.ts$/, '.js'));
        return modifiedAt(join(root, path)) > modifiedAt(built);
      }),
  );
}

function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
