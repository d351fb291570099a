/**
 * What all built-in pages have around their content, and their style sheet, for light and dark themes and for wide and narrow windows.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { type Html, html, raw } from './html.ts';

/** The style is not escaped, because the policy of the page has its digest. */
export function renderPage(title: string, beside: Html, content: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<nav><a href="/-/">Requests</a> <a href="/-/buckets">Buckets</a></nav>
<header><h1>${title}</h1>${beside}</header>
${content}
</body>
</html>
`.html;
}

const STYLE = `
:root {
  color-scheme: light dark;
  --text: light-dark(#1a1d21, #e4e6e9);
  --quiet: light-dark(#5c636b, #9aa2ab);
  --page: light-dark(#fff, #15181c);
  --panel: light-dark(#f4f5f7, #1e2228);
  --line: light-dark(#dadde1, #343a42);
  --right: light-dark(#0b6b34, #5fd08e);
  --wrong: light-dark(#b3141d, #ff8a88);
  --note: light-dark(#7a4b00, #e7b45a);
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.25rem; max-width: 78rem;
  color: var(--text); background: var(--page);
  font: 0.95rem/1.45 system-ui, sans-serif;
}
nav { margin: 0 0 0.5rem; color: var(--quiet); }
nav a { margin-right: 1rem; }
ul.entries { list-style: none; margin: 1rem 0; padding: 0; border-top: 1px solid var(--line); }
ul.entries > li {
  display: flex; flex-wrap: wrap; gap: 0.15rem 0.9rem; align-items: baseline;
  padding: 0.5rem 0.25rem; border-bottom: 1px solid var(--line); overflow-wrap: anywhere;
}
ul.entries a { flex: 1 1 12rem; min-width: 0; font-family: ui-monospace, monospace; font-size: 0.85rem; }
@media (min-width: 60rem) {
  ul.entries > li { display: grid; grid-template-columns: minmax(0, 1fr) 5.5rem 16rem 11rem 17.5rem; }
  ul.buckets > li { grid-template-columns: minmax(0, 1fr) 5.5rem 10rem minmax(0, 26rem); }
}
header { display: flex; flex-wrap: wrap; gap: 0 1.5rem; align-items: baseline; }
h1 { font-size: 1.2rem; margin: 0; }
header p { margin: 0; color: var(--quiet); }
a { color: inherit; }
ol.requests { list-style: none; margin: 1rem 0; padding: 0; border-top: 1px solid var(--line); }
ol.requests > li { border-bottom: 1px solid var(--line); }
.row {
  display: grid; align-items: baseline; gap: 0.15rem 0.9rem; padding: 0.5rem 0.25rem;
  grid-template-columns: 4.8rem minmax(0, 1fr) 13rem 7.5rem 6rem;
}
summary.row { cursor: pointer; list-style: none; }
summary.row::-webkit-details-marker { display: none; }
summary.row:hover { background: var(--panel); }
summary .verdict::after { content: " \\25b8"; }
details[open] summary .verdict::after { content: " \\25be"; }
code, .request, time, .text { font-family: ui-monospace, monospace; font-size: 0.85rem; }
code, .request, .text, .operation { overflow-wrap: anywhere; }
.request b { font-weight: 600; }
.request .message { display: block; font-family: system-ui, sans-serif; }
time, .status, .quiet, .operation { color: var(--quiet); }
.status { font-variant-numeric: tabular-nums; }
.verdict { font-weight: 600; }
.verdict.right { color: var(--right); }
.verdict.wrong { color: var(--wrong); }
.verdict.vendor { color: var(--note); }
.verdict.none { color: var(--quiet); font-weight: 400; }
.more { overflow-wrap: anywhere; padding: 0.25rem 1rem 1rem; background: var(--panel); }
.more h2 { font-size: 0.9rem; margin: 1rem 0 0.35rem; }
.cause { border-left: 3px solid var(--wrong); padding-left: 0.75rem; margin: 0.5rem 0; }
.cause p, .more > p { margin: 0.35rem 0; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.2rem 0.9rem 0.2rem 0; font-weight: 400; }
td { border-top: 1px solid var(--line); }
th { color: var(--quiet); font-size: 0.85rem; }
td.number { color: var(--quiet); font-variant-numeric: tabular-nums; width: 2rem; }
td.name { width: 11rem; overflow-wrap: anywhere; }
td.origin { color: var(--quiet); font-size: 0.85rem; width: 32%; }
td i { color: var(--quiet); font-style: normal; }
dl { display: grid; grid-template-columns: 6rem minmax(0, 1fr); gap: 0.2rem 0.9rem; margin: 0; }
dt { color: var(--quiet); }
dd { margin: 0; }
@media (max-width: 46rem) {
  body { padding: 0.75rem; }
  .row { grid-template-columns: auto auto 1fr; }
  .request { grid-column: 1 / -1; grid-row: 2; }
  .operation { grid-column: 1 / -1; grid-row: 3; }
  .status { grid-column: 2; grid-row: 1; }
  .verdict { grid-column: 3; grid-row: 1; text-align: right; }
  .more { padding: 0.25rem 0.6rem 0.75rem; }
  table, tbody, tr, td { display: block; }
  thead { display: none; }
  td, td.number, td.name, td.origin { border: 0; padding: 0; width: auto; }
  td.number { float: left; width: 1.6rem; }
  td.origin { margin-left: 1.6rem; }
  td.text, td.name { margin-left: 1.6rem; }
  tr { border-top: 1px solid var(--line); padding: 0.3rem 0; }
  dl { grid-template-columns: minmax(0, 1fr); }
}
`;

const DIGEST = createHash('sha256').update(STYLE).digest('base64');

/** The Content-Security-Policy of the pages: they load nothing, run no scripts and use only this style sheet. */
export const PAGE_POLICY: string = `default-src 'none'; style-src 'sha256-${DIGEST}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
