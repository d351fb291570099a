/**
 * The HTTP/1.1 server: limits connections, handles requests and answers malformed ones.
 *
 * @module
 */

import { randomUUID } from 'node:crypto';
import { createServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isFunction } from '../../values.ts';
import { errorAnswer, httpError, type ServiceError } from '../messages/errors.ts';
import type { Arrival } from '../messages/exchange.ts';
import { type Connection, Connections } from './connections.ts';
import { readFirstLine } from './first-line.ts';
import { type Handling, handleMessage, type Incoming, toExchange } from './handle-message.ts';
import type { Limits } from './limits.ts';
import { sendRawAnswer } from './send-answer.ts';
import {
  createTlsEntrance,
  HANDSHAKE,
  isForHttps,
  plainTextError,
  type Tls,
  type Tunnels,
  tunnelRefusal,
} from './tunnel.ts';

/** What a listener may do beside answering requests over plain connections. */
export interface Security {
  /** Every connection begins with a handshake for this certificate. */
  readonly tls?: Tls | undefined;
  readonly tunnels?: Tunnels;
}

const NO_TUNNELS: Tunnels = { isServed: () => true, ownNames: [] };

type Take = (socket: Socket) => void;

export class Listener {
  /** It does not listen yet. */
  readonly server: Server;
  readonly #handling: Handling;
  readonly #tunnels: Tunnels;
  readonly #connections: Connections;
  /** Hands a connection to Node's parser. */
  readonly #parse: Take;
  /** Begins a handshake; undefined without an authority. */
  readonly #secure: Take | undefined;
  #isStopping = false;

  constructor(work: Omit<Handling, 'isStopping'>, { tls, tunnels = NO_TUNNELS }: Security = {}) {
    this.#handling = { ...work, isStopping: () => this.#isStopping };
    this.#tunnels = tunnels;
    this.server = createNodeServer(work.limits, tls);
    this.#connections = new Connections(this.server, work.limits);
    const event = tls ? 'secureConnection' : 'connection';
    const enter = (socket: Socket): void => this.#enter(socket);
    this.#parse = interceptConnections(this.server, event, 'connectionListener', enter);
    this.#secure = this.#createTlsEntrance();
    if (tls) this.#refusePlainText();
    this.#listenForRequests();
    this.server.on('connect', ({ url = '' }, duplex: Duplex, first: Buffer) =>
      this.#openTunnel(url, toSocket(duplex), first),
    );
  }

  /** Stops accepting connections, gives running requests some time, then destroys their connections. */
  readonly stop: () => Promise<void> = async () => {
    this.#isStopping = true;
    this.server.close();
    await this.#connections.close();
  };

  /**
   * Sees the first bytes of each connection before Node's parser does: they are HTTP, or begin a handshake.
   *
   * @param tunnel the target of the CONNECT that opened the connection
   */
  #enter(socket: Socket, tunnel?: string): void {
    const connection = this.#connections.of(socket);
    const request = tunnel === undefined ? UNNAMED : connectRequest(tunnel);
    const { headSize, connections } = this.#handling.limits;
    if (this.#connections.areTooMany) {
      const message = `${connections} connections are open, and no more are served; close some`;
      this.#refuse(connection, httpError(503, message), request);
      return;
    }
    const late = { name: '', message: '', code: 'ERR_HTTP_REQUEST_TIMEOUT' };
    this.#readFirstByte(
      socket,
      () => this.#refuse(connection, parserError(late, headSize)),
      (first) => {
        if (first === HANDSHAKE && this.#secure) {
          this.#connections.release(socket);
          this.#secure(socket);
        } else if (tunnel !== undefined && isForHttps(tunnel)) {
          this.#refuse(connection, plainTextError(tunnel), request);
        } else this.#parse(socket);
      },
    );
  }

  #readFirstByte(socket: Socket, late: () => void, accept: (first?: number) => void): void {
    const { headSize: most, headTime: time } = this.#handling.limits;
    readFirstLine(socket, { most, time, late }, accept);
  }

  #createTlsEntrance(): Take | undefined {
    const { authority } = this.#tunnels;
    if (!authority) return undefined;
    const { limits, onExchange } = this.#handling;
    return createTlsEntrance({ ...this.#tunnels, authority }, limits, {
      onSecure: (socket) => this.#enter(socket),
      onFailure: (host, error) => {
        const arrival = createArrival(connectRequest(host));
        onExchange(toExchange(arrival, errorAnswer(error, arrival)));
      },
    });
  }

  /** Answers requests without TLS on a port of https, which Node would reset. */
  #refusePlainText(): void {
    const error = httpError(
      400,
      'the request is plain http, and this port speaks https; use https:// in the endpoint of the client',
    );
    const take: Take = (socket) =>
      this.#readFirstByte(
        socket,
        () => socket.destroy(),
        (first) => {
          if (first === undefined || first === HANDSHAKE) shake(socket);
          else this.#refuse(this.#connections.of(socket), error);
        },
      );
    const shake = interceptConnections(this.server, 'connection', 'tlsConnectionListener', take);
  }

  #listenForRequests(): void {
    const take =
      (expects?: Incoming['expects']) =>
      (message: Incoming['message'], response: Incoming['response']): void => {
        const connection = this.#connections.of(message.socket);
        const incoming = { message, response, connection, ...(expects && { expects }) };
        void handleMessage(incoming, this.#handling);
      };
    this.server.on('request', take());
    this.server.on('checkContinue', take('100-continue'));
    this.server.on('checkExpectation', take('something else'));
    this.server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      const connection = this.#connections.of(socket);
      if (error.code === 'ECONNRESET' || !socket.writable) connection.destroy();
      else this.#refuse(connection, parserError(error, this.#handling.limits.headSize));
    });
  }

  #openTunnel(target: string, socket: Socket, first: Buffer): void {
    const connection = this.#connections.of(socket);
    const error = tunnelRefusal(target, this.#tunnels);
    if (error) {
      this.#refuse(connection, error, connectRequest(target));
      return;
    }
    void connection.enqueue(async () => {
      this.#connections.release(socket);
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      if (first.length > 0) socket.unshift(first);
      this.#enter(socket, target);
    });
  }

  /** Answers an error that belongs to no request, and ends the connection. */
  #refuse(connection: Connection, error: ServiceError, request: Named = UNNAMED): void {
    const { onExchange, finish } = this.#handling;
    // An error within the body of a request is answered by that request.
    const isOfRequest = !connection.lastRequest.complete;
    if (!connection.breakOff(error) || isOfRequest) return;
    const arrival = createArrival(request);
    void connection.enqueue(async () => {
      const outcome = errorAnswer(error, arrival);
      await sendRawAnswer(connection.socket, finish?.(outcome.answer) ?? outcome.answer);
      onExchange(toExchange(arrival, outcome));
    });
  }
}

