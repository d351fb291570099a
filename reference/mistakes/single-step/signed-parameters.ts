/**
 * Changes of the text, the digest and the sent form of signed parameters (§5.1).
 *
 * @module
 */
import { base64, urlEncode, utf8Bytes } from '../../signing/bytes.ts';
import type { Steps } from '../../signing/index.ts';
import type { Pair, ScalarValue } from '../../signing/types.ts';
import { BYTES_TEXTS } from '../changes/bytes.ts';
import { type Around, applied, type Change, inside, type Kind, kind, replaceSteps, type Wraps } from '../changes/change.ts';
import { DIGESTS } from '../changes/digests.ts';
import { separatorId } from '../changes/joins.ts';
import { clearText, PRINTERS, printed, printerIn, sortedIfTexts, strictClearText } from './parameters.ts';
import { type Instead, isFalsy, isNested, isZero, plain, quoted, sortedByName } from './shared.ts';

const SEPARATORS: readonly (readonly [id: string, text: string, phrase: string])[] = [
  ['equals', '=', 'an equals sign'],
  ['colon', ':', 'a colon'],
  ['space', ' ', 'a space'],
  ['comma', ',', 'a comma'],
  ['ampersand', '&', 'an ampersand'],
  ['line-feed', '\n', 'a line feed'],
  ['bar', '|', 'a vertical bar'],
  ['dot', '.', 'a dot'],
  ['equals-quoted', '="', 'an equals sign and a quote'],
];

export const ENTRIES: Instead<'parameterEntry'> = kind('write each name, then its value as sent, without separators or quotes', [
  ...SEPARATORS.map(([id, mark, phrase]): Change<Steps['parameterEntry']> => [id, `has ${phrase} between name and value`, (name, text) => name + mark + text]),
  ['value-only', 'is the value alone', (_, text) => text],
  ['name-only', 'is the name alone', (name) => name],
  ['name-underscores-as-dots', 'has dots instead of the underscores of the name, as in another service', (name, text) => name.replaceAll('_', '.') + text],
  ['value-first', 'has the value before the name', (name, text) => text + name],
  ['unsigned-when-empty', 'is left out if the value is empty', (name, text) => (text === '' ? '' : name + text)],
  ...['Region', 'Zone', 'ProjectId', 'SecurityToken'].map((own): Change<Steps['parameterEntry']> => {
    return [`empty-${own.toLowerCase()}-unsigned`, `is left out if it is ${own} and the value is empty`, (name, text) => (name === own && text === '' ? '' : name + text), { cost: 2 }];
  }),
  ['unsigned-when-null', 'is left out if the value is "null"', (name, text) => (text === 'null' ? '' : name + text)],
  ['unsigned-when-zero', 'is left out if the value is "0"', (name, text) => (text === '0' ? '' : name + text)],
  ['unsigned-when-false', 'is left out if the value is "false"', (name, text) => (text === 'false' ? '' : name + text)],
  ['unsigned-when-blank', 'is left out if the value is empty or only whitespace', (name, text) => (text.trim() === '' ? '' : name + text)],
  ['quoted', 'is written in quotes, as a JSON member', (name, text) => `${quoted(name)}:${quoted(text)}`, { cost: 2 }],
  ['password-clear', 'has the plain text of Password instead of its Base64', (name, text) => name + (name === 'Password' ? clearText(text) : text)],
  ['password-clear-if-text', 'has the plain text of Password instead of its Base64 if that is text in UTF-8', (name, text) => name + (name === 'Password' ? strictClearText(text) : text), { cost: 2 }],
  ['password-escaped', 'has the value of Password percent-encoded', (name, text) => name + (name === 'Password' ? urlEncode(text) : text)],
  ['password-encoded-again', 'has the Base64 of Password encoded in Base64 again', (name, text) => name + (name === 'Password' ? base64(utf8Bytes(text)) : text)],
]);

const NAME_SEPARATORS = ['=', ':', ' ', ',', '|', ''];

const PAIR_SEPARATORS = ['&', ',', ', ', '\n', ';', '|'];

const describeMark = (mark: string): string => ({ '': 'nothing', ' ': 'a space', '\n': 'a line feed' })[mark] ?? quoted(mark);

