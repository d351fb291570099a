/**
 * Each step as the specification has it.
 *
 * @module
 */
import { hmacSha1, sha1 } from '#digest';
import {
  bucketTarget,
  checkPresent,
  jsonMembers,
  jsonValue,
  queryPair,
  signedQuery,
} from './action-forms.ts';
import {
  booleanText,
  checkNames,
  isSignedParameter,
  parameterEntry,
  valueText,
  withPrivateKey,
} from './action-signature.ts';
import { authorizationValue } from './authorization.ts';
import { base64, base64Url } from './base64.ts';
import { compareBytes } from './byte-order.ts';
import { canonicalHeaders, headerEntry, isExtraHeader, joinValues } from './canonical-headers.ts';
import { canonicalResource } from './canonical-resource.ts';
import { type Dialect, SVC } from './dialect.ts';
import { BLOCK_SIZE, blockHash, etagBytes, fileDigest } from './etag.ts';
import { checkBucket, checkMethod, checkRequest } from './file-signature.ts';
import { flattened } from './flattening.ts';
import { formField, formPositionalValues } from './form-authorization.ts';
import {
  checkHeaderName,
  checkHeaders,
  checkHeaderValue,
  lowerCaseName,
  trimBlanks,
  unfold,
} from './header-lines.ts';
import { hexadecimal } from './hexadecimal.ts';
import { instantUploadTarget } from './instant-upload.ts';
import { jsonText } from './json-text.ts';
import { numberText, otherNumber } from './number-text.ts';
import { password } from './password.ts';
import { urlDecode, urlEncode } from './percent-encoding.ts';
import { isPolicy, policy, takesPolicy } from './policy.ts';
import { isPositional, positionalValue, positionalValues } from './positional-headers.ts';
import {
  fileHostName,
  filePath,
  presignedPositionalValues,
  presignedQuery,
} from './presigned-url.ts';
import type { Context, Steps } from './steps.ts';
import { signedText, verb } from './string-to-sign.ts';
import { utf8Bytes } from './utf-8.ts';
import { sameText } from './verification.ts';
import { parsedAuthorization } from './verify-authorization.ts';
import { decodedQuery, missingParameter } from './verify-parameters.ts';
import { bucketOfHost, expirySeconds, isExpired } from './verify-presigned-url.ts';

const concatenated = (entries: readonly string[]): string => entries.join('');

export const STEPS: Steps = {
  password,
  flattened,
  isPresentValue: () => true,
  isSignedParameter,
  checkNames,
  booleanText,
  otherNumber,
  heldNumber: (digits) => digits,
  numberText,
  signOfZero: () => '',
  valueText,
  compareParameterNames: compareBytes,
  parameterEntry,
  joinParameterEntries: concatenated,
  withPrivateKey,
  actionTextBytes: utf8Bytes,
  sha1,
  actionSignatureText: hexadecimal,

  urlEncode,
  checkPresent,
  isSentParameter: () => true,
  queryPair,
  signedQuery,
  bucketTarget,
  jsonValue,
  jsonMembers,

  checkRequest,
  checkMethod,
  checkBucket,
  checkHeaders,
  checkHeaderName,
  checkHeaderValue,
  verb,
  isPositional,
  positionalValue,
  positionalValues,
  trimName: trimBlanks,
  isExtraHeader,
  lowerCaseName,
  unfold,
  trimValue: trimBlanks,
  compareHeaderNames: compareBytes,
  joinValues,
  headerEntry,
  joinHeaderEntries: concatenated,
  canonicalHeaders,
  canonicalResource,
  signedText,

  hmacKeyBytes: utf8Bytes,
  hmacTextBytes: utf8Bytes,
  hmacSha1,
  fileSignatureText: base64,
  authorizationValue,

  formField,
  formPositionalValues,
  policy,
  instantUploadKey: ({ key }) => key,
  instantUploadTarget,

  presignedPositionalValues,
  encodedSignature: urlEncode,
  presignedQuery,
  fileHostName,
  filePath,

  blockSize: BLOCK_SIZE,
  blockHash,
  fileDigest,
  etagBytes,
  partEtagBytes: (digest) => digest,
  etagText: base64Url,

  sameText,
  parsedAuthorization,
  takesPolicy,
  isPolicy,
  decodedQuery,
  jsonText,
  sameAccount: (held, received) => held === received,
  missingParameter,
  keyOfPath: urlDecode,
  expirySeconds,
  bucketOfHost,
  isExpired,
};

/** The specification in its own words. */
export const SPECIFICATION: Context = { steps: STEPS, dialect: SVC };

/** The specification in the words of another deployment. */
export function inDialect(dialect: Dialect): Context {
  return { steps: STEPS, dialect };
}
