/**
 * Changes of the steps that flatten and select parameters (§5.1), and of the password (§4.2).
 *
 * @module
 */
import { base64, compareBytes, utf8Bytes } from '../../signing/bytes.ts';
import type { Steps } from '../../signing/index.ts';
import { jsonText } from '../../signing/json-text.ts';
import { numberText } from '../../signing/parameters.ts';
import type { ActionParameters, Context, FlatParameter, FlatParameters, Pair, ParameterValue, ScalarValue } from '../../signing/types.ts';
import { asciiDigits, escapedUnits, fromUtf8, lowBytes, STANDARD_BASE64, standardAlphabet } from '../changes/bytes.ts';
import { type Around, applied, type Change, inside, type Kind, kind, ofPart, replaceSteps, type Wraps } from '../changes/change.ts';
import { BOOLEANS, NUMBERS, numberAs } from '../changes/numbers.ts';
import { SIGNED_FIRST, TEXTS } from '../changes/texts.ts';
import {
  binaryOf,
  changeDeeply,
  changeValues,
  dateByDotnet,
  dateInUtcByDotnet,
  hasAlike,
  type Instead,
  ifText,
  isFalsy,
  isList,
  isNested,
  isNumber,
  isZero,
  type List,
  lowerCase,
  plain,
  quoted,
  refuse,
  sortedByName,
  upperCase,
} from './shared.ts';

type ChangeParameters = (parameters: FlatParameters) => FlatParameters;
type ChangePairs = (pairs: readonly Pair[]) => readonly Pair[];

export function clearText(encoded: string): string {
  const binary = binaryOf(standardAlphabet(encoded));
  return binary === undefined ? encoded : fromUtf8(lowBytes(binary), false);
}

/** The same if the Base64 is complete and encodes UTF-8. */
export function strictClearText(encoded: string): string {
  const text = clearText(encoded);
  return base64(utf8Bytes(text)) === encoded ? text : encoded;
}

export const PASSWORD_TEXTS: Kind<(encoded: string) => string> = kind('end the Base64 with as many "=" as its length needs: none, one or two', [
  ['four-equals', 'ends with four "=" if it needs none', (encoded) => (encoded.endsWith('=') ? encoded : `${encoded}====`)],
  ['always-equals', 'ends with "=" if it needs none', (encoded) => (encoded.endsWith('=') ? encoded : `${encoded}=`), { cost: 2 }],
]);

const FORMAT_ESCAPES: Readonly<Record<string, string>> = { '%%': '%', '\\n': '\n', '\\t': '\t', '\\r': '\r', '\\\\': '\\' };

const applyFormat = (text: string): string => text.replace(/%%|\\./gs, (pair) => FORMAT_ESCAPES[pair] ?? pair);

export const PASSWORDS: Kind<Around<'password'>> = kind('encode the password in Base64 once, then sign and send it', [
  ['clear', 'is signed and sent as plain text', (_, text) => text],
  ['base64-kept', 'is left as it is if it is Base64', (right, text, context) => (binaryOf(text) !== undefined && text.length % 4 === 0 ? text : right(text, context))],
  ['as-format', 'is used as a format of printf, so "%%" becomes "%", and backslashes start escapes', (right, text, context) => right(applyFormat(text), context)],
  ['encoded-twice', 'is encoded in Base64 twice', (right, text, context) => right(right(text, context), context)],
]);

const isObject = (value: ParameterValue): boolean => isNested(value) && !isList(value);

/** The items of one list are counted from 1, but not those of lists inside it. */
const countedFromOne = (name: string, context: Context): Context => replaceSteps(context, { elementName: (list, index) => context.steps.elementName(list, list === name ? `${Number(index) + 1}` : index) });

export interface Printer {
  readonly text: (text: string) => string;
  /** Writes the name of a member; by default, as a text. */
  readonly name?: (name: string) => string;
  /** Without this function, a number is written as given. */
  readonly number?: (digits: string) => string;
  readonly words: readonly [yes: string, no: string, none: string];
  readonly list: readonly [open: string, between: string, close: string];
  readonly object: readonly [open: string, between: string, close: string, inner: string];
  /** The text that a language writes instead of any object. */
  readonly fixed?: string;
  /** Objects are written in the order of their names, as maps of Go are. */
  readonly sorts?: true;
  /** Numbers and booleans are written as those outside lists and objects. */
  readonly isPlain?: true;
}

/** A printer as it is used in a context. */
export function printerIn(printer: Printer, context: Context): Printer {
  if (!printer.isPlain) return printer;
  const write = (value: ScalarValue): string => context.steps.parameterText(['', value], context);
  return { ...printer, number: (number) => write({ number }), words: [write(true), write(false), printer.words[2]] };
}

export const JSON_PRINTER: Printer = { text: quoted, words: ['true', 'false', 'null'], list: ['[', ',', ']'], object: ['{', ',', '}', ':'] };

/** A JSON string with an escape for each UTF-16 unit beyond ASCII. */
const asciiQuoted = (text: string): string => escapedUnits(quoted(text), /[\u0080-\uffff]/g);

const separatedBy = (mark: string): Printer => ({ text: plain, words: ['true', 'false', ''], list: ['', mark, ''], object: ['', mark, '', '='] });

const joinedBy = (mark: string): Printer => ({ ...separatedBy(mark), isPlain: true });

const BARE: Printer = { ...joinedBy(''), object: ['', '', '', ''] };

const SPACED = { list: ['[', ', ', ']'], object: ['{', ', ', '}', ': '] } satisfies Partial<Printer>;

