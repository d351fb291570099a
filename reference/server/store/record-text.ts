/**
 * How a record is written: as JSON, on disk with a checksum before it.
 *
 * @module
 */
import { createHash } from 'node:crypto';

export interface RecordText {
  readonly encode: (name: string, value: unknown) => string;
  /** Throws `DamagedRecord` where the text is not what was written under this name. */
  readonly decode: (name: string, text: string) => unknown;
}

/** A record whose text does not fit its checksum. */
export class DamagedRecord extends Error {
  override readonly name = 'DamagedRecord';
}

/** In memory, where nothing changes by itself. */
export const PLAIN: RecordText = {
  encode: (_, value) => JSON.stringify(value),
  decode: (_, text) => JSON.parse(text),
};

/** Characters of a checksum: 128 bits in hexadecimal. */
const LENGTH = 32;

/** The checksum covers the name too, so that no record is taken for another. */
export const CHECKED: RecordText = {
  encode(name, value) {
    const json = JSON.stringify(value);
    return checksum(name, json) + json;
  },
  decode(name, text) {
    const json = text.slice(LENGTH);
    if (checksumOf(text) === checksum(name, json)) return JSON.parse(json);
    throw new DamagedRecord(`the record ${JSON.stringify(name)} does not fit its checksum`);
  },
};

/** Reads format 1 too, in which records have no checksum. */
export const CHECKED_OR_PLAIN: RecordText = {
  encode: CHECKED.encode,
  decode(name, text) {
    if (!isPlain(text)) return CHECKED.decode(name, text);
    try {
      return PLAIN.decode(name, text);
    } catch {
      throw new DamagedRecord(`the record ${JSON.stringify(name)} is no JSON`);
    }
  },
};

/** The checksum that stands in a text. */
export const checksumOf = (text: string): string => text.slice(0, LENGTH);

/** Whether a text is JSON of an object, an array or a string, and so has no checksum. */
export const isPlain = (text: string): boolean => /^[{["]/.test(text);

function checksum(name: string, json: string): string {
  const hash = createHash('sha256').update(name).update('\0').update(json);
  return hash.digest('hex').slice(0, LENGTH);
}
