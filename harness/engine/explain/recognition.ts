/**
 * Recognizes how a captured request is signed (§4, §5).
 *
 * @module
 */
import {
  type Dialect,
  type InstantUpload,
  inDialect,
  SPECIFICATION,
} from '../../../reference/signing/index.ts';
import { parseDialect } from '../dialects.ts';
import { UsageError } from '../errors.ts';
import { quote } from '../excerpt.ts';
import {
  type CapturedRequest,
  detectDialect,
  detectOtherDialect,
  findBucket,
  findHeaderValue,
  findKey,
  type Hints,
  isForeignScheme,
  KNOWN_DIALECTS,
  parseQuery,
  parseTarget,
  type Target,
} from './captured-request.ts';
import { readSignedForm } from './signed-form.ts';
import type {
  HeaderSignedRequest,
  SignedParameters,
  SignedRequest,
  SignedUrl,
  StructuralFault,
} from './signed-request.ts';

/** A way to sign that a request shows marks of. */
interface Way {
  /** The part of the request with the signature, for a note if another way is explained. */
  readonly carrier: string;
  readonly read: () => SignedRequest;
}

/**
 * Recognizes how a request is signed.
 *
 * @throws UsageError if the request shows no signature, or not everything that is signed
 */
export function recognizeRequest(captured: CapturedRequest, hints: Hints): SignedRequest {
  const request = parseTarget(captured);
  if (!parseQuery(request.query)) {
    throw new UsageError(
      `the query ${quote(request.query)} has an escape that is not UTF-8; §5.3 writes each byte as "%" and two digits`,
    );
  }
  const [way, ...others] = listWays(request, hints);
  if (!way) throw createNoSignatureError(request);
  const signed = way.read();
  const notes = others.map(
    ({ carrier }) =>
      `${carrier} seems to contain a signature too; send one signature; to explain that one, remove the other`,
  );
  return { ...signed, notes: [...signed.notes, ...notes] };
}

/** The ways to sign that a request shows marks of, in the order in which the service checks them. */
function listWays(request: Target, hints: Hints): readonly Way[] {
  const names = parseQueryNames(request.query);
  const contentType = findHeaderValue(request.headers, 'Content-Type') ?? '';
  const authorization = findHeaderValue(request.headers, 'Authorization');
  const isPart = names.some((name) => name === 'uploads' || name === 'uploadId');
  const isPost = request.method?.toUpperCase() === 'POST';
  const isForm = isPost && /^multipart\/form-data\b/i.test(contentType) && !isPart;
  const inHeader: Way = {
    carrier: 'the header Authorization',
    read: () => readHeaderSignedRequest(request, hints),
  };
  const isOurs = authorization !== undefined && !isForeignScheme(authorization, hints);
  return [
    ...(isForm
      ? [{ carrier: 'the form', read: () => readSignedForm(request, contentType, hints) }]
      : []),
    ...(isOurs ? [inHeader] : []),
    ...listWaysInQuery(request, names, hints),
    ...(isForm ? [] : listWaysInBody(request, hints)),
    ...(authorization !== undefined && !isOurs ? [inHeader] : []),
  ];
}

/** An action has Action or a bare PublicKey; a pre-signed URL has Expires, or the name of a dialect before PublicKey. */
function listWaysInQuery(request: Target, names: readonly string[], hints: Hints): readonly Way[] {
  const has = createNameTest(names);
  const isOfFile = names.some((name) => /.PublicKey$/i.test(name)) || has('Expires');
  const inUrl: Way = { carrier: 'the query', read: () => readSignedUrl(request, names, hints) };
  const inQuery: Way = {
    carrier: 'the query',
    read: () => readSignedQuery(request.query, 'query parameter', hints),
  };
  if (has('Action') && (request.path === '/' || !has('Signature') || !isOfFile)) return [inQuery];
  if (has('Signature') && isOfFile && (request.path !== '/' || !has('PublicKey'))) return [inUrl];
  return has('PublicKey') || (has('Signature') && request.path === '/') ? [inQuery] : [];
}