/** How languages write a list, with its elements, as one text. */
const LANGUAGES: readonly Change<Printer>[] = [
  ['json', 'is written as JSON', JSON_PRINTER],
  ['json-plain-numbers', 'is written as JSON, with numbers in plain digits', { ...JSON_PRINTER, number: numberText }],
  ['json-javascript', 'is written as JSON, with numbers as in JavaScript', { ...JSON_PRINTER, number: numberAs('javascript') }],
  ['json-with-blanks', 'is written as JSON with spaces', { ...JSON_PRINTER, ...SPACED }],
  ['json-python', 'is written as JSON by json.dumps of Python, with spaces and escapes', { ...JSON_PRINTER, ...SPACED, text: asciiQuoted, number: numberAs('python-floats') }],
  ['python', 'is written as Python prints it', { ...SPACED, text: (text) => `'${text}'`, number: numberAs('python-floats'), words: ['True', 'False', 'None'] }],
  ['java', 'is written as Java prints it', { text: plain, number: numberAs('java-floats'), words: ['true', 'false', 'null'], list: ['[', ', ', ']'], object: ['{', ', ', '}', '='] }],
  ['ruby', 'is written as Ruby prints it', { text: quoted, number: numberAs('ruby-floats'), words: ['true', 'false', 'nil'], list: ['[', ', ', ']'], object: ['{', ', ', '}', '=>'] }],
  ['go', 'is written as Go prints it', { text: plain, number: numberAs('go'), words: ['true', 'false', '<nil>'], list: ['[', ' ', ']'], object: ['map[', ' ', ']', ':'], sorts: true }],
  ['scala', 'is written as Scala prints it', { text: plain, number: numberAs('big-decimal'), words: ['true', 'false', 'null'], list: ['List(', ', ', ')'], object: ['Map(', ', ', ')', ' -> '] }],
  ['dart', 'is written as Dart prints it', { ...SPACED, text: plain, number: numberAs('dart-floats'), words: ['true', 'false', 'null'] }],
  ['swift', 'is written as Swift prints it', { text: quoted, number: numberText, words: ['true', 'false', 'nil'], list: ['[', ', ', ']'], object: ['[', ', ', ']', ': '] }],
  ['javascript', 'is written as JavaScript prints it', { ...separatedBy(','), number: numberAs('javascript'), fixed: '[object Object]' }],
  ['javascript-plain-numbers', 'is written as JavaScript prints it, with numbers in plain digits', { ...joinedBy(','), fixed: '[object Object]' }],
];

const INNER_JSON = 'is written as JSON if it is two levels deep or more, as Name.0.1 is';
const isInner = (name: string): boolean => name.split('.').length > 2;

/** Ways to write a list or an object as one text. */
export const PRINTERS: readonly Change<Printer>[] = [
  ...LANGUAGES,
  ['php', 'is written as PHP prints it', { ...BARE, words: ['1', '', ''], fixed: 'Array' }],
  ['comma-space', 'is joined with a comma and a space', joinedBy(', ')],
  ['bare', 'is joined without a separator', { ...BARE, sorts: true }],
  ['bare-as-given', 'is joined without a separator, in the order given', BARE],
  ['rails', 'is written by to_param of Rails', { ...joinedBy('/'), object: ['', '&', '', '='], sorts: true }],
  ['semicolon', 'is joined with semicolons', joinedBy(';')],
  ['bar', 'is joined with vertical bars', joinedBy('|')],
];

export function printed(value: ParameterValue, printer: Printer): string {
  if (typeof value === 'string') return printer.text(value);
  if (value === null) return printer.words[2];
  if (typeof value === 'boolean') return printer.words[value ? 0 : 1];
  if (isNumber(value)) return printer.number?.(value.number) ?? value.number;
  const inner = (item: ParameterValue): string => printed(item, printer);
  if ('list' in value) {
    if (printer.fixed === 'Array') return 'Array';
    const [open, between, close] = printer.list;
    return open + value.list.map(inner).join(between) + close;
  }
  if (printer.fixed !== undefined) return printer.fixed;
  const [open, between, close, colon] = printer.object;
  const members = printer.sorts ? sortedByName(value.object) : value.object;
  const write = printer.name ?? printer.text;
  return open + members.map(([name, item]) => write(name) + colon + inner(item)).join(between) + close;
}

/** Steps that write a list or an object as one text. */
const printedList =
  (printer: Printer) =>
  (_: unknown, name: string, list: List['list'], context: Context): FlatParameters => [[name, printed({ list }, printerIn(printer, context))]];
const printedObject =
  (printer: Printer) =>
  (_: unknown, name: string, object: ActionParameters, context: Context): FlatParameters => [[name, printed({ object }, printerIn(printer, context))]];

const FLATTEN = 'flatten it into separate parameters, to any depth: Name.0, Name.1 for a list, Name.Key for an object';

/** Which values inside a list or an object are printed. */
const INNER: readonly (readonly [id: string, noun: string, isPrinted: (value: ParameterValue) => boolean])[] = [
  ['inner', 'list', isList],
  ['inner-object', 'object', isObject],
  ['inner-nested', 'list or object', isNested],
];

/** Prints some values that are inside a list or an object. */
const innerForms = <Form>(form: (inner: (value: ParameterValue) => ParameterValue) => Form): Change<Form>[] =>
  LANGUAGES.flatMap(([id, clause, printer]) =>
    INNER.map(([kind, noun, isPrinted]): Change<Form> => [`${kind}-${id}`, `has an inner ${noun} that ${clause}`, form((value) => (isPrinted(value) ? printed(value, printer) : value)), { cost: 2 }]),
  );

/** Prints some lists as one text. */
const printedWhere = (prefix: string, condition: string, isPrinted: (items: List['list']) => boolean, cost: number): readonly Change<Around<'flattenedList'>>[] =>
  inside(PRINTERS, `${prefix}-$`, `$, ${condition}`, (printer) => (right, name, list, context) => (isPrinted(list) ? [[name, printed({ list }, printer)]] : right(name, list, context)), { cost });

/** A list of code points as one text; `undefined` for any other list. */
function characterText(name: string, items: readonly ParameterValue[]): FlatParameters | undefined {
  const codes = items.map((item) => (isNumber(item) && /^[0-9]{1,7}$/.test(item.number) ? Number(item.number) : Number.POSITIVE_INFINITY));
  return items.length > 0 && codes.every((code) => code <= 0x10ffff) ? [[name, String.fromCodePoint(...codes)]] : undefined;
}

const refuseItems = (isRefused: (item: ParameterValue) => boolean, message: string): Around<'flattenedList'> => {
  return (right, name, items, context) => (items.some(isRefused) ? refuse('text', message) : right(name, items, context));
};

