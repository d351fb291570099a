/**
 * A client that costs little, so that the server is what a load measures: raw sockets, and requests signed beforehand.
 *
 * @module
 */
import { connect, type Socket } from 'node:net';
import { DEVELOPMENT_KEYS } from '../../reference/server/options.ts';
import { authorization, SPECIFICATION } from '../../reference/signing/index.ts';

/** A request as its bytes; both servers get the same. */
export interface PreparedRequest {
  readonly head: Buffer;
  readonly body: Uint8Array;
  /** Of both bodies, in bytes. */
  readonly size: number;
}

export function prepareRequest(
  bucket: string,
  method: 'PUT' | 'GET',
  key: string,
  content: Uint8Array,
): PreparedRequest {
  const { authorization: signed } = authorization(
    { method, bucket, key, headers: [] },
    DEVELOPMENT_KEYS,
    SPECIFICATION,
  );
  const body = method === 'PUT' ? content : new Uint8Array();
  const lines = [
    `${method} /${encodeURIComponent(key)} HTTP/1.1`,
    `Host: ${bucket}.localhost`,
    `Authorization: ${signed}`,
    ...(method === 'PUT' ? [`Content-Length: ${body.length}`] : []),
  ];
  return { head: Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body, size: content.length };
}

/** One connection, with one request at a time. */
export class RawConnection {
  readonly #socket: Socket;
  #head = '';
  /** Bytes of the body that are missing; undefined until the headers are complete. */
  #missing: number | undefined;
  #resolve: () => void = () => {};
  #reject: (error: Error) => void = () => {};

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (piece) => this.#read(piece));
    this.#socket.on('error', (error) => this.#reject(error));
    this.#socket.on('close', () => this.#reject(new Error('the server closed the connection')));
  }

  /** Fulfilled once the whole answer has arrived; rejected unless its status is 200. */
  send({ head, body }: PreparedRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) reject(new Error('the server closed the connection'));
      this.#head = '';
      this.#missing = undefined;
      this.#resolve = resolve;
      this.#reject = reject;
      // One packet for a small request.
      if (body.length <= 16 * 1024) this.#socket.write(Buffer.concat([head, body]));
      else {
        this.#socket.write(head);
        this.#socket.write(body);
      }
    });
  }

  end(): void {
    this.#reject = () => {};
    this.#socket.destroy();
  }

  #read(piece: Buffer): void {
    let bodyBytes = piece.length;
    if (this.#missing === undefined) {
      const before = this.#head.length;
      this.#head += piece.toString('latin1');
      const end = this.#head.indexOf('\r\n\r\n');
      if (end < 0) return;
      if (!this.#head.startsWith('HTTP/1.1 200 ')) {
        this.#reject(new Error(`the answer is ${JSON.stringify(this.#head.slice(0, 500))}`));
        return;
      }
      this.#missing = Number(/\r\ncontent-length: (\d+)/i.exec(this.#head)?.[1] ?? 0);
      bodyBytes = before + piece.length - end - 4;
    }
    this.#missing -= bodyBytes;
    if (this.#missing <= 0) this.#resolve();
  }
}
