/**
 * The request that uploads a file by its ETag alone (§1; its shape is observed).
 *
 * @module
 */
import { type AuthorizationStages, authorization } from './authorization.ts';
import type { Context } from './steps.ts';
import type { HeaderList, KeyPair } from './types.ts';

export interface InstantUpload {
  readonly bucket: string;
  readonly key: string;
  readonly headers: HeaderList;
  /** The file's ETag (§2). */
  readonly etag: string;
  /** The file's size in bytes, as decimal text. */
  readonly size: string;
}

export interface InstantUploadStages extends AuthorizationStages {
  readonly target: string;
}

/** `/uploadhit?Hash=…&FileName=…&FileSize=…`. */
export function instantUploadTarget(
  { etag, key, size }: InstantUpload,
  { steps }: Context,
): string {
  return `/uploadhit?Hash=${steps.urlEncode(etag)}&FileName=${steps.urlEncode(key)}&FileSize=${steps.urlEncode(size)}`;
}

/** Signs an instant upload: a POST on the file that `FileName` names, whatever its path says. */
export function instantUpload(
  upload: InstantUpload,
  keys: KeyPair,
  context: Context,
): InstantUploadStages {
  const { bucket, headers } = upload;
  const key = context.steps.instantUploadKey(upload);
  return {
    ...authorization({ method: 'POST', bucket, key, headers }, keys, context),
    target: context.steps.instantUploadTarget(upload, context),
  };
}
