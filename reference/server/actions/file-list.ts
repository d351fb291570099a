/**
 * GetFileList: the files of a bucket by their positions. The service calls it obsolete.
 *
 * @module
 */
import type { Store, StoredObject } from '../store/store.ts';
import {
  type Action,
  BUCKET_NAME,
  LIMIT,
  namedBucket,
  OFFSET,
  PROJECT,
  rowLimit,
} from './action.ts';

/** How many are read at a time on the way to the offset. */
const STRIDE = 1000;

export const fileList: Action = {
  name: 'GetFileList',
  parameters: [BUCKET_NAME, OFFSET, LIMIT, PROJECT],
  answer: async (values, service) => {
    const { name, id } = await namedBucket(values, service);
    const { Offset, Limit } = values;
    const start = await keyBefore(service.store, name, Number(Offset));
    const range = { prefix: '', after: start ?? '', limit: rowLimit(Limit) };
    const objects = start === undefined ? [] : await service.store.objects(name, range);
    return { BucketName: name, BucketId: id, DataSet: objects.map(row) };
  },
};

/** The key behind which the page starts; nothing where there are not so many. */
async function keyBefore(
  store: Store,
  bucket: string,
  offset: number,
): Promise<string | undefined> {
  let after = '';
  for (let left = offset; left > 0; left -= STRIDE) {
    const limit = Math.min(left, STRIDE);
    const objects = await store.objects(bucket, { prefix: '', after, limit });
    const last = objects.at(-1);
    if (!last || objects.length < limit) return undefined;
    after = last.key;
  }
  return after;
}

function row({
  bucket,
  key,
  etag,
  contentType,
  size,
  createTime,
  modifyTime,
}: StoredObject): object {
  return {
    BucketName: bucket,
    FileName: key,
    Hash: etag,
    MimeType: contentType,
    Size: size,
    CreateTime: createTime,
    ModifyTime: modifyTime,
  };
}
