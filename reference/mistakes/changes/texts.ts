/**
 * Changes that apply to any text.
 *
 * @module
 */
import { utf8 } from '#digest';
import { base64, hexadecimal, urlDecode } from '../../signing/bytes.ts';
import { numberText } from '../../signing/parameters.ts';
import { InputError } from '../../signing/types.ts';
import { escapedUnits, fromLatin1, fromUtf8, lowBytes, standardAlphabet, toLatin1, unpadded } from './bytes.ts';
import { type Change, type ChangeNotes, type Fix, fixedBy, type Kind, kind } from './change.ts';
import { ENCODERS, encode, signId } from './encoders.ts';

type Rewrite = (text: string) => string;
type Rewriting = Change<Rewrite>;

/** Decodes escapes as `unquote` of Python does; invalid escapes stay. */
const decode: Rewrite = (text) => text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) => fromUtf8(Uint8Array.from(run.slice(1).split('%'), (digits) => Number(`0x${digits}`))));
const formDecode: Rewrite = (text) => decode(text.replaceAll('+', ' '));

export const trimmed =
  (blanks: string, atStart = true, atEnd = true): Rewrite =>
  (text) => {
    let [start, end] = [0, text.length];
    while (atStart && start < end && blanks.includes(text.charAt(start))) start += 1;
    while (atEnd && start < end && blanks.includes(text.charAt(end - 1))) end -= 1;
    return text.slice(start, end);
  };
const SPACES = '\t\n\v\f\r \u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200A\u2028\u2029\u205F\u3000';
export const UNICODE_SPACES: string = `${SPACES}\x85\xA0\u2007\u202F`;
const JAVA_SPACES = `${SPACES}\x1C\x1D\x1E\x1F`;
export const ASCII_SPACES = '\t\n\v\f\r ';
export const PHP_SPACES = ' \t\n\r\0\v';
export const PYTHON_SPACES: string = UNICODE_SPACES + JAVA_SPACES;
export const UP_TO_SPACE: string = fromLatin1(Uint8Array.from({ length: 33 }, (_, code) => code));

const withoutEndSlashes: Rewrite = trimmed('/', false);
const afterLastSlash: Rewrite = (text) => text.slice(text.lastIndexOf('/') + 1);

const upper: Rewrite = (text) => text.toUpperCase();
const lower: Rewrite = (text) => text.toLowerCase();
const capitalized: Rewrite = (text) => lower(text).replace(/^./su, upper);
const words: Rewrite = (text) => text.replace(/[-_. ]+/g, ' ').replace(/([a-z0-9])([A-Z])/g, '$1 $2');
const pascal: Rewrite = (text) => text.replace(/(?:^|[-_. ]+)(.)/gu, (_, c: string) => upper(c));
const json: Rewrite = (text) => JSON.stringify(text).slice(1, -1);

