/**
 * Changes of JSON values, and of the names of list elements and object members (§4.2, §5.1).
 *
 * @module
 */
import { numberText } from '../../signing/parameters.ts';
import { escapedUnits } from './bytes.ts';
import { applied, type Change, type Kind, table } from './change.ts';
import { JSON_NUMBER } from './numbers.ts';

type Scalar = string | boolean | { readonly number: string };
type Value = (value: Scalar) => string;

const right: Value = (value) => (typeof value === 'object' ? numberText(value.number) : JSON.stringify(value));
const json = (text: string): string => JSON.stringify(text);
function ofText(write: (text: string) => string): Value {
  return (value) => (typeof value === 'string' ? write(value) : right(value));
}
function ofBoolean(yes: string, no: string): Value {
  return (value) => (typeof value === 'boolean' ? (value ? yes : no) : right(value));
}
function ofNumber(write: (plain: string) => string): Value {
  return (value) => (typeof value === 'object' ? write(right(value)) : right(value));
}

type WriteText = (text: string) => string;

/** Writes a text as JSON, with an escape for each UTF-16 unit of the given characters. */
const escaping =
  (characters: RegExp): WriteText =>
  (text) =>
    escapedUnits(json(text), characters);
/** Writes a text in quotes and escapes only some characters, as hand-written code does. */
const escapeOnly =
  (characters: string): WriteText =>
  (text) =>
    `"${Array.from(text, (c) => (characters.includes(c) ? json(c).slice(1, -1) : c)).join('')}"`;
/** JSON with some control characters escaped in a wrong form. */
const escapingControls =
  (controls: RegExp, escaped: (code: number) => string): WriteText =>
  (text) =>
    `"${text.replace(/[\0-\x1F"\\]/g, (c) => (controls.test(c) ? escaped(c.charCodeAt(0)) : json(c).slice(1, -1)))}"`;
/** The control characters other than tab, CR and LF. */
const CONTROLS = /[\0-\x08\v\f\x0E-\x1F]/;
/** Those that JSON has no short escape for. */
const LONG_CONTROLS = /[\0-\x07\v\x0E-\x1F]/;
const hexEscape =
  (mark: string, width: number) =>
  (code: number): string =>
    `\\${mark}${code.toString(16).padStart(width, '0')}`;
const decimalEscape = (code: number): string => `\\u${`${code}`.padStart(4, '0')}`;
const SHORT_IN_GO: Readonly<Record<string, string>> = { '\x07': 'a', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't', '\v': 'v', '"': '"', '\\': '\\' };
const goEscape = (sign: string): string => `\\${SHORT_IN_GO[sign] ?? hexEscape('x', 2)(sign.charCodeAt(0)).slice(1)}`;
const slashed =
  (write: WriteText): WriteText =>
  (text) =>
    write(text).replaceAll('/', '\\/');

const WORD = /^(?:true|false|null)$/;
const unpaddedNumber = (text: string): string => text.replace(/^(-?)0+(?=[0-9])/, '$1');
const numeric = (text: string): string => (text.trim() !== '' && Number.isFinite(Number(text)) ? `${Number(text)}` : json(text));

