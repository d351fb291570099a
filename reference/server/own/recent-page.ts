/**
 * The page of recent requests.
 *
 * @module
 */
import type { Exchange } from '../exchange.ts';
import type { Judgement } from '../judgement.ts';
import { type Html, html, seen } from './html.ts';
import { STYLE } from './style.ts';
import { wrongDetails } from './wrong-details.ts';

/** The page; the latest request comes first. */
export function recentPage(exchanges: readonly Exchange[]): string {
  const wrong = exchanges.filter(({ judgement }) => judgement?.kind === 'wrong').length;
  const count = `${exchanges.length} request${exchanges.length === 1 ? '' : 's'}, ${wrong} wrongly signed`;
  // The digest of the style is in the policy of the page, so it goes in as it is.
  const style: Html = { html: STYLE };
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Recent requests</title>
<style>${style}</style>
</head>
<body>
<header><h1>Recent requests</h1><p>${count}; the latest first</p><p><a href="/-/requests.json">as JSON</a></p></header>
${exchanges.length === 0 ? html`<p>Nothing was asked yet.</p>` : html`<ol class="requests">${exchanges.map(item)}</ol>`}
</body>
</html>
`;
  return page.html;
}

function item(exchange: Exchange): Html {
  const { judgement } = exchange;
  if (judgement?.kind === 'wrong') {
    return html`<li><details><summary class="row">${cells(exchange)}</summary>${wrongDetails(judgement, exchange)}</details></li>
`;
  }
  return html`<li><div class="row">${cells(exchange)}</div></li>
`;
}

function cells(exchange: Exchange): Html {
  const { arrived, method, host, target, operation, status, code, judgement } = exchange;
  const time = new Date(arrived).toISOString();
  const path = target.replace(/^https?:\/\/[^/]*/i, '');
  const [text, kind, title] = verdictOf(judgement);
  return html`<time datetime="${time}" title="${time}">${time.slice(11, 19)}</time>
<span class="request"><b>${seen(method)}</b> <span class="quiet">${seen(host)}</span>${seen(path)}${messageOf(exchange)}</span>
<span class="operation">${seen(operation ?? '')}</span>
<span class="status">${status}${code === 0 ? '' : ` · ${code}`}</span>
<span class="verdict ${kind}" title="${title}">${text}</span>`;
}

/** What kept a request from being done that is rightly signed, or not at all. */
function messageOf({ message, judgement }: Exchange): Html {
  if (message === undefined || judgement?.kind === 'wrong') return html``;
  const [line = ''] = message.split('\n');
  return html`<span class="quiet message">${seen(line)}</span>`;
}

type ShownVerdict = readonly [text: string, kind: string, title?: string];

function verdictOf(judgement: Judgement | undefined): ShownVerdict {
  switch (judgement?.kind) {
    case undefined:
      return ['', 'none'];
    case 'unsigned':
      return ['unsigned', 'none'];
    case 'right':
      return judgement.vendorText === undefined
        ? ['right', 'right']
        : ['SDK text', 'vendor', `accepted, though only SDKs sign so: ${judgement.vendorText}`];
    case 'wrong':
      return judgement.reason === 'expired' ? ['expired', 'wrong'] : ['wrong', 'wrong'];
  }
}
