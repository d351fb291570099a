/**
 * A page for each published SDK, and the page with the results of all SDKs.
 *
 * @module
 */
import { formatCount } from '../../harness/engine/excerpt.ts';
import { groupByKey } from '../../harness/engine/group-by-key.ts';
import type { RuleResult } from '../../harness/engine/report/sdk-results.ts';
import { LEVELS } from '../../harness/engine/vector.ts';
import { OPERATIONS } from '../../reference/operations.ts';
import { type Html, html, joinHtml } from '../../reference/server/pages/html.ts';
import type { SiteData } from './data.ts';
import { codeBlock } from './highlight.ts';
import { renderMarkdown } from './markdown.ts';
import type { Page } from './page.ts';
import { levelMark, mistakeLink } from './parts.ts';
import type { Sdk, SdkFailure } from './sdks.ts';
import { sentence } from './text.ts';

export function sdkPage(sdk: Sdk, data: SiteData): Page {
  const { name, version, language, dialect, failures, operations } = sdk;
  const missing = Object.keys(OPERATIONS).filter((operation) => !operations.includes(operation));
  return {
    path: `/sdks/${name}/`,
    title: `${name} ${version}`,
    summary: `The failures of ${name} ${version} (${language}): ${formatCount(failures.length, 'failure')}.`,
    kind: 'SDK',
    json: { ...sdk, readme: undefined, rules: Object.fromEntries(sdk.rules), vectors: data.hash },
    body: html`<p class="trail"><a href="/results/">Results</a></p>
<h1>${name} <span class="quiet">${version}</span></h1>
<dl class="facts"><dt>language</dt><dd>${language}</dd><dt>dialect</dt><dd>${dialect}</dd>
<dt>results</dt><dd><code>${sdk.folder}/results.jsonl</code>, first seen <time datetime="${sdk.date}">${sdk.date}</time></dd>
<dt>vectors</dt><dd>${data.suite.version}, SHA-256 <code>${data.hash.slice(0, 16)}…</code></dd>
${sdk.counts.map(([level, text]) => html`<dt>${levelMark(level)}</dt><dd>${text}</dd>`)}</dl>
<h2>Causes</h2>${renderCauses(failures, data)}
<h2>Failures</h2>${renderFailures(sdk, data)}
<h2>Not supported</h2><p>${
      missing.length === 0
        ? 'It supports every operation.'
        : html`It does not support ${operationLinks(missing)}. Unsupported questions are neither passes nor failures.`
    }</p>
${renderMet(sdk)}
<h2>Reproduce it</h2>${codeBlock('sh', reproduction(sdk))}
<section class="prose">${renderMarkdown(sdk.readme, sdk.folder, 2)}</section>
`,
  };
}

/** The commands that set the SDK up in a clone and judge it. */
function reproduction({ name, setup }: Sdk): string {
  const run = `node dist/bin/svc-conformance.cjs run --adapter ${name}`;
  return ['npm ci', ...(setup === undefined ? [] : [setup]), run].join('\n');
}

const operationLinks = (names: readonly string[]): Html =>
  joinHtml(
    names.map((name) => html`<a href="/operations/${name}/">${name}</a>`),
    ', ',
  );

