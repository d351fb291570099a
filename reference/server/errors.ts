/**
 * What the service says no with: one row for each case, in the words of the real one as far as they are published.
 *
 * @module
 */
import { ServiceError } from './service-error.ts';

export interface ErrorRow {
  readonly status: number;
  readonly code: number;
  /** `%s` stands for what the request is about. */
  readonly message: string;
  /** What of it is not published, and so this project's choice. */
  readonly chosen: readonly ('status' | 'code' | 'message')[];
}

/** Of file requests. Codes of ours start with -149. */
export const FILE_ERRORS = {
  signatureWrong: { status: 403, code: -148658, message: 'invalid signature', chosen: [] },
  signatureMissing: {
    status: 403,
    code: -148643,
    message: 'no authorization found',
    chosen: ['status'],
  },
  bucketUnknown: { status: 404, code: -30010, message: 'bucket not exist', chosen: [] },
  urlExpired: {
    status: 403,
    code: -149001,
    message: 'request timeout',
    chosen: ['status', 'code'],
  },
  publicKeyUnknown: {
    status: 403,
    code: -149002,
    message: 'public key not found',
    chosen: ['status', 'code', 'message'],
  },
  signedTwice: {
    status: 403,
    code: -149003,
    message: 'signed in header and URL at once',
    chosen: ['status', 'code', 'message'],
  },
  notImplemented: {
    status: 501,
    code: -149004,
    message: 'not implemented: %s',
    chosen: ['status', 'code', 'message'],
  },
  foreignHost: {
    status: 421,
    code: -149005,
    message:
      'host %s is not served here, and nothing is forwarded; name it with --suffix, --bind or --dialect',
    chosen: ['status', 'code', 'message'],
  },
  pageOff: {
    status: 403,
    code: -149009,
    message: 'the page of recent requests is not shown: %s',
    chosen: ['status', 'code', 'message'],
  },
  pageUnknown: {
    status: 404,
    code: -149008,
    message: 'no page %s here',
    chosen: ['status', 'code', 'message'],
  },
  methodRefused: {
    status: 405,
    code: -149006,
    message: 'method %s not allowed here',
    chosen: ['status', 'code', 'message'],
  },
  internal: {
    status: 500,
    code: -149007,
    message: 'internal error',
    chosen: ['status', 'code', 'message'],
  },
  fileUnknown: { status: 404, code: -148654, message: 'file not exist', chosen: [] },
  classNotAllowed: { status: 403, code: -148660, message: 'switch class not allowed', chosen: [] },
  frozen: { status: 403, code: -148671, message: 'file has not been restored', chosen: [] },
  badCopyRange: {
    status: 419,
    code: -149100,
    message: 'bad copy range',
    chosen: ['code', 'message'],
  },
  badRequest: {
    status: 400,
    code: -149101,
    message: 'bad request',
    chosen: ['status', 'code', 'message'],
  },
  badDigest: {
    status: 400,
    code: -149102,
    message: 'content md5 mismatch',
    chosen: ['status', 'code', 'message'],
  },
  uploadUnknown: {
    status: 404,
    code: -149103,
    message: 'upload not exist',
    chosen: ['status', 'code', 'message'],
  },
  badParts: {
    status: 400,
    code: -149104,
    message: 'bad part list',
    chosen: ['status', 'code', 'message'],
  },
  nameTaken: {
    status: 409,
    code: -149105,
    message: 'file already exist',
    chosen: ['status', 'code', 'message'],
  },
  badPosition: {
    status: 409,
    code: -149106,
    message: 'bad append position',
    chosen: ['status', 'code', 'message'],
  },
  badRange: {
    status: 416,
    code: -149107,
    message: 'range not satisfiable',
    chosen: ['status', 'code', 'message'],
  },
  preconditionFailed: {
    status: 412,
    code: -149108,
    message: 'precondition failed',
    chosen: ['status', 'code', 'message'],
  },
  callbackFailed: {
    status: 502,
    code: -149109,
    message: 'file uploaded, callback failed',
    chosen: ['status', 'code', 'message'],
  },
  damaged: {
    status: 500,
    code: -149110,
    message: 'file damaged: %s',
    chosen: ['status', 'code', 'message'],
  },
} as const;

/** Of actions, whose HTTP status is stated nowhere: 200 is what the published clients need. Codes of ours start with 90. */
export const ACTION_ERRORS = {
  actionMissing: { status: 200, code: 160, message: 'Missing Action', chosen: ['status'] },
  actionUnknown: { status: 200, code: 161, message: 'Action [%s] not found', chosen: ['status'] },
  actionNotServed: {
    status: 200,
    code: 90004,
    message: 'Action [%s] is not implemented here',
    chosen: ['status', 'code', 'message'],
  },
  signatureMissing: {
    status: 200,
    code: 170,
    message: 'Missing Signature',
    chosen: ['status', 'message'],
  },
  signatureWrong: {
    status: 200,
    code: 171,
    message: 'Signature VerifyAC Error',
    chosen: ['status'],
  },
  publicKeyUnknown: { status: 200, code: 172, message: 'User Not Exists', chosen: ['status'] },
  parameterMissing: { status: 200, code: 220, message: 'Missing params [%s]', chosen: ['status'] },
  parameterWrong: {
    status: 200,
    code: 90001,
    message: 'Params [%s] not available',
    chosen: ['status', 'code', 'message'],
  },
  bodyMalformed: {
    status: 200,
    code: 90002,
    message: 'Parameters cannot be read',
    chosen: ['status', 'code', 'message'],
  },
  internal: {
    status: 200,
    code: 90003,
    message: 'Internal error',
    chosen: ['status', 'code', 'message'],
  },
  nameTaken: {
    status: 200,
    code: 15000,
    message: 'bucket %s exists already',
    chosen: ['status', 'message'],
  },
  nameIllegal: {
    status: 200,
    code: 15001,
    message: 'bucket name %s is illegal',
    chosen: ['status', 'message'],
  },
  typeIllegal: {
    status: 200,
    code: 15003,
    message: 'bucket type %s is illegal',
    chosen: ['status', 'message'],
  },
  bucketUnknown: {
    status: 200,
    code: 15010,
    message: 'bucket %s not exist',
    chosen: ['status', 'message'],
  },
  bucketNotEmpty: {
    status: 200,
    code: 15023,
    message: 'bucket %s is not empty',
    chosen: ['status', 'message'],
  },
} as const;

/** More of what a client sends is not repeated to it. */
const LONGEST = 200;

/** The error of a row, about what the request names. */
export function serviceError({ status, code, message }: ErrorRow, about = ''): ServiceError {
  const shown = about.length > LONGEST ? `(${about.length} characters)` : about;
  return new ServiceError(
    status,
    code,
    message.replace('%s', () => shown),
  );
}
