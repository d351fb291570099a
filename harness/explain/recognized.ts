/**
 * Which of the ways to sign a captured request shows (§4, §5).
 *
 * @module
 */
import { inDialect, type Pair, SPECIFICATION } from '../../reference/signing/index.ts';
import { dialectNamed } from '../dialects.ts';
import { UsageError } from '../errors.ts';
import { visible } from '../report/excerpt.ts';
import type { CapturedRequest } from './captured-request.ts';
import { formSubject } from './form-subject.ts';
import {
  type HeaderSubject,
  otherDialect,
  type ParametersSubject,
  type StructuralFault,
  type Subject,
  type UrlSubject,
} from './subject.ts';
import {
  bucketOf,
  dialectOfValue,
  type Hints,
  headerValue,
  isForeignScheme,
  KNOWN,
  keyOf,
  otherDialectOf,
  type Target,
  targetOf,
} from './target.ts';

/** One way to sign, as far as a request shows it. */
interface Way {
  /** What carries it, for a note in the explanation of another way. */
  readonly carrier: string;
  readonly subject: () => Subject;
}

/**
 * Recognizes how a request is signed.
 *
 * @throws UsageError where it shows no signature, or does not show all that is signed
 */
export function recognized(captured: CapturedRequest, hints: Hints): Subject {
  const request = targetOf(captured);
  if (!SPECIFICATION.steps.decodedQuery(request.query, SPECIFICATION)) {
    throw new UsageError(
      `the query ${visible(request.query)} has an escape that is not UTF-8; §5.3 writes each byte as "%" and two digits`,
    );
  }
  const [way, ...others] = waysShown(request, hints);
  if (!way) throw noSignature(request);
  const subject = way.subject();
  const notes = others.map(
    ({ carrier }) =>
      `${carrier} has marks of a signature as well; send one signature, and explain the other one by leaving out this one`,
  );
  return { ...subject, notes: [...subject.notes, ...notes] };
}

/** The ways to sign that a request has marks of, the one that the service looks at first. */
function waysShown(request: Target, hints: Hints): readonly Way[] {
  const names = queryNames(request.query);
  const contentType = headerValue(request.headers, 'Content-Type') ?? '';
  const authorization = headerValue(request.headers, 'Authorization');
  const isPart = names.some((name) => name === 'uploads' || name === 'uploadId');
  const isPost = request.method?.toUpperCase() === 'POST';
  const isForm = isPost && /^multipart\/form-data\b/i.test(contentType) && !isPart;
  const inHeader: Way = {
    carrier: 'the header Authorization',
    subject: () => headerSubject(request, hints),
  };
  const isOurs = authorization !== undefined && !isForeignScheme(authorization, hints);
  return [
    ...(isForm
      ? [{ carrier: 'the form', subject: () => formSubject(request, contentType, hints) }]
      : []),
    ...(isOurs ? [inHeader] : []),
    ...waysInQuery(request, names, hints),
    ...(isForm ? [] : waysInBody(request, hints)),
    ...(authorization !== undefined && !isOurs ? [inHeader] : []),
  ];
}

/** An action has Action or a bare PublicKey; a pre-signed URL has Expires, or the name of a dialect before PublicKey. */
function waysInQuery(request: Target, names: readonly string[], hints: Hints): readonly Way[] {
  const has = hasName(names);
  const isOfFile = names.some((name) => /.PublicKey$/i.test(name)) || has('Expires');
  const inUrl: Way = { carrier: 'the query', subject: () => urlSubject(request, names, hints) };
  const inQuery: Way = {
    carrier: 'the query',
    subject: () => querySubject(request.query, 'query parameter', hints),
  };
  if (has('Action') && (request.path === '/' || !has('Signature') || !isOfFile)) return [inQuery];
  if (has('Signature') && isOfFile && (request.path !== '/' || !has('PublicKey'))) return [inUrl];
  return has('PublicKey') || (has('Signature') && request.path === '/') ? [inQuery] : [];
}