type Layout = (pairs: readonly Pair[]) => string;

const pairsWith = (mark: string, between: string, encode = plain): Layout => {
  return (pairs) => pairs.map(([name, text]) => encode(name) + mark + encode(text)).join(between);
};

const encodedQuery = pairsWith('=', '&', urlEncode);

const aliyun = (method: string): Layout => {
  return (pairs) => `${method}&%2F&${urlEncode(encodedQuery(pairs))}`;
};

const namesOf: Layout = (pairs) => pairs.map(([name]) => name).join('');

const valuesOf: Layout = (pairs) => pairs.map(([, text]) => text).join('');

const withKeySent =
  (arrange: (pairs: readonly Pair[]) => readonly Pair[]): Around<'signatureOfFlat'> =>
  (right, parameters, privateKey, context, given) => {
    const stages = right(parameters, privateKey, context, given);
    return { ...stages, sortedParameters: arrange([...stages.sortedParameters, ['PrivateKey', privateKey]]) };
  };

export const SENT_KEYS: Kind<Around<'signatureOfFlat'>> = kind('leave the private key out of what is sent', [
  ['private-key-in-order', 'is sent with the private key as a parameter PrivateKey, at its place in byte order', withKeySent(sortedByName)],
  [
    'private-key-last',
    'is sent with the private key as a parameter PrivateKey, after the others',
    withKeySent((pairs) => pairs),
    { also: { jsonMembers: (right) => (sent, given, context, privateKey) => [...right(sent, given, context, privateKey), `"PrivateKey":${quoted(privateKey)}`] } },
  ],
]);

export const KEYS_IN_ORDER: Kind<Around<'signatureOfFlat'>> = kind(
  'append the private key to the end of the signed text, without a name',
  ['PrivateKey', 'privateKey', 'private_key', 'SecretKey'].map((name) => [
    `key-as-${name.replace('_', '-')}`,
    `has the private key as a parameter named ${name}, at its place in byte order, and not at the end`,
    (right, parameters, privateKey, context, given) => {
      const { sortedParameters } = right(parameters, privateKey, context, given);
      return { ...right([...parameters, [name, privateKey]], '', context, given), sortedParameters };
    },
  ]),
);

/** Sends the pairs of a query in another way than it signs them, by the values that the parameters have. */
const sentInQueryBy =
  (rewrite: (pair: Pair, value: ScalarValue) => Pair | undefined): Around<'signatureOfFlat'> =>
  (right, parameters, privateKey, context, given) => {
    const stages = right(parameters, privateKey, context, given);
    const values = new Map(parameters.map(([name, value]) => [name, value]));
    const rewritten = ([name, text]: Pair): readonly Pair[] => {
      const pair = rewrite([name, text], values.get(name) ?? text);
      return pair ? [pair] : [];
    };
    return { ...stages, sortedParameters: stages.sortedParameters.flatMap(rewritten) };
  };

const unsentIf = (isUnsent: (value: ScalarValue) => boolean): Around<'signatureOfFlat'> => sentInQueryBy((pair, value) => (isUnsent(value) ? undefined : pair));

export const SENT_PAIRS: Kind<Around<'signatureOfFlat'>> = kind('send each parameter in the query with the text that is signed', [
  ['zero-unsent', 'lacks numbers that are 0, which are signed', unsentIf(isZero)],
  ['false-unsent', 'lacks booleans that are false, which are signed', unsentIf((value) => value === false)],
  ['falsy-unsent', 'lacks values that are 0, false or empty, which are signed', unsentIf(isFalsy)],
  ['password-unpadded', 'has the value of Password without "=" at its end', sentInQueryBy(([name, text]) => [name, name === 'Password' ? text.replace(/(?<!=)=+$/, '') : text])],
  ['numbers-as-written', 'has numbers as the input writes them, not as signed', sentInQueryBy(([name, text], value) => [name, typeof value === 'object' ? value.number : text])],
]);

