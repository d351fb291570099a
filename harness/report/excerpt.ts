/**
 * Two texts that differ, shown so that the difference can be seen.
 *
 * @module
 */
import type { Difference } from '../judge/difference.ts';

export interface Excerpts {
  readonly expected: string;
  readonly actual: string;
  /** Under the first difference. */
  readonly caret: string;
}

/** Blanks at these places would be taken for layout; other text stays readable. */
const INVISIBLE =
  /[\u007f-\u00a0\u00ad\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]|[\u0300-\u036f]/g;

/** One line in double quotes; whatever cannot be seen is escaped. */
export function visible(text: string): string {
  return JSON.stringify(text).replace(
    INVISIBLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The same without the quotes, where the text stands within a sentence. */
export function visibleWithin(text: string): string {
  return visible(text).slice(1, -1).replaceAll('\\"', '"').replaceAll('\\\\', '\\');
}

/** Both texts, cut to the width around their first difference, and a caret that points at it. */
export function excerpts({ expected, actual, at }: Difference, width: number): Excerpts {
  const before = visible(expected.slice(0, at)).length - 1;
  const texts = [visible(expected), visible(actual)] as const;
  const longest = Math.max(texts[0].length, texts[1].length);
  if (longest <= width) {
    return { expected: texts[0], actual: texts[1], caret: `${' '.repeat(before)}^` };
  }
  // Most of the room goes to what follows: the cause stands there.
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
