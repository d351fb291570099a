/**
 * The certificate authority of the server: its files, and the certificates that it issues for hosts of the service.
 *
 * @module
 */

import {
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  X509Certificate,
} from 'node:crypto';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import type { CertificateAuthority } from '../../../reference/server/http/tunnel.ts';
import { StartError } from '../../../reference/server/options.ts';
import { describeSystemError } from '../../../reference/system-errors.ts';
import { systemCode } from '../../../reference/values.ts';
import { type Issuer, writeCertificate } from './certificate.ts';

/** Its private key and its certificate; only its owner can read it. */
const SECRET = 'authority.pem';

/** The certificate alone, which clients have to trust. */
const CERTIFICATE = 'ca.pem';

const DAY = 86_400_000;

/** In days. */
const AUTHORITY_LIFE = 3650;
const HOST_LIFE = 90;

/** The certificate of a host is written anew after this time; in days. */
const RENEWAL = 30;

/** Clocks of clients may be late by this; in days. */
const LATE = 1;

/**
 * Opens the authority in a folder; the first call creates both.
 *
 * @throws StartError if the folder cannot be used
 */
export function openAuthority(folder: string): CertificateAuthority {
  const path = resolve(folder, CERTIFICATE);
  try {
    const pem = readOrCreate(folder);
    const { issuer, certificate } = parseAuthority(pem);
    if (readIfThere(path) !== certificate) writeFileSync(path, certificate);
    return { certificate, path, issue: createIssue(issuer) };
  } catch (error) {
    const isKnown = error instanceof StartError || systemCode(error) !== undefined;
    const reason = isKnown ? describeSystemError(error) : 'it is no key in PEM';
    throw new StartError(
      `the certificate authority in ${JSON.stringify(folder)} cannot be used: ${reason}; name another folder with --authority, delete ${SECRET} in this one for a new authority, or go without https with --authority off`,
      { cause: error },
    );
  }
}

function readOrCreate(folder: string): string {
  const path = join(folder, SECRET);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (readIfThere(path) === undefined) placeNew(path, createAuthority());
  // A copy or a restored backup may have wider permissions.
  chmodSync(path, 0o600);
  return readFileSync(path, 'utf8');
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Of two servers that start at once, the first places its authority, and both use it. */
function placeNew(path: string, pem: string): void {
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  writeFileSync(draft, pem, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, path);
  } catch (error) {
    const code = systemCode(error);
    // Some file systems have no links.
    if (code !== 'EEXIST') renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

function createAuthority(): string {
  const { privateKey, publicKey } = generateKeys();
  const commonName = `svc-conformance serve ${randomBytes(4).toString('hex')}`;
  const certificate = writeCertificate({
    commonName,
    publicKey,
    issuer: { commonName, privateKey },
    ...validity(AUTHORITY_LIFE),
  });
  return `${exportPem(privateKey)}${certificate}`;
}

function generateKeys(): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function exportPem(privateKey: KeyObject): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function validity(days: number): { readonly from: Date; readonly until: Date } {
  const now = Date.now();
  return { from: new Date(now - LATE * DAY), until: new Date(now + days * DAY) };
}

/** @throws StartError for a file that this program has not written, or that is too old */
function parseAuthority(pem: string): { readonly issuer: Issuer; readonly certificate: string } {
  const [certificate] =
    /-----BEGIN CERTIFICATE-----\n[\w+/=\n]+-----END CERTIFICATE-----\n/.exec(pem) ?? [];
  if (certificate === undefined) throw new StartError(`${SECRET} has no certificate`);
  const parsed = new X509Certificate(certificate);
  const privateKey = createPrivateKey(pem);
  if (!parsed.checkPrivateKey(privateKey)) {
    throw new StartError(`key and certificate of ${SECRET} do not belong together`);
  }
  if (Date.parse(parsed.validTo) < Date.now()) {
    throw new StartError(`its certificate has expired on ${parsed.validTo}`);
  }
  const [, commonName] = /^CN=(.+)$/.exec(parsed.subject) ?? [];
  if (commonName === undefined) throw new StartError(`${SECRET} is not of this program`);
  return { certificate, issuer: { commonName, privateKey } };
}

/** Clients may name any host, so only so many certificates are remembered. */
const MOST_KNOWN = 1000;

/** Issues certificates for one key, which is in memory only. */
function createIssue(issuer: Issuer): CertificateAuthority['issue'] {
  const { privateKey, publicKey } = generateKeys();
  const key = exportPem(privateKey);
  const known = new Map<string, { readonly cert: string; readonly at: number }>();
  return (hosts) => {
    const name = hosts.join();
    const found = known.get(name);
    if (found && Date.now() - found.at < RENEWAL * DAY) return { cert: found.cert, key };
    const request = { commonName: 'svc-conformance serve', publicKey, issuer, hosts };
    const cert = writeCertificate({ ...request, ...validity(HOST_LIFE) });
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(name, { cert, at: Date.now() });
    return { cert, key };
  };
}
