/**
 * Changes of the lines of Content-MD5, Content-Type and Date (§5.2).
 *
 * @module
 */
import { base64, hexadecimal } from '../../signing/bytes.ts';
import type { PositionalName, PositionalValues } from '../../signing/file-requests.ts';
import type { Steps } from '../../signing/index.ts';
import type { Context, FileRequest, HeaderList, Pair } from '../../signing/types.ts';
import { before, fromHex, lowBytes } from '../changes/bytes.ts';
import { type Around, type Change, inside, type Kind, kind, type Wraps } from '../changes/change.ts';
import { TRIMS } from '../changes/texts.ts';
import { mediaTypeOfGo, typeOfGo } from './media-type-of-go.ts';
import { bareName, binaryOf, filterNamed, headerOf, type Instead, lowerCase, plain, refuse, slugOf, turkish, upperCase } from './shared.ts';

const METHODS = ['GET', 'PUT', 'POST', 'HEAD', 'DELETE'];

const knownOr = (other: (method: string) => string): Steps['verb'] => {
  return (method) => (METHODS.includes(upperCase(method)) ? upperCase(method) : other(method));
};

export const VERBS: Instead<'verb'> = kind('sign the method of the request in upper case', [
  ...METHODS.map((method): Change<Steps['verb']> => [`always-${method.toLowerCase()}`, `is always ${method}`, () => method]),
  ['as-given', 'is signed as it was given', (method) => method],
  ['unknown-as-given', 'is signed as it was given unless it is GET, HEAD, PUT, POST or DELETE', knownOr((method) => method)],
  ['head-as-get', 'is GET for a HEAD request', (method) => upperCase(method).replace(/^HEAD$/, 'GET')],
  ['unknown-refused', 'is refused unless it is GET, HEAD, PUT, POST or DELETE', knownOr(() => refuse('method', 'unknown method')), { fix: 'sign any method, in upper case' }],
  ['get-unless-put', 'is GET unless it is PUT', (method) => (upperCase(method) === 'PUT' ? 'PUT' : 'GET')],
  ['unknown-as-get', 'is GET for an unknown verb', knownOr(() => 'GET')],
  ['patch-as-post', 'is POST for a PATCH request', (method) => upperCase(method).replace(/^PATCH$/, 'POST')],
  ['put-as-post', 'is POST for a PUT request', (method) => upperCase(method).replace(/^PUT$/, 'POST')],
]);

const JOINED_VALUES: Wraps = { oneValue: () => (values: readonly string[]) => values.join(',') };
const WHOLE_NAMES = { fix: 'compare the whole name of a header with Content-MD5, Content-Type and Date, without regard to case' };

const FIRST_VALUE: Wraps = { oneValue: () => (values: readonly string[]) => values[0] ?? '' };

/** Finds one of the positional headers in a wrong way, and the others correctly. */
const onlyOf =
  (one: PositionalName, isFound: (header: string) => boolean): Steps['isPositional'] =>
  (header, name) =>
    name === one ? isFound(header) : bareName(header) === lowerCase(name);

