/**
 * What `serve` prints when it has started.
 *
 * @module
 */
import { escapeInvisible } from '../engine/excerpt.ts';
import type { RunningServer, ServerOptions } from '../respondents/serve/start.ts';
import { DEVELOPMENT_KEYS } from '../respondents/serve/start.ts';

/** How the private key is named; only the published one is printed. */
const SECRET = 'not printed';

type Row = readonly [name: string, text: string];

/** What a person needs first, a line each. */
export function startLines(server: RunningServer, options: ServerOptions): string {
  const { url, keys } = server;
  const rows = [
    ['page', `${url}/-/`],
    ...(options.accounts ?? [keys]).flatMap(keyRows),
    ...bucketRows(options),
    ...proxyRows(server, options),
    ...(options.data === undefined ? [['reset', `curl -X POST ${url}/-/reset`]] : []),
  ];
  return rows
    .map(([name = '', text = '']) => `  ${name.padEnd(13)}${escapeInvisible(text)}\n`)
    .join('');
}

function bucketRows({ buckets = [], accounts = [], folders = [] }: ServerOptions): readonly Row[] {
  const own = accounts.flatMap((account) => account.buckets ?? []);
  const names = [...buckets, ...own].map(({ name }) => name);
  const all = new Set([...names, ...folders.map(({ bucket }) => bucket)]);
  return all.size === 0 ? [] : [['buckets', [...all].join(', ')]];
}

function proxyRows({ url, port }: RunningServer, options: ServerOptions): readonly Row[] {
  const { tls, authority } = options;
  const plain = `http_proxy=${url}, or http://BUCKET.localhost:${port} as endpoint`;
  const trust = `SSL_CERT_FILE=${authority?.path} (or NODE_EXTRA_CA_CERTS, REQUESTS_CA_BUNDLE, curl --cacert)`;
  return [
    ...(tls ? [] : [['http', plain] as const]),
    ...(authority ? [['https', `https_proxy=${url}, and ${trust}`] as const] : []),
  ];
}

function keyRows({ publicKey, privateKey }: RunningServer['keys']): readonly Row[] {
  const isPublished =
    publicKey === DEVELOPMENT_KEYS.publicKey && privateKey === DEVELOPMENT_KEYS.privateKey;
  return [
    ['public key', publicKey],
    ['private key', isPublished ? privateKey : SECRET],
  ];
}
