/**
 * Sends a request on a connection of its own and reads the response.
 *
 * @module
 */

import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectSecure } from 'node:tls';
import { quoteStart } from '../../engine/excerpt.ts';
import { formatSpent, TimeLimit } from '../adapter/time-limit.ts';
import type { Server } from './server.ts';
import type { WireRequest } from './wire-request.ts';

export interface Response {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<IncomingMessage['headers']>;
  /** The first part of the body. */
  readonly body: string;
}

/** Why there is no response. */
export interface NoResponse {
  readonly kind: 'crashed' | 'timeout' | 'garbage';
  readonly message: string;
}

/** How much of a body is read; in bytes. */
const LONGEST_BODY = 256 * 1024;

/** Sends the bytes of a request without any change. */
export function sendRequest(request: WireRequest, server: Server): Promise<Response | NoResponse> {
  return new Promise((resolve) => {
    const socket = openSocket(server);
    const end = (outcome: Response | NoResponse): void => {
      limit.stop();
      resolve(outcome);
      socket.destroy();
    };
    const limit = new TimeLimit(server.timeout, (spent) => {
      end({ kind: 'timeout', message: `no answer ${formatSpent(spent)}` });
    });
    limit.start();
    const fail = (error: NodeJS.ErrnoException): void => end(toNoResponse(error));
    socket.once('error', fail);
    // Node's client parses the response. It needs the method to know whether a body follows.
    const parser = httpRequest({
      method: request.method,
      createConnection: () => replaceOutput(toBytes(request), socket) as Socket,
    });
    parser.once('error', fail);
    parser.once('response', (response) => {
      void readBody(response).then((body) => {
        end({ status: response.statusCode ?? 0, headers: response.headers, body });
      }, fail);
    });
    parser.end();
  });
}

function openSocket({ url }: Server): Socket {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (url.protocol === 'http:') return connectPlain({ host, port: Number(url.port || 80) });
  // RFC 6066 allows no IP address as a server name.
  const named = isIP(host) === 0 ? { servername: host } : {};
  return connectSecure({ host, port: Number(url.port || 443), ...named });
}

/** Sends the bytes in place of what Node's client writes, because it rejects some requests of a probe. */
function replaceOutput(bytes: Uint8Array, socket: Socket): Duplex {
  const duplex = new Duplex({
    read: () => {},
    write: (_chunk, _encoding, done) => done(),
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
  socket.on('data', (chunk) => duplex.push(chunk));
  socket.once('end', () => duplex.push(null));
  socket.write(bytes);
  return duplex;
}

function toBytes({ method, target, headers, body }: WireRequest): Uint8Array {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`, 'utf8');
}

async function readBody(response: IncomingMessage): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response as AsyncIterable<Uint8Array>) {
    pieces.push(piece);
    size += piece.length;
    if (size > LONGEST_BODY) break;
  }
  return Buffer.concat(pieces).toString('utf8');
}

const UNTRUSTED: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

function toNoResponse({ code = '', message }: NodeJS.ErrnoException): NoResponse {
  if (code.startsWith('HPE_')) {
    return { kind: 'garbage', message: `the answer is not HTTP/1.1: ${quoteStart(message)}` };
  }
  if (UNTRUSTED.has(code)) {
    const problem = `its certificate is not trusted (${code}); name the file of its authority in NODE_EXTRA_CA_CERTS`;
    return { kind: 'crashed', message: problem };
  }
  const isClosed = code === 'ECONNRESET' || code === 'EPIPE';
  return {
    kind: 'crashed',
    message: isClosed ? 'the connection was closed without an answer' : message,
  };
}
