/**
 * Buckets that are there from the start.
 *
 * @module
 */
import { checkedValues } from './actions/action.ts';
import { createBucket } from './actions/create-bucket.ts';
import type { BucketSeed } from './options.ts';
import type { Service } from './service.ts';

/** Creates what is not there yet; what is there stays as it is. */
export async function seeded(service: Service, seeds: readonly BucketSeed[]): Promise<void> {
  for (const { name, type = 'private' } of seeds) {
    const sent = new Map([
      ['BucketName', name],
      ['Type', type],
    ]);
    const values = checkedValues(createBucket.parameters, sent);
    if (!(await service.store.bucket(name))) await createBucket.answer(values, service);
  }
}
