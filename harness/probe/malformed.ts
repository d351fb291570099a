/**
 * Requests that are refused for their form, before anybody looks at their signature.
 *
 * @module
 */
import type { Dialect, Question } from '../adapter/messages.ts';
import { answerTo, isRefused } from '../rederive/answer.ts';

/** Why requests are refused that can be read. */
const OF_SIGNATURES: readonly string[] = ['signature-mismatch', 'public-key-unknown', 'expired'];

/** Whether the specification refuses it for its form. */
export function isMalformed(question: Question, dialect: Dialect): boolean {
  const answer = answerTo(question, dialect);
  return isRefused(answer) && !OF_SIGNATURES.includes(answer.reason);
}
