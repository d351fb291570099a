/**
 * Requests with values that tell similar mistakes apart.
 *
 * @module
 */
import type {
  ActionParameters,
  HeaderList,
  ParameterValue,
} from '../../../reference/signing/index.ts';
import type { Dialect, Question } from '../../engine/protocol.ts';
import type { Input } from '../../engine/vector.ts';

/** Whitespace that some functions trim or merge and others keep. */
const WHITESPACE = ['\t', '\v', '\f', '\0', '\u001c', '\u001f', '\u0085', '\u00a0', '\u3000'];

/** Separators of parts, lines, paths, queries, headers and markup. */
const MARKS = '.=:?+;#&,|-_/\\@"\'*~%$!()[]{}<>`^';

const SIZES = [17, 33, 65, 129, 257, 513];

const split = (texts: string): readonly string[] => texts.split(' ');

/** Texts that the common alterations of texts treat differently. */
const TEXTS: readonly string[] = [
  ...[' ', '  ', ' a', 'a ', 'a b', 'a  b'],
  ...[...WHITESPACE, '\ufeff', '\n'].flatMap((space) => [`${space}a${space}`, `a${space}b`]),
  ...['a\r\nb', 'a\rb', 'a\u2028b'],
  ...[...MARKS].map((mark) => `B${mark}a${mark}C${mark}`),
  ...['a, b', 'a; b', 'a: b', 'aBC dEF'],
  ...split('/a //a//b ./a/../b /a/b/ a/./b/../c// \\a a\\ +a =a a== a?b#c'),
  ...split('<b>a</b> b>a<b &#39; \\u0041 %41 %zz %2541 %e4 %C3%A4 a% 100%'),
  // The Base64 of these has "+", "/" and padding.
  ...split('>>>??? >> ?'),
  ...split('\u00e9 \u0101 \u9375 \u{1f600} e\u0301 \ufb01 \u0130 \u00df \u212a \uff41 \uff11'),
  ...split('007 1.50 -0 +9 1e3 1.0 0 0.0 12345678901234567890 0x1F true False null iPhone-x_y'),
  ...SIZES.flatMap((size) => ['k'.repeat(size), '\u00e9'.repeat(size)]),
];

/** Numbers that implementations write in different ways. */
const TELLING_NUMBERS: readonly string[] = [
  ...['1.0', '1.10', '-0.0', '1e7', '1e15', '1e16', '1e21', '0.001', '0.00001', '0.0000001'],
  ...['12345678901234567890', '9007199254740993', '18446744073709551616', '1234567890'.repeat(4)],
  ...['0.5', '1.5', '2.5', '0.1', '123456.5', '1234565', '1234575', '12345678.9', '16777217'],
  ...['-0', '0.0', '1E+2', '1e-5', '1e100', '3.4028236e38', '12345678901234565'],
  ...['0.1234567890123456785', '1.00000000000000025', '123456789012345.65'],
];

const VALUES: readonly ParameterValue[] = [
  ...TEXTS,
  ...TELLING_NUMBERS.map((number) => ({ number })),
  true,
];

/** So many values are parameters of one request: if mistakes differ on one of them, the signatures differ. */
const VALUES_AT_ONCE = 12;

const GROUPS = Array.from({ length: Math.ceil(VALUES.length / VALUES_AT_ONCE) }, (_, i) =>
  VALUES.slice(i * VALUES_AT_ONCE, (i + 1) * VALUES_AT_ONCE),
);

/** HTTP forbids control characters in headers, and no rule says how these others are sent. */
const NOT_IN_HEADERS = /[\0-\u0008\n-\u001f\u007f-\u009f\u2003\u2028\ufeff]/;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** The request with each telling value in turn: in several places at once, so that two mistakes in different places differ too. */
export function addTellingValues(question: Question, dialect: Dialect): readonly Question[] {
  const { parameters, ...rest } = question.input;
  const inputs = parameters
    ? GROUPS.map((values) => ({
        ...rest,
        parameters: [...parameters, ...values.flatMap(placeValue).filter(isFurther(parameters))],
      }))
    : VALUES.flatMap((value) => addValue(question.input, value, dialect) ?? []);
  return inputs.map((input) => ({ ...question, input }));
}

function addValue(input: Input, value: ParameterValue, dialect: Dialect): Input | undefined {
  const { text, members, headers, query, body } = input;
  if (typeof value !== 'string') return undefined;
  if (text !== undefined) return { ...input, text: value };
  if (members) return { ...input, members: [...members, ['telling', value]] };
  if (query !== undefined)
    return { ...input, query: `${query}&telling=${encodeURIComponent(value)}` };
  if (body !== undefined) return addToBody(input, body, value);
  return headers ? addToHeaders(input, value, dialect) : undefined;
}

/** A text is also a name, which the request may already have. */
function isFurther(given: ActionParameters): (parameter: ActionParameters[number]) => boolean {
  const names = new Set(given.map(([name]) => name));
  return ([name]) => !names.has(name);
}

