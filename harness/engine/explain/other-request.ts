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
import { createRawQueryVariant, listVendorTexts } from '../../../reference/vendor-texts.ts';
import { dialectName, otherDialects, WRONG_DIALECT } from '../dialects.ts';
import { quote } from '../excerpt.ts';
import { otherCause } from '../other-causes.ts';
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
  const row = (id: string, changed: string): OtherRequest => ({
    ...otherCause(id),
    keys: { ...keys, privateKey: changed },
  });
  return [
    row('private-key-with-line-end', `${privateKey}\n`),
    row('private-key-trimmed', privateKey.trim()),
    row('public-key-for-private-key', publicKey),
  ].filter(({ keys: changed }) => changed?.privateKey !== privateKey);
}

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
    ...otherCause('header-added-after-signing'),
    ...(POSITIONAL.test(name) && { rule: '5.2/positional-values' }),
    wrong: `the request was signed without the header ${name}, but it is sent with ${quote(findHeaderValue(headers, name) ?? '')}`,
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
    ...otherCause('content-type-changed-after-signing'),
    wrong: `the request was signed with Content-Type ${quote(type)}, but it is sent ${sent === undefined ? 'without that header' : `with ${quote(sent)}`}`,
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
    ...otherCause('form-content-type-of-another'),
    wrong: `the form was signed with the Content-Type ${quote(instead)}, but its field has ${quote(value)}`,
    signed: { ...signed, request: { ...request, fields: [...rest, ['Content-Type', instead]] } },
  });
  return ['', 'application/octet-stream', 'text/plain'].filter((type) => type !== value).map(row);
}

function listOtherVerbs(signed: SignedFileRequest): readonly OtherRequest[] {
  // Instant uploads and forms are always POST requests.
  if (signed.kind === 'form' || (signed.kind === 'header' && signed.upload)) return [];
  const { method } = signed.request;
  return VERBS.filter((verb) => verb !== method.toUpperCase()).map((verb) => ({
    ...otherCause('verb-of-another-request'),
    wrong: `the request was signed as ${verb}, but it is sent as ${method}`,
    signed: changeRequest(signed, { method: verb }),
  }));
}

function listOtherResources(signed: SignedFileRequest): readonly OtherRequest[] {
  const { bucket, key, headers } = signed.request;
  const host = findHeaderValue(headers, 'Host')?.replace(/:[0-9]*$/, '') || bucket;
  const lastName = key.slice(key.lastIndexOf('/') + 1);
  const inBucket = key.startsWith(`${bucket}/`) ? key.slice(bucket.length + 1) : key;
  const others: readonly (readonly [id: string, bucket: string, key: string])[] = [
    ['key-as-sent', bucket, findSentKey(signed)],
    ['key-with-slash-before', bucket, `/${key}`],
    ['key-by-last-name', bucket, lastName],
    ['key-in-lower-case', bucket, key.toLowerCase()],
    ['key-left-out', bucket, ''],
    ['host-as-bucket', host, key],
    ['bucket-in-path', bucket, inBucket],
  ];
  return others
    .filter(([, otherBucket, otherKey]) => otherBucket !== bucket || otherKey !== key)
    .map(([id, otherBucket, otherKey]) => ({
      ...otherCause(id),
      wrong: `${otherCause(id).wrong}: the signed resource is ${quote(`/${otherBucket}/${otherKey}`)}`,
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

/** Texts that published SDKs sign for some requests; the service probably accepts them. */
function listSdkTexts(signed: SignedFileRequest, context: Context): readonly OtherRequest[] {
  if (signed.kind !== 'header') return [];
  const { query, request } = signed;
  // SDKs sign the query only in append requests; as a mistake, it can occur in any request.
  const raw = query === '' ? [] : [createRawQueryVariant(query, context)];
  return [...listVendorTexts({ ...request, query }, context), ...raw].map((variant) => ({
    ...otherCause(variant.name),
    context: variant.context,
  }));
}

function listOtherParameters(signed: SignedParameters): readonly OtherRequest[] {
  const { form, parameters } = signed;
  const hasPlus = parameters.some(([, value]) => typeof value === 'string' && value.includes('+'));
  return [
    ...parameters.slice(0, MOST_LEFT_OUT).map(([name]) => leaveOutParameter(signed, name)),
    ...(hasPlus && form === 'query'
      ? [
          {
            ...otherCause('space-sent-as-plus'),
            signed: changeTexts(signed, (_, text) => text.replaceAll('+', ' ')),
          },
        ]
      : []),
    {
      ...otherCause('password-sent-in-clear'),
      signed: changeTexts(signed, (name, text) =>
        name === 'Password' ? base64(new TextEncoder().encode(text)) : text,
      ),
    },
  ];
}

function leaveOutParameter(signed: SignedParameters, name: string): OtherRequest {
  return {
    ...otherCause('parameter-added-after-signing'),
    wrong: `the request was signed without the parameter ${quote(name)}, but it is sent with it`,
    get signed() {
      return { ...signed, parameters: signed.parameters.filter(([own]) => own !== name) };
    },
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
