/**
 * A page for each mistake of the register, and one for each place at which mistakes are generated.
 *
 * @module
 */
import { formatCount } from '../../harness/engine/excerpt.ts';
import { demonstrateMistake } from '../../harness/engine/insight/demonstration.ts';
import { OTHER_CAUSES } from '../../harness/engine/other-causes.ts';
import { isReworded, type Mistake } from '../../reference/mistakes/index.ts';
import { type Html, html } from '../../reference/server/pages/html.ts';
import type { Code } from './code.ts';
import type { Place, SiteData } from './data.ts';
import type { Page } from './page.ts';
import { levelMark, renderCode, renderDemonstration, ruleList, vectorList } from './parts.ts';
import type { SdkFailure } from './sdks.ts';
import type { SpecText } from './spec-page.ts';
import { describeSymptom } from './symptoms.ts';
import { sentence } from './text.ts';

/** Further vectors that catch a mistake are only counted. */
const MOST_VECTORS = 12;

export function mistakePage(mistake: Mistake, data: SiteData): Page {
  const { id, rule, wrong, fix, seen, once } = mistake;
  const catchers = data.catchers(id);
  const caughtBy = catchers.map(data.vector);
  const shown = demonstrateMistake(mistake, caughtBy);
  return {
    path: `/mistakes/${id}/`,
    title: sentence(wrong),
    summary: `Fix: ${fix}`,
    kind: 'mistake',
    json: { id, rule, wrong, fix, seen, once, steps: mistake.steps, caughtBy: catchers },
    body: html`${trail(rule)}
<h1>${sentence(wrong)}</h1>
<p class="id"><code>${id}</code></p>
<dl class="facts"><dt>symptom</dt><dd>${describeSymptom(id, caughtBy, data)}</dd>
<dt>cause</dt><dd>${sentence(wrong)}</dd>
<dt>fix</dt><dd>${sentence(fix)}</dd>
${seen === undefined ? '' : html`<dt>seen in</dt><dd>${seen}</dd>`}</dl>
${ruleList([rule], data)}
${shown ? html`<h2>What it changes</h2>${renderDemonstration(shown)}` : ''}
<h2 id="fix">The fix in four languages</h2><p>${sentence(fix)} This code follows the rule:</p>${renderCode(data.findCode(rule))}
<h2 id="tests">What catches it</h2>${once === undefined ? '' : html`<p>One vector is all there can be: ${once}.</p>`}${vectorList(catchers, MOST_VECTORS)}
${renderSdks((cause) => cause === id, data)}
`,
  };
}

const trail = (rule: string): Html =>
  html`<p class="trail"><a href="/mistakes/">Mistakes</a> / <a href="/mistakes/#s${rule.split('/')[0]}">§${rule.split('/')[0]}</a></p>`;

/** The published SDKs that show a mistake, and where in their code it is. */
function renderSdks(isShown: (cause: string) => boolean, { sdks }: SiteData): Html {
  const rows = sdks.flatMap(({ name, version, failures }) => {
    const own = failures.filter(({ causes = [] }) => causes.some(isShown));
    if (own.length === 0) return [];
    const reasons = listReasons(own).map((reason) => html`<li>${sentence(reason)}</li>\n`);
    return [
      html`<li><a href="/sdks/${name}/">${name}</a> ${version}: ${formatCount(own.length, 'failure')}<ul>${reasons}</ul></li>\n`,
    ];
  });
  if (rows.length === 0) return html``;
  return html`<h2 id="sdks">SDKs that show it</h2><ul>${rows}</ul>`;
}

/** Each reason once; those of failures with further causes only if there are no others. */
function listReasons(failures: readonly SdkFailure[]): readonly string[] {
  const alone = failures.filter(({ causes = [] }) => causes.length === 1);
  const told = alone.length > 0 ? alone : failures;
  return [...new Set(told.flatMap(({ reason }) => reason ?? []))];
}

/** The pages of all places. Each change is found by the search on one of them: many places have the same ones. */
export function placePages(data: SiteData): readonly Page[] {
  const found = new Set<string>();
  return data.places.map((place) => placePage(place, data, found));
}

/** All changes at a place, each with an anchor; the search finds those that are not among `found`. */
function placePage({ id, mistakes }: Place, data: SiteData, found: Set<string>): Page {
  const rules = [...new Set(mistakes.map(({ rule }) => rule))];
  const [first] = mistakes;
  const noun = first === undefined ? id : first.wrong;
  return {
    path: `/mistakes/${id}/`,
    title: `Mistakes at ${id}`,
    summary: `${formatCount(mistakes.length, 'generated mistake')}, such as: ${noun}.`,
    kind: 'place',
    // `show PLACE/CHANGE --json` has the full text of each.
    json: { id, rules, changes: mistakes.map((mistake) => mistake.id.slice(id.length + 1)) },
    body: html`${trail(rules[0] ?? '')}
<h1>Mistakes at <code>${id}</code></h1>
<p class="lead">Each of these changes is a mistake, which a report names as <code>${id}/<i>change</i></code>. <code>svc-conformance show ${id}/<i>change</i></code> prints one with its fix and an example.</p>
${ruleList(rules, data)}
${changeList(id, mistakes, data, found)}
<h2 id="fix">The correct code in four languages</h2>${renderCode(findPlaceCode(mistakes, rules, data))}
${renderSdks((cause) => cause.startsWith(`${id}/`), data)}
`,
  };
}

