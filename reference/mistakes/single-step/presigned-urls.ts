/**
 * Changes of the steps of pre-signed URLs (§5.4).
 *
 * @module
 */
import { urlDecode, urlEncode } from '../../signing/bytes.ts';
import type { PositionalName } from '../../signing/file-requests.ts';
import type { Steps } from '../../signing/index.ts';
import type { FileRequest } from '../../signing/types.ts';
import { before } from '../changes/bytes.ts';
import { type Around, type Change, type Kind, kind, replaceSteps, type Wraps } from '../changes/change.ts';
import { lines, MD5_OF_NOTHING, typeOf, UPLOAD_TYPES } from './positional-lines.ts';
import { bySegment } from './resource.ts';
import { ANY_METHOD, caseOf, headerOf, type Instead, METHODS, refuse, refuseOther, slugOf, withoutPort } from './shared.ts';

export const presignedLine = (name: PositionalName): Instead<'presignedType'> =>
  kind(`leave the ${name} line of a pre-signed URL empty`, [
    ['of-header', 'is the value of that header of the request', ({ headers }) => headerOf(headers, name)],
    ['by-extension', 'is the media type of the file name', ({ key }) => typeOf(key), { cost: 2 }],
    ...(name === 'Content-Type' ? UPLOAD_TYPES : [MD5_OF_NOTHING, 'UNSIGNED-PAYLOAD']).flatMap((text): Change<Steps['presignedType']>[] => [
      [`always-${slugOf(text)}`, `is ${text}`, () => text, { cost: 2 }],
      [`of-header-or-${slugOf(text)}`, `is the value of ${name}, or ${text}`, ({ headers }) => headerOf(headers, name) || text, { cost: 2 }],
    ]),
  ]);

export const PRESIGNED_LINES: Kind<Around<'presignedPositionalValues'>> = kind('leave the lines of Content-MD5 and Content-Type empty, and sign Expires on the line of Date', [
  ['date-for-expires', 'has Date instead of Expires', lines(({ headers }) => ({ date: headerOf(headers, 'Date') }))],
  ['date-or-expires', 'has Date instead of Expires if Date is sent', lines(({ headers }, { date }) => ({ date: headerOf(headers, 'Date') || date }))],
  ['expires-empty', 'has an empty line for Expires', lines(() => ({ date: '' }))],
  ['headers-of-request', 'has the Content-MD5 and Content-Type of the request', lines(({ headers }) => ({ contentMd5: headerOf(headers, 'Content-MD5'), contentType: headerOf(headers, 'Content-Type') }))],
]);

type PresignedFile = Around<'presignedFile'>;

const ofRequest = (change: (request: FileRequest) => Partial<FileRequest>): PresignedFile => {
  return (right, request, positional, keys, context) => right({ ...request, ...change(request) }, positional, keys, context);
};

const withSteps = (change: (steps: Steps) => Partial<Steps>): PresignedFile => {
  return (right, request, positional, keys, context) => right(request, positional, keys, replaceSteps(context, change(context.steps)));
};

const signedLines = (...between: readonly string[]): Steps['signedText'] => {
  return ({ verb, date, canonicalHeaders, canonicalResource }) => [verb, ...between, date, canonicalHeaders + canonicalResource].join('\n');
};

