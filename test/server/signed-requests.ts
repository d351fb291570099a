/**
 * Signed requests to a running server, by the accounts of a test.
 *
 * @module
 */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { DEVELOPMENT_KEYS } from '../../reference/server/options.ts';
import {
  actionQuery,
  authorization,
  type KeyPair,
  SPECIFICATION,
} from '../../reference/signing/index.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface Sent {
  readonly method?: string;
  /** The header Host, which names the bucket or the API; `fetch` cannot set it. */
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request to a port of this machine. */
export function send(port: number, path: string, sent: Sent = {}): Promise<Reply> {
  const { method = 'GET', host = '127.0.0.1', headers = {}, body } = sent;
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', path, method, headers: { ...headers, Host: host } };
    const asked = request(options, async (answer) => {
      const { statusCode: status = 0, headers: own } = answer;
      resolve({ status, headers: own, body: await text(answer) });
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

export interface FileRequest extends Sent {
  readonly bucket: string;
  readonly key: string;
  readonly keys?: KeyPair;
}

/** The header Authorization of a file request without signed headers. */
export function signedHeader(
  method: string,
  bucket: string,
  key: string,
  keys: KeyPair = DEVELOPMENT_KEYS,
): string {
  return authorization({ method, bucket, key, headers: [] }, keys, SPECIFICATION).authorization;
}

/** Sends a signed file request to a host that names the bucket. */
export function sendSigned(
  port: number,
  { method = 'GET', bucket, key, keys = DEVELOPMENT_KEYS, headers = {}, ...sent }: FileRequest,
): Promise<Reply> {
  return send(port, `/${encodeURI(key)}`, {
    ...sent,
    method,
    host: `${bucket}.localhost`,
    headers: { ...headers, Authorization: signedHeader(method, bucket, key, keys) },
  });
}

/** Sends a signed action to the API; returns the members of its answer. */
export async function sendAction(
  port: number,
  parameters: Readonly<Record<string, string>>,
  keys: KeyPair = DEVELOPMENT_KEYS,
): Promise<Record<string, unknown>> {
  const all = Object.entries({ ...parameters, PublicKey: keys.publicKey });
  const { query } = actionQuery(all, keys, SPECIFICATION);
  const { body } = await send(port, `/?${query}`, { host: 'api.localhost' });
  return JSON.parse(body) as Record<string, unknown>;
}
