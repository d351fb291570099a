/**
 * Why a vector fails, in one line, for formats that show each failure by itself.
 *
 * @module
 */
import { certaintyWords, type FoundCause } from '../diagnosis/diagnose.ts';
import type { Explanation } from '../diagnosis/explanation.ts';

/** More mistakes that fit as well are counted. */
const SHOWN_OTHERS = 3;

/** What else fits, beside the cause that is named. */
export function othersSentence({ others }: Pick<FoundCause, 'others'>): string {
  const shown = others.slice(0, SHOWN_OTHERS).map(({ wrong }) => wrong);
  const left = others.length - shown.length;
  return `as well ${[...shown, ...(left > 0 ? [`one of ${left} more`] : [])].join('; or ')}`;
}

/** By the vector's id; nothing for one that no known mistake explains. */
export function causeSentences(explanation: Explanation | undefined): ReadonlyMap<string, string> {
  const sentences = new Map<string, string>();
  for (const cause of explanation?.causes ?? []) {
    const { mistake, explains } = cause;
    const sentence = `${mistake.id}${certaintyWords(cause)}: ${mistake.wrong}; ${mistake.fix}`;
    for (const id of explains) {
      const before = sentences.get(id);
      sentences.set(id, before === undefined ? sentence : `${before}; ${sentence}`);
    }
  }
  return sentences;
}
