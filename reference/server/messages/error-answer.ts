/**
 * Converts errors to answers, in the form of file requests or of actions.
 *
 * @module
 */
import { actionError, fileError, ServiceError } from './errors.ts';
import { type Answer, jsonAnswer } from './exchange.ts';
import { causeHeaders, signatureMember } from './judgement.ts';

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
