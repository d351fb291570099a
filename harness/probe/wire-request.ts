/**
 * The question of a verify operation as a request to a server, or why no request can ask it.
 *
 * @module
 */
import { urlEncode } from '../../reference/signing/index.ts';
import type { Question } from '../adapter/messages.ts';
import { bodyWithMd5 } from './known-bodies.ts';
import type { Server } from './server.ts';

type Headers = readonly (readonly [name: string, value: string])[];

/** What is sent: the texts of the request line and of the headers as they are written, in UTF-8. */
export interface WireRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Headers;
  readonly body: string;
}

/** A request, or in words what keeps it from being one. */
export type Asking = { readonly request: WireRequest } | { readonly unasked: string };

type Ask = (input: Question['input'], server: Server, bucket: string) => Asking;

const ASKED: Readonly<Record<string, Ask>> = {
  'verify-authorization': (input, server, bucket) => {
    const own = String(input['bucket']);
    if (own !== bucket) return { unasked: 'its bucket can be none of the server' };
    const path = String(input['key']).split('/').map(urlEncode).join('/');
    return fileRequest(input, server, `${bucket}.${server.fileHost}`, `/${path}`);
  },
  'verify-presigned-url': (input, server, bucket) => {
    const [, host = '', target = ''] =
      /^https?:\/\/([^/?#]*)(.*)/s.exec(String(input['url'])) ?? [];
    const isOwn = host.toLowerCase() === `${bucket}.${server.fileHost}`.toLowerCase();
    if (!isOwn) return { unasked: 'its host is none by which the server calls the bucket' };
    return fileRequest(input, server, host, target);
  },
  'verify-query': ({ query }, server) => {
    if (query === '') return { unasked: 'without a query, a GET of "/" asks for nothing' };
    return request(server, server.apiHost, { ...EMPTY, target: `/?${query}` });
  },
  'verify-json': ({ body }, server) =>
    request(server, server.apiHost, {
      method: 'POST',
      target: '/',
      headers: [['Content-Type', 'application/json']],
      body: String(body),
    }),
};

const EMPTY: WireRequest = { method: 'GET', target: '/', headers: [], body: '' };

/** The request that asks a server the question. */
export function asking({ operation, input }: Question, server: Server, bucket: string): Asking {
  return ASKED[operation]?.(input, server, bucket) ?? { unasked: `no request asks ${operation}` };
}

/** What is done with a file, or with a bucket, may be said by a parameter, which nobody signs; nothing where there is no such operation. */
function operationOf(method: string, target: string, headers: Headers): string | undefined {
  const isOnBucket = /^\/(?:\?|$)/.test(target);
  if (isOnBucket) return method === 'GET' ? 'list' : undefined;
  if (method !== 'POST') return '';
  // Of the requests with POST, the one that finishes an upload takes a callback policy. There is no such upload.
  return hasPolicy(headers) ? 'uploadId=svc-conformance' : 'uploads';
}

/** Whether a header Authorization goes on behind its signature. */
export function hasPolicy(headers: unknown): boolean {
  return (headers as Headers).some(
    ([name, value]) => name.trim().toLowerCase() === 'authorization' && value.split(':').length > 2,
  );
}

/** Those of each connection are the prober's. */
const OWN_HEADERS = ['host', 'content-length', 'connection'];

const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'];

function fileRequest(
  { method, headers: given }: Question['input'],
  server: Server,
  host: string,
  target: string,
): Asking {
  const name = String(method);
  if (!METHODS.includes(name)) {
    return { unasked: 'its method is none that HTTP servers have; they are in upper case' };
  }
  const headers = (given as Headers).filter(([own]) => !OWN_HEADERS.includes(own.toLowerCase()));
  const fault = headers.map(headerFault).find((one) => one !== undefined);
  if (fault !== undefined) return { unasked: fault };
  const operation = operationOf(name, target, headers);
  if (operation === undefined) return { unasked: `no operation on a bucket is a ${name}` };
  const mark = target.includes('?') ? '&' : '?';
  const whole = operation === '' ? target : target + mark + operation;
  return request(server, host, {
    method: name,
    target: whole,
    headers,
    body: bodyWithMd5(headers),
  });
}

/** RFC 9112 §3.2: other characters stand in no request line. */
const TARGET = /^\/[\x21\x22\x24-\x7e]*$/;

function request(
  { isProxied }: Server,
  host: string,
  { method, target, headers, body }: WireRequest,
): Asking {
  if (!TARGET.test(target)) {
    return { unasked: 'a request line holds no blanks, no "#" and nothing beyond ASCII' };
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

/** What RFC 9110 keeps out of a header line, so that servers refuse it whoever signed it. */
function headerFault([name, value]: Headers[number]): string | undefined {
  if (!TOKEN.test(name)) return 'the name of a header is no token (RFC 9110 §5.1)';
  if (/\r?\n[ \t]/.test(value)) return 'servers may refuse folded header lines (RFC 9112 §5.2)';
  if (/[\0-\x08\x0a-\x1f\x7f]/.test(value)) {
    return 'a header holds no control characters (RFC 9110 §5.5)';
  }
  return undefined;
}
