/**
 * Lists other requests that the client may have signed instead of the captured one.
 *
 * All steps of the specification are correct here; something changed the request between signing and sending.
 *
 * @module
 */
import type { Cause } from '../../../reference/mistakes/index.ts';
import { base64 } from '../../../reference/signing/bytes.ts';
import type { Context, Dialect, FileRequest, KeyPair } from '../../../reference/signing/index.ts';
import {
  createRawQueryVariant,
  listVendorTexts,
  type VendorText,
} from '../../../reference/vendor-texts.ts';
import { dialectName, otherDialects, WRONG_DIALECT } from '../dialects.ts';
import { quote } from '../excerpt.ts';
import { findHeaderValue } from './captured-request.ts';
import type {
  SignedFileRequest,
  SignedForm,
  SignedParameters,
  SignedRequest,
} from './signed-request.ts';

/** Its id is the name of the change, its rule the one that the change violates. */
export interface OtherRequest extends Cause {
  readonly signed?: SignedRequest;
  readonly keys?: KeyPair;
  readonly context?: Context;
}

/** The most headers or parameters to leave out, one at a time: each candidate takes a copy of the request and a signature. */
const MOST_LEFT_OUT = 100;

const POSITIONAL = /^(?:content-md5|content-type|date)$/i;

const VERBS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'];

/** The candidates, the likeliest first. */
export function listOtherRequests(
  signed: SignedRequest,
  keys: KeyPair,
  context: Context,
): readonly OtherRequest[] {
  return signed.kind === 'parameters'
    ? [...listOtherParameters(signed), ...listOtherKeys(keys)]
    : [
        ...listOtherDialects(signed, context),
        ...(signed.kind === 'form' ? listOtherFields(signed) : []),
        ...listOtherHeaders(signed, context),
        ...listOtherVerbs(signed),
        ...listOtherResources(signed),
        ...listSdkTexts(signed, context),
        ...listOtherKeys(keys),
      ];
}

/** The request in other dialects, as far as the signature depends on their words. */
function listOtherDialects(signed: SignedFileRequest, context: Context): readonly OtherRequest[] {
  const { headers } = signed.request;
  const own = context.dialect;
  const hasHeaders = ({ headerPrefix }: Dialect): boolean =>
    headers.some(([name]) => name.trim().toLowerCase().startsWith(headerPrefix.toLowerCase()));
  const relevant = (dialect: Dialect): string =>
    [
      signed.kind === 'url' || dialect.scheme,
      hasHeaders(own) || hasHeaders(dialect) ? dialect.headerPrefix : own.headerPrefix,
    ].join();
  const byWords = new Map(
    [...otherDialects(own)].reverse().map((dialect) => [relevant(dialect), dialect]),
  );
  byWords.delete(relevant(own));
  return [...byWords.values()].map((dialect): OtherRequest => {
    const words = dialect.scheme === own.scheme ? 'headerPrefix' : 'scheme';
    return {
      id: WRONG_DIALECT,
      rule: words === 'scheme' ? '5.2/header-form' : '5.2/headers-selected',
      wrong: `the client signs in another dialect, with ${dialect[words]} instead of ${own[words]}`,
      fix: `pass --dialect ${dialectName(dialect)}, or set the client to ${own[words]}`,
      context: { ...context, dialect },
    };
  });
}

/** Private keys that were changed when they were copied or read from a file. */
function listOtherKeys(keys: KeyPair): readonly OtherRequest[] {
  const { publicKey, privateKey } = keys;
  const row = (id: string, changed: string, wrong: string, fix: string): OtherRequest => ({
    id,
    rule: '5/key-of-account',
    wrong,
    fix,
    keys: { ...keys, privateKey: changed },
  });
  return [
    row(
      'private-key-with-line-end',
      `${privateKey}\n`,
      'the client signs with a line break at the end of the private key',
      'remove the line break after reading the key from a file',
    ),
    row(
      'private-key-trimmed',
      privateKey.trim(),
      'the client signs with the private key without the whitespace around it',
      'keep the whitespace of the private key in the client, or remove it in the server',
    ),
    row(
      'public-key-for-private-key',
      publicKey,
      'the client signs with the public key instead of the private key',
      'sign with the private key',
    ),
  ].filter(({ keys: changed }) => changed?.privateKey !== privateKey);
}

/** The request with other signed values. */
function changeRequest(
  signed: SignedFileRequest,
  change: Partial<Pick<FileRequest, 'method' | 'bucket' | 'key' | 'headers'>>,
): SignedFileRequest {
  switch (signed.kind) {
    case 'header':
      return {
        ...signed,
        request: { ...signed.request, ...change },
        ...(signed.upload && { upload: { ...signed.upload, ...change } }),
      };
    case 'url':
      return { ...signed, request: { ...signed.request, ...change } };
    case 'form':
      return { ...signed, request: { ...signed.request, ...change } };
  }
}

