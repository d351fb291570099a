/**
 * Which operation on files a request asks for (section 4.3 names the addresses alone).
 *
 * @module
 */
import type { FileOperation } from '../service.ts';
import { headerOf, type WireRequest } from '../wire-request.ts';
import { abortMultipartUpload } from './abort-multipart-upload.ts';
import { append } from './append.ts';
import { classSwitch } from './class-switch.ts';
import { copy } from './copy.ts';
import { preflight } from './cors.ts';
import { deleteFile } from './delete-file.ts';
import { finishMultipartUpload } from './finish-multipart-upload.ts';
import { getFile } from './get-file.ts';
import { getMultiUploadId } from './get-multi-upload-id.ts';
import { headFile } from './head-file.ts';
import { initiateMultipartUpload } from './initiate-multipart-upload.ts';
import { listObjects } from './list-objects.ts';
import { listParts } from './list-parts.ts';
import { getAcl, putAcl } from './object-acl.ts';
import { opMeta } from './op-meta.ts';
import { postFile } from './post-file.ts';
import { prefixFileList } from './prefix-file-list.ts';
import { putFile } from './put-file.ts';
import { rename } from './rename.ts';
import { checkedKey, keyOfPath, parametersOf } from './request-target.ts';
import { restore } from './restore.ts';
import { deleteTagging, getTagging, putTagging } from './tagging.ts';
import { uploadHit } from './upload-hit.ts';
import { uploadPart } from './upload-part.ts';
import { uploadPartCopy } from './upload-part-copy.ts';

/** What a request on a bucket asks for. */
export interface FileAsked {
  readonly operation: FileOperation;
  readonly key: string;
  readonly query: ReadonlyMap<string, string>;
}

interface Asked {
  readonly key: string;
  readonly has: (parameter: string) => boolean;
  readonly isCopy: boolean;
  readonly isForm: boolean;
}

type Choice = readonly [operation: FileOperation, when?: (asked: Asked) => boolean];

/** A parameter counts as a flag: with a value, an empty one or none. */
const flag =
  (...names: readonly string[]) =>
  ({ has }: Asked): boolean =>
    names.every(has);

const onFile = ({ key }: Asked): boolean => key !== '';

/** By method; of a list the first that fits. */
const OPERATIONS: ReadonlyMap<string, readonly Choice[]> = new Map<string, readonly Choice[]>([
  ['OPTIONS', [[preflight]]],
  ['HEAD', [[headFile, onFile]]],
  [
    'GET',
    [
      [prefixFileList, (asked) => !onFile(asked) && asked.has('list')],
      [listObjects, (asked) => !onFile(asked) && asked.has('listobjects')],
      [listParts, (asked) => !onFile(asked) && asked.has('muploadpart')],
      [getMultiUploadId, (asked) => !onFile(asked) && asked.has('muploadid')],
      [getTagging, flag('tagging')],
      [getAcl, flag('acl')],
      [getFile, onFile],
    ],
  ],
  [
    'PUT',
    [
      [uploadPartCopy, (asked) => asked.has('uploadId') && asked.isCopy],
      [uploadPart, flag('uploadId')],
      [copy, ({ isCopy }) => isCopy],
      [putTagging, flag('tagging')],
      [putAcl, flag('acl')],
      [classSwitch, flag('storageClass')],
      [restore, flag('restore')],
      [rename, flag('newFileName')],
      [append, flag('append', 'position')],
      [putFile],
    ],
  ],
  [
    'POST',
    [
      [initiateMultipartUpload, flag('uploads')],
      [finishMultipartUpload, flag('uploadId')],
      [postFile, ({ isForm }) => isForm],
      [opMeta, flag('opmeta')],
      [uploadHit, (asked) => asked.key === 'uploadhit' && asked.has('Hash')],
    ],
  ],
  [
    'DELETE',
    [
      [abortMultipartUpload, flag('uploadId')],
      [deleteTagging, flag('tagging')],
      [deleteFile, onFile],
    ],
  ],
]);

/**
 * The operation that a request asks for; nothing where it is none of the service's.
 *
 * @throws ServiceError where path or query cannot be decoded, or the key is too long
 */
export function fileRequest(wire: WireRequest): FileAsked | undefined {
  const key = keyOfPath(wire.path);
  const query = parametersOf(wire.query);
  const asked: Asked = {
    key,
    has: (parameter) => query.has(parameter),
    isCopy: Boolean(headerOf(wire, 'X-Ufile-Copy-Source')),
    isForm: /^multipart\/form-data\s*(;|$)/i.test(headerOf(wire, 'Content-Type') ?? ''),
  };
  const choice = OPERATIONS.get(wire.method)?.find(([, when]) => when?.(asked) ?? true);
  return choice && { operation: choice[0], key: signedKey(choice[0], key, query), query };
}

/** The key that is signed for: of a form it is not known yet, and an instant upload names it as a parameter. */
function signedKey(
  operation: FileOperation,
  key: string,
  query: ReadonlyMap<string, string>,
): string {
  if (operation === postFile) return '';
  if (operation === uploadHit) {
    return checkedKey(query.get('FileName') ?? query.get('ObjectName') ?? '');
  }
  return key;
}
