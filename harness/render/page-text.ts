/**
 * A page of the site as plain text.
 *
 * @module
 */

const HIDDEN = /<(?:(script|style|svg|template|form)\b|(\w+) hidden\b)/g;

/** Elements that start a line. */
const BLOCK =
  /<\/?(?:p|h[1-6]|div|section|article|ul|ol|dl|dt|table|tr|pre|details|summary|blockquote|br|hr|header|footer)\b[^<>]*>/g;

/** The space between items and rows, which follow each other without an empty line. Items may have no end tag. */
const ITEM_END = /<\/(?:li|tr)>\s*|\n(?=<li\b)/g;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

/** The text of the main part of a page, or of the whole document if it has none. */
export function pageText(html: string): string {
  const main = /<main\b[^<>]*>([\s\S]*?)<\/main>/.exec(html)?.[1] ?? html;
  const lines = removeHidden(main)
    .replace(ITEM_END, '')
    .replace(/<li\b[^<>]*>/g, '\n- ')
    .replace(/<(?:dd|td|th)\b[^<>]*>/g, '  ')
    .replace(BLOCK, '\n')
    .replace(/<[^<>]*>/g, '')
    .replace(/&(#x?[0-9a-f]+|[a-z]+);/gi, (entity, name: string) => readEntity(name) ?? entity);
  return `${lines
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()}\n`;
}

/** The section of a page below the heading with an anchor; the whole page if it has no such heading. */
export function narrowToSection(html: string, anchor: string): string {
  const sections = html.split(/(?=<h2\b)|(?=<\/main>)/);
  return sections.find((section) => section.startsWith(`<h2 id="${anchor}"`)) ?? html;
}

/** The code of the reference on the page of a rule or a place, as text; empty if the page has none. */
export function referenceCode(html: string): string {
  const [code] = /<details open><summary>TypeScript<[\s\S]*?<\/details>/.exec(html) ?? [];
  return code === undefined ? '' : pageText(code);
}

/** Removes elements that a reader does not see. Stops at an element without an end tag. */
function removeHidden(html: string): string {
  let kept = '';
  let from = 0;
  for (const { 0: start, 1: name, 2: marked = '', index } of html.matchAll(HIDDEN)) {
    if (index < from) continue;
    const close = `</${name ?? marked}>`;
    const end = html.indexOf(close, index + start.length);
    if (end < 0) break;
    kept += html.slice(from, index);
    from = end + close.length;
  }
  return kept + html.slice(from);
}

function readEntity(name: string): string | undefined {
  if (!name.startsWith('#')) return ENTITIES[name];
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
