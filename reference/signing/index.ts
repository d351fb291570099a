/**
 * Request signing, as the specification says it: pure, synchronous, the same on Node and in a browser.
 *
 * @module
 */
export { actionJson, actionQuery, bucketRequest } from './action-forms.ts';
export { type ActionStages, actionSignature } from './action-signature.ts';
export { type AuthorizationStages, authorization } from './authorization.ts';
export { type Dialect, SVC, UCLOUD } from './dialect.ts';
export { InputError, type InputErrorCode } from './errors.ts';
export {
  type EtagHash,
  type EtagStages,
  etag,
  etagHash,
  etagOfStream,
  type PartEtagStages,
  partEtag,
  partEtagOfPieces,
} from './etag.ts';
export type { FileStages } from './file-signature.ts';
export { type FormRequest, formAuthorization } from './form-authorization.ts';
export { type InstantUpload, type InstantUploadStages, instantUpload } from './instant-upload.ts';
export { password } from './password.ts';
export { urlDecode, urlEncode } from './percent-encoding.ts';
export { policy } from './policy.ts';
export { type PresignedRequest, type PresignedStages, presignedUrl } from './presigned-url.ts';
export { inDialect, SPECIFICATION } from './specification.ts';
export type { Context, Steps } from './steps.ts';
export type {
  ActionParameters,
  FileRequest,
  HeaderList,
  KeyPair,
  NumberValue,
  Pair,
  ParameterValue,
  StringToSign,
} from './types.ts';
export type { Acceptance, Accounts, Refusal, RefusalReason, Verification } from './verification.ts';
export { verifyAuthorization } from './verify-authorization.ts';
export { verifyJson, verifyQuery } from './verify-parameters.ts';
export { type PresignedUse, verifyPresignedUrl } from './verify-presigned-url.ts';
