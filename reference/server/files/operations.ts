/**
 * Finds the operation and the key of a file request (§4.3 defines only the addresses).
 *
 * @module
 */

import { type HeaderList, urlDecode } from '../../signing/index.ts';
import type { FileCall, FileOperation } from '../authentication/service.ts';
import { badRequest, fileError, quote } from '../messages/errors.ts';
import { type Answer, emptyAnswer, headerValue, type WireRequest } from '../messages/exchange.ts';
import { getFile, headFile } from './downloads.ts';
import { postFile } from './forms.ts';
import { getMultiUploadId, listObjects, listParts, prefixFileList } from './lists.ts';
import {
  classSwitch,
  deleteTagging,
  getAcl,
  getTagging,
  opMeta,
  putAcl,
  putTagging,
  restore,
} from './metadata.ts';
import {
  abortMultipartUpload,
  finishMultipartUpload,
  initiateMultipartUpload,
  uploadPart,
  uploadPartCopy,
} from './multipart.ts';
import { checkKey } from './new-object.ts';
import { append, copy, deleteFile, putFile, rename, uploadHit } from './objects.ts';

export interface FileTarget {
  readonly operation: FileOperation;
  /** The key that is signed: empty for a form, whose fields name it, and for a request on the bucket. */
  readonly key: string;
  readonly query: ReadonlyMap<string, string>;
}

interface Asked {
  readonly key: string;
  /** Whether the query has a parameter, with or without a value. */
  readonly has: (parameter: string) => boolean;
  readonly isCopy: boolean;
  readonly isForm: boolean;
}

const flag =
  (name: string) =>
  ({ has }: Asked): boolean =>
    has(name);

const bucketFlag =
  (name: string) =>
  ({ key, has }: Asked): boolean =>
    key === '' && has(name);

const onFile = ({ key }: Asked): boolean => key !== '';

type Row = readonly [method: string, operation: FileOperation, when?: (asked: Asked) => boolean];

/** The preflight request of a browser, which has no signature. */
async function preflight({ wire }: FileCall): Promise<Answer> {
  const asked = headerValue(wire, 'Access-Control-Request-Headers');
  return emptyAnswer(204, [
    ['Access-Control-Allow-Methods', 'GET, HEAD, PUT, POST, DELETE'],
    ...(asked ? [['Access-Control-Allow-Headers', asked] as const] : []),
    ['Access-Control-Max-Age', '600'],
  ]);
}

/** The operations with their conditions. The first row that fits a request counts. */
export const OPERATIONS: readonly Row[] = [
  ['OPTIONS', { name: 'OPTIONS', answer: preflight, skipsSignature: true }],
  ['HEAD', { name: 'HeadFile', answer: headFile, isPublicRead: true }, onFile],
  ['GET', { name: 'PrefixFileList', answer: prefixFileList }, bucketFlag('list')],
  ['GET', { name: 'ListObjects', answer: listObjects }, bucketFlag('listobjects')],
  ['GET', { name: 'GetMultiUploadPart', answer: listParts }, bucketFlag('muploadpart')],
  ['GET', { name: 'GetMultiUploadId', answer: getMultiUploadId }, bucketFlag('muploadid')],
  ['GET', { name: 'GetObjectTagging', answer: getTagging }, flag('tagging')],
  ['GET', { name: 'GetObjectAcl', answer: getAcl }, flag('acl')],
  ['GET', { name: 'GetFile', answer: getFile, isPublicRead: true }, onFile],
  [
    'PUT',
    { name: 'UploadPartCopy', answer: uploadPartCopy },
    ({ has, isCopy }) => has('uploadId') && isCopy,
  ],
  ['PUT', { name: 'UploadPart', answer: uploadPart }, flag('uploadId')],
  ['PUT', { name: 'Copy', answer: copy }, ({ isCopy }) => isCopy],
  ['PUT', { name: 'PutObjectTagging', answer: putTagging }, flag('tagging')],
  ['PUT', { name: 'PutObjectAcl', answer: putAcl }, flag('acl')],
  ['PUT', { name: 'ClassSwitch', answer: classSwitch }, flag('storageClass')],
  ['PUT', { name: 'Restore', answer: restore }, flag('restore')],
  ['PUT', { name: 'Rename', answer: rename }, flag('newFileName')],
  ['PUT', { name: 'Append', answer: append }, ({ has }) => has('append') && has('position')],
  ['PUT', { name: 'PutFile', answer: putFile, takesPolicy: true }],
  ['POST', { name: 'InitiateMultipartUpload', answer: initiateMultipartUpload }, flag('uploads')],
  [
    'POST',
    { name: 'FinishMultipartUpload', answer: finishMultipartUpload, takesPolicy: true },
    flag('uploadId'),
  ],
  [
    'POST',
    { name: 'PostFile', answer: postFile, skipsSignature: true, takesPolicy: true },
    ({ isForm }) => isForm,
  ],
  ['POST', { name: 'OpMeta', answer: opMeta }, flag('opmeta')],
  [
    'POST',
    { name: 'UploadHit', answer: uploadHit },
    ({ key, has }) => key === 'uploadhit' && has('Hash'),
  ],
  ['DELETE', { name: 'AbortMultipartUpload', answer: abortMultipartUpload }, flag('uploadId')],
  ['DELETE', { name: 'DeleteObjectTagging', answer: deleteTagging }, flag('tagging')],
  ['DELETE', { name: 'DeleteFile', answer: deleteFile }, onFile],
];

