/**
 * The guides: pages from the files of docs/guides, code of the kits, and the output of commands.
 *
 * @module
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kitsWithTemplate } from '../../harness/cli/init/project.ts';
import { packagePath } from '../../harness/suite/package-root.ts';
import { type Html, html } from '../../reference/server/pages/html.ts';
import { runCommand, showTerminal } from './commands.ts';
import type { SiteData } from './data.ts';
import { codeBlock } from './highlight.ts';
import { renderInline, renderMarkdown } from './markdown.ts';
import type { Page } from './page.ts';
import { requestText, toRequest } from './requests.ts';

interface Guide {
  /** The name of the file in docs/guides, without its extension. */
  readonly id: string;
  readonly summary: string;
  /** The verb that the guide is about. */
  readonly verb?: string;
  /** Content after the text of the file. */
  readonly more?: (data: SiteData) => Html | Promise<Html>;
}

const GUIDES: readonly Guide[] = [
  {
    id: 'first-verdict',
    summary: 'Make an adapter in one of ten languages, fill in one function, and run it.',
    verb: 'init',
    more: listKits,
  },
  {
    id: 'adapter',
    summary:
      'Connect an implementation in any language, a JavaScript module, or a device that cannot run the harness.',
    verb: 'adapter',
  },
  { id: 'verdict', summary: 'What each status, level and count of a report means.', verb: 'run' },
  {
    id: 'wire',
    summary: 'Run any program that sends signed requests, such as the tests of an SDK.',
    verb: 'wire',
  },
  {
    id: 'serve',
    summary: 'Start the service and read why a signature is wrong.',
    verb: 'serve',
  },
  {
    id: 'known-failures',
    summary: 'List failures that you cannot fix yet, so that only new ones fail your build.',
    verb: 'accept',
  },
  { id: 'ci', summary: 'Reports for CI services, and the action for GitHub.', verb: 'run' },
  {
    id: 'probe',
    summary: 'Send a server correctly and wrongly signed requests, and see which it accepts.',
    verb: 'probe',
  },
  {
    id: 'explain',
    summary: 'The string to sign of a captured request, line by line, and the mistake it shows.',
    verb: 'explain',
    more: explainExample,
  },
  {
    id: 'fuzzing',
    summary:
      'Generate requests with unusual values, and reduce each failure to the smallest request that still fails.',
    verb: 'fuzz',
  },
  {
    id: 'trust',
    summary: 'Where the expected values come from, and what is not tested.',
    verb: 'vectors',
  },
];

const FOLDER = 'docs/guides';

/** The source of a guide: its title, and the Markdown below it. */
interface Written {
  readonly title: string;
  readonly text: string;
}

export async function guidePages(data: SiteData): Promise<readonly Page[]> {
  checkGuides();
  return [guidesPage(), ...(await Promise.all(GUIDES.map((guide) => guidePage(guide, data))))];
}

/** @throws Error if a file of the folder is not in the table */
function checkGuides(): void {
  const names = readdirSync(packagePath(FOLDER)).filter((name) => name.endsWith('.md'));
  const missing = names.find((name) => !GUIDES.some(({ id }) => name === `${id}.md`));
  if (missing !== undefined) throw new Error(`scripts/site/guides.ts does not list ${missing}`);
}

function readGuide({ id }: Guide): Written {
  const [first = '', ...lines] = readFileSync(packagePath(`${FOLDER}/${id}.md`), 'utf8').split(
    '\n',
  );
  return { title: first.replace(/^# /, ''), text: lines.join('\n') };
}

/** The list of guides with their summaries. */
export function guideEntries(): Html {
  const rows = GUIDES.map(
    (guide) =>
      html`<dt><a href="/guides/${guide.id}/">${renderInline(readGuide(guide).title)}</a></dt><dd>${guide.summary}</dd>`,
  );
  return html`<dl class="entries">${rows}</dl>`;
}

function guidesPage(): Page {
  return {
    path: '/guides/',
    title: 'Guides',
    summary: 'How to judge a client, an SDK, a server or a single request.',
    kind: 'list',
    body: html`<h1>Guides</h1>${guideEntries()}`,
  };
}

async function guidePage(guide: Guide, data: SiteData): Promise<Page> {
  const { id, summary, verb, more } = guide;
  const { title, text } = readGuide(guide);
  const options =
    verb === undefined
      ? html``
      : html`<p>All options: <a href="/reference/cli/${verb}/"><code>svc-conformance ${verb}</code></a></p>`;
  return {
    path: `/guides/${id}/`,
    title: title.replaceAll('`', ''),
    summary,
    kind: 'guide',
    body: html`<p class="trail"><a href="/guides/">Guides</a></p>
<h1>${renderInline(title)}</h1><p class="lead">${summary}</p>
<section class="prose">${renderMarkdown(text, FOLDER)}</section>
${(await more?.(data)) ?? ''}
${options}`,
  };
}

// --- The kits

/** For each kit, the command that creates a project and the file that its author fills in. */
function listKits(): Html {
  const blocks = kitsWithTemplate().map(({ name, folder, language, fillIn }) => {
    const code = readFileSync(join(folder, 'template', fillIn), 'utf8');
    return html`<details><summary>${language}</summary>
${codeBlock('sh', `npx svc-conformance init ${name} my-adapter\nnpx svc-conformance run --adapter ./my-adapter`)}
<p class="source">my-adapter/${fillIn}, the file to fill in</p>
${codeBlock(name === 'node' ? 'js' : name, code)}</details>`;
  });
  return html`<h2>The languages</h2><div class="copies">${blocks}</div>`;
}

// --- explain

const EXPLAINED = 'verify-authorization/mistaken-signers/';

/** The output of `explain` for a request that a vector says must be refused. */
async function explainExample(data: SiteData): Promise<Html> {
  const vector = data.suite.vectors.find(({ id }) => id.startsWith(EXPLAINED));
  const request = vector && toRequest(vector.operation, vector.input, {});
  if (!request || !vector) throw new Error(`no vector starts with ${EXPLAINED}`);
  const { publicKey, privateKey } = vector.keys;
  const text = requestText(request);
  const output = await runCommand(['explain'], `${text}\n\n`, {
    SVC_PUBLIC_KEY: publicKey,
    SVC_PRIVATE_KEY: privateKey,
  });
  return html`<h2>An example</h2>
<p>The request of <a href="/vectors/${vector.id}/">${vector.id}</a>, with its key pair in the environment:</p>
<pre tabindex="0">${text}</pre>
${showTerminal('npx svc-conformance explain request.txt', output)}`;
}
