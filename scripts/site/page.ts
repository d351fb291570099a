/**
 * The type of a page, and the HTML around the body of every page.
 *
 * Links in pages start at the root of the site; `writePages` makes them relative.
 *
 * @module
 */
import { type Html, html } from '../../reference/server/pages/html.ts';

export interface Page {
  /** The address, with a slash at both ends: `/rules/5.2/headers-sorted/`. */
  readonly path: string;
  readonly title: string;
  /** The text that the search shows below the title. */
  readonly summary: string;
  /** The word that the search shows before the title, such as `rule`. */
  readonly kind: string;
  readonly body: Html;
  /** The data of the page, at the address with `.json` instead of the last slash. */
  readonly json?: unknown;
  /** Questions that readers ask and this page answers. */
  readonly asked?: readonly string[];
  /** Elements for the head, before any script. */
  readonly head?: Html;
}

/** The parts of the site, in the order of the navigation. */
const PARTS: readonly (readonly [path: string, name: string])[] = [
  ['/spec/', 'Specification'],
  ['/vectors/', 'Vectors'],
  ['/mistakes/', 'Mistakes'],
  ['/results/', 'Results'],
  ['/guides/', 'Guides'],
  ['/reference/', 'Reference'],
  ['/playground/', 'Playground'],
];

/** Addresses that belong to a part of the navigation with another address. */
const PARENTS: Readonly<Record<string, string>> = {
  rules: '/spec/',
  operations: '/vectors/',
  sdks: '/results/',
};

function findPart(path: string): string {
  const [, folder = ''] = path.split('/');
  return PARENTS[folder] ?? `/${folder}/`;
}

function renderNavigation(path: string): Html {
  const part = findPart(path);
  const links = PARTS.map(([address, name]) => {
    const state = address === path ? 'page' : 'true';
    const current = address === part ? html` aria-current="${state}"` : undefined;
    return html`<li><a href="${address}"${current}>${name}</a></li>`;
  });
  return html`<nav aria-label="Parts of the site"><ul>${links}</ul></nav>`;
}

/** The weight of a kind of page in the search. Vectors and places have low weights, because there are many. */
const WEIGHTS: Readonly<Record<string, number>> = { vector: 0.4, place: 0.2, 'error code': 3 };

/** A page as a document. */
export function renderDocument(page: Page, version: string): string {
  const { path, kind, body, json, asked = [] } = page;
  const data =
    json === undefined ? html`` : html` · <a href="${dataAddress(path)}">this page as JSON</a>`;
  return html`<!doctype html>
<html lang="en">
${renderHead(page)}
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="site">
<a class="brand" href="/">svc-conformance</a>
${renderNavigation(path)}
<form role="search" action="/search/"><input type="search" name="q" aria-label="Search" placeholder="Symptom, code or id"><button>Search</button></form>
</header>
<main id="main" data-pagefind-body data-pagefind-weight="${WEIGHTS[kind] ?? 1}">
<span hidden data-pagefind-meta="kind">${kind}</span>
${body}
${renderAsked(asked)}</main>
<footer><p>svc-conformance ${version} · generated from its vectors, rules and code${data}</p></footer>
</body>
</html>
`.html;
}

function renderHead({ path, title, summary, json, head }: Page): Html {
  const name = path === '/' ? title : `${title} · svc-conformance`;
  const alternate =
    json === undefined
      ? html``
      : html`<link rel="alternate" type="application/json" href="${dataAddress(path)}">\n`;
  return html`<head>
<meta charset="utf-8">
${head}<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
<meta name="description" data-pagefind-meta="summary[content]" content="${summary}">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style.css">
${alternate}<script src="/page.js" defer></script>
</head>`;
}

/** The address of the data of a page. */
export const dataAddress = (path: string): string => `${path.slice(0, -1)}.json`;

function renderAsked(asked: readonly string[]): Html {
  if (asked.length === 0) return html``;
  return html`<p class="asked" data-pagefind-weight="10">Readers ask: ${asked.join(' ')}</p>\n`;
}
