/**
 * ETag mistakes: how a file is read, cut into blocks and hashed (§2, §8).
 *
 * @module
 */
import { sha1 } from '#digest';
import { fileDigest } from '../signing/etag.ts';
import { hexadecimal } from '../signing/hexadecimal.ts';
import type { Steps } from '../signing/index.ts';
import { utf8Bytes } from '../signing/utf-8.ts';
import type { Mistake } from './mistake.ts';

type Bytes = Uint8Array;

const NOTHING: Bytes = new Uint8Array();
const KIB = 1024;
/** What streams hand out at once, and the size of many buffers. */
const BUFFER = 64 * KIB;
const CR = 13;
const LF = 10;

function joined(...pieces: readonly Bytes[]): Bytes {
  const bytes = new Uint8Array(pieces.reduce((size, { length }) => size + length, 0));
  let end = 0;
  for (const piece of pieces) {
    bytes.set(piece, end);
    end += piece.length;
  }
  return bytes;
}

const blocksOf = (content: Bytes, size: number): readonly Bytes[] =>
  Array.from({ length: Math.ceil(content.length / size) }, (_, i) =>
    content.subarray(i * size, (i + 1) * size),
  );

/** A whole file in memory, of which `cut` makes the blocks that are hashed. */
const cutting = (
  cut: (content: Bytes, size: number) => readonly Bytes[],
): Pick<Steps, 'blockHash'> => ({
  blockHash: (size) => {
    const pieces: Bytes[] = [];
    return {
      update: (piece) => void pieces.push(piece.slice()),
      digests: () => cut(joined(...pieces), size).map(sha1),
    };
  },
});

/** A file of which other bytes are read than it holds. */
const reading = (read: (content: Bytes) => Bytes): Pick<Steps, 'blockHash'> =>
  cutting((content, size) => blocksOf(read(content), size));

/** A buffer that is hashed to its end keeps behind the last bytes what it held before. */
function wholeBuffers(content: Bytes): Bytes {
  const rest = content.length % BUFFER;
  if (rest === 0) return content;
  const before = content.subarray(Math.max(0, content.length - BUFFER), content.length - rest);
  return joined(content, before.length > 0 ? before : new Uint8Array(BUFFER - rest));
}

/** Text mode: `CR LF` comes in as `LF`. */
const withoutCarriageReturns = (content: Bytes): Bytes =>
  content.includes(CR)
    ? content.filter((byte, i) => byte !== CR || content[i + 1] !== LF)
    : content;

const withoutFinalLineEnd = (content: Bytes): Bytes =>
  content.at(-1) === LF ? content.subarray(0, content.at(-2) === CR ? -2 : -1) : content;

const upToNul = (content: Bytes): Bytes =>
  content.includes(0) ? content.subarray(0, content.indexOf(0)) : content;

const decoded = (content: Bytes, keepMark: boolean): Bytes =>
  new TextEncoder().encode(new TextDecoder('utf-8', { ignoreBOM: keepMark }).decode(content));

/** Each byte becomes the character of its number, and that its UTF-8 bytes. */
function asCharacters(content: Bytes): Bytes {
  let beyondAscii = 0;
  for (let i = 0; i < content.length; i++) beyondAscii += (content[i] ?? 0) >> 7;
  if (beyondAscii === 0) return content;
  const bytes = new Uint8Array(content.length + beyondAscii);
  let end = 0;
  for (const byte of content) {
    if (byte > 127) bytes[end++] = 0xc0 | (byte >> 6);
    bytes[end++] = byte > 127 ? 0x80 | (byte & 0x3f) : byte;
  }
  return bytes;
}