/** Signs the parameters as other steps flatten them, and sends them correctly. */
const signedBy =
  (change: (steps: Steps) => Partial<Steps>): Around<'signatureOfFlat'> =>
  (right, parameters, privateKey, context, given) => {
    const sent = right(parameters, privateKey, context, given);
    if (!given.some(([, value]) => isNested(value))) return sent;
    const own = replaceSteps(context, change(context.steps));
    const signed = right(own.steps.signedParameters(given, own), privateKey, context, given);
    return { ...signed, sortedParameters: sent.sortedParameters };
  };

export const SIGNED_FORMS: Kind<Around<'signatureOfFlat'>> = kind('sign the flattened parameters, as they are sent', [
  ...PRINTERS.flatMap(([id, clause, printer]): Change<Around<'signatureOfFlat'>>[] => {
    const list: Partial<Steps> = { flattenedList: (name, items, context) => [[name, printed({ list: items }, printerIn(printer, context))]] };
    const object: Partial<Steps> = { flattenedObject: (name, members, context) => [[name, printed({ object: members }, printerIn(printer, context))]] };
    const withClause = (noun: string): string => `has one text for each ${noun}, which ${clause}`;
    return [
      [`nested-${id}`, withClause('list and object'), signedBy(() => ({ ...list, ...object })), { cost: 2 }],
      [`lists-${id}`, withClause('list'), signedBy(() => list), { cost: 2 }],
      [`objects-${id}`, withClause('object'), signedBy(() => object), { cost: 3 }],
    ];
  }),
  ['lists-sorted', 'has the texts of each list in byte order', signedBy(() => ({ listItems: sortedIfTexts })), { cost: 2 }],
]);

/** Layouts of all parameters at once. */
const ROWS: readonly Change<Layout>[] = [
  ...NAME_SEPARATORS.flatMap((mark) =>
    PAIR_SEPARATORS.flatMap((between): Change<Layout>[] => {
      const id = `${separatorId(mark)}-and-${separatorId(between)}`;
      const phrase = `and ${describeMark(between)} between pairs`;
      return [
        [id, `has ${describeMark(mark)} between names and values, ${phrase}`, pairsWith(mark, between)],
        [`${id}-encoded`, `has ${describeMark(mark)} between percent-encoded names and values, ${phrase}`, pairsWith(mark, between, urlEncode), { cost: 2 }],
      ];
    }),
  ),
  ['form-encoded', 'is a form-encoded query', (pairs) => new URLSearchParams(pairs.map(([name, text]): [string, string] => [name, text])).toString()],
  ['line-feed-after-pairs', 'has "=" between names and values, and a line feed after each pair', (pairs) => pairs.map(([name, text]) => `${name}=${text}\n`).join(''), { cost: 2 }],
  ['json', 'is a JSON object', (pairs) => JSON.stringify(Object.fromEntries(pairs))],
  ['json-spaced', 'is a JSON object with spaces', (pairs) => `{${pairsWith(': ', ', ', quoted)(pairs)}}`, { cost: 2 }],
  ['aliyun', 'has the layout of the RPC API of Aliyun, for GET', aliyun('GET')],
  ['aliyun-post', 'has the layout of the RPC API of Aliyun, for POST', aliyun('POST'), { cost: 2 }],
  ['values-first', 'has all values, then all names', (pairs) => valuesOf(pairs) + namesOf(pairs), { cost: 3 }],
  ['names-first', 'has all names, then all values', (pairs) => namesOf(pairs) + valuesOf(pairs), { cost: 3 }],
];

/** Other layouts of the names and values as they are signed. */
export const LAYOUTS: Instead<'parametersText'> = kind(
  'write each name and its value one after the other, without separators and unencoded',
  applied(
    ROWS,
    (write) =>
      (pairs, { steps }) =>
        write(pairs.map(([name, text]) => [steps.signedName(name), steps.signedValue(text)])),
  ),
);

export const PREFIXES: Kind<(text: string) => string> = kind('sign only the names and values, without a method or a path', [
  ...['GET', 'POST'].flatMap((method): Change<(text: string) => string>[] => {
    const id = method.toLowerCase();
    return [
      [`${id}-before`, `starts with ${method}`, (text) => method + text],
      [`${id}-line-before`, `starts with the lines ${method} and /`, (text) => `${method}\n/\n${text}`, { cost: 2 }],
      [`${id}-and-path-before`, `starts with ${method}&%2F&`, (text) => `${method}&%2F&${text}`],
      [`${id}-as-aliyun`, `has the layout of the RPC API of Aliyun, for ${method}`, (text) => `${method}&%2F&${urlEncode(text)}`],
    ];
  }),
  ['slash-before', 'starts with a slash', (text) => `/${text}`],
  ['question-mark-before', 'starts with a question mark', (text) => `?${text}`],
  ['target-before', 'starts with /?', (text) => `/?${text}`],
]);

