/**
 * The files of a new adapter project.
 *
 * @module
 */
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../../engine/errors.ts';
import { MANIFEST } from '../../respondents/adapter/manifest.ts';
import { makeFolder } from '../../suite/make-folder.ts';
import {
  isPackageFile,
  listPackageFolder,
  packagePath,
  packageVersion,
  readPackageFile,
} from '../../suite/package-root.ts';
import type { BeginningKit } from './kits.ts';
import { expectations, readme, workflow } from './texts.ts';

/** The text of each file by its path within the project, with slashes; in the order in which to read them. */
export type ProjectFiles = ReadonlyMap<string, string>;

const TEMPLATE = 'template';

/**
 * @param place the project's path from the root of its repository, with slashes; `.` for the root
 * @param dialect the dialect that `adapter.json` names
 * @param ci the file for a CI service, with its path relative to the project
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
  const text = (path: string): string => readPackageFile(join(kit.folder, path)).toString('utf8');
  const templates = filesIn(join(kit.folder, TEMPLATE)).filter((path) => path !== kit.fillIn);
  return new Map([
    [kit.fillIn, text(`${TEMPLATE}/${kit.fillIn}`)],
    ...kit.copies.map((path) => [path, text(path)] as const),
    ...templates.map((path) => {
      const written = text(`${TEMPLATE}/${path}`);
      return [path, path === MANIFEST ? inDialect(written, dialect) : pinned(written)] as const;
    }),
    ['expectations.yaml', expectations()],
    ['PROTOCOL.md', readPackageFile(packagePath('adapters/PROTOCOL.md')).toString('utf8')],
    ['README.md', readme(kit, place)],
    ...(kit.ignored.length > 0 ? [['.gitignore', `${kit.ignored.join('\n')}\n`] as const] : []),
    ci,
  ]);
}

/** A file with this version of the package in its command. */
function pinned(text: string): string {
  return text.replaceAll('svc-conformance@VERSION', `svc-conformance@${packageVersion()}`);
}

/** The manifest with another dialect and the same layout. */
function inDialect(manifest: string, dialect: string): string {
  return manifest.replace(/("dialect":\s*)"[^"]*"/, (_, name: string) => `${name}"${dialect}"`);
}

/** The paths of all files below a folder, with slashes. */
function filesIn(folder: string): readonly string[] {
  const names = listPackageFolder(folder).flatMap((name) =>
    isPackageFile(join(folder, name))
      ? [name]
      : filesIn(join(folder, name)).map((inside) => `${name}/${inside}`),
  );
  return names.sort();
}

/** Writes all files, or none if one exists already. */
export function writeProject(folder: string, files: ProjectFiles): void {
  const places = [...files].map(
    ([path, text]) => [join(folder, ...path.split('/')), path, text] as const,
  );
  const there = places.find(([place]) => existsSync(place));
  if (there) {
    throw new UsageError(
      `${there[1]} already exists in ${folder}, and init overwrites nothing; name an empty or a new folder`,
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
