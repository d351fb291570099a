/**
 * The service over HTTP with a store in memory, and a client that signs by the specification.
 *
 * @module
 */
import { once } from 'node:events';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { Service } from '../../reference/server/authentication/service.ts';
import { DEFAULT_LIMITS, type Limits } from '../../reference/server/http/limits.ts';
import { Listener } from '../../reference/server/http/listener.ts';
import { handleRequest } from '../../reference/server/routing.ts';
import { openMemoryStore } from '../../reference/server/store/memory-store.ts';
import {
  authorization,
  formAuthorization,
  type HeaderList,
  type Pair,
  SPECIFICATION,
  withSteps,
} from '../../reference/signing/index.ts';
import { listen } from '../listen.ts';
import { bucketNamed } from './stores.ts';

export const KEYS = { publicKey: 'pub-example', privateKey: 'priv-example' };

/** A record if no name is repeated. */
type Headers = HeaderList | Readonly<Record<string, string>>;

const listOf = (headers: Headers): HeaderList =>
  Array.isArray(headers) ? headers : Object.entries(headers);

export interface Asked {
  readonly headers?: Headers;
  readonly body?: Uint8Array | string;
  /** The signed key, if it is not the path. */
  readonly key?: string;
  readonly bucket?: string;
  readonly isUnsigned?: boolean;
  /** Appended to the string to sign and to the header. */
  readonly policy?: string;
}

export interface Reply {
  readonly status: number;
  /** With names in the case in which they were sent. */
  readonly headers: ReadonlyMap<string, string>;
  readonly bytes: Buffer;
  /** The members have type `never`, so that a test can use each as what it expects. */
  readonly json: () => Readonly<Record<string, never>>;
}

export interface FileServer {
  readonly port: number;
  readonly service: Service;
  readonly ask: (method: string, target: string, asked?: Asked) => Promise<Reply>;
  /** Sends a form; its `body` gets the value of the field Authorization. */
  readonly post: (form: FormAsked) => Promise<Reply>;
}

/** A form that puts the text "x" under a key. */
export const formOf =
  (key: string) =>
  (authorization: string): string => {
    const fields = Object.entries({ FileName: key, Authorization: authorization, file: 'x' });
    const parts = fields.map(
      ([name, text]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
    );
    return `${parts.join('')}--b--`;
  };

export interface FormAsked {
  readonly key: string;
  readonly headers?: Headers;
  /** Fields that are signed besides the key and the headers. */
  readonly signed?: readonly Pair[];
  readonly body: (authorization: string) => Uint8Array | string;
  readonly policy?: string;
  readonly path?: string;
}

/** Listens until the test ends, with the buckets `box` (private) and `open` (public). */
export async function fileServer(
  more: Partial<Service> = {},
  limits: Partial<Limits> = {},
): Promise<FileServer> {
  const store = await openMemoryStore({ context: SPECIFICATION });
  const service: Service = {
    store,
    accounts: [{ ...KEYS, isDevelopment: true }],
    context: SPECIFICATION,
    now: () => Math.floor(Date.now() / 1000),
    isStrict: false,
    makesCallbacks: false,
    region: 'local',
    diagnose: () => undefined,
    ...more,
  };
  await store.createBucket(bucketNamed('box'));
  await store.createBucket({ ...bucketNamed('open'), type: 'public' });
  const { server, stop } = new Listener({
    limits: { ...DEFAULT_LIMITS, stopTime: 100, ...limits },
    answer: (wire) =>
      handleRequest(service, { kind: 'bucket', bucket: wire.host.split('.')[0] ?? '' }, wire),
    onExchange: () => {},
  });
  const port = await listen(server);
  onTestFinished(stop);
  return {
    port,
    service,
    ask: (method, target, asked = {}) =>
      exchange(port, method, target, signedHeaders(method, target, asked), asked),
    post: (form) => posted(port, form),
  };
}

function signedHeaders(method: string, target: string, asked: Asked): HeaderList {
  const { bucket = 'box', isUnsigned, policy } = asked;
  const headers = listOf(asked.headers ?? []);
  const key = asked.key ?? decodeURIComponent(target.split('?')[0]?.slice(1) ?? '');
  if (isUnsigned) return headers;
  const context = withPolicy(policy);
  return [
    ...headers,
    [
      'Authorization',
      tailed(authorization({ method, bucket, key, headers }, KEYS, context), policy),
    ],
  ];
}

function withPolicy(policy = ''): typeof SPECIFICATION {
  return withSteps(SPECIFICATION, { signedPolicy: () => policy });
}

function tailed({ authorization }: { authorization: string }, policy?: string): string {
  return policy === undefined ? authorization : `${authorization}:${policy}`;
}

async function posted(port: number, form: FormAsked): Promise<Reply> {
  const { key, signed = [], policy, path = '/' } = form;
  const headers = listOf(form.headers ?? []);
  const request = { bucket: 'box', key, headers, fields: signed };
  const field = tailed(formAuthorization(request, KEYS, withPolicy(policy)), policy);
  const type = headers.some(([name]) => name === 'Content-Type')
    ? headers
    : [...headers, ['Content-Type', 'multipart/form-data; boundary=b'] as const];
  return exchange(port, 'POST', path, type, { body: form.body(field) });
}

async function exchange(
  port: number,
  method: string,
  target: string,
  headers: HeaderList,
  { bucket = 'box', body = '' }: Asked,
): Promise<Reply> {
  const lines = [
    ['Host', `${bucket}.files.svc.example`],
    ['Connection', 'close'],
    ['Content-Length', String(Buffer.byteLength(body))],
    ...headers,
  ].flatMap(([name = '', value = '']) => [name, bytesOf(value)]);
  const address = { host: '127.0.0.1', port, method, path: bytesOf(target) };
  const outgoing = request({ ...address, headers: lines });
  // As bytes, because Node would write the headers in the encoding of a text.
  outgoing.end(Buffer.from(body));
  const [response] = await once(outgoing, 'response');
  const bytes = await buffer(response);
  const raw: string[] = response.rawHeaders;
  return {
    status: response.statusCode,
    headers: new Map(
      raw.flatMap((name, at) =>
        at % 2 === 0 ? [[name, Buffer.from(raw[at + 1] ?? '', 'latin1').toString('utf8')]] : [],
      ),
    ),
    bytes,
    json: () => JSON.parse(bytes.toString('utf8')),
  };
}

/** Node writes each character of the request line and the headers as one byte. */
function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
