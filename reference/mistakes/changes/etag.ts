/**
 * Changes of the ETag: the reading of the file, its blocks, their count and digests (§2, §8).
 *
 * @module
 */
import { hash, sha1, utf8 } from '#digest';
import { base64, base64Url, concatBytes, hexadecimal } from '../../signing/bytes.ts';
import { fromUtf8 } from './bytes.ts';
import { type Bytes, type Change, type Kind, kind, table, tabular } from './change.ts';

const KIB = 1024;
const MIB = KIB * KIB;
const NOTHING: Bytes = new Uint8Array();
const CR = 13;
const LF = 10;

/** Block sizes other than 4,194,304 bytes. */
export const BLOCK_SIZES: Kind<number> = kind('make {noun} 4,194,304 bytes (4 MiB)', [
  ...[1, 2, 3, 5, 8, 16].flatMap((n) => table({ [`${n}-mib: is ${n} MiB`]: n * MIB })),
  ...[1, 4, 5, 8].flatMap((n) => table({ [`${n}-mb: is ${n},000,000 bytes`]: n * 1e6 })),
  ...[4, 8, 64].flatMap((n) => table({ [`${n}-kib: is ${n} KiB`]: n * KIB })),
  ...table({
    'one-less: is 4,194,303 bytes': 4 * MIB - 1,
    'one-more: is 4,194,305 bytes': 4 * MIB + 1,
    'unlimited: is the size of the file': Number.MAX_SAFE_INTEGER,
  }),
]);

type CountBytes = (count: number) => Bytes;

/** The low bytes of an integer, least significant first. */
const little = (count: number, width = 4): Bytes => Uint8Array.from({ length: width }, (_, i) => Math.floor(count / 256 ** i) % 256);
const big = (count: number, width = 4): Bytes => little(count, width).toReversed();
/** LEB128, as of protocol buffers. */
const varint = (n: number): Bytes => (n < 128 ? little(n, 1) : concatBytes([little((n % 128) + 128, 1), varint(Math.floor(n / 128))]));

/** Other forms than a 32-bit little-endian integer. */
export const COUNT_BYTES: Kind<CountBytes> = kind('write {noun} as a 32-bit little-endian integer', [
  ...table<CountBytes>({
    '4-big: is written in big-endian byte order': (n) => big(n),
    '1-byte: is written in one byte': (n) => little(n, 1),
    'low-byte: is written only in the first of its four bytes': (n) => little(n & 255),
    'varint: is written as a varint of protocol buffers': varint,
    'decimal: is written in decimal digits': (n) => utf8(`${n}`),
    'hex: is written in hexadecimal digits': (n) => utf8(n.toString(16)),
    'none: is left out': () => NOTHING,
    '4-big-of-several: is written in big-endian byte order if it is more than one': (n) => (n > 1 ? big(n) : little(n)),
    'none-of-one: is left out for at most one block': (n) => (n > 1 ? little(n) : NOTHING),
  }),
  ...table<CountBytes>(
    {
      'minus-one: is one too small': (n) => little(Math.max(0, n - 1)),
      'plus-one: is one too large': (n) => little(n + 1),
      'one-of-none: is 1 for an empty file': (n) => little(Math.max(1, n)),
      'one: is always 1': () => little(1),
      'zero: is always 0': () => little(0),
    },
    1,
    'count the blocks of 4 MiB, a short last one too, and write 0 for an empty file',
  ),
  ...table<CountBytes>({ 'qiniu: is 0x16 or 0x96, as for Qiniu': (n) => little(n > 1 ? 0x96 : 0x16, 1) }),
  ...[2, 3, 8].flatMap((size) =>
    table<CountBytes>({
      [`${size}-little: is written in ${size} bytes`]: (n) => little(n, size),
      [`${size}-big: is written in ${size} bytes, most significant first`]: (n) => big(n, size),
    }),
  ),
]);

type Layout = (count: Bytes, digest: Bytes) => Bytes;

const hexBytes = (bytes: Bytes): Bytes => utf8(hexadecimal(bytes));
const decimal = (bytes: Bytes): string => `${bytes.reduceRight((n, byte) => n * 256 + byte, 0)}`;

/** Other layouts than the count followed by the digest. */
export const ETAG_LAYOUTS: Kind<Layout> = tabular('build {noun} from the bytes of the block count, then the 20 bytes of the digest', {
  'exchanged: has the digest before the block count': (n, d) => concatBytes([d, n]),
  'digest: has only the digest': (_, d) => d,
  'count: has only the block count': (n) => n,
  'hex-digest: has the digest in hexadecimal': (n, d) => concatBytes([n, hexBytes(d)]),
  'hex: has block count and digest in hexadecimal': (n, d) => hexBytes(concatBytes([n, d])),
  'base64-digest: has the digest in Base64': (n, d) => concatBytes([n, utf8(base64(d))]),
  'text: is the text 1-<hexadecimal digest>': (n, d) => utf8(`${decimal(n)}-${hexadecimal(d)}`),
  's3: is the text <hexadecimal digest>-1, as for S3': (n, d) => utf8(`${hexadecimal(d)}-${decimal(n)}`),
  'hyphen: has a hyphen before the digest': (n, d) => concatBytes([n, utf8('-'), d]),
  'line-feed: has a line feed before the digest': (n, d) => concatBytes([n, utf8('\n'), d]),
  'reversed: has the bytes of the digest reversed': (n, d) => concatBytes([n, d.toReversed()]),
  'hashed: is the SHA-1 of block count and digest': (n, d) => sha1(concatBytes([n, d])),
});

