/**
 * Request signing according to the specification: pure, synchronous, identical on Node and in browsers.
 *
 * @module
 */
import { policy as policyOf } from './file-requests.ts';
import { password as passwordOf } from './parameters.ts';
import { SPECIFICATION } from './specification.ts';
import type { Pair } from './types.ts';

export { urlDecode, urlEncode } from './bytes.ts';
export {
  type AuthorizationStages,
  actionJson,
  actionQuery,
  actionSignature,
  authorization,
  bucketRequest,
  type EtagHash,
  type EtagStages,
  etag,
  etagHash,
  etagOfStream,
  formAuthorization,
  type InstantUploadStages,
  instantUpload,
  type PartEtagStages,
  type PresignedStages,
  partEtag,
  partEtagOfPieces,
  presignedUrl,
} from './operations.ts';
export { inDialect, SPECIFICATION, type Steps, SVC, UCLOUD, withSteps } from './specification.ts';
export {
  type ActionParameters,
  type ActionStages,
  type Context,
  type Dialect,
  type FileRequest,
  type FileStages,
  type FormRequest,
  type HeaderList,
  InputError,
  type InputErrorCode,
  type InstantUpload,
  type KeyPair,
  type NumberValue,
  type Pair,
  type ParameterValue,
  type PresignedRequest,
  type ScalarValue,
  type SignedIn,
  type StringToSign,
} from './types.ts';
export {
  type Acceptance,
  type Accounts,
  type PresignedUse,
  type Refusal,
  type RefusalReason,
  type Verification,
  verifyAuthorization,
  verifyJson,
  verifyPresignedUrl,
  verifyQuery,
} from './verifiers.ts';

/** The value of the parameter `Password` for a clear text, as it is signed and sent (§4.2). */
export const password = (clearText: string): string => passwordOf(clearText, SPECIFICATION);

/** The callback policy with these members: URL-safe Base64 of compact JSON, as it is signed and sent. */
export const policy = (members: readonly Pair[]): string => policyOf(members, SPECIFICATION);
