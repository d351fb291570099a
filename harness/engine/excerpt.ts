/**
 * Quotes foreign texts in messages: invisible characters are escaped, long texts are cut.
 *
 * @module
 */
import { escapeUnit } from '../../reference/escapes.ts';

export { formatCount, formatList } from '../../reference/wording.ts';

/** Characters that a terminal shows as nothing, as layout or as part of their neighbour. */
const INVISIBLE =
  /[\u007f-\u00a0\u00ad\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]|[\u0300-\u036f]/g;

/** The text as one line in double quotes, with control and invisible characters escaped. */
export function quote(text: string): string {
  return JSON.stringify(text).replace(INVISIBLE, escapeUnit);
}

/** As `quote`, without the quotes. */
export function escapeInvisible(text: string): string {
  return quote(text).slice(1, -1).replaceAll('\\"', '"').replaceAll('\\\\', '\\');
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

/** The start of an escape at the end of a text, after complete escapes of backslashes; or half a surrogate pair. */
const BROKEN_END = /(?<!\\)((?:\\\\)*)\\(?:u[0-9a-f]{0,3})?$|[\ud800-\udbff]$/;

/** The start of a text, without quotes. It is not cut inside an escape or a character. */
export function shorten(text: string, longest: number = LONGEST_MESSAGE): string {
  return text.length > longest ? `${text.slice(0, longest).replace(BROKEN_END, '$1')}…` : text;
}
