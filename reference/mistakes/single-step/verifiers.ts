/**
 * Changes of the steps of verifiers (§5).
 *
 * @module
 */
import { compareBytes, urlDecode } from '../../signing/bytes.ts';
import type { Steps } from '../../signing/index.ts';
import { jsonText } from '../../signing/json-text.ts';
import { numberText } from '../../signing/parameters.ts';
import type { ActionParameters, Context, FileRequest, HeaderList, Pair, ParameterValue } from '../../signing/types.ts';
import { before, fromUtf8, lowBytes, standardAlphabet } from '../changes/bytes.ts';
import { type Around, type Change, type ChangeNotes, inside, type Kind, kind, type Wraps } from '../changes/change.ts';
import { encode } from '../changes/encoders.ts';
import { firstOfName, lastOfName } from '../changes/lists.ts';
import { isWider, JSON_NUMBER } from '../changes/numbers.ts';
import { TRIMS } from '../changes/texts.ts';
import { isExtra } from './positional-lines.ts';
import { bySegment, withoutEmptySegments } from './resource.ts';
import {
  ANY_METHOD,
  bareName,
  binaryOf,
  changeDeeply,
  changedParts,
  changeValues,
  dateByDotnet,
  dateInUtcByDotnet,
  hasAlike,
  headerOf,
  type Instead,
  ifText,
  isList,
  isNested,
  isNumber,
  isZero,
  type List,
  lowerCase,
  METHODS,
  quoted,
  refuse,
  refuseOther,
  starts,
  turkish,
  upperCase,
  withoutPort,
} from './shared.ts';

const resolvedKey = (key: string): string => bySegment(new URL(`http://h/${bySegment(key, encodeURIComponent)}`).pathname.slice(1), decodeURIComponent);

const sameAs = ([name]: Pair): ((other: Pair) => boolean) => {
  return ([other]) => lowerCase(other) === lowerCase(name);
};

type Received = Around<'verifiedRequest'>;

type RequestChange = (request: FileRequest) => Partial<FileRequest>;

const changeRequest = (change: RequestChange): Received => {
  return (right, request) => {
    const received = right(request);
    return { ...received, ...change(received) };
  };
};

const checkRequest = (check: (request: FileRequest) => unknown): Received => {
  return (right, request) => {
    const received = right(request);
    check(received);
    return received;
  };
};

const isDigest = (sent: string): boolean => sent === '' || /^[A-Za-z0-9+/]{22}==$/.test(sent);

const filterHeaders = (isKept: (header: Pair, i: number, headers: HeaderList) => boolean): RequestChange => {
  return ({ headers }) => ({ headers: headers.filter(isKept) });
};

const dropHeader = (name: string): RequestChange => filterHeaders(([own]) => bareName(own) !== name);

const dropExtraHeaders = filterHeaders((header) => !isExtra(header));

const cutTypes: RequestChange = ({ headers }) => ({ headers: headers.map((header) => (bareName(header[0]) === 'content-type' ? [header[0], before(header[1], ';')] : header)) });

const replaceHead: RequestChange = ({ method }) => (upperCase(method) === 'HEAD' ? { method: 'GET' } : {});

const decodeKey: RequestChange = ({ key }) => ({ key: urlDecode(key) ?? key });

export const VERIFIED_REQUESTS: Kind<Received> = kind('compute the signature from the method, bucket, key and headers as received', [
  ['method-lower-case', 'has its method in lower case', changeRequest(({ method }) => ({ method: lowerCase(method) })), { cost: 2 }],
  ['head-as-get', 'has GET instead of HEAD', changeRequest(replaceHead)],
  ['always-get', 'has GET for every method', changeRequest(() => ({ method: 'GET' })), { cost: 2 }],
  ['without-headers', 'has no headers', changeRequest(() => ({ headers: [] }))],
  ['without-extra-headers', 'has no extra headers', changeRequest(dropExtraHeaders)],
  ['key-lower-case', 'has its key in lower case', changeRequest(({ key }) => ({ key: lowerCase(key) })), { cost: 2 }],
  ['key-decoded', 'has its key percent-decoded', changeRequest(decodeKey)],
  ['key-cleaned', 'has the dot segments of its key resolved', changeRequest(({ key }) => ({ key: resolvedKey(key) }))],
  [
    'other-md5-refused',
    'is refused if its Content-MD5 is not Base64 of 16 bytes',
    checkRequest(({ headers }) => isDigest(headers.find(([name]) => lowerCase(name) === 'content-md5')?.[1] ?? '') || refuse('header-value', 'Content-MD5 is no digest')),
    { fix: 'sign Content-MD5 as received, and compare it with the body only after the signature' },
  ],
  ['key-without-extension', 'has its key without the extension', changeRequest(({ key }) => ({ key: key.replace(/\.[^./]*$/, '') })), { fix: 'take the key from the raw path, not from the parameters of a route' }],
  ...METHODS.map(([id, methods]): Change<Received> => {
    return [`${id}-only`, `is refused unless its method is ${methods.join(' or ')}`, checkRequest(({ method }) => refuseOther(methods, method)), ANY_METHOD];
  }),
  ['empty-key-as-slash', 'has a slash as its key if that is empty', changeRequest(({ key }) => ({ key: key || '/' }))],
  ['key-without-query', 'has its key cut at a question mark', changeRequest(({ key }) => ({ key: before(key, '?') }))],
  [
    'parsable-date-refused',
    'is refused if its Date can be parsed, because it is too long ago',
    checkRequest(({ headers }) => Number.isNaN(Date.parse(headerOf(headers, 'date'))) || refuse('text', 'the date is too long ago')),
    { fix: 'accept any Date: the specification gives it no limit' },
  ],
  ['bucket-lower-case', 'has its bucket in lower case', changeRequest(({ bucket }) => ({ bucket: lowerCase(bucket) }))],
  ['without-date', 'has no Date', changeRequest(dropHeader('date'))],
  ['without-md5', 'has no Content-MD5', changeRequest(dropHeader('content-md5'))],
  ['without-type', 'has no Content-Type', changeRequest(dropHeader('content-type'))],
  ['last-of-repeated', 'has only the last of repeated headers', changeRequest(filterHeaders((header, i, headers) => headers.findLastIndex(sameAs(header)) === i))],
  ['first-of-repeated', 'has only the first of repeated headers', changeRequest(filterHeaders((header, i, headers) => headers.findIndex(sameAs(header)) === i))],
]);

const alsoAccepted = (change: RequestChange): Around<'acceptedRequests'> => {
  return (right, request) => [...right(request), { ...request, ...change(request) }];
};

export const ACCEPTED_REQUESTS: Kind<Around<'acceptedRequests'>> = kind('accept only the signature of the request as received', [
  ['head-as-get', 'is also accepted with the signature of a GET if its method is HEAD', alsoAccepted(replaceHead)],
  ['without-type', 'is also accepted with the signature of a request without Content-Type', alsoAccepted(dropHeader('content-type'))],
  ['type-only', 'is also accepted with the signature of a request without parameters of Content-Type', alsoAccepted(cutTypes)],
  ['without-date', 'is also accepted with the signature of a request without Date', alsoAccepted(dropHeader('date')), { cost: 2 }],
  ['without-md5', 'is also accepted with the signature of a request without Content-MD5', alsoAccepted(dropHeader('content-md5')), { cost: 2 }],
  ['without-extra-headers', 'is also accepted with the signature of a request without extra headers', alsoAccepted(dropExtraHeaders), { cost: 2 }],
  ['encoded-key', 'is also accepted with the signature of its percent-encoded key', alsoAccepted(({ key }) => ({ key: bySegment(key, encode) })), { cost: 2 }],
  ['decoded-key', 'is also accepted with the signature of its percent-decoded key', alsoAccepted(decodeKey), { cost: 2 }],
]);

