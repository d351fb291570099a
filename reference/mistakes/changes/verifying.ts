/**
 * Changes of verifiers: comparing, looking up accounts, reading queries and times (§5, §5.4).
 *
 * @module
 */
import { compareBytes, hexadecimal, urlEncode } from '../../signing/bytes.ts';
import { InputError } from '../../signing/types.ts';
import { asciiDigits, before, formDecoded, fromUtf8, lenientBase64, standardAlphabet, unaccented, unpadded, urlDecoded } from './bytes.ts';
import { type Change, type ChangeNotes, type Item, type Kind, kind, table, tabular } from './change.ts';
import { TRIMS } from './texts.ts';

type Rewrite = (text: string) => string;
type Comparison = (expected: string, received: string) => boolean;

function both(read: Rewrite): Comparison {
  return (expected, received) => read(expected) === read(received);
}
function repairing(repair: Rewrite): Comparison {
  return (expected, received) => expected === repair(received);
}

const trimmed: Rewrite = (text) => text.trim();
const lowerCase: Rewrite = (text) => text.toLowerCase();
const anyBase64: Rewrite = (text) => hexadecimal(lenientBase64(text));
/** The decoded bytes of valid Base64, ignoring its unused bits; any other text unchanged. */
const base64Bytes: Rewrite = (text) => (/^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0 ? `bytes ${anyBase64(text)}` : text);

const WHOLE_QUADS = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|$)/;
/** The decoded bytes up to the first padding; any text without correct padding unchanged. */
function paddedBase64(text: string): string {
  const [padded] = WHOLE_QUADS.exec(text.replace(/[^A-Za-z0-9+/=]/g, '')) ?? [];
  return padded === undefined ? text : `bytes ${anyBase64(padded)}`;
}

/** The hexadecimal digits that Buffer.from of Node reads. */
function nodeHexadecimal(text: string): string {
  const read = text.replace(/./gs, (unit) => String.fromCharCode(unit.charCodeAt(0) & 0xff));
  return lowerCase(/^(?:[0-9a-f]{2})*/i.exec(read)?.[0] ?? '');
}

const PYTHON_HEXADECIMAL = /^[ \t\n\r\f\v]*(?:[0-9a-f]{2}[ \t\n\r\f\v]*)+$/i;
/** The digits of bytes as bytes.fromhex of Python reads them; any other text unchanged. */
const pythonHexadecimal: Rewrite = (text) => (PYTHON_HEXADECIMAL.test(text) ? `bytes ${lowerCase(text.replace(/\s+/g, ''))}` : text);

/** The first 20 bytes of Base64, with trailing hyphens and whitespace ignored and `=` read as `A`; any other text unchanged. */
function opensslBytes(text: string): string {
  const digits = text.trim().replace(/(?<![-\s])[-\s]+$/, '');
  const isRead = /^[A-Za-z0-9+/=]+$/.test(digits) && digits.length % 4 === 0;
  return isRead ? `bytes ${anyBase64(digits.replaceAll('=', 'A')).slice(0, 40)}` : text;
}

/** A hexadecimal number without zeros at its start; any other text unchanged. */
const hexadecimalNumber: Rewrite = (text) => (/^[0-9a-f]+$/i.test(text) ? `number ${lowerCase(text.replace(/^0+/, ''))}` : text);

/** The differences that a constant-time comparison collects; `[1]` if the lengths differ. */
const differences = (expected: string, received: string): readonly number[] => (expected.length === received.length ? expected.split('').map((_, i) => expected.charCodeAt(i) ^ received.charCodeAt(i)) : [1]);

