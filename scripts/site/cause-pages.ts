/**
 * Pages of causes that are not mistakes: another dialect, another request or key, and the reasons for which verifiers refuse
 * requests.
 *
 * @module
 */

import { readFileSync } from 'node:fs';
import { WRONG_DIALECT } from '../../harness/engine/dialects.ts';
import {
  CHANGING_ANSWERS,
  EARLIER_REQUESTS,
  EXCEPTION,
  EXCEPTION_FOR_REFUSAL,
  OTHER_CAUSES,
  UNDUE_REFUSAL,
} from '../../harness/engine/other-causes.ts';
import { packagePath } from '../../harness/suite/package-root.ts';
import type { Cause } from '../../reference/mistakes/index.ts';
import { html } from '../../reference/server/pages/html.ts';
import { isListOf, isShapeOf, isText, parseJson } from '../../reference/values.ts';
import type { SiteData } from './data.ts';
import type { Page } from './page.ts';
import { ruleList, vectorList } from './parts.ts';
import { sentence } from './text.ts';

export function causePages(data: SiteData): readonly Page[] {
  return [
    ...OTHER_CAUSES.map((cause) => otherCausePage(cause, data)),
    ...listReasons().map((reason) => reasonPage(reason, data)),
  ];
}

/** The reasons of refusals that a vector can require. */
function listReasons(): readonly string[] {
  const isSchema = isShapeOf({
    $defs: isShapeOf({ reason: isShapeOf({ enum: isListOf(isText) }) }),
  });
  const schema = parseJson(readFileSync(packagePath('schema/vectors.schema.json'), 'utf8'));
  if (!isSchema(schema)) throw new Error('schema/vectors.schema.json has no reasons');
  return schema.$defs.reason.enum;
}

function otherCausePage({ id, rule, wrong, fix }: Cause, data: SiteData): Page {
  const title = sentence(wrong);
  return {
    path: `/mistakes/${id}/`,
    title,
    summary: `Fix: ${fix}`,
    kind: 'cause',
    json: { id, rule, wrong, fix },
    body: html`<p class="trail"><a href="/mistakes/">Mistakes</a> / <a href="/mistakes/#other-causes">Other causes</a></p>
<h1>${title}</h1>
<p class="id"><code>${id}</code></p>
<dl class="facts"><dt>symptom</dt><dd>${SYMPTOMS[id] ?? 'The server refuses the signature, although the client follows every step of the specification.'}</dd><dt>cause</dt><dd>${title} No step of the specification is wrong.</dd><dt>fix</dt><dd>${sentence(fix)}</dd></dl>
${ruleList([rule], data)}`,
  };
}

const SYMPTOMS: Readonly<Record<string, string>> = {
  [EARLIER_REQUESTS]:
    'The server refuses some signatures, and accepts the same request from a program that has just started.',
  [CHANGING_ANSWERS]:
    'The server refuses signatures, and two attempts for the same request have different ones.',
  [EXCEPTION]: 'The program ends with the same error, whatever the request.',
  [EXCEPTION_FOR_REFUSAL]:
    'A wrong request ends with an error of the program, instead of a refusal.',
  [UNDUE_REFUSAL]:
    'Correct requests are refused, or end with an error, if they have one property in common.',
  [WRONG_DIALECT]:
    'The server refuses every request: it finds no signature under the names that it knows.',
};

function reasonPage(reason: string, { suite, rule }: SiteData): Page {
  const vectors = suite.vectors.filter(({ refuse }) => refuse?.reason === reason);
  const rules = [...new Set(vectors.flatMap(({ rules: own }) => own.slice(0, 1)))];
  const title = `A request is refused: ${reason}`;
  return {
    path: `/mistakes/${reason}/`,
    title,
    summary: `Refusals with the reason ${reason}, and the rules that require them.`,
    kind: 'cause',
    json: { reason, rules, vectors: vectors.map(({ id }) => id) },
    body: html`<p class="trail"><a href="/mistakes/">Mistakes</a> / <a href="/reference/errors/#reasons">Reasons of refusals</a></p>
<h1>${title}</h1>
<p class="lead">A verifier, or a signer that checks its input, gives this reason. The rules say what it checks.</p>
<ul class="list">${rules.map((id) => html`<li><a href="/rules/${id}/">${rule(id).text}</a></li>\n`)}</ul>
<h2>Vectors that require it</h2>${vectors.length === 0 ? html`<p>No vector requires it; the tests of the reference do.</p>` : vectorList(vectors.map(({ id }) => id))}`,
  };
}