export const ACCEPTED_POLICIES: Instead<'acceptedPolicies'> = kind('include the received policy in the signed text', [
  ['unsigned', 'is also accepted with the signature of a request without it', (policy) => [policy, '']],
]);

export const AUTHORIZATION_LISTS: Kind<(values: readonly string[]) => readonly string[]> = kind('refuse a request with two Authorization headers', [
  ['joined', 'is joined with commas', (values) => [values.join(',')].filter((value) => value !== '')],
]);

/** A verifier's look-up of the header Authorization. */
export const AUTHORIZATION_NAMES: Instead<'isAuthorization'> = kind('look up the header Authorization without regard to case', [
  ['as-spelled', 'is found only in this spelling, not as authorization', (name) => name === 'Authorization'],
  ['lower-case-only', 'is found only in lower case', (name) => name === 'authorization'],
  ['turkish', 'is not found if its name has a capital "I", as in lower case by the rules of Turkish', (name) => turkish(name) === 'authorization', { cost: 2 }],
  ['proxy', 'may also be named Proxy-Authorization', (name) => /^(?:proxy-)?authorization$/i.test(name)],
]);

export const OTHER_PARAMETERS: Instead<'ignoresParameter'> = kind('ignore the parameters of a pre-signed URL that are not signed', [
  ['refused', 'is refused', () => false],
  ['refused-with-prefix', 'is refused if its name starts with the prefix of the dialect, in any case', (name) => !/^(?:x-)?(?:svc|ucloud)/i.test(name), { cost: 3 }],
]);

/** Makes the comparison of signatures accept an empty one. */
const ACCEPT_EMPTY_SIGNATURE = { also: { sameText: (right) => (expected, received) => received === '' || right(expected, received) } } satisfies { also: Wraps };

export const HAS_SIGNATURE: Instead<'hasSignature'> = kind('refuse a request whose signature is missing or empty', [
  ['absent-accepted', 'is accepted if the signature is absent', (signature) => signature === undefined || (typeof signature === 'string' && signature !== ''), ACCEPT_EMPTY_SIGNATURE],
  ['absent-or-empty-accepted', 'is accepted if the signature is absent or empty', (signature) => signature === undefined || typeof signature === 'string', ACCEPT_EMPTY_SIGNATURE],
  ['empty-accepted', 'is accepted if the signature is empty', (signature) => typeof signature === 'string', { ...ACCEPT_EMPTY_SIGNATURE, cost: 2 }],
  ['accepted', 'is accepted', () => true, ACCEPT_EMPTY_SIGNATURE],
]);

export const UNKNOWN_ACCOUNTS: Instead<'unknownAccount'> = kind('refuse a public key that belongs to no account', [
  ['empty-private-key', 'has an empty private key, the default of a map', (publicKey) => ({ publicKey, privateKey: '' })],
]);

export const HAS_SCHEME: Instead<'hasScheme'> = kind('accept only the documented scheme, in its documented case and with one space after it', [
  ['any-case', 'is accepted in any case', (value, scheme) => starts(value, `${scheme} `)],
  ['any', 'may be any word', () => true],
  ['without-space', 'is accepted without its space', (value, scheme) => value.startsWith(scheme)],
  ['any-blank', 'is accepted with any whitespace after it', (value, scheme) => value.startsWith(scheme) && /^\s/.test(value.slice(scheme.length))],
]);

type Parsed = ReturnType<Steps['credentials']>;

const atLastColon = (parsed: Parsed): Parsed => (parsed?.policy ? { publicKey: `${parsed.publicKey}:${parsed.signature}`, signature: parsed.policy, policy: '' } : parsed);

function atFirstColon(text: string): Parsed {
  const at = text.indexOf(':');
  return at < 0 ? undefined : { publicKey: text.slice(0, at), signature: text.slice(at + 1), policy: '' };
}

function withEmptyParts(text: string): Parsed {
  const [publicKey = '', signature = '', policy = ''] = text.split(':');
  return { publicKey, signature, policy };
}

/** Public key, signature and policy, whatever characters they have. */
function partsOf(text: string): Parsed {
  const [publicKey = '', signature = '', policy, ...more] = text.split(':');
  const isWhole = [publicKey, signature, policy ?? 'none'].every((part) => part !== '');
  return isWhole && more.length === 0 ? { publicKey, signature, policy: policy ?? '' } : undefined;
}

function withWholePolicy(text: string): Parsed {
  const [publicKey = '', signature = '', ...policy] = text.split(':');
  return publicKey && signature ? { publicKey, signature, policy: policy.join(':') } : undefined;
}

const onlyIf = (parsed: Parsed, isAccepted: (parsed: NonNullable<Parsed>) => boolean): Parsed => (parsed && isAccepted(parsed) ? parsed : undefined);

const withKeysLike = (pattern: RegExp): Around<'credentials'> => {
  return (right, text) => onlyIf(right(text), ({ publicKey }) => pattern.test(publicKey));
};

export const CREDENTIALS: Kind<Around<'credentials'>> = kind('split the credentials at each colon, change nothing in the parts, and refuse empty parts or more than three', [
  ['few-characters', 'is accepted only if the public key consists of letters, digits and "_@.-"', withKeysLike(/^[\w@.-]+$/)],
  ['word-characters', 'is accepted only if the public key consists of letters, digits and "_"', withKeysLike(/^\w+$/), { cost: 2 }],
  ['signature-without-slash', 'is accepted only without a "/" in the signature', (right, text) => onlyIf(right(text), ({ signature }) => !signature.includes('/')), { cost: 2 }],
  ['signature-without-plus', 'is accepted only without a "+" in the signature', (right, text) => onlyIf(right(text), ({ signature }) => !signature.includes('+')), { cost: 2 }],
  ['few-signature-characters', 'is accepted only with letters, digits, "-", "_" and "=" in the signature', (right, text) => onlyIf(right(text), ({ signature }) => /^[\w=-]+$/.test(signature)), { cost: 2 }],
  ['last-colon', 'is split at its last colon, so a callback policy is read as the signature', (right, text) => atLastColon(right(text))],
  ['first-two', 'is cut after its second part', (right, text) => right(text.split(':').slice(0, 2).join(':'))],
  ['first-three', 'is cut after its third part', (right, text) => right(text.split(':').slice(0, 3).join(':'))],
  ['first-colon', 'is split only at the first colon', (_, text) => atFirstColon(text)],
  ['empty-parts', 'is accepted with empty parts', (_, text) => withEmptyParts(text)],
  ['empty-signature', 'is accepted with an empty signature', (right, text) => (/^[^:]+:$/.test(text) ? withEmptyParts(text) : right(text)), ACCEPT_EMPTY_SIGNATURE],
  ['trimmed-parts', 'has its parts trimmed', (right, text) => right(changedParts(text, ':', (part) => part.trim()))],
  ['blanks-removed', 'has its spaces and tabs removed', (right, text) => right(text.replace(/[ \t]+/g, ''))],
  ['policy-empty', 'is accepted with an empty callback policy, as if it had none', (right, text) => right(text.replace(/^([^:]*:[^:]*):$/, '$1'))],
  ['policy-whole', 'is accepted with colons in the callback policy', (_, text) => withWholePolicy(text)],
  // Alone, it only changes the reason of a refusal; a lenient comparison accepts such signatures.
  ['blanks-kept', 'is accepted with spaces and tabs in its parts', (_, text) => partsOf(text), { fix: 'refuse credentials with a space or a tab' }],
  ['word-cut', 'is cut at its first space or tab', (right, text) => right(text.split(/[ \t]/, 1).join())],
]);

