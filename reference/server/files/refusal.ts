/**
 * What a file operation says no to.
 *
 * @module
 */
import { FILE_ERRORS } from '../errors.ts';
import { ServiceError } from '../service-error.ts';

/**
 * The error of a row.
 *
 * @param sentence what, observed, rule; comes after the text of the service
 */
export function refusal(name: keyof typeof FILE_ERRORS, sentence?: string): ServiceError {
  const { status, code, message } = FILE_ERRORS[name];
  const whole = sentence === undefined ? message : `${message}: ${sentence}`;
  return new ServiceError(status, code, whole);
}

/** What a request says that nobody understands. */
export function badRequest(sentence: string): ServiceError {
  return refusal('badRequest', sentence);
}
