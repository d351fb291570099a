/**
 * What `explain` says of the signature, with links to rules and mistakes.
 *
 * @module
 */
import type { ExplainedRequest, Line } from '../../harness/engine/explain/explanation.ts';
import { type Html, html } from '../../reference/server/pages/html.ts';

/** Words of the command line, and those of the page in their place. */
const WORDS: readonly (readonly [there: RegExp, here: string])[] = [
  [/--dialect SCHEME,HEADER-PREFIX,PUBLIC-KEY-PARAMETER/g, 'its three words as Dialect'],
  [/leave --dialect out/g, 'choose the dialect that the request shows'],
  [/--dialect (names|\S+)/g, 'Dialect $1'],
  [/--bucket NAME/g, 'its name as Bucket'],
  [/another --file-host/g, 'another File host'],
  [/the text above/g, 'the string to sign on this page'],
];

/** A message without options of the command line. */
export function toPageWords(text: string): string {
  return WORDS.reduce((all, [there, here]) => all.replace(there, here), text);
}

export function renderVerdict({ isRight, verdict }: ExplainedRequest): Html {
  return html`<div class="said ${isRight ? 'right' : 'wrong'}">${verdict.map(renderLine)}</div>`;
}

function renderLine({ kind, text }: Line): Html {
  const shown = renderLinks(toPageWords(text));
  if (kind === 'right' || kind === 'wrong') return html`<p><b class="${kind}">${shown}</b></p>`;
  return kind === 'row' ? html`<pre tabindex="0">${text.trim()}</pre>` : html`<p>${shown}</p>`;
}

/** The page of a mistake: of its own, or of the place of generated ones. */
function mistakePath(id: string): string {
  const [path = ''] = id.split('@');
  return path.includes('/') ? `${path.replace('/', '/#')}` : `${path}/`;
}

function renderLinks(text: string): Html {
  const [, rule, rest] = /^ *rule (\S+) (.*)$/s.exec(text) ?? [];
  if (rule !== undefined) {
    return html`rule <a href="../rules/${rule}/">${rule}</a> ${rest}`;
  }
  const [, mistake] = /^ *mistake (\S+)$/.exec(text) ?? [];
  if (mistake === undefined) return html`${text.trim()}`;
  return html`mistake <a href="../mistakes/${mistakePath(mistake)}">${mistake}</a>`;
}
