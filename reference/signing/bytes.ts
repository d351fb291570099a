/**
 * Text as bytes and bytes as text: UTF-8, byte order, Base64, hexadecimal, percent-encoding (§5.3).
 *
 * @module
 */
import { utf8 } from '#digest';
import { InputError, type Piece } from './types.ts';

/**
 * Refuses a text with an unpaired surrogate. Check each part of a signed text separately: two joined ones look complete.
 *
 * @param what names the text; the text itself may be a private key and is never shown
 */
export function checkText(what: string, text: string): void {
  if (text.isWellFormed()) return;
  throw new InputError(
    'text',
    `${what} holds an unpaired surrogate, which has no UTF-8 bytes (§5.3); give whole characters`,
  );
}

/** The UTF-8 bytes of a text. An encoder alone would replace an unpaired surrogate by U+FFFD, and so sign another text. */
export function utf8Bytes(text: string): Uint8Array {
  checkText('a text', text);
  return utf8(text);
}

/** Compares by UTF-8 bytes (§5.1 step 2, §5.2 step 2); `a < b` compares UTF-16 units, which puts U+10000 before U+FFFF. */
export function compareBytes(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left === right) continue;
    return left < 0xd800 && right < 0xd800 ? left - right : unitRank(left) - unitRank(right);
  }
  return a.length - b.length;
}

/** Where a UTF-16 unit sorts by UTF-8 bytes: the halves of pairs, D800 to DFFF, come after all other units. */
const unitRank = (unit: number): number => (unit < 0xd800 || unit > 0xdfff ? unit : unit + 0x10000);

/** A sorted copy; equal items keep their order. For a short list, a call of `sort` takes longer than the comparisons. */
export function sortList<Item extends string | object>(
  list: readonly Item[],
  compare: (a: Item, b: Item) => number,
): readonly Item[] {
  const sorted = list.slice();
  if (sorted.length > SHORT_LIST) return sorted.sort(compare);
  for (let next = 1; next < sorted.length; next++) {
    const item = sorted[next];
    if (item === undefined) break;
    let at = next;
    for (; at > 0; at--) {
      const before = sorted[at - 1];
      if (before === undefined || compare(before, item) <= 0) break;
      sorted[at] = before;
    }
    sorted[at] = item;
  }
  return sorted;
}

const SHORT_LIST = 24;

const BASE64_UNITS: readonly number[] = Array.from(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  (digit) => digit.charCodeAt(0),
);
const PADDING = 0x3d;

/** Bytes that are encoded in one call, whose arguments are limited; three bytes are four digits. */
const PIECE = 3 * 2048;

/** RFC 4648 §4, with `+`, `/` and padding: signatures (§5.2) and passwords (§4.2). Faster than `btoa`, which takes a text. */
export function base64(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += PIECE) {
    text += base64Piece(bytes, start, Math.min(start + PIECE, bytes.length));
  }
  return text;
}

function base64Piece(bytes: Uint8Array, start: number, end: number): string {
  const units = new Array<number>(Math.ceil((end - start) / 3) * 4);
  for (let at = start, to = 0; at < end; at += 3, to += 4) {
    // Past the end, zeros fill the last group.
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    units[to] = digitUnit(group >> 18);
    units[to + 1] = digitUnit((group >> 12) & 63);
    units[to + 2] = at + 1 < end ? digitUnit((group >> 6) & 63) : PADDING;
    units[to + 3] = at + 2 < end ? digitUnit(group & 63) : PADDING;
  }
  return String.fromCharCode(...units);
}

const digitUnit = (digit: number): number => BASE64_UNITS[digit] ?? PADDING;

/** RFC 4648 §5, with `-`, `_` and padding: ETags (§2) and callback policies. */
export function base64Url(bytes: Uint8Array): string {
  return base64(bytes).replaceAll('+', '-').replaceAll('/', '_');
}

const DIGITS: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
);

/** Two lower-case hexadecimal digits a byte. §5.1 names no case; every published example is lower. */
export function hexadecimal(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += DIGITS[byte];
  return text;
}

/** The bytes of lower-case hexadecimal digits. */
export function hexadecimalBytes(digits: string): Uint8Array {
  const bytes = new Uint8Array(digits.length / 2);
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = (digitValue(digits, 2 * at) << 4) | digitValue(digits, 2 * at + 1);
  }
  return bytes;
}

function digitValue(digits: string, at: number): number {
  const unit = digits.charCodeAt(at);
  return unit < 0x61 ? unit - 0x30 : unit - 0x61 + 10;
}

/** The characters that §5.3 does not encode. */
const UNRESERVED = /^[A-Za-z0-9\-_.~]*$/;

const ESCAPES: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return UNRESERVED.test(character) ? character : `%${DIGITS[byte]?.toUpperCase()}`;
});

/** Encodes every byte of the text's UTF-8 form but `A-Z a-z 0-9 - _ . ~` as `%XY` (§5.3). */
export function urlEncode(text: string): string {
  if (UNRESERVED.test(text)) return text;
  let encoded = '';
  for (const byte of utf8Bytes(text)) encoded += ESCAPES[byte];
  return encoded;
}

/** Reverses `urlEncode`; `undefined` for an invalid escape. `+` stays a plus, because §5.3 encodes a space as `%20`. */
export function urlDecode(encoded: string): string | undefined {
  if (!encoded.includes('%')) return encoded;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** Whether a text starts so, in any case of its ASCII letters. */
export function startsInAnyCase(text: string, start: string): boolean {
  if (text.length < start.length) return false;
  for (let at = 0; at < start.length; at++) {
    if (lowerCaseUnit(text.charCodeAt(at)) !== lowerCaseUnit(start.charCodeAt(at))) return false;
  }
  return true;
}

const lowerCaseUnit = (unit: number): number => (unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit);

/** The texts of the pieces, one after the other. */
export function joinPieces(pieces: readonly Piece[]): string {
  let text = '';
  for (const piece of pieces) text += piece[1];
  return text;
}

/** Faster than `join` for the few texts of a request. */
export function joinTexts(texts: readonly string[], between: string): string {
  let joined = '';
  for (let at = 0; at < texts.length; at++) joined += at === 0 ? texts[at] : between + texts[at];
  return joined;
}

export function concatBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((size, { length }) => size + length, 0));
  let end = 0;
  for (const piece of pieces) {
    bytes.set(piece, end);
    end += piece.length;
  }
  return bytes;
}
