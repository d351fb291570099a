/**
 * Lists of files, of uploads and of parts.
 *
 * @module
 */

import { compareBytes } from '../../signing/bytes.ts';
import type { FileCall } from '../authentication/service.ts';
import { badRequest } from '../messages/errors.ts';
import { type Answer, jsonAnswer } from '../messages/exchange.ts';
import type { ListRange, StoredObject, Upload } from '../store/entries.ts';
import type { Store } from '../store/store.ts';
import { isFrozen } from './downloads.ts';
import { findUpload } from './multipart.ts';

/** The most entries of a page, even if a request asks for more. */
const LARGEST_PAGE = 1000;

function pageSize(query: FileCall['query'], name: string, otherwise: number): number {
  return Math.min(parseCount(query, name, otherwise), LARGEST_PAGE);
}

function parseCount(query: FileCall['query'], name: string, otherwise: number): number {
  const text = query.get(name) ?? '';
  if (text === '') return otherwise;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw badRequest(`${name} is ${JSON.stringify(text)}; it has to be a number of digits`);
}

/** The range of a page, and one entry more, which shows whether there is a next page. */
function pageRange(query: FileCall['query'], limit: number): ListRange {
  return {
    prefix: query.get('prefix') ?? '',
    after: query.get('marker') ?? '',
    limit: limit + 1,
  };
}

/** `GET /?list`: files by their prefix */
export async function prefixFileList({ service, bucket, query }: FileCall): Promise<Answer> {
  const limit = pageSize(query, 'limit', 20);
  const found = await service.store.objects(bucket.name, pageRange(query, limit));
  return jsonAnswer(200, {
    BucketName: bucket.name,
    BucketId: bucket.id,
    NextMarker: found.length > limit ? (found[limit - 1]?.key ?? '') : '',
    DataSet: found.slice(0, limit).map((object) => ({
      BucketName: object.bucket,
      FileName: object.key,
      Hash: object.etag,
      MimeType: object.contentType,
      first_object: '',
      Size: object.size,
      CreateTime: object.createTime,
      ModifyTime: object.modifyTime,
      StorageClass: object.storageClass,
      RestoreStatus: restoreStatus(object, service.now()),
    })),
  });
}

function restoreStatus(object: StoredObject, now: number): string {
  if (object.storageClass !== 'ARCHIVE') return '';
  return isFrozen(object, now) ? 'Frozen' : 'Restored';
}

/** `GET /?listobjects`: files, and directories if a delimiter is given */
export async function listObjects({ service, bucket, query }: FileCall): Promise<Answer> {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  if (delimiter !== '' && delimiter !== '/') {
    throw badRequest(`delimiter is ${JSON.stringify(delimiter)}; it has to be "/" or empty`);
  }
  const limit = pageSize(query, 'max-keys', 100);
  const marker = query.get('marker') ?? '';
  const page = await listPage(service.store, bucket.name, { prefix, delimiter, marker, limit });
  // The SDK for C++ needs every member, even if it is empty; the SDK for Go needs texts in MaxKeys and Size.
  return jsonAnswer(200, {
    Name: bucket.name,
    Prefix: prefix,
    MaxKeys: String(limit),
    Delimiter: delimiter,
    IsTruncated: page.isTruncated,
    NextMarker: page.nextMarker,
    Contents: page.objects.map((object) => ({
      Key: object.key,
      MimeType: object.contentType,
      ETag: object.etag,
      Size: String(object.size),
      StorageClass: object.storageClass,
      LastModified: object.modifyTime,
      CreateTime: object.createTime,
      UserMeta: Object.fromEntries(object.meta),
    })),
    CommonPrefixes: page.directories.map((directory) => ({ Prefix: directory })),
  });
}

/** `GET /?muploadid`: the unfinished uploads */
export async function getMultiUploadId({ service, bucket, query }: FileCall): Promise<Answer> {
  const limit = pageSize(query, 'limit', 20);
  const afterId = query.get('upload-id-marker') || undefined;
  const found = await findUploads(service.store, bucket.name, pageRange(query, limit), afterId);
  const next = found.findIndex(({ key }, i) => i >= limit && key !== found[limit - 1]?.key);
  const page = next < 0 ? found : found.slice(0, next);
  return jsonAnswer(200, {
    RetCode: 0,
    ErrMsg: '',
    NextMarker: next < 0 ? '' : (page.at(-1)?.key ?? ''),
    DataSet: page.map(({ id, key, startTime, storageClass }) => ({
      UploadId: id,
      FileName: key,
      StartTime: startTime,
      StorageClass: storageClass,
    })),
  });
}

