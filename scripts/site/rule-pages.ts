/**
 * A page for each rule.
 *
 * @module
 */
import { formatCount } from '../../harness/engine/excerpt.ts';
import {
  type Demonstration,
  demonstrateMistake,
} from '../../harness/engine/insight/demonstration.ts';
import type { Level, Rule, Vector } from '../../harness/engine/vector.ts';
import { mistakesAt } from '../../reference/mistakes/index.ts';
import { PLACES } from '../../reference/mistakes/places.ts';
import { OPERATIONS } from '../../reference/operations.ts';
import { type Html, html } from '../../reference/server/pages/html.ts';
import type { SiteData } from './data.ts';
import type { Page } from './page.ts';
import { levelMark, renderCode, renderDemonstration, vectorList } from './parts.ts';
import { readingLength, sentence, showChange, showRequest, showStage, stageText } from './text.ts';
import { claimOf, questionText, renderRefused } from './vector-pages.ts';

/** Why a rule has its level. */
export const LEVEL_REASONS: Readonly<Record<Level, string>> = {
  must: 'The specification says it.',
  observed:
    'The specification is silent. The public documentation of the service or every published SDK agrees.',
  advised:
    'HTTP or safety requires it, but the specification does not. A failure fails a run only if the run selects this level.',
  open: 'The specification is silent, or sources disagree. Reports name the answer, and no answer fails a run.',
};

export function rulePage(rule: Rule, data: SiteData, evidence: string | undefined): Page {
  const { id, level, text } = rule;
  const vectors = data.vectorsOf(id);
  const codes = data.findCode(id);
  const [section = ''] = id.split('/');
  return {
    path: `/rules/${id}/`,
    title: text,
    summary: `${id}, ${level}: ${LEVEL_REASONS[level]}`,
    kind: 'rule',
    json: { ...rule, evidence, ...ruleData(id, data) },
    body: html`<p class="trail"><a href="/spec/">Specification</a> / <a href="/spec/#s${section}">§${section}</a></p>
<h1>${text}</h1>
<p class="id"><code>${id}</code> ${levelMark(level)}</p>
${renderFacts(rule, evidence)}
${renderExample(rule, vectors, data)}
${codes.length === 0 ? '' : html`<h2 id="code">Code</h2>${renderCode(codes)}`}
${vectors.length === 0 ? '' : html`<h2 id="tests">Vectors</h2>${vectorList(vectors.map((vector) => vector.id))}`}
${renderMistakes(rule, data)}
${renderResults(rule, data)}
`,
  };
}

/** The ids of the vectors and mistakes of a rule, its code and its results. */
function ruleData(id: string, data: SiteData): object {
  return {
    vectors: data.vectorsOf(id).map((vector) => vector.id),
    mistakes: data.mistakesOf(id).map((mistake) => mistake.id),
    code: data.findCode(id).map(({ language, path, line }) => ({ language, path, line })),
    results: Object.fromEntries(data.sdks.map((sdk) => [sdk.name, sdk.rules.get(id) ?? null])),
  };
}

function renderFacts({ level, cites = [], untested }: Rule, evidence: string | undefined): Html {
  return html`<dl class="facts"><dt>why ${level}</dt><dd>${LEVEL_REASONS[level]}${evidence === undefined ? '' : ` ${evidence}`}</dd>${
    cites.length === 0 ? '' : html`<dt>cites</dt><dd>§${cites.join(', §')}</dd>`
  }${untested === undefined ? '' : html`<dt>untested</dt><dd>${untested}</dd>`}</dl>`;
}

/** The simplest vector of the rule, with marks on the bytes that a mistake, a control or another answer changes. */
function renderExample({ id }: Rule, vectors: readonly Vector[], data: SiteData): Html {
  const sorted = sortPlain(id, vectors);
  const [plain] = sorted;
  if (!plain) return html``;
  const shown = findDemonstration(id, sorted, data);
  const vector = shown?.vector ?? plain;
  return html`<h2>A worked example</h2>
<p><a href="/vectors/${vector.id}/">${claimOf(vector.id)}</a> ${vector.why}</p>
${renderBytes(vector, shown, data)}`;
}

function renderBytes(vector: Vector, shown: Demonstration | undefined, data: SiteData): Html {
  if (!shown && vector.control) return renderRefused(vector);
  const [noun, text] = questionText(vector);
  return html`<div class="pair stacked">
<figure><figcaption>the ${noun}</figcaption><pre tabindex="0">${showRequest(text)}</pre></figure>
${vector.accept ? renderAnswers(vector) : renderResult(vector, shown, data)}
</div>`;
}

function renderResult(vector: Vector, shown: Demonstration | undefined, data: SiteData): Html {
  if (shown) return renderMarked(shown, html`the rule determines`);
  // No mistake is about the rule itself: the rarest one that the vector catches.
  const caught = [...data.caughtBy(vector.id)].sort(
    (a, b) => data.catchers(a).length - data.catchers(b).length,
  );
  for (const id of caught) {
    const mistake = data.mistakes.find((one) => one.id === id);
    const other = mistake && demonstrateMistake(mistake, [vector]);
    if (other) return renderMarked(other, html`<a href="/mistakes/${id}/">${id}</a> changes`);
  }
  return html``;
}

function renderMarked({ difference }: Demonstration, what: Html): Html {
  const { stage, expected: right, actual: wrong } = difference;
  return html`<figure class="right"><figcaption>${stage}, with marks on the bytes that ${what}</figcaption><pre tabindex="0">${showChange(right, wrong, showStage(stage))}</pre></figure>`;
}

