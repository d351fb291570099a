/**
 * What is wrong with a request before anybody looks at what it means.
 *
 * @module
 */
import { type Answer, jsonAnswer } from '../answer.ts';
import { ServiceError } from '../service-error.ts';

/**
 * An error of HTTP alone.
 *
 * No code of the service is published for any of these, so it is one of ours with the status at its end.
 */
export function fault(status: number, message: string, closes = true): ServiceError {
  return new ServiceError(status, -149_000 - status, message, closes);
}

/** In the form that file requests get their errors in. */
export function faultAnswer({ status, code, message }: ServiceError, id: string): Answer {
  return jsonAnswer(status, { RetCode: code, ErrMsg: message }, [['X-SessionId', id]], code);
}

/** What Node's parser found, in our words. */
export function parserFault(error: NodeJS.ErrnoException, headSize: number): ServiceError {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return fault(408, 'the headers of the request did not come in time; send them at once');
    case 'HPE_HEADER_OVERFLOW':
      return fault(431, `the request line and the headers are over ${headSize} bytes together`);
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return fault(413, 'the chunk extensions of the body are too long; leave them out');
    case 'HPE_INVALID_EOF_STATE':
      return fault(400, 'the request breaks off: the connection was closed in the midst of it');
    case 'HPE_PAUSED_H2_UPGRADE':
      return fault(400, 'the request is HTTP/2, and this server speaks HTTP/1.1');
    default:
      return fault(400, `the request is not HTTP/1.1: ${reasonOf(error)}`);
  }
}

/** The first byte of a TLS handshake. */
const HANDSHAKE = 0x16;

function reasonOf(error: NodeJS.ErrnoException & { readonly rawPacket?: Uint8Array }): string {
  if (error.rawPacket?.[0] === HANDSHAKE) {
    return 'a TLS handshake came in on a port that speaks plain http; use http:// or start it with a certificate';
  }
  return error.message.replace(/^Parse Error:? */, '') || (error.code ?? 'nonsense');
}
