/**
 * The one place where an error becomes an answer, in the form of its family.
 *
 * @module
 */
import { type Answer, jsonAnswer } from './answer.ts';
import { SignatureError } from './authentication/signature-error.ts';
import { causeHeaders, signatureMember } from './authentication/told-judgement.ts';
import type { ServiceError } from './service-error.ts';
import type { WireRequest } from './wire-request.ts';

/** An error of a file request: RetCode and ErrMsg, and the header by which the service finds it again. */
export function fileErrorAnswer(error: ServiceError, { id }: WireRequest): Answer {
  const { status, code, message } = error;
  return jsonAnswer(
    status,
    { RetCode: code, ErrMsg: message, ...signatureOf(error) },
    [['X-SessionId', id], ...causesOf(error)],
    code,
  );
}

/** An error of an action: RetCode and Message. */
export function actionErrorAnswer(error: ServiceError, action: string): Answer {
  const { status, code, message } = error;
  return jsonAnswer(
    status,
    {
      RetCode: code,
      Action: `${action}Response`,
      Message: message,
      ...signatureOf(error),
    },
    causesOf(error),
    code,
  );
}

function signatureOf(error: ServiceError): object {
  return error instanceof SignatureError ? { Signature: signatureMember(error.judgement) } : {};
}

function causesOf(error: ServiceError): Answer['headers'] {
  return error instanceof SignatureError ? causeHeaders(error.judgement) : [];
}
