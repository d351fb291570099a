/**
 * The host names of the service, and the part of the service that each request addresses.
 *
 * @module
 */
import { isIP } from 'node:net';
import type { Dialect } from '../../signing/index.ts';
import { headerValue, type WireRequest } from './exchange.ts';

export type Address =
  | { readonly kind: 'actions' }
  | { readonly kind: 'bucket'; readonly bucket: string }
  /** A loopback address without a bound bucket. The signature determines the bucket. */
  | { readonly kind: 'unnamed bucket' }
  /** The built-in pages: health and recent requests. */
  | { readonly kind: 'built-in page' }
  | { readonly kind: 'foreign' };

export interface Hosts {
  /** The host suffixes after a bucket. A label `*` matches any one label. */
  readonly suffixes: readonly string[];
  /** The name or address at which this server listens. */
  readonly own: string;
  /** The hosts of the account API. */
  readonly actions: readonly string[];
  /** The bucket of each bound host, with or without a port. */
  readonly bound: ReadonlyMap<string, string>;
  /** The port at which this server listens. Another port of this machine is another server. */
  readonly port: () => number;
  /** The properties of recent hosts. */
  readonly known: Map<string, HostFacts>;
}

/** Browsers and libcurl resolve these names themselves. */
const LOCAL = { suffixes: ['files.localhost', 'localhost'], actions: ['api.localhost'] };

/** The default hosts of the SDKs, which reach this server through `http_proxy`. */
const STOCK: Readonly<Record<string, Pick<Hosts, 'suffixes' | 'actions'>>> = {
  Svc: { suffixes: ['files.svc.example', '*.files.svc.example'], actions: ['api.svc.example'] },
  UCloud: { suffixes: ['*.ufileos.com'], actions: ['api.ucloud.cn'] },
};

/** The stock hosts of a dialect, those of this machine, and further ones. */
export function serviceHosts(
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
    known: new Map(),
  };
}

/** The path of the built-in pages, on hosts that name no bucket. A key may start with it too; use a host that names its bucket for it. */
const PAGE_PREFIX = '/-/';

export function resolveAddress(wire: WireRequest, hosts: Hosts): Address {
  const { port, isLocal, isAction, isBare, bound, bucket } = describeHost(wire.host, hosts);
  const isProxied = !wire.target.startsWith('/') && wire.target !== '*';
  if (isProxied && isLocal && port !== undefined && port !== hosts.port()) {
    return { kind: 'foreign' };
  }
  if (isAction) return { kind: 'actions' };
  if (bound === undefined && !isBare) {
    return bucket === undefined ? { kind: 'foreign' } : { kind: 'bucket', bucket };
  }
  if (isBare && isPage(wire)) return { kind: 'built-in page' };
  if (isActionRequest(wire)) return { kind: 'actions' };
  return bound === undefined ? { kind: 'unnamed bucket' } : { kind: 'bucket', bucket: bound };
}

/** The ports of http and https URLs, which name no other server. */
const DEFAULT_PORTS: readonly (number | undefined)[] = [undefined, 80, 443];

/** Whether a host with its port leads to the service. */
export function isServed(target: string, hosts: Hosts): boolean {
  const host = target.toLowerCase();
  const { port, isLocal, isAction, isBare, bound, bucket } = describeHost(host, hosts);
  if (isLocal && !DEFAULT_PORTS.includes(port) && port !== hosts.port()) return false;
  return isAction || isBare || bound !== undefined || bucket !== undefined;
}

interface HostFacts {
  readonly port: number | undefined;
  /** Whether it is a name or an address of this machine. */
  readonly isLocal: boolean;
  /** Whether it is a host of the account API. */
  readonly isAction: boolean;
  /** Whether it names no bucket: an address, the name at which the server listens, or only a suffix. HTTP/1.0 requests may have no host. */
  readonly isBare: boolean;
  readonly bound: string | undefined;
  readonly bucket: string | undefined;
}

/** The most hosts to cache, because clients may send any host. */
const MOST_KNOWN = 1000;

function describeHost(host: string, hosts: Hosts): HostFacts {
  const { known, own, actions, bound, suffixes } = hosts;
  const remembered = known.get(host);
  if (remembered) return remembered;
  const { name, port } = parseHost(host);
  const hasSuffix = (text: string): boolean => suffixes.some((one) => matchesSuffix(text, one));
  // The name of a bucket has no dot.
  const dot = name.indexOf('.');
  const facts: HostFacts = {
    port,
    isLocal: name === 'localhost' || name.endsWith('.localhost') || isIP(name) !== 0,
    isAction: actions.includes(name),
    isBare: name === '' || name === own || isIP(name) !== 0 || hasSuffix(name),
    bound: bound.get(host) ?? bound.get(name),
    bucket: dot > 0 && hasSuffix(name.slice(dot + 1)) ? name.slice(0, dot) : undefined,
  };
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(host, facts);
  return facts;
}

/** A host and its port. In `[::1]:80` the address has colons too. */
const HOST = /^(?:\[([^\]]*)\]|([^:]*))(?::([0-9]*))?$/;

/** A host without its port, and an IPv6 address without its brackets. */
export function hostName(host: string): string {
  return parseHost(host).name;
}

function parseHost(host: string): { readonly name: string; readonly port: number | undefined } {
  const [, address, name, port] = HOST.exec(host) ?? [];
  return { name: address ?? name ?? host, port: port ? Number(port) : undefined };
}

function matchesSuffix(name: string, suffix: string): boolean {
  const labels = name.split('.');
  const wanted = suffix.split('.');
  return (
    labels.length === wanted.length &&
    wanted.every((label, at) => (label === '*' ? labels[at] !== '' : labels[at] === label))
  );
}

function isPage({ method, path, query }: WireRequest): boolean {
  // `GET /` is not a file request. Browsers send it for the URL that the server prints at its start.
  return path.startsWith(PAGE_PREFIX) || (method === 'GET' && path === '/' && query === '');
}

/** Whether a request is an action: file requests have no such parameters, and none is a POST to `/` without a form. */
function isActionRequest(wire: WireRequest): boolean {
  if (wire.path !== '/') return false;
  if (/(?:^|&)(?:Action|PublicKey)=/.test(wire.query)) return true;
  const isForm = /^multipart\/form-data\b/i.test(headerValue(wire, 'Content-Type') ?? '');
  return wire.method === 'POST' && wire.query === '' && !isForm;
}

/** Whether a host is a loopback name or address: localhost, 127.0.0.0/8 or ::1, with or without brackets. */
const LOOPBACK = /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[?::1\]?|localhost)$/i;

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}
