/**
 * Changes of the steps of form uploads, callback policies and instant uploads (§4.3, and observed).
 *
 * @module
 */
import { compareBytes, urlEncode } from '../../signing/bytes.ts';
import type { PositionalName } from '../../signing/file-requests.ts';
import type { Context, Steps } from '../../signing/index.ts';
import type { HeaderList, Pair } from '../../signing/types.ts';
import { before, escapedUnits, standardAlphabet, unpadded } from '../changes/bytes.ts';
import { type Around, applied, type Change, type ChangeNotes, inside, type Kind, kind, ofPart, replaceSteps } from '../changes/change.ts';
import { ENCODERS } from '../changes/encoders.ts';
import { NUMBERS } from '../changes/numbers.ts';
import { JSON_STRINGS } from '../changes/values.ts';
import { BINARY_TYPE, hexOfBase64, isExtra, type Lines, lines, typeOf, typeWhereNone, UPLOAD_TYPES } from './positional-lines.ts';
import { caseOf, filterNamed, type Instead, lowerCase, quoted, refuse, slugOf, sortedByName, upperCase } from './shared.ts';

const constants = (texts: readonly string[]): Change<() => string>[] => texts.map((text) => [text.toLowerCase() || 'empty', text === '' ? 'is empty' : `is ${text}`, () => text]);

export const FORM_METHODS: Instead<'formMethod'> = kind('sign the verb POST for a form upload', constants(['PUT', 'GET', 'FORM', '']));

export const INSTANT_METHODS: Instead<'instantUploadMethod'> = kind('sign the verb POST for an instant upload', constants(['PUT', 'GET', 'HEAD']));

const fieldOf = (fields: readonly Pair[], name: string): string | undefined => fields.find(([own]) => own === name)?.[1];

/** Whether a form has the field Content-Type, perhaps under a name that another mistake finds too. */
const hasType = (fields: readonly Pair[], context: Context): boolean => fieldOf(fields, 'Content-Type') !== undefined || context.steps.formField(fields, 'Content-Type', context) !== '';

const filterExactly = (fields: readonly Pair[], name: string): readonly Pair[] => fields.filter(([own]) => own === name);

/** Takes the first of the fields that a function finds. */
const oneField =
  (find: (fields: readonly Pair[], name: string) => readonly Pair[]): Steps['formField'] =>
  (fields, name, context) => {
    const found = find(fields, name).slice(0, 1);
    return context.steps.positionalValue(
      found.map(([, value]): Pair => [name, value]),
      name,
      context,
    );
  };

const joinedFields: Steps['formField'] = (fields, name, context) => {
  const values = filterNamed(fields, name).map((field) => context.steps.positionalValue([field], name, context));
  return values.join();
};

const inAnyCase = (only: string): Steps['formField'] => {
  return (fields, name, context) => context.steps.positionalValue(name === only ? fields : filterExactly(fields, name), name, context);
};

export const FORM_FIELDS: Instead<'formField'> = kind('take the form fields named exactly Content-Type and Content-MD5', [
  ['any-case', 'is found without regard to the case of the name', (fields, name, context) => context.steps.positionalValue(fields, name, context)],
  ['any-case-joined', 'is that of all fields with this name in any case, joined by a comma', joinedFields],
  ['any-case-first', 'is that of the first field with this name in any case', oneField(filterNamed)],
  ['any-case-last', 'is that of the last field with this name in any case', oneField((fields, name) => filterNamed(fields.toReversed(), name))],
  ['content-type-any-case', 'is found without regard to the case of the name, if it is Content-Type', inAnyCase('Content-Type')],
  ['content-md5-any-case', 'is found without regard to the case of the name, if it is Content-MD5', inAnyCase('Content-MD5')],
  ['lower-case', 'is found only under a name in lower case', oneField((fields, name) => filterExactly(fields, lowerCase(name)))],
  ['empty', 'is empty', () => ''],
  ['last', 'is that of the last field with this name', oneField((fields, name) => filterExactly(fields.toReversed(), name))],
  ['first', 'is that of the first field with this name', oneField(filterExactly)],
]);

