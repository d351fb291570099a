/**
 * DeleteBucket: only an empty one.
 *
 * @module
 */
import { ACTION_ERRORS, serviceError } from '../errors.ts';
import { type Action, BUCKET_NAME, namedBucket, PROJECT } from './action.ts';

export const deleteBucket: Action = {
  name: 'DeleteBucket',
  parameters: [BUCKET_NAME, PROJECT],
  answer: async (values, service) => {
    const { name, id } = await namedBucket(values, service);
    const result = await service.store.deleteBucket(name);
    if (result === 'unknown') {
      throw serviceError(ACTION_ERRORS.bucketUnknown, JSON.stringify(name));
    }
    if (result === 'not empty') {
      throw serviceError(ACTION_ERRORS.bucketNotEmpty, JSON.stringify(name));
    }
    return { BucketName: name, BucketId: id };
  },
};
