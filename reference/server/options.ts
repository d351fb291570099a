/**
 * The options and the interface of a server.
 *
 * @module
 */

import type { Account } from '../secret-keys.ts';
import { type Dialect, type KeyPair, SVC, UCLOUD } from '../signing/index.ts';
import type { FaultRule } from './faults.ts';
import type { Limits } from './http/limits.ts';
import type { CertificateAuthority, Tls } from './http/tunnel.ts';
import type { Exchange } from './messages/exchange.ts';
import type { Diagnose } from './messages/judgement.ts';
import type { Bucket } from './store/entries.ts';

export interface ServerOptions {
  /** The address to listen on; by default, only this machine can connect. */
  readonly host?: string;
  /** The port; 0 for any free port. */
  readonly port?: number;
  readonly dialect?: 'svc' | 'ucloud' | Dialect;
  /** A folder for all data; without one, the data is lost when the server ends. */
  readonly data?: string;
  /** Whether to rebuild the database of that folder from what can be read of it. */
  readonly repair?: boolean;
  /**
   * Key pairs that replace the published one, `DEVELOPMENT_KEYS`; at least one.
   *
   * Of several accounts, each has buckets of its own: those listed with it and those that it creates.
   */
  readonly accounts?: readonly AccountSeed[];
  /** Buckets to create at the start, unless they exist. */
  readonly buckets?: readonly BucketSeed[];
  /** Folders whose files are put into buckets at the start; later folders replace files of earlier ones. */
  readonly folders?: readonly FolderSeed[];
  /** Host suffixes after the bucket, besides the stock names and `localhost`; a label `*` is any one label. */
  readonly suffixes?: readonly string[];
  /** Hosts, with or without port, that name one bucket each. */
  readonly boundHosts?: Readonly<Record<string, string>>;
  /** Whether to refuse strings to sign that only published SDKs use. */
  readonly strict?: boolean;
  /** Whether to send the callbacks of put policies, only to this machine. */
  readonly callbacks?: boolean;
  /** The certificate and key for https; without them, http. */
  readonly tls?: Tls;
  /** Answers https too, on the same port and through tunnels (CONNECT), with certificates that it issues. */
  readonly authority?: CertificateAuthority | undefined;
  readonly limits?: Partial<Limits>;
  /** The clock, in Unix seconds. */
  readonly clock?: () => number;
  /** Failures and delays on purpose. */
  readonly faults?: readonly FaultRule[];
  readonly region?: string;
  /**
   * How many requests `exchanges()` and the page of recent requests remember; 0 switches the page off.
   *
   * If `host` is not a loopback address, the page is off unless this option is given.
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

export interface AccountSeed extends KeyPair {
  /** Buckets of this account, to create unless they exist. */
  readonly buckets?: readonly BucketSeed[];
}

export interface FolderSeed {
  readonly folder: string;
  /** Created if it does not exist; it belongs to the first account. */
  readonly bucket: string;
}

export interface RunningServer {
  /** The URL of the server for clients on this machine, such as `http://127.0.0.1:4595`. */
  readonly url: string;
  readonly port: number;
  /** The key pair of the first account. */
  readonly keys: KeyPair;
  /** A sentence for each damage in the data folder. Requests for a damaged file get 500. */
  readonly faults: readonly string[];
  /** The recent requests, the oldest first. */
  readonly exchanges: () => readonly Exchange[];
  /**
   * Makes everything as it was after the start: buckets, files, recent requests, draws of faults.
   *
   * Requests under way end with the state that they began with. Rejects if the server has a data folder.
   */
  readonly reset: () => Promise<void>;
  /** Accepts no more requests, leaves running ones some time, and closes the store. */
  readonly close: () => Promise<void>;
}

export const DEFAULT_HOST = '127.0.0.1';
export const DEFAULT_PORT = 4595;
export const DEFAULT_RECENT = 200;
export const DEFAULT_REGION = 'cn-bj';

/** The default key pair. It is published with the package, so it is not secret. */
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
  const keys = accounts.map(({ publicKey }) => publicKey);
  const twice = keys.find((key, at) => keys.indexOf(key) < at);
  if (twice !== undefined) {
    throw new StartError(
      `two accounts have the public key ${JSON.stringify(twice)}; give each account a public key of its own`,
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
