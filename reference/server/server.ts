/**
 * The service as a server: started, asked, stopped.
 *
 * @module
 */
import type { AddressInfo } from 'node:net';
import { type Context, inDialect } from '../signing/index.ts';
import { concealedAnswer } from './concealed-answer.ts';
import type { Exchange } from './exchange.ts';
import { addressOf } from './http/address.ts';
import { hostsOf } from './http/hosts.ts';
import { DEFAULT_LIMITS } from './http/limits.ts';
import { type Listener, listener } from './http/listener.ts';
import { listening, urlOf } from './listening.ts';
import { isLoopback } from './loopback.ts';
import {
  accountsOf,
  DEFAULT_HOST,
  DEFAULT_RECENT,
  DEFAULT_REGION,
  DEVELOPMENT_KEYS,
  dialectOf,
  type RunningServer,
  type ServerOptions,
} from './options.ts';
import { recentExchanges } from './recent-exchanges.ts';
import { outcomeOf } from './routing.ts';
import { withoutSecrets } from './secret-keys.ts';
import { seeded } from './seeding.ts';
import type { Service } from './service.ts';
import { started } from './start-error.ts';
import { durableStore } from './store/durable-store.ts';
import { memoryStore } from './store/memory-store.ts';
import type { Store } from './store/store.ts';

/**
 * Starts a server; it listens once the promise is fulfilled.
 *
 * @throws StartError that says why it cannot listen, or why its data cannot be used
 */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const {
    data,
    repair = false,
    buckets = [],
    host = DEFAULT_HOST,
    recent = DEFAULT_RECENT,
  } = options;
  const context = inDialect(dialectOf(options));
  const accounts = accountsOf(options);
  const store = await started(() =>
    data === undefined
      ? memoryStore({ context })
      : durableStore(data, { context, repairs: repair }),
  );
  try {
    // Nothing is under way yet, and nobody has anything in memory.
    const faults = data === undefined ? [] : [...store.recovered, ...(await store.faults())];
    const exchanges = recentExchanges(recent);
    // Anyone who reaches the port reads the page; where that may be another machine, it has to be asked for.
    const hasPage = recent > 0 && (isLoopback(host) || options.recent !== undefined);
    const service = {
      ...serviceOf({ ...options, accounts }, context, store),
      host,
      ...(hasPage && { exchanges: exchanges.all }),
    };
    await started(() => seeded(service, buckets));
    const front = await started(() => frontOf(options, service, exchanges.add));
    const port = await listening(front.server, options);
    const [keys = DEVELOPMENT_KEYS] = service.accounts;
    return {
      url: urlOf(options, port),
      port,
      keys: { publicKey: keys.publicKey, privateKey: keys.privateKey },
      faults,
      exchanges: exchanges.all,
      close: once(async () => {
        await front.stop();
        await store.close();
      }),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

function serviceOf(options: ServerOptions, context: Context, store: Store): Service {
  return {
    store,
    accounts: accountsOf(options),
    context,
    now: options.clock ?? (() => Math.floor(Date.now() / 1000)),
    isStrict: options.strict ?? false,
    makesCallbacks: options.callbacks ?? false,
    region: options.region ?? DEFAULT_REGION,
    diagnose: options.diagnose ?? (() => undefined),
  };
}

function frontOf(
  { host, suffixes = [], boundHosts = {}, limits, tls, onExchange }: ServerOptions,
  service: Service,
  remember: (exchange: Exchange) => void,
): Listener {
  const port = (): number => (front.server.address() as AddressInfo | null)?.port ?? 0;
  const hosts = hostsOf(service.context.dialect, suffixes, boundHosts, port, host);
  const front = listener(
    {
      limits: { ...DEFAULT_LIMITS, ...limits },
      answer: (wire) => outcomeOf(service, addressOf(wire, hosts), wire),
      conceal: (answer) => concealedAnswer(service.accounts, answer),
      onExchange: (exchange) => {
        const shown = withoutSecrets(service.accounts, exchange);
        remember(shown);
        onExchange?.(shown);
      },
    },
    tls,
  );
  return front;
}

function once(close: () => Promise<void>): () => Promise<void> {
  let closed: Promise<void> | undefined;
  return () => {
    closed ??= close();
    return closed;
  };
}
