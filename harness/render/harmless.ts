/**
 * Text that other programs wrote, as characters that no terminal and no CI service obeys.
 *
 * Every character that is escaped becomes `\uXXXX`: in a JSON text, that is the same character still.
 *
 * @module
 */

/** C0 and C1 controls, line and paragraph separators, controls of direction, and halves of surrogate pairs. */
const CONTROL =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\p{Surrogate}]/gu;

/** The same but for the line feeds and tabs that lay a text out; and a colour, as `styleText` writes it. */
const COLOUR_OR_CONTROL =
  /\u001b\[[0-9;]*m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\p{Surrogate}]/gu;

/**
 * GitHub obeys `::error::` after whitespace at the start of a line; `##[` and `##vso[` are obeyed anywhere.
 *
 * Only at a colon does it look behind, as long whitespace would take quadratic time.
 */
const COMMAND = /:(?<=^(?:[ \t]|\u001b\[[0-9;]*m)*:)(?=:)|#(?=#(?:vso)?\[)/gimu;

/** A sentence: line breaks in it are escaped too. */
export function harmless(sentence: string): string {
  return sentence.replace(CONTROL, escaped);
}

/**
 * A text of lines that we laid out; every piece of output passes here last.
 *
 * @param hasColours whether the colours in it are ours
 */
export function harmlessLines(text: string, hasColours = false): string {
  return text
    .replace(COLOUR_OR_CONTROL, (found) => {
      const isColour = found.length > 1;
      return isColour && hasColours ? found : `${escaped(found)}${found.slice(1)}`;
    })
    .replace(COMMAND, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
