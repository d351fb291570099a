/**
 * Parts of HTML that several pages share.
 *
 * @module
 */
import { formatCount } from '../../harness/engine/excerpt.ts';
import type { Demonstration } from '../../harness/engine/insight/demonstration.ts';
import { causeAddress } from '../../harness/engine/report/cause-page.ts';
import type { Level } from '../../harness/engine/vector.ts';
import { type Html, html } from '../../reference/server/pages/html.ts';
import { type Code, LANGUAGES } from './code.ts';
import type { SiteData } from './data.ts';
import { codeBlock } from './highlight.ts';
import { sentence, showChange, showStage } from './text.ts';

/** The level of a rule, as a word with a symbol. */
export const levelMark = (level: Level): Html => html`<span class="level ${level}">${level}</span>`;

/** Rules with their sentences. */
export function ruleList(ids: readonly string[], data: SiteData): Html {
  const rows = ids.map((id) => {
    const { level, text } = data.rule(id);
    return html`<li>${levelMark(level)} <a href="/rules/${id}/">${text}</a></li>\n`;
  });
  return html`<ul class="list rules">${rows}</ul>`;
}

/** A list of mistakes of the register, each with its sentence. */
export function mistakeList(ids: readonly string[], data: SiteData): Html {
  const rows = ids.flatMap((id) => {
    const mistake = data.mistakes.find((one) => one.id === id);
    return mistake
      ? [html`<li><a href="/mistakes/${id}/">${sentence(mistake.wrong)}</a></li>\n`]
      : [];
  });
  return html`<ul class="list">${rows}</ul>`;
}

/** The address of any cause that a report names: a mistake of the register, or a change at a place; a condition may follow. */
function mistakeAddress(id: string, { places }: SiteData): string {
  const address = causeAddress(id);
  const [page = '', change] = address.split('#');
  // The changes that are made up for an answer, such as those of an encoder, are not listed.
  const isListed = places.some(
    ({ id: place, mistakes }) =>
      page === `/mistakes/${place}/` && mistakes.some((one) => one.id === `${place}/${change}`),
  );
  return isListed ? address : page;
}

/** A cause by its id, as a link. */
export const mistakeLink = (id: string, data: SiteData): Html =>
  html`<a href="${mistakeAddress(id, data)}"><code>${id}</code></a>`;

/** The wrong and the correct text side by side, with marks on the changed bytes. */
export function renderDemonstration({ vector, difference }: Demonstration): Html {
  const { stage, expected: right, actual: wrong } = difference;
  const show = showStage(stage);
  return html`<div class="pair">
<figure class="wrong"><figcaption>wrong ${stage}</figcaption><pre tabindex="0">${showChange(wrong, right, show)}</pre></figure>
<figure class="right"><figcaption>correct ${stage}</figcaption><pre tabindex="0">${showChange(right, wrong, show)}</pre></figure>
</div>
<p class="source">shown by <a href="/vectors/${vector.id}/">${vector.id}</a></p>`;
}

/** The code of a rule in each language that has it. */
export function renderCode(codes: readonly Code[]): Html {
  const blocks = LANGUAGES.flatMap(([language, name], at) => {
    const own = codes.filter((code) => code.language === language);
    if (own.length === 0) return [];
    const pieces = own.map(
      ({ path, line, text }) =>
        html`<p class="source">${path}, line ${line}</p>${codeBlock(language, text)}`,
    );
    return [html`<details${at === 0 ? ' open' : ''}><summary>${name}</summary>${pieces}</details>`];
  });
  return html`<div class="copies" data-pagefind-ignore>${blocks}</div>`;
}

/** The ids of vectors as links. Ids beyond the limit are only counted. */
export function vectorList(ids: readonly string[], most: number = ids.length): Html {
  const rows = ids.slice(0, most).map((id) => html`<li><a href="/vectors/${id}/">${id}</a>\n`);
  const left = ids.length - most;
  const more =
    left > 0
      ? html`<p class="quiet">and ${formatCount(left, 'more vector')}, in the data of this page</p>`
      : html``;
  return html`<ul class="list ids" data-pagefind-ignore>${rows}</ul>${more}`;
}
