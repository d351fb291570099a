/**
 * This package's own files: from source, from `dist/`, and from the binary, which contains them.
 *
 * In the binary, their paths are below the path of the program.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { getAsset, isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';
import { hasMembers, isList, isText, type Members, parseJson } from '../../reference/values.ts';

/** Whether this program is the binary, which `npm run binary` builds. */
export const IS_BINARY: boolean = isSea();

let root: string | undefined;

/** Found on the first use: a program that reads no file of the package may be anywhere. */
function packageRoot(): string {
  root ??= IS_BINARY ? process.execPath : findRoot(dirname(fileURLToPath(import.meta.url)));
  return root;
}

/** Searches upwards for the manifest: source, `dist/` and the joined programs differ in depth. */
function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) {
    throw new Error(
      `no folder above ${import.meta.url} has a package.json; install the package again`,
    );
  }
  return findRoot(parent);
}

/** @param path with slashes, relative to the package */
export function packagePath(path: string): string {
  return join(packageRoot(), ...path.split('/'));
}

/** The file in the binary that lists all others, as a JSON array of paths. */
export const BINARY_FILES = 'files';

/** Their paths have slashes and are relative to the package. */
let binaryFiles: ReadonlySet<string> | undefined;

/** The path as the binary lists its files; undefined if it is not inside the binary. */
function toBinaryName(path: string): string | undefined {
  if (!IS_BINARY) return undefined;
  const name = relative(packageRoot(), path).split(sep).join('/');
  return name === '..' || name.startsWith('../') || isAbsolute(name) ? undefined : name;
}

function listBinaryFiles(): ReadonlySet<string> {
  if (!binaryFiles) {
    const names = parseJson(getAsset(BINARY_FILES, 'utf8'));
    binaryFiles = new Set(isList(names) ? names.filter(isText) : []);
  }
  return binaryFiles;
}

/** Whether a path of the package leads into the binary, where no other program can use it. */
export function isInBinary(path: string): boolean {
  return toBinaryName(path) !== undefined;
}

/** As `readFileSync`, also for a file in the binary. */
export function readPackageFile(path: string): Buffer {
  const name = toBinaryName(path);
  return name === undefined ? readFileSync(path) : Buffer.from(getAsset(name));
}

/** Whether a file exists, in the binary or outside. */
export function isPackageFile(path: string): boolean {
  const name = toBinaryName(path);
  if (name !== undefined) return listBinaryFiles().has(name);
  return existsSync(path) && statSync(path).isFile();
}

/** The sorted names in a folder, in the binary or outside; none if it does not exist. */
export function listPackageFolder(path: string): readonly string[] {
  const folder = toBinaryName(path);
  if (folder === undefined) return existsSync(path) ? readdirSync(path).sort() : [];
  const inside = [...listBinaryFiles()].filter((name) => name.startsWith(`${folder}/`));
  const names = inside.map((name) => name.slice(folder.length + 1).split('/')[0] ?? '');
  return [...new Set(names)].sort();
}

/** The repository as `owner/name`. A release writes it into package.json; before that, the owner is a placeholder. */
export function repositoryName(): string {
  const { repository } = readManifest();
  if (!hasMembers(repository)) return 'OWNER/svc-conformance';
  return String(repository['url'])
    .replace(/\.git$/, '')
    .split('/')
    .slice(-2)
    .join('/');
}

/** The address of the site. A release writes it into package.json as a homepage that ends with a slash; undefined before that. */
export function siteAddress(): string | undefined {
  const { homepage } = readManifest();
  return isText(homepage) && homepage.endsWith('/') ? homepage : undefined;
}

export function packageVersion(): string {
  return String(readManifest()['version']);
}

function readManifest(): Members {
  const manifest = parseJson(readPackageFile(packagePath('package.json')).toString('utf8'));
  return hasMembers(manifest) ? manifest : {};
}
