/**
 * Changes between texts and bytes: how a digest is written, how a text is encoded, what serves as the key.
 *
 * @module
 */

import { hash, utf8 } from '#digest';
import { base64, base64Url, hexadecimal, urlDecode, urlEncode } from '../../signing/bytes.ts';
import { InputError } from '../../signing/types.ts';
import { type Bytes, type Change, type Kind, kind, table, tabular } from './change.ts';

type Write = (bytes: Bytes) => string;
type Encode = (text: string) => Bytes;

/** The text of UTF-8, with U+FFFD for invalid bytes. */
export const fromUtf8 = (bytes: Bytes, ignoreBOM = true): string => new TextDecoder('utf-8', { ignoreBOM }).decode(bytes);
/** In lower case and without accents. */
export const unaccented = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{Mn}+/gu, '')
    .toLowerCase();
/** The text before the first `mark`. */
export const before = (text: string, mark: string): string => text.split(mark, 1)[0] ?? '';

function each(write: (byte: number) => string, mark = ''): Write {
  return (bytes) => Array.from(bytes, (byte) => write(byte)).join(mark);
}
/** Applies `inner`, then `outer` to its result. */
function over(outer: Write, inner: Write): Write {
  return (bytes) => outer(utf8(inner(bytes)));
}
const hexByte = (byte: number): string => byte.toString(16).padStart(2, '0');
const upper = (byte: number): string => hexByte(byte).toUpperCase();
const signs = (byte: number): string => (byte < 128 ? '' : 'ffffff');
const escaped = (byte: number): string => (byte < 128 ? urlEncode(String.fromCharCode(byte)) : `%${upper(byte)}`);
const upperHex: Write = each(upper);
/** A character for each byte. */
export const fromLatin1: Write = each((byte) => String.fromCharCode(byte));
const ascii: Write = each((b) => (b < 128 ? String.fromCharCode(b) : '?'));
const integer = (bytes: Bytes): bigint => BigInt(`0x0${hexadecimal(bytes)}`);
const signedHex = (bytes: Bytes): string => BigInt.asIntN(8 * bytes.length, integer(bytes)).toString(16);
/** Lines of 76 characters, as for mail. */
const lines = (text: string, ending: string): string => text.replace(/.{1,76}/g, `$&${ending}`);
export const unpadded = (text: string): string => text.replace(/(?<!=)=+$/, '');
/** From the URL-safe alphabet of Base64. */
export const standardAlphabet = (text: string): string => text.replaceAll('-', '+').replaceAll('_', '/');
const firstReplaced = (text: string): string => text.replace('+', '-').replace('/', '_');

/** RFC 4648 §6. */
function base32(bytes: Bytes): string {
  const groups = each((byte) => byte.toString(2).padStart(8, '0'))(bytes).match(/.{1,5}/g) ?? [];
  const digits = groups.map((bits) => Number.parseInt(bits.padEnd(5, '0'), 2));
  const text = digits.map((digit) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.charAt(digit)).join('');
  return text.padEnd(Math.ceil(text.length / 8) * 8, '=');
}

/** `repr` of Python's `bytes`. */
function pythonBytes(bytes: Bytes): string {
  const quote = bytes.includes(0x27) && !bytes.includes(0x22) ? '"' : "'";
  const short: Readonly<Record<string, string>> = { '\t': 't', '\n': 'n', '\r': 'r', '\\': '\\' };
  const text = fromLatin1(bytes).replace(new RegExp(`[^ -~]|[\\\\${quote}]`, 'g'), (c) => {
    return `\\${c === quote ? c : (short[c] ?? `x${hexByte(c.charCodeAt(0))}`)}`;
  });
  return `b${quote}${text}${quote}`;
}

