/**
 * Changes of the steps of the ETag (§2).
 *
 * @module
 */
import { hash, sha1, sha1Hash } from '#digest';
import { base64, concatBytes, hexadecimal, utf8Bytes } from '../../signing/bytes.ts';
import { blockHash, countBytes } from '../../signing/etag.ts';
import type { Steps } from '../../signing/index.ts';
import { hashLabel } from '../changes/bytes.ts';
import { type Around, type Bytes, type Change, type ChangeNotes, type Kind, kind } from '../changes/change.ts';
import { CONTENTS, wholeBuffers, withoutNulAndEnd } from '../changes/etag.ts';
import { type Instead, refuse } from './shared.ts';

type Cut = (content: Bytes, size: number) => readonly Bytes[];

const blocksOf: Cut = (content, size) => (Number.isFinite(size) ? Array.from({ length: Math.ceil(content.length / size) }, (_, i) => content.subarray(i * size, (i + 1) * size)) : [content]);

/** Keeps the content in memory, cuts it into blocks with `cut` and hashes each block. */
function createCutHash(cut: Cut, hashed: (block: Bytes) => Bytes = sha1): Steps['blockHash'] {
  return (size) => {
    const pieces: Bytes[] = [];
    return { update: (piece) => void pieces.push(piece.slice()), digests: () => cut(concatBytes(pieces), size).map((block) => hashed(block)) };
  };
}

const NOTHING = new Uint8Array();

/** Changes the content before it is cut into blocks. */
const ofContent = (read: (content: Bytes, size: number) => Bytes): Steps['blockHash'] => createCutHash((c, size) => blocksOf(read(c, size), size));

const eachBlock = (change: (block: Bytes, at: number, size: number) => Bytes): Steps['blockHash'] => createCutHash((c, size) => blocksOf(c, size).map((block, at) => change(block, at, size)));

/** Changes the digest of the file, too. */
const withDigest = (fileDigest: Around<'fileDigest'>, notes: ChangeNotes = {}): ChangeNotes => ({ ...notes, also: { fileDigest: (right) => (digests) => fileDigest(right, digests) } });

const HASHED = new WeakMap<Bytes, Bytes>();

/** The same digest for the same block, so that a later step can tell that it is the same. */
function hashedOnce(block: Bytes): Bytes {
  const digest = HASHED.get(block) ?? sha1(block);
  HASHED.set(block, digest);
  return digest;
}

const wholeForEach = createCutHash((c, size) => blocksOf(c, size).map(() => c), hashedOnce);

const wholeIf = (isSingle: (length: number, size: number) => boolean): Steps['blockHash'] => createCutHash((c, size) => (isSingle(c.length, size) ? blocksOf(c, size).map(() => c) : blocksOf(c, size)), hashedOnce);

const HASHED_WHOLE = withDigest((right, digests) => right(digests.length === 2 && digests[0] === digests[1] ? digests.slice(0, 1) : digests), {
  fix: 'hash a file whole only if it has at most 4 MiB',
  cost: 2,
});

/** Never starts a new hash. */
const hashedFromStart: Steps['blockHash'] = (size) => {
  const { update, digests } = createCutHash(blocksOf, (block) => block)(size);
  return {
    update,
    digests: () => {
      const hash = sha1Hash();
      return digests().map((block) => {
        hash.update(block);
        return hash.digestSoFar();
      });
    },
  };
};

const BUFFER = 64 * 1024;

const LARGEST_PADDING = 8 * 1024 * 1024;

const padded = (block: Bytes, size: number): Bytes => concatBytes([block, new Uint8Array(Math.max(0, Math.min(size, LARGEST_PADDING) - block.length))]);

const isOfNothing = (digest: Bytes): boolean => hexadecimal(digest).startsWith('da39a3ee5e6b4b0d');

/** The digests of blocks that do not count, by the list of those that do. */
const UNCOUNTED_DIGESTS = new WeakMap<readonly Bytes[], readonly Bytes[]>();