/** Comparisons of any texts. */
const LENIENT: Readonly<Record<string, Comparison>> = {
  'always: accepts every text': () => true,
  'never: accepts no text, as if texts were compared by reference': () => false,
  'case: ignores case': both(lowerCase),
  'shorter: accepts the start of the expected text': (e, r) => e.startsWith(r),
  'shorter-not-empty: accepts the start of the expected text, but not an empty text': (e, r) => r !== '' && e.startsWith(r),
  'longer: ignores all that follows the expected text': (e, r) => r.startsWith(e),
  'common-length: stops at the end of the shorter text': (e, r) => e.startsWith(r) || r.startsWith(e),
  'common-length-not-empty: stops at the end of the shorter text, but refuses an empty text': (e, r) => r !== '' && (e.startsWith(r) || r.startsWith(e)),
  'contained: accepts any part of the expected text': (e, r) => e.includes(r),
  'trimmed: ignores whitespace at both ends': repairing(trimmed),
  'blanks: ignores all whitespace': repairing((text) => text.replace(/\s+/g, '')),
  'blanks-as-plus: reads spaces as plus signs': repairing((text) => text.replaceAll(' ', '+')),
  'decoded: percent-decodes the received text': repairing(urlDecoded),
  'form-decoded: decodes both texts as in a form': both(formDecoded),
  'compatible: ignores the differences that the Unicode form NFKC removes': both((text) => text.normalize('NFKC')),
  'nul: stops at the first NUL of each text': both((text) => before(text, '\0')),
};

/** The number at the start of a text; 0 without one. */
const leadingNumber = (text: string): string => `${Number(/^\s*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)/.exec(text)?.[1] ?? 0)}`;

const acceptSignature = (hasSignature: (signature: unknown) => boolean): ChangeNotes => ({ cost: 2, also: { hasSignature: () => hasSignature } });

/** Whether a text contains a pattern of Lua, whose only sign is "+": one or more of the character before it. */
function luaFinds(pattern: string, text: string): boolean {
  const parts = pattern.match(/.\+?/gs) ?? [];
  const matchesAt = (at: number, next: number): boolean => {
    const part = parts[next];
    if (part === undefined) return true;
    if (text[at] !== part[0]) return false;
    return matchesAt(at + 1, next + 1) || (part.length > 1 && matchesAt(at + 1, next));
  };
  return Array.from(text).some((_, at) => matchesAt(at, 0));
}