const ENCODINGS: readonly (readonly [id: string, words: string, write: Write])[] = [
  ['hex', 'hexadecimal', hexadecimal],
  ['base64', 'Base64', base64],
  ['upper-hex', 'upper-case hexadecimal', upperHex],
  ['base64-url', 'URL-safe Base64', base64Url],
  ['base64-url-lines', 'URL-safe Base64 in lines of 76 characters', (b) => base64Url(b).replace(/.{76}(?=.)/g, '$&\n')],
];

/** Wrong readings of a binary digest as text. */
const READINGS: readonly (readonly [id: string, words: string, read: Write])[] = [
  ['utf-8', 'UTF-8, with U+FFFD for invalid bytes', (b) => fromUtf8(b)],
  ['latin-1', 'Latin-1', fromLatin1],
  ['ascii', 'ASCII, with "?" for other bytes', ascii],
];

/** Base64 in lines, as OpenSSL, `base64` of the shell, MIME and PEM write it. */
const WRAPPED = [
  ['base64', 'Base64', base64],
  ['base64-url', 'URL-safe Base64', base64Url],
] as const;

/** Full lines of Base64 before the last one. */
const FULL_LINES = [
  [60, /.{60}(?=.)/g],
  [64, /.{64}(?=.)/g],
  [76, /.{76}(?=.)/g],
] as const;

const wrapped = (text: string, line: RegExp, end: string): string => text.replace(line, '$&\n') + end;

/** URL-safe Base64 with the number of padding signs instead of the signs. */
function countedPadding(bytes: Uint8Array): string {
  const text = base64Url(bytes);
  const bare = unpadded(text);
  return `${bare}${text.length - bare.length}`;
}

