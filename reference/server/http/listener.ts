/**
 * HTTP/1.1 as clients meet it: connections are bounded, requests are handled, malformed ones are answered.
 *
 * @module
 */
import { randomUUID } from 'node:crypto';
import { createServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { errorAnswer } from '../messages/error-answer.ts';
import { httpError, quote, type ServiceError } from '../messages/errors.ts';
import { type Connection, Connections } from './connections.ts';
import { type LineWait, readFirstLine } from './first-line.ts';
import { type Handling, handleMessage, type Incoming, toExchange } from './handle-request.ts';
import type { Limits } from './limits.ts';
import { sendRawAnswer } from './send-answer.ts';

/** Certificate and private key, as PEM. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

export interface Listener {
  readonly server: Server;
  /** Accepts nothing new, leaves running requests some time, then destroys their connections. */
  readonly stop: () => Promise<void>;
}

/** A server that does not listen yet. */
export function createListener(work: Omit<Handling, 'isStopping'>, tls?: Tls): Listener {
  let isStopping = false;
  const handling: Handling = { ...work, isStopping: () => isStopping };
  const { limits } = work;
  const options = nodeOptions(limits);
  const server: Server = tls
    ? createSecureServer({ ...options, ...tls, handshakeTimeout: limits.headTime })
    : createServer(options);
  // The size of the headers is bounded; a bound on their number would silently drop some.
  server.maxHeadersCount = 0;
  // Connections between the two limits get an answer that says so; further ones get none.
  server.maxConnections = 2 * limits.connections;
  // A client that has sent everything may still wait for the answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  const connections = new Connections(server, limits);
  interceptConnections(server, tls ? 'secureConnection' : 'connection', (socket, accept) => {
    const connection = connections.of(socket);
    if (connections.areTooMany) void refuse(connection, tooMany(limits), handling);
    else readFirstLine(socket, lineWait(connection, handling), accept);
  });
  listenForRequests(server, connections, handling);
  return {
    server,
    stop: async () => {
      isStopping = true;
      server.close();
      await connections.close();
    },
  };
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
    // Bodies have limits of their own, on their speed and not on their time.
    requestTimeout: 0,
    keepAliveTimeout: idleTime,
    connectionsCheckingInterval: Math.min(1000, headTime),
    // `toWireRequest` says it in words.
    requireHostHeader: false,
  };
}

/** Sees each connection before Node's own HTTP parser does. */
function interceptConnections(
  server: Server,
  event: 'connection' | 'secureConnection',
  onSocket: (socket: Socket, accept: () => void) => void,
): void {
  const own = server.listeners(event).filter(({ name }) => name === 'connectionListener');
  if (own.length !== 1) throw new Error(`Node has ${own.length} listeners of HTTP for ${event}`);
  for (const listener of own) {
    server.off(event, listener as () => void);
    server.on(event, (socket: Socket) => onSocket(socket, () => listener.call(server, socket)));
  }
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
  server.on('connect', ({ url = '' }, socket) => {
    void refuse(connections.of(socket), noTunnel(url), handling);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const connection = connections.of(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) connection.destroy();
    else void refuse(connection, parserError(error, handling.limits.headSize), handling);
  });
}

/** Answers an error that belongs to no request, and ends the connection. */
async function refuse(
  connection: Connection,
  error: ServiceError,
  { onExchange, conceal }: Handling,
): Promise<void> {
  // An error within the body of a request is answered by that request.
  const isOfRequest = !connection.isBetweenRequests();
  if (!connection.breakOff(error) || isOfRequest) return;
  const id = randomUUID();
  const arrival = { id, arrived: Date.now(), method: '', host: '', target: '', headers: [] };
  await connection.enqueue(async () => {
    const outcome = errorAnswer(error, { id });
    await sendRawAnswer(connection.socket, conceal?.(outcome.answer) ?? outcome.answer);
    onExchange(toExchange(arrival, outcome));
  });
}

function noTunnel(target: string): ServiceError {
  return httpError(
    501,
    `CONNECT ${quote(target)} asks for a tunnel, through which nothing could be checked; use http:// URLs with this proxy (SDK for Java: withProtocol(PROTOCOL_HTTP))`,
  );
}

function tooMany({ connections }: Limits): ServiceError {
  return httpError(503, `${connections} connections are open, and no more are served; close some`);
}

/** What Node's parser reports, in words that say what to do. */
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

/** The first byte of a TLS handshake. */
const HANDSHAKE = 0x16;

function parserReason(error: NodeJS.ErrnoException & { readonly rawPacket?: Uint8Array }): string {
  if (error.rawPacket?.[0] === HANDSHAKE) {
    return 'a TLS handshake came in on a port that speaks plain http; use http:// or start it with a certificate';
  }
  return error.message.replace(/^Parse Error:? */, '') || (error.code ?? 'nonsense');
}