/** Whether a short last block does not count, by its share of a whole block and the number of blocks. */
type IsUncounted = (share: number, count: number) => boolean;

const UNCOUNTED: readonly (readonly [id: string, clause: string, isUncounted: IsUncounted])[] = [
  ['counted-whole', 'is counted without a short last block', () => true],
  ['counted-whole-at-least-one', 'is counted without a short last block, but as one block at least', (_, count) => count > 1],
  ['counted-by-rounding', 'is counted as its size divided by 4 MiB, rounded to the nearest number', (share) => share < 0.5],
  ['counted-by-rounding-at-least-one', 'is counted as its size divided by 4 MiB, rounded to the nearest number, but as one block at least', (share, count) => share < 0.5 && count > 1],
];

type Split = (all: readonly Bytes[], length: number, size: number) => readonly [counted: readonly Bytes[], uncounted: readonly Bytes[]];

/** Hashes all blocks; `split` says which of the digests count. */
function createSplitHash(split: Split): Steps['blockHash'] {
  return (size) => {
    let length = 0;
    const { update, digests } = createCutHash(blocksOf)(size);
    return {
      update: (piece) => {
        length += piece.length;
        update(piece);
      },
      digests: () => {
        const [counted, uncounted] = split(digests(), length, size);
        UNCOUNTED_DIGESTS.set(counted, uncounted);
        return counted;
      },
    };
  };
}

/** Does not count a short last block. */
const shortBlock =
  (isUncounted: IsUncounted): Split =>
  (all, length, size) => {
    const rest = length % size;
    return rest === 0 || !isUncounted(rest / size, all.length) ? [all, []] : [all.slice(0, -1), all.slice(-1)];
  };

/** Does not count an empty block after a full last one of several. */
const emptyBlock: Split = (all, length, size) => [all, all.length > 1 && length % size === 0 ? [sha1(new Uint8Array())] : []];

const withUncounted: Around<'fileDigest'> = (right, digests) => right([...digests, ...(UNCOUNTED_DIGESTS.get(digests) ?? [])]);

/** From how many full blocks on an empty one follows; `clause` says it after "if its size is a multiple of 4 MiB". */
const WHEN_FULL: readonly (readonly [id: string, clause: string, least: number])[] = [
  ['', ', even 0', 0],
  ['-unless-empty', ', but not 0', 1],
  ['-of-several', ' and at least 8 MiB', 2],
];

const endedByEmpty = (least: number): Steps['blockHash'] => createCutHash((c, size) => [...blocksOf(c, size), ...(c.length % size === 0 && c.length >= least * size ? [new Uint8Array()] : [])]);

const withoutEmpty = (digests: readonly Uint8Array[]): readonly Uint8Array[] => digests.filter((digest) => !isOfNothing(digest));

const largeIfFull: Around<'fileDigest'> = (right, digests) => {
  const own = withoutEmpty(digests);
  return own.length === 1 && digests.length > 1 ? sha1(concatBytes(own)) : right(own);
};

const largeWithoutEmpty: Around<'fileDigest'> = (right, digests) => (digests.length > 1 ? sha1(concatBytes(withoutEmpty(digests))) : right(digests));

const chained: Steps['blockHash'] = (size) => {
  const { update, digests } = createCutHash(blocksOf, (block) => block)(size);
  let before: Bytes = NOTHING;
  const chain = (block: Bytes): Bytes => {
    before = sha1(concatBytes([before, block]));
    return before;
  };
  return { update, digests: () => digests().map(chain) };
};

const ROUND_UP = 'make as many blocks as the size divided by 4 MiB, rounded up, and no empty block';

const wholeBlocks: Cut = (content, size) => blocksOf(content, size).filter(({ length }, i) => i === 0 || length === size);