/** Wrong ways to compare signatures. */
export const COMPARISONS: Kind<Comparison> = {
  fix: 'accept a signature only if it equals the computed one, byte by byte and in length',
  changes: [
    ['shorter-or-empty', 'accepts the start of the expected text, even an empty one', (e, r) => e.startsWith(r), acceptSignature((signature) => typeof signature === 'string')],
    ['shorter-or-none', 'accepts the start of the expected text, even an empty or an absent one', (e, r) => e.startsWith(r), acceptSignature((signature) => signature === undefined || typeof signature === 'string')],
    ...TRIMS.filter(([id]) => id !== 'trimmed').map(([id, clause, trim]): Change<Comparison> => [id, `is made after the received text ${clause}`, repairing(trim)]),
    ...table<Comparison>({
      ...LENIENT,
      'leading-numbers: covers only the number at the start of each text, or 0 if it has none': both(leadingNumber),
      'empty: accepts an empty text': (e, r) => r === '' || e === r,
      'end: accepts a text that ends with the expected one': (e, r) => r.endsWith(e),
      'contains: accepts a text that contains the expected one': (e, r) => r.includes(e),
      'lua-find: accepts a text that contains the expected one, as by string.find of Lua, for which a plus sign repeats the character before it': luaFinds,
      'newline: ignores a line break at the end': repairing((text) => text.replace(/\r?\n$/, '')),
      'quotes: ignores double quotes around the received text': repairing((text) => text.replace(/^"(.*)"$/s, '$1')),
      'url-safe: accepts URL-safe Base64': repairing(standardAlphabet),
      'unpadded: ignores the padding of Base64': both(unpadded),
      'url-safe-unpadded: ignores the alphabet and the padding of Base64': both((t) => unpadded(standardAlphabet(t))),
      'hexadecimal-python: ignores case, and whitespace between two digits and the next two, as bytes.fromhex of Python': both(pythonHexadecimal),
      'hexadecimal-node: ignores case, all but the low byte of each UTF-16 unit, and all that follows the last pair of hexadecimal digits, as Buffer.from of Node': (e, r) =>
        /^[0-9a-f]+$/i.test(e) ? e === nodeHexadecimal(r) : e === r,
      'hexadecimal-numbers: treats both texts as hexadecimal numbers, so it ignores case and zeros at the start': both(hexadecimalNumber),
      'openssl-20: covers only the first 20 bytes that EVP_DecodeBlock of OpenSSL decodes': both(opensslBytes),
      'unused-bits: ignores the unused bits of Base64': both(base64Bytes),
      'unpadded-unused-bits: ignores the padding and the unused bits of Base64': both((t) => base64Bytes(unpadded(t).padEnd(Math.ceil(unpadded(t).length / 4) * 4, '='))),
      'skipping-base64: decodes Base64 and skips characters outside its standard alphabet': both((text) => anyBase64(text.replace(/[-_]/g, ''))),
      'skipping-base64-padded: decodes Base64 and skips characters outside its standard alphabet, but requires padding': both(paddedBase64),
      'skipping-base64-php: decodes Base64 as base64_decode of PHP, which skips other characters and padding anywhere': both((text) => anyBase64(text.replace(/[^A-Za-z0-9+/]+/g, ''))),
      'any-base64: decodes any Base64 and skips other characters': both(anyBase64),
      'first-8: covers only the first 8 characters': both((text) => text.slice(0, 8)),
      'first-16: covers only the first 16 characters': both((text) => text.slice(0, 16)),
      'first-32: covers only the first 32 characters': both((text) => text.slice(0, 32)),
      'first-32-of-equal-length: covers the lengths and only the first 32 characters': (e, r) => e.length === r.length && e.slice(0, 32) === r.slice(0, 32),
      'without-first: skips the first character': both((text) => text.slice(1)),
      'without-last: skips the last character': both((text) => text.slice(0, -1)),
      'length: covers only the lengths': (e, r) => e.length === r.length,
      'last-difference: uses only the result of the last character': (e, r) => differences(e, r).at(-1) === 0,
      'cancelled: lets the differences of several characters cancel out': (e, r) => !differences(e, r).reduce((a, b) => a ^ b, 0),
    }),
  ],
};

/** The comparison of public keys. */
export const ACCOUNTS: Kind<Comparison> = tabular('accept a public key only if it equals the key of the account, byte by byte and in length', {
  ...LENIENT,
  'empty: accepts an empty text': (e, r) => r === '' || e === r,
  'accents: ignores case and accents, as collations of MySQL do': both(unaccented),
  'first-16: covers only the first 16 characters': both((text) => text.slice(0, 16)),
  'first-32: covers only the first 32 characters': both((text) => text.slice(0, 32)),
  'spaces: ignores spaces at the end, as SQL does': both((text) => text.replace(/(?<! ) +$/, '')),
  'domain: ignores all from the first "@" on': both((text) => before(text, '@')),
});

