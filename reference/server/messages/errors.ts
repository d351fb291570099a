/**
 * The errors of the service: one type, and a table with a row for each case. The rows use the published texts of the real service.
 *
 * @module
 */
import type { WrongJudgement } from './judgement.ts';

export interface ErrorRow {
  readonly status: number;
  /** RetCode: negative for file requests, positive for actions. */
  readonly code: number;
  /** The message. The detail replaces `%s`, or follows after a colon. */
  readonly message: string;
  /** The members whose values the real service publishes. This project chose the others. */
  readonly published?: readonly ('status' | 'code' | 'message')[];
}

/** Errors of file requests. Codes that this project chose start with -149. */
export const FILE_ERRORS = {
  signatureWrong: {
    status: 403,
    code: -148658,
    message: 'invalid signature',
    published: ['status', 'code', 'message'],
  },
  signatureMissing: {
    status: 403,
    code: -148643,
    message: 'no authorization found',
    published: ['code', 'message'],
  },
  bucketUnknown: {
    status: 404,
    code: -30010,
    message: 'bucket not exist',
    published: ['status', 'code', 'message'],
  },
  urlExpired: { status: 403, code: -149001, message: 'request timeout', published: ['message'] },
  publicKeyUnknown: { status: 403, code: -149002, message: 'public key not found' },
  signedTwice: { status: 403, code: -149003, message: 'signed in header and URL at once' },
  notImplemented: { status: 501, code: -149004, message: 'not implemented: %s' },
  foreignHost: {
    status: 421,
    code: -149005,
    message:
      'host %s is not served here, and nothing is forwarded; name it with --suffix, --bind or --dialect',
  },
  pageOff: { status: 403, code: -149009, message: 'this page is not shown: %s' },
  pageUnknown: { status: 404, code: -149008, message: 'no page %s here' },
  methodRefused: { status: 405, code: -149006, message: 'method %s not allowed here' },
  internal: { status: 500, code: -149007, message: 'internal error' },
  notOwner: {
    status: 403,
    code: -149010,
    message: 'bucket %s belongs to another account',
  },
  resetRefused: { status: 403, code: -149011, message: 'nothing is reset: %s' },
  fileUnknown: {
    status: 404,
    code: -148654,
    message: 'file not exist',
    published: ['status', 'code', 'message'],
  },
  classNotAllowed: {
    status: 403,
    code: -148660,
    message: 'switch class not allowed',
    published: ['status', 'code', 'message'],
  },
  frozen: {
    status: 403,
    code: -148671,
    message: 'file has not been restored',
    published: ['status', 'code', 'message'],
  },
  badCopyRange: { status: 419, code: -149100, message: 'bad copy range', published: ['status'] },
  badRequest: { status: 400, code: -149101, message: 'bad request' },
  badDigest: { status: 400, code: -149102, message: 'content md5 mismatch' },
  uploadUnknown: { status: 404, code: -149103, message: 'upload not exist' },
  badParts: { status: 400, code: -149104, message: 'bad part list' },
  nameTaken: { status: 409, code: -149105, message: 'file already exist' },
  badPosition: { status: 409, code: -149106, message: 'bad append position' },
  badRange: { status: 416, code: -149107, message: 'range not satisfiable' },
  preconditionFailed: { status: 412, code: -149108, message: 'precondition failed' },
  callbackFailed: { status: 502, code: -149109, message: 'file uploaded, callback failed' },
  damaged: { status: 500, code: -149110, message: 'file damaged: %s' },
} as const;

/** Errors of actions. Their HTTP status is not published; clients need 200. Codes that this project chose start with 90. */
export const ACTION_ERRORS = {
  actionMissing: {
    status: 200,
    code: 160,
    message: 'Missing Action',
    published: ['code', 'message'],
  },
  actionUnknown: {
    status: 200,
    code: 161,
    message: 'Action [%s] not found',
    published: ['code', 'message'],
  },
  actionNotServed: { status: 200, code: 90004, message: 'Action [%s] is not implemented here' },
  signatureMissing: { status: 200, code: 170, message: 'Missing Signature', published: ['code'] },
  signatureWrong: {
    status: 200,
    code: 171,
    message: 'Signature VerifyAC Error',
    published: ['code', 'message'],
  },
  publicKeyUnknown: {
    status: 200,
    code: 172,
    message: 'User Not Exists',
    published: ['code', 'message'],
  },
  parameterMissing: {
    status: 200,
    code: 220,
    message: 'Missing params [%s]',
    published: ['code', 'message'],
  },
  parameterWrong: { status: 200, code: 90001, message: 'Params [%s] not available' },
  bodyMalformed: { status: 200, code: 90002, message: 'Parameters cannot be read' },
  internal: { status: 200, code: 90003, message: 'Internal error' },
  nameTaken: { status: 200, code: 15000, message: 'bucket %s exists already', published: ['code'] },
  nameIllegal: {
    status: 200,
    code: 15001,
    message: 'bucket name %s is illegal',
    published: ['code'],
  },
  typeIllegal: {
    status: 200,
    code: 15003,
    message: 'bucket type %s is illegal',
    published: ['code'],
  },
  bucketUnknown: { status: 200, code: 15010, message: 'bucket %s not exist', published: ['code'] },
  bucketNotEmpty: {
    status: 200,
    code: 15023,
    message: 'bucket %s is not empty',
    published: ['code'],
  },
} as const;

