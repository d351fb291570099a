/**
 * HTML templates that escape interpolated text.
 *
 * @module
 */

export interface Html {
  readonly html: string;
}

type Piece = string | number | undefined | Html | readonly Html[];

/** Escapes every interpolated piece that is not already `Html`. */
export function html(texts: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  const [first = '', ...rest] = texts;
  return raw(first + rest.map((text, i) => renderPiece(pieces[i]) + text).join(''));
}

/** Marks a text as HTML. */
export const raw = (text: string): Html => ({ html: text });

/** Joins pieces with a separator. */
export function joinHtml(pieces: readonly Html[], between: string): Html {
  return raw(pieces.map((piece) => piece.html).join(between));
}

function renderPiece(piece: Piece): string {
  if (piece === undefined) return '';
  if (typeof piece === 'object') {
    return ('html' in piece ? piece : joinHtml(piece, '')).html;
  }
  return escapeHtml(String(piece));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  // Browsers read a bare carriage return as a line feed.
  '\r': '&#13;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"'\r]/g, (character) => ENTITIES[character] ?? character);
}

/** Invisible characters, and characters that change the direction of text. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u00a0]/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Replaces invisible characters with their escapes, in `<i>` elements. */
export function showHidden(text: string): Html {
  const parts: Html[] = [];
  let at = 0;
  for (const { 0: character, index } of text.matchAll(INVISIBLE)) {
    parts.push(
      html`${text.slice(at, index)}<i>${SHORT[character] ?? escapeCharacter(character)}</i>`,
    );
    at = index + character.length;
  }
  return html`${[...parts, html`${text.slice(at)}`]}`;
}

function escapeCharacter(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
  return code.length > 4 ? `\\u{${code}}` : `\\u${code}`;
}
