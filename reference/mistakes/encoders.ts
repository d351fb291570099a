/**
 * Encoders that implementations take for the specification's: other charsets, other URLs.
 *
 * @module
 */
import { urlEncode } from '../signing/percent-encoding.ts';
import { utf8Bytes } from '../signing/utf-8.ts';

/** ISO-8859-1, with a question mark for every character that it lacks. */
export function latin1Bytes(text: string): Uint8Array {
  const byte = (code: number): number => (code < 256 ? code : 63);
  return Uint8Array.from(text, (character) => byte(character.codePointAt(0) ?? 0));
}

/** The low byte of every UTF-16 unit; the array drops the high one. */
export function lowBytes(text: string): Uint8Array {
  return Uint8Array.from(text.split(''), (unit) => unit.charCodeAt(0));
}

/** UTF-16, the low byte of every unit first. */
export function utf16Bytes(text: string): Uint8Array {
  return Uint8Array.from(
    text.split('').flatMap((unit) => [unit.charCodeAt(0), unit.charCodeAt(0) >> 8]),
  );
}

/** UTF-8 of every UTF-16 unit by itself: three bytes for each half of a surrogate pair. */
export function cesu8Bytes(text: string): Uint8Array {
  const bytes = (unit: string): readonly number[] => {
    const code = unit.charCodeAt(0);
    if (unit.isWellFormed()) return [...utf8Bytes(unit)];
    return [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
  };
  return Uint8Array.from(text.split('').flatMap(bytes));
}

/** The encoding of HTML forms: a space is a plus, the star stays, the tilde does not. */
export function formEncoded(text: string): string {
  return urlEncode(text).replaceAll('%20', '+').replaceAll('%2A', '*').replaceAll('~', '%7E');
}
