/**
 * Signed requests to a running server, by the accounts of a test.
 *
 * @module
 */
import { request } from 'node:http';
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
      const pieces: Buffer[] = [];
      for await (const piece of answer) pieces.push(piece);
      const { statusCode: status = 0, headers: own } = answer;
      resolve({ status, headers: own, body: Buffer.concat(pieces).toString('utf8') });
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

export interface FileRequest extends Sent {
  readonly bucket: string;
  readonly key: string;
  readonly keys: KeyPair;
}

/** Sends a signed file request to a host that names the bucket. */
export function sendSigned(
  port: number,
  { method = 'GET', bucket, key, keys, headers = {}, ...sent }: FileRequest,
): Promise<Reply> {
  const signed = { method, bucket, key, headers: [] };
  const { authorization: value } = authorization(signed, keys, SPECIFICATION);
  return send(port, `/${encodeURI(key)}`, {
    ...sent,
    method,
    host: `${bucket}.localhost`,
    headers: { ...headers, Authorization: value },
  });
}

/** Sends a signed action to the API; returns the members of its answer. */
export async function sendAction(
  port: number,
  parameters: Readonly<Record<string, string>>,
  keys: KeyPair,
): Promise<Record<string, unknown>> {
  const all = Object.entries({ ...parameters, PublicKey: keys.publicKey });
  const { query } = actionQuery(all, keys, SPECIFICATION);
  const { body } = await send(port, `/?${query}`, { host: 'api.localhost' });
  return JSON.parse(body) as Record<string, unknown>;
}
