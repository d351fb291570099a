/**
 * Starts the service as a server.
 *
 * @module
 */
import type { Server } from 'node:http';
import { createSecureContext } from 'node:tls';
import { hidePrivateKeys } from '../secret-keys.ts';
import { inDialect } from '../signing/index.ts';
import { errorMessage, listeningPort } from '../values.ts';
import type { Service } from './authentication/service.ts';
import { Faults } from './faults.ts';
import { DEFAULT_LIMITS } from './http/limits.ts';
import { Listener } from './http/listener.ts';
import type { Tls } from './http/tunnel.ts';
import { fileError } from './messages/errors.ts';
import { type Answer, BUILT_IN_PAGE, type Exchange } from './messages/exchange.ts';
import { isLoopback, isServed, resolveAddress, serviceHosts } from './messages/hosts.ts';
import { concealKeys } from './messages/redaction.ts';
import {
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
import { createStartingState } from './starting-state.ts';
import { openDurableStore } from './store/durable-store.ts';
import { openMemoryStore } from './store/memory-store.ts';

/**
 * Starts a server, which listens once the promise resolves.
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
  const { store, accounts } = base;
  // Before anything is under way, which would look like a fault.
  const damage = [...store.recovered, ...(await store.faults())];
  if (options.tls) checkTls(options.tls);
  const state = createState(options, base);
  await createStartingState(state.service, options);
  const listener = createListener(options, state);
  const port = await listen(listener.server, options);
  const [{ publicKey, privateKey } = DEVELOPMENT_KEYS] = accounts;
  let closed: Promise<void> | undefined;
  return {
    url: serverUrl(options, port),
    port,
    keys: { publicKey, privateKey },
    faults: damage,
    exchanges: () => recentExchanges(state),
    reset: () => resetState(options, state),
    close: () => {
      closed ??= listener.stop().then(() => store.close());
      return closed;
    },
  };
}

interface State {
  /** A reset replaces it; requests under way keep the one that they began with. */
  service: Service;
  /** The most recent exchanges, the oldest first. */
  readonly exchanges: Exchange[];
  readonly faults: Faults;
}

function createState(options: ServerOptions, base: ServiceBase): State {
  const { host = DEFAULT_HOST, recent = DEFAULT_RECENT, authority } = options;
  // Any client that reaches the port can read the page, so another machine gets it only if `recent` is given.
  const hasPage = recent > 0 && (isLoopback(host) || options.recent !== undefined);
  const service: Service = {
    ...base,
    now: options.clock ?? (() => Math.floor(Date.now() / 1000)),
    isStrict: options.strict ?? false,
    makesCallbacks: options.callbacks ?? false,
    region: options.region ?? DEFAULT_REGION,
    diagnose: options.diagnose ?? (() => undefined),
    host,
    ...(hasPage && { exchanges: () => recentExchanges(state) }),
    ...(authority && { certificate: authority.certificate }),
    reset: () => resetState(options, state),
  };
  const state: State = { service, exchanges: [], faults: new Faults(options.faults ?? []) };
  return state;
}

/** Private keys in exchanges are searched for only when they are read. */
function recentExchanges({ service, exchanges }: State): readonly Exchange[] {
  return exchanges.map((exchange) => hidePrivateKeys(service.accounts, exchange));
}

async function resetState(options: ServerOptions, state: State): Promise<void> {
  if (options.data !== undefined) {
    throw fileError(
      'resetRefused',
      'the server keeps its data in a folder; start it without --data to use this',
    );
  }
  const store = await openMemoryStore({ context: state.service.context });
  const next = { ...state.service, store };
  await createStartingState(next, options).catch((error: unknown) => {
    throw fileError('resetRefused', errorMessage(error));
  });
  state.service = next;
  state.exchanges.splice(0);
  state.faults.restart();
}

function createListener(options: ServerOptions, state: State): Listener {
  const { host = DEFAULT_HOST, suffixes = [], boundHosts = {}, limits, tls, authority } = options;
  const { accounts, context } = state.service;
  const port = (): number => listeningPort(listener.server);
  const hosts = serviceHosts(context.dialect, suffixes, boundHosts, port, host);
  const ownNames = [...new Set(['localhost', '127.0.0.1', '::1', host])];
  const listener = new Listener(
    {
      limits: { ...DEFAULT_LIMITS, ...limits },
      answer: async (wire) => {
        const { service, faults } = state;
        const address = resolveAddress(wire, hosts);
        return (await faults.meet(address, wire)) ?? handleRequest(service, address, wire);
      },
      finish: (answer) => addDate(options, concealKeys(accounts, answer)),
      onExchange: (exchange) => {
        remember(options, state, exchange);
        options.onExchange?.(hidePrivateKeys(accounts, exchange));
      },
    },
    { tls, tunnels: { authority, isServed: (target) => isServed(target, hosts), ownNames } },
  );
  return listener;
}

function remember(
  { recent = DEFAULT_RECENT }: ServerOptions,
  { exchanges }: State,
  exchange: Exchange,
): void {
  if (exchange.operation === BUILT_IN_PAGE) return;
  exchanges.push(exchange);
  if (exchanges.length > recent) exchanges.shift();
}

/** Clients compare the header Date with their own clock, so it follows a clock that was set. Without one, Node adds the header. */
function addDate({ clock }: ServerOptions, answer: Answer): Answer {
  if (!clock) return answer;
  const date = new Date(clock() * 1000).toUTCString();
  return { ...answer, headers: [...answer.headers, ['Date', date]] };
}

/** @throws StartError in words; those of OpenSSL name no option */
function checkTls(tls: Tls): void {
  try {
    createSecureContext(tls);
  } catch (error) {
    throw new StartError(
      'the certificate and the private key for https cannot be used; give a certificate in PEM, and its own private key without a password',
      { cause: error },
    );
  }
}

/** Starts to listen. Resolves to the port. */
function listen(
  server: Server,
  { host = DEFAULT_HOST, port = DEFAULT_PORT }: ServerOptions,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    server.listen({ host, port }, () => resolve(listeningPort(server)));
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

/** The URL of the server. Clients cannot connect to a wildcard address, so it names this machine instead. */
const REACHABLE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

function serverUrl({ host = DEFAULT_HOST, tls }: ServerOptions, port: number): string {
  const name = REACHABLE[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `${tls ? 'https' : 'http'}://${name}:${port}`;
}