/** Changes names and values around the first `=` of each part. */
function pieces(name: Rewrite, value: Rewrite): Rewrite {
  return (query) => query.replace(/([^&=]*)(=?)([^&]*)/g, (_, n: string, mark: string, v: string) => name(n) + mark + value(v));
}
const unchanged: Rewrite = (text) => text;
const escapePercent: Rewrite = (text) => text.replaceAll('%', '%25');
function parts(change: (parts: readonly string[]) => readonly string[]): Rewrite {
  return (query) => change(query.split('&')).join('&');
}
const atLastEquals: Rewrite = (part) => {
  const at = Math.max(0, part.lastIndexOf('='));
  return part.slice(0, at).replaceAll('=', '%3D') + part.slice(at);
};
/** Refuses a query, or the query of a URL, if a part does not have exactly one `=`. */
function withSingleEquals(text: string): string {
  const query = text.replace(/^[a-z]+:[^?]*\?/i, '');
  if (query.split('&').every((part) => part.split('=').length === 2)) return text;
  throw new InputError('text', 'a part does not have one equals sign');
}
/** Decodes each run of escapes whose digits match `digits` with `read`. */
function escapes(digits: string, read: (numbers: readonly number[]) => string): Rewrite {
  return (query) =>
    query.replace(new RegExp(`(?:%${digits})+`, 'gi'), (run) => {
      const numbers = run.split(/%u?/i).slice(1);
      return urlEncode(read(numbers.map((text) => Number.parseInt(text, 16))).toWellFormed());
    });
}
const BEYOND_ASCII = '[89a-f][0-9a-f]';
const characters = (units: readonly number[]): string => units.map((unit) => String.fromCharCode(unit)).join('');
const repaired = (bytes: readonly number[]): string => fromUtf8(Uint8Array.from(bytes));

/** Changes of a query or URL before it is parsed. */
export const QUERY_TEXTS: Kind<Rewrite> = tabular('keep {noun} as received: split the query at "&" and each part at its first "=", then decode once', {
  'plus: has its plus signs read as spaces': (q) => q.replaceAll('+', '%20'),
  'decoded-first: is percent-decoded before it is split, and not afterwards': (q) => escapePercent(urlDecoded(q)),
  'decoded-first-and-again: is percent-decoded before it is split, and again afterwards': urlDecoded,
  'decoded-twice: is percent-decoded twice': (q) => q.replaceAll('%25', '%'),
  'undecoded: is not decoded': escapePercent,
  'names-undecoded: has names that are not decoded': pieces(escapePercent, unchanged),
  'values-undecoded: has values that are not decoded': pieces(unchanged, escapePercent),
  'bad-escapes: is accepted with a "%" without two hexadecimal digits': (q) => q.replace(/%(?![0-9A-Fa-f]{2})/g, '%25'),
  'bad-utf-8: is accepted with escapes that are not UTF-8, read as U+FFFD': escapes(BEYOND_ASCII, repaired),
  'latin-1: is decoded as Latin-1': escapes(BEYOND_ASCII, characters),
  'u-escapes: has escapes such as %u20AC decoded': escapes('u[0-9a-f]{4}', characters),
  'to-hash: ends before its first "#"': (q) => before(q, '#'),
  'hash-kept: keeps "#" and the text after it': (q) => q.replaceAll('#', '%23'),
  'to-nul: ends before its first %00': (q) => before(q, '%00'),
  'semicolons: is split at semicolons too': (q) => q.replaceAll(';', '&'),
  'html: has each &amp; read as "&"': (q) => q.replaceAll('&amp;', '&'),
  'lower-case: is converted to lower case': lowerCase,
  'question-mark: loses a "?" at its start': (q) => q.replace(/^\?/, ''),
  'after-question-mark: loses all up to its first "?"': (q) => q.slice(q.indexOf('?') + 1),
  'trimmed: loses whitespace at both ends': trimmed,
  'breaks: loses tabs and line breaks, as in URL parsers': (q) => q.replace(/[\t\r\n]/g, ''),
  'backslashes: has "/" instead of backslashes, as in URL parsers': (q) => q.replaceAll('\\', '/'),
  'second-equals: loses the text after the second "=" of each part': pieces(unchanged, (value) => before(value, '=')),
  'last-equals: is split at the last "=" of each part': parts((p) => p.map(atLastEquals)),
  'without-equals: loses parts without "="': parts((p) => p.filter((part) => part.includes('='))),
  'bad-parts-lost: loses parts with an invalid escape, as by ParseQuery of Go if its error is ignored': parts((p) => p.filter((part) => !/%(?![0-9A-Fa-f]{2})/.test(part))),
  'single-equals: is refused, or leads to an exception, unless each part has exactly one "="': withSingleEquals,
  'without-first: loses its first part': parts((p) => p.slice(1)),
  'without-last: loses its last part': parts((p) => p.slice(0, -1)),
});

