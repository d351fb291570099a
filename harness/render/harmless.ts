/**
 * Escapes text of other programs, so that it cannot control a terminal or a CI service.
 *
 * An escaped character becomes `\uXXXX`, which in a JSON text still means the same character.
 *
 * @module
 */
import { escapeUnit } from '../../reference/escapes.ts';

/** C0 and C1 controls, line and paragraph separators, direction controls, and unpaired surrogates. */
const CONTROL =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\p{Surrogate}]/gu;

/** The same without line feeds and tabs; and colours, as `styleText` writes them. */
const COLOUR_OR_CONTROL =
  /\u001b\[[0-9;]*m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\p{Surrogate}]/gu;

/**
 * GitHub obeys `::error::` after whitespace at the start of a line; `##[` and `##vso[` are obeyed anywhere.
 *
 * The lookbehind starts at a colon, because a match from the start of long whitespace would take quadratic time.
 */
const COMMAND = /:(?<=^(?:[ \t]|\u001b\[[0-9;]*m)*:)(?=:)|#(?=#(?:vso)?\[)/gimu;

/** Escapes a sentence, including its line breaks. */
export function harmless(sentence: string): string {
  return sentence.replace(CONTROL, escapeUnit);
}

/**
 * Escapes a text but keeps its line breaks. All output passes through this function last.
 *
 * @param hasColours whether the colours in it are our own and stay
 */
export function harmlessLines(text: string, hasColours = false): string {
  return text
    .replace(COLOUR_OR_CONTROL, (found) => {
      const isColour = found.length > 1;
      return isColour && hasColours ? found : `${escapeUnit(found)}${found.slice(1)}`;
    })
    .replace(COMMAND, escapeUnit);
}