/** What a buffer for all blocks holds at the end, cut to the length of each block. */
function lastInBuffer(blocks: readonly Bytes[]): readonly Bytes[] {
  const buffer = new Uint8Array(blocks[0]?.length ?? 0);
  for (const block of blocks) buffer.set(block);
  return blocks.map(({ length }) => buffer.subarray(0, length));
}

export const READINGS: Instead<'blockHash'> = kind('cut the content into blocks of 4 MiB, with the rest as a shorter last block', [
  ...CONTENTS.changes.map(([id, clause, read, notes]): Change<Steps['blockHash']> => [id, clause, ofContent(read), { fix: CONTENTS.fix, ...notes }]),
  [
    'one-block-in-shell',
    'loses NUL bytes and the line feeds at its end if it has one block, as in a variable of a shell',
    createCutHash((content, size) => (content.length > size ? blocksOf(content, size) : blocksOf(content, size).map(withoutNulAndEnd))),
    { cost: 2 },
  ],
  ...WHEN_FULL.map(([id, clause, least]): Change<Steps['blockHash']> => {
    return [`with-empty-last-block${id}`, `has one empty block too many if its size is a multiple of 4 MiB${clause}`, endedByEmpty(least), { fix: ROUND_UP }];
  }),
  ...WHEN_FULL.map(([id, clause, least]): Change<Steps['blockHash']> => {
    const notes = withDigest((right, digests) => right(withoutEmpty(digests)), { fix: ROUND_UP });
    return [`counted-once-more-if-full${id}`, `is counted as one block too many if its size is a multiple of 4 MiB${clause}`, endedByEmpty(least), notes];
  }),
  [
    'counted-once-more-as-large',
    'is counted as one block too many if its size is a multiple of 4 MiB, and hashed like a larger file if it has exactly 4 MiB',
    endedByEmpty(0),
    withDigest(largeIfFull, { fix: ROUND_UP, cost: 2 }),
  ],
  ...WHEN_FULL.slice(0, 2).map(([id, clause, least]): Change<Steps['blockHash']> => {
    const said = `is counted as one block too many if its size is a multiple of 4 MiB${clause}, and hashed with an empty block from 8 MiB on`;
    const notes = withDigest((right, digests) => right(withoutEmpty(digests).length < 2 ? withoutEmpty(digests) : digests), { fix: ROUND_UP, cost: 2 });
    return [`counted-once-more-hashed-of-several${id}`, said, endedByEmpty(least), notes];
  }),
  [
    'ended-by-empty-block',
    'is hashed with an empty last block, which is not counted, if its size is a multiple of 4 MiB and at least 8 MiB',
    createSplitHash(emptyBlock),
    withDigest(withUncounted, { fix: 'stop at the end of the file, and hash no empty block', cost: 2 }),
  ],
  ['empty-refused', 'is refused, or leads to an exception, if it is empty', ofContent((c) => (c.length === 0 ? refuse('text', 'the content is empty') : c)), { fix: 'accept an empty content' }],
  [
    'last-block-for-each',
    'is hashed after all blocks were read into one buffer, so earlier blocks have the bytes of later ones',
    createCutHash((c, size) => lastInBuffer(blocksOf(c, size))),
    { fix: 'hash each block before you read the next one, or read each block into a buffer of its own', cost: 2 },
  ],
  ['blocks-from-start', 'is hashed with one SHA-1 for all blocks, so the hash of each block includes all blocks before it', hashedFromStart, { fix: 'start a new SHA-1 for each block' }],
  [
    'short-last-block-unhashed',
    'is hashed without a short last block, which is counted, if it has several blocks',
    eachBlock((block, at, size) => (at === 0 || block.length === size ? block : NOTHING)),
    withDigest(largeWithoutEmpty),
  ],
  ['without-short-block', 'loses a short last block if it has several blocks', createCutHash(wholeBlocks)],
  [
    'without-short-block-by-size',
    'loses a short last block if it has several blocks, but is hashed like a file of several blocks',
    createSplitHash(shortBlock((_, count) => count > 1)),
    withDigest((right, digests) => (UNCOUNTED_DIGESTS.get(digests)?.length ? sha1(concatBytes(digests)) : right(digests)), { fix: 'hash and count the rest of the file as a shorter last block', cost: 2 }),
  ],
  ['short-last-block-padded', 'has a short last block padded with zeros if it has several blocks', eachBlock((block, at, size) => (at === 0 ? block : padded(block, size)))],
  ['short-block-padded', 'has a short last block padded with zeros', eachBlock((block, _, size) => padded(block, size))],
  ['single-below-two', 'is hashed whole if it is smaller than two blocks', wholeIf((length, size) => length < 2 * size), HASHED_WHOLE],
  ['single-up-to-two', 'is hashed whole if it is not larger than two blocks', wholeIf((length, size) => length <= 2 * size), HASHED_WHOLE],
  ['one-read-of-each-block', 'has only the first 64 KiB of each block', eachBlock((block) => block.subarray(0, BUFFER)), { fix: 'read until the block is full or the file ends' }],
  ['whole-buffers', 'is followed by bytes left over from an earlier read', ofContent((c) => wholeBuffers(c, BUFFER, true)), { fix: 'hash only as many bytes of the buffer as each read returned' }],
  ['whole-blocks', 'has a short last block that ends with bytes of the block before', ofContent((c, size) => (c.length > size ? wholeBuffers(c, size, true) : c)), { fix: 'hash only the bytes of the last block' }],
  ...UNCOUNTED.map(([id, clause, isUncounted]): Change<Steps['blockHash']> => {
    return [id, clause, createSplitHash(shortBlock(isUncounted)), withDigest(withUncounted, { fix: 'divide the size by 4 MiB and round up' })];
  }),
  [
    'chained',
    'has each block hashed together with the hash of the blocks before it',
    chained,
    withDigest((_, digests) => digests.at(-1) ?? sha1(NOTHING), { fix: 'hash each block alone, then hash the SHA-1 values of all blocks together' }),
  ],
  ['whole-content-as-block', 'is hashed as a whole for each block', wholeForEach, { fix: 'hash only the bytes of one block for the hash of that block' }],
  [
    'full-block-as-large',
    'is hashed twice if it has exactly 4 MiB',
    createCutHash((c, size) => (c.length === size ? [sha1(c)] : blocksOf(c, size))),
    { fix: 'hash the SHA-1 values of the blocks only if there are several blocks' },
  ],
  ['single-hash', 'is hashed as one block, whatever its size', wholeForEach, withDigest((right, digests) => right(digests.slice(0, 1)), { fix: 'above 4 MiB, compute the SHA-1 over the SHA-1 values of the blocks' })],
  ...(['md5', 'sha256', 'sha384', 'sha512'] as const).map((name): Change<Steps['blockHash']> => {
    const ofBlock = createCutHash(blocksOf, (block) => hash(name, block));
    const notes = withDigest((_, digests) => (digests.length === 1 && digests[0] ? digests[0] : hash(name, concatBytes(digests))), { fix: 'hash the blocks, and their digests, with SHA-1' });
    return [`in-${name}`, `is hashed with ${hashLabel(name)} instead of SHA-1`, ofBlock, notes];
  }),
]);

