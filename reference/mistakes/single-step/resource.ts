/**
 * Changes of the resource, the string to sign and the signature of file requests (§5.2).
 *
 * @module
 */
import { base64, urlDecode, urlEncode, utf8Bytes } from '../../signing/bytes.ts';
import type { Piece } from '../../signing/types.ts';
import { type Around, applied, type Change, inside, type Kind, kind } from '../changes/change.ts';
import { ENCODERS } from '../changes/encoders.ts';
import { unlessEmpty } from './positional-lines.ts';
import { changedParts, type Instead, refuse, slugOf } from './shared.ts';

/** @param leaveStart is called if ".." leads above the start of the path */
function cleaned(path: string, leaveStart: () => void = () => {}): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop() ?? leaveStart();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments.join('/');
}

export const withoutEmptySegments = (path: string): string => path.split('/').filter(Boolean).join('/');

function normalizedByNginx(key: string): string {
  const path = cleaned(key, () => refuse('text', 'the key leads above its bucket'));
  return path !== '' && /(?:^|\/)\.{0,2}$/.test(key) ? `${path}/` : path;
}

const decodedWhereValid = (text: string): string => text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) => urlDecode(escapes) ?? escapes);

export const RESOURCE_TEXTS: Kind<(resource: string) => string> = kind('join a slash, the bucket, a slash and the key as texts; the key is not a file path', [
  ['double-slash-escaped', 'has "/%2F" instead of "//"', (resource) => resource.replaceAll('//', '/%2F')],
  ['joined', 'has "//" merged and no slash at its end, as by appendingPathComponent of Swift', (resource) => resource.replace(/\/+/g, '/').replace(/(?<=.)\/$/, '')],
]);

export const bySegment = (path: string, encode: (segment: string) => string): string => changedParts(path, '/', encode);

const ANY_KEY = 'accept every key: it is a name, not a file path';

const refusedLike =
  (pattern: RegExp) =>
  (key: string): string =>
    pattern.test(key) ? refuse('text', 'the key is refused') : key;

const DECODED = { fix: 'do not percent-decode {noun}', rule: '5.2/resource-raw' };

export const CLEANED_KEYS: Kind<(key: string) => string> = kind('keep each "/", "." and ".." of {noun}: it is not a file path', [
  ['cleaned', 'loses empty segments, and "." and ".." are resolved', (key) => cleaned(key)],
  ['empty-segments-lost', 'loses empty segments, as a path that is split at slashes', withoutEmptySegments],
  ['extension-lower', 'has its file extension in lower case', (key) => key.replace(/\.[^./]*$/, (extension) => extension.toLowerCase()), { fix: 'do not change the case of letters in {noun}' }],
  [
    'dollars-replaced',
    'has "$" instead of "$$", because it is the replacement text of replace() in JavaScript',
    (key) => key.replaceAll('$$', () => '$'),
    { cost: 2, fix: 'insert {noun} by joining texts: in a replacement text, "$$", "$&", "$`" and "$\'" have a meaning' },
  ],
  ['by-nginx', 'loses empty segments, and "." and ".." are resolved, as by nginx, which refuses ".." above the start', normalizedByNginx],
  ['decoded-where-valid', 'is percent-decoded where its escapes are UTF-8', decodedWhereValid, DECODED],
  ['decoded-or-refused', 'is percent-decoded, and is refused, or leads to an exception, if its escapes are not UTF-8', (key) => urlDecode(key) ?? refuse('text', 'the key is refused'), DECODED],
  ['nul-refused', 'is refused, or leads to an exception, if it has a NUL', refusedLike(/\0/), { fix: ANY_KEY }],
  ['parent-segments-refused', 'is refused if one of its segments is ".."', refusedLike(/(?:^|\/)\.\.(?:\/|$)/), { fix: ANY_KEY }],
  ['dot-segments-refused', 'is refused if one of its segments is "." or ".."', refusedLike(/(?:^|\/)\.\.?(?:\/|$)/), { fix: ANY_KEY, cost: 2 }],
]);

/** Joined and normalized as by `path.posix.join` of Node: a slash at the end stays, an empty last part has none. */
function joinedByNode(bucket: string, key: string): readonly Piece[] {
  const path = cleaned(`${bucket}/${key}`);
  const hasLastSlash = path !== '' && (key === '' ? bucket : key).endsWith('/');
  return [['the path', `/${path}${hasLastSlash ? '/' : ''}`]];
}

export const BARE_BUCKETS: Kind<Around<'resourcePieces'>> = kind('write a slash, the bucket, a slash and the whole key', [
  ['bucket-alone', 'lacks its second slash if the key is empty', (right, bucket, key) => right(bucket, key).filter(([name]) => key !== '' || name !== 'the second slash')],
  ['joined-as-paths', 'is only the key if the key starts with a slash, as by os.path.join of Python', (right, bucket, key) => (key.startsWith('/') ? [['the key', key]] : right(bucket, key))],
  ['joined-by-node', 'is joined as by path.posix.join of Node, which resolves "//", "." and ".." and drops the slash before an empty key', (_, bucket, key) => joinedByNode(bucket, key)],
  ['key-alone', 'is only the key', (_, _bucket, key) => [['the key', key]]],
  ['bucket-in-key-once', 'has the bucket only once if the key starts with the bucket and a slash', (right, bucket, key) => right(bucket, key.startsWith(`${bucket}/`) ? key.slice(bucket.length + 1) : key), { cost: 2 }],
]);

