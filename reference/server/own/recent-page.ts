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

/** All of them; the latest comes first. */
export function recentPage(exchanges: readonly Exchange[]): string {
  const wrong = exchanges.filter(isWrong).length;
  const requests = `${exchanges.length} request${exchanges.length === 1 ? '' : 's'}`;
  return page(
    'Recent requests',
    html`<p>${requests}, ${wrong === 0 ? 'none' : html`<a href="/-/wrong">${wrong}</a>`} wrongly signed; the latest first</p>
<p><a href="/-/requests.json">as JSON</a></p>`,
    exchanges.length === 0
      ? html`<p>Nothing was asked yet.</p>`
      : html`<ol class="requests">${exchanges.map((exchange) => item(exchange, false))}</ol>`,
  );
}

/** Those that are wrongly signed, each with its cause. */
export function wrongPage(exchanges: readonly Exchange[]): string {
  const wrong = exchanges.filter(isWrong);
  return page(
    'Wrongly signed',
    html`<p>the latest first</p>
<p><a href="/-/">all requests</a></p>`,
    wrong.length === 0
      ? html`<p>None of the recent requests is.</p>`
      : html`<ol class="requests">${wrong.map((exchange) => item(exchange, true))}</ol>`,
  );
}

const isWrong = ({ judgement }: Exchange): boolean => judgement?.kind === 'wrong';

function page(title: string, beside: Html, content: Html): string {
  // The digest of the style is in the policy of the page, so it goes in as it is.
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
<header><h1>${title}</h1>${beside}</header>
${content}
</body>
</html>
`.html;
}

function item(exchange: Exchange, isOpen: boolean): Html {
  const { judgement } = exchange;
  if (judgement?.kind === 'wrong') {
    return html`<li><details${isOpen ? ' open' : ''}><summary class="row">${cells(exchange)}</summary>${wrongDetails(judgement, exchange)}</details></li>
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

/** What kept a request from being done: of a wrong signature, the first cause. */
function messageOf({ message, judgement }: Exchange): Html {
  const diagnosis = judgement?.kind === 'wrong' ? judgement.diagnosis : undefined;
  const text = diagnosis?.causes[0]?.[0]?.cause ?? message;
  if (text === undefined) return html``;
  const [line = ''] = text.split('\n');
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
