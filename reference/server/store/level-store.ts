/**
 * The store, over any records and contents.
 *
 * @module
 */
import type { Context } from '../../signing/index.ts';
import { bucketStore } from './buckets.ts';
import { faultsOf } from './check.ts';
import { type Contents, received } from './contents.ts';
import { leases } from './leases.ts';
import { objectStore } from './objects.ts';
import { readings } from './readings.ts';
import type { Records } from './records.ts';
import type { Store, WantedSums } from './store.ts';
import { turns } from './turns.ts';
import { uploadStore } from './uploads.ts';

export interface StoreOptions {
  /** Its steps compute the ETags. */
  readonly context: Context;
}

const ALL_SUMS: WantedSums = { partEtag: true, md5: true };

export function levelStore(
  records: Records,
  contents: Contents,
  { context }: StoreOptions,
  recovered: readonly string[] = [],
): Store {
  const backing = { records, contents, leases: leases(contents.remove), turns: turns() };
  return {
    ...bucketStore(backing),
    ...objectStore(backing),
    ...readings(backing),
    ...uploadStore(backing),
    content: (pieces, wanted = ALL_SUMS) => received(pieces, contents, wanted, context),
    discard: ({ id }) => backing.leases.discard([id]),
    recovered,
    faults: () => faultsOf(records, contents),
    close: () => records.close(),
  };
}
