/**
 * A page for each error code of the service, and one with all codes, exit codes and reasons of refusals.
 *
 * @module
 */
import { EXIT_CODES } from '../../harness/cli/help.ts';
import { formatCount } from '../../harness/engine/excerpt.ts';
import {
  ACTION_ERRORS,
  type ErrorRow,
  FILE_ERRORS,
} from '../../reference/server/messages/errors.ts';
import { type Html, html } from '../../reference/server/pages/html.ts';
import type { SiteData } from './data.ts';
import type { Page } from './page.ts';
import { sentence } from './text.ts';

type Rows = readonly (readonly [name: string, row: ErrorRow])[];

const FILE_ROWS: Rows = Object.entries(FILE_ERRORS);
const ACTION_ROWS: Rows = Object.entries(ACTION_ERRORS);

export function createErrorPages(data: SiteData): readonly Page[] {
  return [
    createErrorIndex(data),
    ...FILE_ROWS.map(([name, row]) => createErrorPage(name, row, 'file requests', data)),
    ...ACTION_ROWS.map(([name, row]) => createErrorPage(name, row, 'actions', data)),
  ];
}

/** The code of an error, as a link to its page. */
export const errorLink = ({ code }: ErrorRow): Html =>
  html`<a href="/reference/errors/${code}/">${code}</a>`;

/** A message, with a placeholder for the part that depends on the request. */
const messageTemplate = ({ message }: ErrorRow): string => message.replaceAll('%s', '…');

function createErrorPage(name: string, row: ErrorRow, family: string, data: SiteData): Page {
  const { code, status, published = [] } = row;
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return {
    path: `/reference/errors/${code}/`,
    title: `${code}: ${messageTemplate(row)}`,
    summary: `The RetCode of ${family} for: ${words}.`,
    kind: 'error code',
    json: { name, ...row },
    body: html`<p class="trail"><a href="/reference/">Reference</a> / <a href="/reference/errors/">Errors</a></p>
<h1>${code}: ${messageTemplate(row)}</h1>
<dl class="facts"><dt>meaning</dt><dd>${sentence(words)}</dd><dt>RetCode</dt><dd>${code}, of ${family}</dd><dt>HTTP status</dt><dd>${status}</dd>
<dt>known</dt><dd>${
      published.length === 0
        ? 'Chosen by this project; the service publishes no such code.'
        : `The service publishes: ${published.join(', ')}.`
    }</dd></dl>
${name === 'signatureWrong' ? wrongSignature(family, data) : ''}`,
  };
}

/** Links to the sections whose mistakes have this symptom. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  'file requests': ['5.2', '5.4'],
  actions: ['5.1', '5.3'],
};

function wrongSignature(family: string, { mistakes }: SiteData): Html {
  const lists = (SECTIONS[family] ?? []).map((section) => {
    const number = mistakes.filter(({ rule }) => rule.startsWith(`${section}/`)).length;
    return html`<li><a href="/mistakes/#s${section}">${formatCount(number, 'mistake')} of §${section}</a></li>\n`;
  });
  return html`<h2>Why</h2>
<p>The server computed a different signature from the one in the request. The code does not say why. <a href="/guides/explain/">explain</a> takes the request and names the mistake; <a href="/guides/serve/">serve</a> answers every wrong signature with its string to sign and its cause.</p>
<ul class="list">${lists}</ul>`;
}

function createErrorIndex(data: SiteData): Page {
  return {
    path: '/reference/errors/',
    title: 'Errors and exit codes',
    summary: 'Exit codes of the program, reasons of refusals, and the error codes of the service.',
    kind: 'reference',
    json: { exitCodes: EXIT_CODES, file: FILE_ERRORS, action: ACTION_ERRORS },
    body: html`<p class="trail"><a href="/reference/">Reference</a></p>
<h1>Errors and exit codes</h1>
<h2 id="exit">Exit codes</h2><dl class="entries">${Object.entries(EXIT_CODES).map(([code, text]) => html`<dt id="exit-${code}"><code>${code}</code></dt><dd>${text}</dd>`)}</dl>
<h2 id="service">Codes of the service</h2>
<p>A wrong signature is ${errorLink(FILE_ERRORS.signatureWrong)} for a file request and ${errorLink(ACTION_ERRORS.signatureWrong)} for an action.</p>
<h3>File requests</h3>${errorTable(FILE_ROWS)}
<h3>Actions</h3>${errorTable(ACTION_ROWS)}
<h2 id="reasons">Reasons of refusals</h2>${reasonTable(data)}`,
  };
}

function errorTable(rows: Rows): Html {
  const lines = rows.map(
    ([, row]) =>
      html`<tr id="e${row.code}"><th scope="row">${errorLink(row)}</th><td class="number">${row.status}</td><td>${messageTemplate(row)}</td><td class="quiet">${row.published === undefined ? 'chosen by this project' : row.published.join(', ')}</td></tr>\n`,
  );
  return html`<div class="scroll" tabindex="0"><table><thead><tr><th scope="col">code</th><th scope="col">status</th><th scope="col">message</th><th scope="col">published</th></tr></thead><tbody>${lines}</tbody></table></div>`;
}

function reasonTable(data: SiteData): Html {
  const vectors = data.suite.vectors.filter(({ refuse }) => refuse);
  const reasons = [...new Set(vectors.map(({ refuse }) => refuse?.reason ?? ''))].sort();
  const lines = reasons.map((reason) => {
    const own = vectors.filter(({ refuse }) => refuse?.reason === reason);
    return html`<tr><th scope="row"><a href="/mistakes/${reason}/"><code>${reason}</code></a></th><td>${formatCount(own.length, 'vector')}</td><td><a href="/vectors/${own[0]?.id}/">${own[0]?.id}</a></td></tr>\n`;
  });
  return html`<div class="scroll" tabindex="0"><table><thead><tr><th scope="col">reason</th><th scope="col">vectors</th><th scope="col">example</th></tr></thead><tbody>${lines}</tbody></table></div>`;
}
