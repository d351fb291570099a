/**
 * The guides: sections of README.md by their headings, code of the kits, and the output of commands.
 *
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../harness/suite/package-root.ts';
import { type Html, html } from '../../reference/server/pages/html.ts';
import { runCommand, showTerminal } from './commands.ts';
import type { SiteData } from './data.ts';
import { codeBlock } from './highlight.ts';
import { renderMarkdown, slug } from './markdown.ts';
import type { Page } from './page.ts';
import { requestText, toRequest } from './requests.ts';

interface Guide {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  /** Headings of README.md. */
  readonly sections: readonly string[];
  /** The verb whose options belong to it. */
  readonly verb?: string;
  /** What follows the sections. */
  readonly more?: (data: SiteData) => Html | Promise<Html>;
}

const GUIDES: readonly Guide[] = [
  {
    id: 'first-verdict',
    title: 'A first verdict in a minute',
    summary: 'Make an adapter in one of ten languages, fill in one function, and run it.',
    sections: ['Run it', 'Any language in a minute'],
    verb: 'init',
    more: listKits,
  },
  {
    id: 'adapter',
    title: 'Write an adapter',
    summary: 'Connect an implementation in any language, a module, or a device without a harness.',
    sections: ['Judge your implementation', 'More ways in'],
    verb: 'adapter',
  },
  {
    id: 'wire',
    title: 'Judge a client as it is: wire',
    summary: 'Run any program that sends signed requests, such as the tests of an SDK.',
    sections: ['Your client as it is: `wire`'],
    verb: 'wire',
  },
  {
    id: 'serve',
    title: 'The service on your machine: serve',
    summary: 'Start the service and read why a signature is wrong.',
    sections: ['The service on your machine: `serve`'],
    verb: 'serve',
  },
  {
    id: 'known-failures',
    title: 'Known failures',
    summary: 'List failures that you cannot fix yet, so that only new ones fail your build.',
    sections: ['Known failures'],
    verb: 'accept',
  },
  {
    id: 'ci',
    title: 'In your CI',
    summary: 'Reports for CI services, and the action for GitHub.',
    sections: ['In your CI', 'What the verdict says'],
    verb: 'run',
  },
  {
    id: 'probe',
    title: 'Judge a server: probe',
    summary: 'Send a server correctly and wrongly signed requests, and see which it accepts.',
    sections: ['A server of yours: `probe`'],
    verb: 'probe',
  },
  {
    id: 'explain',
    title: 'Explain one request',
    summary: 'The string to sign of a captured request, line by line, and the mistake it shows.',
    sections: ['Without vectors'],
    verb: 'explain',
    more: explainExample,
  },
  {
    id: 'fuzzing',
    title: 'Fuzzing',
    summary: 'Draw requests at the edges, and shrink what fails to the smallest request.',
    sections: ['Without vectors'],
    verb: 'fuzz',
  },
  {
    id: 'trust',
    title: 'Why the values can be believed',
    summary: 'Where the expected values come from, and what is not tested.',
    sections: [
      'Why the expected values can be believed',
      'What is not tested, and why',
      'Versions',
    ],
    verb: 'vectors',
  },
];

/** The address of the guide that shows a heading of README.md, by the anchor of the heading. */
export function findGuide(anchor: string): string | undefined {
  const guide = GUIDES.find(({ sections }) => sections.some((heading) => slug(heading) === anchor));
  return guide && `/guides/${guide.id}/`;
}

export async function guidePages(data: SiteData): Promise<readonly Page[]> {
  const readme = readFileSync(packagePath('README.md'), 'utf8');
  const pages = await Promise.all(GUIDES.map((guide) => guidePage(guide, readme, data)));
  return [guidesPage(), ...pages];
}

function guidesPage(): Page {
  const rows = GUIDES.map(
    ({ id, title, summary }) =>
      html`<dt><a href="/guides/${id}/">${title}</a></dt><dd>${summary}</dd>`,
  );
  return {
    path: '/guides/',
    title: 'Guides',
    summary: 'How to judge a client, an SDK, a server or a single request.',
    kind: 'list',
    body: html`<h1>Guides</h1><dl class="entries">${rows}</dl>`,
  };
}

async function guidePage(guide: Guide, readme: string, data: SiteData): Promise<Page> {
  const { id, title, summary, sections, verb, more } = guide;
  const text = sections
    .map((heading) => findSection(readme, heading, heading !== title && sections.length > 1))
    .join('\n');
  const options =
    verb === undefined
      ? html``
      : html`<p>All options: <a href="/reference/cli/${verb}/"><code>svc-conformance ${verb}</code></a></p>`;
  return {
    path: `/guides/${id}/`,
    title,
    summary,
    kind: 'guide',
    body: html`<p class="trail"><a href="/guides/">Guides</a></p>
<h1>${title}</h1><p class="lead">${summary}</p>
<section class="prose">${renderMarkdown(text, '', { findHeading: findGuide })}</section>
${(await more?.(data)) ?? ''}
${options}`,
  };
}

/** The section of README.md with a heading, up to the next heading of its level or above. */
function findSection(readme: string, heading: string, isTitled: boolean): string {
  const lines = readme.split('\n');
  const at = lines.findIndex((line) => line.replace(/^#+ /, '') === heading && /^#/.test(line));
  if (at < 0)
    throw new Error(`README.md has no heading ${JSON.stringify(heading)}; site/guides names it`);
  const depth = lines[at]?.indexOf(' ') ?? 0;
  let isCode = false;
  const length = lines.slice(at + 1).findIndex((line) => {
    if (line.startsWith('```')) isCode = !isCode;
    const own = /^(#+) /.exec(line)?.[1]?.length;
    return !isCode && own !== undefined && own <= depth;
  });
  const body = length < 0 ? lines.slice(at + 1) : lines.slice(at + 1, at + 1 + length);
  // A subsection that is a guide of its own is left out.
  const own = body
    .join('\n')
    .split(/\n(?=### )/)
    .filter(isOwn)
    .join('\n');
  return isTitled ? `## ${heading}\n${own}` : own;
}

const isOwn = (part: string): boolean =>
  !GUIDES.some(({ sections }) => sections.some((heading) => part.startsWith(`### ${heading}\n`)));

// --- The kits

interface Kit {
  readonly folder: string;
  readonly language: string;
  readonly fillIn: string;
}

function readKits(): readonly Kit[] {
  const adapters = packagePath('adapters');
  return readdirSync(adapters).flatMap((folder): Kit[] => {
    try {
      const kit = JSON.parse(readFileSync(join(adapters, folder, 'init.json'), 'utf8'));
      return [{ folder, language: kit.language, fillIn: kit.fillIn }];
    } catch {
      return [];
    }
  });
}

/** For each kit, the command that makes it and the file that its author fills in. */
function listKits(): Html {
  const blocks = readKits().map(({ folder, language, fillIn }) => {
    const code = readFileSync(packagePath(`adapters/${folder}/template/${fillIn}`), 'utf8');
    return html`<details><summary>${language}</summary>
${codeBlock('sh', `npx svc-conformance init ${folder} my-adapter\nnpx svc-conformance run --adapter ./my-adapter`)}
<p class="source">my-adapter/${fillIn}, the file to fill in</p>
${codeBlock(folder === 'node' ? 'js' : folder, code)}</details>`;
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
