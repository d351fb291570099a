/**
 * What all built-in pages have around their content.
 *
 * @module
 */
import { type Html, html } from './html.ts';
import { STYLE } from './style.ts';

export function renderPage(title: string, beside: Html, content: Html): string {
  // Not escaped: the policy of the page has the digest of the style.
  const style: Html = { html: STYLE };
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<nav><a href="/-/">Requests</a> <a href="/-/buckets">Buckets</a></nav>
<header><h1>${title}</h1>${beside}</header>
${content}
</body>
</html>
`.html;
}
