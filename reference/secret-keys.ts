/**
 * Finds private keys in any text, in any common encoding, and hides them: some clients send their key as the signature.
 *
 * @module
 */

import { base64Url, concatBytes, hexadecimal } from './signing/bytes.ts';
import { type KeyPair, urlEncode } from './signing/index.ts';
import { mapTexts } from './values.ts';

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });

/** A key pair that the server knows. */
export interface Account extends KeyPair {
  /** Whether the key pair is published, so that its private key is not a secret. */
  readonly isDevelopment: boolean;
}

const INSTEAD = '<private key>';

/** Shorter encodings of a key are not searched for, because they occur in other texts by chance. Only the key itself may be shorter. */
const SHORTEST = 6;

/** Creates a function that replaces each key, in every encoding. */
export function keyHider(
  keys: readonly string[],
  instead: string = INSTEAD,
): (text: string) => string {
  const writings = [...new Set(keys)].flatMap(encodings);
  // The longest text first, so that no part of it remains.
  const needles = [...new Set(writings)].sort((a, b) => b.length - a.length);
  if (needles.length === 0) return (text) => text;
  return (text) => replaceSpans(text, findSpans(text, needles), instead);
}

/** Creates a function that replaces each of these texts, in every escaped form. */
export function textHider(texts: readonly string[], instead: string): (text: string) => string {
  const needles = texts.map((text) => foldCase(utf8(text)));
  return (text) => replaceSpans(text, findSpans(text, needles), instead);
}

/** Hides the private keys of accounts in all texts of a value, except the published development key. */
export function hidePrivateKeys<Value>(accounts: readonly Account[], value: Value): Value {
  const secret = accounts.filter(({ isDevelopment }) => !isDevelopment);
  if (secret.length === 0) return value;
  return mapForeignTexts(value, cachedHider(secret));
}

const hiders = new WeakMap<Account, { readonly key: string; readonly hide: Hide }>();

type Hide = (text: string) => string;

/** Computes the encodings of the keys once for all requests. */
function cachedHider(accounts: readonly Account[]): Hide {
  const [first] = accounts;
  if (!first) return (text) => text;
  const key = JSON.stringify(accounts.map(({ privateKey }) => privateKey));
  const known = hiders.get(first);
  if (known?.key === key) return known.hide;
  const hide = keyHider(accounts.map(({ privateKey }) => privateKey));
  hiders.set(first, { key, hide });
  return hide;
}

/** Members whose values are words of this program, in which a short key is not replaced. */
const OWN_WORDS: ReadonlySet<string> = new Set([
  'id',
  'kind',
  'mistake',
  'reason',
  'rule',
  'signedIn',
  'vendorText',
]);

/** Changes each text of a value, except the words of this program. */
export function mapForeignTexts<Value>(value: Value, change: Hide): Value {
  return mapTexts(value, change, OWN_WORDS);
}

/** The spellings of a key and their encodings, as bytes in lower case. */
function encodings(key: string): readonly string[] {
  if (key === '') return [];
  const escapedBytes = [...utf8(key)].map((byte) => `%${hex(byte)}`).join('');
  const spellings = [
    key,
    key.toLowerCase(),
    key.toUpperCase(),
    [...key].toReversed().join(''),
    key.replaceAll(' ', '+'),
    // UTF-8 that was read as Latin-1.
    utf8(key),
    // Escapes in the key itself are decoded too, like the escapes around it.
    DECODER.decode(latin1Bytes(unescapeOnce(toView(key))?.bytes ?? '')),
  ].filter((text) => text !== '');
  // The search decodes escapes, but not inside hexadecimal or Base64.
  const escaped = [
    urlEncode(key.toWellFormed()),
    encodeURIComponent(key.toWellFormed()),
    escapedBytes,
    escapedBytes.toUpperCase(),
    JSON.stringify(key).slice(1, -1),
  ];
  const plain = [...new Set([...spellings, ...escaped])];
  const hexadecimal = plain.flatMap((text) => [hex(utf8(text)), hex(utf8(text)).toUpperCase()]);
  const once = [...plain, ...hexadecimal];
  const encoded = [...hexadecimal, ...once.flatMap(base64Encodings)];
  return [
    ...spellings.map((text) => foldCase(utf8(text))),
    ...encoded.filter(({ length }) => length >= SHORTEST).map(foldCase),
  ];
}

/** For each of the three possible offsets in a Base64 group, the characters that do not depend on the surrounding text. */
function base64Encodings(text: string): readonly string[] {
  const bytes = ENCODER.encode(text);
  return [0, 1, 2].map((before) => {
    const code = base64Url(concatBytes([new Uint8Array(before), bytes]));
    // The first and the last character may contain bits of neighbouring bytes.
    const start = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    return code.slice(start, end);
  });
}