const CONTENT_TYPES = [
  'application/octet-stream',
  'text/plain',
  'application/json',
  'application/x-www-form-urlencoded',
];

function listOtherHeaders(
  signed: SignedFileRequest,
  { dialect }: Context,
): readonly OtherRequest[] {
  const { headers } = signed.request;
  const prefix = dialect.headerPrefix.toLowerCase();
  // The Content-Type of a form's request is never signed.
  const isSigned = (name: string): boolean =>
    (POSITIONAL.test(name) || name.toLowerCase().startsWith(prefix)) &&
    !(signed.kind === 'form' && isNamed('Content-Type', name));
  const names = new Set(headers.map(([name]) => name.trim()).filter(isSigned));
  const sentType = findHeaderValue(headers, 'Content-Type');
  const types = signed.kind === 'header' ? CONTENT_TYPES.filter((type) => type !== sentType) : [];
  return [
    ...[...names].slice(0, MOST_LEFT_OUT).map((name) => leaveOutHeader(signed, name)),
    ...types.map((type) => replaceContentType(signed, sentType, type)),
  ];
}

function isNamed(name: string, own: string): boolean {
  return own.trim().toLowerCase() === name.toLowerCase();
}

function leaveOutHeader(signed: SignedFileRequest, name: string): OtherRequest {
  const { headers } = signed.request;
  return {
    id: 'header-added-after-signing',
    rule: POSITIONAL.test(name) ? '5.2/positional-values' : '5.2/headers-selected',
    wrong: `the request was signed without the header ${name}, but it is sent with ${quote(findHeaderValue(headers, name) ?? '')}`,
    fix: 'sign what is sent; if the HTTP client adds the header, set the header yourself and sign that value',
    get signed() {
      return changeRequest(signed, { headers: headers.filter(([own]) => !isNamed(name, own)) });
    },
  };
}

function replaceContentType(
  signed: SignedFileRequest,
  sent: string | undefined,
  type: string,
): OtherRequest {
  return {
    id: 'content-type-changed-after-signing',
    rule: '5.2/positional-values',
    wrong: `the request was signed with Content-Type ${quote(type)}, but it is sent ${sent === undefined ? 'without that header' : `with ${quote(sent)}`}`,
    fix: 'send the signed Content-Type, or sign the one that you send',
    get signed() {
      const others = signed.request.headers.filter(([own]) => !isNamed('Content-Type', own));
      return changeRequest(signed, { headers: [...others, ['Content-Type', type]] });
    },
  };
}

function listOtherFields(signed: SignedForm): readonly OtherRequest[] {
  const { request } = signed;
  const value = request.fields.find(([name]) => name === 'Content-Type')?.[1];
  if (value === undefined) return [];
  const rest = request.fields.filter(([name]) => name !== 'Content-Type');
  const row = (instead: string): OtherRequest => ({
    id: 'form-content-type-of-another',
    rule: '4.3/form-content-type',
    wrong: `the form was signed with the Content-Type ${quote(instead)}, but its field has ${quote(value)}`,
    fix: "sign the file's own type, and send it as the form field Content-Type",
    signed: {
      ...signed,
      request: { ...request, fields: [...rest, ['Content-Type', instead]] },
    },
  });
  return ['', 'application/octet-stream', 'text/plain'].filter((type) => type !== value).map(row);
}

function listOtherVerbs(signed: SignedFileRequest): readonly OtherRequest[] {
  // Instant uploads and forms are always POST requests.
  if (signed.kind === 'form' || (signed.kind === 'header' && signed.upload)) return [];
  const { method } = signed.request;
  return VERBS.filter((verb) => verb !== method.toUpperCase()).map((verb) => ({
    id: 'verb-of-another-request',
    rule: '5.2/verb',
    wrong: `the request was signed as ${verb}, but it is sent as ${method}`,
    fix: 'sign the verb that is sent',
    signed: changeRequest(signed, { method: verb }),
  }));
}

type OtherResource = readonly [id: string, cause: string, bucket: string, key: string];

