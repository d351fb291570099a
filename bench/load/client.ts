/**
 * A client that signs its requests, over persistent connections.
 *
 * @module
 */

import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { DEVELOPMENT_KEYS } from '../../reference/server/options.ts';
import {
  type ActionParameters,
  actionJson,
  authorization,
  type HeaderList,
  SPECIFICATION,
} from '../../reference/signing/index.ts';
import { hasMembers, type Members, parseJson } from '../../reference/values.ts';

export interface Asked {
  readonly bucket: string;
  readonly method: string;
  readonly key?: string;
  /** As sent, without the question mark. */
  readonly query?: string;
  readonly headers?: HeaderList;
  readonly body?: Uint8Array | Pieces;
}

/** A body whose pieces are created while it is sent. */
export interface Pieces {
  readonly length: number;
  readonly pieces: Iterable<Uint8Array>;
}

export interface Reply {
  readonly status: number;
  /** The value between the quotes; empty without the header. */
  readonly etag: string;
  /** Empty if `into` received the pieces. */
  readonly bytes: Buffer;
}

/** How long a server may be silent; in milliseconds. */
const LONGEST_SILENCE = 60_000;

export class Client {
  readonly #port: number;
  readonly #agent: Agent = new Agent({ keepAlive: true });

  constructor(port: number) {
    this.#port = port;
  }

  /**
   * Sends a file request, signed in its header.
   *
   * @param into receives the body of the answer piece by piece
   */
  async ask(asked: Asked, into?: (piece: Buffer) => void): Promise<Reply> {
    const { outgoing, response } = this.begin(asked);
    await sendBody(outgoing, asked.body);
    return readReply(await response, into);
  }

  /** Starts a request; the caller sends its body. */
  begin(asked: Asked): { outgoing: ClientRequest; response: Promise<IncomingMessage> } {
    const { bucket, method, key = '', query, headers = [], body } = asked;
    const { authorization: signed } = authorization(
      { method, bucket, key, headers },
      DEVELOPMENT_KEYS,
      SPECIFICATION,
    );
    const length: HeaderList = body ? [['Content-Length', String(body.length)]] : [];
    const own: HeaderList = [...headers, ...length, ['Authorization', signed]];
    return this.#request(`${bucket}.localhost`, method, pathOf(key, query), own);
  }

  /** Sends an action of the account API and yields its answer. */
  async act(parameters: Readonly<Record<string, string>>): Promise<Members> {
    const pairs: ActionParameters = Object.entries({
      ...parameters,
      PublicKey: DEVELOPMENT_KEYS.publicKey,
    });
    const body = Buffer.from(actionJson(pairs, DEVELOPMENT_KEYS, SPECIFICATION).body);
    const headers: HeaderList = [
      ['Content-Type', 'application/json'],
      ['Content-Length', String(body.length)],
    ];
    const { outgoing, response } = this.#request('api.localhost', 'POST', '/', headers);
    await sendBody(outgoing, body);
    const members = parseJson((await readReply(await response)).bytes.toString('utf8'));
    return hasMembers(members) ? members : {};
  }

  end(): void {
    this.#agent.destroy();
  }

  #request(
    host: string,
    method: string,
    path: string,
    headers: HeaderList,
  ): { outgoing: ClientRequest; response: Promise<IncomingMessage> } {
    const outgoing = request({
      host: '127.0.0.1',
      port: this.#port,
      agent: this.#agent,
      method,
      path,
      headers: { Host: `${host}:${this.#port}`, ...Object.fromEntries(headers) },
      timeout: LONGEST_SILENCE,
    });
    outgoing.once('timeout', () =>
      outgoing.destroy(new Error(`the server said nothing for ${LONGEST_SILENCE} ms`)),
    );
    const response = new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve);
      outgoing.on('error', reject);
    });
    // It may fail while the body is still being sent, before the caller awaits it.
    response.catch(() => undefined);
    return { outgoing, response };
  }
}

function pathOf(key: string, query?: string): string {
  const path = `/${key.split('/').map(encodeURIComponent).join('/')}`;
  return query === undefined ? path : `${path}?${query}`;
}

async function sendBody(outgoing: ClientRequest, body: Asked['body']): Promise<void> {
  if (body && 'pieces' in body) {
    for (const piece of body.pieces) {
      if (!outgoing.write(piece)) await once(outgoing, 'drain');
    }
    outgoing.end();
  } else outgoing.end(body);
}

function readReply(response: IncomingMessage, into?: (piece: Buffer) => void): Promise<Reply> {
  const pieces: Buffer[] = [];
  return new Promise((resolve, reject) => {
    response.on('data', into ?? ((piece: Buffer) => pieces.push(piece)));
    response.once('error', reject);
    response.once('end', () =>
      resolve({
        status: response.statusCode ?? 0,
        etag: (response.headers.etag ?? '').replaceAll('"', ''),
        bytes: Buffer.concat(pieces),
      }),
    );
  });
}