export const PRESIGNED_FILES: Kind<PresignedFile> = kind('keep the empty lines of Content-MD5 and Content-Type before Expires', [
  ...['GET', 'PUT', 'HEAD'].map((method): Change<PresignedFile> => {
    return [`as-${method.toLowerCase()}`, `is always signed as ${method}`, ofRequest(() => ({ method })), { fix: 'sign the verb of the request that the URL is for' }];
  }),
  ...METHODS.slice(0, 3).map(([id, methods]): Change<PresignedFile> => {
    const checked = ofRequest((request) => {
      refuseOther(methods, request.method);
      return request;
    });
    return [`${id}-only`, `is refused unless its method is ${methods.join(' or ')}`, checked, ANY_METHOD];
  }),
  ['without-headers', 'is signed without extra headers', ofRequest(() => ({ headers: [] })), { fix: 'sign the extra headers that the request will have' }],
  ['without-empty-lines', 'is signed without its two empty lines', withSteps(() => ({ signedText: signedLines() }))],
  ['without-one-empty-line', 'is signed with only one empty line', withSteps(() => ({ signedText: signedLines('') }))],
  ['key-encoded', 'is signed with a percent-encoded key', ofRequest(({ key }) => ({ key: bySegment(key, urlEncode) })), { fix: 'sign the key before you encode it for the path' }],
  [
    'without-slash',
    'is signed without the first slash of its resource',
    withSteps((steps) => ({ resourceText: (text) => steps.resourceText(text).replace(/^\//, '') })),
    { cost: 2, fix: 'start the resource with a slash' },
  ],
]);

const KEY_NAMES = 'PublicKey AccessKeyId AWSAccessKeyId OSSAccessKeyId UCloudPublicKey SvcPublicKey AccessKey publicKey sign UFilePublicKey'.split(' ');

const EXPIRES_NAMES = ['Expiry', 'expires', 'Expire', 'X-Amz-Expires', 'E'];

const SIGNATURE_NAMES = ['signature', 'Sign', 'sig', 'X-Amz-Signature'];

const isKeyName = (name: string): boolean => name !== 'Expires' && name !== 'Signature';

export const PRESIGNED_NAMES: Instead<'presignedName'> = kind('name the parameters SvcPublicKey (UCloudPublicKey in the dialect ucloud), Expires and Signature', [
  ...KEY_NAMES.map((other): Change<Steps['presignedName']> => {
    return [`key-as-${other.toLowerCase()}${caseOf(other)}`, `is ${other} for the public key`, (name) => (isKeyName(name) ? other : name)];
  }),
  ...EXPIRES_NAMES.map((other): Change<Steps['presignedName']> => {
    return [`expires-as-${slugOf(other)}`, `is ${other} for Expires`, (name) => (name === 'Expires' ? other : name), { cost: 2 }];
  }),
  ...SIGNATURE_NAMES.map((other): Change<Steps['presignedName']> => {
    return [`signature-as-${slugOf(other)}-${other.length}`, `is ${other} for Signature`, (name) => (name === 'Signature' ? other : name), { cost: 2 }];
  }),
]);

const host = (write: (bucket: string, fileHost: string) => string): Steps['fileHostName'] => {
  return (bucket, fileHost, { steps }) => write(steps.hostBucket(bucket), steps.hostSuffix(fileHost));
};

export const HOSTS: Instead<'fileHostName'> = kind('write the bucket, a dot and the file host', [
  ['without-bucket', 'lacks the bucket', host((_, fileHost) => fileHost)],
  ['dotted-bucket-as-path', 'has a bucket with a dot moved to the start of the path', host((bucket, fileHost) => (bucket.includes('.') ? `${fileHost}/${bucket}` : `${bucket}.${fileHost}`))],
  ['bucket-as-path', 'has the bucket moved to the start of the path', host((bucket, fileHost) => `${fileHost}/${bucket}`)],
  ['without-dot', 'lacks the dot', host((bucket, fileHost) => bucket + fileHost)],
  ['dash', 'has a hyphen instead of the dot', host((bucket, fileHost) => `${bucket}-${fileHost}`)],
  ['bucket-last', 'has the bucket after the file host', host((bucket, fileHost) => `${fileHost}.${bucket}`), { cost: 2 }],
  ['without-port', 'lacks the port', host((bucket, fileHost) => `${bucket}.${withoutPort(fileHost)}`)],
  [
    'without-default-port',
    'lacks the default port ":80" or ":443" at its end',
    host((bucket, fileHost) => `${bucket}.${fileHost.replace(/:(?:80|443)$/, '')}`),
    { fix: 'write the file host with its port as configured' },
  ],
  ['without-80', 'lacks each ":80", even that of ":8080"', host((bucket, fileHost) => `${bucket}.${fileHost.replaceAll(':80', '')}`), { fix: 'write the file host with its port as configured' }],
  ['encoded', 'is percent-encoded', host((bucket, fileHost) => `${bucket}.${urlEncode(fileHost)}`)],
  ['with-www', 'starts with www.', host((bucket, fileHost) => `www.${bucket}.${fileHost}`), { cost: 2 }],
  ['cut-at-slash', 'ends at a slash of the bucket', host((bucket, fileHost) => before(`${bucket}.${fileHost}`, '/'))],
]);

const path = (write: (key: string) => string): Steps['filePath'] => {
  return (key, { steps }) => write(steps.pathKey(key));
};

/** Keeps the path as specified, whatever the encoder of other texts does. */
export const CORRECT_PATH: Wraps = { filePath: () => path((key) => `/${bySegment(key, urlEncode)}`) };

/** A path in which only some characters are percent-encoded. */
const encoding = (characters: RegExp): Steps['filePath'] => path((key) => `/${key.replace(characters, (others) => urlEncode(others))}`);

/** A path that is encoded unless the key looks as if it were already. */
const unlessEncoded = (isEncoded: (key: string) => boolean): Steps['filePath'] => path((key) => `/${isEncoded(key) ? key : bySegment(key, urlEncode)}`);

export const PATHS: Instead<'filePath'> = kind('write a slash and the key, percent-encoded except for its slashes', [
  ['unencoded', 'is not percent-encoded', path((key) => `/${key}`)],
  ['slashes-encoded', 'has percent-encoded slashes', path((key) => `/${urlEncode(key)}`)],
  ['as-encode-uri', 'is encoded with encodeURI', path((key) => `/${encodeURI(key)}`)],
  ['as-escape', 'is encoded with escape of JavaScript', path((key) => `/${escape(key)}`), { cost: 2 }],
  ['without-slash', 'lacks its slash', path((key) => bySegment(key, urlEncode))],
  ['as-segments', 'keeps $ & + , : ; = @, which RFC 3986 allows in a path', encoding(/[^A-Za-z0-9\-_.~/$&+,:;=@]+/g)],
  ['as-pchar', 'keeps every character that RFC 3986 allows in a path', encoding(/[^A-Za-z0-9\-_.~/!$&'()*+,;=:@]+/g)],
  ['as-java-uri', 'is encoded with java.net.URI', encoding(/[ "<>\\^`{|}%?#[\]]+/g), { cost: 2 }],
  ['spaces-only', 'has only its spaces encoded', encoding(/ /g)],
  ['kept-if-encoded', 'is not encoded if the key has an escape such as %41', unlessEncoded((key) => /%[0-9A-Fa-f]{2}/.test(key))],
  ['kept-if-decodable', 'is not encoded if the key has escapes and all of them are valid', unlessEncoded((key) => (urlDecode(key) ?? key) !== key)],
]);

export const PARSED_PATHS: Kind<Around<'filePath'>> = kind('write a slash and the key, percent-encoded except for its slashes', [
  ['dots-resolved', 'has its dot segments resolved', (right, key, context) => new URL(`http://host/${right(key, context).replace(/^\//, '')}`).pathname],
]);

export const PARSED_URLS: Kind<(url: string) => string> = kind('write scheme, host, path and query as one text, without parsing it again', [
  ['javascript', 'is written again by URL of JavaScript', (url) => (URL.canParse(url) ? new URL(url).href : refuse('text', 'the URL is invalid'))],
  ['normalized', 'has its dot segments resolved and its default port left out, if it is a valid URL', (url) => (URL.canParse(url) ? new URL(url).href : url), { cost: 2 }],
]);

export const URL_SCHEMES: Instead<'urlScheme'> = kind('use the requested scheme, http or https', [
  ['always-http', 'is always http', () => 'http'],
  ['always-https', 'is always https', () => 'https'],
]);
