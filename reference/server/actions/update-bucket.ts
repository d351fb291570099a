/**
 * UpdateBucket: its type and its storage class.
 *
 * @module
 */
import { ACTION_ERRORS, serviceError } from '../errors.ts';
import type { StorageClass } from '../store/store.ts';
import { type Action, BUCKET_NAME, namedBucket, PROJECT, TYPE } from './action.ts';

const CLASSES: readonly StorageClass[] = ['STANDARD', 'IA', 'ARCHIVE'];

export const updateBucket: Action = {
  name: 'UpdateBucket',
  parameters: [
    BUCKET_NAME,
    TYPE,
    { name: 'StorageClass', allows: new RegExp(`^(?:${CLASSES.join('|')})$`) },
    PROJECT,
  ],
  answer: async (values, service) => {
    const bucket = await namedBucket(values, service);
    const { Type, StorageClass: wanted } = values;
    const storageClass = CLASSES.find((one) => one === wanted) ?? bucket.storageClass;
    const type = Type === 'public' || Type === 'private' ? Type : bucket.type;
    const changed = { ...bucket, type, storageClass, modifyTime: service.now() };
    if ((await service.store.updateBucket(changed)) === 'unknown') {
      throw serviceError(ACTION_ERRORS.bucketUnknown, JSON.stringify(bucket.name));
    }
    return { BucketName: bucket.name, BucketId: bucket.id };
  },
};
