/**
 * What an adapter was seen to answer, in the form in which answers are compared.
 *
 * @module
 */
import type { Question } from '../adapter/messages.ts';

/** A question, what is right and what was answered. */
export interface Observation {
  /** The vector that it belongs to; nothing for a further question, which only tells causes apart. */
  readonly id?: string;
  /** The positive control of a vector that must be refused. */
  readonly isControl?: true;
  readonly question: Question;
  readonly right: string;
  readonly actual: string;
}

/** What every refusal looks like: nobody's reason codes are compared. */
export const REFUSED = 'refused';
