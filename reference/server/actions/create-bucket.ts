/**
 * CreateBucket (§4.1).
 *
 * @module
 */
import { randomUUID } from 'node:crypto';
import { ACTION_ERRORS, serviceError } from '../errors.ts';
import type { Bucket } from '../store/store.ts';
import { type Action, BUCKET_NAME, PROJECT, TYPE } from './action.ts';

/** §4.1 requires Type, the SDKs leave it out; they send a Region, which §4.1 does not have. */
export const createBucket: Action = {
  name: 'CreateBucket',
  parameters: [
    BUCKET_NAME,
    { ...TYPE, otherwise: 'private' },
    { name: 'Region', allows: /^[a-z0-9-]{1,63}$/ },
    { name: 'Tag' },
    PROJECT,
  ],
  answer: async ({ BucketName = '', Type, Region, Tag = '' }, { store, now, region }) => {
    const bucket: Bucket = {
      name: BucketName,
      id: `ufile-${randomUUID().slice(0, 8)}`,
      type: Type === 'public' ? 'public' : 'private',
      region: Region || region,
      tag: Tag,
      storageClass: 'STANDARD',
      createTime: now(),
      modifyTime: now(),
    };
    if ((await store.createBucket(bucket)) === 'taken') {
      throw serviceError(ACTION_ERRORS.nameTaken, JSON.stringify(BucketName));
    }
    return { BucketName, BucketId: bucket.id };
  },
};
