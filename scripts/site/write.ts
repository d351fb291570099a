/**
 * Writes pages into a folder, with relative links, so that the folder works at any address.
 *
 * @module
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { dataAddress, type Page, renderPage } from './page.ts';

export function writePages(folder: string, pages: readonly Page[], version: string): void {
  for (const page of pages) {
    writeText(folder, `${page.path}index.html`, toRelative(renderPage(page, version), page.path));
    if (page.json === undefined) continue;
    writeText(folder, dataAddress(page.path), `${JSON.stringify(page.json)}\n`);
  }
}

function writeText(folder: string, path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Makes links that start at the root of the site relative to a page. Quotes in texts are escaped, so only links match. */
export function toRelative(document: string, path: string): string {
  const up = '../'.repeat(path.split('/').length - 2);
  return document.replace(
    / (href|src|action)="\/(?!\/)/g,
    (_, name) => ` ${name}="${up === '' ? './' : up}`,
  );
}