const rereading = (read: (value: string, scheme: string) => string): Around<'parsedAuthorization'> => {
  return (right, value, scheme, context) => right(read(value, scheme), scheme, context);
};

/** A text without those of some characters that it starts with. */
function withoutFirst(text: string, characters: string): string {
  const start = Array.from(text).findIndex((character) => !characters.includes(character));
  return start < 0 ? '' : text.slice(start);
}

const wordOf = (value: string, at: number): string | undefined => value.split(' ')[at];

const CREDENTIALS_ANYWHERE = /(?<![^\s:])[^\s:]+:[A-Za-z0-9+/]{27}=/;

export const PARSED: Kind<Around<'parsedAuthorization'>> = kind('accept only the scheme, one space and the credentials', [
  ['glued', 'is accepted with any whitespace, or none, after the scheme', rereading((value, scheme) => (value.startsWith(scheme) ? `${scheme} ${value.slice(scheme.length).trimStart()}` : value))],
  [
    'scheme-letters-lost',
    'loses all letters of the scheme and spaces at its start, as by TrimLeft of Go',
    rereading((value, scheme) => (value.startsWith(`${scheme} `) ? `${scheme} ${withoutFirst(value, `${scheme} `)}` : value)),
  ],
  ['scheme-optional', 'is accepted without its scheme', rereading((value, scheme) => (value.startsWith(`${scheme} `) ? value : `${scheme} ${value}`))],
  ['longer-scheme', 'is accepted with any word that starts with the scheme', rereading((value, scheme) => (value.startsWith(scheme) ? value.replace(/^[^ ]+/, () => scheme) : value))],
  ['blanks', 'is accepted with several spaces and tabs after the scheme', rereading((value) => value.replace(/[ \t]+/, ' '))],
  ['last-word', 'is read from its last word', rereading((value, scheme) => `${scheme} ${value.slice(value.lastIndexOf(' ') + 1)}`)],
  ['second-word', 'is read from its second word', rereading((value, scheme) => `${scheme} ${wordOf(value, 1) ?? ''}`)],
  ['second-word-at-blanks', 'is read from its second word, after any whitespace', rereading((value, scheme) => `${scheme} ${value.split(/\s+/)[1] ?? ''}`)],
  ['scheme-and-word', 'is read from the word after the scheme', rereading((value, scheme) => `${wordOf(value, 0) ?? scheme} ${wordOf(value, 1) ?? ''}`)],
  ['any-scheme', 'is accepted with any word as its scheme', rereading((value, scheme) => value.replace(/^[^ ]*(?= )/, scheme))],
  ['anywhere', 'is found anywhere in the header', rereading((value, scheme) => value.slice(Math.max(0, value.indexOf(`${scheme} `))))],
  ['credentials-anywhere', 'has its public key and signature found anywhere, and its callback policy ignored', rereading((value, scheme) => `${scheme} ${CREDENTIALS_ANYWHERE.exec(value)?.[0] ?? ''}`), { cost: 2 }],
  ['tabs', 'is accepted with a tab after the scheme', rereading((value, scheme) => (value.startsWith(`${scheme}\t`) ? `${scheme} ${value.slice(scheme.length + 1)}` : value))],
  ['quotes', 'is accepted in quotes', rereading((value) => value.replaceAll('"', ''))],
  ['percent-decoded', 'is percent-decoded first', rereading((value) => urlDecode(value) ?? value)],
  ['comma-ends', 'ends at a comma', rereading((value) => before(value, ','))],
]);

const POLICY_METHODS = ['PUT', 'POST'];

const REFUSED_ELSEWHERE = 'refuse a callback policy with methods other than PUT and POST';

const isJsonObject = (value: ParameterValue | undefined): value is JsonObject => value !== undefined && isNested(value) && 'object' in value;

type JsonObject = Extract<ParameterValue, { readonly object: unknown }>;

export const RECEIVED_POLICIES: Instead<'receivedPolicy'> = kind('read the callback policy as it is sent, and check it', [
  ['ignored', 'is ignored', () => ''],
  ['ignored-with-other-methods', 'is ignored with methods other than PUT and POST', (policy, method) => (POLICY_METHODS.includes(upperCase(method)) ? policy : ''), { fix: REFUSED_ELSEWHERE }],
  ['ignored-with-get', 'is ignored with GET and HEAD', (policy, method) => (['GET', 'HEAD'].includes(upperCase(method)) ? '' : policy), { fix: REFUSED_ELSEWHERE }],
  ['decoded', 'is percent-decoded', (policy) => urlDecode(policy) ?? policy],
  ['ignored-if-malformed', 'is ignored if it is not Base64 of a JSON object', (policy) => (isJsonObject(jsonText(policyText(policy) ?? '')) ? policy : '')],
]);

export const TAKES_POLICY: Instead<'takesPolicy'> = kind('accept a callback policy with PUT and POST, in any letter case, and refuse it with every other method', [
  ['of-any-method', 'is accepted with any method', () => true],
  ['of-no-method', 'is never accepted', () => false],
  ['of-upper-case-only', 'is accepted only with PUT and POST in upper case', (method) => POLICY_METHODS.includes(method), { fix: 'compare the method with PUT and POST without regard to case' }],
  ['of-put-only', 'is accepted only with PUT', (method) => upperCase(method) === 'PUT'],
  ['of-post-only', 'is accepted only with POST', (method) => upperCase(method) === 'POST'],
  ['of-put-and-delete', 'is accepted with every method except GET and HEAD', (method) => !['GET', 'HEAD'].includes(upperCase(method))],
  ['of-all-but-get', 'is accepted with every method except GET', (method) => upperCase(method) !== 'GET'],
  ['of-methods-with-body', 'is accepted with PATCH too', (method) => [...POLICY_METHODS, 'PATCH'].includes(upperCase(method))],
]);

const policyText = (encoded: string): string | undefined => binaryOf(standardAlphabet(encoded));

