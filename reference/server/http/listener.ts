/**
 * HTTP/1.1 as clients meet it: connections come in and are bounded, requests are handled, nonsense is answered.
 *
 * @module
 */

import { randomUUID } from 'node:crypto';
import { createServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { quoted } from '../quoted.ts';
import type { ServiceError } from '../service-error.ts';
import type { Connection } from './connection.ts';
import { Connections } from './connections.ts';
import { exchangeOf } from './exchange.ts';
import { fault, faultAnswer, parserFault } from './fault.ts';
import { type LineWait, withFirstLine } from './first-line.ts';
import { type Handling, handled, type Incoming } from './handling.ts';
import type { Limits } from './limits.ts';
import { answeredRaw } from './raw-answer.ts';

/** Certificate and private key, as PEM. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

export interface Listener {
  readonly server: Server;
  /** Takes nothing new, leaves running requests some time, then cuts what is left. */
  readonly stop: () => Promise<void>;
}

/** A server that nobody has told yet where to listen. */
export function listener(work: Omit<Handling, 'isStopping'>, tls?: Tls): Listener {
  let isStopping = false;
  const handling: Handling = { ...work, isStopping: () => isStopping };
  const { limits } = work;
  const options = nodeOptions(limits);
  const server: Server = tls
    ? createSecureServer({ ...options, ...tls, handshakeTimeout: limits.headTime })
    : createServer(options);
  // Headers without end are bounded by their size; Node would leave some out without a word.
  server.maxHeadersCount = 0;
  // So many more get an answer that says so; whoever comes then gets none.
  server.maxConnections = 2 * limits.connections;
  // Who has sent everything may still wait for the answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  const connections = new Connections(server, limits);
  onSocket(server, tls ? 'secureConnection' : 'connection', (socket, accept) => {
    const connection = connections.of(socket);
    if (connections.areTooMany) void refused(connection, tooMany(limits), handling);
    else withFirstLine(socket, lineWait(connection, handling), accept);
  });
  onMessages(server, connections, handling);
  return {
    server,
    stop: async () => {
      isStopping = true;
      server.close();
      await connections.ended();
    },
  };
}

function lineWait(connection: Connection, handling: Handling): LineWait {
  const { headSize: most, headTime: time } = handling.limits;
  const fault = parserFault({ name: '', message: '', code: 'ERR_HTTP_REQUEST_TIMEOUT' }, most);
  return { most, time, late: () => void refused(connection, fault, handling) };
}

function nodeOptions({ headSize, headTime, idleTime }: Limits): ServerOptions {
  return {
    maxHeaderSize: headSize,
    headersTimeout: headTime,
    // Bodies have a limit of their own, which asks for progress and not for haste.
    requestTimeout: 0,
    keepAliveTimeout: idleTime,
    connectionsCheckingInterval: Math.min(1000, headTime),
    // Answered by us, in words.
    requireHostHeader: false,
  };
}

/** Looks at each connection before Node's own handling of HTTP gets it. */
function onSocket(
  server: Server,
  event: 'connection' | 'secureConnection',
  look: (socket: Socket, accept: () => void) => void,
): void {
  const own = server.listeners(event).filter(({ name }) => name === 'connectionListener');
  if (own.length !== 1) throw new Error(`Node has ${own.length} listeners of HTTP for ${event}`);
  for (const listener of own) {
    server.off(event, listener as () => void);
    server.on(event, (socket: Socket) => look(socket, () => listener.call(server, socket)));
  }
}

function onMessages(server: Server, connections: Connections, handling: Handling): void {
  const take =
    (expects?: Incoming['expects']) =>
    (message: Incoming['message'], response: Incoming['response']): void => {
      const connection = connections.of(message.socket);
      void handled({ message, response, connection, ...(expects && { expects }) }, handling);
    };
  server.on('request', take());
  server.on('checkContinue', take('100-continue'));
  server.on('checkExpectation', take('something else'));
  server.on('connect', ({ url = '' }, socket) => {
    void refused(connections.of(socket), noTunnel(url), handling);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const connection = connections.of(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) connection.cut();
    else void refused(connection, parserFault(error, handling.limits.headSize), handling);
  });
}

/** Answers where there is no request to answer, and ends the connection. */
async function refused(
  connection: Connection,
  error: ServiceError,
  { onExchange, conceal }: Handling,
): Promise<void> {
  // A request whose body is still on its way has the fault to itself, and answers it.
  const isOfRequest = !connection.isBetweenRequests();
  if (!connection.breakOff(error) || isOfRequest) return;
  const id = randomUUID();
  const arrival = { id, arrived: Date.now(), method: '', host: '', target: '', headers: [] };
  await connection.inTurn(async () => {
    const answer = faultAnswer(error, id);
    await answeredRaw(connection.socket, conceal?.(answer) ?? answer);
    onExchange(exchangeOf(arrival, { answer, message: error.message }));
  });
}

function noTunnel(target: string): ServiceError {
  return fault(
    501,
    `CONNECT ${quoted(target)} asks for a tunnel, through which nothing could be checked; use http:// URLs with this proxy (SDK for Java: withProtocol(PROTOCOL_HTTP))`,
  );
}

function tooMany({ connections }: Limits): ServiceError {
  return fault(503, `${connections} connections are open, and no more are served; close some`);
}
