/**
 * The files of a new adapter project.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { UsageError } from '../../engine/errors.ts';
import { MANIFEST } from '../../respondents/adapter/manifest.ts';
import { makeFolder } from '../../suite/make-folder.ts';
import { packagePath } from '../../suite/package-root.ts';
import type { BeginningKit } from './kits.ts';
import { expectations, readme, workflow } from './texts.ts';

/** Text by path within the project, in the order to read them in; paths with slashes. */
export type ProjectFiles = ReadonlyMap<string, string>;

const TEMPLATE = 'template';

/**
 * @param place the project's path from the root of its repository, with slashes; `.` for the root
 * @param dialect its name, which `adapter.json` holds for every run
 * @param ci the file for a CI service, its path from the project
 */
export function projectFiles(
  kit: BeginningKit,
  place: string,
  dialect: string,
  ci: readonly [path: string, text: string] = [
    '.github/workflows/conformance.yml',
    workflow(kit, place),
  ],
): ProjectFiles {
  const text = (path: string): string => readFileSync(join(kit.folder, path), 'utf8');
  const templates = filesIn(join(kit.folder, TEMPLATE)).filter((path) => path !== kit.fillIn);
  return new Map([
    [kit.fillIn, text(`${TEMPLATE}/${kit.fillIn}`)],
    ...kit.copies.map((path) => [path, text(path)] as const),
    ...templates.map((path) => {
      const written = text(`${TEMPLATE}/${path}`);
      return [path, path === MANIFEST ? inDialect(written, dialect) : written] as const;
    }),
    ['expectations.yaml', expectations()],
    ['PROTOCOL.md', readFileSync(packagePath('adapters/PROTOCOL.md'), 'utf8')],
    ['README.md', readme(kit, place)],
    ...(kit.ignored.length > 0 ? [['.gitignore', `${kit.ignored.join('\n')}\n`] as const] : []),
    ci,
  ]);
}

/** The manifest with another dialect and the same layout. */
function inDialect(manifest: string, dialect: string): string {
  return manifest.replace(/("dialect":\s*)"[^"]*"/, (_, name: string) => `${name}"${dialect}"`);
}

/** Every file below a folder, its path with slashes. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'))
    .sort();
}

/** Writes all files, or none if one exists already. */
export function writeProject(folder: string, files: ProjectFiles): void {
  const places = [...files].map(
    ([path, text]) => [join(folder, ...path.split('/')), path, text] as const,
  );
  const there = places.find(([place]) => existsSync(place));
  if (there) {
    throw new UsageError(
      `${there[1]} is in ${folder} already, and init overwrites nothing; name an empty folder, or a new one`,
    );
  }
  try {
    for (const [place, , text] of places) {
      makeFolder(dirname(place));
      writeFileSync(place, text, { flag: 'wx' });
    }
  } catch (error) {
    throw new UsageError(
      `the adapter cannot be written into ${folder}: ${(error as NodeJS.ErrnoException).code}; name another folder`,
    );
  }
}
