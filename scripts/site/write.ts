/**
 * Writes pages into a folder, with relative links, so that the folder works at any address; and the folder into one file for the package.
 *
 * @module
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, relative, sep } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { packSite } from '../../harness/suite/site.ts';
import { dataAddress, type Page, renderDocument } from './page.ts';

export function writePages(folder: string, pages: readonly Page[], version: string): void {
  for (const page of pages) {
    const document = toRelative(renderDocument(page, version), page.path);
    writeBelow(folder, `${page.path}index.html`, readableQuotes(document));
    if (page.json === undefined) continue;
    writeBelow(folder, dataAddress(page.path), `${JSON.stringify(page.json)}\n`);
  }
}

/** Writes a file into a folder, and creates the folders on its path. */
export function writeBelow(folder: string, path: string, content: string | Uint8Array): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** Makes links that start at the root of the site relative to a page. Quotes in texts are escaped, so only links match. */
function toRelative(document: string, path: string): string {
  const up = '../'.repeat(path.split('/').length - 2);
  return document.replace(
    / (href|src|action)="\/(?!\/)/g,
    (_, name: string) => ` ${name}="${up === '' ? './' : up}`,
  );
}

/** Quotes outside of tags as they are: escapes of quotes in code would be 4 % of the site. */
function readableQuotes(document: string): string {
  return document.replace(/>[^<]+/g, (text) =>
    text.replaceAll('&quot;', '"').replaceAll('&#39;', "'"),
  );
}

const GZIP = Buffer.from([0x1f, 0x8b]);

/** Writes a site into one file, from which `docs` serves it; yields its size in bytes. */
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