const html =
  (quote: string, apostrophe: string): Rewrite =>
  (text) => {
    const entities = ['&amp;', '&lt;', '&gt;', quote, apostrophe];
    return text.replace(/[&<>"']/g, (sign) => `${entities[`&<>"'`.indexOf(sign)]}`);
  };

/** `.` and `..` resolved as in a URL. */
const resolved: Rewrite = (text) => {
  const segments: string[] = [];
  const given = text.split('/');
  for (const [i, segment] of given.entries()) {
    const isLast = i === given.length - 1;
    if (segment === '..') segments.splice(Math.max(segments.length - 1, +(segments[0] === '')));
    else if (segment !== '.') segments.push(segment);
    if (isLast && /^\.\.?$/.test(segment)) segments.push('');
  }
  return segments.join('/');
};

/** The same without empty segments, and without a slash at the end. */
const cleaned: Rewrite = (text) => resolved(text.replace(/\/+/g, '/')).replace(/(?<=.)\/$/, '');

/** A path without empty and "." segments, and with ".." resolved where a segment is before it. */
function normalized(path: string, root: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    const isResolved = segment === '..' && kept.length > 0 && kept.at(-1) !== '..';
    if (isResolved) kept.pop();
    else if (segment !== '' && segment !== '.' && !(segment === '..' && root)) kept.push(segment);
  }
  return root + kept.join('/') || '.';
}

const firstSlash = (path: string): string => (path.startsWith('/') ? '/' : '');
/** As by normpath of Python, which keeps two slashes at the start, but not three. */
const normalizedByPython: Rewrite = (path) => normalized(path, /^\/\/(?!\/)/.test(path) ? '//' : firstSlash(path));
const normalizedByNode: Rewrite = (path) => normalized(path, firstSlash(path)).replace(/[^/]$/, path.endsWith('/') ? '$&/' : '$&');

const asNumber: Rewrite = (text) => (/^-?\d+(?:\.\d+)?$/.test(text) ? `${Number(text)}` : text);
const asDecimal: Rewrite = (text) => (/^[+-]?\d+(?:\.\d+)?$/.test(text) ? numberText(text.replace(/^\+?(-?)0+(?=\d)|^\+/, '$1')) : text);
const asAnyNumber: Rewrite = (text) => (text.trim() !== '' && Number.isFinite(Number(text)) ? `${Number(text)}` : text);
const asExactNumber: Rewrite = (text) => (/^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/.test(text) ? numberText(text.replace(/^\+?(-?)0+(?=\d)|^\+/, '$1')) : text);
const BACKSLASHED: Record<string, string> = { a: '\x07', b: '\b', e: '\x1B', E: '\x1B', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '\\': '\\' };
const ECHOED = /\\(?:([abeEfnrtv\\])|0([0-7]{0,3})|(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8}))|c.*)/gs;
/** A backslash and the letter c end the text. */
const echoed: Rewrite = (text) =>
  text.replace(ECHOED, (_, letter?: string, octal?: string, ...hex: readonly (string | undefined)[]) => {
    if (letter !== undefined) return BACKSLASHED[letter] ?? letter;
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal || '0', 8) & 255);
    const digits = hex.slice(0, 3).find((one) => one !== undefined);
    return digits === undefined ? '' : codePointOrMark(Number.parseInt(digits, 16));
  });
const codePointOrMark = (code: number): string => (code > 0x10ffff ? '?' : String.fromCodePoint(code));
const hexOf: Rewrite = (text) => hexadecimal(utf8(text));
const reversedHex: Rewrite = (text) => hexadecimal(utf8(text).toReversed());
const base64Of: Rewrite = (text) => base64(utf8(text));

const in64 = (rewrite: Rewrite): Rewrite => {
  return (text) => rewrite(base64Of(text));
};
const urlAlphabet: Rewrite = (text) => text.replaceAll('+', '-').replaceAll('/', '_');
function base64Decoded(text: string): string {
  const standard = standardAlphabet(unpadded(text));
  if (!/^[A-Za-z0-9+/]*$/.test(standard) || standard.length % 4 === 1) return text;
  return fromUtf8(lowBytes(atob(standard)));
}

const beyondAscii = (text: string, other: Rewrite): string => text.replace(/[^\0-\x7F]/gu, other);
/** Implementations also refuse by an exception. */
function refusedIf(isRefused: (text: string) => boolean): Rewrite {
  return (text) => {
    if (isRefused(text)) throw new InputError('text', 'this text is not supported');
    return text;
  };
}

const ACCEPT: ChangeNotes = { fix: 'accept any text as {noun}' };

/** Fixes that are wrong at some places, which have others. */
export const LETTERS: Fix = fixedBy('do not change the case of letters in {noun}');
export const ENDS: Fix = fixedBy('do not trim {noun}');
export const WHITESPACE: Fix = fixedBy('do not remove, merge or convert whitespace in {noun}');
export const COLONS: Fix = fixedBy('keep spaces and tabs around each colon in {noun}');
export const PERCENT_ENCODED: Fix = fixedBy('do not percent-encode {noun}');
export const JSON_ESCAPES: Fix = fixedBy('do not escape or quote {noun} as in JSON');
export const MISSING: Fix = fixedBy('write {noun}; your code leaves it empty');