export const IS_POLICY: Kind<Around<'isPolicy'>> = kind('accept a callback policy only if it is Base64, in either alphabet, of a JSON object', [
  ['any-text', 'is accepted with any content', () => true],
  ['none', 'is never accepted', () => false],
  ['ey-only', 'is accepted if its text starts with "ey", whatever it decodes to', (_, text) => text.startsWith('ey')],
  ['any-base64', 'is accepted as Base64 of anything', (_, text) => policyText(text) !== undefined],
  ['any-json', 'is accepted as Base64 of any JSON', (_, text) => jsonText(policyText(text) ?? '') !== undefined],
  ['braced', 'is accepted as Base64 of anything between braces', (_, text) => /^\{.*\}$/s.test(policyText(text) ?? '')],
  ['opened', 'is accepted as Base64 of anything that starts with a brace', (_, text) => policyText(text)?.startsWith('{') ?? false],
  ['with-callback-url-only', 'is accepted only if it has a member callbackUrl', (right, text) => right(text) && /"callbackUrl"/.test(policyText(text) ?? '')],
  ['short-only', 'is accepted only up to 255 characters', (right, text) => text.length <= 255 && right(text)],
  ['with-members-only', 'is accepted only if it has a member', (right, text) => right(text) && /"/.test(policyText(text) ?? '')],
  ['url-safe-only', 'is accepted only in URL-safe Base64', (right, text) => !/[+/]/.test(text) && right(text)],
  ['standard-only', 'is accepted only in standard Base64', (right, text) => !/[-_]/.test(text) && right(text)],
  ['other-characters-ignored', 'is accepted with other characters among its Base64, which are ignored', (right, text) => right(text.replace(/[^A-Za-z0-9+/_=-]/g, ''))],
  [
    'undecodable-too',
    'is accepted as Base64 of a JSON object, and if it has only characters of Base64 but is no JSON in Base64',
    (right, text) => right(text) || (/^[\w+/-]+={0,2}$/.test(text) && jsonText(policyText(text) ?? '') === undefined),
  ],
  ['first-marks-only', 'is accepted only with at most one "-" and one "_", because only the first ones are replaced', (right, text) => !/-.*-|_.*_/.test(text) && right(text)],
  ['padded-only', 'is accepted only with padding', (right, text) => text.length % 4 === 0 && right(text), { cost: 2 }],
  ['unpadded-only', 'is accepted only without padding', (right, text) => !text.endsWith('=') && right(text), { cost: 2 }],
]);

const ESCAPE = /%([0-9A-Fa-f]{2})/g;

const RESERVED = /%(?=2[346BCF]|3[ABDF]|40)/gi;

const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/g;

const latin1 = (text: string): string => text.replace(ESCAPE, (_, byte: string) => String.fromCharCode(Number.parseInt(byte, 16)));

const escaped = (text: string): string => encodeURI(text.toWellFormed().replace(BAD_ESCAPE, '%25')).replaceAll('%25', '%');

function decodedTwice(decode: Steps['decodedText'], text: string): string | undefined {
  const once = decode(text);
  return once === undefined ? undefined : (decode(once) ?? once);
}

function withoutLastParameters(path: string): string {
  const at = path.indexOf(';', path.lastIndexOf('/') + 1);
  return at < 0 ? path : path.slice(0, at);
}

export const PATH_KEYS: Kind<Around<'keyOfPath'>> = kind('decode the whole path of the URL, with its semicolons', [
  ['path-parameters-lost', 'loses each semicolon with what follows it up to the next slash', (right, path) => right(path.replace(/;[^/]*/g, ''))],
  ['escaped-slashes-refused', 'is refused if it has an escaped slash, as by Tomcat', (right, path) => (/%2f/i.test(path) ? undefined : right(path)), { fix: 'accept %2F in the path as a slash' }],
  ['empty-segments-lost', 'loses its empty segments, as a path that is split at slashes', (right, path) => right(withoutEmptySegments(path))],
  ['last-parameters-lost', 'is cut at the first semicolon after its last slash, as by urlparse of Python', (right, path) => right(withoutLastParameters(path))],
]);

export const DECODERS: Kind<Around<'decodedText'>> = kind('percent-decode {noun} once, as UTF-8, keep each plus, and refuse invalid escapes', [
  ['undecoded', 'is not percent-decoded', (_, text) => text],
  ['decoded-twice', 'is percent-decoded twice', decodedTwice],
  ['doubly-escaped', 'has %25 decoded before the other escapes', (right, text) => right(text.replaceAll('%25', '%'))],
  ['plus-as-space', 'has a space instead of each plus', (right, text) => right(text.replaceAll('+', '%20'))],
  ['latin-1', 'is decoded as Latin-1', (_, text) => latin1(text)],
  ['bad-escapes-kept', 'is accepted with invalid escapes, and keeps them', (right, text) => right(text.replace(BAD_ESCAPE, '%25'))],
  ['bad-utf-8-replaced', 'is accepted with escapes that are not UTF-8, read as U+FFFD', (_, text) => fromUtf8(lowBytes(latin1(escaped(text))), false)],
  ['bad-kept-whole', 'is used undecoded if it cannot be decoded', (right, text) => right(text) ?? text],
  ['bad-empty', 'is empty if it cannot be decoded', (right, text) => right(text) ?? ''],
  ['reserved-kept', 'keeps the escapes of reserved characters', (right, text) => right(text.replace(RESERVED, '%25'))],
  ['slashes-kept', 'keeps the escapes of slashes', (right, text) => right(text.replace(/%(?=2F)/gi, '%25'))],
  ['lower-case-refused', 'is refused if an escape has lower-case digits', (right, text) => (/%(?:[a-f][0-9A-Fa-f]|[0-9A-F][a-f])/.test(text) ? undefined : right(text))],
  ['dots-resolved', 'has its dot segments resolved', (right, text) => right(new URL(`http://host/${text}`).pathname.slice(1))],
  ['slashes-merged', 'has its slashes merged', (right, text) => right(text.replace(/\/{2,}/g, '/'))],
  ['semicolon-cut', 'is cut at its first semicolon', (right, text) => right(before(text, ';')), { cost: 2 }],
  ['trailing-slash-cut', 'loses a slash at its end', (right, text) => right(text.replace(/\/$/, '')), { cost: 2 }],
]);

export const DECODED_TEXTS: Kind<(text: string | undefined) => string | undefined> = kind('do not change {noun} after decoding it', [
  ['lower-case', 'is converted to lower case', (text) => text?.toLowerCase()],
  ['trimmed', 'loses whitespace at both ends', (text) => text?.trim()],
  ['mark-lost', 'loses a byte order mark (U+FEFF) at its start, as by TextDecoder of JavaScript', (text) => text?.replace(/^\uFEFF/, '')],
  ['slash-less', 'loses slashes at its start', (text) => text?.replace(/^\/+/, '')],
  ['normalized', 'is converted to the Unicode form NFC', (text) => text?.normalize('NFC')],
  ['cut-at-nul', 'is cut at its first NUL', (text) => text?.split('\0', 1).join()],
  ['escapes-refused', 'is refused if it still has an escape such as %25', (text) => (text !== undefined && /%[0-9A-Fa-f]{2}/.test(text) ? undefined : text)],
  ['unescaped-plus-as-space', 'has spaces instead of "+", even where it was escaped', (text) => text?.replaceAll('+', ' ')],
  ['backslash-slash', 'has slashes instead of backslashes', (text) => text?.replaceAll('\\', '/')],
]);

const KNOWN = ['Action', 'PublicKey', 'Expires', 'Signature', 'SvcPublicKey', 'UCloudPublicKey'];

/** Reads some names in any case. */
const nameKnown =
  (names: readonly string[]) =>
  <V>(list: readonly (readonly [name: string, value: V])[]): readonly (readonly [string, V])[] =>
    list.map(([name, value]) => [names.find((known) => lowerCase(known) === lowerCase(name)) ?? name, value]);

/** Numbers the items of each list from 0, in the order of their indexes. */
function withoutGaps(pairs: readonly Pair[]): readonly Pair[] {
  const listOf = (name: string): string | undefined => /^(.+)\.\d+$/.exec(name)?.[1];
  const indexOf = (name: string): number => Number(name.slice(name.lastIndexOf('.') + 1));
  return pairs.map(([name, value]) => {
    const list = listOf(name);
    const before = pairs.filter(([other]) => list !== undefined && listOf(other) === list && indexOf(other) < indexOf(name));
    return [list === undefined ? name : `${list}.${before.length}`, value];
  });
}

/** The pairs with the value of the first name that ends with Signature as the signature. */
function withFirstSignature(pairs: readonly Pair[]): readonly Pair[] {
  const first = pairs.find(([name]) => name.endsWith('Signature'));
  return changeValues(pairs, (value, name) => (name === 'Signature' ? (first?.[1] ?? value) : value));
}

const DECIMAL = /^-?(?:0|[1-9][0-9]*)[.][0-9]+$/;

export const RECEIVED_PAIRS: Kind<(pairs: readonly Pair[]) => readonly Pair[]> = kind('keep the names of parameters as received, and compare them with regard to case', [
  ['known-in-any-case', 'is accepted with known names in any case', nameKnown(KNOWN)],
  ['signature-in-any-case', 'is accepted with the name Signature in any case', nameKnown(['Signature'])],
  ['signature-by-end', 'has the value of the first name that ends with Signature as the signature', withFirstSignature, { fix: 'take the signature from the parameter named exactly Signature', cost: 2 }],
  ['expires-in-any-case', 'is accepted with the names Expires and Signature in any case', nameKnown(['Expires', 'Signature'])],
  ['decimals-as-numbers', 'has values that look like decimal numbers read as numbers, 1.10 as 1.1', (pairs) => changeValues(pairs, (value) => (DECIMAL.test(value) ? numberText(value) : value))],
  ['digits-as-numbers', 'has values of up to 18 digits read as numbers, 007 as 7', (pairs) => changeValues(pairs, (value, name) => (name !== 'PublicKey' && /^[0-9]{1,18}$/.test(value) ? `${BigInt(value)}` : value))],
  ['first-100', 'has only the first 100 parameters, as by decode_args of OpenResty', (pairs) => pairs.slice(0, 100)],
  ['underscored-ignored', 'lacks parameters whose names begin with an underscore', (pairs) => pairs.filter(([name]) => !name.startsWith('_'))],
  ['indexes-closed', 'has the indexes of each list renumbered without gaps', withoutGaps],
  ['names-alike-refused', 'is refused if two names differ only in case', (pairs) => (hasAlike(pairs, lowerCase) ? refuse('parameter-repeated', 'a parameter is repeated') : pairs)],
  ['dots-as-underscores', 'has underscores instead of dots and spaces in names, as in PHP', (pairs) => pairs.map(([name, value]) => [name.replace(/[. ]/g, '_'), value])],
]);

const pairOf = (piece: string): Pair => [before(piece, '='), piece.split('=').slice(1).join('=')];

const rawPairs = (query: string): readonly Pair[] => {
  const pieces = query.split('&').filter((piece) => piece !== '');
  return pieces.map(pairOf);
};

const UNSORTED = { also: { sortedParameters: () => (pairs) => pairs } } satisfies ChangeNotes;

const byUndecodedName = (a: string, b: string): number => compareBytes(before(a, '='), before(b, '='));

const toSecondEquals = (piece: string): string => piece.split('=').slice(0, 2).join('=');

const hasEquals = (piece: string): boolean => piece.includes('=');

function splitDecoded(query: string): readonly Pair[] | undefined {
  const text = urlDecode(query);
  return text === undefined ? undefined : rawPairs(text);
}

function splitParts(query: string, steps: Steps): readonly Pair[] | undefined {
  const decoded = query
    .split('&')
    .filter((piece) => piece !== '')
    .map((piece) => steps.decodedText(piece));
  const known = decoded.filter((piece) => piece !== undefined);
  return known.length < decoded.length ? undefined : known.map(pairOf);
}

const SIGNATURE_TO_END = /(?<=(?:^|&)Signature=).*/s;

const escapeSeparators = (text: string): string => text.replaceAll('&', '%26').replaceAll('=', '%3D');

/** The first text after the name and "=" of each parameter of a pre-signed URL, wherever it is. */
function findByPattern(query: string, { steps, dialect }: Context): readonly Pair[] | undefined {
  if (!query.includes(dialect.publicKeyParameter)) return undefined;
  return [dialect.publicKeyParameter, 'Expires', 'Signature'].flatMap((name): readonly Pair[] => {
    const [, ...rest] = query.split(`${name}=`);
    if (rest.length === 0) return [];
    const value = before(rest.join(`${name}=`), '&');
    return [[name, steps.decodedText(value) ?? value]];
  });
}

/** Stands for a missing Expires. */
const ABSENT = '\0absent';

const isExpires = ([name]: Pair): boolean => name === 'Expires';

/** Accepts a pre-signed URL without Expires, where some count as none. */
function acceptWithoutExpires(isNone: (expires: string) => boolean): Around<'decodedQuery'> {
  return (right, query, context) => {
    const pairs = right(query, context);
    if (!pairs?.some(([name]) => name === context.dialect.publicKeyParameter)) return pairs;
    const given = pairs.filter((pair) => !isExpires(pair) || !isNone(pair[1]));
    return given.some(isExpires) ? given : [...given, ['Expires', ABSENT]];
  };
}

const NEVER_EXPIRES = {
  fix: 'refuse a URL without Expires',
  rule: '5.4/parameters',
  also: {
    expirySeconds: (right) => (text) => (text === ABSENT ? Number.MAX_SAFE_INTEGER : right(text)),
    signedExpires: (right) => (expires) => (expires === ABSENT ? '' : right(expires)),
  },
} satisfies ChangeNotes;

/** The pairs with the names that PHP gives to variables; a name with brackets makes an array, whose text is "Array". */
function asVariables(pairs: readonly Pair[] | undefined): readonly Pair[] | undefined {
  const named = pairs?.map(([full, value]): Pair => {
    const name = before(full, '\0').replace(/^ +/, '');
    const isArray = name.includes('[') && name.includes(']', name.indexOf('['));
    return [(isArray ? before(name, '[') : name).replace(/(?!^)\[|[. ]/g, '_'), isArray ? 'Array' : value];
  });
  return named && lastOfName(named.filter(([name]) => name !== '' && !name.startsWith('[')));
}

export const QUERY_READERS: Kind<Around<'decodedQuery'>> = kind('split the query at "&" and each part at its first "=", then percent-decode names and values', [
  ['undecoded', 'is not percent-decoded', (_, query) => rawPairs(query)],
  ['decoded-before-splitting', 'is percent-decoded before it is split', (_, query) => splitDecoded(query), { rule: '5.3/verify-equals' }],
  [
    'decoded-before-splitting-with-equals',
    'is percent-decoded before it is split, and refused with a part without "="',
    (_, query) => (urlDecode(query)?.split('&').every(hasEquals) ? splitDecoded(query) : undefined),
    { cost: 2 },
  ],
  ['names-undecoded', 'has names that are not percent-decoded', (right, query, context) => right(query, context)?.map(([, value], i): Pair => [rawPairs(query)[i]?.[0] ?? '', value])],
  ['second-part-only', 'has values cut at a second "="', (right, query, context) => right(changedParts(query, '&', toSecondEquals), context), { rule: '5.3/verify-equals' }],
  ['decoded-twice', 'has names and values that are percent-decoded twice', (right, query, context) => right(query, context)?.map(([name, value]): Pair => [urlDecode(name) ?? name, urlDecode(value) ?? value])],
  ['values-decoded-twice', 'has values that are percent-decoded twice', (right, query, context) => right(query, context)?.map(([name, value]): Pair => [name, urlDecode(value) ?? value])],
  ['signature-to-end', 'has all that follows Signature= as the signature', (right, query, context) => right(query.replace(SIGNATURE_TO_END, escapeSeparators), context)],
  ['signature-last-only', 'is refused if Signature is not its last parameter', (right, query, context) => (/(?:^|&)Signature=[^&]*&/.test(query) ? undefined : right(query, context))],
  ['cut-after-signature', 'lacks what follows the parameter Signature', (right, query, context) => right(query.replace(/(&Signature=[^&]*).*/s, '$1'), context)],
  ['sorted-undecoded', 'is sorted before it is decoded', (right, query, context) => right(query.split('&').sort(compareBytes).join('&'), context), UNSORTED],
  ['names-sorted-undecoded', 'is sorted by its names before they are decoded', (right, query, context) => right(query.split('&').sort(byUndecodedName).join('&'), context), UNSORTED],
  [
    'in-order-only',
    'is accepted only with the public key, Expires and Signature in this order',
    (right, query, context) => {
      const pairs = right(query, context);
      const names = [context.dialect.publicKeyParameter, 'Expires', 'Signature'];
      const found = pairs?.map(([name]) => name).filter((name) => names.includes(name)) ?? [];
      return found.length === names.length && found.join() !== names.join() ? undefined : pairs;
    },
  ],
  ['parts-decoded-before-splitting', 'has each part percent-decoded before it is split at its first "="', (_, query, { steps }) => splitParts(query, steps), { rule: '5.3/verify-equals' }],
  [
    'found-by-pattern',
    'has the public key, Expires and Signature found by patterns that longer names fit too',
    (right, query, context) => findByPattern(query, context) ?? right(query, context),
    { fix: 'split the query into parameters, and compare whole names' },
  ],
  ['expires-optional', 'is accepted without Expires, and then never expires', acceptWithoutExpires(() => false), NEVER_EXPIRES],
  ['expires-optional-or-empty', 'is accepted with no or an empty Expires, and then never expires', acceptWithoutExpires((expires) => expires === ''), NEVER_EXPIRES],
  [
    'parse-str',
    'is read as by parse_str of PHP, which changes names, keeps the last of equal names and reads "+" as a space',
    (right, query, context) => asVariables(right(query.replaceAll('+', '%20'), context)),
    { fix: 'split the query at "&" and each part at its first "=", then percent-decode names and values' },
  ],
  ['valueless-dropped', 'lacks parts without "="', (right, query, context) => right(query.split('&').filter(hasEquals).join('&'), context)],
]);

function withoutComments(text: string): string {
  let left = '';
  let at = 0;
  for (;;) {
    const start = text.indexOf('/*', at);
    const end = start < 0 ? -1 : text.indexOf('*/', start + 2);
    if (end < 0) return left + text.slice(at);
    left += text.slice(at, start);
    at = end + 2;
  }
}

const withoutTrailingCommas = (text: string): string => text.replace(/,(?=\s*[}\]])/g, '');

