/**
 * The pages of renamed and removed ids, which say where they went.
 *
 * @module
 */

import { readFileSync } from 'node:fs';
import { packagePath } from '../../harness/suite/package-root.ts';
import { html } from '../../reference/server/pages/html.ts';
import { isListOf, isOptional, isShapeOf, isText } from '../../reference/values.ts';
import { ADDRESSES } from '../outputs/addresses.ts';
import type { Page } from './page.ts';
import { readSiteFile } from './site-file.ts';

const FILE = 'site/moved.yaml';

interface Move {
  readonly from: string;
  readonly to: string;
  /** Why the id was removed; a renamed id has none. */
  readonly because?: string;
}

/** @throws Error if an old id still has a page, a new id has none, or an id is gone without a word */
export function movedPages(pages: readonly Page[]): readonly Page[] {
  const isMove = isShapeOf<Move>({ from: isText, to: isText, because: isOptional(isText) });
  const moves = readSiteFile(FILE, isListOf(isMove));
  const addresses = readFileSync(packagePath(ADDRESSES), 'utf8').trimEnd().split('\n');
  checkAddresses(addresses, [...pages.map(({ path }) => path), ...moves.map(({ from }) => from)]);
  return moves.map((move) => createPage(move, pages));
}

/** @throws Error for an address that the site had and has no more */
export function checkAddresses(addresses: readonly string[], paths: readonly string[]): void {
  const known = new Set(paths);
  const gone = addresses.find((address) => !known.has(address));
  if (gone !== undefined)
    throw new Error(`${gone} has no page any more; say in ${FILE} where its id went`);
}

function createPage({ from, to, because }: Move, pages: readonly Page[]): Page {
  const target = pages.find(({ path }) => path === to);
  if (!target) throw new Error(`${FILE}: there is no page ${to}`);
  if (pages.some(({ path }) => path === from)) throw new Error(`${FILE}: ${from} still has a page`);
  const link = html`<a href="${to}">${to.slice(1, -1)}</a>: ${target.title}`;
  const [title, text] =
    because === undefined
      ? ['This id was renamed', html`It is now ${link}`]
      : ['This id was removed', html`${because} See ${link}`];
  return {
    path: from,
    title,
    summary: because ?? `It is now ${to}.`,
    kind: because === undefined ? 'renamed' : 'removed',
    json: { movedTo: to, because },
    body: html`<h1>${title}</h1>
<p class="lead">${text}</p>`,
  };
}