const STYLE = fixedBy('do not convert {noun} to another naming style');
const SLASHES = fixedBy('keep each slash of {noun}');
const PATH = fixedBy('do not treat {noun} as a file path: keep its "/", "." and ".."');
export const DECODED: Fix = fixedBy('do not percent-decode {noun}');
const HTML = fixedBy('do not escape {noun} for HTML');
export const BASE64: Fix = fixedBy('do not encode {noun} in Base64');
const HEXADECIMAL = fixedBy('do not write {noun} in hexadecimal');
const BEYOND_ASCII = fixedBy('keep every character of {noun}, also those beyond ASCII');
const CHARACTERS = fixedBy('keep every character of {noun}');
const NUMBER = fixedBy('do not read {noun} as a number: copy its characters');
export const MARKS: Fix = fixedBy('do not replace "-", "_", "+" or "/" in {noun}');
const HYPHENS = fixedBy('do not replace "-" or "_" in {noun}');
export const QUOTES: Fix = fixedBy('do not put {noun} into quotes');
const ONCE = fixedBy('write {noun} once');
const ADDED_SPACE = fixedBy('do not add spaces to {noun}');
const NORMALIZED = fixedBy('do not convert {noun} to a Unicode normalization form');

/** What languages and programs remove at the ends of a text. */
export const TRIMS: readonly Rewriting[] = [
  ['trimmed', 'is trimmed as by trim() of JavaScript', (t) => t.trim(), ENDS],
  ['trimmed-start', 'loses whitespace at its start', (t) => t.trimStart(), ENDS],
  ['trimmed-end', 'loses whitespace at its end', (t) => t.trimEnd(), ENDS],
  ['trimmed-unicode', 'loses Unicode whitespace at both ends, but keeps U+FEFF', trimmed(UNICODE_SPACES), ENDS],
  ['trimmed-python', 'is trimmed as by strip() of Python', trimmed(PYTHON_SPACES), ENDS],
  ['trimmed-java', 'is trimmed as by trim() of Java, which removes U+0000 to U+0020', trimmed(UP_TO_SPACE), ENDS],
  ['stripped-java', 'is trimmed as by strip() of Java', trimmed(JAVA_SPACES), ENDS],
  ['trimmed-php', 'is trimmed as by trim() of PHP', trimmed(PHP_SPACES), ENDS],
  ['trimmed-ruby', 'is trimmed as by strip of Ruby', trimmed('\0\t\n\v\f\r '), ENDS],
  ['trimmed-ascii', 'loses ASCII whitespace at both ends', trimmed(ASCII_SPACES), ENDS],
  ['trimmed-shell', 'loses spaces, tabs and line feeds at both ends, as by read in a shell', trimmed(' \t\n'), ENDS],
  ['trimmed-breaks', 'loses spaces, tabs and line breaks at both ends', trimmed(' \t\r\n'), ENDS],
  ['trimmed-blanks', 'loses spaces and tabs at both ends', trimmed(' \t'), ENDS],
  ['trimmed-blanks-start', 'loses spaces and tabs at its start', trimmed(' \t', true, false), ENDS],
  ['trimmed-blanks-end', 'loses spaces and tabs at its end', trimmed(' \t', false), ENDS],
];