export const POSITIONAL_NAMES: Instead<'isPositional'> = kind('look up Content-MD5, Content-Type and Date without regard to case', [
  ['as-spelled', 'finds only these spellings, not others such as content-type', (header, name) => header === name],
  ['lower-case-only', 'finds only names in lower case, such as content-type', (header, name) => header === lowerCase(name)],
  ['title-case', 'finds only Content-Md5, Content-Type and Date in these spellings', (header, name) => header === name.replace('MD5', 'Md5')],
  ['spelled-or-lower', 'finds only these spellings and names in lower case', (header, name) => header === name || header === lowerCase(name)],
  ...(['Content-MD5', 'Content-Type', 'Date'] as const).flatMap((one): Change<Steps['isPositional']>[] => {
    const id = lowerCase(one);
    return [
      [`${id}-as-spelled`, `finds ${one} only in this spelling, not as ${id}`, onlyOf(one, (header) => header === one), { cost: 2 }],
      [`${id}-by-prefix`, `finds ${one} at the start of longer names too`, onlyOf(one, (header) => bareName(header).startsWith(id)), { ...WHOLE_NAMES, cost: 2 }],
      [`${id}-by-suffix`, `finds ${one} at the end of longer names too`, onlyOf(one, (header) => bareName(header).endsWith(id)), { ...WHOLE_NAMES, cost: 2 }],
      [`${id}-after-hyphen`, `finds ${one} after a hyphen at the end of longer names too`, onlyOf(one, (header) => `-${bareName(header)}`.endsWith(`-${id}`)), { ...WHOLE_NAMES, cost: 2 }],
      [`${id}-lower-case-only`, `finds ${one} only in lower case, as ${id}`, onlyOf(one, (header) => header === id), { cost: 2 }],
    ];
  }),
  ['content-md5-title-case', 'finds Content-MD5 only if it is spelled Content-Md5', onlyOf('Content-MD5', (header) => header === 'Content-Md5'), { cost: 2 }],
  ['untrimmed', 'does not find a name with spaces or tabs around it', (header, name) => lowerCase(header) === lowerCase(name)],
  ['by-prefix', 'finds names at the start of longer names too', (header, name) => bareName(header).startsWith(lowerCase(name)), WHOLE_NAMES],
  ['by-suffix', 'finds names at the end of longer names too', (header, name) => bareName(header).endsWith(lowerCase(name)), WHOLE_NAMES],
  ['by-suffix-first', 'finds names at the end of longer names too, and the first of several counts', (header, name) => bareName(header).endsWith(lowerCase(name)), { ...WHOLE_NAMES, cost: 2, also: FIRST_VALUE }],
  [
    'date-after-hyphen-joined',
    'finds Date after a hyphen at the end of longer names too, and joins several values by commas',
    onlyOf('Date', (header) => `-${bareName(header)}`.endsWith('-date')),
    { ...WHOLE_NAMES, cost: 2, also: JOINED_VALUES },
  ],
  ['by-part', 'finds names inside longer names too', (header, name) => lowerCase(header).includes(lowerCase(name)), { ...WHOLE_NAMES, cost: 2 }],
  ['underscores', 'finds names with underscores instead of hyphens too', (header, name) => bareName(header).replaceAll('_', '-') === lowerCase(name), { cost: 2 }],
  ['turkish', 'compares names in lower case by the rules of Turkish, where I becomes ı', (header, name) => turkish(header.trim()) === lowerCase(name), { cost: 3 }],
]);

export const REPEATED: Instead<'oneValue'> = kind('refuse a request in which Content-MD5, Content-Type or Date appears twice', [
  ['first', 'is its first value', (values) => values[0] ?? ''],
  ['last', 'is its last value', (values) => values.at(-1) ?? ''],
  ['comma', 'is all its values, joined with commas', (values) => values.join(',')],
  ['comma-space', 'is all its values, joined with a comma and a space', (values) => values.join(', ')],
  ['bare', 'is all its values, joined without a separator', (values) => values.join('')],
  ['empty', 'is empty', (values) => (values.length > 1 ? '' : (values[0] ?? ''))],
]);

export const unlessEmpty = (mark: string, text: string): string => text && mark + text;

export const POSITIONAL_LINES: Kind<Around<'positionalValue'>> = kind('sign only the value of the header, unfolded and without spaces and tabs at its ends, and not its name', [
  ['named', 'is signed after its name in lower case and a colon', (right, headers, name, context) => unlessEmpty(`${lowerCase(name)}:`, right(headers, name, context))],
  ['named-as-spelled', 'is signed after its name and a colon', (right, headers, name, context) => unlessEmpty(`${name}:`, right(headers, name, context))],
  ['named-always', 'is signed after its name in lower case and a colon, even if it is absent', (right, headers, name, context) => `${lowerCase(name)}:${right(headers, name, context)}`],
  ['named-with-space', 'is signed after its name, a colon and a space', (right, headers, name, context) => unlessEmpty(`${name}: `, right(headers, name, context))],
  ['as-sent', 'is signed with its folds and with spaces and tabs at its ends', (_, headers, name, { steps }) => headers.find(([header]) => steps.isPositional(header, name))?.[1] ?? ''],
]);

