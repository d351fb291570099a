/**
 * Lists other requests that the client may have signed instead of the captured one.
 *
 * All steps of the specification are correct here; something changed the request between signing and sending.
 *
 * @module
 */

import { base64 } from '../../../reference/signing/bytes.ts';
import type {
  Context,
  Dialect,
  KeyPair,
  ParameterValue,
} from '../../../reference/signing/index.ts';
import {
  createRawQueryVariant,
  listVendorTexts,
  type VendorText,
} from '../../../reference/vendor-texts.ts';
import { dialectName, otherDialects, WRONG_DIALECT } from '../dialects.ts';
import { quote } from '../excerpt.ts';
import type { FileSubject, FormSubject, ParametersSubject, Subject } from './subject.ts';
import { findHeaderValue } from './target.ts';

export interface OtherRequest {
  /** The name of the change, in kebab-case. */
  readonly name: string;
  /** The rule that the change violates. */
  readonly rule: string;
  readonly cause: string;
  readonly fix: string;
  readonly subject?: Subject;
  readonly keys?: KeyPair;
  readonly context?: Context;
}

/** The most headers or parameters to leave out, one at a time: each candidate takes a copy of the request and a signature. */
const MOST_LEFT_OUT = 100;

const POSITIONAL = /^(?:content-md5|content-type|date)$/i;

const VERBS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'];

/** The candidates, the likeliest first. */
export function listOtherRequests(
  subject: Subject,
  keys: KeyPair,
  context: Context,
): readonly OtherRequest[] {
  return subject.kind === 'parameters'
    ? [...listOtherParameters(subject), ...listOtherKeys(keys)]
    : [
        ...listOtherDialects(subject, context),
        ...(subject.kind === 'form' ? listOtherFields(subject) : []),
        ...listOtherHeaders(subject, context),
        ...listOtherVerbs(subject),
        ...listOtherResources(subject),
        ...listSdkTexts(subject, context),
        ...listOtherKeys(keys),
      ];
}

/** The request in other dialects, as far as the signature depends on their words. */
function listOtherDialects(subject: FileSubject, context: Context): readonly OtherRequest[] {
  const { headers } = subject.request;
  const own = context.dialect;
  const hasHeaders = ({ headerPrefix }: Dialect): boolean =>
    headers.some(([name]) => name.trim().toLowerCase().startsWith(headerPrefix.toLowerCase()));
  const relevant = (dialect: Dialect): string =>
    [
      subject.kind === 'url' || dialect.scheme,
      hasHeaders(own) || hasHeaders(dialect) ? dialect.headerPrefix : own.headerPrefix,
    ].join();
  const byWords = new Map(
    [...otherDialects(own)].reverse().map((dialect) => [relevant(dialect), dialect]),
  );
  byWords.delete(relevant(own));
  return [...byWords.values()].map((dialect): OtherRequest => {
    const words = dialect.scheme === own.scheme ? 'headerPrefix' : 'scheme';
    return {
      name: WRONG_DIALECT,
      rule: words === 'scheme' ? '5.2/header-form' : '5.2/headers-selected',
      cause: `the request is signed in another dialect: it has ${dialect[words]} where this one has ${own[words]}`,
      fix: `give --dialect ${dialectName(dialect)}, or set the client to ${own[words]}`,
      context: { ...context, dialect },
    };
  });
}

/** Keys that copying, or reading from a file, has changed. */
function listOtherKeys(keys: KeyPair): readonly OtherRequest[] {
  const { publicKey, privateKey } = keys;
  const row = (name: string, changed: string, cause: string, fix: string): OtherRequest => ({
    name,
    rule: '5/key-of-account',
    cause,
    fix,
    keys: { ...keys, privateKey: changed },
  });
  return [
    row(
      'private-key-with-line-end',
      `${privateKey}\n`,
      'the private key is used with a line break at its end',
      'remove the line break after reading the key from a file',
    ),
    row(
      'private-key-trimmed',
      privateKey.trim(),
      'the private key is used without the whitespace around it',
      'give both sides the same private key',
    ),
    row(
      'public-key-for-private-key',
      publicKey,
      'the public key is used instead of the private key',
      'sign with the private key',
    ),
  ].filter(({ keys: changed }) => changed?.privateKey !== privateKey);
}

function replaceHeaders(
  subject: FileSubject,
  change: (headers: FileSubject['request']['headers']) => FileSubject['request']['headers'],
): Subject {
  const headers = change(subject.request.headers);
  switch (subject.kind) {
    case 'header':
      return {
        ...subject,
        request: { ...subject.request, headers },
        ...(subject.upload && { upload: { ...subject.upload, headers } }),
      };
    case 'url':
      return { ...subject, request: { ...subject.request, headers } };
    case 'form':
      return { ...subject, request: { ...subject.request, headers } };
  }
}

