/**
 * Finds a public key in a text, however it is escaped, and replaces it.
 *
 * @module
 */
import { urlEncode } from '../../../reference/signing/index.ts';

/**
 * Replaces each occurrence by the other key, escaped in the same way.
 *
 * @param replaceRest is applied to the text around the keys
 */
export function replacePublicKey(
  text: string,
  from: string,
  to: string,
  replaceRest: (text: string) => string,
): string {
  if (from === '') return replaceRest(text);
  return text
    .split(escapedForms(from))
    .map((piece, at) => (at % 2 === 0 ? replaceRest(piece) : escapeLike(piece, from, to)))
    .join('');
}

/** Each character as it is, or as an escape of a URL or of JSON; or all characters in upper case. */
function escapedForms(key: string): RegExp {
  const forms = [...key].map((one) => `(?:${plain(one)}|${percent(one)}|${plain(unicode(one))})`);
  return new RegExp(`(${forms.join('')}|${plain(key.toUpperCase())})`);
}

function plain(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function escapeLike(found: string, from: string, to: string): string {
  if (found === from) return to;
  if (found === urlEncode(from)) return urlEncode(to);
  if (found === from.toUpperCase()) return to.toUpperCase();
  const toEscape = found.includes('\\u') ? unicode : percent;
  const like = [...to].map((one) => (found.includes(toEscape(one)) ? toEscape(one) : one)).join('');
  // If the other key has none of the escaped characters, its first character is escaped instead.
  return like === to ? toEscape(to.charAt(0)) + to.slice(1) : like;
}

function percent(character: string): string {
  const hex = Buffer.from(character).toString('hex').toUpperCase();
  return hex.replace(/../g, (byte) => `%${byte}`);
}

function unicode(character: string): string {
  return character.replace(/./gs, (unit) => {
    const hex = unit.charCodeAt(0).toString(16).toUpperCase();
    return `\\u${hex.padStart(4, '0')}`;
  });
}
