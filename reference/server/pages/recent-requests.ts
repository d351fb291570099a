/**
 * The page of recent requests.
 *
 * @module
 */
import { formatCount } from '../../wording.ts';
import type { Exchange } from '../messages/exchange.ts';
import type {
  Cause,
  Diagnosis,
  Judgement,
  SignedLine,
  WrongJudgement,
} from '../messages/judgement.ts';
import { type Html, html, showHidden } from './html.ts';
import { renderPage } from './page.ts';

export function renderRecent(exchanges: readonly Exchange[]): string {
  const wrong = exchanges.filter(isWrong).length;
  const requests = formatCount(exchanges.length, 'request');
  return renderPage(
    'Recent requests',
    html`<p>${requests}, ${wrong === 0 ? 'none' : html`<a href="/-/wrong">${wrong}</a>`} wrongly signed; the latest first</p>
<p><a href="/-/requests.json">as JSON</a></p>`,
    exchanges.length === 0
      ? html`<p>There are no requests yet.</p>`
      : html`<ol class="requests">${exchanges.map((exchange) => renderExchange(exchange, false))}</ol>`,
  );
}

/** Only the requests with a wrong signature, each with its cause. */
export function renderWrong(exchanges: readonly Exchange[]): string {
  const wrong = exchanges.filter(isWrong);
  return renderPage(
    'Wrongly signed',
    html`<p>the latest first</p>
<p><a href="/-/">all requests</a></p>`,
    wrong.length === 0
      ? html`<p>No recent request has a wrong signature.</p>`
      : html`<ol class="requests">${wrong.map((exchange) => renderExchange(exchange, true))}</ol>`,
  );
}

const isWrong = ({ judgement }: Exchange): boolean => judgement?.kind === 'wrong';

function renderExchange(exchange: Exchange, isOpen: boolean): Html {
  const { judgement } = exchange;
  if (judgement?.kind === 'wrong') {
    return html`<li><details${isOpen ? ' open' : ''}><summary class="row">${renderCells(exchange)}</summary>${renderDetails(judgement, exchange)}</details></li>
`;
  }
  return html`<li><div class="row">${renderCells(exchange)}</div></li>
`;
}

function renderCells(exchange: Exchange): Html {
  const { arrived, method, host, target, operation, status, code, judgement } = exchange;
  const time = new Date(arrived).toISOString();
  const path = target.replace(/^https?:\/\/[^/]*/i, '');
  const [text, kind, title] = describeVerdict(judgement);
  return html`<time datetime="${time}" title="${time}">${time.slice(11, 19)}</time>
<span class="request"><b>${showHidden(method)}</b> <span class="quiet">${showHidden(host)}</span>${showHidden(path)}${renderMessage(exchange)}</span>
<span class="operation">${showHidden(operation ?? '')}</span>
<span class="status">${status}${code === 0 ? '' : ` · ${code}`}</span>
<span class="verdict ${kind}" title="${title}">${text}</span>`;
}

/** Why a request failed; for a wrong signature, the first cause. */
function renderMessage({ message, judgement }: Exchange): Html {
  const diagnosis = judgement?.kind === 'wrong' ? judgement.diagnosis : undefined;
  const text = diagnosis?.causes[0]?.[0]?.cause ?? message;
  if (text === undefined) return html``;
  const [line = ''] = text.split('\n');
  return html`<span class="quiet message">${showHidden(line)}</span>`;
}

type ShownVerdict = readonly [text: string, kind: string, title?: string];

function describeVerdict(judgement: Judgement | undefined): ShownVerdict {
  switch (judgement?.kind) {
    case undefined:
      return ['', 'none'];
    case 'unsigned':
      return ['unsigned', 'none'];
    case 'right':
      return judgement.vendorText === undefined
        ? ['right', 'right']
        : [
            'SDK text',
            'vendor',
            `accepted, although only SDKs sign this text: ${judgement.vendorText}`,
          ];
    case 'wrong':
      return judgement.reason === 'expired' ? ['expired', 'wrong'] : ['wrong', 'wrong'];
  }
}

function renderDetails({ message, diagnosis }: WrongJudgement, { id }: Exchange): Html {
  return html`<div class="more">
${diagnosis ? renderDiagnosis(diagnosis, message) : html`<p>${showHidden(message)}</p>`}
<p class="quiet">request <code>${id}</code></p>
</div>`;
}

function renderDiagnosis(diagnosis: Diagnosis, message: string): Html {
  if (diagnosis.lines.length === 0) return renderCauses(diagnosis, message);
  return html`${renderCauses(diagnosis, message)}
<h2>String to sign</h2>
${renderLines(diagnosis.lines)}
<h2>Signature</h2>
${renderSignatures(diagnosis)}`;
}

function renderCauses({ causes, tried, note }: Diagnosis, message: string): Html {
  const [first] = causes;
  const remark = note === undefined ? html`` : html`<p class="quiet">${showHidden(note)}</p>`;
  if (!first) {
    const search =
      tried === 0 ? '' : html`<p>No known mistake explains it; ${tried} were tried.</p>`;
    return html`<p>${showHidden(message)}</p>${search}${remark}`;
  }
  const heading =
    causes.length === 1
      ? html`<h2>Cause</h2>`
      : html`<h2>One of ${causes.length} causes; this request cannot tell which</h2>`;
  return html`${heading}${causes.map((together) => html`<div class="cause">${together.map(renderCause)}</div>`)}${remark}`;
}

function renderCause({ id, rule, cause, fix, page }: Cause): Html {
  return html`<p><b>${showHidden(cause)}</b></p>
<p>Fix: ${showHidden(fix)}</p>
<p class="quiet">rule <code>${rule}</code>${id === undefined ? '' : html`, mistake <code>${id}</code>`}${page === undefined ? '' : html`, page ${pageLink(page)}`}</p>`;
}

/** An address as a link, a command as code. */
function pageLink(page: string): Html {
  return page.startsWith('https:')
    ? html`<a href="${page}">${page}</a>`
    : html`<code>${page}</code>`;
}

function renderLines(lines: readonly SignedLine[]): Html {
  const rows = lines.map(
    ({ name, text, origin }, i) =>
      html`<tr><td class="number">${i + 1}</td><td class="name">${showHidden(name)}</td><td class="text">${showHidden(text)}</td><td class="origin">${showHidden(origin)}</td></tr>
`,
  );
  return html`<table><thead><tr><th></th><th>what</th><th>text</th><th>from</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function renderSignatures({ expected, received }: Diagnosis): Html {
  const right =
    expected === undefined
      ? html`<span class="quiet">shown only for development keys</span>`
      : html`<code>${showHidden(expected)}</code>`;
  return html`<dl><dt>expected</dt><dd>${right}</dd><dt>received</dt><dd><code>${showHidden(received)}</code></dd></dl>`;
}