const repairJson = (repair: (text: string) => string): Around<'jsonText'> => {
  return (right, text) => right(repair(text));
};

const convertJson = (change: (value: ParameterValue) => ParameterValue): Around<'jsonText'> => {
  return (right, text) => {
    const value = right(text);
    return value === undefined ? undefined : changeDeeply(value, change);
  };
};

const convertNumbers = (convert: (digits: string) => number | string): Around<'jsonText'> => convertJson((value) => (isNumber(value) ? { number: `${convert(value.number)}` } : value));

const numberAsText = (value: ParameterValue): ParameterValue => (isNumber(value) ? value.number : value);

/** Changes the members of a body that is an object. */
const convertMembers = (change: (members: JsonObject['object']) => JsonObject['object']): Around<'jsonText'> => {
  return (right, text) => {
    const value = right(text);
    return isJsonObject(value) ? { object: change(value.object) } : value;
  };
};

const quotedNames = (text: string): string => text.replace(/([{,]\s*)([A-Za-z_]\w*)(?=\s*:)/g, '$1"$2"');

export const JSON_READERS: Kind<Around<'jsonText'>> = kind('parse the body strictly as one JSON object (RFC 8259), and keep its values as written', [
  ['numbers-in-doubles', 'has its numbers parsed as doubles', convertNumbers(Number)],
  ['wide-numbers-in-doubles', 'has its numbers parsed as doubles, unless they are 64-bit integers, signed or unsigned', convertNumbers((digits) => (isWider(digits) ? Number(digits) : digits))],
  ['query-accepted', 'is read as a query if it does not start with a brace', (right, text) => (/^\s*\{/.test(text) ? right(text) : { object: [...new URLSearchParams(text)] })],
  ['numbers-truncated', 'has its numbers cut to integers', convertNumbers((digits) => Math.trunc(Number(digits)))],
  ['top-numbers-as-texts', 'has its numbers read as texts, unless they are inside a list or an object', convertMembers((members) => changeValues(members, numberAsText)), { cost: 2 }],
  ['numbers-as-texts', 'has its numbers read as texts', convertJson(numberAsText)],
  ['booleans-as-numbers', 'has its booleans read as 1 and 0', convertJson((value) => (typeof value === 'boolean' ? { number: value ? '1' : '0' } : value))],
  ['number-texts', 'has each text that is a JSON number read as a number', convertJson((value) => (typeof value === 'string' && JSON_NUMBER.test(value) ? { number: value } : value))],
  ['null-as-empty', 'has each null read as an empty text', convertJson((value) => value ?? '')],
  ['texts-trimmed', 'has its texts trimmed', convertJson(ifText((text) => text.trim()))],
  ['dates-parsed', 'has texts in the form of an ISO time read as dates, as by Json.NET', convertJson(ifText(dateByDotnet))],
  ['dates-parsed-in-utc', 'has texts in the form of an ISO time read as dates in UTC, as by Json.NET', convertJson(ifText(dateInUtcByDotnet)), { cost: 2 }],
  ['comments-and-commas', 'is accepted with comments and trailing commas', repairJson((text) => withoutTrailingCommas(withoutComments(text)))],
  ['trailing-commas', 'is accepted with trailing commas', repairJson(withoutTrailingCommas)],
  ['comments', 'is accepted with comments', repairJson(withoutComments)],
  ['single-quotes', 'is accepted with single quotes', repairJson((text) => (jsonText(text) === undefined ? text.replaceAll("'", '"') : text))],
  ['bare-names', 'is accepted with names without quotes', repairJson((text) => (jsonText(text) === undefined ? quotedNames(text) : text))],
  ['lenient', 'is accepted with names without quotes and texts in single quotes', repairJson((text) => (jsonText(text) === undefined ? quotedNames(text.replaceAll("'", '"')) : text))],
  ['leading-zeros', 'is accepted with zeros at the start of numbers', repairJson((text) => text.replace(/([:,[]\s*-?)0+(?=\d)/g, '$1'))],
  ['surrogate-escapes-replaced', 'has U+FFFD twice for an escaped pair of surrogates', repairJson((text) => text.replace(/\\u[dD][89abAB]..\\u[dD][c-fC-F]../g, '\uFFFD\uFFFD'))],
  ['surrogate-escapes-refused', 'is refused with an escaped pair of surrogates', (right, text) => (/\\u[dD][89abAB]/.test(text) ? undefined : right(text))],
  ['mark-ignored', 'is accepted with a byte order mark', repairJson((text) => text.replace(/^\ufeff/, ''))],
  ['list-of-one', 'is accepted as a list with one object', repairJson((text) => text.replace(/^\s*\[(.*)\]\s*$/s, '$1'))],
  [
    'names-undecoded',
    'has names whose escapes are not decoded',
    repairJson((text) => text.replace(/"((?:[^"\\]|\\.)*)(?:"(\s*:)?)?/gs, (whole, name: string, colon: string | undefined) => (colon === undefined ? whole : `${quoted(name)}${colon}`))),
  ],
  ['slash-escapes-kept', 'keeps the backslash of the escape \\/', repairJson((text) => text.replace(/\\(.)/gs, (pair, mark: string) => (mark === '/' ? '\\\\/' : pair)))],
  ['blanks-around-refused', 'is refused with whitespace before or after its object', (right, text) => (text === text.trim() ? right(text) : undefined)],
  ['first-value', 'is read only to the end of its first object', (right, text) => [...text.matchAll(/\}/g)].map(({ index }) => right(text.slice(0, index + 1))).find((value) => value !== undefined)],
  ...[64, 53].map((bits): Change<Around<'jsonText'>> => {
    const limit = 2n ** BigInt(bits === 64 ? 63 : 53);
    const isWide = (value: ParameterValue): boolean => isNumber(value) && /^-?\d+$/.test(value.number) && (BigInt(value.number) >= limit || BigInt(value.number) < -limit);
    const checked = convertJson((value) => (isWide(value) ? refuse('number', 'the number is too large') : value));
    return [`numbers-of-${bits}-bits`, `is refused if it has a whole number beyond ${bits} bits`, checked, { fix: 'accept numbers of any size, and keep their digits' }];
  }),
  ['null-members-dropped', 'loses members that are null', convertMembers((members) => members.filter(([, value]) => value !== null))],
]);

function onlyItem(value: ParameterValue): ParameterValue {
  const [only, ...others] = isNested(value) && isList(value) ? value.list : [];
  return only !== undefined && others.length === 0 ? only : value;
}

function withLastSignature(members: ActionParameters): ActionParameters {
  const last = members.findLast(([name]) => lowerCase(name) === 'signature');
  return changeValues(members, (value, name) => (name === 'Signature' && last ? last[1] : value));
}

const innerValues = (value: List | JsonObject): readonly ParameterValue[] => ('list' in value ? value.list : value.object.map(([, inner]) => inner));

const isZeroMember = (value: ParameterValue): boolean => value !== null && !isNested(value) && isZero(value);

export const RECEIVED_MEMBERS: Kind<(members: ActionParameters) => ActionParameters> = kind('use every member of the body, with its name as received', [
  ['names-any-case', 'is accepted with known names in any case', nameKnown(KNOWN)],
  ['signature-any-case-last', 'has the value of the last name that is Signature in any case as the signature, as by encoding/json of Go', withLastSignature, { cost: 2 }],
  ['signature-any-case', 'is accepted with the name Signature in any case', nameKnown(['Signature'])],
  ['without-zero', 'lacks members that are the number 0', (members) => members.filter(([, value]) => !isZeroMember(value))],
  ['without-falsy', 'lacks members that are 0, false or empty', (members) => members.filter(([, value]) => value !== '' && value !== false && !isZeroMember(value))],
  [
    'nested-refused',
    'is refused if it has a list or an object',
    (members) => (members.some(([, value]) => isNested(value)) ? refuse('text', 'a nested value is not supported') : members),
    { fix: 'flatten lists and objects of the body before you verify it' },
  ],
  [
    'inner-nested-refused',
    'is refused if a list or an object is inside another one',
    (members) => (members.some(([, value]) => isNested(value) && innerValues(value).some(isNested)) ? refuse('text', 'values are nested too deeply') : members),
    { fix: 'flatten lists and objects of the body at any depth', cost: 2 },
  ],
  ['signature-in-list', 'is accepted with the signature as the only item of a list', (members) => changeValues(members, (value, name) => (name === 'Signature' ? onlyItem(value) : value))],
  ...inside(
    TRIMS,
    'texts-$',
    'has its texts changed: each $',
    (trim) =>
      (members: ActionParameters): ActionParameters =>
        changeValues(members, (value) => changeDeeply(value, ifText(trim))),
    { fix: 'keep the texts of the body as received, with their whitespace' },
  ),
  ['without-nested', 'loses members that are lists or objects', (members) => members.filter(([, value]) => !isNested(value))],
]);

export const REPEATS: Instead<'repeatsMember'> = kind('refuse a body with two members of one name', [['never', 'is accepted', () => false]]);

export const COUNTS: Instead<'countOf'> = kind('refuse a parameter that appears twice', [['accepted', 'is accepted, and its first value is used', (count) => Math.min(count, 1)]]);

export const MISSING: Kind<Around<'missingParameter'>> = kind('refuse a request without Action or PublicKey', [
  ['accepted', 'is accepted without Action or PublicKey', () => undefined],
  ['action-accepted', 'is accepted without Action', (right, parameters) => right([['Action', ''], ...parameters])],
  ['public-key-accepted', 'is accepted without PublicKey', (right, parameters) => right([['PublicKey', ''], ...parameters])],
]);

const SUB_RESOURCES =
  'acl append callback cors delete lifecycle location logging notification object-meta objectMeta partNumber policy position referer restore security-token symlink tagging torrent uploadId uploads version versionId versioning versions website x-oss-process';

/** Parameters that S3 and OSS sign with the key. */
const isSubResource = (name: string): boolean => name.startsWith('response-') || SUB_RESOURCES.split(' ').includes(name);

const keyBefore = (textOf: (name: string, value: string) => string, isSigned: (name: string) => boolean = () => true): Around<'verifiedKey'> => {
  return (right, key, others) => {
    const signed = others.filter(([name]) => isSigned(name)).map(([name, value]) => textOf(name, value));
    return right(signed.length === 0 ? key : `${key}?${signed.sort(compareBytes).join('&')}`, others);
  };
};

export const VERIFIED_KEYS: Kind<Around<'verifiedKey'>> = kind('verify the key of the path alone; other parameters of the URL are not signed', [
  ['with-other-parameters', 'has the other parameters of the URL after it, as the sub-resources of S3', keyBefore((name, value) => (value === '' ? name : `${name}=${value}`))],
  ['with-other-pairs', 'has the other parameters of the URL after it, each as name=value', keyBefore((name, value) => `${name}=${value}`), { cost: 2 }],
  ['with-sub-resources', 'has those parameters of the URL after it that S3 and OSS sign, such as acl and response-content-type', keyBefore((name, value) => (value === '' ? name : `${name}=${value}`), isSubResource)],
]);

function splitAtLastMark(url: string): string {
  const at = Math.max(0, url.lastIndexOf('?'));
  return url.slice(0, at).replaceAll('?', '%3F') + url.slice(at);
}

export const RECEIVED_URLS: Kind<(url: string) => string> = kind('verify a URL of either scheme, http or https', [
  ['at-last-question-mark', 'is split at its last "?"', splitAtLastMark, { fix: 'split the URL at its first "?"' }],
  ['javascript', 'is parsed and written again by URL of JavaScript', (url) => (URL.canParse(url) ? new URL(url).href : url), { fix: 'take host and path from the URL as it was received' }],
  ['https-only', 'is refused unless its scheme is https', (url) => (/^https:/i.test(url) ? url : refuse('text', 'the scheme is not https'))],
  ['http-only', 'is refused unless its scheme is http', (url) => (/^http:/i.test(url) ? url : refuse('text', 'the scheme is not http')), { cost: 2 }],
]);

export const VERIFIED_HEADERS: Kind<(headers: HeaderList) => HeaderList> = kind('sign all extra headers of a pre-signed request', [
  ['ignored', 'is ignored', () => []],
  ['first-of-name', 'has only the first header of each name', (headers) => firstOfName(headers.map(([name, value]): Pair => [lowerCase(name), value]))],
  ['last-of-name', 'has only the last header of each name', (headers) => lastOfName(headers.map(([name, value]): Pair => [lowerCase(name), value]))],
  ['metadata-only', 'is cut to metadata headers', (headers) => headers.filter(([name]) => /-meta-/i.test(name)), { cost: 2 }],
]);

/** A text with a zero at its start is less than every text of the clock, as the number 0 is. */
const ZEROS_AT_START: ChangeNotes = { also: { expirySeconds: (right) => (text) => (text.startsWith('0') ? right('0') : right(text)) } };

export const EXPIRED_TEXTS: Instead<'isExpired'> = kind('compare Expires and the clock as numbers', [
  ['text-as-sent', 'and the clock are compared as texts, not as numbers, so zeros at the start of Expires count', (expires, now) => `${now}` > `${expires}`, ZEROS_AT_START],
  ['text-as-sent-too-early', 'and the clock are compared as texts, not as numbers, and a URL expires one second too early', (expires, now) => `${now}` >= `${expires}`, { ...ZEROS_AT_START, cost: 2 }],
]);

/** The part of a host before a suffix, compared without regard to case. */
const beforeEnd = (name: string, end: string): string | undefined => (lowerCase(name).endsWith(lowerCase(end)) ? name.slice(0, -end.length) : undefined);

/** The bucket before a file host; any character of the host may stand for a dot of the file host. */
function bucketBefore(name: string, fileHost: string): string | undefined {
  const at = name.length - fileHost.length;
  const bucket = name.slice(0, Math.max(0, at - 1));
  return isLikeEnd(name, fileHost) && name[at - 1] === '.' && !bucket.includes('.') ? bucket || undefined : undefined;
}

function isLikeEnd(name: string, fileHost: string): boolean {
  const end = lowerCase(name.slice(-fileHost.length));
  return [...lowerCase(fileHost)].every((character, i) => character === '.' || character === end[i]);
}

/** The same with any character before the file host, and with dots in the bucket. */
const bucketByPattern = (name: string, fileHost: string): string | undefined => (isLikeEnd(name, fileHost) && name.slice(0, -fileHost.length - 1)) || undefined;

/** A host below the file host without those characters at its end that the file host has, too. */
function bucketByCharacters(name: string, fileHost: string): string | undefined {
  if (beforeEnd(name, `.${fileHost}`) === undefined) return undefined;
  let end = name.length;
  while (end > 0 && `.${fileHost}`.includes(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end) || undefined;
}

function bucketInside(name: string, end: string): string | undefined {
  const at = lowerCase(name).indexOf(end);
  return at < 1 ? undefined : name.slice(0, at);
}

const ESCAPE_DOTS = { fix: 'escape every dot of the pattern, also those of the file host, or compare texts instead' };

export const BUCKETS_OF_HOST: Kind<Around<'bucketOfHost'>> = kind('require that the host ends with a dot and the file host, compared without regard to case, and take what comes before that as the bucket', [
  ['case-sensitive', 'is found only if the file host is written in the same letter case', (right, name, fileHost) => (name.endsWith(fileHost) ? right(name, fileHost) : undefined)],
  ['in-lower-case-only', 'is found only if the URL has the file host in lower case', (right, name, fileHost) => (name.endsWith(lowerCase(fileHost)) ? right(name, fileHost) : undefined)],
  ['of-lower-case-only', 'is found only if the configured file host is in lower case', (right, name, fileHost) => (fileHost === lowerCase(fileHost) ? right(name, fileHost) : undefined)],
  ['first-label', 'is the part before the first dot of any host, and every host is accepted', (_, name) => before(name, '.') || undefined],
  ['first-label-below', 'is cut at its first dot, as shop of shop.evil, and such a host is accepted', (_, name, fileHost) => (beforeEnd(name, `.${fileHost}`) === undefined ? undefined : before(name, '.') || undefined)],
  [
    'first-label-of-suffix',
    'is the part before the first dot of any host that ends with the file host, even without a dot before it',
    (_, name, fileHost) => (lowerCase(name).endsWith(lowerCase(fileHost)) ? before(name, '.') || undefined : undefined),
  ],
  ['lower-case', 'is in lower case', (right, name, fileHost) => right(name, fileHost)?.toLowerCase()],
  ['port-cut', 'is looked for after the port of the URL is removed', (right, name, fileHost) => right(withoutPort(name), fileHost)],
  ['without-port', 'is found even if the port differs', (right, name, fileHost) => right(withoutPort(name), withoutPort(fileHost))],
  ['dots', 'is accepted even if it has dots', (_, name, fileHost) => beforeEnd(name, `.${fileHost}`) || undefined],
  ['dots-as-any-character', 'is found by a pattern in which the dots of the file host are not escaped, so they match any character', (_, name, fileHost) => bucketBefore(name, fileHost), ESCAPE_DOTS],
  ['pattern-with-dots', 'is found by a pattern in which no dot is escaped, so any character matches before the file host and inside it', (_, name, fileHost) => bucketByPattern(name, fileHost), ESCAPE_DOTS],
  [
    'characters-cut',
    'loses every character at its end that the file host has too, as by rtrim of PHP',
    (_, name, fileHost) => bucketByCharacters(name, fileHost),
    { fix: 'cut off the dot and the file host as one text; a trim function removes single characters' },
  ],
  ['inside', 'is found in any host that contains the file host', (right, name, fileHost) => right(name, fileHost) ?? bucketInside(name, `.${lowerCase(fileHost)}`)],
  ['any-mark', 'is found before any one character and the file host', (_, name, fileHost) => beforeEnd(name, fileHost)?.slice(0, -1) || undefined],
  ['suffix', 'is found before any host that ends with the file host', (_, name, fileHost) => beforeEnd(name, fileHost)?.replace(/\.$/, '') || undefined],
]);
