/**
 * Quotes foreign texts in messages: invisible characters are escaped, long texts are cut.
 *
 * @module
 */

/** Two texts and the index of their first difference. */
export interface DifferingTexts {
  readonly expected: string;
  readonly actual: string;
  readonly at: number;
}

export interface Excerpts {
  readonly expected: string;
  readonly actual: string;
  /** A caret below the first difference. */
  readonly caret: string;
}

/** Characters that a terminal shows as nothing, as layout or as part of their neighbour. */
const INVISIBLE =
  /[\u007f-\u00a0\u00ad\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]|[\u0300-\u036f]/g;

/** The text as one line in double quotes, with control and invisible characters escaped. */
export function quote(text: string): string {
  return JSON.stringify(text).replace(
    INVISIBLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** As `quote`, without the quotes. */
export function escapeInvisible(text: string): string {
  return quote(text).slice(1, -1).replaceAll('\\"', '"').replaceAll('\\\\', '\\');
}

/** Both texts, cut to a width around their first difference, and a caret that points at it. */
export function excerptDifference(
  { expected, actual, at }: DifferingTexts,
  width: number,
): Excerpts {
  const before = quote(expected.slice(0, at)).length - 1;
  const texts = [quote(expected), quote(actual)] as const;
  const longest = Math.max(texts[0].length, texts[1].length);
  if (longest <= width) {
    return { expected: texts[0], actual: texts[1], caret: `${' '.repeat(before)}^` };
  }
  // Two thirds of the width show what follows the difference, because that part shows the cause.
  const start = Math.max(0, Math.min(before - Math.floor(width / 3), longest - width + 1));
  const cut = (text: string): string => {
    const head = start > 0 ? '…' : '';
    const room = width - head.length;
    const rest = text.slice(start);
    return head + (rest.length > room ? `${rest.slice(0, room - 1)}…` : rest);
  };
  const offset = before - start + (start > 0 ? 1 : 0);
  return { expected: cut(texts[0]), actual: cut(texts[1]), caret: `${' '.repeat(offset)}^` };
}

/** In characters. */
export const LONGEST_EXCERPT = 80;

/** In characters; longer messages are cut. */
export const LONGEST_MESSAGE = 400;

/** The start of a foreign text as a JSON string. */
export function quoteStart(text: string, longest: number = LONGEST_EXCERPT): string {
  const quoted = JSON.stringify(text.slice(0, longest));
  return text.length > longest ? `${quoted}…` : quoted;
}

/** The start of a text, without quotes. */
export function shorten(text: string, longest: number = LONGEST_MESSAGE): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
