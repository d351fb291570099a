/**
 * Writes X.509 certificates (RFC 5280) in DER: keys on the curve P-256, signed with ECDSA and SHA-256.
 *
 * @module
 */
import { createHash, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

/** The signer of a certificate. */
export interface Issuer {
  readonly commonName: string;
  readonly privateKey: KeyObject;
}

interface CertificateRequest {
  readonly commonName: string;
  readonly publicKey: KeyObject;
  readonly issuer: Issuer;
  readonly from: Date;
  readonly until: Date;
  /** The host names and addresses of a server; undefined for an authority. */
  readonly hosts?: readonly string[];
}

/** The certificate as PEM. */
export function writeCertificate(request: CertificateRequest): string {
  const { commonName, publicKey, issuer, from, until } = request;
  const body = sequence(
    tagged(0, integer(Buffer.from([VERSION_3]))),
    integer(serialNumber()),
    SIGNATURE_ALGORITHM,
    distinguishedName(issuer.commonName),
    sequence(time(from), time(until)),
    distinguishedName(commonName),
    exportKey(publicKey),
    tagged(3, sequence(...extensions(request))),
  );
  const signature = sign('sha256', body, issuer.privateKey);
  const certificate = sequence(body, SIGNATURE_ALGORITHM, bits(signature));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

const VERSION_3 = 2;

function element(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), encodeLength(content.length), content]);
}

function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const digits = length.toString(16);
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}

const sequence = (...contents: readonly Uint8Array[]): Buffer => element(0x30, ...contents);
const set = (...contents: readonly Uint8Array[]): Buffer => element(0x31, ...contents);
const integer = (bytes: Uint8Array): Buffer => element(0x02, bytes);
const octets = (bytes: Uint8Array): Buffer => element(0x04, bytes);
const identifier = (hex: string): Buffer => element(0x06, Buffer.from(hex, 'hex'));
const tagged = (tag: number, content: Uint8Array): Buffer => element(0xa0 | tag, content);

/** A bit string; the last `unused` bits of its last byte do not count. */
const bits = (bytes: Uint8Array, unused = 0): Buffer => element(0x03, Buffer.from([unused]), bytes);

const TRUE = element(0x01, Buffer.from([0xff]));

/** ecdsa-with-SHA256 */
const SIGNATURE_ALGORITHM = sequence(identifier('2a8648ce3d040302'));

const COMMON_NAME = identifier('550403');

const SUBJECT_KEY_IDENTIFIER = '551d0e';
const KEY_USAGE = '551d0f';
const SUBJECT_ALTERNATIVE_NAME = '551d11';
const BASIC_CONSTRAINTS = '551d13';
const AUTHORITY_KEY_IDENTIFIER = '551d23';
const EXTENDED_KEY_USAGE = '551d25';
const SERVER_AUTHENTICATION = '2b06010505070301';

function distinguishedName(commonName: string): Buffer {
  return sequence(set(sequence(COMMON_NAME, element(0x0c, Buffer.from(commonName, 'utf8')))));
}

/** 16 bytes; a positive number without leading zeros. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0);
  return bytes;
}

/** UTCTime up to 2049, GeneralizedTime after it (RFC 5280 §4.1.2.5). */
function time(date: Date): Buffer {
  const text = `${date.toISOString().replace(/[-:T]|\.\d+Z$/g, '')}Z`;
  return date.getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(text.slice(2)))
    : element(0x18, Buffer.from(text));
}

function exportKey(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' });
}

/** The length of an uncompressed point of P-256, with which its SubjectPublicKeyInfo ends. */
const POINT = 65;

function keyIdentifier(publicKey: KeyObject): Buffer {
  return createHash('sha1').update(exportKey(publicKey).subarray(-POINT)).digest();
}

const extension = (id: string, value: Uint8Array): Buffer =>
  sequence(identifier(id), octets(value));

const critical = (id: string, value: Uint8Array): Buffer =>
  sequence(identifier(id), TRUE, octets(value));

/** The extensions that strict verifiers require, such as Python's since 3.13. */
function extensions({ publicKey, issuer, hosts }: CertificateRequest): readonly Buffer[] {
  const own = extension(SUBJECT_KEY_IDENTIFIER, octets(keyIdentifier(publicKey)));
  if (!hosts) {
    const pathLength = integer(Buffer.from([0]));
    const signsCertificates = bits(Buffer.from([0x06]), 1);
    return [
      critical(BASIC_CONSTRAINTS, sequence(TRUE, pathLength)),
      critical(KEY_USAGE, signsCertificates),
      own,
    ];
  }
  const authority = keyIdentifier(createPublicKey(issuer.privateKey));
  const signsHandshakes = bits(Buffer.from([0x80]), 7);
  return [
    critical(BASIC_CONSTRAINTS, sequence()),
    critical(KEY_USAGE, signsHandshakes),
    extension(EXTENDED_KEY_USAGE, sequence(identifier(SERVER_AUTHENTICATION))),
    extension(SUBJECT_ALTERNATIVE_NAME, sequence(...hosts.map(alternativeName))),
    own,
    extension(AUTHORITY_KEY_IDENTIFIER, sequence(element(0x80, authority))),
  ];
}

function alternativeName(host: string): Buffer {
  return isIP(host) === 0
    ? element(0x82, Buffer.from(host, 'latin1'))
    : element(0x87, addressBytes(host));
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  // A URL has an IPv6 address in its shortest form, without IPv4 notation.
  const [, shortest = ''] = /^\[(.*)\]$/.exec(new URL(`http://[${address}]`).hostname) ?? [];
  const [before = [], after = []] = shortest
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  const groups = [...before, ...zeros, ...after];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
