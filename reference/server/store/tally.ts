/**
 * What all records together are: how many, and one number that changes with each of them.
 *
 * Every write to the database takes the tally along. So a record that is missing, of another time or too many shows,
 * whatever part of the database was damaged.
 *
 * @module
 */

export interface Tally {
  /** How many writes there were, each of one or more changes. */
  readonly writes: number;
  readonly records: number;
  /** The exclusive or of the checksums of all records, in hexadecimal. */
  readonly sum: string;
}

/** Sorts after all names of records (`record-names.ts`), and is within none of their stretches. */
export const TALLY = 'zz-tally';

export const NO_RECORDS: Tally = { writes: 0, records: 0, sum: '0' };

/** A tally that is being counted. */
export interface Count {
  /** Takes a record in. */
  readonly add: (checksum: string) => void;
  /** Takes a record out. */
  readonly remove: (checksum: string) => void;
  readonly total: (writes: number) => Tally;
}

export function countFrom({ records, sum }: Tally): Count {
  let count = records;
  let all = numberOf(sum);
  return {
    add(checksum) {
      count += 1;
      all ^= numberOf(checksum);
    },
    remove(checksum) {
      count -= 1;
      all ^= numberOf(checksum);
    },
    total: (writes) => ({ writes, records: count, sum: all.toString(16) }),
  };
}

/** Zero of what is no number: a damaged checksum leaves a tally that does not fit, which is right. */
function numberOf(hexadecimal: string): bigint {
  return /^[0-9a-f]{1,32}$/.test(hexadecimal) ? BigInt(`0x${hexadecimal}`) : 0n;
}
