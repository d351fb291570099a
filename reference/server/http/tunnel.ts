/**
 * TLS on the port of the server: in the tunnels of CONNECT, and on connections that begin with a handshake.
 *
 * @module
 */

import type { Socket } from 'node:net';
import { createSecureContext, createServer, type TLSSocket } from 'node:tls';
import { isText } from '../../values.ts';
import { httpError, quote, type ServiceError } from '../messages/errors.ts';
import type { Limits } from './limits.ts';

/** Certificate and private key, as PEM. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

/** Issues certificates for the hosts of the service. */
export interface CertificateAuthority {
  /** As PEM; clients have to trust it. */
  readonly certificate: string;
  /** The file with this certificate. */
  readonly path: string;
  /** The key and a certificate for these host names and addresses. */
  readonly issue: (hosts: readonly string[]) => Tls;
}

export interface Tunnels {
  /** Without an authority, no tunnel is opened. */
  readonly authority?: CertificateAuthority | undefined;
  /** Whether a host and its port lead to the service. */
  readonly isServed: (target: string) => boolean;
  /** The names by which clients on this machine call the server. */
  readonly ownNames: readonly string[];
}

/** The first byte of a TLS handshake. */
export const HANDSHAKE = 0x16;

/** Why the tunnel is not opened; undefined if it is. */
export function tunnelRefusal(
  target: string,
  { authority, isServed }: Tunnels,
): ServiceError | undefined {
  if (!isServed(target)) {
    return httpError(
      421,
      `CONNECT ${quote(target)} asks for a tunnel to a host that is not served here, and nothing is forwarded; name it with --suffix or --bind, or keep the client from using this proxy for it (no_proxy)`,
    );
  }
  if (authority) return undefined;
  return httpError(
    501,
    `CONNECT ${quote(target)} asks for a tunnel, and this server has no certificate authority; start it with --authority FOLDER, or use http:// URLs with this proxy (SDK for Java: withProtocol(PROTOCOL_HTTP))`,
  );
}

/** Whether a client that opens this tunnel has an https URL. */
export const isForHttps = (target: string): boolean => target.endsWith(':443');

/** Plain text where TLS has to begin. */
export function plainTextError(target: string): ServiceError {
  return httpError(
    400,
    `plain text came through the tunnel to ${quote(target)}, where TLS has to begin; have the client use an https:// endpoint with https_proxy, or an http:// endpoint with http_proxy`,
  );
}

interface TlsEvents {
  readonly onSecure: (socket: TLSSocket) => void;
  readonly onFailure: (host: string, error: ServiceError) => void;
}

/** Performs the TLS handshake of a connection. */
export function createTlsEntrance(
  { authority, ownNames }: Tunnels & { readonly authority: CertificateAuthority },
  { headTime }: Limits,
  { onSecure, onFailure }: TlsEvents,
): (socket: Socket) => void {
  const server = createServer({
    // For clients that call by an address: they name no host.
    ...authority.issue(ownNames),
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout: headTime,
    SNICallback: (host, done) => {
      try {
        done(null, createSecureContext(authority.issue([host.toLowerCase()])));
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
  });
  server.on('secureConnection', onSecure);
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
    const name: unknown = Reflect.get(socket, 'servername');
    onFailure(isText(name) ? name : '', handshakeError(error, authority));
  });
  return (socket) => void server.emit('connection', socket);
}

function handshakeError(
  { code = '', message }: NodeJS.ErrnoException,
  { path }: CertificateAuthority,
): ServiceError {
  const isDistrust = /ALERT_(?:UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN)$/.test(code);
  return httpError(
    400,
    isDistrust
      ? `the client does not trust the certificate of this server; have it trust ${path} (SSL_CERT_FILE, NODE_EXTRA_CA_CERTS, REQUESTS_CA_BUNDLE, AWS_CA_BUNDLE, curl --cacert)`
      : `the TLS handshake failed: ${code === '' ? message : code}`,
  );
}
