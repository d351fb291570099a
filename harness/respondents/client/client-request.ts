/**
 * The requests of a client, each with a name and with its signature, if it has one.
 *
 * @module
 */
import type { Exchange } from '../../../reference/server/messages/exchange.ts';
import { type Dialect, inDialect, type KeyPair } from '../../../reference/signing/index.ts';
import { listSignedLines } from '../../engine/explain/signed-lines.ts';
import {
  type Signature,
  type SignedRequest,
  signRequest,
} from '../../engine/explain/signed-request.ts';
import type { SignedLine } from '../../engine/sent-request.ts';
import { toSignedRequest } from '../serve/diagnosis.ts';
import { type FormFault, findFormFaults } from './request-form.ts';

export interface ClientRequest {
  /** The operation and a number, such as `PutFile/1`. */
  readonly id: string;
  readonly operation: string;
  readonly exchange: Exchange;
  /** Absent if the request is not signed, or its signed text cannot be determined. */
  readonly signature?: RequestSignature;
}

export interface RequestSignature {
  readonly subject: SignedRequest;
  /** The server's private key with the public key that the request names. */
  readonly keys: KeyPair;
  readonly right: Signature;
  readonly lines: readonly SignedLine[];
  /** The rules that the form of the request breaks, even if its signature is correct. */
  readonly faults: readonly FormFault[];
}

/** The name of requests without an operation. */
const NO_OPERATION = 'request';

/** In characters. */
const LONGEST_NAME = 60;

/** Converts exchanges to requests, in the order of their arrival, without those for the server's built-in pages. */
export function toClientRequests(
  exchanges: readonly Exchange[],
  keys: KeyPair,
  dialect: Dialect,
): readonly ClientRequest[] {
  const counts = new Map<string, number>();
  return exchanges
    .filter((exchange) => !isBuiltInPage(exchange))
    .toSorted((a, b) => a.arrived - b.arrived)
    .map((exchange) => {
      const operation = operationName(exchange);
      const number = (counts.get(operation) ?? 0) + 1;
      counts.set(operation, number);
      const signature = readSignature(exchange, keys, dialect);
      return { id: `${operation}/${number}`, operation, exchange, ...(signature && { signature }) };
    });
}

/** Makes one word of the name, because a client can put any text into an action's name. */
function operationName({ operation = NO_OPERATION }: Exchange): string {
  return operation.replace(/[^\w.-]+/g, '-').slice(0, LONGEST_NAME);
}

/** Whether the request is for a page of the server itself, such as its health check. */
function isBuiltInPage({ operation, judgement, status }: Exchange): boolean {
  return operation === undefined && judgement === undefined && status < 300;
}

function readSignature(
  { judgement }: Exchange,
  { publicKey, privateKey }: KeyPair,
  dialect: Dialect,
): RequestSignature | undefined {
  if (!judgement || judgement.kind === 'unsigned' || !judgement.request) return undefined;
  const { request } = judgement;
  const context = inDialect(dialect);
  try {
    const subject = toSignedRequest(request, dialect);
    const keys = { publicKey: subject.sent.publicKey ?? publicKey, privateKey };
    return {
      subject,
      keys,
      right: signRequest(subject, keys, context),
      lines: listSignedLines(subject, context),
      faults: findFormFaults(subject, request),
    };
  } catch {
    // The request has no signature, or §5 defines no signed text for it. The message of the refusal is enough.
    return undefined;
  }
}
