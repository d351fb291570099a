/**
 * The service over HTTP with a store in memory, and a client that signs by the specification.
 *
 * @module
 */
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Service } from '../../reference/server/authentication/service.ts';
import { DEFAULT_LIMITS, type Limits } from '../../reference/server/http/limits.ts';
import { Listener } from '../../reference/server/http/listener.ts';
import { handleRequest } from '../../reference/server/routing.ts';
import type { Bucket } from '../../reference/server/store/entries.ts';
import { openMemoryStore } from '../../reference/server/store/memory-store.ts';
import {
  authorization,
  formAuthorization,
  type HeaderList,
  type Pair,
  SPECIFICATION,
} from '../../reference/signing/index.ts';

export const KEYS = { publicKey: 'pub-example', privateKey: 'priv-example' };

export interface Asked {
  readonly headers?: HeaderList;
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

export interface FormAsked {
  readonly key: string;
  readonly headers?: HeaderList;
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
  await store.createBucket(bucketCalled('box', 'private'));
  await store.createBucket(bucketCalled('open', 'public'));
  const { server, stop } = new Listener({
    limits: { ...DEFAULT_LIMITS, stopTime: 100, ...limits },
    answer: (wire) =>
      handleRequest(service, { kind: 'bucket', bucket: wire.host.split('.')[0] ?? '' }, wire),
    onExchange: () => {},
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(stop);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    service,
    ask: (method, target, asked = {}) =>
      exchange(port, method, target, signedHeaders(method, target, asked), asked),
    post: (form) => posted(port, form),
  };
}

function bucketCalled(name: string, type: Bucket['type']): Bucket {
  const times = { createTime: 1, modifyTime: 1 };
  return {
    name,
    id: `id-${name}`,
    type,
    region: 'local',
    tag: '',
    storageClass: 'STANDARD',
    ...times,
  };
}

function signedHeaders(method: string, target: string, asked: Asked): HeaderList {
  const { headers = [], bucket = 'box', isUnsigned, policy } = asked;
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
  const { steps } = SPECIFICATION;
  return {
    ...SPECIFICATION,
    steps: { ...steps, signedPolicy: () => policy },
  };
}

function tailed({ authorization }: { authorization: string }, policy?: string): string {
  return policy === undefined ? authorization : `${authorization}:${policy}`;
}

async function posted(port: number, form: FormAsked): Promise<Reply> {
  const { key, headers = [], signed = [], policy, path = '/' } = form;
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
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method,
    path: bytesOf(target),
    headers: lines,
  });
  // As bytes, because Node would write the headers in the encoding of a text.
  outgoing.end(Buffer.from(body));
  const [response] = await once(outgoing, 'response');
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
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