/** How a text is written in JSON. */
export const JSON_STRINGS: readonly Change<WriteText>[] = table({
  "ascii: has \\u escapes for characters beyond ASCII, as by Python's json.dumps": escaping(/[\x7F-\uFFFF]/g),
  'five-digits: has escapes of five digits, such as \\u1f600, for characters beyond U+FFFF': (t) => json(t).replace(/[\u{10000}-\u{10FFFF}]/gu, (c) => `\\u${c.codePointAt(0)?.toString(16)}`),
  "php: has \\u escapes and \\/, as by PHP's json_encode": slashed(escaping(/[\x80-\uFFFF]/g)),
  'php-unicode: has \\/ for slashes, as by JSON_UNESCAPED_UNICODE of PHP': slashed(escaping(/[\u2028\u2029]/g)),
  'slashes: has \\/ for slashes': slashed(json),
  'go: has \\u escapes for <, > and &, as by Go': escaping(/[<>&\u2028\u2029]/g),
  "gson: has \\u escapes for <, >, &, = and ', as by Gson": escaping(/[<>&='\u2028\u2029]/g),
  'line-separators: has \\u escapes for U+2028 and U+2029': escaping(/[\u2028\u2029]/g),
  'delete: has \\u007f for U+007F': escaping(/\x7F/g),
  'backslashes-kept: has only quotes and control characters escaped, not backslashes': (t) => json(t).replaceAll('\\\\', '\\'),
  'few-escapes: has only quotes, backslashes, CR and LF escaped': escapeOnly('"\\\r\n'),
  'marks-escaped: has only quotes and backslashes escaped': escapeOnly('"\\'),
  'blanks-escaped: has only quotes, backslashes, tab, CR and LF escaped': escapeOnly('"\\\t\r\n'),
  'short-escapes-only: has no \\u escapes, so control characters without a short escape are kept': escapeOnly('"\\\b\t\n\f\r'),
  'decimal-escapes: has \\u and the decimal code for control characters other than tab, CR and LF': escapingControls(CONTROLS, decimalEscape),
  'long-decimal-escapes: has \\u and the decimal code for control characters without a short escape': escapingControls(LONG_CONTROLS, decimalEscape),
  'x-escapes: has escapes such as \\x0b for control characters without a short escape': escapingControls(LONG_CONTROLS, hexEscape('x', 2)),
  'unpadded-escapes: has escapes such as \\ub for control characters without a short escape': escapingControls(LONG_CONTROLS, hexEscape('u', 1)),
  'foreign-escapes: has escapes that JSON does not have, such as \\x00 and \\a, as by %q of Go': (t) => `"${t.replace(/[\0-\x1F\x7F"\\]/g, goEscape)}"`,
  'controls-lost: loses control characters other than tab, CR and LF': (t) => json(t.replace(/[\0-\x08\v\f\x0E-\x1F]+/g, '')),
  'all-controls-lost: loses control characters, also tab, CR and LF': (t) => json(t.replace(/[\0-\x1F]+/g, '')),
  'unescaped: is in quotes but not escaped': escapeOnly(''),
  'quotes-escaped: has only quotes escaped': escapeOnly('"'),
});

const TEXTS_IN_QUOTES = 'write every text in the body as a JSON string, also one that is empty or looks like a number or a word';

const CANONICAL_INTEGER = /^(?:0|-?[1-9][0-9]*)$/;

/** How a scalar member of the JSON body is written. */
export const JSON_VALUES: Kind<Value> = {
  fix: 'write texts in the body as JSON strings, and escape only what JSON requires: quotes, backslashes and control characters',
  changes: [
    ...table(
      {
        'number-text: is a string if it is a number': ofNumber((n) => `"${n}"`),
        'number-double: goes through a double and loses digits if it is a number': ofNumber((n) => `${Number(n)}`),
        'number-float: ends with ".0" if it is an integer': ofNumber((n) => (/\./.test(n) ? n : `${n}.0`)),
        'great-number-text: is a string if it is a large number, beyond 2^53 and without a fraction': ofNumber((n) => (/\./.test(n) || Number.isSafeInteger(Number(n)) ? n : `"${n}"`)),
        'fraction-text: is a string if it is a number with a fraction': ofNumber((n) => (/\./.test(n) ? `"${n}"` : n)),
        'number-integer: loses its fraction if it is a number': ofNumber((n) => n.replace(/\..*/, '')),
      },
      1,
      'write numbers in the body as JSON numbers, with all their digits and without quotes',
    ),
    ...table(
      {
        'text-number: is a number if it is a text that looks like a JSON number': ofText((t) => (JSON_NUMBER.test(t) ? t : json(t))),
        'text-decimal: is a number if it is a text of plain decimal digits': ofText((t) => (/^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/.test(t) ? t : json(t))),
        'text-digits: is a number if it is a text of digits, and loses zeros at its start': ofText((t) => (/^[0-9]+$/.test(t) ? unpaddedNumber(t) : json(t))),
        'text-signed-digits: is a number if it is a text of digits, with or without a sign and a fraction': ofText((t) => (/^-?[0-9]+(?:\.[0-9]+)?$/.test(t) ? unpaddedNumber(t) : json(t))),
        'text-integer: is a number if it is a text with an integer': ofText((t) => (/^-?(?:0|[1-9][0-9]*)$/.test(t) ? t : json(t))),
        'text-canonical-integer: is a number if it is a text with an integer other than -0': ofText((t) => (CANONICAL_INTEGER.test(t) ? t : json(t))),
        'text-short-integer: is a number if it is a text with an integer other than -0 of 15 digits at most': ofText((t) => (/^(?:0|-?[1-9][0-9]{0,14})$/.test(t) ? t : json(t))),
        "text-number-unchanged: is a number if it is a text that JavaScript's Number leaves the same": ofText((t) => (`${Number(t)}` === t && Number.isFinite(Number(t)) ? t : json(t))),
        'text-read-integer: is an integer if it is a text of digits, with or without a minus sign': ofText((t) => (/^-?[0-9]+$/.test(t) ? `${BigInt(t)}` : json(t))),
        "text-as-number: is a number if it is a text that JavaScript's Number can parse": ofText(numeric),
        'text-word: is true, false or null if it is a text with that word': ofText((t) => (WORD.test(t) ? t : json(t))),
      },
      1,
      TEXTS_IN_QUOTES,
    ),
    ...table(
      {
        'boolean-text: is a string if it is a boolean': ofBoolean('"true"', '"false"'),
        'boolean-title: is True or False if it is a boolean': ofBoolean('True', 'False'),
        'boolean-title-text: is "True" or "False", in quotes, if it is a boolean': ofBoolean('"True"', '"False"'),
        'boolean-digit: is 1 or 0 if it is a boolean': ofBoolean('1', '0'),
        'boolean-php: is 1 or nothing if it is a boolean': ofBoolean('1', ''),
        'boolean-php-text: is "1" or "" if it is a boolean': ofBoolean('"1"', '""'),
        'false-null: is null if it is false': ofBoolean('true', 'null'),
      },
      1,
      'write booleans in the body as true and false, without quotes',
    ),
    ...table({ 'empty-null: is null if it is an empty text': ofText((t) => (t ? json(t) : 'null')) }, 1, TEXTS_IN_QUOTES),
    ...applied(JSON_STRINGS, ofText),
    ...table(
      {
        'unquoted: has no quotes if it is a text': ofText((t) => t),
        'single-quotes: has single quotes if it is a text': ofText((t) => `'${t}'`),
      },
      1,
      'write texts in the body in double quotes',
    ),
    ...table<Value>(
      {
        'twice: is encoded as JSON twice': (v) => json(right(v)),
        'space-after: is followed by a space': (v) => `${right(v)} `,
      },
      1,
      'write each value in the body as JSON once, and nothing after it',
    ),
  ],
};

type Name = (name: string, part: string) => string;

/** How a name and an index, or the name of a member, are put together. */
const LAYOUTS: Readonly<Record<string, Name>> = {
  glued: (name, part) => `${name}${part}`,
  underscore: (name, part) => `${name}_${part}`,
  hyphen: (name, part) => `${name}-${part}`,
  slash: (name, part) => `${name}/${part}`,
  colon: (name, part) => `${name}:${part}`,
  arrow: (name, part) => `${name}->${part}`,
  'two-dots': (name, part) => `${name}..${part}`,
  brackets: (name, part) => `${name}[${part}]`,
  'dot-brackets': (name, part) => `${name}.[${part}]`,
  parentheses: (name, part) => `${name}(${part})`,
  braces: (name, part) => `${name}{${part}}`,
  exchanged: (name, part) => `${part}.${name}`,
  'part-only': (_, part) => part,
  'letter-n': (name, part) => `${name}.N.${part}`,
};
const dotted: Name = (name, part) => `${name}.${part}`;
const next = (index: string): string => (/^[0-9]{1,15}$/.test(index) ? `${Number(index) + 1}` : index);
function fromOne(write: Name): Name {
  return (name, index) => write(name, next(index));
}
const capitalized = (text: string): string => text.replace(/^[a-z]/, (c) => c.toUpperCase());

const named = (layouts: Readonly<Record<string, Name>>, sample: (write: Name) => string): readonly Change<Name>[] => Object.entries(layouts).map(([id, write]) => [id, `is written as ${sample(write)}`, write]);

/** The name of a list element; the index counts from 0. */
export const ELEMENT_NAMES: Kind<Name> = {
  fix: 'write {noun} as the name of the list, a dot and the index from 0: Name.0, Name.1',
  changes: named(
    {
      ...LAYOUTS,
      'from-one': fromOne(dotted),
      ...Object.fromEntries(Object.entries(LAYOUTS).map(([id, write]) => [`${id}-from-one`, fromOne(write)])),
      'member-from-one': fromOne((name, index) => `${name}.member.${index}`),
      'from-one-inside': (name, index) => dotted(name, name.includes('.') ? `${Number(index) + 1}` : index),
      'from-one-outside': (name, index) => dotted(name, name.includes('.') ? index : `${Number(index) + 1}`),
      'dot-once': (name, index) => (/\.\d+$/.test(name) ? `${name}${index}` : `${name}.${index}`),
      padded: (name, index) => `${name}.${index.padStart(2, '0')}`,
      'one-character': (name, index) => `${name}.${String.fromCharCode(48 + Number(index))}`,
      'all-zero': (name) => `${name}.0`,
      'empty-brackets': (name) => `${name}[]`,
      repeated: (name) => name,
      'only-n': (name) => `${name}.N`,
    },
    (write) => `${write('Name', '0')}, ${write('Name', '1')}`,
  ),
};

/** The capitals at the start; of several, not the last one if it begins the next word. */
const LEADING_CAPITALS = /^\p{Lu}(?:\p{Lu}*(?=\p{Lu}|$))?/u;

const uncapitalized = (text: string): string => text.replace(LEADING_CAPITALS, (capitals) => capitals.toLowerCase());

/** The name of an object member. */
export const MEMBER_NAMES: Kind<Name> = {
  fix: 'write {noun} as the name of the object, a dot and the name of the member: Name.someKey',
  changes: [
    ['capitals-lower', 'has the capital letters at the start of the member in lower case, as in Name.ipAddress for IPAddress', (name, member) => dotted(name, uncapitalized(member))],
    ...named(
      {
        ...LAYOUTS,
        'single-quotes': (name, member) => `${name}['${member}']`,
        'double-quotes': (name, member) => `${name}["${member}"]`,
        'name-only': (name) => name,
        'camel-case': (name, member) => name + capitalized(member),
        capitalized: (name, member) => dotted(name, capitalized(member)),
        'lower-case': (name, member) => dotted(name, member.toLowerCase()),
        'upper-case': (name, member) => dotted(name, member.toUpperCase()),
        element: (name, member) => `${name}.0.${member}`,
      },
      (write) => write('Name', 'someKey'),
    ),
  ],
};
