/**
 * What is remembered of a request and its answer.
 *
 * @module
 */
import type { Exchange } from '../exchange.ts';
import type { Outcome } from '../service.ts';
import type { Arrival } from './wire-request.ts';

export function exchangeOf(arrival: Arrival, outcome: Outcome, failure?: string): Exchange {
  const { answer, operation, bucket, key, judgement } = outcome;
  const messages = [outcome.message, failure].filter((message) => message !== undefined);
  return {
    ...arrival,
    took: Date.now() - arrival.arrived,
    operation,
    bucket,
    key,
    judgement,
    status: answer.status,
    code: answer.code,
    message: messages.length === 0 ? undefined : messages.join('; '),
  };
}
