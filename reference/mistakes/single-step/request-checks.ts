/**
 * Changes of the checks of a request: required parameters, and what HTTP can carry (§4.1, §4.2, §5.2).
 *
 * @module
 */
import type { Steps } from '../../signing/index.ts';
import type { Pair } from '../../signing/types.ts';
import { formatList } from '../../wording.ts';
import { before } from '../changes/bytes.ts';
import { type Around, type Change, type Kind, kind, UNCHECKED } from '../changes/change.ts';
import { ANY_METHOD, METHODS, refuse, refuseOther, starts } from './shared.ts';

export const PRESENCE: Kind<Around<'checkPresent'>> = kind('refuse a request without Action or PublicKey, or without Type or BucketName where they are required', [
  UNCHECKED,
  ...[['Action'], ['PublicKey'], ['Type'], ['BucketName'], ['Type', 'BucketName'], ['Action', 'Type', 'BucketName']].map((names): Change<Around<'checkPresent'>> => {
    const isOther = (required: string): boolean => !names.includes(required);
    return [`${names.join('-').toLowerCase()}-unchecked`, `is not checked for ${formatList(names)}`, (right, parameters, required, section) => right(parameters, required.filter(isOther), section)];
  }),
  [
    'any-case',
    'also takes names in another case, such as publicKey',
    (right, parameters, required, section) =>
      right(
        parameters.map(([name, ...rest]) => [required.find((one) => one.toLowerCase() === name.toLowerCase()) ?? name, ...rest]),
        required,
        section,
      ),
  ],
  ...[['Type', 'BucketName'], ['Type'], ['BucketName']].map((names): Change<Around<'checkPresent'>> => {
    return [
      `${names.join('-').toLowerCase()}-required`,
      `is also checked for ${names.join(' and ')} in each request of §4.1`,
      (right, parameters, required, section) => right(parameters, section === '§4.1' ? [...required, ...names] : required, section),
      { fix: 'require Type and BucketName of CreateBucket only', cost: 2 },
    ];
  }),
]);

/** The bucket names that other services, and validators copied from them, accept. */
const BUCKET_NAMES: readonly (readonly [id: string, noun: string, isAccepted: (bucket: string) => boolean])[] = (
  [
    ['lower-case', 'consists of lower-case letters, digits and hyphens', /^[a-z0-9-]*$/],
    ['lower-case-and-dots', 'consists of lower-case letters, digits, hyphens and dots', /^[a-z0-9.-]*$/],
    ['letters', 'consists of ASCII letters, digits and hyphens', /^[A-Za-z0-9-]*$/],
    ['letters-and-dots', 'consists of ASCII letters, digits, hyphens and dots', /^[A-Za-z0-9.-]*$/],
    ['any-letters', 'consists of ASCII letters, digits, hyphens, dots and underscores', /^[\w.-]*$/],
  ] as const
).flatMap(([id, noun, pattern]) => [
  [id, noun, (bucket) => pattern.test(bucket)],
  [`${id}-63`, `has 1 to 63 characters and ${noun}`, (bucket) => bucket.length <= 63 && pattern.test(bucket)],
  [`${id}-3-to-63`, `has 3 to 63 characters and ${noun}`, (bucket) => bucket.length >= 3 && bucket.length <= 63 && pattern.test(bucket)],
]);

const withoutSlashes = (bucket: string): string => bucket.replaceAll('/', '-');

const endingAtSlash = (host: Steps['fileHostName']): Steps['fileHostName'] => {
  return (...given) => before(host(...given), '/');
};

export const METHOD_CHECKS: Kind<Around<'checkMethod'>> = kind('refuse a method that is not a token (RFC 9110, section 5.6.2)', [
  UNCHECKED,
  ...METHODS.map(([id, methods]): Change<Around<'checkMethod'>> => {
    return [
      `${id}-only`,
      `is refused unless it is ${methods.join(' or ')}`,
      (right, method) => {
        right(method);
        refuseOther(methods, method);
      },
      ANY_METHOD,
    ];
  }),
]);