/** The failures of each set of causes, the most frequent first. */
function renderCauses(failures: readonly SdkFailure[], data: SiteData): Html {
  if (failures.length === 0) return html`<p>It has no failures.</p>`;
  const groups = groupByKey(
    failures.map((failure) => [`${failure.causes?.join(' ')} ${failure.reason ?? ''}`, failure]),
  );
  const sorted = [...groups.values()].sort((a, b) => b.length - a.length);
  const rows = sorted.map((own) => {
    const { causes = [], reason } = own[0] ?? {};
    const links = joinHtml(
      causes.map((id) => mistakeLink(id, data)),
      ' and ',
    );
    return html`<tr><td class="number">${own.length}</td><td>${links}${causes.length > 0 && reason !== undefined ? html`<br>` : ''}${reason === undefined ? '' : sentence(reason)}</td></tr>\n`;
  });
  return html`<table><thead><tr><th scope="col">failures</th><th scope="col">cause</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function renderFailures({ name, failures }: Sdk, data: SiteData): Html {
  if (failures.length === 0) return html`<p>None.</p>`;
  const rows = failures.map(({ id, status, causes = [] }) => {
    const vector = data.suite.vectors.find((one) => one.id === id);
    const link = vector ? html`<a href="/vectors/${id}/">${id}</a>` : html`${id}`;
    return html`<li><b class="wrong">${status}</b> ${link}${causes.length === 0 ? '' : html` <span class="quiet">${causes.join(', ')}</span>`}\n`;
  });
  return html`<details${failures.length <= 40 ? ' open' : ''}><summary>${formatCount(failures.length, 'failure')}</summary><ul class="list ids">${rows}</ul></details>
<p class="quiet">The wrong and correct texts are in the <a href="/sdks/${name}.json">data of this page</a>.</p>`;
}

function renderMet({ met }: Sdk): Html {
  if (met.length === 0) return html``;
  const rows = met.map(
    ([id, answer]) => html`<li><a href="/vectors/${id}/">${id}</a>: ${answer}\n`,
  );
  return html`<h2>Answers to open questions</h2><ul class="list ids">${rows}</ul>`;
}

/** A table of rules by SDKs, in which every cell is a link. */
export function resultsPage(data: SiteData): Page {
  const { sdks, suite } = data;
  const judged = suite.rules.filter(({ id }) => sdks.some((sdk) => sdk.rules.has(id)));
  const rows = judged.map(({ id, level }) => {
    const cells = sdks.map((sdk) => resultCell(id, sdk));
    return html`<tr data-level="${level}"><th scope="row"><a href="/rules/${id}/">${id}</a></th>${cells}</tr>\n`;
  });
  return {
    path: '/results/',
    title: 'Results',
    summary: 'The results of published SDKs, rule by rule.',
    kind: 'list',
    json: sdks.map(({ name, version, language, rules }) => ({
      name,
      version,
      language,
      rules: Object.fromEntries(rules),
    })),
    body: html`<h1>Results</h1>
<p class="lead">The results of ${sdks.length} published SDKs for the ${suite.vectors.length} vectors. Each SDK is called through its own entry points, and nothing is repaired.</p>
<p class="legend"><span class="cell p">7</span> passes all 7 vectors that it supports <span class="cell f">2/7</span> fails 2 of 7 <span class="cell">–</span> supports none</p>
${filters(sdks)}
<div class="scroll" tabindex="0" role="region" aria-label="Rules by SDKs"><table class="matrix"><thead><tr><th scope="col">rule</th>${sdks.map(({ name, version }) => html`<th scope="col" data-sdk="${name}"><a href="/sdks/${name}/">${name}</a><br><span class="quiet">${version}</span></th>`)}</tr></thead><tbody>
${rows}</tbody></table></div>`,
  };
}

function resultCell(rule: string, sdk: Sdk): Html {
  const result = sdk.rules.get(rule);
  const [kind, text] = result ? cellText(result) : ['', '–'];
  return html`<td class="${kind}"><a href="/rules/${rule}/#sdk-${sdk.name}">${text}</a></td>`;
}

function cellText({ passed, failed }: RuleResult): readonly [kind: string, text: string] {
  return failed === 0 ? ['p', `${passed}`] : ['f', `${failed}/${passed + failed}`];
}

/** Filters that `page.js` applies; the address keeps them. */
function filters(sdks: readonly Sdk[]): Html {
  return html`<form class="filters" hidden><label>Level <select name="level"><option value="">all</option>${LEVELS.slice(0, 3).map((level) => html`<option>${level}</option>`)}</select></label>
<label>Failing in <select name="failing"><option value="">any or none</option>${sdks.map(({ name }) => html`<option>${name}</option>`)}</select></label>
<label>Rule <input name="rule" placeholder="5.2/headers"></label> <output></output></form>`;
}