const withKey = (write: (text: string, key: string) => string): Steps['withPrivateKey'] => {
  return (text, key, { steps }) => write(text, steps.actionKey(key));
};

export const KEY_MARKS: Instead<'withPrivateKey'> = kind('append the private key to the text without a separator', [
  ...SEPARATORS.map(([id, mark, phrase]): Change<Steps['withPrivateKey']> => {
    return [`key-after-${id}`, `has ${phrase} before the private key`, withKey((text, key) => text + mark + key)];
  }),
  ['key-first', 'starts with the private key instead of ending with it', withKey((text, key) => key + text)],
  ['key-at-both-ends', 'has the private key at both ends', withKey((text, key) => key + text + key)],
  ['key-as-parameter', 'ends with &key= and the private key', withKey((text, key) => `${text}&key=${key}`)],
  ['key-as-key', 'ends with key= and the private key', withKey((text, key) => `${text}key=${key}`), { cost: 2 }],
  ['key-named', 'ends with PrivateKey and the private key', withKey((text, key) => `${text}PrivateKey${key}`)],
  ['key-named-pair', 'ends with &PrivateKey= and the private key', withKey((text, key) => `${text}&PrivateKey=${key}`), { cost: 2 }],
  ['key-and-ampersand', 'ends with an ampersand', withKey((text, key) => `${text}${key}&`), { cost: 2 }],
  ['key-as-parameter-key', 'ends with &Key= and the private key', withKey((text, key) => `${text}&Key=${key}`), { cost: 2 }],
  ['key-as-secret', 'ends with &secret= and the private key', withKey((text, key) => `${text}&secret=${key}`), { cost: 2 }],
  ['key-twice', 'ends with the private key twice', withKey((text, key) => text + key + key), { cost: 2 }],
]);

/** The encodings with characters that a query escapes. */
const BASE64 = ['base64', 'base64-of-hex', 'base64-of-upper-hex', 'base64-twice', 'base64-lines', 'base64-mime'];

type ActionDigest = Change<Steps['actionDigest']>;

const DIGEST = 'append the private key to the text and hash it with SHA-1';

export const ACTION_DIGESTS: Instead<'actionDigest'> = kind(
  DIGEST,
  applied(
    DIGESTS.changes,
    (digest) =>
      (_, { text, privateKey }, { steps }) =>
        digest(steps.actionTextBytes(steps.actionKey(privateKey)), steps.actionTextBytes(text)),
  ),
);

/** Leaves the signature in a query unescaped, as is right for hexadecimal digits only. */
const UNESCAPED = { querySignature: () => (signature: string) => signature } satisfies Wraps;

/** The digest of another scheme, in Base64. */
export const ACTION_SCHEMES: Instead<'actionDigest'> = kind(
  DIGEST,
  ACTION_DIGESTS.changes.flatMap(([id, clause, digest, notes]): readonly ActionDigest[] => {
    const cost = (notes?.cost ?? 1) + 1;
    const also = { actionSignatureText: () => base64 };
    return [
      [`${id}-base64`, `${clause}, in Base64`, digest, { cost, also }],
      [`${id}-base64-unescaped`, `${clause}, in Base64, which queries do not escape`, digest, { cost: cost + 1, also: { ...also, ...UNESCAPED } }],
    ];
  }),
);

/** The digest in Base64, which queries do not escape. */
export const UNESCAPED_TEXTS: Instead<'actionSignatureText'> = kind(
  'write {noun} as 40 lower-case hexadecimal digits',
  inside(
    BYTES_TEXTS.changes.filter(([id]) => BASE64.includes(id)),
    '$-unescaped',
    '$, which queries do not escape',
    (write) => write,
    { cost: 2, also: UNESCAPED },
  ),
);
