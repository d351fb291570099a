/**
 * Wrong sort orders; the specification sorts by the bytes of the names.
 *
 * @module
 */
import { utf8 } from '#digest';
import { compareBytes } from '../../signing/bytes.ts';
import { fromLatin1, unaccented } from './bytes.ts';
import { type Change, type Item, type Kind, kind } from './change.ts';
import { encode } from './encoders.ts';
import { trimmed, UNICODE_SPACES } from './texts.ts';

type Order = (given: readonly Item[]) => readonly Item[];
type Compare = (a: string, b: string) => number;

const bytes: Compare = (a, b) => compareBytes(a.toWellFormed(), b.toWellFormed());
const utf16: Compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const longer: Compare = (a, b) => a.length - b.length;
const lower: Compare = (a, b) => bytes(a.toLowerCase(), b.toLowerCase());
/** Creating a collator takes milliseconds, so the first comparison does it. */
function collation(options?: Intl.CollatorOptions): Compare {
  let compare: Compare | undefined;
  return (a, b) => {
    compare ??= new Intl.Collator('en', options).compare;
    return compare(a, b);
  };
}

/** Compares digits in a name as numbers: 2 before 10. */
const natural: Compare = (a, b) => {
  const [left, other] = [a.split(/(\d+)/), b.split(/(\d+)/)];
  const at = left.findIndex((part, i) => part !== other[i]);
  if (at < 0) return left.length - other.length;
  const [x, y] = [left[at] ?? '', other[at] ?? ''];
  return (at % 2 && Number(x) - Number(y)) || bytes(x, y);
};

/** The order of strnatcmp in PHP: whitespace and zeros at the start are skipped, and other digits after a zero count as decimals. */
const naturalOfPhp: Compare = (a, b) => {
  const [left = [], other = []] = [a, b].map((name) => name.replace(/^0+(?=[0-9])|[\t-\r ]+/g, '').match(/[0-9]+|[^0-9]/gu) ?? []);
  const at = left.findIndex((part, i) => part !== other[i]);
  if (at < 0) return left.length - other.length;
  const [x = '', y = ''] = [left[at], other[at]];
  return (WHOLE.test(x) && WHOLE.test(y) && longer(x, y)) || bytes(x, y);
};
const WHOLE = /^[1-9]/;

const countDots = (name: string): number => name.split('.').length;

/** Compares the parts between dots one after the other. */
const byParts =
  (compare: Compare): Compare =>
  (a, b) => {
    const [left, other] = [a.split('.'), b.split('.')];
    const at = left.findIndex((part, i) => part !== other[i]);
    return at < 0 ? left.length - other.length : other.length <= at ? 1 : compare(left[at] ?? '', other[at] ?? '');
  };

/** Compares two names of digits as numbers, and others by their bytes, as ksort of PHP does. */
const numeric: Compare = (a, b) => (DIGITS.test(a) && DIGITS.test(b) ? Number(a) - Number(b) : bytes(a, b));
const DIGITS = /^[0-9]+$/;
/** The same, with names of digits before all others. */
const digitsFirst: Compare = (a, b) => Number(DIGITS.test(b)) - Number(DIGITS.test(a)) || numeric(a, b);

/** Sorts by a text of each item; items with equal texts keep their order. */
const by =
  (text: (name: string, value: string) => string, compare = bytes): Order =>
  (given) =>
    given.toSorted((a, b) => compare(text(...a), text(...b)));

const sorted = (compare: Compare): Order => by((name) => name, compare);
const right = sorted(bytes);
const byValue = by((_, value) => value);

/** The order of the properties of a JavaScript object: array indexes first. */
const inObject =
  (others: Order): Order =>
  (given) => [...given.filter(isIndex).sort(([a], [b]) => Number(a) - Number(b)), ...others(given.filter((item) => !isIndex(item)))];
const isIndex = ([name]: Item): boolean => /^(?:0|[1-9]\d{0,9})$/.test(name) && +name < 2 ** 32 - 1;