/** Parameters with a value: at the top, in a list and in an object; a text also as a name. */
function placeValue(
  value: ParameterValue,
  at: number,
): readonly (readonly [string, ParameterValue])[] {
  const isName = typeof value === 'string' && value !== '';
  return [
    [`telling-${at}`, value],
    [`telling-list-${at}`, { list: [value, 'a', { list: [value, { object: [['a', value]] }] }] }],
    [
      `telling-object-${at}`,
      {
        object: [
          ['a', value],
          ['b', { list: [value] }],
        ],
      },
    ],
    ...(isName
      ? [[value, 'a'] as const, [`telling-${value}`, { object: [[value, 'a']] }] as const]
      : []),
  ];
}

function addToBody(input: Input, body: string, value: string): Input | undefined {
  if (!body.endsWith('}'))
    return { ...input, body: `${body}&telling=${encodeURIComponent(value)}` };
  const member = `"telling":${JSON.stringify(value)}}`;
  return { ...input, body: `${body.slice(0, -1)},${member}` };
}

function addToHeaders(input: Input, value: string, { headerPrefix }: Dialect): Input | undefined {
  const { headers = [], key } = input;
  if (NOT_IN_HEADERS.test(value)) return undefined;
  const others = headers.filter(
    ([name]) => !/^\s*(?:content-type|content-md5|date)\s*$/i.test(name),
  );
  return {
    ...input,
    ...(key !== undefined && { key: value }),
    headers: [
      ...others,
      ...['Content-Type', 'Content-MD5', 'Date', `${headerPrefix}Telling`].map(
        (name) => [name, value] as const,
      ),
      ...(TOKEN.test(value) ? [[`${headerPrefix}Telling-${value}`, value] as const] : []),
    ],
  };
}

const withInput = (question: Question, changed: Input): Question => ({
  ...question,
  input: { ...question.input, ...changed },
});

/**
 * The question with the first number of its body, which may be within a text, replaced by each of the telling ones; none without
 * a number. The signature is that of the old body.
 */
export function replaceFirstNumber(question: Question): readonly Question[] {
  const { body = '' } = question.input;
  if (!/[:[,]\s?-?[0-9]/.test(body)) return [];
  return TELLING_NUMBERS.map((number) =>
    withInput(question, { body: body.replace(/([:[,]\s?)-?[0-9][0-9.eE+-]*/, `$1${number}`) }),
  );
}

/** The question with one of its headers at a time, and with Authorization if there is one; none if there is only one other header. */
export function isolateHeaders(question: Question): readonly Question[] {
  const isNeeded = ([name]: HeaderList[number]): boolean => /^\s*authorization\s*$/i.test(name);
  const { headers = [] } = question.input;
  const needed = headers.filter(isNeeded);
  const others = headers.filter((one) => !isNeeded(one));
  if (others.length < 2) return [];
  return others.map((one) => withInput(question, { headers: [one, ...needed] }));
}

/** The question with each extra header repeated at the end, at other times, and with further headers that are not signed. */
export function extendQuestion(question: Question): readonly Question[] {
  const { headers, url = '' } = question.input;
  const extra = headers?.filter(([name]) => /^x-/i.test(name)) ?? [];
  return [
    ...extra.map((one) => ({ headers: [...(headers ?? []), one] })),
    ...moveClock(url).map((now) => ({ now })),
    ...(headers ? [{ headers: addUnsignedHeaders(headers) }] : []),
  ].map((changed) => withInput(question, changed));
}

/** In seconds, from 2 s to 28 h. Between two of them is one of the usual tolerances of verifiers, such as 5 min. */
const DISTANCES = [2, 7, 20, 45, 90, 200, 450, 750, 1300, 2700, 5400, 20_000, 50_000, 100_000];

/** Clocks before and after the expiry of a pre-signed URL, in Unix seconds; none without a plain expiry. */
function moveClock(url: string): readonly string[] {
  const expires = /[?&]Expires=([0-9]{1,12})(?:&|$)/.exec(url)?.[1];
  if (expires === undefined) return [];
  return DISTANCES.flatMap((distance) => [-distance, distance])
    .map((distance) => Number(expires) + distance)
    .filter((now) => now >= 0)
    .map(String);
}

/** Headers that clients and proxies add. They are not signed, but mistakes read them or depend on them. */
const UNSIGNED_HEADERS: HeaderList = [
  ['Host', 'media.files.example'],
  ['Content-Length', '11'],
  ['Content-Encoding', 'gzip'],
  ['User-Agent', 'client/1.0'],
  ['Accept', '*/*'],
  ['ETag', '"0123abcd"'],
  ['Expires', 'Thu, 01 Jan 2026 00:00:00 GMT'],
  ['Last-Modified', 'Tue, 06 Jan 2026 00:00:00 GMT'],
  ['X-Date', 'Wed, 07 Jan 2026 00:00:00 GMT'],
];

/** The headers with the unsigned ones that they lack. */
function addUnsignedHeaders(headers: HeaderList): HeaderList {
  const names = new Set(headers.map(([name]) => name.trim().toLowerCase()));
  return [...headers, ...UNSIGNED_HEADERS.filter(([name]) => !names.has(name.toLowerCase()))];
}