type BlockList = (digests: readonly Bytes[]) => readonly Bytes[];

const byHex = (a: Bytes, b: Bytes): number => (hexadecimal(a) < hexadecimal(b) ? -1 : 1);
const distinct: BlockList = (d) => [...new Map(d.map((one) => [hexadecimal(one), one])).values()];

/** The digests of the blocks. */
export const BLOCK_LISTS: Kind<BlockList> = tabular('put one digest for each block into {noun}, in the order of the file', {
  'reversed: is reversed': (d) => d.toReversed(),
  'odd-first: has the digests of the first, third and fifth block before those of the second and fourth': (d) => [...d.filter((_, at) => at % 2 === 0), ...d.filter((_, at) => at % 2 === 1)],
  'sorted: is sorted': (d) => d.toSorted(byHex),
  'without-last: lacks the digest of the last block': (d) => d.slice(0, -1),
  'without-rest: lacks the last of several digests': (d) => (d.length > 1 ? d.slice(0, -1) : d),
  'without-first: lacks the digest of the first block': (d) => d.slice(1),
  'first: has only the digest of the first block': (d) => d.slice(0, 1),
  'last: has only the digest of the last block': (d) => d.slice(-1),
  'empty: is empty': () => [],
  'doubled: is repeated as a whole': (d) => [...d, ...d],
  'last-doubled: has the digest of the last block twice': (d) => [...d, ...d.slice(-1)],
  'all-first: has the digest of the first block for every block': (d) => d.map(() => d[0] ?? NOTHING),
  'all-last: has the digest of the last block for every block': (d) => d.map(() => d.at(-1) ?? NOTHING),
  'empty-block: ends with the digest of an empty block': (d) => [...d, sha1(NOTHING)],
  'empty-block-of-several: ends with the digest of an empty block if the file has several blocks': (d) => (d.length > 1 ? [...d, sha1(NOTHING)] : d),
  'block-of-none: has the digest of an empty block for an empty file': (d) => (d.length ? d : [sha1(NOTHING)]),
  'distinct: has equal digests only once': distinct,
});

type FileDigest = (digests: readonly Bytes[]) => Bytes;

/** The correct digest of one block, `outer` for several blocks, `none` for an empty file. */
function several(outer: FileDigest, none: Bytes = sha1(NOTHING)): FileDigest {
  return (digests) => (digests.length > 1 ? outer(digests) : (digests[0] ?? none));
}
const over: FileDigest = (digests) => sha1(concatBytes(digests));
const hexOf = (digests: readonly Bytes[], mark = ''): string => digests.map(hexadecimal).join(mark);
const hashed = (text: string): Bytes => sha1(utf8(text));
const xor: FileDigest = (digests) => digests.reduce((sum, digest) => sum.map((byte, i) => byte ^ (digest[i] ?? 0)));

/** Other digests than that of a single block, or the SHA-1 over the digests of several. */
export const FILE_DIGESTS: Kind<FileDigest> = tabular('use the SHA-1 of a single block, or of several blocks the SHA-1 over their 20-byte SHA-1s', {
  'always-over: is hashed again for a single block': over,
  'first: is the digest of the first block': (d) => d[0] ?? sha1(NOTHING),
  'last: is the digest of the last block': (d) => d.at(-1) ?? sha1(NOTHING),
  'hex: is the SHA-1 over the block digests in hexadecimal': several((d) => hashed(hexOf(d))),
  'hex-always: is the SHA-1 over the block digests in hexadecimal, even of one block': (d) => hashed(hexOf(d)),
  'upper-hex: is the SHA-1 over the block digests in upper-case hexadecimal': several((d) => hashed(hexOf(d).toUpperCase())),
  'hex-lines: is the SHA-1 over the block digests in hexadecimal, each on its line': several((d) => hashed(hexOf(d, '\n'))),
  'base64: is the SHA-1 over the block digests in Base64': several((d) => hashed(d.map(base64).join(''))),
  'base64-url: is the SHA-1 over the block digests in URL-safe Base64': several((d) => hashed(d.map(base64Url).join(''))),
  'without-last: is the SHA-1 over all block digests but the last': several((d) => over(d.slice(0, -1))),
  'without-first: is the SHA-1 over all block digests but the first': several((d) => over(d.slice(1))),
  'unhashed: is all block digests joined, and not hashed': several(concatBytes),
  'twice: is hashed twice for several blocks': several((d) => sha1(over(d))),
  'md5: is the MD5 over the block digests': several((d) => hash('md5', concatBytes(d))),
  'sha256: is the SHA-256 over the block digests': several((d) => hash('sha256', concatBytes(d))),
  'xor: is the exclusive or of the block digests': several(xor),
  'chained: is hashed step by step, the result so far with the next block digest': several((d) => d.reduce((a, b) => over([a, b]))),
  'each-once: is the SHA-1 over the block digests without repetitions': several((d) => over(distinct(d))),
  'zeros: is 20 zero bytes for an empty file': several(over, new Uint8Array(20)),
  'nothing: is left out for an empty file': several(over, NOTHING),
});