function listOtherHeaders(subject: FileSubject, { dialect }: Context): readonly OtherRequest[] {
  const { headers } = subject.request;
  const isNamed = (name: string, own: string): boolean =>
    own.trim().toLowerCase() === name.toLowerCase();
  const without = (name: string): OtherRequest => ({
    name: 'header-added-after-signing',
    rule: POSITIONAL.test(name) ? '5.2/positional-values' : '5.2/headers-selected',
    cause: `the request was signed without the header ${name}, and it is sent with ${quote(findHeaderValue(headers, name) ?? '')}`,
    fix: 'sign what is sent; where the HTTP client adds the header, give it a value of your own and sign that',
    get subject() {
      return replaceHeaders(subject, (all) => all.filter(([own]) => !isNamed(name, own)));
    },
  });
  const instead = (name: string, value: string): OtherRequest => ({
    name: 'content-type-changed-after-signing',
    rule: '5.2/positional-values',
    cause: `the request was signed with ${name} ${quote(value)}, and it is sent ${findHeaderValue(headers, name) === undefined ? 'without that header' : `with ${quote(findHeaderValue(headers, name) ?? '')}`}`,
    fix: 'send the header that is signed, or sign the one that is sent',
    get subject() {
      return replaceHeaders(subject, (all) => [
        ...all.filter(([own]) => !isNamed(name, own)),
        [name, value],
      ]);
    },
  });
  const isSigned = (name: string): boolean =>
    POSITIONAL.test(name) || name.toLowerCase().startsWith(dialect.headerPrefix.toLowerCase());
  // The Content-Type of a form's request is never signed.
  const isOther = (name: string): boolean =>
    isSigned(name) && !(subject.kind === 'form' && isNamed('Content-Type', name));
  const names = new Set(headers.map(([name]) => name.trim()).filter(isOther));
  const types = [
    'application/octet-stream',
    'text/plain',
    'application/json',
    'application/x-www-form-urlencoded',
  ].filter((type) => type !== findHeaderValue(headers, 'Content-Type'));
  return [
    ...[...names].slice(0, MOST_LEFT_OUT).map(without),
    ...(subject.kind === 'header' ? types.map((type) => instead('Content-Type', type)) : []),
  ];
}

function listOtherFields(subject: FormSubject): readonly OtherRequest[] {
  const { request } = subject;
  const value = request.fields.find(([name]) => name === 'Content-Type')?.[1];
  if (value === undefined) return [];
  const rest = request.fields.filter(([name]) => name !== 'Content-Type');
  const row = (instead: string): OtherRequest => ({
    name: 'form-content-type-of-another',
    rule: '4.3/form-content-type',
    cause: `the form was signed with the Content-Type ${quote(instead)}, and its own is ${quote(value)}`,
    fix: "sign the file's own type, and send it as the form field Content-Type",
    subject: {
      ...subject,
      request: { ...request, fields: [...rest, ['Content-Type', instead]] },
    },
  });
  return ['', 'application/octet-stream', 'text/plain'].filter((type) => type !== value).map(row);
}

function listOtherVerbs(subject: FileSubject): readonly OtherRequest[] {
  // Instant uploads and forms are always POST requests.
  if (subject.kind === 'form' || (subject.kind === 'header' && subject.upload)) return [];
  const { method } = subject.request;
  return VERBS.filter((verb) => verb !== method.toUpperCase()).map((verb) => {
    const changed =
      subject.kind === 'url'
        ? { ...subject, request: { ...subject.request, method: verb } }
        : { ...subject, request: { ...subject.request, method: verb } };
    return {
      name: 'verb-of-another-request',
      rule: '5.2/verb',
      cause: `the request was signed as ${verb}, and it is sent as ${method}`,
      fix: 'sign the verb that is sent',
      subject: changed,
    };
  });
}

function replaceResource(subject: FileSubject, bucket: string, key: string): Subject {
  switch (subject.kind) {
    case 'header':
      return {
        ...subject,
        request: { ...subject.request, bucket, key },
        ...(subject.upload && { upload: { ...subject.upload, bucket, key } }),
      };
    case 'url':
      return { ...subject, request: { ...subject.request, bucket, key } };
    case 'form':
      return { ...subject, request: { ...subject.request, bucket, key } };
  }
}