/** The steps of a place in TypeScript, and the code of its rules in the other languages. */
function findPlaceCode(
  mistakes: readonly Mistake[],
  rules: readonly string[],
  { findStepCode, findCode }: SiteData,
): readonly Code[] {
  const [first, ...others] = mistakes.map(({ steps }) => steps);
  const steps = first?.filter((step) => others.every((other) => other.includes(step))) ?? [];
  const own = steps.flatMap(findStepCode);
  const codes = [...new Set(rules.flatMap(findCode))];
  return own.length === 0
    ? codes
    : [...own, ...codes.filter(({ language }) => language !== 'typescript')];
}

/** Changes with the same fix, and the common start of their sentences. */
interface ChangeGroup {
  readonly fix: string;
  readonly subject: string;
  readonly mistakes: readonly Mistake[];
}

function groupChanges(mistakes: readonly Mistake[]): readonly ChangeGroup[] {
  return [...new Set(mistakes.map(({ fix }) => fix))].map((fix) => {
    const own = mistakes.filter((mistake) => mistake.fix === fix);
    return { fix, subject: sharedStart(own.map(({ wrong }) => wrong)), mistakes: own };
  });
}

/** The words with which all sentences start, if there are several sentences. */
function sharedStart([first = '', ...others]: readonly string[]): string {
  let words = others.length === 0 ? [] : first.split(/(?<= )/);
  while (words.length > 0 && !others.every((other) => other.startsWith(words.join('')))) {
    words = words.slice(0, -1);
  }
  return words.join('');
}

function changeList(
  place: string,
  mistakes: readonly Mistake[],
  data: SiteData,
  found: Set<string>,
): Html {
  return html`${groupChanges(mistakes).map(({ fix, subject, mistakes: own }) => {
    const clauseOf = ({ wrong }: Mistake): string => wrong.slice(subject.length);
    const listOf = (some: readonly Mistake[], attribute = html``): Html => {
      const rows = some.map((mistake) => changeRow(place, mistake, clauseOf(mistake), data));
      return rows.length === 0 ? html`` : html`<ul class="changes"${attribute}>${rows}</ul>`;
    };
    const known = own.filter((mistake) => found.has(clauseOf(mistake)));
    const added = own.filter((mistake) => !found.has(clauseOf(mistake)));
    for (const mistake of added) found.add(clauseOf(mistake));
    const start = subject === '' ? html`` : html`<p>${sentence(subject.trim()).slice(0, -1)} …</p>`;
    return html`<h2>Fix: ${sentence(fix)}</h2>${start}${listOf(added)}${listOf(known, html` data-pagefind-ignore`)}`;
  })}`;
}

function changeRow(place: string, mistake: Mistake, clause: string, data: SiteData): Html {
  const change = mistake.id.slice(place.length + 1);
  const own = isReworded(mistake) ? reworded(mistake, data) : undefined;
  const link = own === undefined ? html`` : html` (<a href="/mistakes/${own}/">${own}</a>)`;
  return html`<li id="${change}"><code>${change}</code> ${clause}${link}\n`;
}

/** The mistake of the register that rewords a generated one. */
function reworded({ rule, change }: Mistake, data: SiteData): string | undefined {
  const [step, wrap] = Object.entries(change)[0] ?? [];
  return data
    .mistakesOf(rule)
    .find(
      (mistake) =>
        step !== undefined &&
        Object.entries(mistake.change).some(([own, other]) => own === step && other === wrap),
    )?.id;
}

/** The mistakes of the register by section, then the places. */
export function mistakesPage(data: SiteData, { sections }: SpecText): Page {
  const blocks = sections.flatMap(({ id: section, title }) => {
    const own = data.mistakes.filter(({ rule }) => rule.startsWith(`${section}/`));
    if (own.length === 0) return [];
    const rows = own.map(
      ({ id, wrong }) => html`<li><a href="/mistakes/${id}/">${sentence(wrong)}</a>\n`,
    );
    return [html`<h2 id="s${section}">§${section} ${title}</h2><ul class="list">${rows}</ul>`];
  });
  const total = data.places.reduce((sum, { mistakes }) => sum + mistakes.length, 0);
  return {
    path: '/mistakes/',
    title: 'Mistakes',
    summary: `${data.mistakes.length} known mistakes of request signing, each with its fix.`,
    kind: 'list',
    json: data.mistakes.map(({ id, rule, wrong, fix }) => ({ id, rule, wrong, fix })),
    body: html`<h1>Mistakes</h1>
<p class="lead">${data.mistakes.length} mistakes have words of their own. ${total.toLocaleString('en')} more are generated at <a href="/mistakes/places/">${data.places.length} places</a>.</p>
${blocks}
<h2 id="other-causes">Causes that change no step</h2><ul class="list">${OTHER_CAUSES.map(
      ({ id, wrong }) => html`<li><a href="/mistakes/${id}/">${sentence(wrong)}</a>\n`,
    )}</ul>`,
  };
}

export function placesPage(data: SiteData): Page {
  const rows = data.places.map(({ id, mistakes }) => {
    const [first] = mistakes;
    return html`<tr><th scope="row"><a href="/mistakes/${id}/">${id}</a></th><td class="number">${mistakes.length}</td><td>${first ? levelMark(data.rule(first.rule).level) : ''} <a href="/rules/${first?.rule}/">${first?.rule}</a></td></tr>\n`;
  });
  return {
    path: '/mistakes/places/',
    title: 'Places of generated mistakes',
    summary: 'Every place of the specification at which mistakes are generated.',
    kind: 'list',
    json: data.places.map(({ id, mistakes }) => ({ id, mistakes: mistakes.length })),
    body: html`<p class="trail"><a href="/mistakes/">Mistakes</a></p>
<h1>Places of generated mistakes</h1>
<table><thead><tr><th scope="col">place</th><th scope="col">changes</th><th scope="col">rule</th></tr></thead><tbody>${rows}</tbody></table>`,
  };
}