type Content = (content: Bytes) => Bytes;

function before(end: number): Content {
  return (content) => (content.includes(end) ? content.subarray(0, content.indexOf(end)) : content);
}

/** Copies byte by byte. `write` returns one byte, or a number above 255 for two bytes, or -1 to drop the byte. */
function copied(write: (byte: number) => number, crOfCrlf = write(CR)): Content {
  const codes = Int32Array.from({ length: 256 }, (_, byte) => write(byte));
  return (content) => {
    const bytes = new Uint8Array(2 * content.length);
    let end = 0;
    for (let i = 0; i < content.length; i++) {
      const byte = content[i] ?? 0;
      const code = byte === CR && content[i + 1] === LF ? crOfCrlf : (codes[byte] ?? 0);
      if (code > 255) bytes[end++] = code >> 8;
      if (code >= 0) bytes[end++] = code;
    }
    return bytes.subarray(0, end);
  };
}
const twoBytes = (byte: number): number => ((0xc0 | (byte >> 6)) << 8) | (0x80 | (byte & 0x3f));
const withoutMark: Content = (content) => ([0xef, 0xbb, 0xbf].every((byte, i) => content[i] === byte) ? content.subarray(3) : content);
const withoutFinalBreak: Content = (content) => (content.at(-1) === LF ? content.subarray(0, content.at(-2) === CR ? -2 : -1) : content);
const withoutNul = copied((byte) => (byte === 0 ? -1 : byte));
export function withoutNulAndEnd(content: Bytes): Bytes {
  const left = withoutNul(content);
  return left.subarray(0, left.findLastIndex((byte) => byte !== LF) + 1);
}
const withBreak: Content = (content) => concatBytes([content, Uint8Array.of(LF)]);

/** Fills the last buffer up: with zeros, or with the bytes of the buffer before it. */
export function wholeBuffers(content: Bytes, size: number, stale = false): Bytes {
  const rest = content.length % size;
  if (rest === 0) return content;
  const held = content.subarray(-size, content.length - rest);
  return concatBytes([content, stale && content.length > size ? held : new Uint8Array(size - rest)]);
}

/** Wrong readings of the bytes of the file. */
export const CONTENTS: Kind<Content> = kind('read {noun} as bytes from its first to its last byte', [
  ...table<Content>({
    'crlf-as-lf: has LF for CRLF': copied((byte) => byte, -1),
    'breaks-as-lf: has LF for CRLF and CR': copied((b) => (b === CR ? LF : b), -1),
    'lf-as-crlf: has CRLF for LF': copied((b) => (b === LF ? 0x0d0a : b)),
    'without-breaks: loses all line breaks': copied((b) => (b === CR || b === LF ? -1 : b)),
    'latin-1: is read as Latin-1 and hashed as UTF-8': copied((b) => (b < 128 ? b : twoBytes(b))),
    'utf-8: is decoded as UTF-8, with U+FFFD for invalid bytes': (c) => utf8(fromUtf8(c)),
    'utf-8-without-mark: is decoded as UTF-8, which removes a byte order mark': (c) => utf8(fromUtf8(c, false)),
    'without-mark: loses its byte order mark': withoutMark,
    'to-nul: ends before its first NUL': before(0),
    'to-1a: ends before its first 0x1A, as in the text mode of Windows': before(0x1a),
    'to-ff: ends before its first byte 0xFF, which is read as EOF': before(0xff),
    'without-last: loses its last byte': (c) => c.subarray(0, -1),
    'without-first: loses its first byte': (c) => c.subarray(1),
    'without-final-break: loses a line break at its end': withoutFinalBreak,
    'in-shell: loses NUL bytes and the line feeds at its end, as in a variable of a shell': withoutNulAndEnd,
    'with-break: has a line feed added at its end': withBreak,
    'empty: is not read, as from a stream that is already at its end': () => NOTHING,
  }),
  ...[4, 16, 32, 128, 256, 512, 1024].map((kib): Change<Content> => [`first-${kib}`, `ends after ${kib} KiB, as after one read`, (c) => c.subarray(0, kib * KIB), { cost: 2 }]),
  ...[8, 64, 4096].flatMap((kib) =>
    table<Content>({
      [`first-${kib}: ends after ${kib} KiB, as after one read`]: (c) => c.subarray(0, kib * KIB),
      [`zeros-${kib}: is filled with zeros to a multiple of ${kib} KiB`]: (c) => wholeBuffers(c, kib * KIB),
      [`stale-${kib}: is filled to a multiple of ${kib} KiB with bytes of the read before`]: (c) => wholeBuffers(c, kib * KIB, true),
    }),
  ),
]);
