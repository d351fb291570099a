/**
 * Where a server listens.
 *
 * @module
 */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DEFAULT_HOST, DEFAULT_PORT, type ServerOptions } from './options.ts';
import { StartError } from './start-error.ts';

/** The port, once it is listened on. */
export function listening(
  server: Server,
  { host = DEFAULT_HOST, port = DEFAULT_PORT }: ServerOptions,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, host, port)));
    server.listen({ host, port }, () => resolve((server.address() as AddressInfo).port));
  });
}

function cannotListen({ code, message }: NodeJS.ErrnoException, host: string, port: number): Error {
  const ways: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} of ${host} is taken; stop who has it, or choose another port (0 for any that is free)`,
    EACCES: `port ${port} of ${host} may not be used by this user; choose one above 1023`,
    EADDRNOTAVAIL: `${host} is no address of this machine; choose 127.0.0.1, or 0.0.0.0 for all`,
    ENOTFOUND: `${host} is not the name of an address; choose 127.0.0.1, or 0.0.0.0 for all`,
  };
  return new StartError(ways[code ?? ''] ?? `cannot listen on port ${port} of ${host}: ${message}`);
}

/** An address that stands for all is none that a client could name. */
const ALL: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

export function urlOf({ host = DEFAULT_HOST, tls }: ServerOptions, port: number): string {
  const name = ALL[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `${tls ? 'https' : 'http'}://${name}:${port}`;
}
