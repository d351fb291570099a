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
import type { HeaderSubject, ParametersSubject, Subject, UrlSubject } from './subject.ts';
import {
  bucketOf,
  dialectOfValue,
  type Hints,
  headerValue,
  KNOWN,
  keyOf,
  type Target,
  targetOf,
} from './target.ts';

/**
 * Recognizes how a request is signed.
 *
 * @throws UsageError where it shows no signature, or does not show all that is signed
 */
export function recognized(captured: CapturedRequest, hints: Hints): Subject {
  const request = targetOf(captured);
  const pairs = SPECIFICATION.steps.decodedQuery(request.query);
  if (!pairs) {
    throw new UsageError(
      `the query ${visible(request.query)} has an escape that is not UTF-8; §5.3 writes each byte as "%" and two digits`,
    );
  }
  const names = pairs.map(([name]) => name);
  const contentType = headerValue(request.headers, 'Content-Type') ?? '';
  const isPart = names.some((name) => name === 'uploads' || name === 'uploadId');
  if (/^multipart\/form-data\b/i.test(contentType) && !isPart) {
    return formSubject(request, contentType, hints);
  }
  if (headerValue(request.headers, 'Authorization') !== undefined) {
    return headerSubject(request, names, hints);
  }
  if (names.includes('Action')) return querySubject(request.query, 'query parameter', hints);
  if (names.includes('Signature') && names.some((name) => /^Expires$|PublicKey$/i.test(name))) {
    return urlSubject(request, names, hints);
  }
  const body = request.body.trim();
  if (body.startsWith('{')) return jsonSubject(body, hints);
  if (/(?:^|&)Action=/.test(body)) {
    // Forms write a space as "+"; §5.3 knows no such thing, but what is sent is a form.
    return querySubject(body.replaceAll('+', '%20'), 'form parameter', hints);
  }
  if (body === '' && /^application\/(?:json|x-www-form-urlencoded)\b/i.test(contentType)) {
    throw new UsageError(
      `the text has no body, and ${visible(contentType)} says that the parameters are in one; curl -v does not show it; put it behind an empty line after the headers`,
    );
  }
  throw new UsageError(
    `${request.method ?? 'the URL'} ${visible(request.path)} shows no signature: no header Authorization (§5.2), no query with Expires and Signature (§5.4), no parameters with Action (§5.1); capture the request after it is signed`,
  );
}

function headerSubject(request: Target, names: readonly string[], hints: Hints): HeaderSubject {
  const { method = 'GET', headers, query } = request;
  const written = headerValue(headers, 'Authorization') ?? '';
  const dialect = dialectOfValue(written, hints);
  const [bucket, bucketOrigin] = bucketOf(request, hints);
  const parts = SPECIFICATION.steps.parsedAuthorization(written, dialect.scheme);
  // §5.3 writes a space as %20, and always escapes a plus; the published SDK for Go writes a plus for a space.
  const parameters = SPECIFICATION.steps.decodedQuery(query.replaceAll('+', '%20'));
  const value = (name: string): string | undefined =>
    parameters?.find(([own]) => own === name)?.[1];
  const hit = method === 'POST' && request.path === '/uploadhit' ? value('FileName') : undefined;
  const [key, keyOrigin] = hit === undefined ? keyOf(request) : [hit, 'query parameter FileName'];
  const isSignedTwice = names.includes('Signature') && names.includes('Expires');
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
    notes: isSignedTwice
      ? [
          'the query carries a signature as well; the service refuses a request that is signed twice',
        ]
      : [],
  };
}

function urlSubject(request: Target, names: readonly string[], hints: Hints): UrlSubject {
  const { method, headers, query } = request;
  const dialect =
    hints.dialect ?? KNOWN.find(({ publicKeyParameter }) => names.includes(publicKeyParameter));
  if (!dialect) {
    const name = names.find((one) => /PublicKey$/i.test(one));
    throw new UsageError(
      `the query has ${name === undefined ? 'no public key' : `the public key as ${visible(name)}`}; §5.4 names it SvcPublicKey, the dialect ucloud UCloudPublicKey; if it is yours, give --dialect SCHEME,HEADER-PREFIX,PUBLIC-KEY-PARAMETER`,
    );
  }
  const [bucket, bucketOrigin] = bucketOf(request, hints);
  const [key, keyOrigin] = keyOf(request);
  const pairs = SPECIFICATION.steps.decodedQuery(query) ?? [];
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
    notes: /[+/=]/.test(raw)
      ? [
          'the signature stands in the URL as it is; §5.4 URL-encodes it ("+" is "%2B", "/" is "%2F", "=" is "%3D"), and servers that read "+" as a space refuse it',
        ]
      : [],
  };
}

function querySubject(query: string, carrier: string, hints: Hints): ParametersSubject {
  const pairs: readonly Pair[] = SPECIFICATION.steps.decodedQuery(query) ?? [];
  return { kind: 'parameters', form: 'query', text: query, carrier, ...parametersIn(pairs, hints) };
}

function jsonSubject(body: string, hints: Hints): ParametersSubject {
  const value = SPECIFICATION.steps.jsonText(body);
  if (typeof value !== 'object' || value === null || !('object' in value)) {
    throw new UsageError(
      `the body of ${body.length} characters is not one JSON object (§4.2); capture it whole`,
    );
  }
  return {
    kind: 'parameters',
    form: 'json',
    text: body,
    carrier: 'member',
    ...parametersIn(value.object, hints),
  };
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
    notes: [],
  };
}
