/**
 * The requests of a client, each with its name and, where it shows one, its signature.
 *
 * @module
 */
import type { Exchange } from '../../reference/server/exchange.ts';
import type { SuspectRequest } from '../../reference/server/judgement.ts';
import { type Dialect, inDialect, type KeyPair } from '../../reference/signing/index.ts';
import { type SignedLine, signedLines } from '../explain/signed-lines.ts';
import { type Signed, type Subject, signed } from '../explain/subject.ts';
import { subjectOf } from '../serve/diagnosis.ts';
import { type FormFault, formFaults } from './sent-form.ts';

export interface ClientRequest {
  /** Its operation and its number within it, such as `PutFile/1`. */
  readonly id: string;
  readonly operation: string;
  readonly exchange: Exchange;
  /** Nothing where it is not signed, or nobody can tell what was signed. */
  readonly signature?: RequestSignature;
}

export interface RequestSignature {
  readonly subject: Subject;
  /** What it carries is looked at with the public key that it names. */
  readonly keys: KeyPair;
  readonly right: Signed;
  readonly lines: readonly SignedLine[];
  /** The rules that the form of the request breaks, whatever its signature is. */
  readonly faults: readonly FormFault[];
}

/** What a request is called that is none of an operation. */
const NO_OPERATION = 'request';

/** In characters. */
const LONGEST_NAME = 60;

/** The requests in the order in which they came, without those for the server's own pages. */
export function clientRequests(
  exchanges: readonly Exchange[],
  keys: KeyPair,
  dialect: Dialect,
): readonly ClientRequest[] {
  const counts = new Map<string, number>();
  return exchanges
    .filter((exchange) => !isOwnPage(exchange))
    .toSorted((a, b) => a.arrived - b.arrived)
    .map((exchange) => {
      const operation = operationOf(exchange);
      const number = (counts.get(operation) ?? 0) + 1;
      counts.set(operation, number);
      const signature = signatureOf(exchange, keys, dialect);
      return { id: `${operation}/${number}`, operation, exchange, ...(signature && { signature }) };
    });
}

/** As one word: an action is named by the client itself. */
function operationOf({ operation = NO_OPERATION }: Exchange): string {
  return operation.replace(/[^\w.-]+/g, '-').slice(0, LONGEST_NAME);
}

/** Such as its health: asked of the server and not of the service. */
function isOwnPage({ operation, judgement, status }: Exchange): boolean {
  return operation === undefined && judgement === undefined && status < 300;
}

function signatureOf(
  { judgement }: Exchange,
  { publicKey, privateKey }: KeyPair,
  dialect: Dialect,
): RequestSignature | undefined {
  if (!judgement || judgement.kind === 'unsigned' || !judgement.request) return undefined;
  return signatureIn(judgement.request, { publicKey, privateKey }, dialect);
}

function signatureIn(
  request: SuspectRequest,
  own: KeyPair,
  dialect: Dialect,
): RequestSignature | undefined {
  const context = inDialect(dialect);
  try {
    const subject = subjectOf(request, dialect);
    const keys = { ...own, publicKey: subject.sent.publicKey ?? own.publicKey };
    const right = signed(subject, keys, context);
    return {
      subject,
      keys,
      right,
      lines: signedLines(subject, context),
      faults: formFaults(subject, request),
    };
  } catch {
    // §5 gives it no text, or it shows no signature: the refusal says all there is.
    return undefined;
  }
}