interface FormParts {
  /** Whether the form has the field Content-Type. */
  readonly hasType: boolean;
  readonly header: (name: PositionalName) => string;
  readonly field: (name: PositionalName) => string;
  /** The field if there is one, in any case of its name; otherwise the header. */
  readonly either: (name: PositionalName) => string;
}

const ofForm = (change: (form: FormParts) => Lines): Around<'formPositionalValues'> =>
  lines(({ headers, fields }, _, context) => {
    const { steps } = context;
    const header = (name: PositionalName): string => steps.positionalValue(headers, name, context);
    const either = (name: PositionalName): string => steps.positionalValue(hasLine(fields, name) ? fields : headers, name, context);
    const field = (name: PositionalName): string => steps.formField(fields, name, context);
    return passed(context, headers, change({ hasType: hasType(fields, context), header, field, either }));
  });

/** The values as the steps of the lines write them. */
function passed(context: Context, headers: HeaderList, { contentMd5, contentType, date }: Lines): Lines {
  const { steps } = context;
  return {
    ...(contentMd5 === undefined ? {} : { contentMd5: steps.contentMd5(contentMd5, headers, context) }),
    ...(contentType === undefined ? {} : { contentType: steps.contentType(contentType, headers, context) }),
    ...(date === undefined ? {} : { date: steps.date(date, headers, context) }),
  };
}

const refuseBoth = (name: PositionalName): never => refuse('header-repeated', `${name} is a header and a field`);

const hasLine = (fields: readonly Pair[], name: string): boolean => fields.some(([own]) => lowerCase(own) === lowerCase(name));

/** Guesses the media type of a form without the field Content-Type. */
const withTypeOf = (typeOfKey: (key: string) => string): Around<'formPositionalValues'> => lines(({ fields, key }, _, context) => (hasType(fields, context) ? {} : { contentType: typeOfKey(key) }));

const ALL_LINES = 'sign the form field Content-Type, the header Date, and the header Content-MD5 or, without it, the form field Content-MD5';

/** The notes of changes of one line, by the first word of their ids. */
const LINE_NOTES: Readonly<Record<string, ChangeNotes>> = {
  type: { fix: 'sign the form field Content-Type, or an empty line if the form has none' },
  md5: { fix: 'sign the header Content-MD5, whatever the case of its name; without it, sign the form field Content-MD5', rule: '4.3/form-content-md5' },
  date: { fix: 'sign the header Date, or an empty line if it is not sent', rule: '5.2/positional-order' },
};