function hex(bytes: string): string {
  return hexadecimal(latin1Bytes(bytes));
}

/** The bytes of a text that has one character for each byte. */
function latin1Bytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** The UTF-8 form of a text, with one character for each byte. */
function utf8(text: string): string {
  return Array.from(ENCODER.encode(text), (byte) => String.fromCharCode(byte)).join('');
}

/** Makes the case of ASCII letters and the two alphabets of Base64 equal, and keeps the length. */
function foldCase(bytes: string): string {
  return bytes
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}

/** A text as bytes, with the source of each byte in the text. */
interface View {
  readonly bytes: string;
  readonly start: (at: number) => number;
  readonly end: (at: number) => number;
}

type Span = readonly [start: number, end: number];

/** The number of levels of nested escapes that are decoded. */
const MAX_ESCAPES = 4;

function findSpans(text: string, needles: readonly string[]): readonly Span[] {
  const spans: Span[] = [];
  let view: View | undefined = toView(text);
  for (let undone = 0; view && undone <= MAX_ESCAPES; undone += 1) {
    spans.push(...findNeedles(view, needles));
    view = unescapeOnce(view);
  }
  return spans;
}

function findNeedles({ bytes, start, end }: View, needles: readonly string[]): readonly Span[] {
  const looked = foldCase(bytes);
  return needles.flatMap((needle) => {
    const spans: Span[] = [];
    for (let at = looked.indexOf(needle); at >= 0; at = looked.indexOf(needle, at + 1)) {
      spans.push([start(at), end(at + needle.length - 1)]);
    }
    return spans;
  });
}

function toView(text: string): View {
  if (/^[\0-\x7f]*$/.test(text)) return { bytes: text, start: (at) => at, end: (at) => at + 1 };
  const bytes: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let at = 0;
  for (const character of text) {
    for (const byte of character < '\u0080' ? character : utf8(character)) {
      bytes.push(byte);
      starts.push(at);
      ends.push(at + character.length);
    }
    at += character.length;
  }
  return { bytes: bytes.join(''), start: (i) => starts[i] ?? 0, end: (i) => ends[i] ?? 0 };
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** An escape of percent-encoding, of JSON and other string literals, or of HTML. */
const ESCAPE =
  /%([0-9a-f]{2})|((?:\\u[0-9a-f]{4})+)|\\u\{([0-9a-f]{1,6})\}|\\x([0-9a-f]{2})|\\([^ux])|&#([0-9]{1,7});?|&#x([0-9a-f]{1,6});?|&([a-z]{2,4});/gi;

/** Decodes one level of escapes; undefined if the text has no escapes. */
function unescapeOnce(view: View): View | undefined {
  const bytes: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  const take = (text: string, from: number, to: number): void => {
    for (let i = 0; i < text.length; i += 1) {
      bytes.push(text.charAt(i));
      // Each byte of a multi-byte escape has the whole escape as its source.
      const isSame = to - from === text.length;
      starts.push(view.start(isSame ? from + i : from));
      ends.push(view.end(isSame ? from + i : to - 1));
    }
  };
  let at = 0;
  for (const match of view.bytes.matchAll(ESCAPE)) {
    take(view.bytes.slice(at, match.index), at, match.index);
    at = match.index + match[0].length;
    take(decodeEscape(match), match.index, at);
  }
  if (at === 0) return undefined;
  take(view.bytes.slice(at), at, view.bytes.length);
  return { bytes: bytes.join(''), start: (i) => starts[i] ?? 0, end: (i) => ends[i] ?? 0 };
}

function decodeEscape(match: RegExpMatchArray): string {
  const [all, percent, units, point, byte, literal, decimal, hexadecimal, name = ''] = match;
  const code = percent ?? byte;
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  if (units !== undefined) {
    const codes = (units.match(/.{6}/g) ?? []).map((unit) => Number.parseInt(unit.slice(2), 16));
    return utf8(codes.map((code) => String.fromCharCode(code)).join(''));
  }
  if (literal !== undefined) return NAMED[literal] ?? literal;
  const number = point ?? hexadecimal;
  if (number === undefined && decimal === undefined) return NAMED[name.toLowerCase()] ?? all;
  const value = number === undefined ? Number(decimal) : Number.parseInt(number, 16);
  return value > 0x10ffff ? all : utf8(String.fromCodePoint(value));
}

/** Replaces parts of a text; adjacent parts together. */
function replaceSpans(text: string, spans: readonly Span[], instead: string): string {
  let shown = '';
  let at = 0;
  let isHidden = false;
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) {
    if (end <= at && isHidden) continue;
    if (start > at || !isHidden) shown += `${text.slice(at, Math.max(at, start))}${instead}`;
    isHidden = true;
    at = end;
  }
  return shown + text.slice(at);
}
