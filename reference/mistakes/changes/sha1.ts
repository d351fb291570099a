/**
 * SHA-1 written by hand, with wrong padding (FIPS 180-4 §5.1.1 and §6.1). The reference takes its SHA-1 from a library.
 *
 * @module
 */
import type { Bytes } from './change.ts';

const BLOCK = 64;
const LENGTH = 8;
const FIRST_STATE: readonly number[] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];

const rotate = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));

/** The function and the constant of each quarter of the 80 rounds. */
const QUARTERS: readonly (readonly [mix: (b: number, c: number, d: number) => number, constant: number])[] = [
  [(b, c, d) => (b & c) | (~b & d), 0x5a827999],
  [(b, c, d) => b ^ c ^ d, 0x6ed9eba1],
  [(b, c, d) => (b & c) | (b & d) | (c & d), 0x8f1bbcdc],
  [(b, c, d) => b ^ c ^ d, 0xca62c1d6],
];

function compress(state: readonly number[], block: DataView): readonly number[] {
  const words = Array.from({ length: BLOCK / 4 }, (_, i) => block.getInt32(i * 4));
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
  for (const [mix, constant] of QUARTERS) {
    for (let round = 0; round < 20; round++) {
      const [word = 0] = words;
      const mixed = (rotate(a, 5) + mix(b, c, d) + e + constant + word) | 0;
      [a, b, c, d, e] = [mixed, a, rotate(b, 30), c, d];
      const [first = 0, , third = 0] = words;
      words.push(rotate(first ^ third ^ (words[8] ?? 0) ^ (words[13] ?? 0), 1));
      words.shift();
    }
  }
  return [a, b, c, d, e].map((word, i) => (word + (state[i] ?? 0)) | 0);
}

/** What is wrong with the padding. */
export interface Padding {
  /** The number of padded bytes for a number of hashed bytes. */
  readonly size?: (length: number) => number;
  /** The number that stands for the length at the end. */
  readonly count?: (length: number) => number;
  /** The number of bytes at the end that the length overwrites; 8 by default. */
  readonly lengthBytes?: number;
}

/** The number of bytes after padding, if there is room for a mark of `mark` bytes and the length. */
export const paddedSize = (length: number, mark: number): number => Math.ceil((length + mark + LENGTH) / BLOCK) * BLOCK;

/** The SHA-1 of some bytes with wrong padding. */
export function paddedSha1(bytes: Bytes, { size = (length) => paddedSize(length, 1), count = (length) => length * 8, lengthBytes = LENGTH }: Padding): Bytes {
  const padded = new DataView(new ArrayBuffer(size(bytes.length)));
  new Uint8Array(padded.buffer).set(bytes.subarray(0, padded.byteLength));
  if (bytes.length < padded.byteLength) padded.setUint8(bytes.length, 0x80);
  padded.setUint32(padded.byteLength - lengthBytes, 0);
  padded.setUint32(padded.byteLength - 4, count(bytes.length));
  let state = FIRST_STATE;
  for (let at = 0; at < padded.byteLength; at += BLOCK) state = compress(state, new DataView(padded.buffer, at, BLOCK));
  const digest = new DataView(new ArrayBuffer(20));
  for (const [i, word] of state.entries()) digest.setInt32(i * 4, word);
  return new Uint8Array(digest.buffer);
}

/** HMAC with another SHA-1 (RFC 2104). */
export function hmacWith(sha1: (bytes: Bytes) => Bytes, key: Bytes, text: Bytes): Bytes {
  const short = key.length > BLOCK ? sha1(key) : key;
  const pad = (filling: number): readonly number[] => Array.from({ length: BLOCK }, (_, i) => (short[i] ?? 0) ^ filling);
  const inner = sha1(Uint8Array.from([...pad(0x36), ...text]));
  return sha1(Uint8Array.from([...pad(0x5c), ...inner]));
}
