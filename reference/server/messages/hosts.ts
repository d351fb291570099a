/**
 * The names by which clients call the service, and which part of it each request is for.
 *
 * @module
 */
import { isIP } from 'node:net';
import type { Dialect } from '../../signing/index.ts';
import { headerValue, type WireRequest } from './exchange.ts';

/** Which part of the service a request is for. */
export type Address =
  | { readonly kind: 'actions' }
  | { readonly kind: 'bucket'; readonly bucket: string }
  /** A loopback address without a bound bucket: the signature decides. */
  | { readonly kind: 'unnamed bucket' }
  /** Health, recent requests. */
  | { readonly kind: 'built-in page'; readonly path: string }
  /** A host that is not served here. */
  | { readonly kind: 'foreign' };

export interface Hosts {
  /** What follows the bucket; a label `*` is any one label. */
  readonly suffixes: readonly string[];
  /** Where this server listens, by name or address. */
  readonly own: string;
  /** Of the account API. */
  readonly actions: readonly string[];
  /** The bucket of a host, which may have its port. */
  readonly bound: ReadonlyMap<string, string>;
  /** Where this server listens; another port of this machine is another server. */
  readonly port: () => number;
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
  };
}

/** Of the built-in pages, on hosts that name no bucket. A key may begin so too; a host that names its bucket reaches it. */
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
  if (isBare && isPage(wire)) return { kind: 'built-in page', path: wire.path };
  if (isActionRequest(wire)) return { kind: 'actions' };
  return bound === undefined ? { kind: 'unnamed bucket' } : { kind: 'bucket', bucket: bound };
}

/** What follows from a host alone. */
interface HostFacts {
  readonly port: number | undefined;
  /** Whether it is a name or an address of this machine. */
  readonly isLocal: boolean;
  /** Whether it is a host of the account API. */
  readonly isAction: boolean;
  readonly isBare: boolean;
  readonly bound: string | undefined;
  readonly bucket: string | undefined;
}

const known = new WeakMap<Hosts, Map<string, HostFacts>>();

/** Clients may send any host, so only so many are remembered. */
const MOST_KNOWN = 1000;

function describeHost(host: string, hosts: Hosts): HostFacts {
  const facts = known.get(hosts) ?? new Map<string, HostFacts>();
  known.set(hosts, facts);
  const remembered = facts.get(host);
  if (remembered) return remembered;
  const { name, port } = parseHost(host);
  const found: HostFacts = {
    port,
    isLocal: isOfThisMachine(name),
    isAction: hosts.actions.includes(name),
    isBare: isBareName(name, hosts),
    bound: hosts.bound.get(host) ?? hosts.bound.get(name),
    bucket: bucketName(name, hosts),
  };
  if (facts.size >= MOST_KNOWN) facts.clear();
  facts.set(host, found);
  return found;
}

/** `[::1]:80` has colons in its name. */
const HOST = /^(?:\[([^\]]*)\]|([^:]*))(?::([0-9]*))?$/;

/** Without its port, and an address without its brackets. */
export function hostName(host: string): string {
  return parseHost(host).name;
}

function parseHost(host: string): { readonly name: string; readonly port: number | undefined } {
  const [, address, name, port] = HOST.exec(host) ?? [];
  return { name: address ?? name ?? host, port: port ? Number(port) : undefined };
}

function isOfThisMachine(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || isIP(name) !== 0;
}

/** Whether a host names no bucket: an address, the name that the server listens at, or a suffix alone. HTTP/1.0 has no host. */
function isBareName(name: string, { own, suffixes }: Hosts): boolean {
  return (
    name === '' ||
    name === own ||
    isIP(name) !== 0 ||
    suffixes.some((suffix) => matchesSuffix(name, suffix))
  );
}

/** The name of a bucket has no dot. */
function bucketName(name: string, { suffixes }: Hosts): string | undefined {
  const dot = name.indexOf('.');
  const rest = name.slice(dot + 1);
  return dot > 0 && suffixes.some((suffix) => matchesSuffix(rest, suffix))
    ? name.slice(0, dot)
    : undefined;
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
  // `GET /` is no file request, and the line that the server prints at its start leads a browser here.
  return path.startsWith(PAGE_PREFIX) || (method === 'GET' && path === '/' && query === '');
}

/** No file request has these parameters, nor is any a POST to `/` without a form. */
function isActionRequest(wire: WireRequest): boolean {
  if (wire.path !== '/') return false;
  if (/(?:^|&)(?:Action|PublicKey)=/.test(wire.query)) return true;
  const isForm = /^multipart\/form-data\b/i.test(headerValue(wire, 'Content-Type') ?? '');
  return wire.method === 'POST' && wire.query === '' && !isForm;
}

/** 127.0.0.0/8, ::1 and the name that means them; an IPv6 address may have brackets. */
const LOOPBACK = /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[?::1\]?|localhost)$/i;

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}