type Pairs = (pairs: readonly Item[]) => readonly Item[];

/** Merges the values of each name into one pair. */
function merging(merge: (values: readonly string[]) => string): Pairs {
  return (pairs) => {
    const merged = new Map<string, string[]>(pairs.map(([name]) => [name, []]));
    for (const [name, text] of pairs) merged.get(name)?.push(text);
    return Array.from(merged, ([name, values]) => [name, merge(values)]);
  };
}
/** Merges the values of names that differ only in case into a pair with the first of these names. */
function mergingAnyCase(merge: (values: readonly string[]) => string): Pairs {
  return (pairs) => {
    const firsts = new Map(pairs.toReversed().map(([name]) => [lowerCase(name), name]));
    return merging(merge)(pairs.map(([name, text]) => [firsts.get(lowerCase(name)) ?? name, text]));
  };
}
function each(name: Rewrite, value: Rewrite): Pairs {
  return (pairs) => pairs.map(([n, text]) => [name(n), value(text)]);
}
function keeping(keep: (item: Item) => boolean): Pairs {
  return (pairs) => pairs.filter(keep);
}
const KNOWN = ['Action', 'PublicKey', 'Expires', 'Signature'];
const known: Rewrite = (name) => KNOWN.find((n) => lowerCase(n) === lowerCase(name)) ?? name;
const HTML: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };
const html: Rewrite = (text) => text.replace(/[&<>"]/g, (c) => `&${HTML[c]};`);
const asNumber: Rewrite = (text) => (DIGITS.test(text) ? `${Number(text)}` : text);
const distinct: Pairs = (all) => [...new Map(all.map((p) => [JSON.stringify(p), p])).values()];

/** The decoded parameters of a query. */
export const PAIR_LISTS: Kind<Pairs> = {
  fix: 'keep every name and value of {noun} as received, and in their order',
  changes: [
    ...TRIMS.map(([id, clause, trim]): Change<Pairs> => [`values-${id}`, `has its values changed: each ${clause}`, each(unchanged, trim)]),
    ...table<Pairs>({
      'first: keeps only the first value of a repeated name': merging((values) => values[0] ?? ''),
      'last: keeps only the last value of a repeated name': merging((values) => values.at(-1) ?? ''),
      'joined-comma: has the values of a repeated name joined with ","': merging((values) => values.join(',')),
      'joined-comma-any-case: has the values of names that differ only in case joined with ",", as in a NameValueCollection of .NET': mergingAnyCase((values) => values.join(',')),
      'first-any-case: keeps only the first value of names that differ only in case': mergingAnyCase((values) => values[0] ?? ''),
      'joined-space: has the values of a repeated name joined with ", "': merging((values) => values.join(', ')),
      'joined: has the values of a repeated name joined without a separator': merging((values) => values.join('')),
      'distinct: has equal pairs only once': distinct,
      'no-empty-values: loses parameters with an empty value': keeping(([, text]) => text !== ''),
      'no-empty-names: loses parameters with an empty name': keeping(([name]) => name !== ''),
      'no-null: loses parameters with the value null': keeping(([, text]) => text !== 'null'),
      'no-undefined: loses parameters with the value undefined': keeping(([, text]) => text !== 'undefined'),
      'no-proto: loses a parameter named __proto__': keeping(([name]) => name !== '__proto__'),
      'lower-case: has its names in lower case': each(lowerCase, unchanged),
      'known: is accepted with Action, PublicKey, Expires and Signature in any case': each(known, unchanged),
      'names-trimmed: loses whitespace around names': each(trimmed, unchanged),
      'underscores: has "_" instead of dots in names': each((name) => name.replaceAll('.', '_'), unchanged),
      'brackets: has names with dots instead of brackets, a.b for a[b]': each((n) => n.replace(/\[([^[\]]*)\]/g, '.$1'), unchanged),
      'values-html: has its values escaped for HTML': each(unchanged, html),
      'values-numbers: has values converted to numbers, 7 for 007': each(unchanged, asNumber),
      'sorted: is sorted by name': (pairs) => pairs.toSorted(([a], [b]) => compareBytes(a, b)),
      'reversed: is reversed': (pairs) => pairs.toReversed(),
    }),
  ],
};

type Seconds = (text: string) => number | undefined;

const DIGITS = /^[0-9]{1,15}$/;
const ISO = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{3})?Z$/;
const HTTP = /^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$/;
const NEVER = Number.MAX_SAFE_INTEGER;
/** Reads texts that match `accepted` in another way, and all others correctly. */
function reading(accepted: RegExp, read: (text: string) => number = Number): Seconds {
  return (text) => {
    if (!accepted.test(text)) return DIGITS.test(text) ? Number(text) : undefined;
    const seconds = read(text);
    return Number.isNaN(seconds) ? undefined : seconds;
  };
}
const right: Seconds = reading(DIGITS);
const dateSeconds = (text: string): number => Date.parse(text) / 1000;
const decimal = (text: string): number => Number.parseInt(text, 10);
const orNever = (seconds: number): number => (Number.isNaN(seconds) ? NEVER : seconds);
const octal = (text: string): number => Number.parseInt(text, 8);
const thousandth = (text: string): number => Number(text) / 1000;
const joined = (text: string): number => Number(text.replaceAll('_', ''));

const LUA_NUMBER = /^\s*[+-]?(?:0[xX][0-9a-fA-F]{1,13}|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)\s*$/;
/** JavaScript's `Number` reads no sign before 0x. */
const luaNumber = (text: string): number => Number(text.trim().replace(/^[+-]/, '')) * (text.trim().startsWith('-') ? -1 : 1);
const phpInt = (text: string): number => Math.trunc(Number(leadingNumber(text)));

const FILTERED = /^[\t\n\v\r ]*[+-]?(?:0|[1-9][0-9]{0,18})[\t\n\v\r ]*$/;
const validInteger = (text: string): number | undefined => (FILTERED.test(text) && Math.abs(Number(text)) < 2 ** 63 ? Number(text) : undefined);

const RUBY_INTEGER = /^[+-]?(?:0x[0-9a-f]+(?:_[0-9a-f]+)*|0b[01]+(?:_[01]+)*|0[o_]?[0-7]+(?:_[0-7]+)*|0|[1-9][0-9]*(?:_[0-9]+)*)$/i;
function rubyInteger(text: string): number | undefined {
  const plain = text.replace(/^[\t-\r ]+/, '').replace(/(?<![\t-\r ])[\t-\r ]+$/, '');
  if (!RUBY_INTEGER.test(plain)) return undefined;
  const digits = plain.replace(/^[+-]/, '').replace(/^0_?(?=[0-9])/, '0o');
  return joined(digits) * (plain.startsWith('-') ? -1 : 1);
}

const within = (most: number, text: string): number | undefined => (Number(text) <= most ? right(text) : undefined);

/** Wrong ways to parse a count of Unix seconds. */
export const SECONDS: Kind<Seconds> = tabular('read {noun} as 1 to 15 ASCII digits, and refuse any other text', {
  'parse-int: is read up to the first character that is not a digit, as by parseInt': reading(/^/, decimal),
  'parse-int-never: is read up to the first character that is not a digit, as by parseInt, and never counts as past if it has no digits before that': reading(/^/, (text) => orNever(decimal(text))),
  'parse-float-never: is read as the number at its start, as by parseFloat, and never counts as past if it has no number there': reading(/^/, (text) => orNever(Number.parseFloat(text))),
  'leading-digits: is read up to the first character that is not a digit, if it starts with one': reading(/^[0-9]/, decimal),
  'intval: is read up to the first character that is not a digit, and never counts as past if it is then 0': reading(/^/, (text) => decimal(text) || NEVER),
  'signed-leading-digits: is read up to the first character that is not a digit, after a sign, as by Integer.parse of Elixir': reading(/^[+-]?[0-9]/, decimal),
  'intval-zero: is read up to the first character that is not a digit, and as 0 without digits': reading(/^/, (text) => decimal(text) || 0),
  'ruby-to-i: is read as by to_i of Ruby, which accepts whitespace, a sign and underscores before other characters, and gives 0 without digits': reading(/^/, (text) =>
    joined(/^\s*([+-]?[0-9]+(?:_[0-9]+)*)/.exec(text)?.[1] ?? '0'),
  ),
  'php-int: is read as by a cast to int in PHP, which reads an exponent, ignores what follows the number, and gives 0 without one': reading(/^/, phpInt),
  'php-filter: is read as by FILTER_VALIDATE_INT of PHP, which accepts a sign and whitespace at both ends, but no zeros at the start': (text) => validInteger(text),
  'ruby-integer: is read as by Integer() of Ruby, which accepts a sign, whitespace, underscores and prefixes such as 0x, and reads octal after a zero': (text) => rubyInteger(text),
  "number: is read as by JavaScript's Number, which also accepts 1e9 and 0x10": reading(/^/),
  'unchecked: is never refused, and never counts as past if it is not a number': Number,
  'signed: is accepted with a sign': reading(/^[+-][0-9]{1,15}$/),
  'blanks: is accepted with whitespace at both ends': reading(/^\s*[0-9]{1,15}\s*$/),
  'line-feed: is accepted with a line feed at its end, as by a pattern that ends with "$"': reading(/^[0-9]{1,15}\n$/),
  'fraction: is accepted with a fraction': reading(/^[0-9]{1,15}\.[0-9]*$/),
  'float: is read as by a parser of floating-point numbers, which accepts a sign, a fraction, an exponent and whitespace at both ends': reading(/^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/),
  "lua: is read as by Lua's tonumber, which accepts a sign, a fraction, an exponent, hexadecimal digits after 0x and whitespace at both ends": reading(LUA_NUMBER, luaNumber),
  "integer: is accepted with a sign and whitespace at both ends, as by .NET's int.Parse": reading(/^\s*[+-]?[0-9]{1,15}\s*$/),
  'hex: is accepted as 0x and hexadecimal digits': reading(/^0[xX][0-9a-fA-F]{1,12}$/),
  'octal: is read as octal after a zero, as by strtol with base 0': reading(/^0[0-7]{1,15}$/, octal),
  'octal-start: is read as octal after a zero, up to the first character that is no octal digit, as by strtol with base 0': reading(/^0[0-9]{1,14}$/, octal),
  "underscores: is accepted with underscores, as by Python's int": reading(/^\d+(_\d+)+$/, joined),
  'other-digits: is accepted with digits of other scripts': reading(/^\p{Nd}{1,15}$/u, (t) => Number(asciiDigits(t))),
  "python-int: is read as by Python's int, which accepts a sign, whitespace, underscores and digits of other scripts": reading(/^\s*[+-]?\p{Nd}+(?:_\p{Nd}+)*\s*$/u, (t) => joined(asciiDigits(t).trim())),
  "java-long: is read as by Java's Long.parseLong, which accepts a sign, digits of other scripts and up to 19 digits": reading(/^[+-]?\p{Nd}{1,19}$/u, (t) => Number(asciiDigits(t))),
  'go-int64: is read as by ParseInt of Go, which accepts a sign and up to 19 digits': reading(/^[+-]?[0-9]{1,19}$/),
  "rust-u32: is read as by Rust's parse::<u32>, which accepts a plus sign and refuses more than 32 bits": reading(/^[+]?[0-9]+$/, (t) => (Number(t) < 2 ** 32 ? Number(t) : Number.NaN)),
  "rust-u64: is read as by Rust's parse::<u64>, which accepts a plus sign and up to 20 digits": reading(/^[+]?[0-9]{1,20}$/),
  'long: is accepted with more than 15 digits': reading(/^[0-9]+$/),
  'ten: is refused if it does not have ten digits': (t) => (t.length === 10 ? right(t) : undefined),
  'milliseconds: is read as milliseconds': reading(DIGITS, thousandth),
  'long-milliseconds: is read as milliseconds if it has 12 digits or more': reading(/^\d{12,15}$/, thousandth),
  'longer-milliseconds: is read as milliseconds if it has 13 digits or more': reading(/^\d{13,15}$/, thousandth),
  'iso: is accepted as a date in ISO 8601 too': reading(ISO, dateSeconds),
  'http: is accepted as an HTTP date too': reading(HTTP, dateSeconds),
  'empty-zero: is read as 0 if it is empty': reading(/^$/),
  'empty-never: never counts as past if it is empty': reading(/^$/, () => NEVER),
  'other-zero: is read as 0 if it is not a number': (t) => right(t) ?? 0,
  'other-never: never counts as past if it is not a number': (t) => right(t) ?? NEVER,
  'zero-never: never counts as past if it is 0': reading(/^0+$/, () => NEVER),
  'minus-one-never: never counts as past if it is -1': reading(/^-1$/, () => NEVER),
  'year-9999-only: is refused after the year 9999': (t) => within(253_402_300_799, t),
  'int-32-only: is refused if it does not fit into a signed 32-bit integer': (t) => within(2 ** 31 - 1, t),
  'uint-32-only: is refused if it does not fit into an unsigned 32-bit integer': (t) => within(2 ** 32 - 1, t),
  'int-32: is cut to a signed 32-bit integer': reading(DIGITS, (t) => Number(t) | 0),
  'int-32-clipped: is limited to 2147483647': reading(DIGITS, (t) => Math.min(Number(t), 2 ** 31 - 1)),
});

type Expired = (expires: number, now: number) => boolean;

/** Wrong orders of the checks of a pre-signed URL. */
export const EXPIRY_ORDERS: Kind<() => boolean> = tabular('check the expiry before the signature', { 'after-signature: is checked after the signature': () => false });

/** Wrong ways to compare an expiry with the clock. */
export const EXPIRED: Kind<Expired> = kind('refuse the URL if the clock, in Unix seconds, is later than Expires; add no tolerance', [
  ...table<Expired>({
    'never: never counts as past': () => false,
    'zero-never: never counts as past if Expires is 0': (expires, now) => expires !== 0 && now > expires,
    'always: always counts as past': () => true,
    'at-once: counts as past already in its own second': (expires, now) => now >= expires,
    'reversed: counts as past before it is reached, and not afterwards': (expires, now) => now < expires,
    'clock-milliseconds: is compared with a clock in milliseconds': (expires, now) => now * 1000 > expires,
    'as-milliseconds: is multiplied by 1000 before it is compared with the clock': (expires, now) => now > expires * 1000,
    'text: and the clock are compared as texts, not as numbers': (expires, now) => `${now}` > `${expires}`,
    'int-32: is cut to 32 bits before it is compared': (expires, now) => now > (expires | 0),
    'week: counts as past also if it is more than a week ahead': (e, now) => now > e || e - now > 604_800,
  }),
  ...[5, 10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 28_800, 86_400].flatMap((skew) =>
    table<Expired>({
      [`${skew}-late: counts as past only ${skew} s later`]: (expires, now) => now > expires + skew,
      [`${skew}-early: counts as past ${skew} s too early`]: (expires, now) => now > expires - skew,
    }),
  ),
]);
