/**
 * The HTTP layer of the server with a small service behind it for tests.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { DEFAULT_LIMITS, type Limits } from '../../reference/server/http/limits.ts';
import { Listener } from '../../reference/server/http/listener.ts';
import type { Tls } from '../../reference/server/http/tunnel.ts';
import { fileError } from '../../reference/server/messages/errors.ts';
import type { Outcome } from '../../reference/server/messages/exchange.ts';
import {
  type Exchange,
  emptyAnswer,
  jsonAnswer,
  type WireRequest,
} from '../../reference/server/messages/exchange.ts';
import { listen } from '../listen.ts';

const MOST = 256 * 1024 * 1024;

export interface EchoServer extends Pick<Listener, 'stop'> {
  readonly port: number;
  readonly exchanges: readonly Exchange[];
  /** How many pieces the listener has taken of the bodies of answers. */
  readonly pieces: () => number;
}

/** Listens on a free port until the test ends. */
export async function echoServer(limits: Partial<Limits> = {}, tls?: Tls): Promise<EchoServer> {
  const exchanges: Exchange[] = [];
  let pieces = 0;
  const { server, stop } = new Listener(
    {
      limits: { ...DEFAULT_LIMITS, stopTime: 100, ...limits },
      answer: (wire) =>
        echo(wire, () => {
          pieces += 1;
        }),
      onExchange: (exchange) => exchanges.push(exchange),
    },
    { tls },
  );
  const port = await listen(server);
  onTestFinished(stop);
  return {
    port,
    stop,
    exchanges,
    pieces: () => pieces,
  };
}

async function echo(wire: WireRequest, onPiece: () => void): Promise<Outcome> {
  const [, word = '', number = '0'] = wire.path.split('/');
  switch (word) {
    case 'hash':
      return { answer: jsonAnswer(200, await hashOf(wire)) };
    case 'refuse':
      throw fileError('signatureWrong');
    case 'fail':
      throw new Error('a fault of ours');
    case 'wait':
      await new Promise((resolve) => setTimeout(resolve, Number(number)));
      return { answer: jsonAnswer(200, { waited: number }) };
    case 'bytes':
      return {
        answer: {
          status: 200,
          headers: [['ETag', '"x"']],
          body: { length: Number(number), pieces: zeros(Number(number), onPiece) },
          code: 0,
        },
      };
    case 'text':
      return { answer: jsonAnswer(200, { text: 'x'.repeat(Number(number)) }) };
    case 'none':
      return { answer: emptyAnswer(204) };
    default: {
      const { method, target, host, path, query, headers } = wire;
      return { answer: jsonAnswer(200, { method, target, host, path, query, headers }) };
    }
  }
}

async function hashOf({ body }: WireRequest): Promise<object> {
  const hash = createHash('sha1');
  let size = 0;
  for await (const piece of await body.pieces(MOST)) {
    hash.update(piece);
    size += piece.length;
  }
  return { size, sha1: hash.digest('hex') };
}

async function* zeros(length: number, onPiece: () => void): AsyncGenerator<Uint8Array> {
  const block = new Uint8Array(64 * 1024);
  for (let left = length; left > 0; left -= block.length) {
    onPiece();
    yield block.subarray(0, left);
  }
}
