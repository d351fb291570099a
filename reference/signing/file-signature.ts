/**
 * What every signature of a file request goes through, in a header (§5.2) or in a URL (§5.4).
 *
 * @module
 */
import { InputError } from './errors.ts';
import { isToken } from './header-lines.ts';
import { hexadecimal } from './hexadecimal.ts';
import type { Context } from './steps.ts';
import type { FileRequest, KeyPair, StringToSign } from './types.ts';
import { checkText } from './utf-8.ts';

/** The three lines after the verb. */
export interface PositionalValues {
  readonly contentMd5: string;
  readonly contentType: string;
  readonly date: string;
}

/** Every stage on the way to the signature, in order. */
export interface FileStages {
  readonly canonicalHeaders: string;
  readonly canonicalResource: string;
  readonly stringToSign: StringToSign;
  /** The HMAC-SHA1 in lower-case hexadecimal. */
  readonly digest: string;
  readonly signature: string;
}

/** The stages up to the signature, without what carries it. */
export function fileStages({
  canonicalHeaders,
  canonicalResource,
  stringToSign,
  digest,
  signature,
}: FileStages): FileStages {
  return { canonicalHeaders, canonicalResource, stringToSign, digest, signature };
}

/** Refuses what no HTTP request can carry, before anything is signed. */
export function checkRequest(
  { method, bucket, key, headers }: FileRequest,
  context: Context,
): void {
  const { steps } = context;
  steps.checkMethod(method);
  steps.checkBucket(bucket);
  checkText('the bucket', bucket);
  checkText('the key', key);
  steps.checkHeaders(headers, context);
}

export function checkMethod(method: string): void {
  if (isToken(method)) return;
  throw new InputError(
    'method',
    `method ${JSON.stringify(method)} is not a token (RFC 9110 §9.1); name one such as GET`,
  );
}

export function checkBucket(bucket: string): void {
  if (bucket !== '' && !bucket.includes('/')) return;
  throw new InputError(
    'bucket',
    `bucket ${JSON.stringify(bucket)} cannot be the first label of a host (§4.3); name the bucket alone, without "/"`,
  );
}

/** Signs the text of a request whose positional lines are given. */
export function signedFile(
  request: FileRequest,
  positional: PositionalValues,
  keys: KeyPair,
  context: Context,
  policy: string,
): FileStages {
  const { steps } = context;
  checkText('the policy', policy);
  checkText('the Date or Expires', positional.date);
  const canonicalHeaders = steps.canonicalHeaders(request.headers, context);
  const canonicalResource = steps.canonicalResource(request.bucket, request.key);
  const stringToSign = steps.signedText({
    verb: steps.verb(request.method),
    ...positional,
    canonicalHeaders,
    canonicalResource,
    policy,
  }) as StringToSign;
  const digest = steps.hmacSha1(
    steps.hmacKeyBytes(keys.privateKey),
    steps.hmacTextBytes(stringToSign),
  );
  return {
    canonicalHeaders,
    canonicalResource,
    stringToSign,
    digest: hexadecimal(digest),
    signature: steps.fileSignatureText(digest),
  };
}
