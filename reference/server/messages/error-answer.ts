/**
 * The one place where an error becomes an answer, in the form of its family.
 *
 * @module
 */
import { actionError, fileError, ServiceError } from './errors.ts';
import { type Answer, jsonAnswer } from './exchange.ts';
import { causeHeaders, signatureMember } from './judgement.ts';

/** An error of a file request, or of HTTP, names the request by its id; an error of an action names the action. */
type ErrorForm = { readonly id: string } | { readonly action: string };

interface ErrorOutcome {
  readonly answer: Answer;
  /** For the log: what is wrong with the signature, or the stack of an unexpected error. */
  readonly message: string;
}

/** Turns anything thrown into an answer. Details of an unexpected error go to the log alone. */
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
