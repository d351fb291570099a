/**
 * A request that is not admitted for its signature.
 *
 * @module
 */
import { ACTION_ERRORS, type ErrorRow, FILE_ERRORS } from '../errors.ts';
import type { Judgement } from '../judgement.ts';
import { ServiceError } from '../service-error.ts';

export type WrongJudgement = Extract<Judgement, { readonly kind: 'wrong' }>;

export class SignatureError extends ServiceError {
  readonly judgement: WrongJudgement;

  constructor({ status, code, message }: ErrorRow, judgement: WrongJudgement) {
    super(status, code, message);
    this.judgement = judgement;
  }
}

type Row = keyof typeof FILE_ERRORS & keyof typeof ACTION_ERRORS;

/** The rows that are not those of a wrong signature. */
const ROWS: Partial<Record<WrongJudgement['reason'], Row>> = {
  'public-key-unknown': 'publicKeyUnknown',
  'authorization-missing': 'signatureMissing',
  'signature-missing': 'signatureMissing',
};

/** What a wrong signature of a file request is answered with. */
export function fileSignatureError(judgement: WrongJudgement): SignatureError {
  if (judgement.reason === 'expired') {
    return new SignatureError(FILE_ERRORS.urlExpired, judgement);
  }
  if (judgement.reason === 'signed-twice') {
    return new SignatureError(FILE_ERRORS.signedTwice, judgement);
  }
  return new SignatureError(FILE_ERRORS[ROWS[judgement.reason] ?? 'signatureWrong'], judgement);
}

/** What a wrong signature of an action is answered with. */
export function actionSignatureError(judgement: WrongJudgement): SignatureError {
  if (judgement.reason === 'body-malformed' || judgement.reason === 'query-malformed') {
    return new SignatureError(ACTION_ERRORS.bodyMalformed, judgement);
  }
  return new SignatureError(ACTION_ERRORS[ROWS[judgement.reason] ?? 'signatureWrong'], judgement);
}