function listWaysInBody(request: Target, hints: Hints): readonly Way[] {
  const body = request.body.trim();
  const carrier = 'the body';
  if (body.startsWith('{')) {
    const members = parseMembers(body);
    // A truncated body cannot be parsed, but its start shows what it is.
    const isSigned = members ? isAction(members.map(([name]) => name)) : /"Action"/i.test(body);
    return isSigned ? [{ carrier, read: () => readSignedJson(body, hints) }] : [];
  }
  // In a form body, "+" is a space, unlike in a query of §5.3.
  const form = body.replaceAll('+', '%20');
  return isAction(parseQueryNames(form))
    ? [{ carrier, read: () => readSignedQuery(form, 'form parameter', hints) }]
    : [];
}

function isAction(names: readonly string[]): boolean {
  const has = createNameTest(names);
  return has('Action') || (has('PublicKey') && has('Signature'));
}

function parseQueryNames(query: string): readonly string[] {
  return (parseQuery(query) ?? []).map(([name]) => name);
}

function findValue<Value>(
  pairs: readonly (readonly [string, Value])[],
  name: string,
): Value | undefined {
  return pairs.find(([own]) => own === name)?.[1];
}

/** Ignores case: a name in another case is a mistake in the same kind of request. */
function createNameTest(names: readonly string[]): (name: string) => boolean {
  const folded = new Set(names.map((name) => name.toLowerCase()));
  return (name) => folded.has(name.toLowerCase());
}

function createNoSignatureError({ method, headers, body, path }: Target): UsageError {
  const contentType = findHeaderValue(headers, 'Content-Type') ?? '';
  const mayHaveBody = !/^(?:GET|HEAD)$/i.test(method ?? '');
  const isInBody = /^application\/(?:json|x-www-form-urlencoded)\b/i.test(contentType);
  if (body.trim() === '' && mayHaveBody && isInBody) {
    return new UsageError(
      `the text has no body, and ${quote(contentType)} says that the parameters are in one; curl -v does not show it; put it behind an empty line after the headers`,
    );
  }
  return new UsageError(
    `${method ?? 'the URL'} ${quote(path)} shows no signature: no header Authorization (§5.2), no query with Expires and Signature (§5.4), no parameters with Action (§5.1); capture the request after it is signed`,
  );
}

function readHeaderSignedRequest(request: Target, hints: Hints): HeaderSignedRequest {
  const { method = 'GET', headers, path, query } = request;
  const written = findHeaderValue(headers, 'Authorization') ?? '';
  const dialect = detectDialect(written, request, hints);
  const [bucket, bucketOrigin] = findBucket(request, hints);
  const parts = SPECIFICATION.steps.parsedAuthorization(written, dialect.scheme, SPECIFICATION);
  const hit = readUploadHit(request);
  const [key, keyOrigin] = hit ? [hit.key, 'query parameter FileName'] : findKey(request);
  const isSignedTwice = parseQueryNames(query).some((name) =>
    ['Signature', dialect.publicKeyParameter].includes(name),
  );
  return {
    kind: 'header',
    dialect,
    request: { method, bucket, key, headers },
    policy: parts?.policy ?? '',
    path,
    query,
    ...(hit && { upload: { bucket, headers, ...hit } }),
    sent: { publicKey: parts?.publicKey, signature: parts?.signature ?? written, written },
    origin: { bucket: bucketOrigin, key: keyOrigin },
    notes: [],
    ...detectOtherDialect(request, written, hints),
    ...(isSignedTwice && { fault: SIGNED_TWICE }),
  };
}

/** The parameters of an instant upload; `undefined` for another request. */
function readUploadHit({
  method,
  path,
  query,
}: Target): Pick<InstantUpload, 'key' | 'etag' | 'size'> | undefined {
  if (method !== 'POST' || path !== '/uploadhit') return undefined;
  // §5.3 encodes a space as %20 and always escapes a plus, but the published SDK for Go writes a plus for a space.
  const pairs = parseQuery(query.replaceAll('+', '%20')) ?? [];
  const value = (name: string): string | undefined => findValue(pairs, name);
  const key = value('FileName');
  if (key === undefined) return undefined;
  return { key, etag: value('Hash') ?? '', size: value('FileSize') ?? '' };
}

/** Observed: the service accepts only one signature. */
const SIGNED_TWICE: StructuralFault = {
  reason: 'signed-twice',
  message:
    'the request has a header Authorization (§5.2) and a signature in its query (§5.4); the service accepts only one; remove one of them',
};

