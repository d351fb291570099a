/**
 * Changes of the forms of a request: query, JSON body and bucket management (§4.1, §4.2).
 *
 * @module
 */
import { compareBytes, hexadecimal, urlDecode } from '../../signing/bytes.ts';
import type { Steps } from '../../signing/index.ts';
import type { ActionParameters, Context, ParameterValue, ScalarValue } from '../../signing/types.ts';
import { before, escapedUnits, lowBytes } from '../changes/bytes.ts';
import { type Around, applied, type Change, type Kind, kind } from '../changes/change.ts';
import { NUMBERS } from '../changes/numbers.ts';
import { encodePassword, JSON_PRINTER, type Printer, printed } from './parameters.ts';
import { type Instead, isFalsy, isNested, isNumber, isZero, quoted, sortedByName } from './shared.ts';

export const QUERY_PAIRS: Instead<'queryPair'> = kind('write each pair of the query as name=value, both percent-encoded', [
  ['bare', 'is not percent-encoded', (name, text) => `${name}=${text}`],
  ['name-only-when-empty', 'lacks its equals sign if the value is empty', (name, text, context) => context.steps.queryName(name, context) + (text && `=${context.steps.queryValue(text, context)}`)],
  [
    'without-equals',
    'lacks its equals sign',
    (name, text, context) => context.steps.queryName(name, context) + context.steps.queryValue(text, context),
    { also: { queryPairs: (right) => (pairs, signature) => right(pairs, signature.replace('=', '')) } },
  ],
  ['colon', 'has a colon between name and value', (name, text, context) => `${context.steps.queryName(name, context)}:${context.steps.queryValue(text, context)}`],
  ['quoted', 'has its value in quotes', (name, text, context) => `${context.steps.queryName(name, context)}="${context.steps.queryValue(text, context)}"`],
  [
    'bucket-lower-case',
    'has the value of BucketName in lower case',
    (name, text, context) => `${context.steps.queryName(name, context)}=${context.steps.queryValue(name === 'BucketName' ? text.toLowerCase() : text, context)}`,
    { fix: 'send the name of the bucket as it is signed', cost: 2 },
  ],
  ['encoded-whole', 'is percent-encoded together with its equals sign', (name, text, { steps }) => steps.urlEncode(`${name}=${text}`)],
]);

const nameOf = (pair: string): string => before(pair, '=');

const decodedName = (pair: string): string => urlDecode(nameOf(pair)) ?? pair;

/** Puts Signature before the first pair whose name comes after it. */
const putSorted: Steps['queryPairs'] = (pairs, signature) => {
  const at = pairs.findIndex((pair) => compareBytes(decodedName(pair), 'Signature') > 0);
  return pairs.toSpliced(at < 0 ? pairs.length : at, 0, signature);
};

export const QUERY_LISTS: Instead<'queryPairs'> = kind('send every signed parameter, then Signature as the last one', [
  ['signature-first', 'has Signature first', (pairs, signature) => [signature, ...pairs]],
  ['signature-sorted-in', 'has Signature in the order of its name', putSorted],
  ['without-signature', 'lacks Signature', (pairs) => pairs],
  ['without-empty', 'lacks pairs whose value is empty', (pairs, signature) => [...pairs.filter((pair) => !pair.endsWith('=')), signature]],
  ...['PublicKey', 'Action', 'Region', 'ProjectId', 'SecurityToken'].map((left): Change<Steps['queryPairs']> => {
    return [`without-${left.toLowerCase()}`, `lacks ${left}`, (pairs, signature) => [...pairs.filter((pair) => nameOf(pair) !== left), signature]];
  }),
  ['reversed', 'is in descending order', (pairs, signature) => [...pairs.toReversed(), signature], { cost: 2 }],
]);

export const SIGNATURE_NAMES: Instead<'signatureName'> = kind(
  'send the signature as the parameter Signature',
  ['signature', 'SIGNATURE', 'Sign', 'Sig'].map((name) => [name, `is ${name}`, () => name]),
);

const INDEX = /[.]([0-9]+)(?=[.]|$)/g;

/** Names of list items in the query only; the signed names stay. */
export const QUERY_NAMES: Kind<Around<'queryName'>> = kind('send the names of list items as they are signed: Name.0, Name.1', [
  ['index-in-brackets', 'has the indexes of list items in brackets', (right, name, context) => right(name, context).replace(INDEX, '[$1]')],
  ['index-in-encoded-brackets', 'has the indexes of list items in percent-encoded brackets', (right, name, context) => right(name.replace(INDEX, '[$1]'), context)],
  ['index-left-out', 'lacks the indexes of list items', (right, name, context) => right(name.replace(INDEX, ''), context)],
  ['index-empty-brackets', 'has empty brackets instead of the indexes of list items', (right, name, context) => right(name, context).replace(INDEX, '[]')],
]);

