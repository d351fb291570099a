/**
 * Starts the service as a server.
 *
 * @module
 */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Account, hidePrivateKeys } from '../secret-keys.ts';
import { inDialect } from '../signing/index.ts';
import { checkValues, createBucket } from './actions/buckets.ts';
import type { Service } from './authentication/service.ts';
import { DEFAULT_LIMITS } from './http/limits.ts';
import { createListener, type Listener } from './http/listener.ts';
import { ACTION_ERRORS, errorMessage, ServiceError } from './messages/errors.ts';
import { BUILT_IN_PAGE, type Exchange } from './messages/exchange.ts';
import { isLoopback, resolveAddress, serviceHosts } from './messages/hosts.ts';
import { concealKeys } from './messages/redaction.ts';
import {
  type BucketSeed,
  createAccounts,
  DEFAULT_HOST,
  DEFAULT_PORT,
  DEFAULT_RECENT,
  DEFAULT_REGION,
  DEVELOPMENT_KEYS,
  type RunningServer,
  type ServerOptions,
  StartError,
  selectDialect,
} from './options.ts';
import { handleRequest } from './routing.ts';
import { openDurableStore } from './store/durable-store.ts';
import { openMemoryStore } from './store/memory-store.ts';
import type { Store } from './store/store.ts';

/**
 * Starts a server; it listens once the promise is fulfilled.
 *
 * @throws StartError that says why it cannot listen, or why its data cannot be used
 */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  try {
    const { data, repair: repairs = false } = options;
    const context = inDialect(selectDialect(options));
    const accounts = createAccounts(options);
    const store = await (data === undefined
      ? openMemoryStore({ context })
      : openDurableStore(data, { context, repairs }));
    try {
      return await serve(options, { store, context, accounts });
    } catch (error) {
      await store.close();
      throw error;
    }
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(errorMessage(error), { cause: error });
  }
}

type ServiceBase = Pick<Service, 'store' | 'context' | 'accounts'>;

async function serve(options: ServerOptions, base: ServiceBase): Promise<RunningServer> {
  const { recent = DEFAULT_RECENT, buckets = [] } = options;
  const { store, accounts } = base;
  // Before anything is under way, which would look like a fault.
  const faults = [...store.recovered, ...(await store.faults())];
  const log = createExchangeLog(recent, accounts);
  const service = createService(options, base, log);
  await createBuckets(service, buckets);
  const listener = createServiceListener(options, service, log.add);
  const port = await listen(listener.server, options);
  const [{ publicKey, privateKey } = DEVELOPMENT_KEYS] = accounts;
  return {
    url: serverUrl(options, port),
    port,
    keys: { publicKey, privateKey },
    faults,
    exchanges: log.exchanges,
    close: closeOnce(listener, store),
  };
}

function createService(
  options: ServerOptions,
  base: ServiceBase,
  { exchanges }: ExchangeLog,
): Service {
  const { host = DEFAULT_HOST, recent = DEFAULT_RECENT } = options;
  // Any client that reaches the port can read the page, so another machine gets it only if `recent` is given.
  const hasPage = recent > 0 && (isLoopback(host) || options.recent !== undefined);
  return {
    ...base,
    now: options.clock ?? (() => Math.floor(Date.now() / 1000)),
    isStrict: options.strict ?? false,
    makesCallbacks: options.callbacks ?? false,
    region: options.region ?? DEFAULT_REGION,
    diagnose: options.diagnose ?? (() => undefined),
    host,
    ...(hasPage && { exchanges }),
  };
}

interface ExchangeLog {
  readonly add: (exchange: Exchange) => void;
  /** The oldest first. */
  readonly exchanges: () => readonly Exchange[];
}

/** Keeps the most recent exchanges. Private keys in them are searched for only when they are read. */
function createExchangeLog(size: number, accounts: readonly Account[]): ExchangeLog {
  const exchanges: Exchange[] = [];
  return {
    add(exchange) {
      if (exchange.operation === BUILT_IN_PAGE) return;
      exchanges.push(exchange);
      if (exchanges.length > size) exchanges.shift();
    },
    exchanges: () => exchanges.map((exchange) => hidePrivateKeys(accounts, exchange)),
  };
}

/** Creates the buckets that do not exist yet. */
async function createBuckets(service: Service, seeds: readonly BucketSeed[]): Promise<void> {
  for (const { name, type = 'private' } of seeds) {
    const values = seedValues(name, type);
    if (!(await service.store.bucket(name))) await createBucket.answer(values, service);
  }
}

/** The error of the service does not say what a legal name is, so the StartError does. */
function seedValues(name: string, type: string): ReturnType<typeof checkValues> {
  try {
    return checkValues(
      createBucket.parameters,
      new Map([
        ['BucketName', name],
        ['Type', type],
      ]),
    );
  } catch (error) {
    const isIllegal =
      error instanceof ServiceError && error.code === ACTION_ERRORS.nameIllegal.code;
    if (!isIllegal) throw error;
    throw new StartError(
      `${error.message}; use 3 to 63 lower-case letters, digits and hyphens, without a hyphen at either end`,
    );
  }
}

function createServiceListener(
  { host, suffixes = [], boundHosts = {}, limits, tls, onExchange }: ServerOptions,
  service: Service,
  remember: (exchange: Exchange) => void,
): Listener {
  const { accounts, context } = service;
  const port = (): number => (listener.server.address() as AddressInfo | null)?.port ?? 0;
  const hosts = serviceHosts(context.dialect, suffixes, boundHosts, port, host);
  const listener = createListener(
    {
      limits: { ...DEFAULT_LIMITS, ...limits },
      answer: (wire) => handleRequest(service, resolveAddress(wire, hosts), wire),
      conceal: (answer) => concealKeys(accounts, answer),
      onExchange: (exchange) => {
        remember(exchange);
        onExchange?.(hidePrivateKeys(accounts, exchange));
      },
    },
    tls,
  );
  return listener;
}

/** Fulfilled with the port. */
function listen(
  server: Server,
  { host = DEFAULT_HOST, port = DEFAULT_PORT }: ServerOptions,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    server.listen({ host, port }, () => resolve((server.address() as AddressInfo).port));
  });
}

function listenError({ code, message }: NodeJS.ErrnoException, host: string, port: number): Error {
  const messages: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} of ${host} is already in use; stop the process that uses it, or choose another port (0 for any free port)`,
    EACCES: `this user may not use port ${port} of ${host}; choose a port above 1023`,
    EADDRNOTAVAIL: `${host} is not an address of this machine; choose 127.0.0.1, or 0.0.0.0 for all addresses`,
    ENOTFOUND: `${host} cannot be resolved to an address; choose 127.0.0.1, or 0.0.0.0 for all addresses`,
  };
  const known = messages[code ?? ''];
  return new StartError(known ?? `cannot listen on port ${port} of ${host}: ${message}`);
}

/** A client cannot connect to the wildcard addresses. */
const REACHABLE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

function serverUrl({ host = DEFAULT_HOST, tls }: ServerOptions, port: number): string {
  const name = REACHABLE[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `${tls ? 'https' : 'http'}://${name}:${port}`;
}

function closeOnce(listener: Listener, store: Store): () => Promise<void> {
  let closed: Promise<void> | undefined;
  return () => {
    closed ??= listener.stop().then(() => store.close());
    return closed;
  };
}