/** The named answers to an open question, each with marks on what differs from another one. */
function renderAnswers({ operation, accept = {} }: Vector): Html {
  const answers = Object.entries(accept);
  return html`${answers.map(([name, answer], i) => {
    const [, other = answer] = answers[i === 0 ? 1 : 0] ?? [];
    const [text, otherText] = firstDifference(operation, answer, other);
    return html`<figure><figcaption>the answer “${name}”</figcaption><pre tabindex="0">${showChange(text, otherText)}</pre></figure>`;
  })}`;
}

/** The first stage in which two answers differ, or a refusal beside the signed text. */
function firstDifference(
  operation: string,
  ...answers: readonly [Answer, Answer]
): readonly [string, string] {
  const [own, other] = answers.map(({ expect }) => expect);
  const stages = OPERATIONS[operation]?.stages ?? [];
  const differs = (name: string): boolean => stageText(own?.[name]) !== stageText(other?.[name]);
  const stage = own && other ? (stages.find(differs) ?? '') : 'stringToSign';
  const [first = '', second = ''] = answers.map(({ expect, refuse }) =>
    expect ? stageText(expect[stage]) : `refused: ${refuse?.reason}`,
  );
  return [first, second];
}

/** Sorts vectors: those with an answer first, then those that name the rule first, then short ones. */
function sortPlain(rule: string, vectors: readonly Vector[]): readonly Vector[] {
  const rank = (vector: Vector): number =>
    readingLength(vector.input) +
    (vector.expect ? 0 : 10_000) +
    (vector.rules[0] === rule ? 0 : 1000) +
    (vector.level === 'open' ? 20_000 : 0);
  return [...vectors].sort((a, b) => rank(a) - rank(b));
}

type Answer = NonNullable<Vector['accept']>[string];

/** The largest number of vectors, and of mistakes, that are tried. */
const MOST_TRIED = 6;

/** A vector of the rule that a mistake about the rule changes. */
function findDemonstration(
  rule: string,
  vectors: readonly Vector[],
  data: SiteData,
): Demonstration | undefined {
  const steps = new Set(PLACES.filter((place) => place.rule === rule).map(({ step }) => step));
  const generated = [...steps].flatMap((step) =>
    mistakesAt(step).filter((mistake) => mistake.rule === rule),
  );
  const mistakes = [...data.mistakesOf(rule), ...generated].slice(0, MOST_TRIED);
  for (const vector of vectors.slice(0, MOST_TRIED)) {
    for (const mistake of mistakes) {
      const shown = demonstrateMistake(mistake, [vector]);
      if (shown?.vector.expect) return shown;
    }
  }
  return undefined;
}

function renderMistakes({ id }: Rule, data: SiteData): Html {
  const mistakes = data.mistakesOf(id);
  const places = data.places.filter(({ mistakes: own }) => own.some(({ rule }) => rule === id));
  if (mistakes.length === 0 && places.length === 0) return html``;
  const rows = mistakes.map((mistake) => {
    const shown = demonstrateMistake(mistake, data.catchers(mistake.id).map(data.vector));
    return html`<section class="mistake"><h3><a href="/mistakes/${mistake.id}/">${sentence(mistake.wrong)}</a></h3>
<p>Fix: ${sentence(mistake.fix)}</p>
${shown ? renderDemonstration(shown) : ''}</section>\n`;
  });
  const further = places.map((place) => {
    const own = place.mistakes.filter(({ rule }) => rule === id).length;
    return html`<li><a href="/mistakes/${place.id}/"><code>${place.id}</code></a> <span class="quiet">${formatCount(own, 'change')}</span></li>\n`;
  });
  const generated =
    further.length === 0
      ? html``
      : html`<h3>Generated mistakes</h3><ul class="list">${further}</ul>`;
  return html`<h2 id="breaks">Mistakes that break it</h2>${rows}${generated}`;
}

function renderResults({ id, level }: Rule, data: SiteData): Html {
  if (level === 'open') return renderOpenAnswers(id, data);
  const rows = data.sdks.map((sdk) => {
    const result = sdk.rules.get(id);
    const cells = result
      ? html`<td class="number">${result.passed}</td><td class="number ${result.failed > 0 ? 'wrong' : ''}">${result.failed}</td><td class="number">${result.unsupported}</td>`
      : html`<td colspan="3" class="quiet">it supports no operation of this rule</td>`;
    return html`<tr id="sdk-${sdk.name}"><th scope="row"><a href="/sdks/${sdk.name}/">${sdk.name}</a></th>${cells}</tr>\n`;
  });
  return html`<h2 id="results">Results of published SDKs</h2>
<table><thead><tr><th scope="col">SDK</th><th scope="col">passed</th><th scope="col">failed</th><th scope="col">unsupported</th></tr></thead><tbody>${rows}</tbody></table>`;
}

/** What each SDK answers to the vectors of an open rule. */
function renderOpenAnswers(rule: string, data: SiteData): Html {
  const ids = new Set(data.vectorsOf(rule).map(({ id }) => id));
  const rows = data.sdks.flatMap(({ name, met }) =>
    met
      .filter(([id]) => ids.has(id))
      .map(
        ([id, answer]) =>
          html`<tr><th scope="row"><a href="/sdks/${name}/">${name}</a></th><td><a href="/vectors/${id}/">${claimOf(id)}</a></td><td>${answer}</td></tr>\n`,
      ),
  );
  const table =
    rows.length === 0
      ? html`<p>No judged SDK supports an operation of this rule.</p>`
      : html`<table><thead><tr><th scope="col">SDK</th><th scope="col">vector</th><th scope="col">answer</th></tr></thead><tbody>${rows}</tbody></table>`;
  return html`<h2 id="results">Answers of published SDKs</h2>${table}`;
}
