/**
 * Texts with every byte visible, and the bytes in which two texts differ.
 *
 * @module
 */
import { ANSWER } from '../../harness/engine/insight/demonstration.ts';
import type { Input } from '../../harness/engine/vector.ts';
import { type Html, html, joinHtml, raw, showHidden } from '../../reference/server/pages/html.ts';

/** U+2423 for a space: more fonts have it than U+2420. */
const VISIBLE: Readonly<Record<string, string>> = { ' ': '␣', '\t': '⇥', '\n': '⏎' };

/** A text with visible spaces, tabs and line feeds. Line feeds still break the line. */
function showText(text: string): Html {
  if (text === '') return html`<span class="quiet">empty</span>`;
  const pieces = text.split(/([ \t\n])/).map((piece) => {
    const sign = VISIBLE[piece];
    if (sign === undefined) return showHidden(piece);
    return html`<i>${sign}</i>${piece === '\n' ? '\n' : ''}`;
  });
  return html`${pieces}`;
}

/** A request, with visible tabs and visible spaces where a reader could miss them. */
export function showRequest(text: string): Html {
  const pieces = text.split(/(\t|^ +|(?<! ) {2,}(?! )| +(?=\t|\n|$))/m).map((piece) => {
    if (!/^[ \t]+$/.test(piece)) return showLines(piece);
    return html`<i>${piece.replaceAll(' ', VISIBLE[' '] ?? '').replaceAll('\t', VISIBLE['\t'] ?? '')}</i>`;
  });
  return html`${pieces}`;
}

function showLines(text: string): Html {
  return joinHtml(text.split('\n').map(showHidden), '\n');
}

/** How the text of a stage is shown. */
export const showStage = (stage: string): ((text: string) => Html) =>
  stage === ANSWER ? showRequest : showText;

/** The start and the end of the part in which a text differs from another. No surrogate pair is split. */
function findChange(text: string, other: string): readonly [start: number, end: number] {
  const most = Math.min(text.length, other.length);
  let start = 0;
  while (start < most && text[start] === other[start]) start += 1;
  let tail = 0;
  while (tail < most - start && text.at(-1 - tail) === other.at(-1 - tail)) tail += 1;
  const end = text.length - tail;
  return [splitsPair(text, start) ? start - 1 : start, splitsPair(text, end) ? end + 1 : end];
}

function splitsPair(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, at - 1), at + 1));
}

/** A text with a mark on the part that differs from another text. */
export function showChange(
  text: string,
  other: string,
  show: (text: string) => Html = showText,
): Html {
  if (text === other) return show(text);
  const [start, end] = findChange(text, other);
  const changed = text.slice(start, end);
  const mark =
    changed === '' ? raw('<mark class="gap"></mark>') : html`<mark>${show(changed)}</mark>`;
  const part = (piece: string): Html => (piece === '' ? html`` : show(piece));
  return html`${part(text.slice(0, start))}${mark}${part(text.slice(end))}`;
}

/** A stage or a member of an input as a text: lists of pairs have a line for each pair. */
export function stageText(value: unknown): string {
  if (!Array.isArray(value)) return valueText(value);
  const lines = value.map((item: unknown) =>
    Array.isArray(item) ? item.map(valueText).join(' = ') : JSON.stringify(item),
  );
  return lines.join('\n');
}

const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

/** An input as lines: one for each member, or for each of its pairs. */
export function inputText(input: Input): string {
  const members = Object.entries(input).map(([name, value]) => {
    const text = stageText(value);
    return text.includes('\n') ? `${name}:\n${text}` : `${name}: ${text}`;
  });
  return members.join('\n');
}

/** Added for text with a backslash or a non-ASCII character. */
const ODD = 5000;

/** A measure of how long an input takes to read. Short texts in plain ASCII have the smallest values. */
export function readingLength(input: object): number {
  const text = JSON.stringify(input);
  return text.length + (/^[ -~]*$/.test(text) && !text.includes('\\\\') ? 0 : ODD);
}

/** A sentence that starts with a capital letter and ends with a full stop. */
export function sentence(text: string): string {
  const start = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.?!]$/.test(start) ? start : `${start}.`;
}