/** Where Java's HashMap puts a name in a table of a size. */
function bucket(name: string, size: number): number {
  let hash = 0;
  for (const unit of name.split('')) hash = (Math.imul(31, hash) + unit.charCodeAt(0)) | 0;
  return (hash ^ (hash >>> 16)) & (size - 1);
}

function hashMap(given: readonly Item[]): readonly Item[] {
  const names = new Set(given.map(([name]) => name)).size;
  let size = 16;
  while (names > size * 0.75) size *= 2;
  return given.toSorted(([a], [b]) => bucket(a, size) - bucket(b, size));
}

function bubbledOnceLess(given: readonly Item[]): readonly Item[] {
  const all = right(given);
  const [first, second, ...others] = all;
  return first && second && given.at(-1) === first ? [second, first, ...others] : all;
}

/** The array behind a queue: the iterator of Java's PriorityQueue has this order. */
function heap(given: readonly Item[]): readonly Item[] {
  const all: Item[] = [];
  for (const item of given) {
    let at = all.length;
    for (;;) {
      const above = (at - 1) >> 1;
      const parent = all[above];
      if (at === 0 || !parent || utf16(item[0], parent[0]) >= 0) break;
      all[at] = parent;
      at = above;
    }
    all[at] = item;
  }
  return all;
}

/** Printable ASCII in the order of code page 037: most marks, lower-case letters, upper-case ones, digits. */
const EBCDIC = ` .<(+|&!$*);-/,%_>?\`:#@'="abcdefghijklmnopqr~stuvwxyz^[]{ABCDEFGHI}JKLMNOPQR\\STUVWXYZ0123456789`;
const QUESTION = EBCDIC.indexOf('?');
/** The codes of other characters are that of "?". */
const inEbcdic = (name: string): string => `${name.replace(/./gsu, (sign) => String.fromCharCode(0x40 + (EBCDIC.includes(sign) ? EBCDIC.indexOf(sign) : QUESTION)))}\0${name}`;

const swapCase = (name: string): string => name.replace(/[\p{Lu}\p{Ll}]/gu, (c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()));
const signed = (name: string): string => fromLatin1(utf8(name).map((byte) => byte ^ 128));

const asciiLower = (name: string): string => name.replace(/[A-Z]/g, (c) => c.toLowerCase());
const word = (name: string): string => name.replace(/[^\p{L}\p{N}]/gu, '');

