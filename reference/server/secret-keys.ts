/**
 * Keeps private keys out of everything that is shown: some clients send theirs in the place of a signature.
 *
 * The one home of the question in which forms a text may carry a key.
 *
 * @module
 */
import { urlEncode } from '../signing/index.ts';
import type { Account } from './service.ts';

const INSTEAD = '<private key>';

/** A writing of a key that is shorter is looked for only where it is the key itself: it would be found everywhere. */
const SHORTEST = 6;

/** Writes something else in the place of each key, in whichever form a text carries it. */
export function hidingKeys(
  keys: readonly string[],
  instead: string = INSTEAD,
): (text: string) => string {
  const writings = [...new Set(keys)].flatMap(writingsOf);
  // The longest first, so that no rest of one is left.
  const needles = [...new Set(writings)].sort((a, b) => b.length - a.length);
  if (needles.length === 0) return (text) => text;
  return (text) => withoutSpans(text, spansOf(text, needles), instead);
}

/** Writes something else in the place of each of these texts, however they are escaped. */
export function hidingTexts(texts: readonly string[], instead: string): (text: string) => string {
  const needles = texts.map((text) => folded(utf8(text)));
  return (text) => withoutSpans(text, spansOf(text, needles), instead);
}

/** The same value without the private keys of accounts in any of its texts; that of development is no secret. */
export function withoutSecrets<Value>(accounts: readonly Account[], value: Value): Value {
  const secret = accounts.filter(({ isDevelopment }) => !isDevelopment);
  if (secret.length === 0) return value;
  return textsChanged(value, hiderOf(secret));
}

const hiders = new WeakMap<Account, { readonly key: string; readonly hide: Hide }>();

type Hide = (text: string) => string;

/** The writings of a key are made once, not for each request. */
function hiderOf(accounts: readonly Account[]): Hide {
  const [first] = accounts;
  if (!first) return (text) => text;
  const key = JSON.stringify(accounts.map(({ privateKey }) => privateKey));
  const known = hiders.get(first);
  if (known?.key === key) return known.hide;
  const hide = hidingKeys(accounts.map(({ privateKey }) => privateKey));
  hiders.set(first, { key, hide });
  return hide;
}

/** Members whose values are words of this program, which a short key must not change. */
const OWN_WORDS: ReadonlySet<string> = new Set([
  'id',
  'kind',
  'mistake',
  'reason',
  'rule',
  'signedIn',
  'vendorText',
]);

/** The same value with each of its texts changed, but for the words of this program. */
export function textsChanged<Value>(value: Value, change: Hide): Value {
  return changedIn(value, change) as Value;
}

function changedIn(value: unknown, change: Hide): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((entry) => changedIn(entry, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      OWN_WORDS.has(name) ? member : changedIn(member, change),
    ]),
  );
}

/** The key, in each spelling and in each encoding of it, as bytes in lower case. */
function writingsOf(key: string): readonly string[] {
  if (key === '') return [];
  const escapedBytes = [...utf8(key)].map((byte) => `%${hex(byte)}`).join('');
  const spellings = [
    key,
    key.toLowerCase(),
    key.toUpperCase(),
    [...key].toReversed().join(''),
    key.replaceAll(' ', '+'),
    // The bytes of UTF-8, each taken for a character.
    utf8(key),
    // What looks like an escape within the key is undone with the others.
    Buffer.from(unescaped(viewOf(key))?.bytes ?? '', 'latin1').toString('utf8'),
  ].filter((text) => text !== '');
  // Escapes are undone in what is looked through, but not inside hexadecimal or Base64.
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
  const encoded = [...hexadecimal, ...once.flatMap(base64Writings)];
  return [
    ...spellings.map((text) => folded(utf8(text))),
    ...encoded.filter(({ length }) => length >= SHORTEST).map(folded),
  ];
}

/** What is the same of the Base64 of every text that has this one in it, at each of the three places in a group. */
function base64Writings(text: string): readonly string[] {
  const bytes = Buffer.from(text, 'utf8');
  return [0, 1, 2].map((before) => {
    const code = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64url');
    // A character at either end may have bits of a neighbour.
    const start = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    return code.slice(start, end);
  });
}

function hex(text: string): string {
  return Buffer.from(text, 'latin1').toString('hex');
}

/** The bytes of UTF-8, a character for each. */
function utf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Without the differences of letters in ASCII and of the two alphabets of Base64; its length stays. */
function folded(bytes: string): string {
  return bytes
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}

/** A text as bytes, each with the part of the text that it comes from. */
interface View {
  readonly bytes: string;
  readonly start: (at: number) => number;
  readonly end: (at: number) => number;
}

type Span = readonly [start: number, end: number];

/** Escapes that stand within escapes are undone so many times. */
const MOST_ESCAPES = 4;

function spansOf(text: string, needles: readonly string[]): readonly Span[] {
  const spans: Span[] = [];
  let view: View | undefined = viewOf(text);
  for (let undone = 0; view && undone <= MOST_ESCAPES; undone += 1) {
    spans.push(...found(view, needles));
    view = unescaped(view);
  }
  return spans;
}

function found({ bytes, start, end }: View, needles: readonly string[]): readonly Span[] {
  const looked = folded(bytes);
  return needles.flatMap((needle) => {
    const spans: Span[] = [];
    for (let at = looked.indexOf(needle); at >= 0; at = looked.indexOf(needle, at + 1)) {
      spans.push([start(at), end(at + needle.length - 1)]);
    }
    return spans;
  });
}

function viewOf(text: string): View {
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

/** Of percent-encoding, JSON and other string literals, and HTML. */
const ESCAPE =
  /%([0-9a-f]{2})|((?:\\u[0-9a-f]{4})+)|\\u\{([0-9a-f]{1,6})\}|\\x([0-9a-f]{2})|\\([^ux])|&#([0-9]{1,7});?|&#x([0-9a-f]{1,6});?|&([a-z]{2,4});/gi;

/** With one level of escapes undone; nothing where the text has no escapes. */
function unescaped(view: View): View | undefined {
  const bytes: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  const take = (text: string, from: number, to: number): void => {
    for (let i = 0; i < text.length; i += 1) {
      bytes.push(text.charAt(i));
      // Several bytes that one escape stands for come from all of it.
      const isSame = to - from === text.length;
      starts.push(view.start(isSame ? from + i : from));
      ends.push(view.end(isSame ? from + i : to - 1));
    }
  };
  let at = 0;
  for (const match of view.bytes.matchAll(ESCAPE)) {
    take(view.bytes.slice(at, match.index), at, match.index);
    at = match.index + match[0].length;
    take(meaning(match), match.index, at);
  }
  if (at === 0) return undefined;
  take(view.bytes.slice(at), at, view.bytes.length);
  return { bytes: bytes.join(''), start: (i) => starts[i] ?? 0, end: (i) => ends[i] ?? 0 };
}

function meaning(match: RegExpMatchArray): string {
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

/** The text with each of these parts, joined where they touch, replaced. */
function withoutSpans(text: string, spans: readonly Span[], instead: string): string {
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
