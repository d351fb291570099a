/**
 * Whom a request is for, by its host and, where that names nobody, by its looks.
 *
 * @module
 */
import { isIP } from 'node:net';
import type { Address } from '../service.ts';
import { headerOf, type WireRequest } from '../wire-request.ts';
import type { Hosts } from './hosts.ts';

/**
 * Where the server's own pages are, on hosts that name no bucket.
 *
 * A key may begin so; it is reached by every host that names its bucket.
 */
const OWN_PREFIX = '/-/';

export function addressOf(wire: WireRequest, hosts: Hosts): Address {
  const { name, port } = nameAndPort(wire.host);
  const isProxied = !wire.target.startsWith('/') && wire.target !== '*';
  const bound = hosts.bound.get(wire.host) ?? hosts.bound.get(name);
  if (isProxied && isOfThisMachine(name) && port !== undefined && port !== hosts.port()) {
    return { kind: 'foreign' };
  }
  if (hosts.actions.includes(name)) return { kind: 'actions' };
  if (bound === undefined && !isBare(name, hosts)) {
    const bucket = bucketOf(name, hosts);
    return bucket === undefined ? { kind: 'foreign' } : { kind: 'bucket', bucket };
  }
  if (isBare(name, hosts) && isOwn(wire)) return { kind: 'own', path: wire.path };
  if (isAction(wire)) return { kind: 'actions' };
  return bound === undefined ? { kind: 'unnamed bucket' } : { kind: 'bucket', bucket: bound };
}

/** `[::1]:80` has colons in its name. */
const HOST = /^(?:\[([^\]]*)\]|([^:]*))(?::([0-9]*))?$/;

/** A host without its port, and an address without its brackets. */
export function hostName(host: string): string {
  return nameAndPort(host).name;
}

function nameAndPort(host: string): { readonly name: string; readonly port: number | undefined } {
  const [, address, name, port] = HOST.exec(host) ?? [];
  return { name: address ?? name ?? host, port: port ? Number(port) : undefined };
}

function isOfThisMachine(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || isIP(name) !== 0;
}

/** Whether a host names no bucket: an address, the name that the server listens at, or what follows a bucket alone. HTTP/1.0 has no host. */
function isBare(name: string, { own, suffixes }: Hosts): boolean {
  return (
    name === '' ||
    name === own ||
    isIP(name) !== 0 ||
    suffixes.some((suffix) => isLike(name, suffix))
  );
}

/** Names of buckets have no dot. */
function bucketOf(name: string, { suffixes }: Hosts): string | undefined {
  const dot = name.indexOf('.');
  const rest = name.slice(dot + 1);
  return dot > 0 && suffixes.some((suffix) => isLike(rest, suffix))
    ? name.slice(0, dot)
    : undefined;
}

function isLike(name: string, suffix: string): boolean {
  const labels = name.split('.');
  const wanted = suffix.split('.');
  return (
    labels.length === wanted.length &&
    wanted.every((label, at) => (label === '*' ? labels[at] !== '' : labels[at] === label))
  );
}

function isOwn({ method, path, query }: WireRequest): boolean {
  // Nobody can mean a file by this, and a browser is sent here by the line that the server starts with.
  return path.startsWith(OWN_PREFIX) || (method === 'GET' && path === '/' && query === '');
}

/** No file request has these parameters, nor is any a POST to `/` without a form. */
function isAction(wire: WireRequest): boolean {
  if (wire.path !== '/') return false;
  if (/(?:^|&)(?:Action|PublicKey)=/.test(wire.query)) return true;
  const isForm = /^multipart\/form-data\b/i.test(headerOf(wire, 'Content-Type') ?? '');
  return wire.method === 'POST' && wire.query === '' && !isForm;
}