/** The same readings of a part, which has no blocks. */
export const PART_CONTENTS: Instead<'partHash'> = kind(
  'compute the SHA-1 of the whole part, without blocks',
  READINGS.changes.map(([id, clause, read, { fix, ...notes } = {}]) => [id, clause, read, fix === CONTENTS.fix ? { ...notes, fix } : notes]),
);

/** The digest or the ETag of a file as the only digest of a part. */
const hashedAsFile =
  (hasCount: boolean): Steps['partHash'] =>
  (_, context) => {
    const { steps } = context;
    const { update, digests } = steps.blockHash(steps.blockSize);
    return {
      update,
      digests: () => {
        const own = steps.hashedBlocks(digests());
        const digest = steps.etagDigest(steps.fileDigest(own));
        return [hasCount ? steps.etagBytes(own.length, digest, context) : digest];
      },
    };
  };

/** The number of blocks of a part, and the digest of the whole part. */
const countedPart: Steps['partHash'] = (size, { steps }) => {
  const { update, digests } = blockHash(size);
  let length = 0;
  return {
    update(piece) {
      length += piece.length;
      update(piece);
    },
    digests() {
      const [digest = sha1(new Uint8Array())] = digests();
      return [concatBytes([countBytes(Math.ceil(length / steps.blockSize)), digest])];
    },
  };
};