const PLAIN: readonly Rewriting[] = [
  ['empty', 'is empty', () => '', MISSING],
  ['lower-case', 'is converted to lower case', lower, LETTERS],
  ['upper-case', 'is converted to upper case', upper, LETTERS],
  ['ascii-lower', 'has the letters A to Z in lower case', (t) => t.replace(/[A-Z]+/g, lower), LETTERS],
  ['ascii-upper', 'has the letters a to z in upper case', (t) => t.replace(/[a-z]+/g, upper), LETTERS],
  ['first-upper', 'has its first letter in upper case', (t) => t.replace(/^./u, upper), LETTERS],
  ['first-lower', 'has its first letter in lower case', (t) => t.replace(/^./su, lower), LETTERS],
  ['capitalized', 'has its first letter in upper case and the rest in lower case', capitalized, LETTERS],
  ['title-case', 'has the first letter of each word in upper case and the rest in lower case', (t) => t.replace(/\p{Cased}+/gu, capitalized), LETTERS],
  ['header-case', 'has the first letter of each part between hyphens in upper case and the rest in lower case', (t) => t.replace(/[^-]+/g, capitalized), LETTERS],
  ['snake-case', 'is in snake_case', (t) => lower(words(t)).replaceAll(' ', '_'), STYLE],
  ['kebab-case', 'is in kebab-case', (t) => lower(words(t)).replaceAll(' ', '-'), STYLE],
  ['camel-case', 'is in camelCase', (t) => pascal(t).replace(/^./u, lower), STYLE],
  ['pascal-case', 'is in PascalCase', pascal, STYLE],
  ...TRIMS,
  ['trimmed-slashes', 'loses slashes at both ends', trimmed('/'), SLASHES],
  ['trimmed-slashes-start', 'loses slashes at its start', trimmed('/', true, false), SLASHES],
  ['trimmed-slashes-end', 'loses slashes at its end', trimmed('/', false), SLASHES],
  ['percent-decoded', 'is percent-decoded', (t) => urlDecode(t) ?? t, DECODED],
  ['percent-decoded-leniently', 'is percent-decoded as by unquote of Python', decode, DECODED],
  ['form-decoded', 'is decoded as in a form, with "+" as a space', formDecode, DECODED],
  ['html', 'is HTML-escaped, except for quotes', html('"', "'"), HTML],
  ['html-php', 'is HTML-escaped as by htmlspecialchars of PHP', html('&quot;', '&#039;'), HTML],
  ['html-compat', 'is HTML-escaped, except for apostrophes', html('&quot;', "'"), HTML],
  ['html-go', 'is HTML-escaped as by html.EscapeString of Go', html('&#34;', '&#39;'), HTML],
  ['html-named', 'is HTML-escaped with &quot; and &#39;', html('&quot;', '&#39;'), HTML],
  ['html-python', 'is HTML-escaped as by html.escape of Python', html('&quot;', '&#x27;'), HTML],
  ['base64', 'is Base64-encoded', base64Of, BASE64],
  ['base64-unpadded', 'is Base64-encoded without padding', in64(unpadded), BASE64],
  ['base64-url', 'is Base64-encoded with "-" and "_"', in64(urlAlphabet), BASE64],
  ['base64-url-unpadded', 'is Base64-encoded with "-" and "_", without padding', in64((b) => unpadded(urlAlphabet(b))), BASE64],
  ['base64-wrapped', 'is Base64-encoded in lines of 76 characters', in64((b) => b.replace(/.{76}(?=.)/g, '$&\n')), BASE64],
  ['base64-76', 'is Base64-encoded in lines of 76 characters, each with a line feed', in64((b) => b.replace(/.{1,76}/g, '$&\n')), BASE64],
  ['base64-60', 'is Base64-encoded in lines of 60 characters, each with a line feed', in64((b) => b.replace(/.{1,60}/g, '$&\n')), BASE64],
  ['base64-break', 'is Base64-encoded with a line feed at the end', in64((b) => `${b}\n`), BASE64],
  ['line-feeds-escaped', 'has a backslash and the letter n instead of each line feed', (t) => t.replaceAll('\n', '\\n'), fixedBy('keep each line feed of {noun}')],
  ['base64-twice', 'is Base64-encoded twice', in64(base64Of), BASE64],
  ['base64-decoded', 'is Base64-decoded', base64Decoded, fixedBy('do not decode {noun} from Base64')],
  ['base64-alphabet', 'has "-" and "_" instead of "+" and "/"', urlAlphabet, MARKS],
  ['base64-standard', 'has "+" and "/" instead of "-" and "_"', standardAlphabet, MARKS],
  ['dashes-underscores-exchanged', 'has "-" and "_" exchanged', (t) => t.replace(/[-_]/g, (mark) => (mark === '-' ? '_' : '-')), { ...HYPHENS, cost: 2 }],
  ['padding-lost', 'loses "=" at its end', unpadded, fixedBy('keep each "=" at the end of {noun}')],
  ['hexadecimal', 'is written as hexadecimal digits', hexOf, HEXADECIMAL],
  ['hexadecimal-upper', 'is written as upper-case hexadecimal digits', (t) => upper(hexOf(t)), HEXADECIMAL],
  ['hexadecimal-reversed', 'is written in hexadecimal, its bytes in reverse order', reversedHex, HEXADECIMAL],
  ['hexadecimal-base64', 'is written as the Base64 of its hexadecimal digits', (t) => base64Of(hexOf(t)), HEXADECIMAL],
  ['ascii-only', 'loses characters beyond ASCII', (t) => beyondAscii(t, () => ''), BEYOND_ASCII],
  ['question-marks', 'has "?" instead of each character beyond ASCII', (t) => beyondAscii(t, () => '?'), BEYOND_ASCII],
  ['latin-1', 'has "?" instead of each character beyond Latin-1', (t) => fromLatin1(toLatin1(t)), BEYOND_ASCII],
  ['replacements', 'has U+FFFD instead of each character beyond ASCII', (t) => beyondAscii(t, () => '\uFFFD'), BEYOND_ASCII],
  ['escapes', 'has escapes such as \\u20AC instead of characters beyond ASCII', (t) => escapedUnits(t, /[^\0-\x7F]/g), BEYOND_ASCII],
  [
    'encoded-word',
    'is an encoded word of RFC 2047 if it has characters beyond ASCII',
    (t) => (/[^\0-\x7F]/.test(t) ? `=?UTF-8?B?${base64Of(t)}?=` : t),
    fixedBy('do not write {noun} as an encoded word of a mail header'),
  ],
  ['utf-8-as-latin-1', 'has its UTF-8 bytes read as Latin-1', (t) => fromLatin1(utf8(t)), fixedBy('read the bytes of {noun} as UTF-8, not as Latin-1')],
  ['as-number', 'is converted to a number if it looks like one, as 007 to 7', asNumber, NUMBER],
  ['as-decimal', 'loses unnecessary zeros and "+" if it has only digits, a sign and a point', asDecimal, NUMBER],
  ['as-exact-number', 'is converted to a decimal number with all its digits if it looks like a number, as 1e3 to 1000', asExactNumber, NUMBER],
  ['as-any-number', 'is converted to a number if it can be read as one, as 1e3 to 1000', asAnyNumber, NUMBER],
  ['escapes-replaced', 'has escapes such as \\n and \\t replaced, as by echo -e', echoed, fixedBy('do not interpret backslashes in {noun}')],
  ['number-zeros-lost', 'loses zeros at its start if it has only digits', (t) => (/^\d+$/.test(t) ? t.replace(/^0+(?=\d)/, '') : t), NUMBER],
  ['integer-zeros-lost', 'is read as an integer if it has only digits, with or without a minus sign', (t) => (/^-?\d+$/.test(t) ? `${BigInt(t)}` : t), NUMBER],
  ['zero-empty', 'becomes empty if it is 0', (t) => (t === '0' ? '' : t), fixedBy('write {noun} even if it is 0: test for an empty text, not for a false value')],
  ['word-lower-case', 'is converted to lower case if it is the word true or false in any case', (t) => (/^(?:true|false)$/i.test(t) ? lower(t) : t), LETTERS],
  ['captured', 'loses NUL characters, and line feeds at its end, as by $(...) of Bash', (t) => t.replaceAll('\0', '').replace(/(?<!\n)\n+$/, ''), WHITESPACE],
  ['null-empty', 'becomes empty if it is the word null', (t) => (t === 'null' ? '' : t), fixedBy('write {noun} even if it is the word null')],
  ['base-name', 'is cut to its base name, as by basename()', (t) => afterLastSlash(withoutEndSlashes(t)), { ...PATH, cost: 2 }],
  ['end-slash-added', 'has a slash added at its end', (t) => (t.endsWith('/') ? t : `${t}/`), fixedBy('do not add a slash at the end of {noun}')],
  ['dot-segments', 'has "." and ".." resolved', resolved, PATH],
  ['normalized-path', 'has "//", "." and ".." resolved', (t) => resolved(t.replace(/\/+/g, '/')), PATH],
  ['cleaned-path', 'has "//", "." and ".." resolved, and no slash at its end', cleaned, PATH],
  [
    'single-dots-lost',
    'loses each path segment "."',
    (t) =>
      t
        .split('/')
        .filter((part) => part !== '.')
        .join('/'),
    { ...PATH, cost: 2 },
  ],
  ['normal-path', 'has "//", "." and ".." resolved, but not ".." at its start, and no slash at its end, as by normpath of Python', normalizedByPython, { ...PATH, cost: 2 }],
  ['normal-path-slash-kept', 'has "//", "." and ".." resolved, but not ".." at its start, as by path.posix.normalize of Node', normalizedByNode, { ...PATH, cost: 2 }],
  ['normal-path-unless-empty', 'has "//", "." and ".." resolved unless it is empty, but not ".." at its start, and no slash at its end', (t) => t && normalizedByPython(t), { ...PATH, cost: 2 }],
  ['normal-path-slash-kept-unless-empty', 'has "//", "." and ".." resolved unless it is empty, but not ".." at its start', (t) => t && normalizedByNode(t), { ...PATH, cost: 2 }],
  ['spaces-collapsed-unquoted', 'has each run of spaces merged into one, but not inside double quotes', (t) => t.replace(/"[^"]*"| +/g, (run) => (run.startsWith('"') ? run : ' ')), { ...WHITESPACE, cost: 2 }],
  ['single-quoted', 'is in single quotes', (t) => `'${t}'`, QUOTES],
  ['double-quoted', 'is in double quotes', (t) => `"${t}"`, QUOTES],
  ['encoded', 'is percent-encoded', encode, PERCENT_ENCODED],
  ['reversed', 'is reversed', (t) => Array.from(t).reverse().join(''), fixedBy('do not reverse {noun}')],
  ['doubled', 'is written twice', (t) => t + t, ONCE],
  ['empty-refused', 'is refused, or leads to an exception, if it is empty', refusedIf((t) => t === ''), ACCEPT],
  ['beyond-ascii-refused', 'is refused, or leads to an exception, if it has characters beyond ASCII', refusedIf((t) => /[^\0-\x7F]/.test(t)), ACCEPT],
  ['controls-refused', 'is refused, or leads to an exception, if it has control characters', refusedIf((t) => /\p{Cc}/u.test(t)), ACCEPT],
  ['beyond-latin-1-refused', 'is refused, or leads to an exception, if it has characters beyond Latin-1', refusedIf((t) => /[^\0-\xFF]/.test(t)), ACCEPT],
];

/** Replacements in a text. */
const REPLACED: readonly [id: string, clause: string, pattern: RegExp, by: string, notes: ChangeNotes][] = [
  ['blanks-collapsed', 'has each run of spaces and tabs merged into one space', /[ \t]+/g, ' ', WHITESPACE],
  ['spaces-collapsed', 'has each run of whitespace merged into one space', /\s+/g, ' ', WHITESPACE],
  ['spaces-removed', 'loses its spaces', / /g, '', WHITESPACE],
  ['whitespace-removed', 'loses all whitespace', /\s+/g, '', WHITESPACE],
  ['breaks-removed', 'loses its line breaks', /[\r\n]+/g, '', WHITESPACE],
  ['end-breaks-lost', 'loses line breaks at its end', /(?<![\r\n])[\r\n]+$/, '', WHITESPACE],
  ['end-feeds-lost', 'loses line feeds at its end, as in a shell', /(?<!\n)\n+$/, '', WHITESPACE],
  ['end-break-lost', 'loses one line break at its end', /\r?\n$/, '', WHITESPACE],
  ['breaks-crlf', 'has CRLF instead of each line break', /\r\n|\r|\n/g, '\r\n', WHITESPACE],
  ['crlf-lf', 'has LF instead of each CR LF', /\r\n/g, '\n', WHITESPACE],
  ['breaks-lf', 'has LF instead of each line break', /\r\n|\r/g, '\n', WHITESPACE],
  ['breaks-as-spaces', 'has a space instead of each line break', /\r\n|\r|\n/g, ' ', WHITESPACE],
  ['first-line', 'is cut at its first line break', /[\r\n].*/s, '', WHITESPACE],
  ['backslashes-lost', 'loses each backslash, except for the second one of a pair', /\\(.?)/gs, '$1', CHARACTERS],
  ['separators-lost', 'loses its equals signs and ampersands', /[=&]/g, '', CHARACTERS],
  ['tags-lost', 'loses what looks like an HTML tag', /<[^<>]*>/g, '', CHARACTERS],
  ['surrogates-as-marks', 'has "??" instead of each character beyond U+FFFF', /[\u{10000}-\u{10FFFF}]/gu, '??', BEYOND_ASCII],
  ['astral-as-mark', 'has "?" instead of each character beyond U+FFFF', /[\u{10000}-\u{10FFFF}]/gu, '?', BEYOND_ASCII],
  ['astral-lost', 'loses characters beyond U+FFFF', /[\u{10000}-\u{10FFFF}]/gu, '', BEYOND_ASCII],
  ['controls-removed', 'loses control characters', /[\0-\x1F\x7F]+/g, '', CHARACTERS],
  ['backslashes', 'has a backslash before each quote and backslash', /["'\\]/g, '\\$&', fixedBy('do not add backslashes to {noun}')],
  ['query-lost', 'loses the text from its first "?" to its "#", as the query of a URL', /\?[^#]*/, '', CHARACTERS],
  ['charset-lost', 'loses its charset parameter', /;\s*charset=[^;]*/i, '', CHARACTERS],
  ['cut-at-beyond-ascii', 'is cut at its first character beyond ASCII', /[^\0-\x7F].*/s, '', BEYOND_ASCII],
  ['underscores', 'has underscores instead of hyphens', /-/g, '_', HYPHENS],
  ['dashes', 'has hyphens instead of underscores', /_/g, '-', HYPHENS],
  ['plus-as-space', 'has a space instead of each "+"', /\+/g, ' ', fixedBy('keep each "+" of {noun}')],
  ['space-as-plus', 'has "+" instead of each space', / /g, '+', fixedBy('keep each space of {noun}')],
  ['space-as-20', 'has %20 instead of each space', / /g, '%20', fixedBy('keep each space of {noun}')],
  ['comma-space', 'has a space after each comma', /,(?! )/g, ', ', ADDED_SPACE],
  ['comma-bare', 'loses the space after each comma', /, /g, ',', WHITESPACE],
  ['colon-bare', 'loses the spaces and tabs around each colon', /(?<![ \t])[ \t]*:[ \t]*/g, ':', COLONS],
  ['semicolon-space', 'has a space after each semicolon', /;(?! )/g, '; ', ADDED_SPACE],
  ['semicolon-bare', 'loses the space after each semicolon', /; /g, ';', WHITESPACE],
  ['zeros-lost', 'loses zeros at its start', /^0+(?=\d)/, '', NUMBER],
  ['slash-added', 'has a slash added at its start', /^(?!\/)/, '/', fixedBy('do not add a slash at the start of {noun}')],
  ['slash-lost', 'loses a slash at its start', /^\//, '', SLASHES],
  ['end-slash-lost', 'loses a slash at its end', /\/$/, '', SLASHES],
  ['slashes-doubled', 'has each slash twice', /\//g, '//', fixedBy('write each slash of {noun} once')],
  ['slashes-collapsed', 'has each run of slashes merged into one', /\/+/g, '/', SLASHES],
  ['backslash-as-slash', 'has "/" instead of each backslash', /\\/g, '/', CHARACTERS],
  ['first-lost', 'loses its first character', /^./su, '', fixedBy('keep the first character of {noun}')],
  ['last-lost', 'loses its last character', /.$/su, '', fixedBy('keep the last character of {noun}')],
];

const JSON_WRITERS: readonly [language: string, escaped: Rewrite][] = [
  ['JavaScript', json],
  ['Python', (t) => escapedUnits(json(t), /[\x7F-\uFFFF]/g)],
  ['Go', (t) => escapedUnits(json(t), /[<>&\u2028\u2029]/g)],
  ['PHP', (t) => escapedUnits(json(t).replaceAll('/', '\\/'), /[\x80-\uFFFF]/g)],
];
const ENCODED = ['only-beyond-ascii', 'form', 'component', 'uri', 'slash-kept', 'space-as-plus', 'twice'];
const ADDED = ['\n', '\r\n', '\0', '"', ...'/ :?&=,;'];
const PATH_SIGNS = ['/', ':', '.'];
const CUT = ['\0', ...'?#/:;,&=. +'];
const LENGTHS = ['16', '32', '64', '128', '255', '256'];
const LENGTHS_IN_BYTES = ['63', '127', '255', '511', '1023'];
const EMPTY_WORDS = ['\0', 'null', 'undefined', 'None', 'nil', '-', '0', 'false'];
const IDS: Record<string, string> = { '\n': 'lf', '\r\n': 'crlf', '\0': 'nul', '"': 'quote' };
const rare = { cost: 4 };
const WHOLE = { fix: 'do not cut {noun}' };

/** One change for each parameter; `$` in the clause is the parameter. */
const each = (parameters: readonly string[], id: string, clause: string, change: (text: string, parameter: string) => string, notes: ChangeNotes = {}): Rewriting[] =>
  parameters.map((parameter) => [`${id}-${IDS[parameter] ?? lower(signId(parameter))}`, clause.replace('$', () => JSON.stringify(parameter).slice(1, -1)), (text) => change(text, parameter), notes]);

const beforeLast = (text: string, sign: string): string => (text.includes(sign) ? text.slice(0, text.lastIndexOf(sign)) : text);
const afterFirst = (text: string, sign: string): string => text.slice(text.indexOf(sign) + 1);
const afterLast = (text: string, sign: string): string => text.slice(text.lastIndexOf(sign) + 1);
const cutTo = (text: string, length: string): string => Array.from(text).slice(0, Number(length)).join('');
/** The characters that fit whole into so many bytes of UTF-8. */
function cutToBytes(text: string, length: string): string {
  let left = Number(length);
  return Array.from(text)
    .filter((character) => {
      left -= utf8(character).length;
      return left >= 0;
    })
    .join('');
}

/** Changes of any text. */
export const TEXTS: Kind<Rewrite> = kind('use {noun} unchanged', [
  ...PLAIN,
  ...REPLACED.map(([id, clause, pattern, other, notes]): Rewriting => [id, clause, (t) => t.replace(pattern, other), notes]),
  ...ENCODERS.changes.filter(([id]) => ENCODED.includes(id)).map(([id, clause, apply]): Rewriting => [`encoded-${id}`, clause, apply, PERCENT_ENCODED]),
  ...JSON_WRITERS.flatMap(([language, escaped]) => [
    ...each([language], 'json', 'has the escapes of JSON, as in $', escaped, JSON_ESCAPES),
    ...each([language], 'json-text', 'is written as a JSON string, in quotes, as in $', (t) => `"${escaped(t)}"`, JSON_ESCAPES),
  ]),
  ...each(['NFC', 'NFD', 'NFKC', 'NFKD'], 'to', 'is converted to the Unicode form $', (t, f) => t.normalize(f), NORMALIZED),
  ...each(ADDED, 'before', 'has an additional "$" before it', (t, sign) => sign + t, { ...rare, fix: 'do not write an additional character before {noun}' }),
  ...each(ADDED, 'after', 'has an additional "$" after it', (t, sign) => t + sign, { fix: 'do not write an additional character after {noun}' }),
  ...each(CUT, 'cut-at', 'is cut at its first "$"', (t, sign) => t.split(sign, 1).join(), WHOLE),
  ...each(PATH_SIGNS, 'cut-at-last', 'is cut at its last "$"', beforeLast, { ...rare, ...WHOLE }),
  ...each(PATH_SIGNS, 'after-first', 'keeps only the text after its first "$"', afterFirst, { ...rare, ...WHOLE }),
  ...each(CUT, 'after-last', 'keeps only the text after its last "$"', afterLast, WHOLE),
  ...each(LENGTHS, 'cut-to', 'is cut to $ characters', cutTo, { ...rare, ...WHOLE }),
  ...each(LENGTHS_IN_BYTES, 'cut-to-bytes', 'is cut to $ bytes of UTF-8', cutToBytes, { ...rare, ...WHOLE }),
  ...each(EMPTY_WORDS, 'empty-as', 'is "$" if it is empty', (t, word) => t || word, { fix: 'write nothing for {noun} if it is empty' }),
]);

/** Fixes for texts that are signed before the query or the body encodes them. */
const LATER: ReadonlyMap<ChangeNotes | undefined, Fix> = new Map([
  [PERCENT_ENCODED, fixedBy('percent-encode {noun} only in the query, after signing')],
  [JSON_ESCAPES, fixedBy('escape {noun} for JSON only in the body, after signing')],
  [QUOTES, fixedBy('put {noun} into quotes only in the JSON body, after signing')],
]);

/** Changes of a text that is signed before the query or the body encodes it. */
export const SIGNED_FIRST: readonly Rewriting[] = TEXTS.changes.map(([id, clause, rewrite, notes]) => [id, clause, rewrite, LATER.get(notes) ?? notes]);