function listOtherResources(signed: SignedFileRequest): readonly OtherRequest[] {
  const { bucket, key, headers } = signed.request;
  const host = findHeaderValue(headers, 'Host')?.replace(/:[0-9]*$/, '') || bucket;
  const lastName = key.slice(key.lastIndexOf('/') + 1);
  const inBucket = key.startsWith(`${bucket}/`) ? key.slice(bucket.length + 1) : key;
  const others: readonly OtherResource[] = [
    ['key-as-sent', 'the key was signed with the escapes of the path', bucket, findSentKey(signed)],
    ['key-with-slash-before', 'the key was signed with a slash before it', bucket, `/${key}`],
    [
      'key-by-last-name',
      'only the part of the key after its last slash was signed',
      bucket,
      lastName,
    ],
    ['key-in-lower-case', 'the key was signed in lower case', bucket, key.toLowerCase()],
    ['key-left-out', 'the request was signed without its key', bucket, ''],
    ['host-as-bucket', 'the whole host was signed as the bucket', host, key],
    ['bucket-in-path', 'the bucket is both in the path and in the host', bucket, inBucket],
  ];
  return others
    .filter(([, , otherBucket, otherKey]) => otherBucket !== bucket || otherKey !== key)
    .map(([id, cause, otherBucket, otherKey]) => ({
      id,
      rule: '5.2/resource',
      wrong: `${cause}: the signed resource is ${quote(`/${otherBucket}/${otherKey}`)}`,
      fix: `sign the resource ${quote(`/${bucket}/${key}`)}, or send the request to the signed resource`,
      signed: changeRequest(signed, { bucket: otherBucket, key: otherKey }),
    }));
}

/** The key as it is escaped in the path. Forms and instant uploads name the key elsewhere. */
function findSentKey(signed: SignedFileRequest): string {
  return signed.kind === 'form' || (signed.kind === 'header' && signed.upload)
    ? signed.request.key
    : signed.path.slice(1);
}

const SDK_TEXTS: Readonly<Partial<Record<VendorText, string>>> = {
  'copy-source-lines': 'the headers of the copied file are signed, as the Java SDK does',
  'list-parameters':
    'the parameters of the listing are signed after the resource, as the SDKs for Python and C++ do',
  'raw-append-query': 'the query is signed with the resource, as the PHP SDK does',
};

/** Texts that published SDKs sign for some requests; the service probably accepts them. */
function listSdkTexts(signed: SignedFileRequest, context: Context): readonly OtherRequest[] {
  if (signed.kind !== 'header') return [];
  const { query, request } = signed;
  // SDKs sign the query only in append requests; as a mistake, it can occur in any request.
  const raw = query === '' ? [] : [createRawQueryVariant(query, context)];
  return [...listVendorTexts({ ...request, query }, context), ...raw].map((variant) => ({
    id: variant.name,
    rule: '5.2/resource',
    wrong: SDK_TEXTS[variant.name] ?? `the signed text is the one of ${variant.signer}`,
    fix: 'the service probably accepts this text from SDKs, but §5.2 does not define it; sign the text above',
    context: variant.context,
  }));
}

function listOtherParameters(signed: SignedParameters): readonly OtherRequest[] {
  const { form, parameters } = signed;
  const hasPlus = parameters.some(([, value]) => typeof value === 'string' && value.includes('+'));
  return [
    ...parameters.slice(0, MOST_LEFT_OUT).map(([name]) => leaveOutParameter(signed, name)),
    ...(hasPlus && form === 'query' ? [readPlusesAsSpaces(signed)] : []),
    encodePassword(signed),
  ];
}

function leaveOutParameter(signed: SignedParameters, name: string): OtherRequest {
  return {
    id: 'parameter-added-after-signing',
    rule: '5.1/all-parameters',
    wrong: `the request was signed without the parameter ${quote(name)}, but it is sent with it`,
    fix: `add the parameter ${quote(name)} before signing`,
    get signed() {
      return { ...signed, parameters: signed.parameters.filter(([own]) => own !== name) };
    },
  };
}

function readPlusesAsSpaces(signed: SignedParameters): OtherRequest {
  return {
    id: 'space-sent-as-plus',
    rule: '5.3/space',
    wrong: 'spaces are written as "+" in the query, which §5.3 reads as a plus',
    fix: 'write a space as "%20"',
    signed: changeTexts(signed, (_, text) => text.replaceAll('+', ' ')),
  };
}

function encodePassword(signed: SignedParameters): OtherRequest {
  return {
    id: 'password-sent-in-clear',
    rule: '4.2/password-signed-encoded',
    wrong: 'the password is signed in Base64 but sent as plain text',
    fix: 'send the Base64 of the password, and sign what is sent',
    signed: changeTexts(signed, (name, text) =>
      name === 'Password' ? base64(new TextEncoder().encode(text)) : text,
    ),
  };
}

function changeTexts(
  signed: SignedParameters,
  change: (name: string, text: string) => string,
): SignedParameters {
  const parameters = signed.parameters.map(([name, value]) => {
    return [name, typeof value === 'string' ? change(name, value) : value] as const;
  });
  return { ...signed, parameters };
}
