/**
 * Writes the site as the one file that the package contains.
 *
 * @module
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { packSite } from '../../harness/suite/site.ts';

const GZIP = Buffer.from([0x1f, 0x8b]);

/** Yields the size of the file in bytes. */
export function writePacked(folder: string, file: string): number {
  const packed = packSite(new Map(listFiles(folder).map((path) => [path, read(folder, path)])));
  writeFileSync(file, packed);
  return packed.length;
}

/** By ending, then by path: similar files together compress best. */
function listFiles(folder: string): readonly string[] {
  const keyOf = (path: string): string => `${extname(path)} ${path}`;
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/'))
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** Pagefind compresses its files one by one, and reads them uncompressed as well. */
function read(folder: string, path: string): Buffer {
  const bytes = readFileSync(join(folder, ...path.split('/')));
  return bytes.subarray(0, GZIP.length).equals(GZIP) ? gunzipSync(bytes) : bytes;
}