/**
 * The uploads of a range, and further ones if its last entries have the same key.
 *
 * A page ends after the last upload of a key, even if that is past its limit. NextMarker is a key, so a client that
 * sends back nothing else, such as JuiceFS, would never see the others.
 */
async function findUploads(
  store: Store,
  bucket: string,
  range: ListRange,
  afterId?: string,
): Promise<readonly Upload[]> {
  const found = await store.uploads(bucket, range, afterId);
  const [before, last] = found.slice(-2);
  if (found.length < range.limit || last === undefined || before?.key !== last.key) return found;
  return [...found, ...(await findUploads(store, bucket, { ...range, after: last.key }, last.id))];
}

/** `GET /?muploadpart&uploadId=`: the parts of an upload */
export async function listParts(call: FileCall): Promise<Answer> {
  const { service, query } = call;
  const { id, bucket, key } = await findUpload(call);
  const limit = pageSize(query, 'max-parts', LARGEST_PAGE);
  // Parts are numbered from 0: after the marker 0 comes part 1, and without a marker part 0.
  const after = parseCount(query, 'part-number-marker', -1);
  const parts = (await service.store.parts(id)).filter(({ number }) => number > after);
  const page = parts.slice(0, limit);
  return jsonAnswer(200, {
    UploadId: id,
    Bucket: bucket,
    Key: key,
    MaxParts: limit,
    IsTruncated: parts.length > limit,
    NextPartNumberMarker: page.at(-1)?.number ?? 0,
    Parts: page.map(({ number, content, modifyTime }) => ({
      PartNum: number,
      Etag: content.partEtag,
      LastModified: modifyTime,
      Size: content.size,
    })),
  });
}

export interface ListingQuery {
  readonly prefix: string;
  /** The delimiter; empty for a list without directories. */
  readonly delimiter: string;
  /** The last entry of the previous page, a file or a directory. */
  readonly marker: string;
  /** The most entries, files and directories together. */
  readonly limit: number;
}

interface Listing {
  readonly objects: readonly StoredObject[];
  readonly directories: readonly string[];
  /** The marker of the next page; empty on the last page. */
  readonly nextMarker: string;
  readonly isTruncated: boolean;
}

/** Files and directories in byte order. A directory counts as one entry. */
export async function listPage(
  store: Store,
  bucket: string,
  query: ListingQuery,
): Promise<Listing> {
  const { limit } = query;
  const entries: Entry[] = [];
  // One additional entry is read to find out whether a next page exists.
  for await (const entry of limit === 0 ? [] : listEntries(store, bucket, query)) {
    entries.push(entry);
    if (entries.length > limit) break;
  }
  const page = entries.slice(0, limit);
  const isTruncated = entries.length > limit;
  return {
    objects: page.flatMap(({ object }) => object ?? []),
    directories: page.flatMap(({ name, object }) => (object ? [] : [name])),
    nextMarker: isTruncated ? (page.at(-1)?.name ?? '') : '',
    isTruncated,
  };
}

interface Entry {
  readonly name: string;
  /** The object; undefined for a directory. */
  readonly object?: StoredObject;
}

/** The last code point, after which hardly any key sorts. */
const LAST = '\u{10ffff}';

async function* listEntries(
  store: Store,
  bucket: string,
  query: ListingQuery,
): AsyncGenerator<Entry> {
  const { prefix, delimiter, marker, limit } = query;
  let after = marker;
  let last = marker;
  for (;;) {
    const found = await store.objects(bucket, { prefix, after, limit: limit + 1 });
    for (const object of found) {
      const directory = directoryOf(object.key, query);
      if (directory === undefined) {
        // The listed directory itself is not an entry.
        const isItself = delimiter !== '' && object.key === prefix && prefix.endsWith(delimiter);
        if (!isItself) yield { name: object.key, object };
      } else if (compareBytes(directory, last) > 0) {
        yield { name: directory };
        last = directory;
      }
    }
    const end = found.at(-1)?.key;
    if (end === undefined || found.length <= limit) return;
    // Skip the rest of the directory.
    const directory = directoryOf(end, query);
    const past = directory === undefined ? end : directory + LAST;
    after = compareBytes(past, end) > 0 ? past : end;
  }
}

/** A key up to the first delimiter after the prefix. */
function directoryOf(key: string, { prefix, delimiter }: ListingQuery): string | undefined {
  if (delimiter === '') return undefined;
  const end = key.indexOf(delimiter, prefix.length);
  return end < 0 ? undefined : key.slice(0, end + delimiter.length);
}
