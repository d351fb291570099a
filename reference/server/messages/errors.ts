/**
 * The errors of the service: one type, a table with a row for each case, and their answers. The rows use the published texts of the real service.
 *
 * @module
 */
import { type Answer, jsonAnswer } from './exchange.ts';
import { causeHeaders, signatureMember, type WrongJudgement } from './judgement.ts';

type Member = 'status' | 'code' | 'message';

export interface ErrorRow {
  readonly status: number;
  /** RetCode: negative for file requests, positive for actions. */
  readonly code: number;
  /** The message. The detail replaces `%s`, or follows after a colon. */
  readonly message: string;
  /** The members whose values the real service publishes. This project chose the others. */
  readonly published?: readonly Member[];
}

type Row = readonly [status: number, code: number, message: string, published?: readonly Member[]];

/** Codes that this project chose start with -149. */
const FILE_ROWS = {
  signatureWrong: [403, -148658, 'invalid signature', ['status', 'code', 'message']],
  signatureMissing: [403, -148643, 'no authorization found', ['code', 'message']],
  bucketUnknown: [404, -30010, 'bucket not exist', ['status', 'code', 'message']],
  urlExpired: [403, -149001, 'request timeout', ['message']],
  publicKeyUnknown: [403, -149002, 'public key not found'],
  signedTwice: [403, -149003, 'signed in header and URL at once'],
  notImplemented: [501, -149004, 'not implemented: %s'],
  foreignHost: [
    421,
    -149005,
    'host %s is not served here, and nothing is forwarded; name it with --suffix, --bind or --dialect',
  ],
  pageOff: [403, -149009, 'this page is not shown: %s'],
  pageUnknown: [404, -149008, 'no page %s here'],
  methodRefused: [405, -149006, 'method %s not allowed here'],
  internal: [500, -149007, 'internal error'],
  notOwner: [403, -149010, 'bucket %s belongs to another account'],
  resetRefused: [403, -149011, 'nothing is reset: %s'],
  fileUnknown: [404, -148654, 'file not exist', ['status', 'code', 'message']],
  classNotAllowed: [403, -148660, 'switch class not allowed', ['status', 'code', 'message']],
  frozen: [403, -148671, 'file has not been restored', ['status', 'code', 'message']],
  badCopyRange: [419, -149100, 'bad copy range', ['status']],
  badRequest: [400, -149101, 'bad request'],
  badDigest: [400, -149102, 'content md5 mismatch'],
  uploadUnknown: [404, -149103, 'upload not exist'],
  badParts: [400, -149104, 'bad part list'],
  nameTaken: [409, -149105, 'file already exist'],
  badPosition: [409, -149106, 'bad append position'],
  badRange: [416, -149107, 'range not satisfiable'],
  preconditionFailed: [412, -149108, 'precondition failed'],
  callbackFailed: [502, -149109, 'file uploaded, callback failed'],
  damaged: [500, -149110, 'file damaged: %s'],
} as const;

/** Their HTTP status is not published; clients need 200. Codes that this project chose start with 90. */
const ACTION_ROWS = {
  actionMissing: [200, 160, 'Missing Action', ['code', 'message']],
  actionUnknown: [200, 161, 'Action [%s] not found', ['code', 'message']],
  actionNotServed: [200, 90004, 'Action [%s] is not implemented here'],
  signatureMissing: [200, 170, 'Missing Signature', ['code']],
  signatureWrong: [200, 171, 'Signature VerifyAC Error', ['code', 'message']],
  publicKeyUnknown: [200, 172, 'User Not Exists', ['code', 'message']],
  parameterMissing: [200, 220, 'Missing params [%s]', ['code', 'message']],
  parameterWrong: [200, 90001, 'Params [%s] not available'],
  bodyMalformed: [200, 90002, 'Parameters cannot be read'],
  internal: [200, 90003, 'Internal error'],
  nameTaken: [200, 15000, 'bucket %s exists already', ['code']],
  nameIllegal: [200, 15001, 'bucket name %s is illegal', ['code']],
  typeIllegal: [200, 15003, 'bucket type %s is illegal', ['code']],
  bucketUnknown: [200, 15010, 'bucket %s not exist', ['code']],
  bucketNotEmpty: [200, 15023, 'bucket %s is not empty', ['code']],
} as const;

export type FileErrorName = keyof typeof FILE_ROWS;
export type ActionErrorName = keyof typeof ACTION_ROWS;

export const FILE_ERRORS: Readonly<Record<FileErrorName, ErrorRow>> = toErrors(FILE_ROWS);

export const ACTION_ERRORS: Readonly<Record<ActionErrorName, ErrorRow>> = toErrors(ACTION_ROWS);

function toErrors<Name extends string>(
  rows: Readonly<Record<Name, Row>>,
): Readonly<Record<Name, ErrorRow>>;
function toErrors(rows: Readonly<Record<string, Row>>): Readonly<Record<string, ErrorRow>> {
  const errors = Object.entries(rows).map(([name, [status, code, message, published]]) => {
    const error: ErrorRow = { status, code, message, ...(published && { published }) };
    return [name, error] as const;
  });
  return Object.fromEntries(errors);
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
    { judgement, closes = false }: Partial<Pick<ServiceError, 'judgement' | 'closes'>> = {},
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

export function storeFull(message: string): ServiceError {
  return httpError(507, message, false);
}

type Reasons<Name> = Partial<Record<WrongJudgement['reason'], Name>>;

/** The rows for wrong signatures, which file requests and actions share; for any other reason, `signatureWrong`. */
const SIGNATURE_ROWS: Reasons<FileErrorName & ActionErrorName> = {
  'public-key-unknown': 'publicKeyUnknown',
  'authorization-missing': 'signatureMissing',
  'signature-missing': 'signatureMissing',
};

const FILE_SIGNATURE_ROWS: Reasons<FileErrorName> = {
  ...SIGNATURE_ROWS,
  expired: 'urlExpired',
  'signed-twice': 'signedTwice',
};

const ACTION_SIGNATURE_ROWS: Reasons<ActionErrorName> = {
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

/** The form of an error answer: errors of file requests and of HTTP contain the id of the request, errors of actions the action. */
type ErrorForm = { readonly id: string } | { readonly action: string };

interface ErrorOutcome {
  readonly answer: Answer;
  /** A text for the log: the fault of the signature, the message of another `ServiceError`, or the stack of an unexpected error. */
  readonly message: string;
}

/** Converts any thrown value to an answer. Only the log gets the details of an unexpected error. */
export function errorAnswer(thrown: unknown, form: ErrorForm): ErrorOutcome {
  const error =
    thrown instanceof ServiceError
      ? thrown
      : 'id' in form
        ? fileError('internal')
        : actionError('internal');
  const { status, code, message, judgement } = error;
  const members =
    'id' in form
      ? { RetCode: code, ErrMsg: message }
      : { RetCode: code, Action: `${form.action}Response`, Message: message };
  const headers: Answer['headers'] = [
    ...('id' in form ? [['X-SessionId', form.id] as const] : []),
    ...(judgement ? causeHeaders(judgement) : []),
  ];
  const signature = judgement && { Signature: signatureMember(judgement) };
  return {
    answer: jsonAnswer(status, { ...members, ...signature }, headers, code),
    message: error === thrown ? (judgement?.message ?? message) : textOf(thrown),
  };
}

function textOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
