/**
 * File management: headers, resource, signature, and what carries it (§4.3, §5.2, §5.4). Every export is a step.
 *
 * @module
 */
import { hmacSha1 as digestHmacSha1, hmacSha1OfText } from '#digest';
import {
  base64,
  base64Url,
  checkText,
  compareBytes,
  hexadecimal,
  hexadecimalBytes,
  joinPieces,
  joinTexts,
  sortList,
  startsInAnyCase,
  utf8Bytes,
} from './bytes.ts';
import {
  type Context,
  type FileRequest,
  type FileStages,
  type FormRequest,
  type HeaderList,
  InputError,
  type InstantUpload,
  type KeyPair,
  type Pair,
  type Piece,
  type PresignedRequest,
  toStringToSign,
} from './types.ts';

export type PositionalName = 'Content-MD5' | 'Content-Type' | 'Date';

/** The three lines after the verb. */
export interface PositionalValues {
  readonly contentMd5: string;
  readonly contentType: string;
  /** `Date` in a header-signed request (§5.2), `Expires` in a pre-signed one (§5.4). */
  readonly date: string;
}

/** The parts of the signed text, in order. */
export interface SignedParts extends PositionalValues {
  readonly verb: string;
  readonly canonicalHeaders: string;
  readonly canonicalResource: string;
  /** The callback policy as sent; empty without one. */
  readonly policy: string;
}

// --- What HTTP can send (RFC 2616 §4.2, RFC 9110 §5)

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Folds: line breaks in a value with the whitespace around them. The lookbehind avoids quadratic time over long whitespace. */
const FOLD = /(?<![ \t])[ \t]*(?:\r?\n[ \t]+)+/g;
/** What no value may have: a line break that is not part of a fold, or a NUL. */
const STRAY_LINE_END = /\0|\r(?!\n)|\n(?![ \t])/;

const isToken = (text: string): boolean => TOKEN.test(text);
const replaceFolds = (value: string): string =>
  value.includes('\n') ? value.replace(FOLD, ' ') : value;