function createNodeServer(limits: Limits, tls: Tls | undefined): Server {
  const options = nodeOptions(limits);
  const server: Server = tls
    ? createSecureServer({ ...options, ...tls, handshakeTimeout: limits.headTime })
    : createServer(options);
  // The size of the headers is limited instead of their number, because Node silently drops headers above a number.
  server.maxHeadersCount = 0;
  // Connections between the two limits get a 503; further ones are refused without an answer.
  server.maxConnections = 2 * limits.connections;
  // A client that has closed its sending side may still wait for the answer.
  return Object.assign(server, { httpAllowHalfOpen: true });
}

function nodeOptions({ headSize, headTime, idleTime }: Limits): ServerOptions {
  return {
    maxHeaderSize: headSize,
    headersTimeout: headTime,
    // Bodies are limited by speed, not by time.
    requestTimeout: 0,
    keepAliveTimeout: idleTime,
    connectionsCheckingInterval: Math.min(1000, headTime),
    // `toWireRequest` checks the header Host with a better message.
    requireHostHeader: false,
  };
}

/** Takes the connections of an event from Node's own listener; what it returns hands one to that listener. */
function interceptConnections(
  server: Server,
  event: 'connection' | 'secureConnection',
  name: string,
  onSocket: (socket: Socket) => void,
): (socket: Socket) => void {
  const [own, ...others] = server
    .listeners(event)
    .filter(isFunction)
    .filter((listener) => listener.name === name);
  if (!own || others.length > 0) {
    throw new Error(`Node has not one listener ${name} for ${event}, but ${others.length}`);
  }
  server.off(event, own);
  server.on(event, onSocket);
  return (socket) => void own.call(server, socket);
}

/** Node types the socket of a CONNECT request as a stream. */
function toSocket(stream: Duplex): Socket {
  if (stream instanceof Socket) return stream;
  throw new Error('the connection of a tunnel is not a socket');
}

type Named = Pick<Arrival, 'method' | 'host' | 'target'>;

const UNNAMED: Named = { method: '', host: '', target: '' };

const connectRequest = (target: string): Named => ({ method: 'CONNECT', host: target, target });

function createArrival(request: Named): Arrival {
  return { id: randomUUID(), arrived: Date.now(), ...request, headers: [] };
}

/** Converts an error of Node's parser to one that says what to do. */
function parserError(error: NodeJS.ErrnoException, headSize: number): ServiceError {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return httpError(408, 'the headers of the request did not come in time; send them at once');
    case 'HPE_HEADER_OVERFLOW':
      return httpError(431, `the request line and the headers are over ${headSize} bytes together`);
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return httpError(413, 'the chunk extensions of the body are too long; leave them out');
    case 'HPE_INVALID_EOF_STATE':
      return httpError(400, 'the request breaks off: the connection was closed in the midst of it');
    case 'HPE_PAUSED_H2_UPGRADE':
      return httpError(400, 'the request is HTTP/2, and this server speaks HTTP/1.1');
    default:
      return httpError(400, `the request is not HTTP/1.1: ${parserReason(error)}`);
  }
}

function parserReason(error: NodeJS.ErrnoException & { readonly rawPacket?: Uint8Array }): string {
  if (error.rawPacket?.[0] === HANDSHAKE) {
    return 'a TLS handshake came in on a port that speaks plain http; use http://, or start the server with --authority or --cert';
  }
  return error.message.replace(/^Parse Error:? */, '') || (error.code ?? 'nonsense');
}
