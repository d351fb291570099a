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
import { type Connection, Connections } from './connections.ts';
import { type LineWait, readFirstLine } from './first-line.ts';
import { type Handling, handleMessage, type Incoming, toExchange } from './handle-request.ts';
import type { Limits } from './limits.ts';
import type { Arrival } from './request.ts';
import { sendRawAnswer } from './send-answer.ts';
import {
  createSecureEntrance,
  HANDSHAKE,
  isForHttps,
  plainTextError,
  type Tls,
  type Tunnels,
  tunnelRefusal,
} from './tunnel.ts';

export interface Listener {
  readonly server: Server;
  /** Stops accepting connections, gives running requests some time, then destroys their connections. */
  readonly stop: () => Promise<void>;
}

/** What a listener may do beside answering requests over plain connections. */
export interface Security {
  /** Every connection begins with a handshake for this certificate. */
  readonly tls?: Tls | undefined;
  readonly tunnels?: Tunnels;
}

const NO_TUNNELS: Tunnels = { isServed: () => true, ownNames: [] };

/** A server that does not listen yet. */
export function createListener(
  work: Omit<Handling, 'isStopping'>,
  { tls, tunnels = NO_TUNNELS }: Security = {},
): Listener {
  let isStopping = false;
  const handling: Handling = { ...work, isStopping: () => isStopping };
  const { limits } = work;
  const server = createNodeServer(limits, tls);
  const connections = new Connections(server, limits);
  const enter = createEntrance(server, { connections, handling, tls, tunnels });
  listenForRequests(server, connections, handling);
  listenForTunnels(server, connections, handling, tunnels, enter);
  return {
    server,
    stop: async () => {
      isStopping = true;
      server.close();
      await connections.close();
    },
  };
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

/** Takes a connection that may send requests; `tunnel` is the target of the CONNECT that opened it. */
type Enter = (socket: Socket, tunnel?: string) => void;

interface Entrance extends Required<Pick<Security, 'tunnels'>> {
  readonly connections: Connections;
  readonly handling: Handling;
  readonly tls: Tls | undefined;
}

/** Sees the first bytes of each connection before Node's parser does: they are HTTP, or begin a handshake. */
function createEntrance(server: Server, entrance: Entrance): Enter {
  const { connections, handling, tls } = entrance;
  const secure = openSecureEntrance(entrance, (socket) => enter(socket));
  const parse = interceptConnections(
    server,
    tls ? 'secureConnection' : 'connection',
    'connectionListener',
    (socket) => enter(socket),
  );
  const enter: Enter = (socket, tunnel) => {
    const connection = connections.of(socket);
    const request = tunnel === undefined ? UNNAMED : connectRequest(tunnel);
    const refuseWith = (error: ServiceError): void =>
      void refuse(connection, error, handling, request);
    if (connections.areTooMany) return refuseWith(tooMany(handling.limits));
    readFirstLine(socket, lineWait(connection, handling), (first) => {
      if (first === HANDSHAKE && secure) {
        connections.release(socket);
        secure(socket);
      } else if (tunnel !== undefined && isForHttps(tunnel)) refuseWith(plainTextError(tunnel));
      else parse(socket);
    });
  };
  if (tls) refusePlainText(server, connections, handling);
  return enter;
}

function openSecureEntrance(
  { handling, tunnels }: Entrance,
  enter: Enter,
): ((socket: Socket) => void) | undefined {
  const { authority } = tunnels;
  if (!authority) return undefined;
  return createSecureEntrance({ ...tunnels, authority }, handling.limits, {
    onSecure: (socket) => enter(socket),
    onFailure: (host, error) => {
      const arrival = createArrival(connectRequest(host));
      handling.onExchange(toExchange(arrival, errorAnswer(error, arrival)));
    },
  });
}

/** Answers requests without TLS on a port of https, which Node would reset. */
function refusePlainText(server: Server, connections: Connections, handling: Handling): void {
  const error = httpError(
    400,
    'the request is plain http, and this port speaks https; use https:// in the endpoint of the client',
  );
  const shake = interceptConnections(server, 'connection', 'tlsConnectionListener', (socket) => {
    const late = (): void => void socket.destroy();
    const { headSize: most, headTime: time } = handling.limits;
    readFirstLine(socket, { most, time, late }, (first) => {
      if (first === undefined || first === HANDSHAKE) shake(socket);
      else void refuse(connections.of(socket), error, handling);
    });
  });
}

function lineWait(connection: Connection, handling: Handling): LineWait {
  const { headSize: most, headTime: time } = handling.limits;
  const error = parserError({ name: '', message: '', code: 'ERR_HTTP_REQUEST_TIMEOUT' }, most);
  return { most, time, late: () => void refuse(connection, error, handling) };
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

function listenForRequests(server: Server, connections: Connections, handling: Handling): void {
  const take =
    (expects?: Incoming['expects']) =>
    (message: Incoming['message'], response: Incoming['response']): void => {
      const connection = connections.of(message.socket);
      void handleMessage({ message, response, connection, ...(expects && { expects }) }, handling);
    };
  server.on('request', take());
  server.on('checkContinue', take('100-continue'));
  server.on('checkExpectation', take('something else'));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const connection = connections.of(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) connection.destroy();
    else void refuse(connection, parserError(error, handling.limits.headSize), handling);
  });
}

/** Node types the socket of a CONNECT request as a stream. */
function toSocket(stream: Duplex): Socket {
  if (stream instanceof Socket) return stream;
  throw new Error('the connection of a tunnel is not a socket');
}

function listenForTunnels(
  server: Server,
  connections: Connections,
  handling: Handling,
  tunnels: Tunnels,
  enter: Enter,
): void {
  server.on('connect', ({ url: target = '' }, duplex: Duplex, first: Buffer) => {
    const socket = toSocket(duplex);
    const connection = connections.of(socket);
    const error = tunnelRefusal(target, tunnels);
    if (error) {
      void refuse(connection, error, handling, connectRequest(target));
      return;
    }
    void connection.enqueue(async () => {
      connections.release(socket);
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      if (first.length > 0) socket.unshift(first);
      enter(socket, target);
    });
  });
}

type Named = Pick<Arrival, 'method' | 'host' | 'target'>;

const UNNAMED: Named = { method: '', host: '', target: '' };

const connectRequest = (target: string): Named => ({ method: 'CONNECT', host: target, target });

function createArrival(request: Named): Arrival {
  return { id: randomUUID(), arrived: Date.now(), headers: [], ...request };
}

/** Answers an error that belongs to no request, and ends the connection. */
async function refuse(
  connection: Connection,
  error: ServiceError,
  { onExchange, finish }: Handling,
  request: Named = UNNAMED,
): Promise<void> {
  // An error within the body of a request is answered by that request.
  const isOfRequest = !connection.isBetweenRequests();
  if (!connection.breakOff(error) || isOfRequest) return;
  const arrival = createArrival(request);
  await connection.enqueue(async () => {
    const outcome = errorAnswer(error, arrival);
    await sendRawAnswer(connection.socket, finish?.(outcome.answer) ?? outcome.answer);
    onExchange(toExchange(arrival, outcome));
  });
}

function tooMany({ connections }: Limits): ServiceError {
  return httpError(503, `${connections} connections are open, and no more are served; close some`);
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