export const LIST_FORMS: Kind<Around<'flattenedList'>> = kind(FLATTEN, [
  [
    'name-repeated',
    'repeats its name for each item, without an index',
    (right, name, items, context) => right(name, items, replaceSteps(context, { elementName: (list) => list })),
    { also: { checkNames: () => () => undefined } },
  ],
  ...applied(PRINTERS, printedList),
  ['characters', 'is written as the characters whose code points it lists, if it has only whole numbers', (right, name, items, context) => characterText(name, items) ?? right(name, items, context), { cost: 3 }],
  ...printedWhere('plain', 'if none of its items is a list or an object', (items) => !items.some(isNested), 2),
  ...printedWhere('texts', 'if all its items are texts', (items) => items.length > 0 && items.every((item) => typeof item === 'string'), 3),
  [
    'members-before-index',
    'has the names of the members of its objects before the index, as in Disk.Size.0',
    (right, name, items, context) =>
      items.flatMap((item, at) => {
        if (isNested(item) && !isList(item)) return item.object.flatMap(([member, value]) => context.steps.flattened([[context.steps.elementName(`${name}.${member}`, `${at}`), value]], context));
        const element = context.steps.elementName(name, `${at}`);
        return right(name, items, context).filter(([own]) => own === element || own.startsWith(`${element}.`));
      }),
    { cost: 2 },
  ],
  [
    'indexes-padded',
    'has indexes with as many digits as the last one',
    (right, name, items, context) => {
      const width = `${items.length - 1}`.length;
      return right(name, items, replaceSteps(context, { elementName: (list, index) => context.steps.elementName(list, index.padStart(width, '0')) }));
    },
  ],
  ['one-unwrapped', 'is replaced by its item if it has only one', (right, name, items, context) => (items.length === 1 ? context.steps.flattened([[name, items[0] ?? null]], context) : right(name, items, context))],
  ['objects-from-one', 'has indexes from 1 if its items are objects', (right, name, items, context) => right(name, items, items.some(isObject) ? countedFromOne(name, context) : context), { cost: 2 }],
  ['from-one-by-first', 'has indexes from 1 if its first item is an object', (right, name, items, context) => right(name, items, items.slice(0, 1).some(isObject) ? countedFromOne(name, context) : context), { cost: 2 }],
  ['with-count', 'adds a parameter Name.# with the number of items', (right, name, items, context) => [...right(name, items, context), [`${name}.#`, { number: `${items.length}` }]]],
  ['inner-json', INNER_JSON, (right, name, items, context) => (isInner(name) ? [[name, printed({ list: items }, JSON_PRINTER)]] : right(name, items, context)), { cost: 2 }],
  [
    'empty-items-left-out',
    'has no parameter for an item that is an empty text, and other items keep their indexes',
    (right, name, items, context) => {
      const empty = new Set(items.flatMap((item, at) => (item === '' ? [context.steps.elementName(name, `${at}`)] : [])));
      return right(name, items, context).filter(([own]) => !empty.has(own));
    },
  ],
  ['left-out', 'is left out', () => []],
  ['empty-as-text', 'is signed and sent as an empty text if it is empty', (right, name, items, context) => (items.length === 0 ? [[name, '']] : right(name, items, context))],
  ['empty-as-brackets', 'is signed and sent as "[]" if it is empty', (right, name, items, context) => (items.length === 0 ? [[name, '[]']] : right(name, items, context))],
  ['refused', 'is refused', () => refuse('text', 'lists are not supported')],
  ['objects-refused', 'is refused, or leads to an exception, if it contains an object', refuseItems(isObject, 'an object in a list is not supported')],
  ['in-list-refused', 'is refused if it contains a list', refuseItems(isList, 'a list in a list is not supported')],
  ...innerForms(
    (inner): Around<'flattenedList'> =>
      (right, name, items, context) =>
        right(name, items.map(inner), context),
  ),
]);

/** Flattens some members without the name of the object. */
const nameOnly =
  (isAlone: (value: ParameterValue) => boolean): Around<'flattenedObject'> =>
  (right, name, members, context) =>
    members.flatMap((one) => (isAlone(one[1]) ? context.steps.flattened([one], context) : right(name, [one], context)));

const byPosition = (members: ActionParameters): ActionParameters => members.map(([, value], at) => [`${at}`, value]);

export const OBJECT_FORMS: Kind<Around<'flattenedObject'>> = kind(FLATTEN, [
  ...applied(PRINTERS, printedObject),
  ['inner-json', INNER_JSON, (right, name, members, context) => (isInner(name) ? [[name, printed({ object: members }, JSON_PRINTER)]] : right(name, members, context)), { cost: 2 }],
  ['left-out', 'is left out', () => []],
  ['refused', 'is refused', () => refuse('text', 'objects are not supported')],
  ['empty-as-text', 'is signed and sent as an empty text if it is empty', (right, name, members, context) => (members.length === 0 ? [[name, '']] : right(name, members, context))],
  ['inner-name-only', 'does not put its own name before the names of inner objects', nameOnly(isObject), { cost: 2 }],
  ['nested-name-only', 'does not put its own name before the names of inner lists and objects', nameOnly(isNested), { cost: 2 }],
  ['positions', 'names its members by their positions, as in Name.0', (right, name, members, context) => right(name, byPosition(members), context)],
  ['empty-as-braces', 'is signed and sent as "{}" if it is empty', (right, name, members, context) => (members.length === 0 ? [[name, '{}']] : right(name, members, context))],
  ...innerForms(
    (inner): Around<'flattenedObject'> =>
      (right, name, members, context) =>
        right(name, changeValues(members, inner), context),
  ),
]);

const innerItems = (items: readonly ParameterValue[]): readonly ParameterValue[] => items.flatMap((item) => (isList(item) ? innerItems(item.list) : [item]));

/** The value with the text of its numbers, and of those inside it, in their place. */
const writtenNumbers = (value: ParameterValue): ParameterValue => changeDeeply(value, (scalar) => (isNumber(scalar) ? scalar.number : scalar));

/** A text that is a JSON list or object, as that. */
function parsedJson(value: ParameterValue): ParameterValue {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  return jsonText(value) ?? value;
}

/** The pairs of a list or an object with the parameter's name and the last index or member only, at any depth. */
const innermost: Around<'flattened'> = (right, parameters, context) =>
  parameters.flatMap(([name, value]) =>
    right([[name, value]], isNested(value) ? replaceSteps(context, { elementName: (_, index) => context.steps.elementName(name, index), memberName: (_, key) => context.steps.memberName(name, key) }) : context),
  );

/** A whole number as the text of a double. */
const withPoint = (value: ParameterValue): ParameterValue => (isNumber(value) && /^-?[0-9]+$/.test(value.number) ? `${value.number}.0` : value);

const NESTED_FIX = 'write booleans inside lists and objects as true and false';

