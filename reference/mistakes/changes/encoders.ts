/**
 * Wrong percent-encoders that implementations use (§5.3).
 *
 * @module
 */
import { utf8 } from '#digest';
import { urlDecode, urlEncode } from '../../signing/bytes.ts';
import { InputError } from '../../signing/types.ts';
import { cesu8, fromLatin1, lowBytes, toLatin1 } from './bytes.ts';
import { type Change, type ChangeNotes, fixedBy, type Kind, kind } from './change.ts';

type Encoder = (text: string) => string;

const SIGNS = "!$&'()*+,;=:@/?#[] %.-_~";
const SIGN_IDS = [
  ...['exclamation', 'dollar', 'ampersand', 'apostrophe', 'left-parenthesis', 'right-parenthesis', 'star', 'plus', 'comma', 'semicolon', 'equals', 'colon'],
  ...['at', 'slash', 'question', 'hash', 'left-bracket', 'right-bracket', 'space', 'percent', 'dot', 'dash', 'underscore', 'tilde'],
];

/** The name of a character in an id. */
export const signId = (sign: string): string => SIGN_IDS[SIGNS.indexOf(sign)] ?? sign;

const UNESCAPED = 'A-Z a-z 0-9 - _ . ~';
const ENCODE = `percent-encode each UTF-8 byte of {noun} except ${UNESCAPED}, in upper-case hexadecimal`;
const AS_UTF_8: ChangeNotes = { fix: `encode the whole of {noun} as UTF-8, then percent-encode each byte except ${UNESCAPED}`, rule: '5.3/utf-8' };
const NOT_BY_UNITS: ChangeNotes = { fix: `encode the whole of {noun} as UTF-8, not each UTF-16 code unit alone, then percent-encode each byte except ${UNESCAPED}`, rule: '5.3/utf-8' };
const UPPER_CASE: ChangeNotes = { fix: 'write the hexadecimal digits of escapes in {noun} in upper case', rule: '5.3/upper-case' };
const SPACE = { fix: 'write each space in {noun} as %20', rule: '5.3/space' };
const EVERY_PERCENT = fixedBy('write each "%" in {noun} as %25, even before two hexadecimal digits');
const EVERY_ONE = fixedBy('replace every character that has to be escaped in {noun}, not only the first of its kind');
const ALWAYS = fixedBy('percent-encode {noun} always, even if it looks encoded');
const LINE_FEED = fixedBy('write each line feed in {noun} as %0A');
const NOT_UNRESERVED = fixedBy(`do not escape ${UNESCAPED} in {noun}`);

const MARKS = '-_.~';
const COMPONENT = "-_.~!*'()";
const BEYOND_ASCII = String.fromCharCode(...Array.from({ length: 128 }, (_, i) => 128 + i));
const LATIN_1_LETTERS = BEYOND_ASCII.replace(/\P{L}/gu, '');
const LATIN_1_ALPHANUMERICS = BEYOND_ASCII.replace(/[^\p{L}\p{N}]/gu, '');
const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const PRINTABLE = String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i));
const range = (first: string, last: string): string => PRINTABLE.slice(PRINTABLE.indexOf(first), PRINTABLE.indexOf(last) + 1);
const without = (signs: string): string => PRINTABLE.replace(/./g, (c) => (signs.includes(c) ? '' : c));

export const encode: Encoder = (text) => urlEncode(text.toWellFormed());
const hex = (code: number, width = 2): string => code.toString(16).toUpperCase().padStart(width, '0');

export const percent = (byte: number): string => `%${hex(byte)}`;
const lower = (byte: number): string => percent(byte).toLowerCase();

/**
 * Escapes all bytes except letters, digits and `kept`.
 *
 * @param bytes writes each letter and digit as its byte in ASCII
 */