/** Removes the whitespace of headers at both ends. `trim()` would also remove U+00A0. */
function trimSpacesAndTabs(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpaceOrTab(text.charCodeAt(start))) start++;
  while (end > start && isSpaceOrTab(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}
const isSpaceOrTab = (unit: number): boolean => unit === 0x20 || unit === 0x09;

/** Refuses a request that HTTP cannot carry, before anything is signed. */
export function checkRequest(
  { method, bucket, key, headers }: FileRequest,
  context: Context,
): void {
  const { steps } = context;
  steps.checkMethod(method);
  steps.checkBucket(bucket);
  checkText('the bucket', bucket);
  checkText('the key', key);
  steps.checkHeaders(headers, context);
}
export function checkMethod(method: string): void {
  if (isToken(method)) return;
  throw new InputError(
    'method',
    `method ${JSON.stringify(method)} is not a token (RFC 9110 §9.1); name one such as GET`,
  );
}
export function checkBucket(bucket: string): void {
  if (bucket !== '' && !bucket.includes('/')) return;
  throw new InputError(
    'bucket',
    `bucket ${JSON.stringify(bucket)} cannot be the first label of a host (§4.3); name the bucket alone, without "/"`,
  );
}
/** Refuses header lines that no request can carry. */
export function checkHeaders(headers: HeaderList, { steps }: Context): void {
  for (const header of headers) {
    steps.checkHeaderName(header[0]);
    steps.checkHeaderValue(header[0], header[1]);
  }
}
export function checkHeaderName(name: string): void {
  if (isToken(trimSpacesAndTabs(name))) return;
  throw new InputError(
    'header-name',
    `header name ${JSON.stringify(name)} is not a token (RFC 9110 §5.6.2); remove what is not a letter, a digit or "-"`,
  );
}
export function checkHeaderValue(name: string, value: string): void {
  if (!value.isWellFormed()) checkText(`the value of header ${name}`, value);
  if (!STRAY_LINE_END.test(value)) return;
  throw new InputError(
    'header-value',
    `the value of header ${name} has a line break that is not a fold, or a NUL (RFC 2616 §4.2); start the next line with a space`,
  );
}

// --- §5.2: the positional lines

/** The HTTP verb as it is signed. §5.2 writes it in upper case only. */
export const verb = (method: string): string => method.toUpperCase();
/** Whether a header has this name, in any case. */
export function isPositional(header: string, name: PositionalName): boolean {
  const trimmed = trimSpacesAndTabs(header);
  return trimmed.length === name.length && startsInAnyCase(trimmed, name);
}
/** §5.2 does not define the text for a repeated header, so it is refused. */
export function oneValue(values: readonly string[], name: PositionalName): string {
  if (values.length > 1) {
    throw new InputError(
      'header-repeated',
      `header ${name} appears ${values.length} times; §5.2 signs one value; send it once`,
    );
  }
  return values[0] ?? '';
}
/** §5.2 mentions no folds in these headers, so a fold is a space, as elsewhere in HTTP. */
export const unfoldPositional = (value: string): string => replaceFolds(value);
export const trimPositional = (value: string): string => trimSpacesAndTabs(value);
/** The value of the header; empty if it is absent. */
export function positionalValue(
  headers: HeaderList,
  name: PositionalName,
  { steps }: Context,
): string {
  const values: string[] = [];
  for (const header of headers) {
    if (steps.isPositional(header[0], name)) values.push(header[1]);
  }
  return steps.trimPositional(steps.unfoldPositional(steps.oneValue(values, name)));
}
export const contentMd5 = (value: string, _headers: HeaderList, _context: Context): string => value;
export const contentType = (value: string, _headers: HeaderList, _context: Context): string =>
  value;
export const date = (value: string, _headers: HeaderList, _context: Context): string => value;
/** The three values of a request with an `Authorization` header. */
export function positionalValues({ headers }: FileRequest, context: Context): PositionalValues {
  const { steps } = context;
  const value = (name: PositionalName): string => steps.positionalValue(headers, name, context);
  return {
    contentMd5: steps.contentMd5(value('Content-MD5'), headers, context),
    contentType: steps.contentType(value('Content-Type'), headers, context),
    date: steps.date(value('Date'), headers, context),
  };
}

// --- §5.2: the extra headers

/** The name without whitespace before the colon (step 5). */
export const trimName = (name: string): string => trimSpacesAndTabs(name);
/** Extra headers are those whose names start with the dialect's prefix, in any case; a name is ASCII. */
export const isExtraHeader = (name: string, prefix: string): boolean =>
  startsInAnyCase(name, prefix);
/** Step 1. `toLowerCase()` is Unicode-wide, but a header name is a token and so ASCII. */
export const lowerCaseName = (name: string): string => name.toLowerCase();
/** Step 4: each fold becomes a single space. */
export const unfold = (value: string): string => replaceFolds(value);
/** Step 5: no whitespace after the colon; none at the end either (RFC 9110 §5.5). */
export const trimValue = (value: string): string => trimSpacesAndTabs(value);
/** The same for every name: metadata is no exception. */
export const extraValue = (value: string, _name: string): string => value;
/** The extra headers in request order: names in lower case, values on one line. */
export function extraHeaders(headers: HeaderList, { steps, dialect }: Context): HeaderList {
  const extra: Pair[] = [];
  for (const header of headers) {
    const name = steps.trimName(header[0]);
    if (!steps.isExtraHeader(name, dialect.headerPrefix)) continue;
    const value = steps.extraValue(steps.trimValue(steps.unfold(header[1])), name);
    extra.push([steps.lowerCaseName(name), value]);
  }
  return extra;
}
export const extraList = (headers: HeaderList): HeaderList => headers;
/** The values of one name, in request order. */
export const valuesOfName = (values: readonly string[]): readonly string[] => values;
/** Step 3: the values joined by a comma without a space. */
export const joinValues = (values: readonly string[]): string => joinTexts(values, ',');
/** Step 3: one entry for each name, in the order of first occurrence. */
export function mergedHeaders(headers: HeaderList, { steps }: Context): HeaderList {
  const valuesByName = new Map<string, string[]>();
  for (const header of headers) {
    const values = valuesByName.get(header[0]);
    if (values) values.push(header[1]);
    else valuesByName.set(header[0], [header[1]]);
  }
  const merged: Pair[] = [];
  for (const [name, values] of valuesByName) {
    merged.push([name, steps.joinValues(steps.valuesOfName(values))]);
  }
  return merged;
}
export const compareHeaderNames = (a: string, b: string): number => compareBytes(a, b);
/** Step 2. */
export const sortedHeaders = (headers: HeaderList, { steps }: Context): HeaderList =>
  sortList(headers, (a, b) => steps.compareHeaderNames(a[0], b[0]));
export const signedHeaderName = (name: string): string => name;
export const signedHeaderValue = (value: string): string => value;
const COLON: Piece = ['the colon', ':', true];
const LINE_FEED: Piece = ['the line feed', '\n', true];
/** Step 6: the entry of one name, with its line feed. */
export const headerPieces = (name: string, value: string): readonly Piece[] => [
  ['the name', name],
  COLON,
  ['the value', value],
  LINE_FEED,
];
export const headerEntry = (name: string, value: string, { steps }: Context): string =>
  joinPieces(steps.headerPieces(steps.signedHeaderName(name), steps.signedHeaderValue(value)));
export const joinHeaderEntries = (entries: readonly string[]): string => joinTexts(entries, '');
/** The signed form of the extra headers; empty if the request has no extra headers. */
export function canonicalHeaders(headers: HeaderList, context: Context): string {
  const { steps } = context;
  const extra = steps.extraList(steps.extraHeaders(headers, context));
  const sorted = steps.sortedHeaders(steps.mergedHeaders(extra, context), context);
  const entries: string[] = [];
  for (const header of sorted) entries.push(steps.headerEntry(header[0], header[1], context));
  return steps.joinHeaderEntries(entries);
}
export const headersText = (text: string): string => text;

// --- §5.2: the resource, the signed text and the signature

export const resourceBucket = (bucket: string): string => bucket;
/** §5.2 mentions no percent-encoding, so the resource contains the key unescaped, even if the path has to escape it. */
export const resourceKey = (key: string): string => key;
export const resourcePieces = (bucket: string, key: string): readonly Piece[] => [
  ['the first slash', '/', true],
  ['the bucket', bucket],
  ['the second slash', '/', true],
  ['the key', key],
];
export const canonicalResource = (bucket: string, key: string, { steps }: Context): string =>
  joinPieces(steps.resourcePieces(steps.resourceBucket(bucket), steps.resourceKey(key)));
export const resourceText = (text: string): string => text;
export const signedPolicy = (policy: string): string => policy;

const VERB_BREAK: Piece = ['the break after the verb', '\n', true];
const MD5_BREAK: Piece = ['the break after Content-MD5', '\n', true];
const TYPE_BREAK: Piece = ['the break after Content-Type', '\n', true];
const DATE_BREAK: Piece = ['the break after Date', '\n', true];
/** The pieces of the signed text. The line break of an absent part stays. */
export const signedPieces = (parts: SignedParts): readonly Piece[] => [
  ['the verb', parts.verb],
  VERB_BREAK,
  ['Content-MD5', parts.contentMd5],
  MD5_BREAK,
  ['Content-Type', parts.contentType],
  TYPE_BREAK,
  ['Date', parts.date],
  DATE_BREAK,
  ['the extra headers', parts.canonicalHeaders],
  ['the resource', parts.canonicalResource],
  ['the policy', parts.policy],
];
export const signedText = (parts: SignedParts, { steps }: Context): string =>
  joinPieces(steps.signedPieces(parts));
export const stringToSign = (text: string): string => text;
export const hmacKeyBytes = (privateKey: string): Uint8Array => utf8Bytes(privateKey);
export const hmacTextBytes = (text: string): Uint8Array => utf8Bytes(text);
export const hmacSha1 = (key: Uint8Array, text: Uint8Array): Uint8Array =>
  digestHmacSha1(key, text);
export const fileSignatureText = (digest: Uint8Array): string => base64(digest);

/** Signs the text of a request whose positional lines are given. */
export function signedFile(
  request: FileRequest,
  positional: PositionalValues,
  keys: KeyPair,
  context: Context,
  policy: string,
): FileStages {
  const { steps } = context;
  checkText('the policy', policy);
  checkText('the Date or Expires', positional.date);
  const headers = steps.headersText(steps.canonicalHeaders(request.headers, context));
  const { method, bucket, key } = request;
  const resource = steps.resourceText(steps.canonicalResource(bucket, key, context));
  const parts: SignedParts = {
    verb: steps.verb(method),
    contentMd5: positional.contentMd5,
    contentType: positional.contentType,
    date: positional.date,
    canonicalHeaders: headers,
    canonicalResource: resource,
    policy: steps.signedPolicy(policy),
  };
  const text = toStringToSign(steps.stringToSign(steps.signedText(parts, context)));
  const digest = fileDigest(text, keys.privateKey, context);
  return {
    canonicalHeaders: headers,
    canonicalResource: resource,
    stringToSign: text,
    digest: digest.digits,
    signature: steps.fileSignatureText(digest.bytes),
  };
}

interface FileDigest {
  readonly bytes: Uint8Array;
  /** In lower-case hexadecimal. */
  readonly digits: string;
}

function fileDigest(text: string, privateKey: string, { steps }: Context): FileDigest {
  const isCorrect =
    steps.hmacKeyBytes === hmacKeyBytes &&
    steps.hmacTextBytes === hmacTextBytes &&
    steps.hmacSha1 === hmacSha1;
  if (!isCorrect) {
    const bytes = steps.hmacSha1(steps.hmacKeyBytes(privateKey), steps.hmacTextBytes(text));
    return { bytes, digits: hexadecimal(bytes) };
  }
  // Without a mistake in these steps, one call does the same in a third of the time.
  checkText('a text', privateKey);
  checkText('a text', text);
  const digits = hmacSha1OfText(privateKey, text);
  return { bytes: hexadecimalBytes(digits), digits };
}

// --- §5.2: the header that carries it

export const authorizationPieces = (
  scheme: string,
  publicKey: string,
  signature: string,
  policy: string,
): readonly Piece[] => [
  ['the scheme', scheme],
  ['the space', ' ', true],
  ['the public key', publicKey],
  ['the colon', ':', true],
  ['the signature', signature],
  ...(policy === ''
    ? []
    : ([
        ['the colon before the policy', ':', true],
        ['the policy', policy],
      ] as const)),
];
export const sentScheme = (scheme: string): string => scheme;
export const sentPublicKey = (publicKey: string): string => publicKey;
export const sentSignature = (signature: string): string => signature;
export const sentPolicy = (policy: string): string => policy;
/** Scheme, one space, public key, colon, signature; then, if there is a policy, a colon and the policy. */
export const authorizationValue = (
  scheme: string,
  publicKey: string,
  signature: string,
  policy: string,
  { steps }: Context,
): string =>
  joinPieces(
    steps.authorizationPieces(
      steps.sentScheme(scheme),
      steps.sentPublicKey(publicKey),
      steps.sentSignature(signature),
      steps.sentPolicy(policy),
    ),
  );
export const authorizationText = (value: string): string => value;

// --- §4.3 and observed: form upload, callback policy, instant upload

/** The value of a form field. Unlike names of headers, names of form fields are case-sensitive. */
export function formField(fields: readonly Pair[], name: PositionalName, context: Context): string {
  const values = fields.filter(([field]) => field === name);
  for (const [field, value] of values) {
    checkHeaderName(field);
    checkHeaderValue(field, value);
  }
  return positionalValue(values, name, context);
}
/**
 * The positional values of a form: its `Content-Type` field counts, never the request's header.
 *
 * §4.3 does not mention Content-MD5; published clients send it as a header or as a field.
 */
export function formPositionalValues(
  { headers, fields }: FormRequest,
  context: Context,
): PositionalValues {
  const { steps } = context;
  const hasMd5 = headers.some(([header]) => isPositional(header, 'Content-MD5'));
  return {
    contentMd5: steps.contentMd5(
      hasMd5
        ? steps.positionalValue(headers, 'Content-MD5', context)
        : steps.formField(fields, 'Content-MD5', context),
      headers,
      context,
    ),
    contentType: steps.contentType(
      steps.formField(fields, 'Content-Type', context),
      headers,
      context,
    ),
    date: steps.date(steps.positionalValue(headers, 'Date', context), headers, context),
  };
}
export const formMethod = (): string => 'POST';
/** The extra headers of a form upload come from the request, never from form fields. */
export const formHeaders = ({ headers }: FormRequest): HeaderList => headers;

export const policyMembers = (members: readonly Pair[]): readonly Pair[] => members;
export const policyMember = (name: string, value: string): string =>
  `${JSON.stringify(name)}:${JSON.stringify(value)}`;
export const policyJson = (members: readonly string[]): string => `{${members.join(',')}}`;
export const policyBytes = (json: string): Uint8Array => utf8Bytes(json);
export const policyText = (bytes: Uint8Array): string => base64Url(bytes);
/** URL-safe Base64 of compact JSON; this text is signed and sent. */
export function policy(members: readonly Pair[], { steps }: Context): string {
  const json = steps.policyMembers(members).map(([name, value]) => steps.policyMember(name, value));
  return steps.policyText(steps.policyBytes(steps.policyJson(json)));
}

export const instantUploadMethod = (): string => 'POST';
export const instantUploadKey = ({ key }: InstantUpload): string => key;
export const instantUploadHeaders = ({ headers }: InstantUpload): HeaderList => headers;
export const instantUploadPairs = ({ etag, key, size }: InstantUpload): readonly Pair[] => [
  ['Hash', etag],
  ['FileName', key],
  ['FileSize', size],
];
export const instantUploadName = (name: string): string => name;
export const instantUploadValue = (value: string, { steps }: Context): string =>
  steps.urlEncode(value);
export const instantUploadPath = (): string => '/uploadhit';
/** `/uploadhit?Hash=…&FileName=…&FileSize=…`. */
export function instantUploadTarget(upload: InstantUpload, context: Context): string {
  const { steps } = context;
  const pairs = steps
    .instantUploadPairs(upload)
    .map(
      ([name, value]) =>
        `${steps.instantUploadName(name)}=${steps.instantUploadValue(value, context)}`,
    );
  return `${steps.instantUploadPath()}?${pairs.join('&')}`;
}

// --- §5.4: pre-signed URLs

export const presignedMd5 = (_request: PresignedRequest): string => '';
export const presignedType = (_request: PresignedRequest): string => '';
export const signedExpires = (expires: string): string => expires;
/** `Expires` takes the position of `Date`; the two positions before it stay empty, whatever is sent. */
export const presignedPositionalValues = (
  request: PresignedRequest,
  { steps }: Context,
): PositionalValues => ({
  contentMd5: steps.presignedMd5(request),
  contentType: steps.presignedType(request),
  date: steps.signedExpires(request.expires),
});
/** Signed like any file request (§5.4), without a policy. */
export const presignedFile = (
  request: PresignedRequest,
  positional: PositionalValues,
  keys: KeyPair,
  context: Context,
): FileStages => context.steps.signedFile(request, positional, keys, context, '');
export const presignedPublicKey = (publicKey: string, { steps }: Context): string =>
  steps.urlEncode(publicKey);
export const presignedExpires = (expires: string, { steps }: Context): string =>
  steps.urlEncode(expires);
export const encodedSignature = (signature: string, { steps }: Context): string =>
  steps.urlEncode(signature);
export const presignedPairs = (pairs: readonly Pair[]): readonly Pair[] => pairs;
export const presignedName = (name: string): string => name;
export const joinPresigned = (pairs: readonly string[]): string => pairs.join('&');
/** Names and values that are already encoded, as the query of a URL. */
export const presignedQuery = (pairs: readonly Pair[], { steps }: Context): string =>
  steps.joinPresigned(
    steps.presignedPairs(pairs).map(([name, encoded]) => `${steps.presignedName(name)}=${encoded}`),
  );
export const hostBucket = (bucket: string): string => bucket;
export const hostSuffix = (fileHost: string): string => fileHost;
/** The bucket, a dot and the file host (§4.3). */
export const fileHostName = (bucket: string, fileHost: string, { steps }: Context): string =>
  `${steps.hostBucket(bucket)}.${steps.hostSuffix(fileHost)}`;
export const pathKey = (key: string): string => key;
export const pathSegment = (segment: string, { steps }: Context): string =>
  steps.urlEncode(segment);
/** A slash and the key (§4.3). §5.4 mentions no encoding of it; a URL needs one, and keeps slashes. */
export const filePath = (key: string, context: Context): string =>
  `/${context.steps
    .pathKey(key)
    .split('/')
    .map((segment) => context.steps.pathSegment(segment, context))
    .join('/')}`;
export const urlScheme = (scheme: string): string => scheme;
export const urlPieces = (
  scheme: string,
  host: string,
  path: string,
  query: string,
): readonly Piece[] => [
  ['the scheme', scheme],
  ['the colon and slashes', '://', true],
  ['the host', host],
  ['the path', path],
  ['the question mark', '?', true],
  ['the query', query],
];
export const presignedText = (
  scheme: string,
  host: string,
  path: string,
  query: string,
  { steps }: Context,
): string => joinPieces(steps.urlPieces(steps.urlScheme(scheme), host, path, query));
export const urlText = (url: string): string => url;