/** Booleans inside lists and objects that are signed and sent in another way than other booleans. */
const NESTED_BOOLEANS: readonly Change<(value: ParameterValue) => ParameterValue>[] = [
  ...inside(BOOLEANS.changes, 'booleans-$', '$', booleansWritten),
  ['booleans-numbers', 'is the number 1 or 0', booleansWritten((value) => ({ number: value ? '1' : '0' }))],
];

function booleansWritten(write: (value: boolean) => ParameterValue): (value: ParameterValue) => ParameterValue {
  return (value) => (typeof value === 'boolean' ? write(value) : value);
}

export const sortedIfTexts = (items: readonly ParameterValue[]): readonly ParameterValue[] => {
  const texts = items.filter((item) => typeof item === 'string');
  return texts.length < items.length ? items : texts.toSorted(compareBytes);
};

function untilFalse(items: readonly ParameterValue[]): readonly ParameterValue[] {
  const at = items.indexOf(false);
  return at < 0 ? items : items.slice(0, at);
}

export const ITEMS: Kind<Around<'listItems'>> = kind('keep every item of a list, in its order', [
  ['inner-joined', 'has the items of inner lists among its own', (right, items) => innerItems(right(items)), { fix: 'flatten an inner list under the index that it has: Name.0.0' }],
  ['sorted', 'is sorted', (right, items) => right(items).toSorted((a, b) => (typeof a === 'string' && typeof b === 'string' ? compareBytes(a, b) : 0))],
  ['sorted-if-texts', 'is sorted if it has only texts', (right, items) => sortedIfTexts(right(items)), { fix: 'keep the order of a list, also of one that has only texts', cost: 2 }],
  ['without-empty', 'lacks its empty items', (right, items) => right(items).filter((item) => item !== '')],
  ['without-falsy', 'lacks its items that are empty, false, zero or null', (right, items) => right(items).filter((item) => item !== null && (isNested(item) || !isFalsy(item))), { cost: 2 }],
  ['until-false', 'ends before its first item that is false', (right, items) => untilFalse(right(items)), { fix: 'stop at the end of a list, not at an item that is false', cost: 2 }],
  ['without-null', 'lacks its null items', (right, items) => right(items).filter((item) => item !== null)],
  ...NESTED_BOOLEANS.flatMap(([id, clause, write]): readonly Change<Around<'listItems'>>[] => [
    [id, `has its booleans changed: each ${clause}`, (right, items) => right(items).map((item) => changeDeeply(item, write)), { fix: NESTED_FIX, cost: 2 }],
    [`own-${id}`, `has the booleans that are its own items changed: each ${clause}`, (right, items) => right(items).map(write), { fix: NESTED_FIX, cost: 3 }],
  ]),
  ['numbers-with-point', 'has ".0" after its whole numbers, as in a list of doubles', (right, items) => right(items).map(withPoint), { fix: 'write whole numbers inside lists without a point, as elsewhere' }],
  ['numbers-as-written', 'has its numbers as written, such as 1e3 and 1.50', (right, items) => right(items).map(writtenNumbers), { fix: 'write numbers inside lists as plain decimal text, as elsewhere' }],
  ['without-duplicates', 'lacks repeated items', (right, items) => [...new Map(right(items).map((item) => [JSON.stringify(item), item])).values()]],
]);

const TEXTS_CHANGED = 'has its texts changed: each $';
const INNER_TEXT = 'a text inside a list or an object';

/** Texts inside a list that are signed and sent in another way than other texts. */
export const ITEM_TEXTS: Kind<(items: readonly ParameterValue[]) => readonly ParameterValue[]> = kind(
  'sign and send texts inside lists and objects as given',
  inside(ofPart(INNER_TEXT, SIGNED_FIRST), 'texts-$', TEXTS_CHANGED, (rewrite) => (items) => items.map(ifText(rewrite))),
);

/** Texts inside an object that are signed and sent in another way than other texts. */
export const MEMBER_TEXTS: Kind<Steps['objectMembers']> = kind(
  'sign and send texts inside lists and objects as given',
  inside(ofPart(INNER_TEXT, SIGNED_FIRST), 'texts-$', TEXTS_CHANGED, (rewrite) => (members) => changeValues(members, ifText(rewrite))),
);

export const MEMBERS: Kind<Around<'objectMembers'>> = kind('keep every member of an object, whatever its name and value', [
  ['numbers-as-written', 'has its numbers as written, such as 1e3 and 1.50', (right, members) => changeValues(right(members), writtenNumbers), { fix: 'write numbers inside objects as plain decimal text, as elsewhere' }],
  ...inside(
    NESTED_BOOLEANS,
    '$',
    'has its booleans changed: each $',
    (write): Around<'objectMembers'> =>
      (right, members) =>
        changeValues(right(members), (value) => changeDeeply(value, write)),
    { fix: NESTED_FIX, cost: 2 },
  ),
  ['sorted', 'has its members sorted', (right, members) => sortedByName(right(members))],
  ['without-empty', 'lacks its empty members', (right, members) => right(members).filter(([, value]) => value !== '')],
  ['without-null', 'lacks its null members', (right, members) => right(members).filter(([, value]) => value !== null)],
  ['without-signature', 'lacks a member Signature', (right, members) => right(members).filter(([name]) => name !== 'Signature')],
]);

const NULL_WORDS = ['null', 'None', 'nil', 'undefined', '<nil>', 'NULL', '0', 'false'];

export const NULLS: Kind<(name: string) => FlatParameters> = kind('leave out a parameter that is null, or refuse it', [
  ['left-out', 'is left out', () => []],
  ['empty', 'is signed and sent as an empty text', (name) => [[name, '']]],
  ...NULL_WORDS.map((word): Change<(name: string) => FlatParameters> => {
    return [`word-${word.replaceAll(/[<>]/g, '')}-${word.length}`, `is signed and sent as "${word}"`, (name) => [[name, word]]];
  }),
]);

/** Changes the value of a parameter if it is a text. */
const changeText = (isChanged: (name: string) => boolean, rewrite: (text: string) => string): ChangeParameters => {
  return (parameters) => changeValues(parameters, (value, name) => (isChanged(name) ? ifText(rewrite)(value) : value));
};

const isPassword = (name: string): boolean => name === 'Password';

const base64Of = (text: string): string => base64(utf8Bytes(text));

export const encodePassword: ChangeParameters = changeText(isPassword, base64Of);