function escaping(kept: string, space = '%20', bytes: (text: string) => Iterable<number> = utf8, escaped: (byte: number) => string = percent): Encoder {
  const plain = new Set(ALPHANUMERIC + kept);
  const write = (byte: number): string => {
    const character = String.fromCharCode(byte);
    return plain.has(character) ? character : byte === 32 ? space : escaped(byte);
  };
  // A search encodes thousands of texts: each byte is written once.
  const written: string[] = [];
  const writeRun = (run: string): string => {
    let all = '';
    for (const byte of bytes(run)) all += written[byte & 255] ??= write(byte & 255);
    return all;
  };
  return (text) => text.replace(/[^A-Za-z0-9]+/g, writeRun);
}

/** Escapes ASCII correctly, and other characters with `escaped`. */
const beyondAscii =
  (escaped: (character: string) => string): Encoder =>
  (text) =>
    text.replace(/[^\0-\x7F]|[\0-\x7F]+/gu, (c) => (c > '\x7F' ? escaped(c) : encode(c)));

const codePoint = (character: string): number => character.codePointAt(0) ?? 0;
/** Escapes characters beyond ASCII by the four hexadecimal digits of their UTF-16 code units. */
const inUtf16 = (digits: RegExp, escapes: string): Encoder => beyondAscii((c) => c.replace(/./gs, (u) => hex(u.charCodeAt(0), 4).replace(digits, escapes)));
const keepTriplets: Encoder = (text) => encode(text).replace(/%25([0-9A-Fa-f]{2})/g, '%$1');
const isEscapedForm = (text: string): boolean => text.includes('%') && encode(urlDecode(text) ?? '') === text;
const firstSpace: Encoder = (text) => encode(text).replaceAll('%20', '+').replace('+', '%20');
const component = escaping(COMPONENT);
const firstOfEachSign: Encoder = (text) => Array.from("!'()*").reduce((all, sign) => all.replace(sign, percent(codePoint(sign))), component(text));
const inLatin1 = escaping(MARKS, '%20', toLatin1);
const IN_LATIN_1 = /^[\0-\xFF]*$/;
const latin1Only: Encoder = (text) => {
  if (IN_LATIN_1.test(text)) return inLatin1(text);
  throw new InputError('text', 'this text is not supported');
};
const ASTRAL = /[\u{10000}-\u{10FFFF}]/gu;
const oneDigit = (byte: number): string => `%${hex(byte, 1)}`;
/** Of two letters, only the first is in upper case: %Ac. */
const title = (byte: number): string => percent(byte).replace(/(?<=[A-F])[A-F]/, (digit) => digit.toLowerCase());
const signed = (byte: number): string => `%${byte > 127 ? 'FFFFFF' : ''}${hex(byte)}`;