/** How the bytes of a digest become a text; callers drop the correct one, and name it in the fix. */
export const BYTES_TEXTS: Kind<Write> = kind('write {noun} in the encoding that the specification names', [
  ...ENCODINGS.flatMap(([id, words, write]) =>
    table<Write>({
      [`${id}: is in ${words}`]: write,
      [`python-${id}: is in ${words} inside b'', as Python prints bytes`]: (b) => `b'${write(b)}'`,
    }),
  ),
  ...ENCODINGS.slice(0, 2).flatMap(([id, words, write]) =>
    table<Write>({
      [`${id}-reversed: is in ${words}, its bytes in reverse order`]: (b) => write(b.toReversed()),
      [`${id}-to-zero: is in ${words}, but only its bytes before the first zero byte`]: (b) => write(b.includes(0) ? b.subarray(0, b.indexOf(0)) : b),
      [`${id}-cut-16: is in ${words}, cut to 16 characters`]: (b) => write(b).slice(0, 16),
      [`${id}-cut-20: is in ${words}, cut to 20 characters`]: (b) => write(b).slice(0, 20),
      [`${id}-cut-32: is in ${words}, cut to 32 characters`]: (b) => write(b).slice(0, 32),
    }),
  ),
  ...READINGS.flatMap(([id, words, read]) =>
    table<Write>({
      [`${id}: is not encoded, but its bytes are written as text in ${words}`]: read,
      [`hex-of-${id}: is in hexadecimal after its bytes are read as ${words}`]: over(hexadecimal, read),
      [`base64-of-${id}: is in Base64 after its bytes are read as ${words}`]: over(base64, read),
      [`base64-url-of-${id}: is in URL-safe Base64 after its bytes are read as ${words}`]: over(base64Url, read),
    }),
  ),
  ...WRAPPED.flatMap(([id, words, write]) =>
    FULL_LINES.flatMap(([width, line]) =>
      table<Write>({
        [`${id}-${width}: is in ${words} with a line feed between lines of ${width} characters`]: (b) => wrapped(write(b), line, ''),
        [`${id}-${width}-end: is in ${words} in lines of ${width} characters, with a line feed at the end`]: (b) => wrapped(write(b), line, '\n'),
      }),
    ),
  ),
  ...table<Write>({
    'hex-0x: is in hexadecimal after "0x"': (b) => `0x${hexadecimal(b)}`,
    'hex-colons: is in hexadecimal with colons between the bytes': each(hexByte, ':'),
    'hex-hyphens: is in hexadecimal with hyphens between the bytes': each(hexByte, '-'),
    'hex-spaces: is in hexadecimal with spaces between the bytes': each(hexByte, ' '),
    "upper-hyphens: is in upper-case hexadecimal with hyphens, as by .NET's BitConverter": each(upper, '-'),
    'upper-colons: is in upper-case hexadecimal with colons': each(upper, ':'),
    'hex-unpadded: has one hexadecimal digit for each byte below 16': each((b) => b.toString(16)),
    'hex-c: is in hexadecimal with ffffff before each byte from 0x80 on, as by %02x of C': each((b) => signs(b) + hexByte(b)),
    'hex-cut: is in hexadecimal with ff for each byte from 0x80 on': each((b) => (b < 0x80 ? hexByte(b) : 'ff')),
    "hex-java: is in hexadecimal with ffffff80 for 0x80 and 5 for 0x05, as by Java's toHexString": each((b) => signs(b) + b.toString(16)),
    'hex-nibbles: is in hexadecimal, the two digits of each byte swapped': each((b) => hexByte(((b * 257) >> 4) & 255)),
    'hex-words-unpadded: is in hexadecimal, and each 32-bit word of it loses zeros at its start': (b) => hexadecimal(b).replace(/.{1,8}/g, (word) => word.replace(/^0+(?=.)/, '')),
    'hex-integer: is one hexadecimal integer, which loses zeros at its start': (b) => integer(b).toString(16),
    "hex-signed: is one signed hexadecimal integer, as by Java's BigInteger": signedHex,
    'decimal: is one decimal integer': (b) => `${integer(b)}`,
    'hex-of-hex: is in hexadecimal twice': over(hexadecimal, hexadecimal),
    'hex-of-base64: is its Base64 in hexadecimal': over(hexadecimal, base64),
    'base64-of-hex: is its hexadecimal text in Base64': over(base64, hexadecimal),
    'base64-of-upper-hex: is its upper-case hexadecimal text in Base64': over(base64, upperHex),
    'base64-twice: is in Base64 twice': over(base64, base64),
    'base64-unpadded: is in Base64 without padding': (b) => unpadded(base64(b)),
    'base64-url-unpadded: is in URL-safe Base64 without padding': (b) => unpadded(base64Url(b)),
    'base64-url-token: is in URL-safe Base64 with the number of padding signs instead of the signs, as by UrlTokenEncode of .NET': countedPadding,
    'base64-lines: is in Base64 in lines of 76 characters, each with a line feed': (b) => lines(base64(b), '\n'),
    'base64-crlf: is in Base64 in lines of 76 characters, each with CRLF': (b) => lines(base64(b), '\r\n'),
    'base64-mime: is in Base64 with CRLF between lines of 76 characters': (b) => lines(base64(b), '\r\n').trim(),
    'base64-url-mime: is in URL-safe Base64 with CRLF between lines of 76 characters': (b) => lines(base64Url(b), '\r\n').trim(),
    'base64-lines-60: is in Base64 in lines of 60 characters, each with a line feed': (b) => base64(b).replace(/.{1,60}/g, '$&\n'),
    'base64-lines-64: is in Base64 in lines of 64 characters, each with a line feed': (b) => base64(b).replace(/.{1,64}/g, '$&\n'),
    'base64-64-crlf: is in Base64 with CRLF between lines of 64 characters, as by Foundation of Swift': (b) => base64(b).replace(/.{64}(?=.)/g, '$&\r\n'),
    'base64-escaped: is in percent-encoded Base64': (b) => urlEncode(base64(b)),
    'base64-url-escaped: is in percent-encoded URL-safe Base64': (b) => urlEncode(base64Url(b)),
    'base64-plus: is in Base64 with only "+" replaced': (b) => base64(b).replaceAll('+', '-'),
    'base64-cloudfront: is in Base64 with "-" for "+", "_" for "=" and "~" for "/", as for CloudFront': (b) => base64(b).replaceAll('+', '-').replaceAll('=', '_').replaceAll('/', '~'),
    'base64-slash: is in Base64 with only "/" replaced': (b) => base64(b).replaceAll('/', '_'),
    'base64-first: is in Base64 with only the first "+" and the first "/" replaced': (b) => firstReplaced(base64(b)),
    'base32: is in Base32': base32,
    'percent-encoded: has its raw bytes percent-encoded': each(escaped),
    "python-bytes: is b'\\x…', as Python prints bytes": pythonBytes,
    'json-bytes: is a list of numbers, [1,255]': (b) => `[${b.join()}]`,
    'list-bytes: is a list of numbers with spaces, [1, 255]': (b) => `[${b.join(', ')}]`,
    'go-bytes: is written as Go prints bytes, [1 255]': (b) => `[${b.join(' ')}]`,
    'java-bytes: is a list of signed numbers, [1, -1]': (b) => `[${new Int8Array(b).join(', ')}]`,
    'js-bytes: is written as JavaScript prints bytes, 1,255': (b) => b.join(),
    'dotnet-bytes: is the name of its type in .NET, System.Byte[]': () => 'System.Byte[]',
    'swift-bytes: is its length, 20 bytes, as Swift prints Data': (b) => `${b.length} bytes`,
  }),
]);