export const PART_READINGS: Instead<'partHash'> = kind('encode only the SHA-1 of the whole part, without a block count', [
  ['as-file', 'is computed like the ETag of a file, with blocks and a block count', hashedAsFile(true)],
  ['counted', 'has the number of its blocks before the SHA-1 of the whole part', countedPart],
  ['as-blocks', 'is the digest of a file in blocks, without a block count', hashedAsFile(false)],
]);

export const DIGEST_BYTES: Kind<(digest: Bytes) => Bytes> = kind('use the 20 bytes of the SHA-1 as {noun}', [
  ['hexadecimal', 'is written in hexadecimal', (digest) => utf8Bytes(hexadecimal(digest))],
  ['reversed', 'has its bytes reversed', (digest) => digest.toReversed()],
  ['cut-at-16', 'is cut to 16 bytes', (digest) => digest.subarray(0, 16)],
  ['zeros', 'is all zeros if the content is empty', (digest) => (isOfNothing(digest) ? new Uint8Array(20) : digest)],
  ['empty', 'is missing if the content is empty', (digest) => (isOfNothing(digest) ? new Uint8Array() : digest)],
  ['hashed-again', 'is hashed again', sha1],
  ['base64', 'is written in Base64', (digest) => utf8Bytes(base64(digest)), { cost: 2 }],
]);

const COUNT_OF_ONE = Uint8Array.of(1, 0, 0, 0);

export const PART_BYTES: Instead<'partEtagBytes'> = kind('use only the 20 bytes of the SHA-1 as {noun}', [
  ['with-count', 'has the block count before the SHA-1', (digest) => concatBytes([COUNT_OF_ONE, digest])],
  ['with-zero-count', 'has four zero bytes before the SHA-1', (digest) => concatBytes([new Uint8Array(4), digest]), { cost: 2 }],
  ['with-kind', 'has a byte 0x16 before the SHA-1, as in the hashes of Qiniu', (digest) => concatBytes([new Uint8Array([0x16]), digest])],
  ['with-big-count', 'has the block count before the SHA-1, in big-endian byte order', (digest) => concatBytes([COUNT_OF_ONE.toReversed(), digest]), { cost: 2 }],
  ['with-count-behind', 'has the block count after the SHA-1', (digest) => concatBytes([digest, COUNT_OF_ONE]), { cost: 2 }],
]);

/** An ETag of a file starts with the block count, least significant byte first; that of a part has only a hash. */
const isOfSeveral = (bytes: Bytes): boolean => bytes.length === 24 && (bytes[0] ?? 0) > 1;

export const ETAG_TEXTS: Kind<Around<'etagText'>> = kind('write {noun} in URL-safe Base64, whatever the number of blocks', [
  ['standard-if-several', 'is in standard Base64 if the file has several blocks', (right, bytes) => (isOfSeveral(bytes) ? base64(bytes) : right(bytes)), { cost: 2 }],
  ['standard-if-one', 'is in standard Base64 unless the file has several blocks', (right, bytes) => (isOfSeveral(bytes) ? right(bytes) : base64(bytes)), { cost: 2 }],
  ['hexadecimal-if-several', 'is in hexadecimal if the file has several blocks', (right, bytes) => (isOfSeveral(bytes) ? hexadecimal(bytes) : right(bytes)), { cost: 2 }],
]);