function readSignedUrl(request: Target, names: readonly string[], hints: Hints): SignedUrl {
  const { method, headers, path, query } = request;
  const dialect = hints.dialect ?? detectUrlDialect(names);
  const [bucket, bucketOrigin] = findBucket(request, hints);
  const [key, keyOrigin] = findKey(request);
  const pairs = parseQuery(query) ?? [];
  const value = (name: string): string => findValue(pairs, name) ?? '';
  const signature = value('Signature');
  return {
    kind: 'url',
    dialect,
    request: {
      method: method ?? 'GET',
      bucket,
      key,
      headers,
      expires: value('Expires'),
      scheme: 'http',
      fileHost: 'file-host.invalid',
    },
    path,
    query,
    verbUnknown: method === undefined,
    sent: { publicKey: value(dialect.publicKeyParameter), signature, written: signature },
    origin: { bucket: bucketOrigin, key: keyOrigin },
    ...detectOtherDialect(request, '', hints),
    notes: [
      ...noteUnencodedSignature(query),
      ...noteOtherCases(names, [dialect.publicKeyParameter, 'Expires', 'Signature']),
    ],
  };
}

/** @throws UsageError if the query has no known parameter with a public key */
function detectUrlDialect(names: readonly string[]): Dialect {
  const has = createNameTest(names);
  const known = KNOWN_DIALECTS.find(({ publicKeyParameter }) => has(publicKeyParameter));
  if (known) return known;
  const name = names.find((one) => /PublicKey$/i.test(one));
  throw new UsageError(
    `the query has ${name === undefined ? 'no public key' : `the public key as ${quote(name)}`}; §5.4 names it SvcPublicKey, the dialect ucloud UCloudPublicKey; if it is yours, pass --dialect SCHEME,HEADER-PREFIX,PUBLIC-KEY-PARAMETER`,
  );
}

function noteUnencodedSignature(query: string): readonly string[] {
  const raw = /(?:^|&)Signature=([^&]*)/.exec(query)?.[1] ?? '';
  return /[+/=]/.test(raw)
    ? [
        'the signature is not encoded in the URL; §5.4 URL-encodes it ("+" is "%2B", "/" is "%2F", "=" is "%3D"), and servers that read "+" as a space refuse it',
      ]
    : [];
}

/** A note for each parameter name in the wrong case, which makes it another parameter. */
function noteOtherCases(names: readonly string[], expected: readonly string[]): readonly string[] {
  return expected.flatMap((name) => {
    const other = names.find((one) => one.toLowerCase() === name.toLowerCase());
    return other === undefined || names.includes(name)
      ? []
      : [`the parameter ${quote(other)} is not ${name}; names are case-sensitive; write ${name}`];
  });
}

function readSignedQuery(query: string, carrier: string, hints: Hints): SignedParameters {
  return readParameters('query', query, carrier, parseQuery(query) ?? [], hints);
}

function readSignedJson(body: string, hints: Hints): SignedParameters {
  const members = parseMembers(body);
  if (!members) {
    throw new UsageError(
      `the body of ${body.length} characters is not one JSON object (§4.2); capture it whole`,
    );
  }
  return readParameters('json', body, 'member', members, hints);
}

/** `undefined` if the text is not one JSON object. */
function parseMembers(body: string): SignedParameters['parameters'] | undefined {
  const value = SPECIFICATION.steps.jsonText(body);
  return typeof value === 'object' && value !== null && 'object' in value
    ? value.object
    : undefined;
}

function readParameters(
  form: SignedParameters['form'],
  text: string,
  carrier: string,
  all: SignedParameters['parameters'],
  { dialect }: Hints,
): SignedParameters {
  const value = (name: string): string => {
    const found = findValue(all, name);
    return typeof found === 'string' ? found : '';
  };
  const signature = value('Signature');
  const names = all.map(([name]) => name);
  return {
    kind: 'parameters',
    form,
    text,
    carrier,
    dialect: inDialect(dialect ?? parseDialect('svc')).dialect,
    parameters: all.filter(([name]) => name !== 'Signature'),
    sent: { publicKey: value('PublicKey') || undefined, signature, written: signature },
    origin: { bucket: '', key: '' },
    notes: noteOtherCases(names, ['Action', 'PublicKey', 'Signature']),
  };
}
