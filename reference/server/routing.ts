/**
 * Passes a request to the part of the service that it addresses.
 *
 * @module
 */
import { handleAction } from './actions/handle-action.ts';
import type { Service } from './authentication/service.ts';
import { handleFileRequest } from './files/handle-file-request.ts';
import { errorAnswer, fileError } from './messages/errors.ts';
import { BUILT_IN_PAGE, type Outcome, type WireRequest } from './messages/exchange.ts';
import type { Address } from './messages/hosts.ts';
import { answerBuiltInPage } from './pages/pages.ts';

/** Handles a request. Never rejects, because errors become answers. */
export async function handleRequest(
  service: Service,
  address: Address,
  wire: WireRequest,
): Promise<Outcome> {
  switch (address.kind) {
    case 'built-in page':
      return handlePage(service, wire);
    case 'actions':
      return handleAction(service, wire);
    case 'bucket':
      return handleFileRequest(service, address.bucket, wire);
    case 'unnamed bucket':
      return handleFileRequest(service, undefined, wire);
    case 'foreign':
      return errorAnswer(fileError('foreignHost', JSON.stringify(wire.host)), wire);
  }
}

async function handlePage(service: Service, wire: WireRequest): Promise<Outcome> {
  const operation = BUILT_IN_PAGE;
  try {
    return { answer: await answerBuiltInPage(service, wire), operation };
  } catch (error) {
    return { ...errorAnswer(error, wire), operation };
  }
}
