/**
 * The names by which the service is called, so that a client needs no change to reach it.
 *
 * @module
 */
import type { Dialect } from '../../signing/index.ts';

export interface Hosts {
  /** What follows the bucket; a label `*` is any one label. */
  readonly suffixes: readonly string[];
  /** Where this server listens, by name or address. */
  readonly own: string;
  /** Of the account API. */
  readonly actions: readonly string[];
  /** Which bucket a host, with or without its port, stands for. */
  readonly bound: ReadonlyMap<string, string>;
  /** Where this server listens: another port on this machine is somebody else's. */
  readonly port: () => number;
}

/** Browsers and libcurl resolve these without any help. */
const LOCAL = { suffixes: ['files.localhost', 'localhost'], actions: ['api.localhost'] };

/** What clients call the service when nobody tells them anything: it reaches this server through `http_proxy`. */
const STOCK: Readonly<Record<string, Pick<Hosts, 'suffixes' | 'actions'>>> = {
  Svc: { suffixes: ['files.svc.example', '*.files.svc.example'], actions: ['api.svc.example'] },
  UCloud: { suffixes: ['*.ufileos.com'], actions: ['api.ucloud.cn'] },
};

/** The stock hosts of a dialect, those of this machine, and further ones. */
export function hostsOf(
  { scheme }: Dialect,
  further: readonly string[],
  bound: Readonly<Record<string, string>>,
  port: () => number,
  host = '',
): Hosts {
  const stock = STOCK[scheme] ?? { suffixes: [], actions: [] };
  const own = further.map((suffix) => suffix.replace(/^\./, '').toLowerCase());
  return {
    own: host.toLowerCase(),
    suffixes: [...own, ...LOCAL.suffixes, ...stock.suffixes],
    actions: [...LOCAL.actions, ...stock.actions],
    bound: new Map(Object.entries(bound).map(([host, bucket]) => [host.toLowerCase(), bucket])),
    port,
  };
}
