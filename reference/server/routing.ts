/**
 * Whose request it is: the server's own pages, the account API, or a bucket's.
 *
 * @module
 */
import { actionOutcome } from './actions/answering.ts';
import { actionErrorAnswer, fileErrorAnswer } from './error-answer.ts';
import { ACTION_ERRORS, FILE_ERRORS, serviceError } from './errors.ts';
import { fileOutcome } from './file-routing.ts';
import { ownAnswer } from './own/pages.ts';
import { OWN_PAGE } from './recent-exchanges.ts';
import type { Address, Outcome, Service } from './service.ts';
import type { WireRequest } from './wire-request.ts';

/** What becomes of a request. What nobody foresaw is answered too, and told in the log. */
export async function outcomeOf(
  service: Service,
  address: Address,
  wire: WireRequest,
): Promise<Outcome> {
  try {
    return await routed(service, address, wire);
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const answer =
      address.kind === 'actions'
        ? actionErrorAnswer(serviceError(ACTION_ERRORS.internal), '')
        : fileErrorAnswer(serviceError(FILE_ERRORS.internal), wire);
    return { answer, message };
  }
}

async function routed(service: Service, address: Address, wire: WireRequest): Promise<Outcome> {
  switch (address.kind) {
    case 'own':
      return { operation: OWN_PAGE, answer: ownAnswer(service, address.path, wire) };
    case 'actions':
      return actionOutcome(service, wire);
    case 'bucket':
      return fileOutcome(service, address.bucket, wire);
    case 'unnamed bucket':
      return fileOutcome(service, undefined, wire);
    case 'foreign': {
      const error = serviceError(FILE_ERRORS.foreignHost, JSON.stringify(wire.host));
      return { answer: fileErrorAnswer(error, wire), message: error.message };
    }
  }
}
