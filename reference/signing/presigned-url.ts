/**
 * Pre-signed URLs (§5.4).
 *
 * @module
 */
import { type FileStages, type PositionalValues, signedFile } from './file-signature.ts';
import type { Context } from './steps.ts';
import type { FileRequest, KeyPair } from './types.ts';

export interface PresignedRequest extends FileRequest {
  /** When the URL ends to be valid; Unix seconds as decimal text, opaque to the signer. */
  readonly expires: string;
  /** `http` or `https`. */
  readonly scheme: string;
  /** What follows the bucket and its dot in the host (§4.3); may end with a port. */
  readonly fileHost: string;
}

export interface PresignedStages extends FileStages {
  readonly encodedSignature: string;
  readonly url: string;
}

/** `Expires` stands where `Date` does; the two positions before it stay empty, whatever is sent. */
export function presignedPositionalValues({ expires }: PresignedRequest): PositionalValues {
  return { contentMd5: '', contentType: '', date: expires };
}

/** The bucket, a dot and the file host (§4.3). */
export function fileHostName(bucket: string, fileHost: string): string {
  return `${bucket}.${fileHost}`;
}

/** A slash and the key (§4.3). §5.4 mentions no encoding of it; a URL needs one, and keeps slashes. */
export function filePath(key: string, { steps }: Context): string {
  return `/${key.split('/').map(steps.urlEncode).join('/')}`;
}

/** Signs a request into a URL that anybody may use until it expires. */
export function presignedUrl(
  request: PresignedRequest,
  keys: KeyPair,
  context: Context,
): PresignedStages {
  const { steps, dialect } = context;
  steps.checkRequest(request, context);
  const positional = steps.presignedPositionalValues(request, context);
  const stages = signedFile(request, positional, keys, context, '');
  const encodedSignature = steps.encodedSignature(stages.signature);
  const query = steps.presignedQuery([
    [dialect.publicKeyParameter, steps.urlEncode(keys.publicKey)],
    ['Expires', steps.urlEncode(request.expires)],
    ['Signature', encodedSignature],
  ]);
  const host = steps.fileHostName(request.bucket, request.fileHost);
  return {
    ...stages,
    encodedSignature,
    url: `${request.scheme}://${host}${steps.filePath(request.key, context)}?${query}`,
  };
}

/** Names and values that are already encoded, as the query of a URL. */
export function presignedQuery(
  pairs: readonly (readonly [name: string, encoded: string])[],
): string {
  return pairs.map(([name, encoded]) => `${name}=${encoded}`).join('&');
}