type Line = Change<(line: string) => string>;

const MEDIA_TYPE = /^([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)((?:[ \t]*;[ \t]*[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"(?:[^"\\]|\\.)*"))*)$/;
const PARAMETER = /;[ \t]*([^;= \t]+)=([^;" \t]+|"(?:[^"\\]|\\.)*")/g;

/** A media type as a parser writes it again; a line without a media type stays unchanged. */
const reprintWith =
  (semicolon: string, ofType: Line[2], ofName: Line[2], ofValue: Line[2]): Line[2] =>
  (line) => {
    const [, type = '', parameters = ''] = MEDIA_TYPE.exec(line) ?? [];
    if (type === '') return line;
    const printed = Array.from(parameters.matchAll(PARAMETER), ([, name = '', value = '']) => `${semicolon}${ofName(name)}=${ofValue(value)}`);
    return ofType(type) + printed.join('');
  };

/** How parsers of media types write them again. */
const REPRINTED: readonly Line[] = [
  ['spaced', '"; "', '; '],
  ['bare', '";"', ';'],
].flatMap(([separator = '', said = '', semicolon = '']): Line[] => {
  const before = `with ${said} before each parameter`;
  const printed: readonly Line[] = [
    [`parsed-${separator}`, `is parsed and written again ${before}`, reprintWith(semicolon, plain, plain, plain)],
    [`parsed-${separator}-type-lower`, `is parsed and written again with its type in lower case and ${before}`, reprintWith(semicolon, lowerCase, plain, plain)],
    [`parsed-${separator}-names-lower`, `is parsed and written again with its type and the names of its parameters in lower case and ${before}`, reprintWith(semicolon, lowerCase, lowerCase, plain)],
    [`parsed-${separator}-lower`, `is parsed and written again in lower case and ${before}`, reprintWith(semicolon, lowerCase, lowerCase, lowerCase)],
  ];
  // A simple parser knows no quoted values.
  return printed.flatMap(([id, clause, print]): Line[] => [
    [id, clause, print],
    [`${id}-unquoted`, `${clause}, unless it has a quoted value`, (line) => (line.includes('"') ? line : print(line))],
  ]);
});

export const BINARY_TYPE = 'application/octet-stream';

export const UPLOAD_TYPES: readonly string[] = [BINARY_TYPE, 'text/plain', 'application/x-www-form-urlencoded', 'application/json'];

const TEXT_TYPES = ['text/plain', 'application/json', 'application/x-www-form-urlencoded'];

const DEFAULT_TYPES = [...UPLOAD_TYPES, ...['binary/octet-stream', 'multipart/form-data', 'text/html', 'application/xml'], ...TEXT_TYPES.map((type) => `${type}; charset=utf-8`)];

export const TYPE_LINES: Kind<(line: string) => string> = kind('sign the whole value of Content-Type and add nothing to it, or sign an empty line if it is not sent', [
  ...DEFAULT_TYPES.flatMap((type): Line[] => [
    [`default-${slugOf(type)}`, `is ${type} if Content-Type is absent or empty`, (line) => line || type],
    [`always-${slugOf(type)}`, `is always ${type}`, () => type, { cost: 2 }],
  ]),
  ['lower-case-ascii-only', 'is in lower case, and empty if it has a character that is not printable ASCII', (line) => (/^[ -~]*$/.test(line) ? lowerCase(line) : ''), { cost: 2 }],
  ['okhttp', 'has "; charset=utf-8" added to a media type without a charset, as by toRequestBody of OkHttp', (line) => (/^[^\s;/]+\/[^\s;/]/.test(line) && !/;\s*charset=/i.test(line) ? `${line}; charset=utf-8` : line)],
  ...['; charset=utf-8', ';charset=utf-8', '; charset=UTF-8', ';charset=UTF-8'].flatMap((charset): Line[] => {
    const id = `with${slugOf(charset)}-${charset.length}${charset.includes('UTF') ? 'u' : 'l'}`;
    return [
      [`text-${id}`, `has "${charset}" added after a text type without parameters`, (line) => line.replace(/^text\/[^;]*$/, `$&${charset}`)],
      [`any-text-${id}`, `has "${charset}" added after a text type without a charset`, (line) => (/^text\//i.test(line) && !/;\s*charset=/i.test(line) ? line + charset : line), { cost: 2 }],
      [`json-${id}`, `has "${charset}" added after application/json`, (line) => (line === 'application/json' ? line + charset : line), { cost: 2 }],
      [`all-${id}`, `has "${charset}" added after a type without parameters`, (line) => line.replace(/^[^;]+$/, `$&${charset}`)],
    ];
  }),
  ['parameters-spaced', 'has one space after each semicolon', (line) => line.replace(/;[ \t]*/g, '; ')],
  ['parameters-spaced-around', 'has one space after each semicolon and none before it', (line) => line.replace(/(?<![ \t])[ \t]*;[ \t]*/g, '; ')],
  ['parameters-spaced-if-none', 'has one space after each semicolon that no space or tab follows', (line) => line.replace(/;(?=[^ \t])/g, '; ')],
  ['parameters-unspaced', 'has no space around its semicolons', (line) => line.replace(/(?<![ \t])[ \t]*;[ \t]*/g, ';')],
  ...REPRINTED,
  ['type-of-go', 'is only the media type, in lower case, that the package mime of Go parses', typeOfGo],
  ['reprinted-of-go', 'is parsed and written again by the package mime of Go', mediaTypeOfGo],
  ...inside(
    TRIMS,
    'type-only-$',
    'is cut at its first semicolon and $',
    (trim): Line[2] =>
      (line) =>
        trim(before(line, ';')),
    { fix: 'sign the parameters of Content-Type too, such as its charset', cost: 2 },
  ),
  ['type-lower-case', 'is in lower case up to its parameters', (line) => line.replace(/^[^;]*/, lowerCase)],
  ['charset-lower-case', 'has its charset in lower case', (line) => line.replace(/(?<=charset=)[^;]*/i, lowerCase), { cost: 2 }],
  ['charset-and-name-lower-case', 'has its parameter charset in lower case, both name and value', (line) => line.replace(/charset=[^;]*/i, lowerCase), { cost: 2 }],
  ['jpeg', 'is image/jpeg for image/jpg', (line) => line.replace('image/jpg', 'image/jpeg'), { cost: 3 }],
  ['known-only', 'is empty unless it is a text, image or application type', (line) => (/^(?:text|image|application)\//.test(line) ? line : ''), { cost: 3 }],
  ['multipart-without-boundary', 'lacks the boundary of a multipart type', (line) => line.replace(/^(multipart\/[^;]*);.*/s, '$1')],
]);

export const MD5_OF_NOTHING = '1B2M2Y8AsgTpgAmY7PhCfg==';

const base64OfHex = (text: string): string => (/^(?:[0-9a-f]{2})+$/i.test(text) ? base64(fromHex(text)) : text);

export const hexOfBase64 = (text: string): string => {
  const binary = binaryOf(text);
  return binary === undefined ? text : hexadecimal(lowBytes(binary));
};

export const MD5_LINES: Kind<(line: string) => string> = kind('sign the value of Content-MD5 without converting it, or an empty line if it is not sent', [
  ['default-of-nothing', 'is the MD5 of empty content if Content-MD5 is absent', (line) => line || MD5_OF_NOTHING],
  ['default-hex-of-nothing', 'is the hexadecimal MD5 of empty content if Content-MD5 is absent', (line) => line || hexOfBase64(MD5_OF_NOTHING)],
  ['unquoted', 'loses double quotes at both ends', (line) => line.replace(/^"+|(?<!")"+$/g, '')],
  ['hexadecimal', 'is converted from Base64 to hexadecimal', hexOfBase64],
  ['hexadecimal-as-base64', 'is converted from hexadecimal to Base64', base64OfHex],
]);

const hasHeader = (headers: HeaderList, name: string): boolean => filterNamed(headers, name).length > 0;

const EXTRA_DATE = /^x-(?:[a-z]+-)?date$/i;

const extraDate = (headers: HeaderList): string | undefined => headers.find(([name]) => EXTRA_DATE.test(name.trim()))?.[1];

const EMAIL_DATE = /^(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (?:GMT|[+-]\d{4})$/;

/** Writes a date with a zone as an HTTP date if a parser takes it. */
const reformatting =
  (isTaken: (date: string) => boolean): Around<'date'> =>
  (right, value, headers, context) => {
    const date = right(value, headers, context);
    const isZoned = /(?:Z|GMT|[+-]\d{4})$/.test(date) && isTaken(date);
    return isZoned && !Number.isNaN(Date.parse(date)) ? new Date(date).toUTCString() : date;
  };

const ZONED = /(?:Z|GMT|UTC?|[ECMP][SD]T|[+-]\d\d:?\d\d)\b/;

/** As toUTCString writes it. A date without a zone is read as UTC, so that predictions do not depend on the machine. */
function rewrittenByJavaScript(date: string): string {
  if (Number.isNaN(Date.parse(date))) return date;
  const zoned = ZONED.test(date) ? date : /\dT\d/.test(date) ? `${date}Z` : `${date} GMT`;
  return new Date(Number.isNaN(Date.parse(zoned)) ? date : zoned).toUTCString();
}

export const DATE_LINES: Kind<Around<'date'>> = kind('sign the text of Date without parsing it, or an empty line if it is not sent', [
  ['empty-beside-extra', 'is empty if the name of an extra header ends in -Date', (right, value, headers, context) => (extraDate(headers) === undefined ? right(value, headers, context) : '')],
  ['of-extra', 'is the value of an extra header whose name ends in -Date', (right, value, headers, context) => extraDate(headers) ?? right(value, headers, context)],
  ['of-extra-when-absent', 'is the value of an extra header whose name ends in -Date if Date is absent', (right, value, headers, context) => right(value, headers, context) || (extraDate(headers) ?? '')],
  ['zone-as-gmt', 'has GMT instead of a zone such as +0800', (right, value, headers, context) => right(value, headers, context).replace(/ [+-]\d{4}$/, ' GMT')],
  ['weekday-lost', 'loses its day of the week', (right, value, headers, context) => right(value, headers, context).replace(/^[A-Z][a-z]+, +/, '')],
  ['reformatted', 'is parsed and written again as an HTTP date', reformatting(() => true)],
  ['reformatted-unless-iso', 'is parsed and written again as an HTTP date, unless it is in ISO 8601', reformatting((date) => !/^[0-9]{4}-/.test(date)), { cost: 2 }],
  ['reformatted-iso', 'is written again as an HTTP date if it is in ISO 8601', reformatting((date) => /^[0-9]{4}-/.test(date)), { cost: 2 }],
  ['reformatted-of-email', 'is parsed and written again as an HTTP date if it has the form of the dates of e-mail (RFC 5322)', reformatting((date) => EMAIL_DATE.test(date)), { cost: 2 }],
  ['reformatted-javascript', 'is parsed by Date of JavaScript and written again as an HTTP date', (right, value, headers, context) => rewrittenByJavaScript(right(value, headers, context)), { cost: 2 }],
  ...['Thu, 01 Jan 1970 00:00:00 GMT', '0', '1970-01-01T00:00:00Z'].map((text): Change<Around<'date'>> => {
    return [`default-${slugOf(text)}`, `is "${text}" if Date is absent`, (right, value, headers, context) => right(value, headers, context) || text, { cost: 2 }];
  }),
]);

export const isExtra = ([name]: Pair): boolean => /^x-/i.test(name.trim());

const OTHER_HEADERS = 'Content-MD5 Content-Type Date Expires Content-Length Host ETag Content-Encoding Last-Modified X-Date User-Agent Accept'.split(' ');

/** Calls with the value of the service's own header of this name, such as X-Svc-Date; undefined if it is not sent. */
const besideOwn =
  (line: PositionalName, write: (right: string, own: string | undefined) => string): Around<'date'> =>
  (right, value, headers, context) => {
    const own = `${context.dialect.headerPrefix}${line}`;
    return write(right(value, headers, context), hasHeader(headers, own) ? headerOf(headers, own) : undefined);
  };

/** Defaults for an absent Content-Type; an empty one counts as sent. */
export const TYPES_OF_ABSENT: Kind<Around<'contentType'>> = kind(
  'sign an empty line if Content-Type is not sent, or send the default too',
  DEFAULT_TYPES.map((type) => [
    `default-of-absent-${slugOf(type)}`,
    `is ${type} if Content-Type is absent, but not if it is empty`,
    (right, value, headers, context) => right(value, headers, context) || (hasHeader(headers, 'Content-Type') ? '' : type),
  ]),
);

/** The forms of a date, a digest or a media type that some libraries require. */
const FORMS: Readonly<Record<PositionalName, readonly [noun: string, form: RegExp]>> = {
  Date: ['an HTTP date', /^(?:[A-Z][a-z]{2}, ?)?\d{1,2}[ -][A-Z][a-z]{2}[ -]\d{2,4} [\d:]{5,8} /],
  'Content-MD5': ['the Base64 of 16 bytes', /^[A-Za-z0-9+/]{22}==$/],
  'Content-Type': ['a type, a slash and a subtype', /^[^\s/;]+\/[^\s/;]+ *(?:;|$)/],
};

export const refusedForms = (line: PositionalName): Kind<Around<'date'>> => {
  const [noun, form] = FORMS[line];
  const refuseIf = (isRefused: (value: string, headers: HeaderList) => boolean): Around<'date'> => {
    return (right, value, headers, context) => (isRefused(value, headers) ? refuse('header-value', `this ${line} is not ${noun}`) : right(value, headers, context));
  };
  return kind(`accept and sign every ${line}, whatever its form`, [
    ['refused-in-another-form', `is refused, or leads to an exception, unless it is ${noun}`, refuseIf((value) => value !== '' && !form.test(value))],
    ['refused-in-another-form-or-empty', `is refused, or leads to an exception, if it is sent and is not ${noun}`, refuseIf((value, headers) => !form.test(value) && hasHeader(headers, line))],
  ]);
};

/** The value of another header, or an empty line if that header is sent. */
export const otherHeader = (line: PositionalName): Kind<Around<'date'>> =>
  kind('write only the value of the header of this name on each line of Content-MD5, Content-Type and Date, or nothing if it is absent', [
    ...OTHER_HEADERS.filter((name) => name !== line).flatMap((other): Change<Around<'date'>>[] => {
      const id = other.toLowerCase();
      return [
        [`of-${id}`, `is the value of ${other}`, (_, __, headers) => headerOf(headers, other), { cost: 2 }],
        [`of-${id}-when-sent`, `is the value of ${other} if that is sent`, (right, value, headers, context) => headerOf(headers, other) || right(value, headers, context), { cost: 2 }],
        [`of-${id}-when-absent`, `is the value of ${other} if its own header is absent`, (right, value, headers, context) => right(value, headers, context) || headerOf(headers, other), { cost: 2 }],
        [`empty-beside-${id}`, `is empty if ${other} is sent`, (right, value, headers, context) => (hasHeader(headers, other) ? '' : right(value, headers, context)), { cost: 3 }],
        [`empty-without-${id}`, `is empty if ${other} is not sent`, (right, value, headers, context) => (hasHeader(headers, other) ? right(value, headers, context) : ''), { cost: 3 }],
      ];
    }),
    ['empty-beside-extra-headers', 'is empty if extra headers are sent', (right, value, headers, context) => (headers.some(isExtra) ? '' : right(value, headers, context)), { cost: 3 }],
    ['of-own-header', `is the value of the header with the prefix, such as X-Svc-${line}, if that is sent`, besideOwn(line, (right, own) => own ?? right)],
    ['of-own-header-only', `is always the value of the header with the prefix, such as X-Svc-${line}`, besideOwn(line, (_, own) => own ?? ''), { cost: 2 }],
    ['of-own-header-when-absent', `is the value of the header with the prefix, such as X-Svc-${line}, if its own header is absent`, besideOwn(line, (right, own) => right || (own ?? ''))],
    ['empty-beside-own-header', `is empty if the header with the prefix, such as X-Svc-${line}, is sent`, besideOwn(line, (right, own) => (own === undefined ? right : ''))],
  ]);

const TYPES: Readonly<Record<string, string>> = {
  avi: 'video/x-msvideo',
  avif: 'image/avif',
  bin: BINARY_TYPE,
  bmp: 'image/bmp',
  css: 'text/css',
  csv: 'text/csv',
  djvu: 'image/vnd.djvu',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  eml: 'message/rfc822',
  gif: 'image/gif',
  heic: 'image/heic',
  htm: 'text/html',
  html: 'text/html',
  ico: 'image/x-icon',
  iso: 'application/x-iso9660-image',
  jar: 'application/java-archive',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  mov: 'video/quicktime',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  odp: 'application/vnd.oasis.opendocument.presentation',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odt: 'application/vnd.oasis.opendocument.text',
  pdf: 'application/pdf',
  pem: 'application/pem-certificate-chain',
  png: 'image/png',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  rtf: 'application/rtf',
  stl: 'model/stl',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  tsv: 'text/tab-separated-values',
  txt: 'text/plain',
  wav: 'audio/x-wav',
  webm: 'video/webm',
  webp: 'image/webp',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  zip: 'application/zip',
};

const FEW_TYPES = ['bin', 'html', 'jpg', 'json', 'pdf', 'png', 'txt'];

/** The extension of a file name, if it has a well-known media type. */
export const knownExtensionOf = (key: string): string | undefined => (extensionOf(key) in TYPES ? extensionOf(key) : undefined);

const extensionOf = (key: string): string => key.split('.').at(-1)?.toLowerCase() ?? '';

export const typeOf = (key: string): string => TYPES[extensionOf(key)] ?? '';

const fewTypeOf = (key: string): string => (FEW_TYPES.includes(extensionOf(key)) ? typeOf(key) : '');

export type Lines = Partial<PositionalValues>;

/** A step that returns the positional lines of a request, with the correct step as its first argument. */
type LinesOf<Request> = (right: (request: Request, context: Context) => PositionalValues, request: Request, context: Context) => PositionalValues;

/** Replaces some of the lines that a step returns. */
export function lines<Request>(change: (request: Request, values: PositionalValues, context: Context) => Lines): LinesOf<Request> {
  return (right, request, context) => {
    const values = right(request, context);
    return { ...values, ...change(request, values, context) };
  };
}

type LinesChange = Change<Around<'positionalValues'>>;

const isOneOf = (methods: readonly string[], { method }: FileRequest): boolean => methods.includes(upperCase(method));

export const typeWhereNone = <Request extends { readonly key: string }>(typeOfKey: (key: string) => string): LinesOf<Request> => lines(({ key }, { contentType }) => ({ contentType: contentType || typeOfKey(key) }));

/** Guesses the media type for some file extensions only, and with one verb if it is given; a form is a POST. */
export function typesOfExtensions(extensions: readonly string[], verb?: string): Pick<Wraps, 'positionalValues' | 'formPositionalValues'> {
  const guess = (key: string, method: string, contentType: string): Lines => {
    const isGuessed = contentType === '' && extensions.includes(extensionOf(key)) && (verb === undefined || upperCase(method) === verb);
    return isGuessed ? { contentType: typeOf(key) } : {};
  };
  const ofRequest: Around<'positionalValues'> = lines(({ key, method }, { contentType }) => guess(key, method, contentType));
  const ofForm: Around<'formPositionalValues'> = lines(({ key }, { contentType }) => guess(key, 'POST', contentType));
  return {
    positionalValues: (right) => (request, context) => ofRequest(right, request, context),
    formPositionalValues: (right) => (form, context) => ofForm(right, form, context),
  };
}

const UPLOADS: readonly (readonly [id: string, methods: string, cost: number])[] = [
  ['uploads', 'PUT and POST', 1],
  ['put', 'PUT', 2],
  ['post', 'POST', 2],
];

const methodsOf = (said: string): readonly string[] => said.split(/, | and /);

const defaultTypes = (type: string): LinesChange[] =>
  UPLOADS.map(([id, said, cost]) => {
    const change = lines((request: FileRequest, { contentType }) => (isOneOf(methodsOf(said), request) ? { contentType: contentType || type } : {}));
    return [`default-for-${id}-${slugOf(type)}`, `has ${type} for ${said} if Content-Type is absent`, change, { cost }];
  });

/** Sets of methods, by the end of the ids of their mistakes. */
const METHOD_SETS = {
  get1: 'GET',
  get2: 'GET and HEAD',
  get3: 'GET, HEAD and DELETE',
  'get-delete': 'GET and DELETE',
  delete1: 'DELETE',
  put1: 'PUT',
  post1: 'POST',
  put2: 'PUT and POST',
};

const LINE_NAMES = { contentMd5: 'Content-MD5', contentType: 'Content-Type', date: 'Date' };

const emptyLines = ([set, said]: readonly [id: string, said: string]): LinesChange[] => {
  const methods = methodsOf(said);
  return Object.entries(LINE_NAMES).map(([line, name]) => {
    const id = `${line.toLowerCase()}-empty-for-${set}`;
    return [id, `has an empty ${name} line for ${said}`, lines((request) => (isOneOf(methods, request) ? { [line]: '' } : {})), { cost: 2 }];
  });
};

export const LINES: Kind<Around<'positionalValues'>> = kind('sign the values of Content-MD5, Content-Type and Date that are sent, and an empty line for each of them that is absent', [
  ['type-by-extension', 'has the media type of the file name if Content-Type is absent', typeWhereNone(typeOf)],
  ['type-by-few-extensions', 'has the media type of the file name if Content-Type is absent, for few file extensions only', typeWhereNone(fewTypeOf), { cost: 2 }],
  ['type-by-extension-or-binary', 'has the media type of the file name, or application/octet-stream, if Content-Type is absent', typeWhereNone((key) => typeOf(key) || BINARY_TYPE)],
  ...['application/x-directory', 'application/directory', 'httpd/unix-directory'].map(
    (type): LinesChange => [`folder-${slugOf(type)}`, `has ${type} for a key that ends in a slash if Content-Type is absent`, typeWhereNone((key) => (key.endsWith('/') ? type : '')), { cost: 2 }],
  ),
  ['type-by-extension-always', 'always has the media type of the file name as Content-Type', lines(({ key }) => ({ contentType: typeOf(key) })), { cost: 2 }],
  ...UPLOAD_TYPES.flatMap(defaultTypes),
  ...Object.entries(METHOD_SETS).flatMap(emptyLines),
]);

/** In place of a header that is absent. */
const ABSENT = '\0absent';

export const ABSENT_LINES: Kind<Around<'signedPieces'>> = kind('write an empty line for each of Content-MD5, Content-Type and Date that is absent', [
  [
    'without-absent-lines',
    'has no line for Content-MD5, Content-Type or Date if that header is absent, but an empty line if its value is empty',
    (right, parts) => {
      const pieces = right(parts);
      return pieces.filter(([, text], i) => text !== ABSENT && pieces[i - 1]?.[1] !== ABSENT);
    },
    { also: { oneValue: (right) => (values, name) => (values.length === 0 ? ABSENT : right(values, name)) }, cost: 2 },
  ],
]);