function listOtherResources(subject: FileSubject): readonly OtherRequest[] {
  const { bucket, key } = subject.request;
  const host = findHeaderValue(subject.request.headers, 'Host')?.replace(/:[0-9]*$/, '') ?? '';
  const row = (
    name: string,
    cause: string,
    otherBucket: string,
    otherKey: string,
  ): OtherRequest => ({
    name,
    rule: '5.2/resource',
    cause: `${cause}: the resource signed is ${quote(`/${otherBucket}/${otherKey}`)}`,
    fix: `sign the resource ${quote(`/${bucket}/${key}`)}, or send the request to the one that is signed`,
    subject: replaceResource(subject, otherBucket, otherKey),
  });
  return [
    ...listSentKeys(subject).map((sent) =>
      row('key-as-sent', 'the key was signed as the path has it, its escapes kept', bucket, sent),
    ),
    row('key-with-slash-before', 'the key was signed with a slash before it', bucket, `/${key}`),
    ...(key.includes('/')
      ? [
          row(
            'key-by-last-name',
            'only the last name of the key was signed',
            bucket,
            key.slice(key.lastIndexOf('/') + 1),
          ),
        ]
      : []),
    ...(key === key.toLowerCase()
      ? []
      : [row('key-in-lower-case', 'the key was signed in lower case', bucket, key.toLowerCase())]),
    ...(key === ''
      ? []
      : [row('key-left-out', 'the request was signed without its key', bucket, '')]),
    ...(host === '' || host === bucket
      ? []
      : [row('host-as-bucket', 'the whole host was signed as the bucket', host, key)]),
    ...(key.startsWith(`${bucket}/`)
      ? [
          row(
            'bucket-in-path',
            'the bucket is in the path as well as in the host',
            bucket,
            key.slice(bucket.length + 1),
          ),
        ]
      : []),
  ];
}

/** The key as it is escaped in the path, if that differs. Forms and instant uploads name the key elsewhere. */
function listSentKeys(subject: FileSubject): readonly string[] {
  if (subject.kind === 'form' || (subject.kind === 'header' && subject.upload)) return [];
  const sent = subject.path.slice(1);
  return sent === subject.request.key ? [] : [sent];
}

const SDK_TEXTS: Readonly<Partial<Record<VendorText, string>>> = {
  'copy-source-lines': 'the headers of the copied file are signed, as the Java SDK does',
  'list-parameters':
    'the parameters of the listing are signed after the resource, as the SDKs for Python and C++ do',
  'raw-append-query': 'the query is signed with the resource, as the PHP SDK does',
};

/** Texts that published SDKs sign for some requests; the service probably accepts them. */
function listSdkTexts(subject: FileSubject, context: Context): readonly OtherRequest[] {
  if (subject.kind !== 'header') return [];
  const { query, request } = subject;
  // SDKs sign the query only in append requests; as a mistake, it can occur in any request.
  const raw = query === '' ? [] : [createRawQueryVariant(query, context)];
  return [...listVendorTexts({ ...request, query }, context), ...raw].map((variant) => ({
    name: variant.name,
    rule: '5.2/resource',
    cause: SDK_TEXTS[variant.name] ?? `the text is the one of ${variant.signer}`,
    fix: 'the service probably accepts this text from SDKs, but §5.2 does not define it; sign the text above',
    context: variant.context,
  }));
}

function listOtherParameters(subject: ParametersSubject): readonly OtherRequest[] {
  const { parameters } = subject;
  const changed = (
    change: (name: string, value: ParameterValue) => ParameterValue,
  ): ParametersSubject => ({
    ...subject,
    parameters: parameters.map(([name, value]) => [name, change(name, value)]),
  });
  const hasPlus = parameters.some(([, value]) => typeof value === 'string' && value.includes('+'));
  return [
    ...parameters.slice(0, MOST_LEFT_OUT).map(
      ([name]): OtherRequest => ({
        name: 'parameter-added-after-signing',
        rule: '5.1/all-parameters',
        cause: `the request was signed without the parameter ${quote(name)}, and it is sent with it`,
        fix: 'add every parameter before signing',
        get subject() {
          return { ...subject, parameters: parameters.filter(([own]) => own !== name) };
        },
      }),
    ),
    ...(hasPlus && subject.form === 'query'
      ? [
          {
            name: 'space-sent-as-plus',
            rule: '5.3/space',
            cause: 'spaces are written as "+" in the query, which §5.3 reads as a plus',
            fix: 'write a space as "%20"',
            subject: changed((_, value) =>
              typeof value === 'string' ? value.replaceAll('+', ' ') : value,
            ),
          },
        ]
      : []),
    {
      name: 'password-sent-in-clear',
      rule: '4.2/password-signed-encoded',
      cause: 'the password is signed in Base64 and sent in clear',
      fix: 'send the Base64 of the password, and sign what is sent',
      subject: changed((name, value) =>
        name === 'Password' && typeof value === 'string'
          ? base64(new TextEncoder().encode(value))
          : value,
      ),
    },
  ];
}