export const KEY_ENCODERS: Kind<(key: string) => string> = kind('sign the key before you encode it for the URL', [
  ...inside(
    ENCODERS.changes.slice(0, 40),
    'segments-$',
    '$, segment by segment',
    (encode) =>
      (key: string): string =>
        bySegment(key, encode),
  ),
  ['segments', 'is percent-encoded, segment by segment', (key) => bySegment(key, urlEncode)],
  ['encoded', 'is percent-encoded with its slashes', urlEncode],
]);

const withLine = (at: string, text: string): Around<'signedPieces'> => {
  return (right, parts) => right(parts).flatMap((piece): Piece[] => (piece[0] === at ? [['', `${text}\n`], piece] : [piece]));
};

/** The verb and the positional lines, each with its line feed. */
const POSITIONAL_PIECES = 8;

export const FURTHER_LINES: Kind<Around<'signedPieces'>> = kind('sign one line each for the verb, Content-MD5, Content-Type and Date, then the extra headers and the resource, and no other line', [
  ...['HTTP/1.1', 'https', 'http', '/', 'SVC', 'AWS4-HMAC-SHA256', 'UNSIGNED-PAYLOAD', 'host'].flatMap((text): Change<Around<'signedPieces'>>[] => [
    [`starts-with-${slugOf(text)}`, `starts with a line "${text}"`, withLine('the verb', text), { cost: 2 }],
    [`has-line-${slugOf(text)}`, `has a line "${text}" before the resource`, withLine('the resource', text), { cost: 3 }],
  ]),
  [
    'end-trimmed',
    'has no line for Content-MD5, Content-Type and Date if it is empty and all later ones of them are empty too',
    (right, parts) => {
      const lines = [parts.verb, parts.contentMd5, parts.contentType, parts.date].join('\n').replace(/(?<!\n)\n+$/, '');
      return [['the lines', `${lines}\n`], ...right(parts).slice(POSITIONAL_PIECES)];
    },
    { fix: 'write the lines of Content-MD5, Content-Type and Date even if they are empty', cost: 2 },
  ],
  [
    'none-if-all-empty',
    'lacks the lines of Content-MD5, Content-Type and Date if all three are empty',
    (right, parts) => (parts.contentMd5 + parts.contentType + parts.date === '' ? [['the verb', `${parts.verb}\n`], ...right(parts).slice(POSITIONAL_PIECES)] : right(parts)),
    { fix: 'write the lines of Content-MD5, Content-Type and Date even if they are empty', cost: 2 },
  ],
  ['date-and-type-exchanged', 'has the lines of Content-Type and Date swapped', (right, parts) => right({ ...parts, contentType: parts.date, date: parts.contentType })],
]);

const OTHER_SCHEMES = 'Svc UCloud AWS OSS Bearer Basic AWS4-HMAC-SHA256 HMAC-SHA1 Signature COS OBS SharedKey US3 UFile'.split(' ');

export const SCHEMES: Instead<'sentScheme'> = kind(
  'write the scheme Svc (UCloud in the dialect ucloud)',
  OTHER_SCHEMES.map((scheme) => [`is-${scheme.toLowerCase()}`, `is ${scheme}`, () => scheme, { cost: 2 }]),
);

const POLICY_LAST = 'write a colon and the callback policy after the signature';

type Credentials = (scheme: string, key: string, signature: string, policy: string) => string;

const CREDENTIALS: readonly Change<Credentials>[] = [
  ['as-basic', 'has the Base64 of public key and signature, as in Basic authentication', (scheme, key, signature, policy) => `${scheme} ${base64(utf8Bytes(`${key}:${signature}`))}${unlessEmpty(':', policy)}`],
  ['by-names', 'names its parts, as AWS Signature Version 4 does', (scheme, key, signature, policy) => `${scheme} Credential=${key}, SignedHeaders=host, Signature=${signature}${unlessEmpty(':', policy)}`],
  ['by-short-names', 'names its parts Credential and Signature', (scheme, key, signature) => `${scheme} Credential=${key}, Signature=${signature}`, { cost: 2 }],
  ['as-parameters', 'names its parts publicKey and signature, in quotes', (scheme, key, signature) => `${scheme} publicKey="${key}",signature="${signature}"`, { cost: 2 }],
  ['policy-not-sent', 'lacks the callback policy', (scheme, key, signature) => `${scheme} ${key}:${signature}`, { fix: POLICY_LAST }],
  ['policy-comma', 'has a comma before the callback policy', (scheme, key, signature, policy) => `${scheme} ${key}:${signature}${unlessEmpty(',', policy)}`, { cost: 2, fix: POLICY_LAST }],
  ['policy-space', 'has a space before the callback policy', (scheme, key, signature, policy) => `${scheme} ${key}:${signature}${unlessEmpty(' ', policy)}`, { cost: 2, fix: POLICY_LAST }],
  ['public-key-missing', 'is the scheme and the signature, without the public key', (scheme, _, signature) => `${scheme} ${signature}`],
  ['signature-only', 'is only the signature', (_scheme, _, signature) => signature],
  ['header-line', 'starts with the name of the header, Authorization:', (scheme, key, signature, policy) => `Authorization: ${scheme} ${key}:${signature}${unlessEmpty(':', policy)}`],
  ['scheme-twice', 'has its scheme twice', (scheme, key, signature, policy) => `${scheme} ${scheme} ${key}:${signature}${unlessEmpty(':', policy)}`],
];

/** Other layouts of the parts of Authorization as they are sent. */
export const AUTHORIZATIONS: Instead<'authorizationValue'> = kind(
  'write the scheme, one space, the public key, a colon and the signature',
  applied(
    CREDENTIALS,
    (write) =>
      (scheme, key, signature, policy, { steps }) =>
        write(steps.sentScheme(scheme), steps.sentPublicKey(key), steps.sentSignature(signature), steps.sentPolicy(policy)),
  ),
);