function waysInBody(request: Target, hints: Hints): readonly Way[] {
  const body = request.body.trim();
  const carrier = 'the body';
  if (body.startsWith('{')) {
    const members = jsonMembers(body);
    // A body that is cut off has no members; what it was says its start.
    const isSigned = members ? isAction(members.map(([name]) => name)) : /"Action"/i.test(body);
    return isSigned ? [{ carrier, subject: () => jsonSubject(body, hints) }] : [];
  }
  // Forms write a space as "+"; §5.3 knows no such thing, but what is sent is a form.
  const form = body.replaceAll('+', '%20');
  return isAction(queryNames(form))
    ? [{ carrier, subject: () => querySubject(form, 'form parameter', hints) }]
    : [];
}

function isAction(names: readonly string[]): boolean {
  const has = hasName(names);
  return has('Action') || (has('PublicKey') && has('Signature'));
}

function queryNames(query: string): readonly string[] {
  return SPECIFICATION.steps.decodedQuery(query, SPECIFICATION)?.map(([name]) => name) ?? [];
}

/** In any case, for a name in another case is a mistake and no other request. */
function hasName(names: readonly string[]): (name: string) => boolean {
  const folded = new Set(names.map((name) => name.toLowerCase()));
  return (name) => folded.has(name.toLowerCase());
}

function noSignature({ method, headers, body, path }: Target): UsageError {
  const contentType = headerValue(headers, 'Content-Type') ?? '';
  const mayHaveBody = !/^(?:GET|HEAD)$/i.test(method ?? '');
  const isInBody = /^application\/(?:json|x-www-form-urlencoded)\b/i.test(contentType);
  if (body.trim() === '' && mayHaveBody && isInBody) {
    return new UsageError(
      `the text has no body, and ${visible(contentType)} says that the parameters are in one; curl -v does not show it; put it behind an empty line after the headers`,
    );
  }
  return new UsageError(
    `${method ?? 'the URL'} ${visible(path)} shows no signature: no header Authorization (§5.2), no query with Expires and Signature (§5.4), no parameters with Action (§5.1); capture the request after it is signed`,
  );
}

function headerSubject(request: Target, hints: Hints): HeaderSubject {
  const { method = 'GET', headers, query } = request;
  const written = headerValue(headers, 'Authorization') ?? '';
  const dialect = dialectOfValue(written, request, hints);
  const [bucket, bucketOrigin] = bucketOf(request, hints);
  const parts = SPECIFICATION.steps.parsedAuthorization(written, dialect.scheme, SPECIFICATION);
  // §5.3 writes a space as %20, and always escapes a plus; the published SDK for Go writes a plus for a space.
  const parameters = SPECIFICATION.steps.decodedQuery(query.replaceAll('+', '%20'), SPECIFICATION);
  const value = (name: string): string | undefined =>
    parameters?.find(([own]) => own === name)?.[1];
  const hit = method === 'POST' && request.path === '/uploadhit' ? value('FileName') : undefined;
  const [key, keyOrigin] = hit === undefined ? keyOf(request) : [hit, 'query parameter FileName'];
  const isSignedTwice = queryNames(query).some((name) =>
    ['Signature', dialect.publicKeyParameter].includes(name),
  );
  return {
    kind: 'header',
    dialect,
    request: { method, bucket, key, headers },
    policy: parts?.policy ?? '',
    path: request.path,
    query,
    ...(hit !== undefined && {
      upload: { bucket, key, headers, etag: value('Hash') ?? '', size: value('FileSize') ?? '' },
    }),
    sent: {
      publicKey: parts?.publicKey,
      signature: parts?.signature ?? written,
      written,
    },
    origin: { bucket: bucketOrigin, key: keyOrigin },
    notes: [],
    ...otherDialect(otherDialectOf(request, written, hints)),
    ...(isSignedTwice && { fault: SIGNED_TWICE }),
  };
}

/** Observed: the service takes one signature. */
const SIGNED_TWICE: StructuralFault = {
  reason: 'signed-twice',
  message:
    'the request has a header Authorization (§5.2) and a signature in its query (§5.4); the service takes one; leave one of them out',
};

