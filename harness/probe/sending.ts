/**
 * One request on a connection of its own, and what came back.
 *
 * @module
 */

import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectSecure } from 'node:tls';
import { excerpt } from '../adapter/messages.ts';
import { TimeLimit, withinText } from '../adapter/own-time.ts';
import type { Server } from './server.ts';
import type { WireRequest } from './wire-request.ts';

export interface WireAnswer {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Readonly<IncomingMessage['headers']>;
  /** Its beginning. */
  readonly body: string;
}

/** What happened in place of an answer. */
export interface NoAnswer {
  readonly kind: 'crashed' | 'timeout' | 'garbage';
  readonly message: string;
}

/** More of an answer says nothing about a signature; in bytes. */
const LONGEST_BODY = 256 * 1024;

/** Sends a request to the byte, and reads the answer. */
export function answerTo(sent: WireRequest, server: Server): Promise<WireAnswer | NoAnswer> {
  return new Promise((resolve) => {
    const socket = connected(server);
    const end = (outcome: WireAnswer | NoAnswer): void => {
      limit.stop();
      resolve(outcome);
      socket.destroy();
    };
    const limit = new TimeLimit(server.timeout, (spent) => {
      end({ kind: 'timeout', message: `no answer ${withinText(spent)}` });
    });
    limit.start();
    const fail = (error: NodeJS.ErrnoException): void => end(noAnswer(error));
    socket.once('error', fail);
    // The method tells the parser whether a body is to come; what it writes itself is dropped.
    const reading = httpRequest({
      method: sent.method,
      createConnection: () => writingInstead(bytesOf(sent), socket) as Socket,
    });
    reading.once('error', fail);
    reading.once('response', (response) => {
      void bodyOf(response).then((body) => {
        end({ status: response.statusCode ?? 0, headers: response.headers, body });
      }, fail);
    });
    reading.end();
  });
}

function connected({ url }: Server): Socket {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (url.protocol === 'http:') return connectPlain({ host, port: Number(url.port || 80) });
  // RFC 6066 has no addresses as names of servers.
  const named = isIP(host) === 0 ? { servername: host } : {};
  return connectSecure({ host, port: Number(url.port || 443), ...named });
}

/** Node's client refuses what a probe has to send, so our bytes go out in the place of its own. */
function writingInstead(bytes: Uint8Array, socket: Socket): Duplex {
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

function bytesOf({ method, target, headers, body }: WireRequest): Uint8Array {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`, 'utf8');
}

async function bodyOf(response: IncomingMessage): Promise<string> {
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

function noAnswer({ code = '', message }: NodeJS.ErrnoException): NoAnswer {
  if (code.startsWith('HPE_')) {
    return { kind: 'garbage', message: `the answer is not HTTP/1.1: ${excerpt(message)}` };
  }
  if (UNTRUSTED.has(code)) {
    const why = `its certificate is not trusted (${code}); name the file of its authority in NODE_EXTRA_CA_CERTS`;
    return { kind: 'crashed', message: why };
  }
  const isClosed = code === 'ECONNRESET' || code === 'EPIPE';
  const what = isClosed ? 'the connection was closed without an answer' : message;
  return { kind: 'crashed', message: what };
}
