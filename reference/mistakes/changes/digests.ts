/**
 * Changes of the digest of a text and a key (§5.1 steps 4 and 5, §5.2).
 *
 * @module
 */
import { hash, hmac, utf8 } from '#digest';
import { concatBytes, hexadecimal } from '../../signing/bytes.ts';
import { type Bytes, type Change, type Kind, table } from './change.ts';
import { hmacWith, type Padding, paddedSha1, paddedSize } from './sha1.ts';

type Digest = (key: Bytes, text: Bytes) => Bytes;

/** The hashes, and what they cost. */
const HASHES = [
  ['md5', 'MD5', 1],
  ['sha1', 'SHA-1', 1],
  ['sha224', 'SHA-224', 4],
  ['sha256', 'SHA-256', 1],
  ['sha384', 'SHA-384', 4],
  ['sha512', 'SHA-512', 2],
  ['ripemd160', 'RIPEMD-160', 4],
  ['sha3-256', 'SHA3-256', 4],
] as const;

/** CRC-32 of IEEE 802.3, most significant byte first. */
function crc32(bytes: Bytes): Bytes {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return Uint8Array.of(~crc >>> 24, ~crc >>> 16, ~crc >>> 8, ~crc);
}

function digestsOf([id, label, cost]: (typeof HASHES)[number]): Kind<Digest>['changes'] {
  const keyed = `HMAC-${label.replace('SHA-', 'SHA')}`;
  const of = (...pieces: readonly Bytes[]): Bytes => hash(id, concatBytes(pieces));
  const hex = (bytes: Bytes): Bytes => utf8(hexadecimal(bytes));
  const rows: Record<string, Digest> = {
    [`${id}-hmac: is an ${keyed}`]: (k, t) => hmac(id, k, t),
    [`${id}-hmac-exchanged: is an ${keyed} with key and text exchanged`]: (k, t) => hmac(id, t, k),
    [`${id}-hmac-of-hash: is an ${keyed} of the ${label} of the text`]: (k, t) => hmac(id, k, of(t)),
    [`${id}-key-last: is the ${label} of the text followed by the key`]: (k, t) => of(t, k),
    [`${id}-key-first: is the ${label} of the key followed by the text`]: (k, t) => of(k, t),
    [`${id}-key-around: is the ${label} of key, text and key`]: (k, t) => of(k, t, k),
    [`${id}-no-key: is the ${label} of the text alone`]: (_, t) => of(t),
    [`${id}-twice: is the ${label} of the ${label} of text and key`]: (k, t) => of(of(t, k)),
    [`${id}-twice-hex: is the ${label} of the hexadecimal ${label} of text and key`]: (k, t) => of(hex(of(t, k))),
  };
  for (const size of /^sha(256|512)$/.test(id) ? [16, 20] : []) {
    rows[`${id}-hmac-cut-${size}: is an ${keyed}, cut to ${size} bytes`] = (k, t) => hmac(id, k, t).subarray(0, size);
    rows[`${id}-key-last-cut-${size}: is the ${label} of text and key, cut to ${size} bytes`] = (k, t) => of(t, k).subarray(0, size);
  }
  return table(rows, cost);
}

/** Mistakes in the padding of a SHA-1 that was written by hand. */
const PADDINGS: Readonly<Record<string, readonly [clause: string, padding: Padding]>> = {
  'block-too-many': ['pads 55 bytes, modulo 64, with a block too many', { size: (length) => paddedSize(length, 2) }],
  'block-too-few': ['writes the length over the text if less than 9 bytes of its last block are left', { size: (length) => Math.max(1, Math.ceil(length / 64)) * 64 }],
  'block-too-few-32': ['writes a length of 32 bits over the text if less than 9 bytes of its last block are left', { size: (length) => (Math.floor(length / 64) + 1) * 64, lengthBytes: 4 }],
  'length-in-bytes': ['pads with the length in bytes instead of bits', { count: (length) => length }],
  'length-of-16-bits': ['pads with only 16 bits of the length', { count: (length) => (length * 8) & 0xffff }],
};

const padded = Object.entries(PADDINGS).flatMap(([id, [clause, padding]]): Change<Digest>[] => {
  const sha1 = (bytes: Bytes): Bytes => paddedSha1(bytes, padding);
  const notes = { cost: 3, fix: 'take SHA-1 from a library, or pad as FIPS 180-4 says in section 5.1.1' };
  return [
    [`padded-${id}`, `is made with a SHA-1 that ${clause}`, (k, t) => sha1(concatBytes([t, k])), notes],
    [`hmac-padded-${id}`, `is made with an HMAC whose SHA-1 ${clause}`, (k, t) => hmacWith(sha1, k, t), notes],
  ];
});

/** At each place one of these is correct; callers drop the changes that equal the correct digest. */
export const DIGESTS: Kind<Digest> = {
  fix: 'make {noun} the SHA-1 of the text and the private key (§5.1), or their HMAC-SHA1 (§5.2)',
  changes: [...HASHES.flatMap(digestsOf), ...padded, ...table<Digest>({ 'crc-32: is the CRC-32 of the text': (_, text) => crc32(text) }, 4)],
};