/** Encoders that keep other characters, or write a space differently. */
const KEPT: readonly [id: string, clause: string, kept: string, space?: '+', notes?: ChangeNotes][] = [
  ['form', 'is encoded as in HTML forms, with "+" for a space, "*" kept and "~" escaped', '*-._', '+'],
  ['space-as-plus', 'is encoded with "+" for a space, as by quote_plus', MARKS, '+', { ...SPACE, fix: `${SPACE.fix}; in Python, use quote(text, safe="")` }],
  ['php-urlencode', 'is encoded as by urlencode of PHP, with "+" for a space and "~" escaped', '-_.', '+', { fix: `${ENCODE}; in PHP, use rawurlencode` }],
  ['form-tilde-kept', 'is encoded as in HTML forms, with "+" for a space, but with "~" kept', '*-._~', '+'],
  ['form-space-fixed', 'is encoded as in HTML forms, but with %20 for a space', '*-._'],
  ['component', "is encoded as by encodeURIComponent, which keeps ! ' ( ) and *", COMPONENT],
  ['component-plus', 'is encoded as by jQuery, which keeps ! \' ( ) * and writes "+" for a space', COMPONENT, '+'],
  ['component-star-fixed', "is encoded without escaping ! ' ( and )", "-_.~!'()"],
  ['uri', 'is encoded as a whole URI, as by encodeURI', `;/?:@&=+$,#${COMPONENT}`],
  ['uri-query', 'is encoded as a whole query, without escaping its separators', `;/?:@&=+$,${COMPONENT}`],
  ['uri-path', 'is encoded as a whole path, without escaping its separators', `;/:@&=+$,${COMPONENT}`],
  ['uri-host', 'is encoded without escaping the characters that a host may have, such as + and =', `;:&=+$,[]${COMPONENT}`],
  ['go-segment', 'is encoded as by PathEscape of Go, which keeps $ & + : = @', `$&+:=@${MARKS}`],
  ['go-path', 'is encoded as a path by url.URL of Go', `$&+,/:;=@${MARKS}`],
  ['dotnet-web', 'is encoded as by WebUtility of .NET, which keeps ! * ( ) and writes "+" for a space', '-_.!*()', '+'],
  ['axios', 'is encoded as by axios, which keeps : $ , [ ] and writes "+" for a space', `:$,[]${COMPONENT}`, '+'],
  ['angularjs', 'is encoded as by AngularJS, which keeps @ : $ , ; and writes "+" for a space', `@:$,;${COMPONENT}`, '+'],
  ['angular', 'is encoded as by Angular, which keeps @ : $ , ; = ? /', `@:$,;=?/${COMPONENT}`],
  ['slash-question', 'is encoded without escaping "/" and "?"', `/?${MARKS}`],
  ['slash-tilde', 'is encoded as by quote of Python 2, which keeps "/" and escapes "~"', '/-_.'],
  ['slash-space', 'is encoded without escaping "/", and with "+" for a space', `/${MARKS}`, '+'],
  ['pair-separators', 'is encoded without escaping "&" and "="', `&=${MARKS}`],
  ['base64-characters', 'is encoded without escaping "+", "/" and "="', `+/=${MARKS}`],
  ['reserved', 'is encoded as by EscapeUriString of .NET, which keeps the separators of a URL', `:/?#[]@!$&'()*+,;=${MARKS}`],
  ['reserved-percent', 'is encoded as a whole URL, without escaping its separators and "%"', `:/?#[]@!$&'()*+,;=%${MARKS}`],
  ['no-marks', 'is encoded with "-", "_", "." and "~" escaped', ''],
  ['no-marks-plus', 'is encoded with "-", "_", "." and "~" escaped, and "+" for a space', '', '+'],
  ['only-beyond-ascii', 'is encoded without escaping any printable ASCII character', PRINTABLE],
  ['url-query', 'is encoded only as a URL parser encodes a query', without(' "#<>\'')],
  ['url-path', 'is encoded only as a URL parser encodes a path', without(' "#<>?`{}^')],
  ['url-query-apostrophe-kept', 'is encoded only as a URL parser encodes a query, with "\'" kept', without(' "#<>')],
  ['url-path-caret-kept', 'is encoded only as a URL parser encodes a path, with "^" kept', without(' "#<>?`{}')],
  ['url-user', 'is encoded only as a URL parser encodes a user name', without(' "#<>?`{}/:;=@[\\]^|')],
  ['range-dot-tilde', 'is encoded by a pattern in which ".-~" is a range, so it escapes "-" and keeps most other signs', range('.', '~')],
  ['range-underscore-tilde', 'is encoded by a pattern in which "_-~" is a range, so it escapes "-" and keeps ` { | }', `.${range('_', '~')}`],
  ['range-dot-underscore', 'is encoded by a pattern in which ".-_" is a range, so it escapes "-" and keeps signs such as / : = ? @', `${range('.', '_')}~`],
  ['only-space', 'has only spaces and percent signs escaped', without(' %')],
  ['only-separators', 'has only the separators of a URL escaped', without(' %&=?#+/')],
];

const leavesOne = (sign: string): Change<Encoder> => [`${signId(sign)}-kept`, `is encoded without escaping "${sign}"`, escaping(MARKS + sign), { fix: `escape "${sign}" in {noun} as ${percent(sign.charCodeAt(0))}` }];

