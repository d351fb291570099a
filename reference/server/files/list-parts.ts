/**
 * GetMultiUploadPart: `GET /?muploadpart&uploadId=`, the parts of an upload that came.
 *
 * @module
 */
import { type Answer, jsonAnswer } from '../answer.ts';
import type { FileCall, FileOperation } from '../service.ts';
import type { Part } from '../store/store.ts';
import { uploadOf } from './multipart-upload.ts';
import { LARGEST_PAGE } from './prefix-file-list.ts';
import { countOf } from './request-target.ts';

export const listParts: FileOperation = {
  name: 'GetMultiUploadPart',
  isPublicRead: false,
  answer,
};

async function answer(call: FileCall): Promise<Answer> {
  const { service, query } = call;
  const upload = await uploadOf(call);
  const limit = Math.min(countOf(query, 'max-parts', LARGEST_PAGE), LARGEST_PAGE);
  // Numbers begin at 0, so that what comes after the marker 0 begins at 1.
  const after = countOf(query, 'part-number-marker', -1);
  const parts = (await service.store.parts(upload.id)).filter(({ number }) => number > after);
  const page = parts.slice(0, limit);
  return jsonAnswer(200, {
    UploadId: upload.id,
    Bucket: upload.bucket,
    Key: upload.key,
    MaxParts: limit,
    IsTruncated: parts.length > limit,
    NextPartNumberMarker: page.at(-1)?.number ?? 0,
    Parts: page.map(entry),
  });
}

function entry({ number, content, modifyTime }: Part): object {
  return {
    PartNum: number,
    Etag: content.partEtag,
    LastModified: modifyTime,
    Size: content.size,
  };
}
