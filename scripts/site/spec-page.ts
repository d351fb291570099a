/**
 * The page of the specification: the sentences of the rules by section, with their levels and vectors.
 *
 * @module
 */
import { formatCount } from '../../harness/engine/excerpt.ts';
import { LEVELS, type Rule } from '../../harness/engine/vector.ts';
import { type Html, html } from '../../reference/server/pages/html.ts';
import { isListOf, isRecordOf, isShapeOf, isText } from '../../reference/values.ts';
import type { SiteData } from './data.ts';
import type { Page } from './page.ts';
import { levelMark } from './parts.ts';
import { LEVEL_REASONS } from './rule-pages.ts';
import { readSiteFile } from './site-file.ts';

interface Section {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** The content of `site/spec.yaml`, which adds to the rules. */
export interface SpecText {
  readonly sections: readonly Section[];
  readonly evidence: Readonly<Record<string, string>>;
  readonly unprotected: readonly { readonly title: string; readonly text: string }[];
}

const FILE = 'site/spec.yaml';

const isSpecText = isShapeOf<SpecText>({
  sections: isListOf(isShapeOf<Section>({ id: isText, title: isText, text: isText })),
  evidence: isRecordOf(isText),
  unprotected: isListOf(
    isShapeOf<SpecText['unprotected'][number]>({ title: isText, text: isText }),
  ),
});

/** @throws Error for a rule without a section, or for missing or needless evidence */
export function readSpecText(rules: readonly Rule[]): SpecText {
  const text = readSiteFile(FILE, isSpecText);
  const homeless = rules.find(
    ({ id }) => !text.sections.some((section) => section.id === sectionOf(id)),
  );
  if (homeless) throw new Error(`${FILE} has no section for ${homeless.id}; add one`);
  const known = new Set(rules.filter(({ level }) => level !== 'must').map(({ id }) => id));
  for (const id of Object.keys(text.evidence)) {
    if (!known.has(id))
      throw new Error(`${FILE} has evidence for ${id}, which is not a rule that needs evidence`);
  }
  for (const id of known) {
    if (text.evidence[id] === undefined)
      throw new Error(`${FILE} has no evidence for ${id}; add it`);
  }
  return text;
}

const sectionOf = (rule: string): string => rule.slice(0, rule.indexOf('/'));

export function specPage(data: SiteData, spec: SpecText): Page {
  const { rules } = data.suite;
  const silent = rules.filter(({ level }) => level !== 'must').length;
  return {
    path: '/spec/',
    title: 'Specification',
    summary:
      'The rules of request signing, sentence by sentence, each with its level and its vectors.',
    kind: 'specification',
    json: { rules, ...spec },
    body: html`<h1>The specification, restated</h1>
<p class="lead">Each sentence is a rule with a page of its own. ${formatCount(rules.length - silent, 'sentence')} follow the specification; ${silent} are positions of this project where it is silent, each with its evidence.</p>
<dl class="facts">${LEVELS.map((level) => html`<dt>${levelMark(level)}</dt><dd>${LEVEL_REASONS[level]}</dd>`)}</dl>
<nav class="contents" aria-label="Sections"><ul class="list">${spec.sections.map(({ id, title }) => html`<li><a href="#s${id}">§${id} ${title}</a></li>`)}<li><a href="#unprotected">What the scheme does not protect</a></li></ul></nav>
${spec.sections.map((section) => renderSection(section, data, spec))}
<h2 id="unprotected">What the scheme does not protect</h2>
<dl class="unprotected">${spec.unprotected.map(({ title, text }) => html`<dt>${title}</dt><dd>${text}</dd>`)}</dl>`,
  };
}

function renderSection({ id, title, text }: Section, data: SiteData, spec: SpecText): Html {
  const own = data.suite.rules.filter((rule) => sectionOf(rule.id) === id);
  return html`<h2 id="s${id}">§${id} ${title}</h2><p>${text}</p>
<ol class="sentences">${own.map((rule) => renderSentence(rule, data, spec.evidence[rule.id]))}</ol>`;
}

function renderSentence(rule: Rule, data: SiteData, evidence: string | undefined): Html {
  const { id, level, text, cites = [] } = rule;
  const vectors = data.vectorsOf(id).length;
  const position =
    evidence === undefined
      ? html``
      : html`<p class="quiet">The specification is silent. ${evidence}</p>`;
  return html`<li id="${id}" class="${level}"><p>${text}</p>${position}
<p class="source">${levelMark(level)} <a href="/rules/${id}/">${id}</a> · ${vectors === 0 ? 'untested' : html`<a href="/rules/${id}/#tests">${formatCount(vectors, 'vector')}</a>`}${cites.length === 0 ? '' : html` · §${cites.join(', §')}`}</p></li>\n`;
}
