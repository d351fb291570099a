/**
 * Conditions of requests and texts, under which implementations make mistakes.
 *
 * @module
 */
import { isList, isNested, isNumber } from '../../../reference/mistakes/single-step/shared.ts';
import { utf8Bytes } from '../../../reference/signing/bytes.ts';
import type {
  ActionParameters,
  HeaderList,
  ParameterValue,
} from '../../../reference/signing/index.ts';
import { jsonText } from '../../../reference/signing/json-text.ts';
import { numberText } from '../../../reference/signing/parameters.ts';
import { getOrInsert } from '../get-or-insert.ts';
import type { Question } from '../protocol.ts';
import type { Input } from '../vector.ts';

/** A kind of requests. */
export interface Condition {
  readonly id: string;
  /** `if the verb is PUT`, or `unless the key has a dot`. */
  readonly phrase: string;
  readonly holds: (question: Question) => boolean;
}

const readHeaders = ({ input }: Question): HeaderList => input.headers ?? [];

const readText = ({ input }: Question, name: keyof Input): string => {
  const text = input[name];
  return typeof text === 'string' ? text : '';
};

/** The path of a received URL, without its first slash. */
const readPath = (question: Question): string =>
  /^[^?#]*?:\/\/[^/?#]*\/([^?#]*)/.exec(readText(question, 'url'))?.[1] ?? '';

const bareName = (name: string): string => name.toLowerCase().trim();

const readHeaderNames = (question: Question): readonly string[] =>
  readHeaders(question).map(([name]) => bareName(name));

const isPositional = (name: string): boolean =>
  ['content-md5', 'content-type', 'date'].includes(name);

/** Computes something once for each question: a search compares every condition with every answer. */
function oncePerQuestion<Value extends {}>(
  compute: (question: Question) => Value,
): (question: Question) => Value {
  const known = new WeakMap<Question, Value>();
  return (question) => getOrInsert(known, question, () => compute(question));
}

const remember = (condition: Condition): Condition => ({
  ...condition,
  holds: oncePerQuestion(condition.holds),
});

/** A condition and its opposite. */
const withOpposite = (
  id: string,
  said: string,
  otherwise: string,
  holds: Condition['holds'],
): readonly Condition[] => [
  { id, phrase: said, holds },
  { id: `not-${id}`, phrase: otherwise, holds: (question) => !holds(question) },
];

/** A condition with a clause, and its opposite. */
const ifOrUnless = (id: string, clause: string, holds: Condition['holds']): readonly Condition[] =>
  withOpposite(id, `if ${clause}`, `unless ${clause}`, holds);

/** A value and all that it contains. */
export function listValues(value: ParameterValue): readonly ParameterValue[] {
  if (!isNested(value)) return [value];
  const inner = isList(value) ? value.list : value.object.map(([, member]) => member);
  return [value, ...inner.flatMap(listValues)];
}

/** The texts of a value, those inside lists and objects and the names of members included. */
function readParameterTexts(value: ParameterValue): readonly string[] {
  if (isNumber(value)) return [value.number];
  if (!isNested(value)) return [String(value)];
  if (isList(value)) return value.list.flatMap(readParameterTexts);
  return value.object.flatMap(([name, inner]) => [name, ...readParameterTexts(inner)]);
}

/** The parameters of an action, or the members of a received body. */
const readGiven = oncePerQuestion(({ input: { parameters = [], body = '' } }): ActionParameters => {
  const received = jsonText(body) ?? null;
  return [...parameters, ...(isNested(received) && !isList(received) ? received.object : [])];
});

/** The names of the parameters that an action has or a verifier receives, and the texts of their values. */
const readParameters = oncePerQuestion((question) => {
  const given = [...readGiven(question), ...new URLSearchParams(question.input.query)];
  return {
    names: given.map(([name]) => name),
    values: given.flatMap(([, value]) => readParameterTexts(value)),
  };
});

const readNames = (question: Question): readonly string[] => readParameters(question).names;
const readValues = (question: Question): readonly string[] => readParameters(question).values;

/** The plain decimal text of a number; the number itself if it has none. */
function plainText(number: string): string {
  try {
    return numberText(number);
  } catch {
    return number;
  }
}

const readNumbers = oncePerQuestion((question) =>
  readGiven(question)
    .flatMap(([, value]) => listValues(value))
    .flatMap((value) => (isNumber(value) ? [plainText(value.number)] : [])),
);

/** The values of the extra headers, or of the positional ones. */
const readHeaderValues =
  (isOfPositional: boolean) =>
  (question: Question): readonly string[] =>
    readHeaders(question)
      .filter(([name]) => isPositional(bareName(name)) === isOfPositional)
      .map(([, value]) => value);

/** Groups of texts in the input, by what reports call one of them. */
const TEXTS: readonly (readonly [
  id: string,
  noun: string,
  read: (question: Question) => readonly string[],
])[] = [
  ['key', 'the key', (question) => [readText(question, 'key')]],
  ['bucket', 'the bucket name', (question) => [readText(question, 'bucket')]],
  ['name', 'the name of a parameter', readNames],
  ['value', 'the value of a parameter', readValues],
  [
    'parameter',
    'a name or value of the parameters',
    (question) => [...readNames(question), ...readValues(question)],
  ],
  ['extra-value', 'the value of an extra header', readHeaderValues(false)],
  ['positional-value', 'the value of a positional header', readHeaderValues(true)],
  ['text', 'the text', (question) => [readText(question, 'text')]],
  ['query', 'the query', (question) => [readText(question, 'query')]],
  ['url', 'the URL', (question) => [readText(question, 'url')]],
  ['private-key', 'the private key', ({ keys }) => [keys.privateKey]],
];

/** What a text has, by the clause after its noun. */
type Property = readonly [id: string, clause: string, pattern: Pick<RegExp, 'test'>];

const PROPERTIES: readonly Property[] = [
  ['space', 'has a space', / /],
  ['beyond-ascii', 'has a character beyond ASCII', /[^\0-\x7F]/],
  ['beyond-latin-1', 'has a character beyond Latin-1', /[^\0-\xFF]/],
  ['break', 'has a line break', /[\r\n]/],
  ['control', 'has a control character', /[\0-\x1F\x7F]/],
  ['upper-case', 'has an upper-case letter', /[A-Z]/],
  ['digit', 'has a digit', /[0-9]/],
  ['digits-only', 'has only digits', /^[0-9]+$/],
  ['empty', 'is empty', /^$/],
  ['plus', 'has a "+"', /\+/],
  ['percent', 'has a "%"', /%/],
  ['slash', 'has a "/"', /\//],
  ['equals', 'has a "="', /=/],
  ['ampersand', 'has a "&"', /&/],
  ['comma', 'has a comma', /,/],
  ['colon', 'has a colon', /:/],
  ['dot', 'has a dot', /\./],
  ['question', 'has a "?"', /\?/],
  ['hyphen', 'has a hyphen', /-/],
  ['underscore', 'has an underscore', /_/],
  ['quote', 'has a quote', /["']/],
  ['beyond-word', 'has a character other than ASCII letters, digits and "_"', /\W/],
  ['beyond-name', 'has a character other than ASCII letters, digits, "_", "." and "-"', /[^\w.-]/],
  ['beyond-path', 'has a character other than ASCII letters, digits and "_./-"', /[^\w./-]/],
];

const NAMES = ['Action', 'PublicKey', 'Signature', 'Password', 'Region', 'Zone', 'ProjectId'];
const LENGTHS = [8, 16, 20, 32, 40, 64, 100, 127, 128, 255, 256, 512, 1000, 1023, 1024];

/** Properties of the text that a step changes. */
export const OF_STEPS: readonly Property[] = [
  ...PROPERTIES,
  ['starting-digit', 'starts with a digit', /^[0-9]/],
  ['starting-lower', 'starts with a lower-case letter', /^[a-z]/],
  ['minus', 'starts with "-"', /^-/],
  ['letters-only', 'has only letters', /^[A-Za-z]+$/],
  ['one-character', 'has one character', /^.$/su],
  ['blanks-at-the-ends', 'starts or ends with a space', /^ | $/],
  ...NAMES.map(
    (name): Property => [
      `named-${name.toLowerCase()}`,
      `is ${name}`,
      { test: (text) => text === name },
    ],
  ),
  ...LENGTHS.map((length): Property => {
    const clause = `has more than ${length} characters`;
    return [`longer-than-${length}`, clause, { test: (text) => text.length > length }];
  }),
];

/** Properties of the name that a step gets after the text that it changes. */
export const OF_NAMES: readonly Property[] = [
  ['metadata', 'is in a metadata header, such as X-Svc-Meta-Color', /^x-[a-z0-9]+-meta-/i],
];

const TEXT_CONDITIONS: readonly Condition[] = TEXTS.flatMap(([id, noun, read]) =>
  PROPERTIES.flatMap(([property, clause, pattern]) =>
    ifOrUnless(`${id}-${property}`, `${noun} ${clause}`, (question) =>
      read(question).some((text) => pattern.test(text)),
    ),
  ),
);

export type Size = readonly [
  id: string,
  noun: string,
  unit: string,
  measure: (question: Question) => number,
];

/** Sizes of an input. */
export const SIZES: readonly Size[] = [
  ...TEXTS.map(([id, noun, read]) => {
    const measure = (question: Question): number =>
      Math.max(0, ...read(question).map((text) => utf8Bytes(text).length));
    return [`${id}-bytes`, noun, 'bytes', oncePerQuestion(measure)] as const;
  }),
  [
    'number',
    'the plain text of a number',
    'characters',
    (question) => Math.max(0, ...readNumbers(question).map(({ length }) => length)),
  ],
  ['parameters', 'the request', 'parameters', (question) => readGiven(question).length],
  ['headers', 'the request', 'headers', (question) => readHeaders(question).length],
  [
    'items',
    'a list',
    'items',
    (question) =>
      Math.max(
        0,
        ...readGiven(question)
          .flatMap(([, value]) => listValues(value))
          .map((value) => (isList(value) ? value.list.length : 0)),
      ),
  ],
];

const VERBS = [['PUT', 'POST'], ['GET', 'HEAD'], ['PUT'], ['GET'], ['POST'], ['DELETE'], ['HEAD']];

/** What a value among the parameters may be. */
const KINDS: readonly (readonly [
  id: string,
  noun: string,
  is: (value: ParameterValue) => boolean,
])[] = [
  ['list', 'a list', isList],
  ['object', 'an object', (value) => isNested(value) && !isList(value)],
  ['boolean', 'a boolean', (value) => typeof value === 'boolean'],
  ['null', 'a null', (value) => value === null],
  ['number', 'a number', (value) => isNumber(value) && value.number !== ''],
  ['point', 'a number with a point', (value) => isNumber(value) && value.number.includes('.')],
  ['exponent', 'a number with an exponent', (value) => isNumber(value) && /e/i.test(value.number)],
  [
    'nested-twice',
    'a list or an object with another one inside',
    (value) => isNested(value) && listValues(value).slice(1).some(isNested),
  ],
];

const KIND_CONDITIONS: readonly Condition[] = KINDS.flatMap(([id, noun, is]) => [
  ...ifOrUnless(`parameter-is-${id}`, `a parameter is ${noun}`, (question) =>
    readGiven(question).some(([, value]) => is(value)),
  ),
  ...ifOrUnless(
    `values-${id}`,
    `the parameters have ${noun}, also inside a list or an object`,
    (question) => readGiven(question).some(([, value]) => listValues(value).some(is)),
  ),
]);

/** The simplest conditions come first: of several that fit equally well, reports name the first. */
const PLAIN_CONDITIONS: readonly Condition[] = [
  ...VERBS.flatMap((verbs) =>
    withOpposite(
      verbs.join('-or-').toLowerCase(),
      `if the verb is ${verbs.join(' or ')}`,
      `if the verb is not ${verbs.join(' or ')}`,
      (question) => verbs.includes(readVerb(question)),
    ),
  ),
  ...['Content-Type', 'Content-MD5', 'Date'].flatMap((name) =>
    withOpposite(
      name.toLowerCase(),
      `if the header ${name} is sent`,
      `if the header ${name} is not sent`,
      (question) =>
        Boolean(readHeaders(question).find(([own]) => bareName(own) === name.toLowerCase())?.[1]),
    ),
  ),
  ...['Content-Type', 'Content-MD5'].flatMap((name) =>
    withOpposite(
      `field-${name.toLowerCase()}`,
      `if the form has the field ${name}`,
      `if the form does not have the field ${name}`,
      ({ input: { fields = [] } }) => fields.some(([own]) => own === name),
    ),
  ),
  ...withOpposite(
    'extra-headers',
    'if a header other than Content-MD5, Content-Type and Date is sent',
    'if no header other than Content-MD5, Content-Type and Date is sent',
    (question) => readHeaderNames(question).some((name) => !isPositional(name)),
  ),
  ...withOpposite(
    'headers',
    'if any header is sent',
    'if no header is sent',
    (question) => readHeaderNames(question).length > 0,
  ),
  ...withOpposite(
    'repeated-header',
    'if a header is repeated',
    'if no header is repeated',
    (question) => new Set(readHeaderNames(question)).size < readHeaderNames(question).length,
  ),
  ...withOpposite(
    'key',
    'if the key is not empty',
    'if the key is empty',
    (question) => readText(question, 'key') !== '',
  ),
  ...withOpposite(
    'key-in-folder',
    'if the key has a slash',
    'if the key has no slash',
    (question) => (readText(question, 'key') || readPath(question)).includes('/'),
  ),
  ...withOpposite(
    'nested',
    'if a parameter is a list or an object',
    'if no parameter is a list or an object',
    (question) => readGiven(question).some(([, value]) => isNested(value)),
  ),
  ...withOpposite(
    'file',
    'if the content is in a file',
    'if the content is not in a file',
    ({ input: { content } }) => content !== undefined && !('bytes' in content),
  ),
  // For implementations that compare the verb as it is given.
  ...VERBS.flatMap((verbs) =>
    ifOrUnless(
      `upper-case-${verbs.join('-or-').toLowerCase()}`,
      `the verb is ${verbs.join(' or ')} in upper case`,
      (question) => verbs.includes(readText(question, 'method')),
    ),
  ),
];

const VERB = /^[A-Z]+$/;

export const readVerb = (question: Question): string => readText(question, 'method').toUpperCase();

/** That the verb is one of some verbs, or that it is none of them; `undefined` if a verb does not fit into an id. */
export function ifVerbs(verbs: readonly string[], isOne: boolean): Condition | undefined {
  if (verbs.length === 0 || !verbs.every((verb) => VERB.test(verb))) return undefined;
  const sorted = verbs.toSorted();
  const list = `${sorted.slice(0, -1).join(', ')}${sorted.length > 1 ? ' or ' : ''}${sorted.at(-1)}`;
  return {
    id: `${isOne ? '' : 'not-'}verb-${sorted.join('-')}`,
    phrase: `if the verb is ${isOne ? '' : 'not '}${list}`,
    holds: (question) => verbs.includes(readVerb(question)) === isOne,
  };
}

/** The condition on verbs with this id. */
export function findVerbCondition(id: string): Condition | undefined {
  const [, not, verbs] = /^(not-)?verb-([A-Z]+(?:-[A-Z]+)*)$/.exec(id) ?? [];
  return verbs === undefined ? undefined : ifVerbs(verbs.split('-'), not === undefined);
}

/** Names that a special case in a program may compare with, and that fit into an id. */
const NAME = /^[A-Za-z][A-Za-z0-9.-]{0,39}$/;
const ALWAYS_SENT = ['Action', 'PublicKey'];

/** The start of the name of an extra header, such as `x-svc-`. */
const PREFIX = /^x-[a-z0-9]+-/;

const ifParameter = (name: string): Condition => ({
  id: `parameter-${name}`,
  phrase: `if a parameter is named ${name}`,
  holds: (question) => readNames(question).includes(name),
});

const ifHeader = (name: string, spelled: string): Condition => ({
  id: `header-${name}`,
  phrase: `if the header ${spelled} is sent`,
  holds: (question) => readHeaderNames(question).includes(name),
});

const ifPrefix = (prefix: string): Condition => ({
  id: `header-${prefix}`,
  phrase: `if a header is sent whose name starts with "${prefix}"`,
  holds: (question) => readHeaderNames(question).some((name) => name.startsWith(prefix)),
});

/**
 * Conditions on the names of a question: that a parameter has one of these names, that a header has one of them in any case, or that
 * the name of a header has the same prefix.
 */
export const listNameConditions: (question: Question) => readonly Condition[] = oncePerQuestion(
  (witness) => [
    ...[...new Set(readNames(witness))]
      .filter((name) => NAME.test(name) && !ALWAYS_SENT.includes(name))
      .map(ifParameter),
    ...[...new Map(readHeaders(witness).map(([name]) => [bareName(name), name.trim()]))]
      .filter(([name]) => NAME.test(name) && !isPositional(name))
      .map(([name, spelled]) => ifHeader(name, spelled)),
    ...[...new Set(readHeaderNames(witness).flatMap((name) => PREFIX.exec(name)?.[0] ?? []))].map(
      ifPrefix,
    ),
  ],
);

/** The condition on a name with this id. */
export function findNameCondition(id: string): Condition | undefined {
  const [, kind, name = ''] = /^(parameter|header)-(.+)$/.exec(id) ?? [];
  if (!NAME.test(name)) return undefined;
  if (kind === 'parameter') return ifParameter(name);
  return PREFIX.exec(name)?.[0] === name ? ifPrefix(name) : ifHeader(name, name);
}

/** The usual conditions, and all of them; the usual ones come first. */
export const PLAIN: readonly Condition[] = PLAIN_CONDITIONS.map(remember);
export const ALL: readonly Condition[] = [
  ...PLAIN,
  ...[...TEXT_CONDITIONS, ...KIND_CONDITIONS].map(remember),
];