const COMPARISONS: readonly [id: string, clause: string, compare: Compare][] = [
  ['descending', 'is sorted in descending order', (a, b) => bytes(b, a)],
  ['lower-case', 'is sorted without regard to case', lower],
  ['case-last', 'is sorted without regard to case; names that differ only in case are sorted by their bytes', (a, b) => lower(a, b) || bytes(a, b)],
  ['case-last-lower', 'is sorted without regard to case; of names that differ only in case, lower case comes first', (a, b) => lower(a, b) || bytes(swapCase(a), swapCase(b))],
  ['ascii-case-last-lower', 'is sorted without regard to the case of A to Z; of names that differ only in this, lower case comes first', (a, b) => bytes(asciiLower(a), asciiLower(b)) || bytes(swapCase(a), swapCase(b))],
  ['accents-last', 'is sorted without regard to case and accents; names that differ only in these are sorted by them', (a, b) => bytes(unaccented(a), unaccented(b)) || lower(a, b) || bytes(swapCase(a), swapCase(b))],
  ['utf-16', 'is sorted by UTF-16 code units', utf16],
  ['lower-utf-16', 'is sorted by the UTF-16 code units of the names in lower case', (a, b) => utf16(a.toLowerCase(), b.toLowerCase())],
  ['upper-utf-16', 'is sorted by the UTF-16 code units of the names in upper case', (a, b) => utf16(a.toUpperCase(), b.toUpperCase())],
  ['signed-bytes', 'is sorted by bytes that are compared as signed numbers, so bytes from 0x80 on come first', (a, b) => utf16(signed(a), signed(b))],
  ['collation', 'is sorted by the rules of a language (English collation)', collation()],
  ['collation-base', 'is sorted by the rules of a language (English collation), without regard to case', collation({ sensitivity: 'base' })],
  ['collation-numeric', 'is sorted by the rules of a language (English collation), with 2 before 10', collation({ numeric: true })],
  ['collation-upper', 'is sorted by the rules of a language (English collation), with A before a', collation({ caseFirst: 'upper' })],
  ['collation-words', 'is sorted by the rules of a language (English collation), without regard to punctuation', collation({ ignorePunctuation: true })],
  ['natural', 'is sorted with 2 before 10', natural],
  ['natural-php', 'is sorted in the natural order of PHP, as by SORT_NATURAL', naturalOfPhp],
  ['numeric', 'has names of digits sorted as numbers, as by ksort of PHP', numeric],
  ['depth', 'has the names with the fewest dots first, and sorts others by bytes', (a, b) => countDots(a) - countDots(b) || bytes(a, b)],
  ['parts', 'is sorted by the parts of the names between dots, one after the other', byParts(bytes)],
  ['parts-numeric', 'is sorted by the parts of the names between dots, one after the other, with parts of digits as numbers', byParts(numeric)],
  ['parts-digits-first', 'is sorted by the parts of the names between dots, one after the other, with parts of digits first and as numbers', byParts(digitsFirst)],
  ['length', 'is sorted by the length of the names', longer],
  ['length-bytes', 'is sorted by the length of the names, then by bytes', (a, b) => longer(a, b) || bytes(a, b)],
  ['character-length', 'is sorted by the number of characters of the names, then by bytes', (a, b) => Array.from(a).length - Array.from(b).length || bytes(a, b)],
  ['utf-8-length', 'is sorted by the length of the names in UTF-8, then by bytes', (a, b) => utf8(a).length - utf8(b).length || bytes(a, b)],
  ['common-length', 'is sorted only by as many bytes as the shorter of two names has', (a, b) => bytes(a.slice(0, b.length), b.slice(0, a.length))],
  ['longest-first', 'has the longest names first', (a, b) => longer(b, a) || bytes(a, b)],
];

