/**
 * Pages of causes that are not mistakes: another dialect, and the reasons for which verifiers refuse requests.
 *
 * @module
 */

import { readFileSync } from 'node:fs';
import { createDialectCause } from '../../harness/engine/diagnosis/wrong-dialect.ts';
import { packagePath } from '../../harness/suite/package-root.ts';
import { html } from '../../reference/server/pages/html.ts';
import { SVC, UCLOUD } from '../../reference/signing/index.ts';
import { isListOf, isShapeOf, isText, parseJson } from '../../reference/values.ts';
import type { SiteData } from './data.ts';
import type { Page } from './page.ts';
import { ruleList, vectorList } from './parts.ts';
import { sentence } from './text.ts';

export function causePages(data: SiteData): readonly Page[] {
  return [dialectPage(data), ...listReasons().map((reason) => reasonPage(reason, data))];
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

function dialectPage(data: SiteData): Page {
  const { id, rule, wrong, fix } = createDialectCause(SVC, UCLOUD);
  return {
    path: `/mistakes/${id}/`,
    title: 'The implementation uses another dialect.',
    summary: `Fix: ${fix}`,
    kind: 'cause',
    json: { id, rule, wrong, fix },
    body: html`<p class="trail"><a href="/mistakes/">Mistakes</a></p>
<h1>The implementation uses another dialect.</h1>
<p class="id"><code>${id}</code></p>
<dl class="facts"><dt>symptom</dt><dd>Every request is refused: the server finds no signature under the names that it knows.</dd><dt>cause</dt><dd>Such as: ${wrong}.</dd><dt>fix</dt><dd>${sentence(fix)}</dd></dl>
${ruleList(['5.2/header-form', '5.2/headers-selected', '5.4/parameters'], data)}`,
  };
}

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