const escapesOne = (mark: string): Change<Encoder> => [
  `${signId(mark)}-escaped`,
  `is encoded with "${mark}" escaped`,
  escaping(MARKS.replace(mark, '')),
  { fix: `do not escape "${mark}" in {noun}`, rule: '5.3/unreserved' },
];

function firstPlus(text: string): string {
  const [first = '', ...others] = encode(text).split('%2B');
  return others.length === 0 ? first : `${first}%2B${others.join('+')}`;
}

/** Escapes the first of each character that has to be escaped, as `replace` of JavaScript does with a text. */
function firstOfEach(text: string): string {
  const escaped = new Set<string>();
  return text.replace(/[^A-Za-z0-9._~-]/gu, (character) => {
    if (escaped.has(character)) return character;
    escaped.add(character);
    return encode(character);
  });
}

/** Escapes all characters but those that match. */
const keeping =
  (kept: RegExp): Encoder =>
  (text) =>
    Array.from(text, (character) => (kept.test(character) ? character : encode(character))).join('');

/** Encoders that write other escapes, or change the text first. */
const OTHERS: readonly Change<Encoder>[] = [
  ['lower-case', 'is encoded with lower-case hexadecimal digits, such as %2f', escaping(MARKS, '%20', utf8, lower), UPPER_CASE],
  ['high-bytes-lower-case', 'is encoded with lower-case hexadecimal digits for bytes beyond ASCII', escaping(MARKS, '%20', utf8, (byte) => (byte > 127 ? lower(byte) : percent(byte))), { ...UPPER_CASE, cost: 2 }],
  ['title-case', 'is encoded with escapes in title case, such as %Ac', escaping(MARKS, '%20', utf8, title), UPPER_CASE],
  ['dotnet-http', 'is encoded as by HttpUtility of .NET, with ! * ( ) kept and lower-case digits', escaping('-_.!*()', '+', utf8, lower)],
  ['dotnet-http-space-fixed', 'is encoded as by HttpUtility of .NET, with ! * ( ) kept and lower-case digits, but with %20 for a space', escaping('-_.!*()', '%20', utf8, lower)],
  ['escape', 'is encoded as by escape of JavaScript, with %u20AC for U+20AC', escape],
  ['triplets-kept', 'is encoded, but escapes that it already has stay as they are', keepTriplets, EVERY_PERCENT],
  ['upper-case-triplets-kept', 'is encoded, but escapes in upper case that it already has stay as they are', (t) => encode(t).replace(/%25([0-9A-F]{2})/g, '%$1'), EVERY_PERCENT],
  ['escaped-kept-whole', 'is not encoded if it has an escape such as %41', (t) => (/%[0-9A-Fa-f]{2}/.test(t) ? t : encode(t)), ALWAYS],
  ['decodable-kept-whole', 'is not encoded if it has escapes and all of them are valid', (t) => ((urlDecode(t) ?? t) === t ? encode(t) : t), ALWAYS],
  ['escaped-form-kept', 'is not encoded if it is the encoded form of another text', (t) => (isEscapedForm(t) ? t : encode(t)), ALWAYS],
  ['letters-kept-whole', 'is not encoded if it has only letters and digits, of any script', (t) => (/^[\p{L}\p{N}]+$/u.test(t) ? t : encode(t)), AS_UTF_8],
  ['decoded-first', 'is decoded before it is encoded', (t) => encode(urlDecode(t) ?? t), fixedBy('do not decode {noun} before you percent-encode it')],
  ['plus-as-space', 'is encoded with %20 for "+" as well as for a space', (text) => encode(text.replaceAll('+', ' ')), fixedBy('write each "+" in {noun} as %2B, and each space as %20')],
  ['space-as-2b', 'is encoded with %2B for a space', (text) => encode(text.replaceAll(' ', '+')), SPACE],
  ['first-space-only', 'is encoded with %20 for the first space and "+" for the others', firstSpace, SPACE],
  ['first-of-each-only', 'is encoded with only the first occurrence of each character escaped', firstOfEach, EVERY_ONE],
  ['first-plus-only', 'is encoded with only its first "+" escaped', firstPlus, EVERY_ONE],
  ['line-feed-as-crlf', 'is encoded with %0D%0A for a line feed', (t) => encode(t.replace(/\r?\n/g, '\r\n')), LINE_FEED],
  ['every-line-feed-as-crlf', 'is encoded with %0D%0A for each line feed, even after a carriage return', (t) => encode(t.replaceAll('\n', '\r\n')), LINE_FEED],
  ['every-byte', 'is encoded with every byte escaped, even letters and digits', (t) => Array.from(utf8(t), percent).join(''), NOT_UNRESERVED],
  ['every-byte-lower', 'is encoded with every byte escaped, even letters and digits, with lower-case hexadecimal digits', (t) => Array.from(utf8(t), lower).join(''), NOT_UNRESERVED],
  ['beyond-ascii-kept', 'is encoded without escaping characters beyond ASCII', beyondAscii((c) => c), AS_UTF_8],
  ['letters-kept', 'is encoded without escaping the letters and digits of any script', keeping(/[\p{L}\p{N}]/u), AS_UTF_8],
  ['letters-and-decimals-kept', 'is encoded without escaping the letters and decimal digits of any script', keeping(/[\p{L}\p{Nd}]/u), AS_UTF_8],
  ['letters-to-ffff-kept', 'is encoded without escaping letters and decimal digits up to U+FFFF, as by isLetterOrDigit of Java', keeping(/(?=[\0-\uFFFF])[\p{L}\p{Nd}]/u), AS_UTF_8],
  ['alphabetic-kept', 'is encoded without escaping the letters, digits and vowel signs of any script', keeping(/[\p{Alphabetic}\p{N}]/u), AS_UTF_8],
  ['latin-1-letters-kept', 'is encoded without escaping bytes that are letters in Latin-1', escaping(`${MARKS}${LATIN_1_LETTERS}`), AS_UTF_8],
  ['latin-1-alphanumerics-kept', 'is encoded without escaping bytes that are letters or digits in Latin-1, superscripts and fractions included', escaping(`${MARKS}${LATIN_1_ALPHANUMERICS}`), AS_UTF_8],
  ['first-of-each-sign', "is encoded with only the first occurrence of ! ' ( ) and * escaped", firstOfEachSign, EVERY_ONE],
  ['surrogates-as-marks', 'is encoded with %3F%3F for each character beyond U+FFFF', (t) => encode(t.replace(ASTRAL, '??')), NOT_BY_UNITS],
  ['surrogates-replaced', 'is encoded with U+FFFD twice for each character beyond U+FFFF', (t) => encode(t.replace(ASTRAL, '\uFFFD\uFFFD')), NOT_BY_UNITS],
  ['beyond-ascii-as-u', 'is encoded with %u20AC for U+20AC', inUtf16(/(....)/g, '%u$1'), AS_UTF_8],
  ['beyond-latin-1-as-u', 'is encoded with %u20AC for U+20AC, but with UTF-8 bytes up to U+00FF', (t) => t.replace(/[^\0-\xFF]+|[\0-\xFF]+/gu, (run) => (run > '\xFF' ? inUtf16(/(....)/g, '%u$1')(run) : encode(run)))],
  ['utf-16', 'is encoded as big-endian UTF-16, with %20%AC for U+20AC', inUtf16(/(..)/g, '%$1'), AS_UTF_8],
  ['utf-16-little-endian', 'is encoded as little-endian UTF-16, with %AC%20 for U+20AC', inUtf16(/(..)(..)/g, '%$2%$1'), AS_UTF_8],
  ['code-units', 'is encoded with the code of each UTF-16 unit instead of its UTF-8 bytes, such as %E9 for U+00E9', beyondAscii((c) => c.replace(/./gs, (u) => percent(u.charCodeAt(0)))), NOT_BY_UNITS],
  ['code-points', 'is encoded with the code of each character instead of its UTF-8 bytes, such as %1F680 for U+1F680', beyondAscii((c) => percent(codePoint(c))), AS_UTF_8],
  [
    'code-points-lower-case',
    'is encoded with the code of each character instead of its UTF-8 bytes, in lower case, such as %e9 for U+00E9',
    (t) => t.replace(/[^A-Za-z0-9._~-]/gsu, (c) => lower(codePoint(c))),
    { ...AS_UTF_8, cost: 2 },
  ],
  ['entities', 'is encoded with the escapes of &#8364; for U+20AC', beyondAscii((c) => encode(`&#${codePoint(c)};`)), AS_UTF_8],
  ['latin-1', 'is encoded as Latin-1, with %3F for other characters', inLatin1, AS_UTF_8],
  ['latin-1-characters', 'is encoded with a single byte for each character up to U+00FF', (t) => Array.from(t, (c) => (/[\0-\xFF]/.test(c) ? inLatin1(c) : encode(c))).join(''), { ...AS_UTF_8, cost: 2 }],
  ['latin-1-only', 'is encoded as Latin-1, and refused, or leads to an exception, with other characters', latin1Only, { ...AS_UTF_8, cost: 2 }],
  ['latin-1-if-possible', 'is encoded as Latin-1 if it has no other characters', (t) => (IN_LATIN_1.test(t) ? inLatin1(t) : encode(t)), AS_UTF_8],
  ['for-display', 'is encoded without escaping spaces and characters beyond ASCII', (t) => t.replace(/[^\0-\x7F]+| +|[\0-\x1F!-\x7F]+/g, (run) => (run.startsWith(' ') || run > '\x7F' ? run : encode(run))), AS_UTF_8],
  ['low-bytes', 'is encoded with only the low byte of each UTF-16 code unit', escaping(MARKS, '%20', lowBytes), NOT_BY_UNITS],
  ['surrogates-apart', 'is encoded with six bytes for each character above U+FFFF (CESU-8)', escaping(MARKS, '%20', cesu8), NOT_BY_UNITS],
  ['java-utf-8', "is encoded as Java's modified UTF-8, with %C0%80 for U+0000", escaping(MARKS, '%20', (t) => cesu8(t, [0xc0, 0x80])), NOT_BY_UNITS],
  ['nul-as-two-bytes', 'is encoded with %C0%80 for U+0000', (t) => encode(t).replaceAll('%00', '%C0%80'), AS_UTF_8],
  ['utf-8-twice', 'is converted to UTF-8 twice before it is encoded', (t) => encode(fromLatin1(utf8(t))), fixedBy('encode {noun} as UTF-8 once, then percent-encode each byte')],
  ['one-digit', 'is encoded with one digit for each byte below 16, such as %A', escaping(MARKS, '%20', utf8, oneDigit), fixedBy('write two hexadecimal digits for each escaped byte of {noun}')],
  ['sign-extended', 'is encoded with signed bytes, such as %FFFFFFE4', escaping(MARKS, '%20', utf8, signed), fixedBy('write two hexadecimal digits for each escaped byte of {noun}: mask it with 0xff')],
];

/** Wrong percent-encoders; the correct one keeps `A-Z a-z 0-9 - _ . ~`. */
export const ENCODERS: Kind<Encoder> = kind(ENCODE, [
  ['none', 'is not percent-encoded', (text) => text],
  ['twice', 'is percent-encoded twice', (text) => encode(encode(text)), fixedBy('percent-encode {noun} only once')],
  ...KEPT.map(([id, clause, kept, space, notes]): Change<Encoder> => [id, clause, escaping(kept, space), notes]),
  ...Array.from("!$&'()*+,;=:@/?#[] %", leavesOne),
  ...Array.from(MARKS, escapesOne),
  ...OTHERS,
]);
