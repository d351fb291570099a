/**
 * How a server is started.
 *
 * @module
 */

import type { Account } from '../secret-keys.ts';
import { type Dialect, type KeyPair, SVC, UCLOUD } from '../signing/index.ts';
import type { Limits } from './http/limits.ts';
import type { Tls } from './http/listener.ts';
import type { Exchange } from './messages/exchange.ts';
import type { Diagnose } from './messages/judgement.ts';
import type { Bucket } from './store/store.ts';

export interface ServerOptions {
  /** The address to listen on; by default, only this machine can connect. */
  readonly host?: string;
  /** 0 for any free port. */
  readonly port?: number;
  readonly dialect?: 'svc' | 'ucloud' | Dialect;
  /** A folder for all data; without one, the data is lost when the server ends. */
  readonly data?: string;
  /** Whether to rebuild the database of that folder from what can be read of it. */
  readonly repair?: boolean;
  /** Key pairs that replace the published one, `DEVELOPMENT_KEYS`; at least one. */
  readonly accounts?: readonly KeyPair[];
  /** Buckets to create at the start, unless they exist. */
  readonly buckets?: readonly BucketSeed[];
  /** Host suffixes after the bucket, besides the stock names and `localhost`; a label `*` is any one label. */
  readonly suffixes?: readonly string[];
  /** Hosts, with or without port, that name one bucket each. */
  readonly boundHosts?: Readonly<Record<string, string>>;
  /** Whether to refuse strings to sign that only published SDKs use. */
  readonly strict?: boolean;
  /** Whether to make the callbacks of put policies, to this machine only. */
  readonly callbacks?: boolean;
  /** Serves https instead of http. */
  readonly tls?: Tls;
  readonly limits?: Partial<Limits>;
  /** Unix seconds. */
  readonly clock?: () => number;
  readonly region?: string;
  /**
   * How many requests `exchanges()` and the page of recent requests remember; 0 switches the page off.
   *
   * If `host` is no loopback address, the page is off unless this option is given.
   */
  readonly recent?: number;
  readonly diagnose?: Diagnose;
  /** Called for each request once its answer is sent. */
  readonly onExchange?: (exchange: Exchange) => void;
}

export interface BucketSeed {
  readonly name: string;
  readonly type?: Bucket['type'];
}

export interface RunningServer {
  /** Such as `http://127.0.0.1:4595`; this machine reaches the server by it. */
  readonly url: string;
  readonly port: number;
  /** The first account. */
  readonly keys: KeyPair;
  /** Each damage in the data folder, in a sentence; a damaged file is answered 500. */
  readonly faults: readonly string[];
  /** The recent requests, the oldest first. */
  readonly exchanges: () => readonly Exchange[];
  /** Accepts no more requests, leaves running ones some time, and closes the store. */
  readonly close: () => Promise<void>;
}

export const DEFAULT_HOST = '127.0.0.1';
export const DEFAULT_PORT = 4595;
export const DEFAULT_RECENT = 200;
export const DEFAULT_REGION = 'cn-bj';

/** Published with the package, and so no secret. */
export const DEVELOPMENT_KEYS: KeyPair = {
  publicKey: 'svc-conformance-development-public-key',
  privateKey: 'svc-conformance-development-private-key-which-is-no-secret',
};

/** @throws StartError for an empty list: the server would refuse every signature */
export function createAccounts({
  accounts = [DEVELOPMENT_KEYS],
}: ServerOptions): readonly Account[] {
  if (accounts.length === 0) {
    throw new StartError(
      'accounts is empty, so every signature would be refused; give a key pair, or leave accounts out for DEVELOPMENT_KEYS',
    );
  }
  return accounts.map(({ publicKey, privateKey }) => ({
    publicKey,
    privateKey,
    isDevelopment:
      publicKey === DEVELOPMENT_KEYS.publicKey && privateKey === DEVELOPMENT_KEYS.privateKey,
  }));
}

export function selectDialect({ dialect = 'svc' }: ServerOptions): Dialect {
  if (typeof dialect !== 'string') return dialect;
  return { svc: SVC, ucloud: UCLOUD }[dialect];
}

/** Why a server cannot be started; its message says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