export const PASSWORD_VALUES: Kind<ChangeParameters> = kind(
  'encode Password in Base64 once, before you sign and send it',
  inside(ofPart('the value of Password', SIGNED_FIRST), 'password-$', 'has a Password that $', (rewrite) => changeText(isPassword, rewrite)),
);

export const SIGNED_PUBLIC_KEYS: Kind<ChangePairs> = kind(
  'sign the unencoded value of PublicKey without changing it',
  inside(TEXTS.changes, 'public-key-$', 'has a PublicKey that $', (rewrite) => (pairs) => changeValues(pairs, (text, name) => (name === 'PublicKey' ? rewrite(text) : text))),
);

export const HELD_TEXTS: Instead<'heldText'> = kind('sign and send {noun} as given, even if it looks like a date', [
  ['dates-parsed', 'is read as a date, as by Json.NET, if it has the form of an ISO time', dateByDotnet],
  ['dates-parsed-in-utc', 'is read as a date in UTC, as by Json.NET, if it has the form of an ISO time', dateInUtcByDotnet, { cost: 2 }],
]);

const createsBucket = (parameters: FlatParameters): boolean => parameters.some(([name, value]) => name === 'Action' && value === 'CreateBucket');

const isType = ([name]: FlatParameter): boolean => name === 'Type';

/** Refuses two parameters whose names have the same form. */
const refuseAlike =
  (form: (name: string) => string): Steps['checkNames'] =>
  (parameters) => {
    if (hasAlike(parameters, form)) refuse('parameter-repeated', 'a parameter is repeated');
  };

export const PARAMETER_NAME_CHECKS: Instead<'checkNames'> = kind('compare the names of parameters with regard to case', [
  ['alike-refused', 'is refused if the names of two parameters differ only in case', refuseAlike(lowerCase)],
  [
    'canonically-equal-refused',
    'is refused if the names of two parameters have the same Unicode form NFC, as keys of a dictionary in Swift',
    refuseAlike((name) => name.normalize('NFC')),
    { fix: 'compare the names of parameters by their bytes' },
  ],
]);

const DOCUMENTED = ['Action', 'Type', 'BucketName', 'PublicKey'];

const documentedOnly: ChangeParameters = (parameters) => (createsBucket(parameters) ? parameters.filter(([name]) => DOCUMENTED.includes(name)) : parameters);

const withType = (type: string): ChangeParameters => {
  return (parameters) => (createsBucket(parameters) && !parameters.some(isType) ? [...parameters, ['Type', type]] : parameters);
};

const PASSWORD_ONLY = { fix: 'encode only the value of the parameter named exactly Password', cost: 2 };
const isBucketName = (name: string): boolean => name === 'BucketName';
const NAMED_AS_GIVEN = { fix: 'sign and send BucketName as the caller gives it', cost: 2 };
const REQUIRE_TYPE = { fix: 'refuse a request without a required parameter' };

export const PARAMETER_SETS: Kind<ChangeParameters> = kind('sign and send every parameter that the caller gives', [
  ['like-password-base64', 'has the Base64 of each text whose name ends in Password', changeText((name) => /.password$/i.test(name), base64Of), PASSWORD_ONLY],
  ['ending-in-password-base64', 'has the Base64 of each text whose name ends in Password with a capital P', changeText((name) => /.Password$/.test(name), base64Of), PASSWORD_ONLY],
  [
    'other-password-base64',
    'has a Password that is Base64-encoded unless it is Base64 already',
    changeText(isPassword, (text) => (STANDARD_BASE64.test(text) ? text : base64Of(text))),
    { fix: 'sign and send Password as the caller gives it' },
  ],
  ['bucket-name-lower-case', 'has BucketName in lower case', changeText(isBucketName, lowerCase), NAMED_AS_GIVEN],
  ['new-bucket-name-lower-case', 'has BucketName in lower case if it creates a bucket', (parameters) => (createsBucket(parameters) ? changeText(isBucketName, lowerCase)(parameters) : parameters), NAMED_AS_GIVEN],
  ['default-type', 'has the Type private if CreateBucket has none', withType('private'), REQUIRE_TYPE],
  ['default-type-public', 'has the Type public if CreateBucket has none', withType('public'), REQUIRE_TYPE],
  ['of-create-bucket-only', 'lacks all parameters but Action, Type, BucketName and PublicKey if it creates a bucket', documentedOnly, { cost: 2 }],
]);

/** A context that counts list items in one counter for each depth. */
function countedByDepth(context: Context): Context {
  const counters = new Map<number, number>();
  return replaceSteps(context, {
    elementName: (list) => {
      const depth = list.split('.').length;
      const next = counters.get(depth) ?? 0;
      counters.set(depth, next + 1);
      return context.steps.elementName(list, `${next}`);
    },
  });
}

/** Changes the values of a parameter because of its name. */
const rewritten =
  (name: string, rewrite: (text: string) => string): Around<'flattened'> =>
  (right, parameters, context) =>
    right(parameters, context).map((parameter) => (parameter[0] === name && typeof parameter[1] === 'string' ? [name, rewrite(parameter[1])] : parameter));

const UNSORTED: Wraps = { sortedParameters: () => (pairs) => pairs };
const SORT_LAST = 'flatten first, then sort all names together';

type Comparison = (name: string, other: string) => number;
const byUnits: Comparison = (a, b) => (a < b ? -1 : Number(a > b));
/** Orders in which languages sort the keys of a map. */
const KEY_ORDERS: readonly [id: string, clause: string, compare: Comparison, cost: number][] = [
  ['', '', compareBytes, 1],
  ['-utf-16', ', by UTF-16 code units', byUnits, 2],
  ['-ignoring-case', ', without regard to case', (a, b) => byUnits(lowerCase(a), lowerCase(b)), 2],
];
const SORTED_FIRST = KEY_ORDERS.flatMap(([id, order, compare, cost]): readonly Change<Around<'flattened'>>[] => {
  const sorted = <T>(pairs: readonly (readonly [string, T])[]): readonly (readonly [string, T])[] => pairs.toSorted(([a], [b]) => compare(a, b));
  const first: Around<'flattened'> = (right, parameters, context) => right(sorted(parameters), context);
  const ofObjects: Wraps = { ...UNSORTED, objectMembers: (right) => (members) => sorted(right(members)) };
  return [
    [`sorted-first${id}`, `is sorted before it is flattened${order}, and not afterwards`, first, { fix: SORT_LAST, also: UNSORTED, cost }],
    [`sorted-first-deep${id}`, `is sorted before it is flattened, with the members of each object${order}, and not afterwards`, first, { fix: SORT_LAST, also: ofObjects, cost: 2 }],
  ];
});
const WHOLE_NAMES = { fix: 'write all names and indexes that lead to a value, as in Disk.0.Size', cost: 2 };
const INNERMOST = 'has only the first and the last part of each name, as in Disk.Size for Disk.0.Size';