const KEYS: readonly [id: string, clause: string, key: (n: string, v: string) => string][] = [
  ['upper-case', 'is sorted by the names in upper case', (n) => n.toUpperCase()],
  ['upper-ascii', 'is sorted by the names with a to z in upper case', (n) => n.replace(/[a-z]/g, (c) => c.toUpperCase())],
  ['lower-before-upper', 'has lower-case letters before upper-case ones', swapCase],
  ['trimmed', 'is sorted by the names without whitespace at their ends', trimmed(UNICODE_SPACES)],
  ['composed', 'is sorted by the Unicode form NFC of the names, as by Swift', (n) => n.normalize('NFC')],
  ['ebcdic', 'is sorted by the codes of EBCDIC', inEbcdic],
  ['value', 'is sorted by the values instead of the names', (_, v) => v],
  ['entry', 'is sorted by name and value as one text', (n, v) => n + v],
  ['entry-equals', 'is sorted by the texts name=value', (n, v) => `${n}=${v}`],
  ['entry-colon', 'is sorted by the texts name:value', (n, v) => `${n}:${v}`],
  ['encoded', 'is sorted by the percent-encoded names', encode],
  ['encoded-entry', 'is sorted by the percent-encoded texts name=value', (n, v) => `${encode(n)}=${encode(v)}`],
  ['dashes-ignored', 'is sorted without regard to "-"', (n) => n.replaceAll('-', '')],
  ['dashes-last-resort', 'is sorted without regard to "-"; names that differ only in this are sorted by their bytes', (n) => `${n.replaceAll('-', '')}\0${n}`],
  ['dashes-as-underscores', 'is sorted as if each "-" were "_"', (n) => n.replaceAll('-', '_')],
  ['as-variables', 'is sorted by the names of CGI variables, in upper case and with "_" instead of "-"', (n) => n.replaceAll('-', '_').toUpperCase()],
  ['underscores-as-dashes', 'is sorted as if each "_" were "-"', (n) => n.replaceAll('_', '-')],
  ['words-lower', 'is sorted by letters and digits only, without regard to case; equal names have lower case first', (n) => [word(n).toLowerCase(), swapCase(word(n)), n].join('\0')],
  ['letters-and-digits', 'is sorted without regard to characters that are no letters or digits', word],
  ['underscores-ignored', 'is sorted without regard to "_"', (n) => n.replaceAll('_', '')],
  ['marks-ignored', 'is sorted without regard to "-" and "_", as by the culture of .NET', (n) => `${n.replace(/[-_]/g, '')}\0${n}`],
  ['word-sort', 'is sorted as words by .NET, without hyphens and apostrophes', (n) => `${n.replace(/[-']/g, '').replace(/[^A-Za-z0-9]/g, '\x01$&')}\0${n}`],
  ['marks-last', 'has "-", "_" and "." after letters and digits', (n) => n.replace(/[-_.]/g, '\x7F$&')],
  ['first-16', 'is sorted by the first 16 characters of each name', (n) => n.slice(0, 16)],
  ['first-8', 'is sorted by the first 8 characters of each name', (n) => n.slice(0, 8)],
  ['beginnings-last', 'has a name after longer names that start with it', (n) => `${n}\u{10FFFF}`],
  ['first-character', 'is sorted by the first character of each name', (n) => n.slice(0, 1)],
  ['digits-padded', 'is sorted with the digits in names compared as numbers', (n) => n.replace(/[0-9]+/g, (d) => d.padStart(20, '0'))],
  ['indexes-padded', 'is sorted with indexes, such as 10 in Disks.10, compared as numbers', (n) => n.replace(/(?<=[.])[0-9]+(?=[.]|$)/g, (d) => d.padStart(20, '0'))],
  ['digits-after-dot-padded', 'is sorted with the digits after a dot, such as 10 in Disks.10a, compared as numbers', (n) => n.replace(/(?<=[.])[0-9]+/g, (d) => d.padStart(20, '0'))],
  ['first-part', 'is sorted by the part of each name before its first dot', (n) => n.split('.', 1).join()],
  ['last-part', 'is sorted by the part of each name after its last dot', (n) => n.slice(n.lastIndexOf('.') + 1)],
];

const OTHERS: readonly [id: string, clause: string, order: Order][] = [
  ['none', 'is not sorted', (given) => given],
  ['reversed', 'is reversed, not sorted', (given) => given.toReversed()],
  ['equal-reversed', 'has entries of equal names in reverse order', (given) => right(given.toReversed())],
  ['hash-map', 'is in the order of HashMap of Java', hashMap],
  ['heap', 'is in the order of the array behind a priority queue', heap],
  ['least-second', 'has its first name second if that was given last, as after a bubble sort that stops one pass too early', bubbledOnceLess],
  ['value-name', 'is sorted by value, then by name', (given) => byValue(right(given))],
  ['name-value', 'has entries of equal names sorted by value', (given) => right(byValue(given))],
  ['indexes-first', 'has names that are numbers, such as 7, first and in numeric order', inObject(right)],
  ['object-order', 'is in the order of a JavaScript object, with numeric names first', inObject((given) => given)],
];

/** Changes of the order; the right one is by the UTF-8 bytes of the names, and stable. */
export const ORDERS: Kind<Order> = kind('sort by the UTF-8 bytes of the names, and keep the order of equal names', [
  ...OTHERS,
  ...COMPARISONS.map(([id, clause, compare]): Change<Order> => [id, clause, sorted(compare)]),
  ['entry-utf-16', 'is sorted by name and value as one text, by UTF-16 code units', by((name, value) => name + value, utf16)],
  ['entry-comma-utf-16', 'is sorted by the texts name,value, by UTF-16 code units', by((name, value) => `${name},${value}`, utf16), { cost: 2 }],
  ['entry-equals-utf-16', 'is sorted by the texts name=value, by UTF-16 code units', by((name, value) => `${name}=${value}`, utf16)],
  ...KEYS.map(([id, clause, key]): Change<Order> => [id, clause, by(key)]),
]);
