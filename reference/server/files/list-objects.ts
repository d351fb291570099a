/**
 * ListObjects: `GET /?listobjects`, the files of a bucket, as directories if wanted.
 *
 * @module
 */
import { type Answer, jsonAnswer } from '../answer.ts';
import type { FileCall, FileOperation } from '../service.ts';
import type { StoredObject } from '../store/store.ts';
import { type Listing, listing } from './listing.ts';
import { LARGEST_PAGE } from './prefix-file-list.ts';
import { badRequest } from './refusal.ts';
import { countOf } from './request-target.ts';

export const listObjects: FileOperation = { name: 'ListObjects', isPublicRead: false, answer };

const USUAL_LIMIT = 100;

async function answer({ service, bucket, query }: FileCall): Promise<Answer> {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  if (delimiter !== '' && delimiter !== '/') {
    throw badRequest(`delimiter is ${JSON.stringify(delimiter)}; it has to be "/" or empty`);
  }
  const limit = Math.min(countOf(query, 'max-keys', USUAL_LIMIT), LARGEST_PAGE);
  const marker = query.get('marker') ?? '';
  const page = await listing(service.store, bucket.name, { prefix, delimiter, marker, limit });
  return jsonAnswer(200, {
    Name: bucket.name,
    Prefix: prefix,
    // A text, unlike in the other lists: the SDK for Go cannot read a number here.
    MaxKeys: String(limit),
    Delimiter: delimiter,
    ...members(page),
  });
}

/** None is left out where it is empty: the SDK for C++ needs every one. */
function members({ objects, directories, nextMarker, isTruncated }: Listing): object {
  return {
    IsTruncated: isTruncated,
    NextMarker: nextMarker,
    Contents: objects.map(contents),
    CommonPrefixes: directories.map((directory) => ({ Prefix: directory })),
  };
}

function contents(object: StoredObject): object {
  return {
    Key: object.key,
    MimeType: object.contentType,
    ETag: object.etag,
    Size: String(object.size),
    StorageClass: object.storageClass,
    LastModified: object.modifyTime,
    CreateTime: object.createTime,
    UserMeta: Object.fromEntries(object.meta),
  };
}