export const FLATTENED: Kind<Around<'flattened'>> = kind('sign and send the value of each parameter as the caller gives it', [
  [
    'json-parsed',
    'has the items of texts that are JSON lists or objects',
    (right, parameters, context) => right(changeValues(parameters, parsedJson), context),
    { fix: 'sign and send the characters of a text, even if it looks like JSON' },
  ],
  ...SORTED_FIRST,
  ['innermost-names', INNERMOST, innermost, WHOLE_NAMES],
  ['innermost-names-once', `${INNERMOST}, with the last of several values`, (right, parameters, context) => [...new Map(innermost(right, parameters, context).map((one) => [one[0], one])).values()], WHOLE_NAMES],
  [
    'running-indexes',
    'has indexes that go on from one inner list to the next of the same parameter',
    (right, parameters, context) => parameters.flatMap((one) => right([one], countedByDepth(context))),
    { fix: 'begin at 0 in each list', cost: 2 },
  ],
  ...['BucketName', 'Region', 'Zone'].flatMap((name): Change<Around<'flattened'>>[] => [
    [`${lowerCase(name)}-lower-case`, `has the value of ${name} in lower case`, rewritten(name, lowerCase), { cost: 2 }],
    [`${lowerCase(name)}-upper-case`, `has the value of ${name} in upper case`, rewritten(name, upperCase), { cost: 2 }],
  ]),
]);

export const NAMES_BEFORE_SORTING: Kind<ChangePairs> = kind(
  'sort and sign the unencoded names without changing them',
  inside(TEXTS.changes, 'names-$', 'has its names changed before it is sorted: each $', (rewrite) => (pairs) => sortedByName(pairs.map(([name, text]): Pair => [rewrite(name), text]))),
);

export const PRESENT: Instead<'isPresentValue'> = kind('sign and send every parameter that the caller gives, also with the value false, 0 or ""', [
  ['left-out-when-falsy', 'is left out if it is false, 0 or empty', (value) => !isFalsy(value)],
  ['left-out-when-empty', 'is left out if its value is empty', (value) => value !== ''],
  ['left-out-when-empty-of-php', 'is left out if it is false, 0, empty or the text "0", as by empty() of PHP', (value) => value !== '' && value !== '0' && value !== false && !isZero(value)],
  ['left-out-when-blank', 'is left out if its value is empty or only whitespace', (value) => typeof value !== 'string' || value.trim() !== ''],
  ['left-out-when-zero', 'is left out if it is 0', (value) => !isZero(value)],
  ['left-out-when-false', 'is left out if it is false', (value) => value !== false],
  ['left-out-when-zero-or-false', 'is left out if it is 0 or false', (value) => value !== false && !isZero(value), { cost: 2 }],
  ['left-out-when-boolean', 'is left out if it is a boolean', (value) => typeof value !== 'boolean', { cost: 2 }],
  ['left-out-when-zero-or-empty', 'is left out if it is 0 or empty', (value) => value !== '' && !isZero(value), { cost: 2 }],
  ['left-out-when-empty-or-false', 'is left out if it is false or empty', (value) => value !== '' && value !== false, { cost: 2 }],
]);

/** The same for the parameters themselves only: those within lists and objects stay. */
export const TOP_VALUES: Kind<Around<'flattened'>> = kind(
  PRESENT.fix,
  inside(PRESENT.changes, 'top-$', '$, unless it is inside a list or an object', (isPresent) => {
    const isKept = ([, value]: ActionParameters[number]): boolean => value === null || isNested(value) || isPresent(value);
    return (right, parameters, context) => right(parameters.filter(isKept), context);
  }),
);

const LEFT_OUT = ['PublicKey', 'Action', 'SecurityToken', 'ProjectId', 'Region', 'Zone', 'Password'];

/** Signs some parameters in another way than they are sent. `signed` says how, and returns nothing for the others. */
const signApart =
  (signed: (parameter: FlatParameter, text: string) => string | undefined): Steps['signedPairs'] =>
  (pairs, parameters) => {
    const byName = new Map(parameters.map((parameter) => [parameter[0], parameter]));
    return pairs.map(([name, text]): Pair => {
      const parameter = byName.get(name);
      return [name, (parameter && signed(parameter, text)) ?? text];
    });
  };

/** Booleans that are sent correctly and signed in another way. */
export const SIGNED_BOOLEANS: Instead<'signedPairs'> = kind(
  'sign a boolean as true or false, as it is sent',
  BOOLEANS.changes.flatMap(([id, clause, text]): Change<Steps['signedPairs']>[] => [
    [`boolean-${id}`, `has its booleans changed: each ${clause}`, signApart(([, value]) => (typeof value === 'boolean' ? text(value) : undefined))],
    [`list-boolean-${id}`, `has its booleans inside lists changed: each ${clause}`, signApart(([, value, within]) => (typeof value === 'boolean' && within === 'list' ? text(value) : undefined)), { cost: 2 }],
  ]),
);

/** Booleans that are signed correctly and sent in the query in another way. JSON bodies keep them. */
export const SENT_BOOLEANS: Kind<(value: boolean) => string> = kind(
  'send a boolean as true or false, as it is signed',
  inside(BOOLEANS.changes, 'sent-$', '$, but signed as true or false', (text) => text, {
    also: { signedPairs: (right) => (pairs, flat) => signApart(([, value]) => (typeof value === 'boolean' ? `${value}` : undefined))(right(pairs, flat), flat) },
  }),
);

/** Where a flat parameter comes from. */
const INSIDE: readonly (readonly [id: string, noun: string, isInside: (parameter: FlatParameter) => boolean])[] = [
  ['list', 'a list', ([, , within]) => within === 'list'],
  ['nested', 'a list or an object', ([, , within]) => within !== undefined],
];

/** Changes of numbers that authors make at one place only: what the language prints, and what people read. */
const ONE_PLACE = ['javascript', 'python-floats', 'java-floats', 'java-wide', 'go', 'double', 'as-written', 'truncated', 'thousands-comma', 'point-zero', 'zeros-kept'];

