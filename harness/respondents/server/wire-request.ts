/**
 * Converts the question of a verify operation to an HTTP request, if one can ask it.
 *
 * @module
 */
import { urlEncode } from '../../../reference/signing/index.ts';
import type { Question } from '../../engine/protocol.ts';
import { bodyWithMd5 } from '../../suite/known-bodies.ts';
import type { Server } from './server.ts';

type Headers = readonly (readonly [name: string, value: string])[];

/** The texts of a request as they are sent, in UTF-8. */
export interface WireRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Headers;
  readonly body: string;
}

/** A request, or a clause that says why no request can ask the question. */
export type Conversion = { readonly request: WireRequest } | { readonly obstacle: string };

const CONVERSIONS: Readonly<
  Record<string, (input: Question['input'], server: Server, bucket: string) => Conversion>
> = {
  'verify-authorization': (input, server, bucket) => {
    if (String(input.bucket) !== bucket) {
      return { obstacle: 'its bucket is not the bucket of the probe' };
    }
    const path = String(input.key).split('/').map(urlEncode).join('/');
    return fileRequest(input, server, `${bucket}.${server.fileHost}`, `/${path}`);
  },
  'verify-presigned-url': (input, server, bucket) => {
    const [, host = '', target = ''] = /^https?:\/\/([^/?#]*)(.*)/s.exec(String(input.url)) ?? [];
    const isOwn = host.toLowerCase() === `${bucket}.${server.fileHost}`.toLowerCase();
    if (!isOwn) return { obstacle: 'its host does not name the bucket of the probe' };
    return fileRequest(input, server, host, target);
  },
  'verify-query': ({ query }, server) => {
    if (query === '') return { obstacle: 'a GET of "/" without a query requests nothing' };
    const request = { method: 'GET', target: `/?${query}`, headers: [], body: '' };
    return completeRequest(server, server.apiHost, request);
  },
  'verify-json': ({ body }, server) =>
    completeRequest(server, server.apiHost, {
      method: 'POST',
      target: '/',
      headers: [['Content-Type', 'application/json']],
      body: String(body),
    }),
};

export const VERIFY_OPERATIONS: readonly string[] = Object.keys(CONVERSIONS);

export function toWireRequest(
  { operation, input }: Question,
  server: Server,
  bucket: string,
): Conversion {
  return (
    CONVERSIONS[operation]?.(input, server, bucket) ?? {
      obstacle: `no request can ask ${operation}`,
    }
  );
}

/**
 * Selects the parameter that names what the request does with the bucket or the file. It is not signed.
 *
 * Empty if the method says enough; undefined if the service has no such operation.
 */
function selectParameter(method: string, target: string, headers: Headers): string | undefined {
  const isOnBucket = /^\/(?:\?|$)/.test(target);
  if (isOnBucket) return method === 'GET' ? 'list' : undefined;
  if (method !== 'POST') return '';
  // Finishing an upload is the only POST with a callback policy. No upload has this id.
  return hasPolicy(headers) ? 'uploadId=svc-conformance' : 'uploads';
}

/** Whether an Authorization header has a third part, the callback policy, after the signature. */
export function hasPolicy(headers: Headers): boolean {
  return headers.some(
    ([name, value]) => name.trim().toLowerCase() === 'authorization' && value.split(':').length > 2,
  );
}

/** Headers of the connection, which are replaced. */
const CONNECTION_HEADERS = ['host', 'content-length', 'connection'];

const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'];

function fileRequest(
  { method, headers: given = [] }: Question['input'],
  server: Server,
  host: string,
  target: string,
): Conversion {
  const name = String(method);
  if (!METHODS.includes(name)) {
    return { obstacle: `its method is not one of ${METHODS.join(', ')}` };
  }
  const headers = given.filter(([own]) => !CONNECTION_HEADERS.includes(own.toLowerCase()));
  const obstacle = headers.map(findHeaderObstacle).find((one) => one !== undefined);
  if (obstacle !== undefined) return { obstacle };
  const parameter = selectParameter(name, target, headers);
  if (parameter === undefined) return { obstacle: `the service has no ${name} of a bucket` };
  const separator = target.includes('?') ? '&' : '?';
  return completeRequest(server, host, {
    method: name,
    target: parameter === '' ? target : target + separator + parameter,
    headers,
    body: bodyWithMd5(headers),
  });
}

/** The characters that RFC 9112 §3.2 allows in a request line. */
const TARGET = /^\/[\x21\x22\x24-\x7e]*$/;

/** Adds the headers of the connection. */
function completeRequest(
  { isProxied }: Server,
  host: string,
  { method, target, headers, body }: WireRequest,
): Conversion {
  if (!TARGET.test(target)) {
    return { obstacle: 'a request line cannot have whitespace, "#" or non-ASCII characters' };
  }
  const length = `${Buffer.byteLength(body)}`;
  const isBodyDue = body !== '' || method === 'PUT' || method === 'POST';
  const all: Headers = [
    ['Host', host],
    ...headers,
    ...(isBodyDue ? ([['Content-Length', length]] as const) : []),
    ['Connection', 'close'],
  ];
  const whole = isProxied ? `http://${host}${target}` : target;
  return { request: { method, target: whole, headers: all, body } };
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Finds why servers refuse a header, even if its signature is correct. */
function findHeaderObstacle([name, value]: Headers[number]): string | undefined {
  if (!TOKEN.test(name)) return 'the name of a header is not a token (RFC 9110 §5.1)';
  if (/\r?\n[ \t]/.test(value)) return 'servers may refuse folded header lines (RFC 9112 §5.2)';
  if (/[\0-\x08\x0a-\x1f\x7f]/.test(value)) {
    return 'a header cannot have control characters (RFC 9110 §5.5)';
  }
  return undefined;
}
