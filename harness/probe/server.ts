/**
 * The server that is asked, and how requests reach it.
 *
 * @module
 */
import { isIP } from 'node:net';
import type { Dialect } from '../adapter/messages.ts';
import { dialectName } from '../dialects.ts';
import { UsageError } from '../errors.ts';
import type { KeyPair } from '../suite/vector.ts';

export interface Server {
  /** Where connections go to. */
  readonly url: URL;
  readonly keys: KeyPair;
  readonly dialect: Dialect;
  /** The host of a file request is the bucket, a dot and this. */
  readonly fileHost: string;
  /** The host of bucket management and of actions. */
  readonly apiHost: string;
  /** Whether request lines have whole URLs, as those to a proxy. */
  readonly isProxied: boolean;
  /** Of one answer; in milliseconds. */
  readonly timeout: number;
}

/** The names by which clients call the service when nobody tells them anything. */
const STOCK_HOSTS: Readonly<Record<string, Pick<Server, 'fileHost' | 'apiHost'>>> = {
  svc: { fileHost: 'files.svc.example', apiHost: 'api.svc.example' },
  ucloud: { fileHost: 'cn-bj.ufileos.com', apiHost: 'api.ucloud.cn' },
};

/** The URL of a server; a `UsageError` where it is none. */
export function serverUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin = url?.pathname === '/' && url.search + url.hash + url.username === '';
  if (url && isOrigin && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError(
    `${JSON.stringify(text)} is not the URL of a server; write http://HOST:PORT or https://HOST:PORT, without a path`,
  );
}

/** The hosts that requests name. */
export function hostsOf(
  url: URL,
  dialect: Dialect,
  isProxied: boolean,
  fileHost: string | undefined,
): Pick<Server, 'fileHost' | 'apiHost'> {
  if (!isProxied) return { fileHost: fileHost ?? fileHostAt(url), apiHost: url.host };
  if (url.protocol !== 'http:') {
    throw new UsageError('--proxy takes an http:// URL; through https a proxy sees no requests');
  }
  const stock = STOCK_HOSTS[dialectName(dialect)];
  if (stock) return { ...stock, ...(fileHost !== undefined && { fileHost }) };
  throw new UsageError('--proxy knows the stock hosts of the dialects svc and ucloud only');
}

/** No bucket can stand before an address, but one can before `localhost`. */
function fileHostAt({ host, hostname, port }: URL): string {
  const isAddress = isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
  return isAddress ? `localhost${port === '' ? '' : `:${port}`}` : host;
}
