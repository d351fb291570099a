/**
 * Faulty servers for `probe`; each one stops when its test ends.
 *
 * @module
 */
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net';
import { onTestFinished } from 'vitest';
import { MISTAKES, mistaken } from '../../reference/mistakes/index.ts';
import type { Service } from '../../reference/server/authentication/service.ts';
import { DEFAULT_LIMITS } from '../../reference/server/http/limits.ts';
import { Listener } from '../../reference/server/http/listener.ts';
import { resolveAddress, serviceHosts } from '../../reference/server/messages/hosts.ts';
import { DEVELOPMENT_KEYS } from '../../reference/server/options.ts';
import { handleRequest } from '../../reference/server/routing.ts';
import { openMemoryStore } from '../../reference/server/store/memory-store.ts';
import {
  SPECIFICATION,
  type Steps,
  verifyAuthorization,
  withSteps,
} from '../../reference/signing/index.ts';
import { listen } from '../listen.ts';
import { bucketNamed } from './stores.ts';

/** Starts an HTTP server with this handler; returns its URL. */
export function answering(handle: RequestListener): Promise<string> {
  return listening(createServer(handle));
}

/** Starts a TCP server that does not speak HTTP completely; returns its URL. */
export function socketServer(connected: Parameters<typeof createSocketServer>[1]): Promise<string> {
  return listening(createSocketServer(connected));
}

/** The questions of a probe depend on these values; with the same values they are the same. */
export interface Fixed {
  /** The time of the server, in Unix seconds. */
  readonly now: number;
  /** The name of a private bucket that the server has from the start. */
  readonly bucket: string;
}

/** Starts the built-in service with a known mistake; returns its URL. */
export function mistakenServer(mistake: string, fixed?: Fixed): Promise<string> {
  const found = MISTAKES.find(({ id }) => id === mistake);
  if (!found) throw new Error(`no mistake is named ${mistake}`);
  return serviceWith(mistaken(SPECIFICATION, [found]).steps, fixed);
}

/** Starts the built-in service with these steps instead of those of the specification. */
export async function serviceWith(swap: Partial<Steps>, fixed?: Fixed): Promise<string> {
  const context = withSteps(SPECIFICATION, swap);
  const store = await openMemoryStore({ context });
  if (fixed) await store.createBucket(bucketNamed(fixed.bucket));
  const service: Service = {
    store,
    accounts: [{ ...DEVELOPMENT_KEYS, isDevelopment: true }],
    context,
    now: () => fixed?.now ?? Math.floor(Date.now() / 1000),
    isStrict: false,
    makesCallbacks: false,
    region: 'cn-bj',
    diagnose: () => undefined,
  };
  const port = (): number => (server.address() as AddressInfo).port;
  const hosts = serviceHosts(context.dialect, [], {}, port);
  const { server } = new Listener({
    limits: DEFAULT_LIMITS,
    answer: (wire) => handleRequest(service, resolveAddress(wire, hosts), wire),
    onExchange: () => {},
  });
  if (fixed) {
    const date = new Date(1000 * fixed.now).toUTCString();
    server.prependListener('request', (_, response) => response.setHeader('Date', date));
  }
  return listening(server);
}

/** Starts a server that takes any third part of Authorization for a policy, in every operation. */
export function policyTrustingServer(): Promise<string> {
  const steps = { ...SPECIFICATION.steps, takesPolicy: () => true, isPolicy: () => true };
  return answering(({ method = '', url = '', headers, rawHeaders }, response) => {
    const key = decodeURIComponent(url.split('?')[0]?.slice(1) ?? '');
    const names = rawHeaders.filter((_, at) => at % 2 === 0);
    const lines = names.map((name, at) => [name, rawHeaders[2 * at + 1] ?? ''] as const);
    const request = { method, bucket: headers.host?.split('.')[0] ?? '', key, headers: lines };
    const { accepted } = verifyAuthorization(
      request,
      (publicKey) => (publicKey === DEVELOPMENT_KEYS.publicKey ? DEVELOPMENT_KEYS : undefined),
      { ...SPECIFICATION, steps },
    );
    response.statusCode = accepted ? 200 : 403;
    response.end(accepted ? '' : '{"RetCode":-148658,"ErrMsg":"invalid signature"}');
  });
}

async function listening(server: Server): Promise<string> {
  const port = await listen(server);
  onTestFinished(() => {
    server.close();
    if ('closeAllConnections' in server) (server.closeAllConnections as () => void)();
  });
  return `http://127.0.0.1:${port}`;
}