const ONE_PLACE_NUMBERS = NUMBERS.changes.filter(([id]) => ONE_PLACE.includes(id));

/** Writes some booleans in JSON bodies without quotes, as they are signed. */
const withBooleans =
  (isWritten: (parameter: FlatParameter) => boolean, text: (value: boolean) => string): NonNullable<Wraps['jsonMembers']> =>
  (right) =>
  (sent, given, context, key) => {
    const members = right(sent, given, context, key);
    return sent.map((parameter, at) => {
      const [name, value] = parameter;
      return typeof value === 'boolean' && isWritten(parameter) ? `${context.steps.jsonName(name)}:${text(value)}` : (members[at] ?? '');
    });
  };

/** Values inside lists and objects that are signed, and sent in queries, in another way. JSON bodies keep them. */
export const NESTED_VALUES: Kind<Around<'parameterText'>> = kind(
  'write values inside lists and objects as you write other values',
  INSIDE.flatMap(([where, noun, isInside]) => {
    const written = (write: (value: ScalarValue, text: () => string) => string | undefined): Around<'parameterText'> => {
      return (right, parameter, context) => (isInside(parameter) ? write(parameter[1], () => right(parameter, context)) : undefined) ?? right(parameter, context);
    };
    const strings = TEXTS.changes.filter(([id]) => id.startsWith('json-text-'));
    return [
      ...inside(BOOLEANS.changes, `${where}-boolean-$`, `that is a boolean inside ${noun} $`, (text) => written((value) => (typeof value === 'boolean' ? text(value) : undefined))),
      ...BOOLEANS.changes.map(
        ([id, clause, text, { fix = BOOLEANS.fix } = {}]): Change<Around<'parameterText'>> => [
          `${where}-boolean-${id}-in-bodies`,
          `that is a boolean inside ${noun} ${clause}, also in JSON bodies`,
          written((value) => (typeof value === 'boolean' ? text(value) : undefined)),
          { fix, cost: 2, also: { jsonMembers: withBooleans(isInside, text) } },
        ],
      ),
      ...inside(ofPart(`a number inside ${noun}`, ONE_PLACE_NUMBERS), `${where}-number-$`, `that is a number inside ${noun} $`, (text) => written((value) => (isNumber(value) ? text(value.number) : undefined))),
      ...inside(strings, `${where}-$`, `that is a text inside ${noun} $`, (quote) => written((value, text) => (typeof value === 'string' ? quote(text()) : undefined))),
    ];
  }),
);

/** Numbers that are sent correctly and signed in another way. */
export const SIGNED_NUMBERS: Instead<'signedPairs'> = kind('sign a number as it is sent', [
  ...inside(ofPart('a signed number', ONE_PLACE_NUMBERS), 'number-$', 'has its numbers changed: each $', (text) => signApart(([, value]) => (isNumber(value) ? text(value.number) : undefined))),
  [
    'falsy-empty',
    'has no text for the number 0 and for false',
    signApart(([, value]) => (value === false || (isNumber(value) && Number(value.number) === 0) ? '' : undefined)),
    { fix: 'sign the number 0 and false as they are sent', cost: 2 },
  ],
]);

/** Changes of this cost are unlikely inside lists only. */
const RARE = 4;

/** Texts inside lists that are sent correctly and signed in another way. */
export const SIGNED_ITEMS: Instead<'signedPairs'> = kind(
  'sign the unencoded text of each list item without changing it',
  inside(
    TEXTS.changes.filter(([, , , notes]) => (notes?.cost ?? 1) < RARE),
    'items-$',
    'has the texts inside lists changed: each $',
    (rewrite) => signApart(([, value, within], text) => (typeof value === 'string' && within === 'list' ? rewrite(text) : undefined)),
  ),
);

/** The same changes for parameters that are sent but not signed. */
export const UNSIGNED: Instead<'signedPairs'> = kind(
  'sign every parameter that is sent',
  PRESENT.changes.map(
    ([id, clause, isPresent, notes]): Change<Steps['signedPairs']> => [
      id.replace('left-out', 'unsigned'),
      clause.replace('is left out', 'is sent but not signed'),
      (pairs, parameters) => pairs.filter(([name]) => parameters.every(([own, value]) => own !== name || isPresent(value))),
      notes,
    ],
  ),
);

/** Other parameters that are treated like Signature. */
const NAMED_LIKE_SIGNATURE: readonly (readonly [id: string, others: string, isLike: (name: string) => boolean, cost: number])[] = [
  ['in-any-case', 'named signature in another letter case', (name) => name.toLowerCase() === 'signature', 1],
  ['at-any-depth', 'named Signature inside objects', (name) => name.split('.').at(-1) === 'Signature', 1],
  ['by-prefix', 'whose name starts with Signature', (name) => name.startsWith('Signature'), 1],
  ['by-end', 'whose name ends with Signature', (name) => name.endsWith('Signature'), 2],
  ['by-part', 'whose name contains Signature', (name) => name.includes('Signature'), 2],
];

export const ENCODED_ORDERS: Kind<Around<'sortedParameters'>> = kind('sort by the UTF-8 bytes of the names', [
  [
    'encoded-as-sent',
    'is sorted by the names as the query has them',
    (_, pairs, context) => pairs.toSorted(([a], [b]) => compareBytes(context.steps.queryName(a, context), context.steps.queryName(b, context))),
    { cost: 2 },
  ],
]);

const unsigned = (isLeftOut: (name: string) => boolean): Wraps => ({ signedPairs: (right) => (pairs, flat) => right(pairs, flat).filter(([name]) => !isLeftOut(name)) });

export const SIGNED: Kind<Around<'isSignedParameter'>> = kind('leave out only the parameter named exactly Signature, before signing', [
  ['signed-and-replaced', 'is signed, then replaced by the new signature', () => true, { also: { isSentParameter: () => (name) => name !== 'Signature' } }],
  ['signed', 'is signed like any other', () => true],
  ['left-out-unless-empty', 'is left out only if it is not empty', () => true, { also: { parameterSet: (right) => (flat) => right(flat.filter(([name, value]) => name !== 'Signature' || value === '')) } }],
  ['unsigned-but-sent', 'is sent beside the new signature, but not signed', () => true, { also: unsigned((name) => name === 'Signature') }],
  ...NAMED_LIKE_SIGNATURE.flatMap(([id, others, isLike, cost]): Change<Around<'isSignedParameter'>>[] => [
    [`left-out-${id}`, `is left out, and so are parameters ${others}`, (_, name) => !isLike(name), { cost }],
    [`unsigned-${id}`, `is left out, and parameters ${others} are sent but not signed`, (right, name) => right(name), { also: unsigned(isLike), cost: 2 }],
  ]),
]);

