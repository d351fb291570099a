/**
 * A public key where it stands in a text, however it is escaped, and another one in its place.
 *
 * @module
 */
import { urlEncode } from '../../reference/signing/index.ts';

/**
 * Replaces each occurrence by the other key, escaped like the one that stood there.
 *
 * @param between what becomes of the text around it
 */
export function withPublicKey(
  text: string,
  from: string,
  to: string,
  between: (text: string) => string,
): string {
  if (from === '') return between(text);
  return text
    .split(escapedForms(from))
    .map((piece, at) => (at % 2 === 0 ? between(piece) : writtenLike(piece, from, to)))
    .join('');
}

/** Each character as it is, or as an escape of a URL or of JSON; or all of them in upper case. */
function escapedForms(key: string): RegExp {
  const forms = [...key].map((one) => `(?:${plain(one)}|${percent(one)}|${plain(unicode(one))})`);
  return new RegExp(`(${forms.join('')}|${plain(key.toUpperCase())})`);
}

function plain(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function writtenLike(found: string, from: string, to: string): string {
  if (found === from) return to;
  if (found === urlEncode(from)) return urlEncode(to);
  if (found === from.toUpperCase()) return to.toUpperCase();
  const escaped = found.includes('\\u') ? unicode : percent;
  const like = [...to].map((one) => (found.includes(escaped(one)) ? escaped(one) : one)).join('');
  // None of the escaped characters is in the other key, so its first one stands for them.
  return like === to ? escaped(to.charAt(0)) + to.slice(1) : like;
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