function urlSubject(request: Target, names: readonly string[], hints: Hints): UrlSubject {
  const { method, headers, query } = request;
  const dialect =
    hints.dialect ?? KNOWN.find(({ publicKeyParameter }) => hasName(names)(publicKeyParameter));
  if (!dialect) {
    const name = names.find((one) => /PublicKey$/i.test(one));
    throw new UsageError(
      `the query has ${name === undefined ? 'no public key' : `the public key as ${visible(name)}`}; §5.4 names it SvcPublicKey, the dialect ucloud UCloudPublicKey; if it is yours, give --dialect SCHEME,HEADER-PREFIX,PUBLIC-KEY-PARAMETER`,
    );
  }
  const [bucket, bucketOrigin] = bucketOf(request, hints);
  const [key, keyOrigin] = keyOf(request);
  const pairs = SPECIFICATION.steps.decodedQuery(query, SPECIFICATION) ?? [];
  const value = (name: string): string => pairs.find(([n]) => n === name)?.[1] ?? '';
  const signature = value('Signature');
  const raw = /(?:^|&)Signature=([^&]*)/.exec(query)?.[1] ?? '';
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
    path: request.path,
    query,
    verbUnknown: method === undefined,
    sent: { publicKey: value(dialect.publicKeyParameter), signature, written: signature },
    origin: { bucket: bucketOrigin, key: keyOrigin },
    ...otherDialect(otherDialectOf(request, '', hints)),
    notes: /[+/=]/.test(raw)
      ? [
          'the signature stands in the URL as it is; §5.4 URL-encodes it ("+" is "%2B", "/" is "%2F", "=" is "%3D"), and servers that read "+" as a space refuse it',
          ...otherCases(names, [dialect.publicKeyParameter, 'Expires', 'Signature']),
        ]
      : otherCases(names, [dialect.publicKeyParameter, 'Expires', 'Signature']),
  };
}

/** A note for each parameter whose name is written in another case, and so is another parameter. */
function otherCases(names: readonly string[], expected: readonly string[]): readonly string[] {
  return expected
    .filter((name) => !names.includes(name))
    .flatMap((name) => {
      const other = names.find((one) => one.toLowerCase() === name.toLowerCase());
      return other === undefined
        ? []
        : [`the parameter ${visible(other)} is not ${name}; names have a case; write ${name}`];
    });
}

function querySubject(query: string, carrier: string, hints: Hints): ParametersSubject {
  const pairs: readonly Pair[] = SPECIFICATION.steps.decodedQuery(query, SPECIFICATION) ?? [];
  return { kind: 'parameters', form: 'query', text: query, carrier, ...parametersIn(pairs, hints) };
}

function jsonSubject(body: string, hints: Hints): ParametersSubject {
  const members = jsonMembers(body);
  if (!members) {
    throw new UsageError(
      `the body of ${body.length} characters is not one JSON object (§4.2); capture it whole`,
    );
  }
  return {
    kind: 'parameters',
    form: 'json',
    text: body,
    carrier: 'member',
    ...parametersIn(members, hints),
  };
}

/** Nothing where the text is not one JSON object. */
function jsonMembers(body: string): ParametersSubject['parameters'] | undefined {
  const value = SPECIFICATION.steps.jsonText(body);
  return typeof value === 'object' && value !== null && 'object' in value
    ? value.object
    : undefined;
}

function parametersIn(all: ParametersSubject['parameters'], { dialect }: Hints) {
  const text = (name: string): string => {
    const value = all.find(([n]) => n === name)?.[1];
    return typeof value === 'string' ? value : '';
  };
  const signature = text('Signature');
  return {
    dialect: inDialect(dialect ?? dialectNamed('svc')).dialect,
    parameters: all.filter(([name]) => name !== 'Signature'),
    sent: { publicKey: text('PublicKey') || undefined, signature, written: signature },
    origin: { bucket: '', key: '' },
    notes: otherCases(
      all.map(([name]) => name),
      ['Action', 'PublicKey', 'Signature'],
    ),
  };
}
