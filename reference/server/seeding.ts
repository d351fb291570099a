/**
 * Buckets that are there from the start.
 *
 * @module
 */
import { type CheckedValues, checkedValues, type Values } from './actions/action.ts';
import { createBucket } from './actions/create-bucket.ts';
import { ACTION_ERRORS } from './errors.ts';
import type { BucketSeed } from './options.ts';
import type { Service } from './service.ts';
import { ServiceError } from './service-error.ts';

/** Creates what is not there yet; what is there stays as it is. */
export async function seeded(service: Service, seeds: readonly BucketSeed[]): Promise<void> {
  for (const { name, type = 'private' } of seeds) {
    const sent = new Map([
      ['BucketName', name],
      ['Type', type],
    ]);
    const values = checked(sent);
    if (!(await service.store.bucket(name))) await createBucket.answer(values, service);
  }
}

/** The service has a code for an illegal name; who starts it is told what a legal one is. */
function checked(sent: Values): CheckedValues {
  try {
    return checkedValues(createBucket.parameters, sent);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== ACTION_ERRORS.nameIllegal.code)
      throw error;
    throw new Error(
      `${error.message}; write 3 to 63 small letters, digits and hyphens, with no hyphen at its ends`,
    );
  }
}
