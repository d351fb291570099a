/**
 * Shows the verdict of `explain`, with links to rules and mistakes.
 *
 * @module
 */
import type { ExplainedRequest, Line } from '../../harness/engine/explain/explanation.ts';
import { causeAddress } from '../../harness/engine/report/cause-page.ts';
import { type Html, html } from '../../reference/server/pages/html.ts';

/** Options of the command line, each with the words that replace it on the page. */
const WORDS: readonly (readonly [there: RegExp, here: string])[] = [
  [/pass --dialect SCHEME,HEADER-PREFIX,PUBLIC-KEY-PARAMETER/g, 'enter its three words as Dialect'],
  [/leave out --dialect/g, 'choose the dialect that the request shows'],
  [/pass --dialect (\S+)/g, 'enter Dialect $1'],
  [/--dialect (names|\S+)/g, 'Dialect $1'],
  [/pass --bucket NAME/g, 'enter its name as Bucket'],
  [/another --file-host/g, 'another File host'],
  [/the text above/g, 'the string to sign on this page'],
];

/** A message with its command-line options replaced. */
export function toPageWords(text: string): string {
  return WORDS.reduce((all, [there, here]) => all.replace(there, here), text);
}

export function renderVerdict({ isRight, verdict }: ExplainedRequest): Html {
  return html`<div class="said ${isRight ? 'right' : 'wrong'}">${verdict.map(renderLine)}</div>`;
}

function renderLine({ kind, text, cause }: Line): Html {
  const shown = renderLinks(toPageWords(text), cause);
  if (kind === 'right' || kind === 'wrong') return html`<p><b class="${kind}">${shown}</b></p>`;
  return kind === 'row' ? html`<pre tabindex="0">${text.trim()}</pre>` : html`<p>${shown}</p>`;
}

function renderLinks(text: string, cause: string | undefined): Html {
  const [, rule, rest] = /^ *rule (\S+) (.*)$/s.exec(text) ?? [];
  if (rule !== undefined) {
    return html`rule <a href="../rules/${rule}/">${rule}</a> ${rest}`;
  }
  if (cause === undefined) return html`${text.trim()}`;
  return html`${text.trim().split(' ')[0]} <a href="..${causeAddress(cause)}">${cause}</a>`;
}