export const BUCKET_CHECKS: Kind<Around<'checkBucket'>> = kind('refuse a bucket name that is empty or has a slash', [
  UNCHECKED,
  ['slash-unchecked', 'is accepted with a slash', (right, bucket) => right(withoutSlashes(bucket))],
  ['slash-ends-host', 'is accepted with a slash, which ends the host of the URL', (right, bucket) => right(withoutSlashes(bucket)), { also: { fileHostName: endingAtSlash } }],
  ['empty-unchecked', 'is accepted if it is empty', (right, bucket) => right(bucket || 'b')],
  ...BUCKET_NAMES.map(([id, noun, isAccepted]): Change<Around<'checkBucket'>> => {
    return [
      `${id}-only`,
      `is refused unless it ${noun}`,
      (right, bucket) => (isAccepted(bucket) ? right(bucket) : refuse('bucket', 'the bucket name is not valid')),
      { fix: 'accept every bucket name without a slash', cost: 2 },
    ];
  }),
]);

const refuseNames =
  (isRefused: (name: string) => boolean): Around<'checkHeaderName'> =>
  (right, name) => {
    right(name);
    if (isRefused(name)) refuse('header-name', 'a header name has a character that is not allowed');
  };

export const NAME_CHECKS: Kind<Around<'checkHeaderName'>> = kind('refuse a header name that is not a token (RFC 9110, section 5.6.2), without the spaces and tabs around it', [
  UNCHECKED,
  ['blanks-refused', 'is refused if it has spaces or tabs before the colon', refuseNames((name) => name !== name.trim()), { fix: 'remove spaces and tabs before the colon, then check {noun}' }],
  [
    'few-characters',
    'is refused if it has characters other than letters, digits, hyphens, and spaces and tabs at its end',
    refuseNames((name) => /[^A-Za-z0-9-]/.test(name.trim())),
    { fix: 'accept every token (RFC 9110, section 5.6.2) as {noun}' },
  ],
  [
    'word-characters',
    'is refused if it has characters other than letters, digits, hyphens, underscores, and spaces and tabs at its end',
    refuseNames((name) => /[^\w-]/.test(name.trim())),
    { fix: 'accept every token (RFC 9110, section 5.6.2) as {noun}' },
  ],
  [
    'letters-only',
    'is refused if it has characters other than letters, digits and hyphens',
    refuseNames((name) => /[^A-Za-z0-9-]/.test(name)),
    { fix: 'remove spaces and tabs before the colon, and accept every token (RFC 9110, section 5.6.2) as {noun}' },
  ],
]);

const refuseFolds: Around<'checkHeaderValue'> = (right, name, value) => {
  right(name, value);
  if (value.includes('\n')) refuse('header-value', 'a header value has a line break');
};

export const VALUE_CHECKS: Kind<Around<'checkHeaderValue'>> = kind('refuse a header value with a line feed or carriage return outside a fold, or with a NUL', [
  ['unchecked', 'is not checked', () => undefined],
  ['crlf-only', 'is checked only for CRLF', (right, name, value) => right(name, value.includes('\r\n') ? value : '')],
  ['folds-refused', 'is refused if it is folded', refuseFolds, { fix: 'accept a line break that is followed by a space or tab, and unfold it' }],
]);

const startsWithX = ([name]: Pair): boolean => starts(name, 'X-');

export const HEADER_CHECKS: Kind<Around<'checkHeaders'>> = kind('check every header of the request, not only the extra headers', [
  ['unchecked', 'is not checked', () => undefined, { fix: 'refuse a header whose name or value HTTP cannot carry' }],
  ['extra-only', 'is checked only for names that start with X-', (right, headers, context) => right(headers.filter(startsWithX), context)],
]);
