/**
 * The pages of renamed ids, which link to the new ids.
 *
 * @module
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { packagePath } from '../../harness/suite/package-root.ts';
import { html } from '../../reference/server/pages/html.ts';
import type { Page } from './page.ts';

const FILE = 'site/moved.yaml';

/** @throws Error if an old id still has a page, or a new id has none */
export function movedPages(pages: readonly Page[]): readonly Page[] {
  const moves: readonly { readonly from: string; readonly to: string }[] = parse(
    readFileSync(packagePath(FILE), 'utf8'),
  );
  return moves.map(({ from, to }) => {
    const target = pages.find(({ path }) => path === to);
    if (!target) throw new Error(`${FILE}: there is no page ${to}`);
    if (pages.some(({ path }) => path === from))
      throw new Error(`${FILE}: ${from} still has a page`);
    return {
      path: from,
      title: 'Renamed',
      summary: `It is now ${to}.`,
      kind: 'renamed',
      json: { movedTo: to },
      body: html`<h1>This id was renamed</h1>
<p class="lead">It is now <a href="${to}">${to.slice(1, -1)}</a>: ${target.title}</p>`,
    };
  });
}