const codeOf = (character: string): number => character.codePointAt(0) ?? 0;
/** The low byte of each UTF-16 unit. */
export function lowBytes(text: string): Bytes {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}
/** UTF-16; `first` is the bit shift that yields the first byte of each unit. */
const utf16 = (text: string, first: 0 | 8): Bytes => Uint8Array.from({ length: 2 * text.length }, (_, i) => text.charCodeAt(i >> 1) >> (i & 1 ? 8 - first : first));

/** UTF-8 of each UTF-16 unit. */
export const cesu8 = (text: string, nul: readonly number[] = [0]): Bytes => {
  // Most texts have the same bytes in UTF-8, which is many times faster.
  if (!/[\0\uD800-\uDFFF]/.test(text)) return utf8(text);
  return Uint8Array.from(
    text.split('').flatMap((character) => {
      const unit = character.charCodeAt(0);
      const last = 0x80 | (unit & 0x3f);
      if (unit < 0x80) return unit ? [unit] : nul;
      if (unit < 0x800) return [0xc0 | (unit >> 6), last];
      return [0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), last];
    }),
  );
};

const BEYOND_ASCII = /[^\0-\x7F]/gu;
const BEYOND_LATIN_1 = /[^\0-\xFF]/gu;
/** As `test` of an expression, which would start where it ended before, because these have the flag g. */
const has = (text: string, characters: RegExp): boolean => text.search(characters) >= 0;
/** One byte for each character, after some are written in another way. */
function narrow(characters: RegExp, write: (character: string) => string): Encode {
  return (text) => lowBytes(text.replace(characters, (character) => write(character)));
}
/** Latin-1, with "?" for other characters. */
export const toLatin1: Encode = narrow(BEYOND_LATIN_1, () => '?');
/** `\u20ac` for some of its UTF-16 units. */
export const escapedUnits = (text: string, units: RegExp): string => text.replace(units, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const percent = (text: string): string => each(escaped)(utf8(text));

/** The characters 0x80 to 0x9F of Windows-1252. */
const WINDOWS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8DŽ\x8F\x90‘’“”•–—˜™š›œ\x9DžŸ';
const fromWindows: Write = each((byte) => WINDOWS[byte - 0x80] ?? String.fromCharCode(byte));
const C1 = fromLatin1(Uint8Array.from({ length: 32 }, (_, i) => 0x80 + i));
const toWindows = narrow(/[^\0-\x7F\xA0-\xFF]/gu, (c) => C1[WINDOWS.indexOf(c)] ?? '?');

/** The first two-byte code of each character in code page 936, which are the low bytes of a text. */
let gbkCodes: ReadonlyMap<string, string> | undefined;
/** Each row of codes has those of 0x40 to 0xFE. */
const GBK_ROW = 0xbf;
/** The two bytes of a character in code page 936, looked up with the built-in decoder. */
function gbkCode(character: string): string {
  if (character === '€') return '\x80';
  if (!/^[^\0-\x9F\uE000-\uF8FF\uFFFD]$/.test(character)) return '?';
  gbkCodes ??= readGbk();
  return gbkCodes.get(character) ?? '?';
}
const gbkPair = (at: number): string => String.fromCharCode(0x81 + Math.trunc(at / GBK_ROW), 0x40 + (at % GBK_ROW));
function readGbk(): ReadonlyMap<string, string> {
  const pairs = Array.from({ length: 0x7e * GBK_ROW }, (_, at) => gbkPair(at));
  const characters = new TextDecoder('gbk').decode(lowBytes(pairs.join('\n'))).split('\n');
  // Of several codes of a character, the first one stays.
  return new Map(characters.map((character, at) => [character, pairs[at] ?? '?'] as const).reverse());
}

/** How a text becomes bytes. */
export const CHARSETS: Kind<Encode> = tabular('encode all of {noun} as UTF-8, without a byte order mark', {
  'utf-16le: is encoded as UTF-16, little-endian': (t) => utf16(t, 0),
  'utf-16be: is encoded as UTF-16, big-endian': (t) => utf16(t, 8),
  'utf-16le-mark: is encoded as UTF-16, little-endian, with a byte order mark': (t) => utf16(`\uFEFF${t}`, 0),
  'utf-16be-mark: is encoded as UTF-16, big-endian, with a byte order mark': (t) => utf16(`\uFEFF${t}`, 8),
  'utf-8-mark: is encoded as UTF-8 with a byte order mark': (t) => utf8(`\uFEFF${t}`),
  'utf-8-twice: is encoded as UTF-8, read as Latin-1 and encoded as UTF-8 again': (t) => utf8(fromLatin1(utf8(t))),
  'utf-8-windows: is encoded as UTF-8, read as Windows-1252 and encoded as UTF-8 again': (t) => utf8(fromWindows(utf8(t))),
  'cesu-8: has six bytes for each character beyond U+FFFF (CESU-8)': (t) => cesu8(t),
  "java-utf-8: is encoded as Java's modified UTF-8": (t) => cesu8(t, [0xc0, 0x80]),
  'utf-8-cut: is cut to as many bytes of UTF-8 as it has characters': (t) => utf8(t).slice(0, [...t].length),
  'utf-8-cut-utf-16: is cut to as many bytes of UTF-8 as it has UTF-16 code units': (t) => utf8(t).slice(0, t.length),
  'latin-1: is encoded as Latin-1, with "?" for other characters': toLatin1,
  'latin-1-refused: is encoded as Latin-1, and refused if Latin-1 lacks a character': (t) => {
    if (has(t, BEYOND_LATIN_1)) throw new InputError('text', 'Latin-1 lacks a character of this text');
    return narrow(BEYOND_LATIN_1, () => '')(t);
  },
  'utf-16le-unless-ascii: is encoded as UTF-16, little-endian, if it has characters beyond ASCII': (t) => (has(t, BEYOND_ASCII) ? utf16(t, 0) : utf8(t)),
  'latin-1-else-utf-8: is encoded as Latin-1 if Latin-1 has all its characters': (t) => (has(t, BEYOND_LATIN_1) ? utf8(t) : narrow(BEYOND_LATIN_1, () => '')(t)),
  'ascii: is encoded as ASCII, with "?" for other characters': narrow(BEYOND_ASCII, () => '?'),
  'latin-1-only: loses characters beyond Latin-1': narrow(BEYOND_LATIN_1, () => ''),
  'ascii-only: loses characters beyond ASCII': narrow(BEYOND_ASCII, () => ''),
  'low-bytes: keeps only the low byte of each UTF-16 code unit': lowBytes,
  'windows-1252: is encoded as Windows-1252': toWindows,
  'gbk: is encoded as GBK': narrow(BEYOND_ASCII, gbkCode),
  'references: has references such as &#8364; for characters beyond ASCII': narrow(BEYOND_ASCII, (c) => `&#${codeOf(c)};`),
  'unit-escapes: has escapes such as \\u20ac for characters beyond ASCII': narrow(BEYOND_ASCII, (c) => escapedUnits(c, /./gs)),
  'percent-encoded: has escapes such as %E2%82%AC for characters beyond ASCII': narrow(BEYOND_ASCII, percent),
  'low-bytes-of-characters: keeps only the low byte of each character': (t) => Uint8Array.from(Array.from(t, codeOf)),
  'nul-terminated: is followed by a NUL': (t) => utf8(`${t}\0`),
  'to-nul: ends before its first NUL': (t) => utf8(before(t, '\0')),
  ...Object.fromEntries([255, 256, 511, 512, 1023, 1024].map((n) => [`cut-to-${n}: is cut to ${n} bytes`, (t: string) => utf8(t).subarray(0, n)])),
  'cut-to-units: is cut to as many UTF-8 bytes as it has UTF-16 code units': (t) => utf8(t).subarray(0, t.length),
});

export const STANDARD_BASE64: RegExp = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** Base64 that b64decode of Python accepts with validate=True: padding may be longer than needed. */
const PADDED = /^(?:[A-Za-z0-9+/]{4})*(?:={0,2}|[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}={1,2})$/;
const URL_SAFE = /^[A-Za-z0-9_-]+={0,2}$/;
const HEXADECIMAL = /^(?:[0-9A-Fa-f]{2})+$/;

/** Bytes of Base64 in any alphabet, up to the first "="; other characters are skipped, as by Node. */
export function lenientBase64(text: string): Bytes {
  const standard = standardAlphabet(before(text, '='));
  const digits = standard.replace(/[^A-Za-z0-9+/]/g, '');
  return lowBytes(atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits));
}

