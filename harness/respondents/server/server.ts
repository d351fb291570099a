/**
 * The server under test: its address, its host names and its key pair.
 *
 * @module
 */
import { isIP } from 'node:net';
import { DEVELOPMENT_KEYS } from '../../../reference/server/options.ts';
import { dialectName } from '../../engine/dialects.ts';
import { UsageError } from '../../engine/errors.ts';
import type { Dialect } from '../../engine/protocol.ts';
import type { KeyPair } from '../../engine/vector.ts';
import { readEnvironmentKeys, readKeyFile } from '../../suite/key-pair.ts';

export interface Server {
  /** The address to connect to. */
  readonly url: URL;
  readonly keys: KeyPair;
  readonly dialect: Dialect;
  /** A file request goes to the host `<bucket>.<fileHost>`. */
  readonly fileHost: string;
  /** The host for bucket management and actions. */
  readonly apiHost: string;
  /** Whether request lines hold absolute URLs, as requests to a proxy do. */
  readonly isProxied: boolean;
  /** The time limit for one response; in milliseconds. */
  readonly timeout: number;
}

/** The host names that clients use by default. */
const STOCK_HOSTS: Readonly<Record<string, Pick<Server, 'fileHost' | 'apiHost'>>> = {
  svc: { fileHost: 'files.svc.example', apiHost: 'api.svc.example' },
  ucloud: { fileHost: 'cn-bj.ufileos.com', apiHost: 'api.ucloud.cn' },
};

/** @throws UsageError if the text is not the URL of a server */
export function parseServerUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin = url?.pathname === '/' && url.search + url.hash + url.username === '';
  if (url && isOrigin && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError(
    `${JSON.stringify(text)} is not the URL of a server; write http://HOST:PORT or https://HOST:PORT, without a path`,
  );
}

/** Selects the host names of requests: those of the URL, or the default ones if the server is used as a proxy. */
export function selectHosts(
  url: URL,
  dialect: Dialect,
  isProxied: boolean,
  fileHost: string | undefined,
): Pick<Server, 'fileHost' | 'apiHost'> {
  if (!isProxied) return { fileHost: fileHost ?? toFileHost(url), apiHost: url.host };
  if (url.protocol !== 'http:') {
    throw new UsageError('--proxy takes an http:// URL; a proxy cannot read requests over https');
  }
  const stock = STOCK_HOSTS[dialectName(dialect)];
  if (stock) return { ...stock, ...(fileHost !== undefined && { fileHost }) };
  throw new UsageError(
    '--proxy supports only the dialects svc and ucloud, whose host names are known',
  );
}

/** Uses `localhost` for an IP address, which cannot have a bucket in front. */
function toFileHost({ host, hostname, port }: URL): string {
  const isAddress = isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
  return isAddress ? `localhost${port === '' ? '' : `:${port}`}` : host;
}

/**
 * Reads the key pair that the server under test knows: from a file, from the environment, or the published pair of the
 * built-in server. A single key in the environment is an error.
 */
export async function readKeys(
  file: string | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<KeyPair> {
  if (file !== undefined) return readKeyFile(file);
  const { SVC_PUBLIC_KEY, SVC_PRIVATE_KEY } = environment;
  return SVC_PUBLIC_KEY || SVC_PRIVATE_KEY ? readEnvironmentKeys(environment) : DEVELOPMENT_KEYS;
}