export type FileErrorName = keyof typeof FILE_ERRORS;
export type ActionErrorName = keyof typeof ACTION_ERRORS;

interface Circumstances {
  readonly judgement?: WrongJudgement;
  readonly closes?: boolean;
}

/** An error that refuses a request; `errorAnswer` converts it to an answer. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly status: number;
  readonly code: number;
  /** The judgement of the signature, if the signature is the reason for the error. */
  readonly judgement: WrongJudgement | undefined;
  /** Whether the connection must close, because the rest of it cannot be parsed. */
  readonly closes: boolean;

  constructor(
    { status, code, message }: Pick<ErrorRow, 'status' | 'code' | 'message'>,
    { judgement, closes = false }: Circumstances = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.judgement = judgement;
    this.closes = closes;
  }
}

export function fileError(name: FileErrorName, detail?: string): ServiceError {
  return new ServiceError(withDetail(FILE_ERRORS[name], detail));
}

export function actionError(name: ActionErrorName, detail?: string): ServiceError {
  return new ServiceError(withDetail(ACTION_ERRORS[name], detail));
}

export function badRequest(detail: string): ServiceError {
  return fileError('badRequest', detail);
}

/** Creates an error of HTTP itself, or of a full store. This project chose its code, which ends with the status. */
export function httpError(status: number, message: string, closes = true): ServiceError {
  return new ServiceError({ status, code: -149_000 - status, message }, { closes });
}

/** Creates the error of a full store. */
export function storeFull(message: string): ServiceError {
  return httpError(507, message, false);
}

/** The rows for wrong signatures, which file requests and actions share. */
const SIGNATURE_ROWS: Partial<Record<WrongJudgement['reason'], FileErrorName & ActionErrorName>> = {
  'public-key-unknown': 'publicKeyUnknown',
  'authorization-missing': 'signatureMissing',
  'signature-missing': 'signatureMissing',
};

const FILE_SIGNATURE_ROWS: Partial<Record<WrongJudgement['reason'], FileErrorName>> = {
  ...SIGNATURE_ROWS,
  expired: 'urlExpired',
  'signed-twice': 'signedTwice',
};

const ACTION_SIGNATURE_ROWS: Partial<Record<WrongJudgement['reason'], ActionErrorName>> = {
  ...SIGNATURE_ROWS,
  'body-malformed': 'bodyMalformed',
  'query-malformed': 'bodyMalformed',
};

export function fileSignatureError(judgement: WrongJudgement): ServiceError {
  const name = FILE_SIGNATURE_ROWS[judgement.reason] ?? 'signatureWrong';
  return new ServiceError(FILE_ERRORS[name], { judgement });
}

export function actionSignatureError(judgement: WrongJudgement): ServiceError {
  const name = ACTION_SIGNATURE_ROWS[judgement.reason] ?? 'signatureWrong';
  return new ServiceError(ACTION_ERRORS[name], { judgement });
}

/** The longest text from a client that a message repeats; in characters. */
const MAX_QUOTED = 200;

function withDetail(row: ErrorRow, detail: string | undefined): ErrorRow {
  const { message } = row;
  if (message.includes('%s')) {
    const shown = detail ?? '';
    const text = shown.length > MAX_QUOTED ? `(${shown.length} characters)` : shown;
    return { ...row, message: message.replace('%s', () => text) };
  }
  return detail === undefined ? row : { ...row, message: `${message}: ${detail}` };
}

/** The text in double quotes, or only its length if it is too long: a cut text could end within a private key, which would not be hidden. */
export function quote(text: string): string {
  return text.length > MAX_QUOTED ? `of ${text.length} characters` : JSON.stringify(text);
}

/** The code of an error of Node or LevelDB, such as `ENOENT`; empty for any other. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
