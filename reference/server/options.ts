/**
 * How a server is started.
 *
 * @module
 */
import { type Dialect, type KeyPair, SVC, UCLOUD } from '../signing/index.ts';
import type { Exchange } from './exchange.ts';
import type { Limits } from './http/limits.ts';
import type { Tls } from './http/listener.ts';
import type { Diagnose } from './judgement.ts';
import type { Account } from './service.ts';
import { StartError } from './start-error.ts';
import type { Bucket } from './store/store.ts';

export interface ServerOptions {
  /** The address to listen on; by default nobody but this machine gets in. */
  readonly host?: string;
  /** 0 for any that is free. */
  readonly port?: number;
  readonly dialect?: 'svc' | 'ucloud' | Dialect;
  /** A folder that remembers everything; without one, nothing is left of a server that ends. */
  readonly data?: string;
  /** Whether to make the database of that folder anew from what can be read of it. */
  readonly repair?: boolean;
  /** Key pairs in the place of the published one, `DEVELOPMENT_KEYS`; at least one. */
  readonly accounts?: readonly KeyPair[];
  /** Buckets that are there from the start; those that exist already stay as they are. */
  readonly buckets?: readonly BucketSeed[];
  /** What may follow a bucket in the host, besides the stock names and `localhost`; a label `*` is any one label. */
  readonly suffixes?: readonly string[];
  /** Hosts, with or without port, that stand for one bucket each. */
  readonly boundHosts?: Readonly<Record<string, string>>;
  /** Whether texts that only published SDKs sign are refused. */
  readonly strict?: boolean;
  /** Whether the callbacks of put policies are made, and then to this machine only. */
  readonly callbacks?: boolean;
  /** https in the place of http. */
  readonly tls?: Tls;
  readonly limits?: Partial<Limits>;
  /** Unix seconds. */
  readonly clock?: () => number;
  readonly region?: string;
  /**
   * How many requests `exchanges()` and the page of recent requests go back; 0 switches the page off.
   *
   * Where `host` is no loopback address, the page is off unless this is given.
   */
  readonly recent?: number;
  readonly diagnose?: Diagnose;
  /** Is called for each request once its answer is sent. */
  readonly onExchange?: (exchange: Exchange) => void;
}

export interface BucketSeed {
  readonly name: string;
  readonly type?: Bucket['type'];
}

export interface RunningServer {
  /** Such as `http://127.0.0.1:4595`; its host is one by which this machine reaches the server. */
  readonly url: string;
  readonly port: number;
  /** A pair that the server knows: the first account. */
  readonly keys: KeyPair;
  /** What is damaged in the data folder, each in a sentence; a file whose bytes are is answered 500. */
  readonly faults: readonly string[];
  /** The recent ones, the oldest first. */
  readonly exchanges: () => readonly Exchange[];
  /** Takes no more requests, lets running ones end for a while, and puts everything away. */
  readonly close: () => Promise<void>;
}

export const DEFAULT_HOST = '127.0.0.1';
export const DEFAULT_PORT = 4595;
export const DEFAULT_RECENT = 200;
export const DEFAULT_REGION = 'cn-bj';

/** Published with the package: anybody may know it, and nothing but toys may be locked with it. */
export const DEVELOPMENT_KEYS: KeyPair = {
  publicKey: 'svc-conformance-development-public-key',
  privateKey: 'svc-conformance-development-private-key-which-is-no-secret',
};

/** @throws StartError for an empty list: the server would refuse every signature */
export function accountsOf({ accounts = [DEVELOPMENT_KEYS] }: ServerOptions): readonly Account[] {
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

export function dialectOf({ dialect = 'svc' }: ServerOptions): Dialect {
  if (typeof dialect !== 'string') return dialect;
  return { svc: SVC, ucloud: UCLOUD }[dialect];
}