const ROWS_BY_METHOD: ReadonlyMap<string, readonly Row[]> = new Map(
  OPERATIONS.map(([method]) => [method, OPERATIONS.filter(([own]) => own === method)]),
);

/** @throws ServiceError if path or query cannot be decoded, or the key is too long */
export function findOperation(wire: WireRequest): FileTarget {
  const path = checkKey(decode('the path', wire.path.slice(1)));
  const query = parseQuery(wire.query);
  const asked: Asked = {
    key: path,
    has: (parameter) => query.has(parameter),
    isCopy: Boolean(headerValue(wire, 'X-Ufile-Copy-Source')),
    isForm: /^multipart\/form-data\s*(;|$)/i.test(headerValue(wire, 'Content-Type') ?? ''),
  };
  const row = ROWS_BY_METHOD.get(wire.method)?.find(([, , when]) => when?.(asked) ?? true);
  const operation = row?.[1] ?? unknownOperation(wire);
  if (operation.answer === postFile) return { operation, key: '', query };
  if (operation.answer !== uploadHit) return { operation, key: path, query };
  const key = checkKey(query.get('FileName') ?? query.get('ObjectName') ?? '');
  return { operation, key, query };
}

/** An operation that refuses every request, but only after its signature is verified, so that the client learns of a wrong signature first. */
function unknownOperation({ method, path, query }: WireRequest): FileOperation {
  // The message names only the first parameter without its value, which may be a signature.
  const [name = ''] = query.replace(/^&/, '').split(/[=&]/);
  const asked = `${method} ${path}${name === '' ? '' : `?${name}`}`;
  return {
    name: 'unknown operation',
    answer: () => Promise.reject(fileError('notImplemented', asked)),
  };
}

/**
 * The parameters of a query; of repeated names, the first counts.
 *
 * The SDK for PHP writes `?&a=b`, which starts with a parameter without a name. The SDKs for Go and Python write queries as
 * forms, in which a plus is a space. Signatures, in which it is not, are parsed elsewhere.
 */
function parseQuery(query: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  if (query === '') return parameters.set('', '');
  for (const piece of query.replaceAll('+', '%20').split('&')) {
    const equals = piece.indexOf('=');
    const name = decode('the query', equals < 0 ? piece : piece.slice(0, equals));
    const value = equals < 0 ? '' : decode('the query', piece.slice(equals + 1));
    if (!parameters.has(name)) parameters.set(name, value);
  }
  return parameters;
}

function decode(what: string, text: string): string {
  if (!text.includes('%')) return text;
  const plain = urlDecode(text);
  if (plain !== undefined) return plain;
  throw badRequest(
    `${what} ${quote(text)} has a bad escape; write each byte of its UTF-8 form as %XY (§5.3)`,
  );
}

/** The response headers that a web page may read. */
const EXPOSED =
  'ETag, Content-Length, Content-Range, Last-Modified, X-SessionId, X-Ufile-Storage-Class, X-Ufile-Create-Time, X-Svc-Conformance-Cause, X-Svc-Conformance-Vendor-Text, X-Svc-Conformance-Callback';

/** The CORS headers of all answers, including errors, for web pages of any origin. */
export function corsHeaders(wire: WireRequest): HeaderList {
  if (headerValue(wire, 'Origin') === undefined) return [];
  return [
    ['Access-Control-Allow-Origin', '*'],
    ['Access-Control-Expose-Headers', EXPOSED],
  ];
}
