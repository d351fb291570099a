/**
 * GetMultiUploadId: `GET /?muploadid`, the uploads that are under way.
 *
 * @module
 */
import { type Answer, jsonAnswer } from '../answer.ts';
import type { FileCall, FileOperation } from '../service.ts';
import { LARGEST_PAGE } from './prefix-file-list.ts';
import { countOf } from './request-target.ts';

export const getMultiUploadId: FileOperation = {
  name: 'GetMultiUploadId',
  isPublicRead: false,
  answer,
};

const USUAL_LIMIT = 20;

async function answer({ service, bucket, query }: FileCall): Promise<Answer> {
  const limit = Math.min(countOf(query, 'limit', USUAL_LIMIT), LARGEST_PAGE);
  const range = {
    prefix: query.get('prefix') ?? '',
    after: query.get('marker') ?? '',
    limit: limit + 1,
  };
  const found = await service.store.uploads(
    bucket.name,
    range,
    query.get('upload-id-marker') || undefined,
  );
  const page = found.slice(0, limit);
  return jsonAnswer(200, {
    RetCode: 0,
    ErrMsg: '',
    NextMarker: found.length > limit ? (page.at(-1)?.key ?? '') : '',
    DataSet: page.map(({ id, key, startTime, storageClass }) => ({
      UploadId: id,
      FileName: key,
      StartTime: startTime,
      StorageClass: storageClass,
    })),
  });
}
