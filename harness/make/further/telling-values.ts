/**
 * Requests with values that tell similar mistakes apart.
 *
 * @module
 */
import type { ParameterValue } from '../../../reference/signing/index.ts';
import type { Dialect, Question } from '../../engine/protocol.ts';
import type { Input } from '../../engine/vector.ts';
import { TELLING_NUMBERS } from '../fuzz/edits.ts';

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
        parameters: [...parameters, ...values.flatMap(placeValue)],
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
