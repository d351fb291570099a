/**
 * The reference pages: the command line, the protocol and the schemas, generated from the definitions that the program uses.
 *
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describeOption } from '../../harness/cli/help.ts';
import type { Operand, Option, Verb } from '../../harness/cli/verb.ts';
import { VERBS } from '../../harness/cli/verbs.ts';
import { groupByKey } from '../../harness/engine/group-by-key.ts';
import { packagePath } from '../../harness/suite/package-root.ts';
import { type Html, html } from '../../reference/server/pages/html.ts';
import { hasMembers, isList, type Members, parseJson } from '../../reference/values.ts';
import type { SiteData } from './data.ts';
import { createErrorPages } from './error-pages.ts';
import { codeBlock } from './highlight.ts';
import { renderInline, renderMarkdown } from './markdown.ts';
import type { Page } from './page.ts';

export async function referencePages(data: SiteData): Promise<readonly Page[]> {
  const verbs = await Promise.all(
    Object.entries(VERBS).map(async ([name, load]) => [name, await load()] as const),
  );
  const schemas = readSchemas();
  return [
    indexPage(verbs, schemas),
    ...verbs.map(([name, verb]) => verbPage(name, verb)),
    protocolPage(),
    ...schemas.map(schemaPage),
    ...createErrorPages(data),
  ];
}

type NamedVerb = readonly [name: string, verb: Verb];

function indexPage(verbs: readonly NamedVerb[], schemas: readonly Schema[]): Page {
  return {
    path: '/reference/',
    title: 'Reference',
    summary: 'The command line, the protocol, the schemas, errors and exit codes.',
    kind: 'list',
    body: html`<h1>Reference</h1>
<h2>Command line</h2><dl class="entries">${verbs.map(([name, { summary }]) => html`<dt><a href="/reference/cli/${name}/"><code>${name}</code></a></dt><dd>${summary}</dd>`)}</dl>
<h2>Formats</h2><dl class="entries"><dt><a href="/reference/protocol/">Protocol</a></dt><dd>What an adapter reads and writes.</dd>
<dt><a href="/reference/errors/">Errors and exit codes</a></dt><dd>Exit codes, reasons of refusals, and the codes of the service.</dd>
${schemas.map(({ name, title }) => html`<dt><a href="/reference/schemas/${name}/"><code>${name}</code></a></dt><dd>${renderInline(title)}</dd>`)}</dl>`,
  };
}

// --- The command line

function verbPage(name: string, verb: Verb): Page {
  const { usage, summary, operands = {}, options, notes = [] } = verb;
  const groups = groupByKey([
    ...Object.entries(operands).map(([operand, own]) => operandRow(operand, own)),
    ...Object.entries(options).map(([option, own]) => optionRow(option, own)),
  ]);
  return {
    path: `/reference/cli/${name}/`,
    title: `svc-conformance ${name}`,
    summary,
    kind: 'command',
    json: { usage, summary, operands, options, notes },
    body: html`<p class="trail"><a href="/reference/">Reference</a></p>
<h1><code>svc-conformance ${name}</code></h1><p class="lead">${renderHelp(summary)}</p>
${codeBlock('sh', usage.map((line) => `npx svc-conformance ${line}`).join('\n'))}
${[...groups].map(([group, rows]) => html`<h2>${group}</h2><dl class="entries">${rows}</dl>`)}
${notes.map((note) => html`<p>${renderHelp(note)}</p>`)}
<p><a href="/reference/errors/">Exit codes</a></p>`,
  };
}

type Row = readonly [group: string, html: Html];

function operandRow(name: string, { group = 'Operands', help }: Operand): Row {
  return [group, html`<dt><code>${name}</code></dt><dd>${renderHelp(help)}</dd>\n`];
}

function optionRow(name: string, option: Option): Row {
  const { help, group = 'Options' } = option;
  const { written, remark } = describeOption(name, option);
  const more = remark === '' ? '' : html` <span class="quiet">${remark}</span>`;
  return [
    group,
    html`<dt id="${name}"><code>${written}</code></dt><dd>${renderHelp(help)}${more}</dd>\n`,
  ];
}

/** A sentence of the help, whose code and options are code. */
function renderHelp(text: string): Html {
  const pieces = text.split(/(`[^`]+`|(?<![\w-])--[a-z][a-z-]*)/);
  return html`${pieces.map((piece, i) => {
    if (i % 2 === 0) return html`${piece}`;
    return piece.startsWith('-')
      ? html`<code class="option">${piece}</code>`
      : html`<code>${piece.slice(1, -1)}</code>`;
  })}`;
}

// --- The protocol

function protocolPage(): Page {
  const path = 'adapters/PROTOCOL.md';
  return {
    path: '/reference/protocol/',
    title: 'The adapter protocol',
    summary: 'What an adapter reads and writes: one JSON object per line.',
    kind: 'reference',
    body: html`<p class="trail"><a href="/reference/">Reference</a></p>
<section class="prose">${renderMarkdown(readFileSync(packagePath(path), 'utf8'), 'adapters')}</section>`,
  };
}

// --- The schemas

interface Schema {
  readonly name: string;
  readonly title: string;
  readonly schema: Members;
}

/** The members of an object in a schema; none for anything else. */
function toMembers(value: unknown): Members {
  return hasMembers(value) ? value : {};
}

function readSchemas(): readonly Schema[] {
  const suffix = '.schema.json';
  return readdirSync(packagePath('schema'))
    .filter((file) => file.endsWith(suffix))
    .map((file) => {
      const schema = toMembers(parseJson(readFileSync(packagePath(`schema/${file}`), 'utf8')));
      return { name: file.slice(0, -suffix.length), title: String(schema['title']), schema };
    });
}

function schemaPage({ name, title, schema }: Schema): Page {
  const definitions = Object.entries(toMembers(schema['$defs']));
  return {
    path: `/reference/schemas/${name}/`,
    title: `${name}.schema.json`,
    summary: title,
    kind: 'schema',
    json: schema,
    body: html`<p class="trail"><a href="/reference/">Reference</a></p>
<h1><code>schema/${name}.schema.json</code></h1><p class="lead">${renderInline(title)}</p>
${renderShape(schema)}
${definitions.map(([own, shape]) => html`<h2 id="${own}"><code>${own}</code></h2>${renderShape(toMembers(shape))}`)}`,
  };
}

/** The description of a type and of its named members, at any depth. */
function renderShape(shape: Members): Html {
  const rows = listMembers(shape, '');
  const description =
    shape['description'] === undefined
      ? html``
      : html`<p>${renderInline(String(shape['description']))}</p>`;
  if (rows.length === 0) return html`${description}<p>${describeType(shape)}</p>`;
  return html`${description}<dl class="entries">${rows}</dl>`;
}

const DEEPEST = 3;

function listMembers(shape: Members, prefix: string): readonly Html[] {
  const members = Object.entries(toMembers(shape['properties']));
  const required = isList(shape['required']) ? shape['required'] : [];
  return members.flatMap(([name, member]) => {
    const own = toMembers(member);
    const path = `${prefix}${name}`;
    const text =
      own['description'] === undefined
        ? html``
        : html` ${renderInline(String(own['description']))}`;
    const row = html`<dt><code>${path}</code></dt><dd>${describeType(own)}${required.includes(name) ? '' : html` <span class="quiet">optional</span>`}${text}</dd>\n`;
    if (prefix.split('.').length > DEEPEST) return [row];
    return [
      row,
      ...listMembers(own, `${path}.`),
      ...listMembers(toMembers(own['items']), `${path}[].`),
    ];
  });
}

function describeType(shape: Members): Html {
  const { $ref, type, enum: values, const: only, items, oneOf, anyOf, pattern } = shape;
  if (typeof $ref === 'string') return refLink($ref);
  if (isList(values))
    return html`${values.map((value) => html`<code>${JSON.stringify(value)}</code> `)}`;
  if (only !== undefined) return html`<code>${JSON.stringify(only)}</code>`;
  if (type === 'array' && hasMembers(items)) return html`array of ${describeType(items)}`;
  const choices = oneOf ?? anyOf;
  if (isList(choices))
    return html`${choices.map((choice, i) => html`${i > 0 ? ', or ' : ''}${describeType(toMembers(choice))}`)}`;
  const shown = typeof type === 'string' ? type : 'any value';
  return typeof pattern === 'string' ? html`${shown} like <code>${pattern}</code>` : html`${shown}`;
}

/** A link to a type in this file or another one. */
function refLink(reference: string): Html {
  const [file = '', pointer = ''] = reference.split('#');
  const name = pointer.split('/').at(-1) ?? '';
  const schema = /^(\w+)\.schema\.json$/.exec(file)?.[1];
  const page = schema === undefined ? '' : `/reference/schemas/${schema}/`;
  const isDefinition = pointer.startsWith('/$defs/') && pointer.split('/').length === 3;
  const anchor = isDefinition ? `#${name}` : '';
  if (page === '' && anchor === '') return html`<code>${reference}</code>`;
  return html`<a href="${page}${anchor}"><code>${name || schema}</code></a>`;
}
