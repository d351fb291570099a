/**
 * The first page and the search page.
 *
 * @module
 */
import { html } from '../../reference/server/pages/html.ts';
import { runCommand, showTerminal } from './commands.ts';
import type { SiteData } from './data.ts';
import { guideEntries } from './guides.ts';
import { codeBlock } from './highlight.ts';
import type { Page } from './page.ts';
import type { Question } from './questions.ts';

/** The run that the page shows: the signer of the guides, which forgets to sort. */
const SHOWN_RUN = ['run', '--level', 'must', '--module', 'docs/examples/signer.mjs'];

export async function homePage(data: SiteData, questions: readonly Question[]): Promise<Page> {
  const { suite, mistakes, sdks } = data;
  return {
    path: '/',
    title: 'svc-conformance: which mistake does your request signing make?',
    summary: 'Vectors, a reference and a harness that name the mistake in your request signing.',
    kind: 'start',
    body: html`<h1 class="claim">A wrong signature tells you nothing. This suite tells you which mistake you made.</h1>
<p class="lead">${suite.vectors.length} vectors, ${suite.rules.length} rules and ${mistakes.length} known mistakes for the request signing of an object storage and its account API.</p>
<p class="ways"><a href="/guides/first-verdict/">A first verdict in a minute</a> <a href="/playground/">Playground: explain a request</a> <a href="/mistakes/">Look up a mistake</a></p>
${showTerminal(`npx svc-conformance ${SHOWN_RUN.join(' ')}`, await exampleRun())}
<p class="source">A real run of a signer that forgets to sort, recorded when this page was built and shortened.</p>
<h2>Where to start</h2>
${guideEntries()}
${codeBlock('sh', 'npx svc-conformance init python my-adapter\nnpx svc-conformance run --adapter ./my-adapter')}
<h2>Questions</h2>
<ul class="list">${questions.map(({ question, answer }) => html`<li><a href="${answer}">${question}</a></li>\n`)}</ul>
<h2>Published SDKs</h2>
<ul class="list">${sdks.map(({ name, version, language, failures }) => html`<li><a href="/sdks/${name}/">${name}</a> ${version} <span class="quiet">${language}, ${failures.length} failures</span></li>\n`)}</ul>
<p><a href="/results/">Rules by SDKs</a></p>`,
  };
}

/** The report up to the end of its first cause. */
async function exampleRun(): Promise<string> {
  const blocks = (await runCommand(SHOWN_RUN)).split('\n\n');
  const first = blocks.findIndex((block) => /CAUSE/.test(block));
  return blocks.slice(0, first + 1).join('\n\n');
}

export function searchPage(): Page {
  return {
    path: '/search/',
    title: 'Search',
    summary: 'Search rules, vectors, mistakes, SDKs and guides.',
    kind: 'search',
    body: html`<h1>Search</h1>
<p class="summary" role="status">Type a symptom, an error code or an id into the search box.</p>
<noscript><p>The search needs JavaScript. Without it, start from the <a href="/spec/">specification</a>, the <a href="/mistakes/">mistakes</a> or the <a href="/vectors/">vectors</a>.</p></noscript>
<div class="results"><ol data-list></ol></div>`,
  };
}
