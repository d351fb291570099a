/**
 * What LevelDB's files are made of: numbers of seven bits a byte, checksums, and blocks that Snappy may have compressed.
 *
 * @module
 */

/** Reads the parts of a text one after the other; throws RangeError where it ends too early. */
export class Cursor {
  readonly bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  byte(): number {
    const byte = this.bytes.readUInt8(this.at);
    this.at += 1;
    return byte;
  }

  /** Seven bits a byte, the lowest first; the highest bit of a byte says that another follows. */
  varint(): number {
    let value = 0;
    for (let scale = 1; scale < 2 ** 63; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    throw new RangeError('a number has more than 63 bits');
  }

  slice(length: number): Buffer {
    const end = this.at + length;
    if (end > this.bytes.length) throw new RangeError(`${length} bytes are too many`);
    const slice = this.bytes.subarray(this.at, end);
    this.at = end;
    return slice;
  }

  /** Bytes after their count. */
  counted(): Buffer {
    return this.slice(this.varint());
  }
}

/** The remainders of all bytes by the reversed polynomial of CRC-32C. */
const REMAINDERS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++)
    rest = (rest & 1) === 1 ? (rest >>> 1) ^ 0x82f63b78 : rest >>> 1;
  return rest;
});

/** The state of a CRC-32C before its first byte. */
const NOTHING = -1;

const nextState = (state: number, byte: number): number =>
  (REMAINDERS[(state ^ byte) & 255] as number) ^ (state >>> 8);

/** As LevelDB writes it: rotated, with a number added, since checksums of checksums are weak. */
function masked(state: number): number {
  const sum = ~state >>> 0;
  return (((sum >>> 15) | (sum << 17)) + 0xa282ead8) >>> 0;
}

/** LevelDB's checksum of bytes. */
export function maskedSum(bytes: Buffer): number {
  let state = NOTHING;
  for (let at = 0; at < bytes.length; at++) state = nextState(state, bytes[at] as number);
  return masked(state);
}

export interface Extent {
  readonly offset: number;
  readonly size: number;
}

/** After each block: a byte for its compression, and four of a checksum of both. */
export const TRAILER = 5;

/** Whether a block fits its checksum. */
export const isIntact = (file: Buffer, { offset, size }: Extent): boolean =>
  offset + size + TRAILER <= file.length &&
  maskedSum(file.subarray(offset, offset + size + 1)) === file.readUInt32LE(offset + size + 1);

/** The intact block that begins at an offset, found by its checksum. */
export function blockAt(file: Buffer, offset: number): Extent | undefined {
  let state = NOTHING;
  for (let end = offset; end + TRAILER <= file.length; end++) {
    state = nextState(state, file[end] as number);
    if (masked(state) === file.readUInt32LE(end + 1)) return { offset, size: end - offset };
  }
  return undefined;
}

/** What is in a block; of a damaged one, as far as it can be read. */
export function blockContent(file: Buffer, { offset, size }: Extent): Buffer {
  const stored = file.subarray(offset, offset + size);
  return file[offset + size] === 0 ? stored : decompressed(stored);
}

/** Most bytes of a block that LevelDB writes here, far above what records take. */
const MOST = 64 * 1024 * 1024;

/** Snappy: its length, then pieces, each either bytes or a place further back to copy from. */
function decompressed(stored: Buffer): Buffer {
  const from = new Cursor(stored);
  let text = Buffer.alloc(0);
  let size = 0;
  try {
    text = Buffer.alloc(Math.min(from.varint(), MOST));
    while (!from.isAtEnd && size < text.length) {
      const tag = from.byte();
      const kind = tag & 3;
      if (kind === 0) {
        size += from.slice(literalLength(from, tag >>> 2)).copy(text, size);
        continue;
      }
      const length = kind === 1 ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1;
      const back = kind === 1 ? (tag >>> 5) * 256 + from.byte() : little(from, kind === 2 ? 2 : 4);
      if (back === 0 || back > size) break;
      // A piece may copy what it is still writing.
      for (let left = length; left > 0 && size < text.length; left--, size++) {
        text[size] = text[size - back] as number;
      }
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return text.subarray(0, size);
}

const literalLength = (from: Cursor, length: number): number =>
  (length < 60 ? length : little(from, length - 59)) + 1;

const little = (from: Cursor, bytes: number): number => from.slice(bytes).readUIntLE(0, bytes);