function where(accepted: RegExp, decode: Encode): Encode {
  return (text) => (accepted.test(text) ? decode(text) : utf8(text));
}
export const fromHex: Encode = (text) => Uint8Array.from(text.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
const resized = (bytes: Bytes, size: number): Bytes => Uint8Array.from({ length: size }, (_, i) => bytes[i] ?? 0);
export const urlDecoded = (text: string): string => urlDecode(text) ?? text;
export const formDecoded = (text: string): string => urlDecoded(text.replaceAll('+', ' '));

export const hashLabel = (name: string): string => name.toUpperCase().replace('SHA', 'SHA-');
const hexHash = (name: 'md5' | 'sha1' | 'sha256', key: Bytes): Bytes => utf8(hexadecimal(hash(name, key)));
const hashedBlock = (key: Bytes): Bytes => (key.length === 64 ? hash('sha1', key) : key);

/** Changes of the key of an HMAC, or of the key that is appended to the text; other encodings are in `CHARSETS`. */
export const KEYS: Kind<Encode> = kind('give the UTF-8 bytes of the private key to the HMAC, and do not change them', [
  ...table<(key: string) => string>({
    'empty: is empty': () => '',
    'lower-case: is in lower case': (k) => k.toLowerCase(),
    'upper-case: is in upper case': (k) => k.toUpperCase(),
    'trimmed: loses whitespace at both ends': (k) => k.trim(),
    'newline: is followed by a line feed, as read from a file': (k) => `${k}\n`,
    'double-quotes: is within double quotes': (k) => `"${k}"`,
    'base64: is encoded in Base64': (k) => base64(utf8(k)),
    'hex: is encoded in hexadecimal': (k) => hexadecimal(utf8(k)),
    'percent-encoded: is percent-encoded': (k) => urlEncode(k.toWellFormed()),
    'percent-decoded: is percent-decoded': urlDecoded,
    'form-decoded: is decoded as in a form': formDecoded,
    'reversed: is reversed': (k) => [...k].reverse().join(''),
    'doubled: appears twice': (k) => k + k,
    'without-first: loses its first character': (k) => [...k].slice(1).join(''),
    'without-last: loses its last character': (k) => [...k].slice(0, -1).join(''),
    'to-equals: ends before its first "="': (k) => before(k, '='),
    'to-hash: ends before its first "#", as before a comment': (k) => before(k, '#'),
    'ampersand: is followed by "&", as for Aliyun and OAuth 1': (k) => `${k}&`,
    'aws4: follows "AWS4", as for Amazon': (k) => `AWS4${k}`,
    'null: is the word null': () => 'null',
    'undefined: is the word undefined': () => 'undefined',
  }).map(([id, clause, write]): Change<Encode> => [id, clause, (k) => utf8(write(k))]),
  ...table<Encode>({
    'from-base64: is decoded if it is Base64': where(STANDARD_BASE64, lenientBase64),
    'from-base64-padded: is decoded if it is Base64, even with too much padding': (k) => (PADDED.test(k) ? lenientBase64(k) : utf8(k)),
    'from-base64-url: is decoded if it is URL-safe Base64': where(URL_SAFE, lenientBase64),
    'from-any-base64: is decoded as Base64, whether it is Base64 or not': lenientBase64,
    'from-hex: is decoded if it is hexadecimal': where(HEXADECIMAL, fromHex),
    'hashed-64: is hashed if it has exactly 64 bytes': (k) => hashedBlock(utf8(k)),
    'cut-64-by-characters: is cut to 64 bytes if it has no more than 64 characters': (k) => ([...k].length > 64 ? utf8(k) : utf8(k).subarray(0, 64)),
    'cut-64-by-units: is cut to 64 bytes if it has no more than 64 UTF-16 code units': (k) => (k.length > 64 ? utf8(k) : utf8(k).subarray(0, 64)),
    'long-hashed-hex: is replaced by its SHA-1 in hexadecimal if it has more than 64 bytes': (k) => (utf8(k).length > 64 ? hexHash('sha1', utf8(k)) : utf8(k)),
  }),
  ...[16, 20, 32, 64].flatMap((n) =>
    table<Encode>({
      [`cut-${n}: is cut to ${n} bytes`]: (k) => utf8(k).subarray(0, n),
      [`cut-${n}-characters: is cut to ${n} characters`]: (k) => utf8([...k].slice(0, n).join('')),
      [`resized-${n}: is cut, or filled with zeros, to ${n} bytes`]: (k) => resized(utf8(k), n),
    }),
  ),
  ...(['md5', 'sha1', 'sha256'] as const).flatMap((name) =>
    table<Encode>({
      [`${name}: is replaced by its ${hashLabel(name)}`]: (k) => hash(name, utf8(k)),
      [`${name}-hex: is replaced by its ${hashLabel(name)} in hexadecimal`]: (k) => hexHash(name, utf8(k)),
    }),
  ),
]);

/** Counts back to the zero of the script: the digits of a script are consecutive, and no digit precedes its zero. */
function digitOf(digit: string): number {
  let code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - 1))) {
    code -= 1;
    value += 1;
  }
  return value;
}
/** Decimal digits of any script as those of ASCII. */
export const asciiDigits = (text: string): string => text.replace(/\p{Nd}/gu, (digit) => `${digitOf(digit)}`);
