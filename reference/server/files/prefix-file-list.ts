/**
 * PrefixFileList: `GET /?list`, the files of a bucket by their prefix.
 *
 * @module
 */
import { type Answer, jsonAnswer } from '../answer.ts';
import type { FileCall, FileOperation } from '../service.ts';
import type { StoredObject } from '../store/store.ts';
import { isFrozen } from './object-headers.ts';
import { countOf } from './request-target.ts';

export const prefixFileList: FileOperation = {
  name: 'PrefixFileList',
  isPublicRead: false,
  answer,
};

const USUAL_LIMIT = 20;

/** More are not listed at once, whatever is asked for. */
export const LARGEST_PAGE = 1000;

async function answer({ service, bucket, query }: FileCall): Promise<Answer> {
  const limit = Math.min(countOf(query, 'limit', USUAL_LIMIT), LARGEST_PAGE);
  const found = await service.store.objects(bucket.name, {
    prefix: query.get('prefix') ?? '',
    after: query.get('marker') ?? '',
    limit: limit + 1,
  });
  const page = found.slice(0, limit);
  return jsonAnswer(200, {
    BucketName: bucket.name,
    BucketId: bucket.id,
    NextMarker: found.length > limit ? (page.at(-1)?.key ?? '') : '',
    DataSet: page.map((object) => entry(object, service.now())),
  });
}

function entry(object: StoredObject, now: number): object {
  return {
    BucketName: object.bucket,
    FileName: object.key,
    Hash: object.etag,
    MimeType: object.contentType,
    first_object: '',
    Size: object.size,
    CreateTime: object.createTime,
    ModifyTime: object.modifyTime,
    StorageClass: object.storageClass,
    RestoreStatus: restoreStatus(object, now),
  };
}

function restoreStatus(object: StoredObject, now: number): string {
  if (object.storageClass !== 'ARCHIVE') return '';
  return isFrozen(object, now) ? 'Frozen' : 'Restored';
}