export const TARGETS: Instead<'bucketTarget'> = kind('send the query to the path "/": /?Action=…', [
  ['without-slash', 'lacks its slash', (query) => `?${query}`],
  ['without-question-mark', 'lacks its question mark', (query) => `/${query}`],
  ['query-only', 'is only the query', (query) => query],
  ['two-slashes', 'has two slashes', (query) => `//?${query}`],
  ['bucket-path', 'has the bucket as its path', (query) => `/${/(?:^|&)BucketName=([^&]*)/.exec(query)?.[1] ?? ''}?${query}`],
  ['api-path', 'has the path /api', (query) => `/api?${query}`],
]);

const GO_ESCAPES: Readonly<Record<string, string>> = { '\x07': '\\a', '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\v': '\\v', '"': '\\"', '\\': '\\\\' };

const quotedAsInGo = (text: string): string => `"${text.replace(/["\\\p{Cc}]/gu, (sign) => GO_ESCAPES[sign] ?? (sign < '\x80' ? `\\x${hexadecimal(lowBytes(sign))}` : escapedUnits(sign, /./g)))}"`;

export const JSON_NUMBERS: Kind<Around<'jsonValue'>> = kind('write numbers as JSON numbers, booleans as true or false, and texts as JSON strings', [
  [
    'as-signed',
    'has the same text as the signed number, if it is a number',
    (right, value, context) => (isNumber(value) ? context.steps.valueText(value, context) : right(value, context)),
    { fix: 'write the same correct text of a number into the body and into the signed text', cost: 2 },
  ],
  ['minus-zero-kept', 'is -0 for minus zero', (right, value, context) => (isNumber(value) && /^-0(?:[.]0+)?$/.test(value.number) ? context.steps.valueText(value, context) : right(value, context)), { cost: 2 }],
  ['foreign-escapes', 'has escapes that JSON does not have, such as \\a and \\x1b', (right, value, context) => (typeof value === 'string' ? quotedAsInGo(value) : right(value, context))],
  ['apostrophes-escaped', 'has a backslash before each apostrophe', (right, value, context) => (typeof value === 'string' ? right(value, context).replaceAll("'", "\\'") : right(value, context))],
  ['all-texts', 'is always a JSON string', (_, value, context) => JSON.stringify(context.steps.valueText(value, context))],
  ['booleans-as-texts', 'is a JSON string if it is a boolean', (right, value, context) => (typeof value === 'boolean' ? `"${value}"` : right(value, context))],
  ['numbers-as-texts', 'is a JSON string if it is a number', (right, value, context) => (isNumber(value) ? `"${right(value, context)}"` : right(value, context))],
  [
    'big-integers-as-texts',
    'is a JSON string if it is an integer beyond 2^53',
    (right, value, context) => (isNumber(value) && /^-?[0-9]{16,}$/.test(value.number) && Math.abs(Number(value.number)) > Number.MAX_SAFE_INTEGER ? `"${right(value, context)}"` : right(value, context)),
    { cost: 2 },
  ],
  ['booleans-as-signed', 'is the signed text, without quotes, if it is a boolean', (right, value, context) => (typeof value === 'boolean' ? context.steps.valueText(value, context) : right(value, context)), { cost: 2 }],
  [
    'numbers-as-signed-texts',
    'is a JSON string with the signed text if it is a number',
    (right, value, context) => (isNumber(value) ? quoted(context.steps.valueText(value, context)) : right(value, context)),
    { cost: 2 },
  ],
  ['unescaped', 'is in quotes but not escaped', (right, value, context) => (typeof value === 'string' ? `"${value}"` : right(value, context))],
  ['as-written', 'is written as it is given if it is a number', (right, value, context) => (isNumber(value) ? value.number : right(value, context)), { cost: 2 }],
]);

export const JSON_NUMBER_TEXTS: Kind<Around<'jsonValue'>> = kind(
  NUMBERS.fix,
  applied(NUMBERS.changes, (write) => (right, value, context) => (isNumber(value) ? write(value.number) : right(value, context))),
);

/** Parameters with nested values, by the names that they have after flattening. */
type NestedParameters = readonly (readonly [name: string, value: ParameterValue])[];

/** Writes the values inside a list or an object as the body has other values. */
const bodyPrinter = (context: Context): Printer => {
  const { steps } = context;
  return {
    ...JSON_PRINTER,
    text: (text) => steps.jsonValue(text, context),
    name: quoted,
    number: (number) => steps.jsonValue({ number }, context),
    words: [steps.jsonValue(true, context), steps.jsonValue(false, context), 'null'],
  };
};

/** Sends some nested parameters as given, and the others flattened. */
const keepNested =
  (find: (given: ActionParameters) => NestedParameters): Around<'jsonMembers'> =>
  (right, sent, given, context, key) => {
    const nested = new Map(find(given));
    const isInner = (name: string): boolean => [...nested.keys()].some((outer) => name.startsWith(`${outer}.`) || name === outer);
    const flat = sent.filter(([name]) => !isInner(name));
    return [...right(flat, given, context, key), ...[...nested].map(([name, value]) => `${quoted(name)}:${printed(value, bodyPrinter(context))}`)];
  };