/** Other parameters that are left out in the same place. */
export const LEFT_OUT_TOO: Kind<Around<'isSignedParameter'>> = kind('leave out only the parameter named exactly Signature, before signing', [
  ...LEFT_OUT.map((left): Change<Around<'isSignedParameter'>> => {
    return [`${left.toLowerCase()}-neither`, `named ${left} is left out, like Signature`, (right, name) => right(name) && name !== left, { cost: 2 }];
  }),
  ['underscore-neither', 'named _ is left out, like Signature: scripts of web pages add it against caches', (right, name) => right(name) && name !== '_', { cost: 2 }],
  ['blank-names-left-out', 'with an empty name is left out, like Signature', (right, name) => right(name) && name !== '', { cost: 2 }],
  ...['action or controller', 'action, controller or format'].map((names): Change<Around<'isSignedParameter'>> => {
    const left = names.split(/, | or /);
    const clause = `named ${names} is left out, like Signature: the router of Rails adds parameters with these names`;
    return [`${left.join('-')}-neither`, clause, (right, name) => right(name) && !left.includes(name), { cost: 3 }];
  }),
]);

export const SENT: Instead<'isSentParameter'> = kind('send every parameter that is signed', [
  ['signature-not-sent-twice', 'named Signature is signed, and then replaced by the signature', (name) => name !== 'Signature'],
  ...LEFT_OUT.filter((left) => left !== 'Zone').map((left): Change<Steps['isSentParameter']> => {
    return [`${left.toLowerCase()}-unsent`, `named ${left} is signed but not sent`, (name) => name !== left];
  }),
  ['none-sent', 'is signed but not sent', () => false, { cost: 2 }],
]);

/** What a double holds of a number, written in plain digits; its sign stays with `signOfZero`. */
const double = (digits: string): string => numberText(`${Number(digits)}`);

const isFraction = (digits: string): boolean => numberText(digits).includes('.');

const [INT64_LEAST, INT64_MOST] = [-(2n ** 63n), 2n ** 63n - 1n];

function toInt64(digits: string, beyond: (value: number) => bigint): string {
  const value = Math.trunc(Number(digits));
  const isWithin = Number.isFinite(value) && BigInt(value) >= INT64_LEAST && BigInt(value) <= INT64_MOST;
  return `${isWithin ? BigInt(value) : beyond(value)}`;
}

export const HELD: Instead<'heldNumber'> = kind('take the digits of {noun} from the input, or use a decimal type: a float or double loses digits', [
  ['double', 'goes through a double and loses digits', double],
  ['double-whole-exact', 'goes through a double, and is written with all digits of the double if it has no fraction', (digits) => (Number.isInteger(Number(digits)) ? `${BigInt(Number(digits))}` : double(digits))],
  ['double-to-int64', 'goes through a double, then a 64-bit integer, which becomes -2^63 if the number is out of range', (digits) => toInt64(digits, () => INT64_LEAST)],
  ['double-to-long', 'goes through a double, then a 64-bit integer, which becomes its limit if the number is out of range', (digits) => toInt64(digits, (value) => (value < 0 ? INT64_LEAST : INT64_MOST))],
  ['fraction-double', 'goes through a double and loses digits, if it has a fraction', (digits) => (isFraction(digits) ? double(digits) : digits)],
  ['whole-double', 'goes through a double and loses digits, if it has no fraction', (digits) => (isFraction(digits) ? digits : double(digits))],
  ['float', 'goes through a 32-bit float and loses digits', (digits) => numberText(`${Math.fround(Number(digits))}`), { cost: 2 }],
]);

export const ZERO_SIGNS: Instead<'signOfZero'> = kind('write minus zero as 0', [
  ['kept', 'keeps its sign', (digits) => (digits.startsWith('-') ? '-' : '')],
  ['kept-with-fraction', 'keeps its sign if it is given with a fraction, as -0.0', (digits) => (/^-0[.]0+$/.test(digits) ? '-' : '')],
]);

/** How languages print NaN and infinity. */
const WORDS: readonly (readonly [id: string, language: string, nan: string, infinity: string, minus: string])[] = [
  ['python', 'Python', 'nan', 'inf', '-inf'],
  ['go', 'Go', 'NaN', '+Inf', '-Inf'],
  ['java', 'DecimalFormat of Java', 'NaN', '∞', '-∞'],
  ['javascript', 'JavaScript', 'NaN', 'Infinity', '-Infinity'],
  ['php', 'PHP', 'NAN', 'INF', '-INF'],
];

const refuseNumber = (): never => refuse('number', 'no number');

const finite = (text: string): string => (Number.isFinite(Number(text)) ? `${Number(text)}` : refuseNumber());

/** As Python, Java and others read numbers: with the decimal digits of any script. */
const finiteOfAnyScript = (text: string): string => finite(asciiDigits(text));

export const OTHER_NUMBERS: Instead<'otherNumber'> = kind('refuse a value that is not a JSON number, such as NaN and 0x10', [
  ['as-written', 'is signed as written', (text) => text],
  ['parsed', 'is read by a lenient parser and signed as the number that it gives', finite],
  ['zero', 'is signed as 0', () => '0'],
  ['empty', 'is signed as an empty text', () => ''],
  ['null', 'is signed as null', () => 'null'],
  ['parsed-in-any-script', 'is read by a lenient parser, even with digits of other scripts, and signed as the number that it gives', finiteOfAnyScript],
  ...WORDS.flatMap(([id, language, nan, infinity, minus]): Change<Steps['otherNumber']>[] => {
    const word = (text: string): string | undefined => ({ NaN: nan, Infinity: infinity, '-Infinity': minus })[text];
    return [
      [id, `is signed as ${language} prints NaN and infinity`, (text) => word(text) ?? refuseNumber()],
      [`${id}-parsed`, `is read by a lenient parser and signed as the number that it gives, NaN and infinity as ${language} prints them`, (text) => word(text) ?? finiteOfAnyScript(text)],
    ];
  }),
]);
