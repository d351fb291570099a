/**
 * The service over HTTP, with an account and a clock that a test sets before each request.
 *
 * @module
 */
import { createDiagnose } from '../../harness/respondents/serve/diagnosis.ts';
import type { Account } from '../../reference/secret-keys.ts';
import type { Service } from '../../reference/server/authentication/service.ts';
import { DEFAULT_LIMITS } from '../../reference/server/http/limits.ts';
import { Listener } from '../../reference/server/http/listener.ts';
import type { Exchange, WireRequest } from '../../reference/server/messages/exchange.ts';
import type { Address } from '../../reference/server/messages/hosts.ts';
import type { Diagnose } from '../../reference/server/messages/judgement.ts';
import { handleRequest } from '../../reference/server/routing.ts';
import { openMemoryStore } from '../../reference/server/store/memory-store.ts';
import type { Store } from '../../reference/server/store/store.ts';
import { type Dialect, inDialect, type KeyPair, SVC } from '../../reference/signing/index.ts';
import { listen } from '../listen.ts';
import { type RawAnswer, rawAnswers, rawExchange } from './raw-client.ts';
import { bucketNamed } from './stores.ts';

export const KEYS: KeyPair = { publicKey: 'pub-test', privateKey: 'priv-test' };

export interface Settings {
  keys: KeyPair;
  isDevelopment: boolean;
  isStrict: boolean;
  now: number;
}

export interface JudgingService {
  readonly settings: Settings;
  readonly store: Store;
  readonly createBucket: (name: string, type?: 'public' | 'private') => Promise<void>;
  /** Sends one request; returns the answer and the exchange that the service reports. */
  readonly ask: (request: RawRequest) => Promise<JudgedAnswer>;
  readonly stop: () => Promise<void>;
}

export interface RawRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string;
}

export interface JudgedAnswer extends RawAnswer {
  readonly exchange: Exchange;
}

/**
 * Starts the service on a free port.
 *
 * @param create makes the function that diagnoses a request
 */
export async function judgingService(
  dialect: Dialect = SVC,
  create: (dialect: Dialect) => Diagnose = createDiagnose,
): Promise<JudgingService> {
  const settings: Settings = {
    keys: KEYS,
    isDevelopment: true,
    isStrict: false,
    now: 1_700_000_000,
  };
  const context = inDialect(dialect);
  const store = await openMemoryStore({ context });
  const exchanges: Exchange[] = [];
  const fixed = {
    store,
    context,
    makesCallbacks: false,
    region: 'cn-bj',
    now: () => settings.now,
    exchanges: () => exchanges,
  };
  const { server, stop } = new Listener({
    limits: { ...DEFAULT_LIMITS, stopTime: 100 },
    answer: (wire) => {
      const accounts: Account[] = [{ ...settings.keys, isDevelopment: settings.isDevelopment }];
      // Each request has a new time budget; diagnosis-budget.test.ts tests a shared one.
      const { isStrict } = settings;
      const service: Service = { ...fixed, accounts, isStrict, diagnose: create(dialect) };
      return handleRequest(service, addressOf(wire), wire);
    },
    onExchange: (exchange) => exchanges.push(exchange),
  });
  const port = await listen(server);
  return {
    settings,
    store,
    createBucket: async (name, type = 'private') => {
      await store.createBucket({ ...bucketNamed(name), type, tag: '' });
    },
    ask: (request) => asked(port, request, exchanges),
    stop: async () => {
      await stop();
      await store.close();
    },
  };
}

function addressOf({ host, path, query, method }: WireRequest): Address {
  const name = host.replace(/:[0-9]*$/, '');
  if (name.startsWith('api.')) return { kind: 'actions' };
  if (name !== '127.0.0.1') return { kind: 'bucket', bucket: name.split('.')[0] ?? '' };
  const isOwn = path.startsWith('/-/') || (method === 'GET' && path === '/' && query === '');
  return isOwn ? { kind: 'built-in page' } : { kind: 'unnamed bucket' };
}

async function asked(
  port: number,
  { method, target, headers, body = '' }: RawRequest,
  exchanges: readonly Exchange[],
): Promise<JudgedAnswer> {
  const before = exchanges.length;
  const hasLength = headers.some(([name]) => /^content-length$/i.test(name));
  const length = body === '' || hasLength ? [] : [['Content-Length', Buffer.byteLength(body)]];
  const lines = [...headers, ...length, ['Connection', 'close']].map(
    ([name, value]) => `${name}: ${value}`,
  );
  const text = [`${method} ${target} HTTP/1.1`, ...lines, '', body].join('\r\n');
  const received = await rawExchange(port, Buffer.from(text, 'utf8'));
  while (exchanges.length === before) await new Promise((resolve) => setTimeout(resolve, 1));
  const [answer] = rawAnswers(received, method === 'HEAD');
  const exchange = exchanges.at(-1);
  if (!answer || !exchange) throw new Error(`no answer to ${method} ${target}`);
  return { ...answer, body: Buffer.from(answer.body, 'latin1').toString('utf8'), exchange };
}