/** The lists that are items of lists, with the names of their place. */
function listInnerLists(name: string, value: ParameterValue, isItem = false): NestedParameters {
  if (value === null || !isNested(value)) return [];
  if (!('list' in value)) return value.object.flatMap(([member, inner]) => listInnerLists(`${name}.${member}`, inner));
  return isItem ? [[name, value]] : value.list.flatMap((item, at) => listInnerLists(`${name}.${at}`, item, true));
}

/** The outermost objects, with the names of their place. */
function listObjects(name: string, value: ParameterValue): NestedParameters {
  if (value === null || !isNested(value)) return [];
  return 'list' in value ? value.list.flatMap((item, at) => listObjects(`${name}.${at}`, item)) : [[name, value]];
}

/** Sends some values that are inside lists and objects as strings. */
const quotedInside =
  (isQuoted: (value: ScalarValue) => boolean): Around<'jsonMembers'> =>
  (right, sent, given, context, key) => {
    const members = right(sent, given, context, key);
    return sent.map(([name, value, within], at) => (within && isQuoted(value) ? `${context.steps.jsonName(name)}:${quoted(context.steps.jsonValue(value, context))}` : (members[at] ?? '')));
  };

const withoutMembers = (isLeftOut: (value: ScalarValue) => boolean): Around<'jsonMembers'> => {
  return (right, sent, ...given) =>
    right(
      sent.filter(([, value]) => !isLeftOut(value)),
      ...given,
    );
};

const isSignature = (member: string): boolean => member.startsWith('"Signature":');

const isNoSignature = (member: string): boolean => !isSignature(member);

/** The text of an object with further members at its end. */
const withMembersLast = (object: string, members: readonly string[]): string => `${[object.slice(0, -1), ...members].join(',')}}`;

const withGivenSignatures: Around<'jsonMembers'> = (right, sent, given, context, key) => {
  const own = given.flatMap(([name, value]) => (name === 'Signature' && typeof value === 'string' ? [`"Signature":${quoted(value)}`] : []));
  return [...right(sent, given, context, key), ...own];
};

export const JSON_FORMS: Kind<Around<'jsonMembers'>> = kind('send the flattened parameters, as they are signed', [
  ['nested', 'has nested lists and objects as given', keepNested((given) => given.filter(([, value]) => isNested(value)))],
  ['objects-nested', 'has objects as given, also those inside lists', keepNested((given) => given.flatMap(([name, value]) => listObjects(name, value))), { cost: 2 }],
  ['inner-lists-nested', 'has lists inside lists as given', keepNested((given) => given.flatMap(([name, value]) => listInnerLists(name, value)))],
  ['inner-numbers-quoted', 'has the numbers of lists and objects as strings', quotedInside(isNumber)],
  ['inner-words-quoted', 'has the numbers and booleans of lists and objects as strings', quotedInside((value) => isNumber(value) || typeof value === 'boolean')],
  ['password-encoded', 'has the Base64 of the parameter Password', (right, sent, ...given) => right(encodePassword(sent), ...given)],
  ['without-zero', 'lacks members whose value is 0', withoutMembers(isZero), { cost: 2 }],
  ['without-false', 'lacks members whose value is false', withoutMembers((value) => value === false), { cost: 2 }],
  ['without-empty-or-zero', 'lacks members whose value is empty or 0', withoutMembers((value) => value === '' || isZero(value)), { cost: 2 }],
  ['without-falsy', 'lacks members whose value is empty, 0 or false', withoutMembers(isFalsy), { cost: 2 }],
  [
    'signature-kept',
    'has the Signature of the caller instead of the computed one',
    withGivenSignatures,
    {
      fix: 'send the computed signature',
      also: { jsonBody: (right) => (members, signature, context) => (members.some(isSignature) ? `{${members.join(',')}}` : right(members, signature, context)) },
    },
  ],
  ['signature-before', 'has the Signature of the caller before the computed one', withGivenSignatures, { fix: 'leave the Signature of the caller out' }],
  [
    'signature-after',
    'has the Signature of the caller after the computed one',
    withGivenSignatures,
    {
      fix: 'leave the Signature of the caller out',
      also: { jsonBody: (right) => (members, signature, context) => withMembersLast(right(members.filter(isNoSignature), signature, context), members.filter(isSignature)) },
      cost: 2,
    },
  ],
  ['without-empty', 'lacks members whose value is empty', withoutMembers((value) => value === '')],
  ['sorted', 'is sorted by name', (right, sent, given, context, key) => right(sortedByName(sent), given, context, key), { cost: 3 }],
]);

const body = (write: (members: readonly string[], signature: string) => string): Steps['jsonBody'] => {
  return (members, signature, { steps }) => write(members, steps.jsonSignature(signature));
};

export const BODIES: Instead<'jsonBody'> = kind('send one JSON object with the parameters and Signature', [
  ['without-signature', 'lacks Signature', body((members) => `{${members.join(',')}}`)],
  ['in-data', 'has the parameters inside a member Data', body((members, signature) => `{"Data":{${members.join(',')}},"Signature":"${signature}"}`), { cost: 2 }],
  ['in-list', 'is a list around the object', body((members, signature) => `[{${[...members, `"Signature":"${signature}"`].join(',')}}]`), { cost: 2 }],
]);
