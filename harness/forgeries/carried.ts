/**
 * What a signer sends, as the question that a verifier is asked about it.
 *
 * @module
 */
import type { Mistake } from '../../reference/mistakes/mistake.ts';
import type { Dialect, Question } from '../adapter/messages.ts';
import { mistakenReply } from '../diagnosis/mistaken-reply.ts';
import type { Input, Stages } from '../suite/vector.ts';

interface Carrier {
  readonly operation: string;
  /** Nothing where the verifier is not told what differs. */
  readonly input: (signed: Input, sent: Stages) => Input | undefined;
}

/** How long a pre-signed URL is still valid; in seconds. */
const LEFT = 60;

const inHeader: Carrier = {
  operation: 'verify-authorization',
  input: ({ method, bucket, key, headers }, { authorization }) => ({
    method,
    bucket,
    key,
    headers: [...(headers as readonly unknown[]), ['Authorization', authorization]],
  }),
};

/** By signing operation. No verifier is told of forms and of instant uploads. */
const CARRIERS: Readonly<Record<string, Carrier>> = {
  authorization: inHeader,
  'policy-authorization': inHeader,
  'presigned-url': {
    operation: 'verify-presigned-url',
    input: ({ method, headers, fileHost, expires }, { url }) => ({
      method,
      url,
      headers,
      fileHost,
      now: `${Math.max(0, Number(expires) - LEFT)}`,
    }),
  },
  'action-query': { operation: 'verify-query', input: (_, { query }) => ({ query }) },
  'bucket-request': {
    operation: 'verify-query',
    input: (_, { target }) => {
      const [path, query] = String(target).split(/(?<=^\/)\?/);
      return path === '/' && query !== undefined ? { query } : undefined;
    },
  },
  'action-json': { operation: 'verify-json', input: (_, { body }) => ({ body }) },
};

/** The operation that verifies what an operation signs; nothing where none does. */
export function verifierOf(signing: string): string | undefined {
  return CARRIERS[signing]?.operation;
}

/** The request that a signer with these mistakes sends; nothing where it sends none. */
export function carried(
  signed: Question,
  mistakes: readonly Mistake[],
  dialect: Dialect,
): Question | undefined {
  const carrier = CARRIERS[signed.operation];
  const reply = mistakenReply(signed, mistakes, dialect);
  const input = reply.kind === 'result' ? carrier?.input(signed.input, reply.result) : undefined;
  return carrier && input && { operation: carrier.operation, keys: signed.keys, input };
}

/** Why the specification refuses it for its signature or its form; one that is only too old is signed well. */
export function forgedReason(sent: Question, dialect: Dialect): string | undefined {
  const reply = mistakenReply(sent, [], dialect);
  return reply.kind === 'refused' && reply.reason !== 'expired' ? reply.reason : undefined;
}

/** Whether the specification accepts it. */
export function isRight(sent: Question, dialect: Dialect): boolean {
  return mistakenReply(sent, [], dialect).kind === 'result';
}