const FORM_CHANGES: readonly Change<Around<'formPositionalValues'>>[] = [
  ['type-of-header', 'has the Content-Type header instead of the field', ofForm(({ header }) => ({ contentType: header('Content-Type') }))],
  ['type-of-header-without-field', 'has the Content-Type header if the form has no such field', ofForm(({ hasType: has, header }) => (has ? {} : { contentType: header('Content-Type') }))],
  [
    'type-of-header-unless-multipart',
    'has the Content-Type header if the form has no such field, unless that header has a multipart type',
    ofForm(({ hasType: has, header }) => (has || /^multipart\//i.test(header('Content-Type')) ? {} : { contentType: header('Content-Type') })),
    { cost: 2 },
  ],
  ['type-of-header-for-empty-field', 'has the Content-Type header if the field is absent or empty', ofForm(({ field, header }) => ({ contentType: field('Content-Type') || header('Content-Type') }))],
  [
    'type-of-header-for-field-without-value',
    'has the Content-Type header if the field is there but empty',
    ofForm(({ hasType: has, field, header }) => (has ? { contentType: field('Content-Type') || header('Content-Type') } : {})),
    { cost: 2 },
  ],
  ['type-of-header-before-field', 'prefers the Content-Type header to the field', ofForm(({ field, header }) => ({ contentType: header('Content-Type') || field('Content-Type') }))],
  [
    'type-of-both',
    'has the Content-Type field and header joined by a comma if there are both',
    ofForm(({ field, header }) => ({ contentType: [field('Content-Type'), header('Content-Type')].filter(Boolean).join() })),
    { cost: 2 },
  ],
  [
    'type-of-both-refused',
    'is refused if there are both a field and a header Content-Type',
    ofForm(({ field, header }) => (field('Content-Type') && header('Content-Type') ? refuseBoth('Content-Type') : {})),
    { cost: 2 },
  ],
  ['type-by-extension', 'has the media type of the file name if the form has no field Content-Type', withTypeOf(typeOf)],
  ['type-by-extension-or-binary', 'has the media type of the file name, or application/octet-stream, if the form has no field Content-Type', withTypeOf((key) => typeOf(key) || BINARY_TYPE)],
  ...UPLOAD_TYPES.map((type): Change<Around<'formPositionalValues'>> => [`type-${slugOf(type)}`, `has ${type} if the form has no field Content-Type`, withTypeOf(() => type)]),
  ['type-by-extension-for-empty', 'has the media type of the file name if the field Content-Type is absent or empty', typeWhereNone(typeOf)],
  ['type-empty', 'has an empty Content-Type line', lines(() => ({ contentType: '' }))],
  ['type-multipart', 'has multipart/form-data as Content-Type', lines(() => ({ contentType: 'multipart/form-data' }))],
  ['md5-of-field-only', 'has Content-MD5 only from the field', ofForm(({ field }) => ({ contentMd5: field('Content-MD5') }))],
  ['md5-of-header-only', 'has Content-MD5 only from the header', ofForm(({ header }) => ({ contentMd5: header('Content-MD5') }))],
  ['md5-of-field-before-header', 'prefers the Content-MD5 field to the header', ofForm(({ field, header }) => ({ contentMd5: field('Content-MD5') || header('Content-MD5') }))],
  ['md5-of-both', 'has the Content-MD5 header and field joined by a comma if there are both', ofForm(({ field, header }) => ({ contentMd5: [header('Content-MD5'), field('Content-MD5')].filter(Boolean).join() }))],
  ['md5-of-both-refused', 'is refused if there are both a field and a header Content-MD5', ofForm(({ field, header }) => (field('Content-MD5') && header('Content-MD5') ? refuseBoth('Content-MD5') : {})), { cost: 2 }],
  ['md5-of-type-field', 'has the field Content-Type as Content-MD5 if that header is absent', ofForm(({ field, header }) => ({ contentMd5: header('Content-MD5') || field('Content-Type') })), { cost: 2 }],
  ['md5-empty', 'has an empty Content-MD5 line', lines(() => ({ contentMd5: '' }))],
  ['date-of-field', 'prefers a Date field to the header', ofForm(({ field, header }) => ({ date: field('Date') || header('Date') }))],
  ['date-empty', 'has an empty Date line', lines(() => ({ date: '' }))],
  ['fields-among-headers', 'prefers fields to headers for every line', ofForm(({ either }) => ({ contentMd5: either('Content-MD5'), contentType: either('Content-Type'), date: either('Date') }))],
];

export const FORM_LINES: Kind<Around<'formPositionalValues'>> = kind(
  ALL_LINES,
  FORM_CHANGES.map(([id, clause, change, notes]) => [id, clause, change, { ...LINE_NOTES[before(id, '-')], ...notes }]),
);

const likeExtra = (fields: readonly Pair[]): readonly Pair[] => fields.filter(isExtra);

export const FORM_HEADERS: Instead<'formHeaders'> = kind('sign the extra headers of the request; form fields are never headers', [
  ['with-fields', 'has form fields with the name of an extra header too', ({ headers, fields }) => [...headers, ...likeExtra(fields)]],
  ['of-fields', 'has form fields with the name of an extra header, and no headers', ({ fields }) => likeExtra(fields)],
  ['none', 'is empty', () => [], { cost: 2 }],
]);

const member = (name: string, value: string): string => `${quoted(name)}:${quoted(value)}`;

const underscored = (name: string): string => name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${lowerCase(letter)}`);

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

export const POLICY_TEXTS: Kind<Around<'signedPieces'>> = kind('sign the verb, all lines, the extra headers and the resource, and append the policy', [
  ['only-policy', 'is only the callback policy if there is one', (right, parts) => (parts.policy === '' ? right(parts) : [['the policy', parts.policy]])],
]);

/** Losing headers beyond a table of fixed size. */
export const FIRST_HEADERS: Kind<(headers: HeaderList) => HeaderList> = kind(
  'sign all extra headers, however many there are',
  [8, 16].map((count): Change<(headers: HeaderList) => HeaderList> => [`first-${count}`, `has only its first ${count} headers`, (headers) => headers.slice(0, count), { cost: 2 }]),
);

/** Which values of a policy are encoded. */
const ENCODED_VALUES: readonly [id: string, condition: string, isEncoded: (name: string, value: string) => boolean][] = [
  ['value-encoded', '', () => true],
  ['callback-url-encoded', ' if its name is callbackUrl', (name) => name === 'callbackUrl'],
  ['callback-body-encoded', ' if its name is callbackBody', (name) => name === 'callbackBody'],
  ['value-encoded-unless-url', ' unless it is a URL', (_name, value) => !value.includes('://')],
];
const VALUE_ENCODERS: readonly Change<(text: string) => string>[] = [
  ['', 'is percent-encoded', urlEncode],
  ...ENCODERS.changes.filter(([id]) => ['component', 'space-as-plus', 'form', 'slash-kept', 'pair-separators', 'uri', 'lower-case'].includes(id)),
];

export const POLICY_MEMBERS: Instead<'policyMember'> = kind('write each member as "name":"value", with only the escapes that JSON requires', [
  ['spaced', 'has a space after its colon', (name, value) => `${quoted(name)}: ${quoted(value)}`],
  ['unquoted', 'is written without quotes', (name, value) => `${name}:${value}`, { cost: 2 }],
  ['printable', 'has \\u escapes for all characters but printable ASCII', (name, value) => escapedUnits(member(name, value), /[^ -~]/g)],
  ...applied(
    JSON_STRINGS,
    (write): Steps['policyMember'] =>
      (name, value) =>
        `${write(name)}:${write(value)}`,
  ),
  ...ENCODED_VALUES.flatMap(([id, condition, isEncoded]) =>
    VALUE_ENCODERS.map(
      ([encoder, clause, encodeValue]): Change<Steps['policyMember']> => [
        [id, encoder].filter(Boolean).join('-'),
        `has a value that ${clause}${condition}`,
        (name, value) => member(name, isEncoded(name, value) ? encodeValue(value) : value),
        { cost: condition === '' && encoder === '' ? 1 : 2 },
      ],
    ),
  ),
  ['numbers-unquoted', 'has its value without quotes if that looks like a number', (name, value) => (/^-?(?:0|[1-9][0-9]*)(?:[.][0-9]+)?$/.test(value) ? `${quoted(name)}:${value}` : member(name, value))],
  ['name-capitalized', 'has a name that begins with a capital letter', (name, value) => member(name.replace(/^./u, upperCase), value)],
  ['name-lower-case', 'has a name in lower case', (name, value) => member(lowerCase(name), value), { cost: 2 }],
  ['name-underscored', 'has a name such as callback_url', (name, value) => member(underscored(name), value), { cost: 2 }],
  [
    'objects-embedded-anew',
    'has its value without quotes, written by JSON.stringify, if that is a JSON object',
    (name, value) => (isJsonObject(value) ? `${quoted(name)}:${JSON.stringify(JSON.parse(value))}` : member(name, value)),
  ],
  ['objects-embedded', 'has its value without quotes if that is a JSON object', (name, value) => (isJsonObject(value) ? `${quoted(name)}:${value}` : member(name, value))],
]);

const spaced = (pair: string): string => pair.replace('":"', '": "');

export const POLICY_JSONS: Instead<'policyJson'> = kind('write the policy as one JSON object in the order given, without spaces or line breaks', [
  ['spaced', 'has spaces after commas and colons', (members) => `{${members.map(spaced).join(', ')}}`],
  ['spaced-ascii', 'has spaces after commas and colons, and \\u escapes for all but printable ASCII', (members) => escapedUnits(`{${members.map(spaced).join(', ')}}`, /[^ -~]/g)],
  ['commas-spaced', 'has spaces after commas', (members) => `{${members.join(', ')}}`],
  ['indented', 'is indented by two spaces', (members) => (members.length === 0 ? '{}' : `{\n${members.map((pair) => `  ${spaced(pair)}`).join(',\n')}\n}`)],
  ['nothing-if-empty', 'is empty if it has no members', (members) => (members.length === 0 ? '' : `{${members.join(',')}}`)],
  ['line-ended', 'ends with a line feed', (members) => `{${members.join(',')}}\n`],
  ['sorted', 'has its members sorted', (members) => `{${members.toSorted(compareBytes).join(',')}}`],
  ['conditions', 'is a list of conditions, each a JSON object with one member, as in the policies of S3', (members) => `{"conditions":[${members.map((pair) => `{${pair}}`).join(',')}]}`],
  ['conditions-spaced', 'is a list of conditions as in the policies of S3, with spaces after commas and colons', (members) => `{"conditions": [${members.map((pair) => `{${spaced(pair)}}`).join(', ')}]}`, { cost: 2 }],
  ['list', 'is a list', (members) => `[${members.join(',')}]`],
  ['list-if-empty', 'is an empty list if it has no members', (members) => (members.length === 0 ? '[]' : `{${members.join(',')}}`)],
  [
    'list-of-php',
    'is a list if its members have the names 0, 1, 2 and so on, or if it has none, as by json_encode of PHP',
    (members) => (members.every((member, i) => member.startsWith(`"${i}":`)) ? `[${members.map((member, i) => member.slice(`"${i}":`.length)).join(',')}]` : `{${members.join(',')}}`),
    { cost: 2 },
  ],
]);

const instantQuery = (etag: string, key: string, size: string): string => `Hash=${urlEncode(etag)}&FileName=${urlEncode(key)}&FileSize=${size}`;

export const INSTANT_KEYS: Instead<'instantUploadKey'> = kind('sign the bucket and the key that FileName names', [
  ['path', 'is uploadhit, the path of the request', () => 'uploadhit'],
  ['empty', 'is empty', () => ''],
  ['etag', 'is the ETag', ({ etag }) => etag, { cost: 2 }],
  ['path-and-key', 'is uploadhit/ followed by the key', ({ key }) => `uploadhit/${key}`, { cost: 2 }],
  ['key-with-query', 'is the key with the query of the request', ({ etag, key, size }) => `${key}?Hash=${etag}&FileName=${key}&FileSize=${size}`, { cost: 2 }],
  ['key-with-encoded-query', 'is the key with the percent-encoded query of the request', ({ etag, key, size }) => `${key}?${instantQuery(etag, key, size)}`, { cost: 2 }],
  ['with-encoded-query', 'is the path with its percent-encoded query', ({ etag, key, size }) => `uploadhit?${instantQuery(etag, key, size)}`, { cost: 2 }],
  ['with-query', 'is the path with its query', ({ etag, key, size }) => `uploadhit?Hash=${etag}&FileName=${key}&FileSize=${size}`, { cost: 2 }],
]);

export const INSTANT_HEADERS: Instead<'instantUploadHeaders'> = kind('sign the headers of the request, as for any POST', [
  ['none', 'is empty', () => []],
  ['etag-as-md5', 'has the ETag as its Content-MD5 if that is absent', ({ etag, headers }) => (filterNamed(headers, 'content-md5').length === 0 ? [...headers, ['Content-MD5', etag]] : headers)],
]);

export const INSTANT_NAMES: Instead<'instantUploadName'> = kind('name the parameters Hash, FileName and FileSize', [
  ...['FileName ObjectName', 'FileSize ObjectSize', 'FileName Key', 'FileSize Size', 'Hash ETag', 'Hash hash'].map((renamed): Change<Steps['instantUploadName']> => {
    const [from = '', to = ''] = renamed.split(' ');
    return [`${lowerCase(from)}-as-${lowerCase(to)}${caseOf(to)}`, `is ${to} instead of ${from}`, (name) => (name === from ? to : name)];
  }),
  ['object-names', 'is ObjectName instead of FileName, and ObjectSize instead of FileSize', (name) => name.replace('File', 'Object')],
  ['lower-case', 'is in lower case', lowerCase],
]);

/** How programs that store a size in a number write it. */
const SIZE_NUMBERS = ['int32-wrapped', 'int32-limited', 'uint32-wrapped', 'java', 'float', 'thousands-comma', 'point-zero', 'javascript'];

const withBareHash: Around<'instantUploadTarget'> = (right, upload, context) =>
  right(upload, replaceSteps(context, { instantUploadValue: (value, own) => (value === upload.etag ? value : context.steps.instantUploadValue(value, own)) }));

export const INSTANT_TARGETS: Kind<Around<'instantUploadTarget'>> = kind('percent-encode the value of each parameter', [['hash-unencoded', 'has Hash without percent-encoding', withBareHash]]);

export const INSTANT_PAIRS: Kind<Around<'instantUploadPairs'>> = kind('send the ETag as Hash without changing it, then FileName and FileSize', [
  ['zero-size-left-out', 'lacks FileSize if the size is 0', (right, upload) => right(upload).filter(([name]) => name !== 'FileSize' || Number(upload.size) !== 0)],
  ['hash-standard-base64', 'has Hash in standard Base64', (right, upload) => right({ ...upload, etag: standardAlphabet(upload.etag) })],
  ['hash-hexadecimal', 'has Hash in hexadecimal', (right, upload) => right({ ...upload, etag: hexOfBase64(standardAlphabet(upload.etag)) })],
  ['hash-unpadded', 'has Hash without padding', (right, upload) => right({ ...upload, etag: unpadded(upload.etag) })],
  ['sorted', 'is sorted by name', (right, upload) => sortedByName(right(upload))],
  ...inside(
    NUMBERS.changes.filter(([id]) => SIZE_NUMBERS.includes(id)),
    'size-$',
    'has a FileSize that $',
    (text): Around<'instantUploadPairs'> =>
      (right, upload) =>
        right({ ...upload, size: text(upload.size) }),
    { fix: 'send the size with all its digits: store it in 64 bits' },
  ),
]);

export const FILE_NAMES: Kind<Around<'instantUploadTarget'>> = kind(
  'percent-encode each UTF-8 byte of FileName except A-Z a-z 0-9 - _ . ~, in upper-case hexadecimal',
  inside(
    ofPart('FileName', ENCODERS.changes),
    'file-name-$',
    'has a FileName that $',
    (encode) => (right, upload, context) => right({ ...upload, key: '' }, context).replace('FileName=', () => `FileName=${encode(upload.key)}`),
  ),
);

/** As by path.Base of Go: "." for an empty text, and "/" for one of slashes only. */
function goBase(key: string): string {
  const trimmed = key.replace(/(?<!\/)\/+$/, '');
  if (trimmed === '') return key === '' ? '.' : '/';
  return trimmed.slice(trimmed.lastIndexOf('/') + 1);
}

export const CUT_FILE_NAMES: Kind<Around<'instantUploadTarget'>> = kind('send the whole key as FileName', [
  ['file-name-go-base', 'has a FileName that is cut to its base name by path.Base of Go', (right, upload, context) => right({ ...upload, key: goBase(upload.key) }, context), { cost: 2 }],
]);