export const ETAG_DIGESTS: readonly Mistake[] = [
  {
    id: 'etag-block-of-4-000-000',
    rule: '2/etag-mebibyte',
    swap: { blockSize: 4_000_000 },
    cause: 'a block has 4,000,000 bytes',
    fix: 'cut the file into blocks of 4,194,304 bytes',
  },
  {
    id: 'etag-block-of-8-mib',
    rule: '8/etag-block-size',
    swap: { blockSize: 8 * KIB * KIB },
    cause: 'a block has 8 MiB, as the parts of many S3 uploads do',
    fix: 'cut the file into blocks of 4 MiB',
  },
  {
    id: 'etag-block-per-read',
    rule: '8/etag-block-size',
    swap: { blockSize: BUFFER },
    cause: 'each piece of 64 KiB that a stream hands out counts as a block',
    fix: 'gather what is read into blocks of 4 MiB',
  },
  {
    id: 'etag-empty-last-block',
    rule: '2/etag-mebibyte',
    swap: cutting((content, size) => [
      ...blocksOf(content, size),
      ...(content.length % size === 0 ? [NOTHING] : []),
    ]),
    cause: 'an empty block is counted behind a full last one',
    fix: 'round the size divided by 4 MiB up, without adding one where nothing is left over',
  },
  {
    id: 'etag-last-block-dropped',
    rule: '2/etag-blocks',
    swap: cutting((content, size) =>
      blocksOf(content, size).filter(({ length }, i) => i === 0 || length === size),
    ),
    cause: 'bytes after the last full block of 4 MiB are left out',
    fix: 'hash and count the last block too, however short it is',
  },
  {
    id: 'etag-last-block-padded',
    rule: '2/etag-small',
    swap: cutting((content, size) =>
      blocksOf(content, size).map((block) => joined(block, new Uint8Array(size - block.length))),
    ),
    cause: 'a short last block is filled up with zeros to 4 MiB',
    fix: 'hash only the bytes that the file has',
  },
  {
    id: 'etag-whole-buffer-hashed',
    rule: '2/etag-small',
    swap: reading(wholeBuffers),
    cause: 'the whole buffer of 64 KiB is hashed after a read that filled a part of it',
    fix: 'hash as many bytes of the buffer as the read returned',
  },
  {
    id: 'etag-one-read-per-block',
    rule: '2/etag-small',
    swap: cutting((content, size) =>
      blocksOf(content, size).map((block) => block.subarray(0, BUFFER)),
    ),
    cause: 'one read of 64 KiB is taken for a whole block',
    fix: 'read on until the block is full or the file ends',
  },
  {
    id: 'etag-first-block-only',
    rule: '2/etag-large',
    swap: { fileDigest: (blocks) => fileDigest(blocks.slice(0, 1)) },
    cause: 'the digest of a large file is that of its first block',
    fix: 'take the SHA-1 over the SHA-1 values of all blocks',
  },
  {
    id: 'etag-single-hash',
    rule: '2/etag-large',
    swap: {
      ...cutting((content, size) => blocksOf(content, size).map(() => content)),
      fileDigest: (wholes) => fileDigest(wholes.slice(0, 1)),
    },
    cause: 'a file of any size gets the SHA-1 of all its bytes',
    fix: 'above 4 MiB take the SHA-1 over the SHA-1 values of the blocks',
  },
  {
    id: 'etag-hash-of-one-hash',
    rule: '2/etag-small',
    swap: { fileDigest: (blocks) => sha1(joined(...blocks)) },
    cause: 'the SHA-1 of the only block is hashed once more',
    fix: 'up to and including 4 MiB take the SHA-1 of the file itself',
  },
  {
    id: 'etag-4-mib-as-large',
    rule: '8/etag-block-size',
    swap: cutting((content, size) =>
      content.length === size ? [sha1(content)] : blocksOf(content, size),
    ),
    cause: 'the SHA-1 of the only block of a file of exactly 4 MiB is hashed once more',
    fix: 'compare with "at most 4 MiB", not with "less than 4 MiB"',
    once: 'only one size lies on the limit',
  },
  {
    id: 'etag-hash-of-hexadecimal',
    rule: '2/etag-large',
    swap: {
      fileDigest: (blocks) =>
        blocks.length > 1 ? sha1(utf8Bytes(blocks.map(hexadecimal).join(''))) : fileDigest(blocks),
    },
    cause: 'the hexadecimal texts of the block hashes are hashed',
    fix: 'hash the 20 bytes of each block hash',
  },
  {
    id: 'etag-blocks-reversed',
    rule: '2/etag-block-order',
    swap: { fileDigest: (blocks) => fileDigest(blocks.toReversed()) },
    cause: 'the block hashes are joined from the last to the first',
    fix: 'join the block hashes in the order of the data',
  },
  {
    id: 'etag-text-mode',
    rule: '2/etag-small',
    swap: reading(withoutCarriageReturns),
    cause: 'the file is read in text mode, which makes LF of CR LF',
    fix: 'open the file in binary mode',
  },
  {
    id: 'etag-universal-line-ends',
    rule: '2/etag-small',
    swap: reading((content) =>
      content.includes(CR)
        ? withoutCarriageReturns(content).map((byte) => (byte === CR ? LF : byte))
        : content,
    ),
    cause: 'the file is read in text mode, which makes LF of CR LF and of CR alone',
    fix: 'open the file in binary mode',
  },
  {
    id: 'etag-final-line-end-dropped',
    rule: '2/etag-small',
    swap: reading(withoutFinalLineEnd),
    cause: 'the line end at the end of the file is dropped',
    fix: 'read bytes and not lines',
  },
  {
    id: 'etag-end-at-nul',
    rule: '2/etag-small',
    swap: reading(upToNul),
    cause: 'the content ends at its first NUL',
    fix: 'hash as many bytes as were read, not a text that a NUL ends',
  },
  {
    id: 'etag-decoded-as-utf-8',
    rule: '2/etag-small',
    swap: reading((content) => decoded(content, true)),
    cause: 'the file is decoded as UTF-8, which replaces bytes that are none',
    fix: 'hash the bytes of the file without decoding them',
  },
  {
    id: 'etag-decoded-without-mark',
    rule: '2/etag-small',
    swap: reading((content) => decoded(content, false)),
    cause: 'the file is decoded as UTF-8 and loses its byte order mark',
    fix: 'hash the bytes of the file without decoding them',
  },
  {
    id: 'etag-bytes-as-characters',
    rule: '2/etag-small',
    swap: reading(asCharacters),
    cause: 'the bytes are held as characters of a text, which is hashed as UTF-8',
    fix: 'hash the bytes of the file, or say that the text is binary',
  },
];
