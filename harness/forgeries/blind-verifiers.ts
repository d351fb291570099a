/**
 * Verifiers whose answer does not depend on the signature.
 *
 * @module
 */
import type { Reply } from '../adapter/messages.ts';
import type { Outcome, Run } from '../run.ts';
import { type ForgedOutcome, isAccepted } from './outcome.ts';

/** Fewer requests than this prove nothing of a verifier. */
const ENOUGH = 5;

export interface BlindVerifier {
  readonly operation: string;
  /** What it does to all, in one sentence. */
  readonly sentence: string;
}

/** Each verifier that accepts or refuses whatever it is asked. */
export function blindVerifiers({ outcomes, forged = [] }: Run): readonly BlindVerifier[] {
  const operations = new Set(outcomes.map(({ vector }) => vector.operation));
  const verifying = [...operations].filter((name) => name.startsWith('verify-'));
  return verifying.flatMap((operation) => {
    const of = ({ vector, reply }: Outcome): boolean =>
      vector.operation === operation && !vector.accept && reply.kind !== 'unsupported';
    const ofForged = ({ forgery }: ForgedOutcome): boolean => forgery.operation === operation;
    const does = blindness(outcomes.filter(of), forged.filter(ofForged));
    return does === undefined ? [] : [{ operation, sentence: `${operation} ${does}` }];
  });
}

function blindness(
  outcomes: readonly Outcome[],
  forged: readonly ForgedOutcome[],
): string | undefined {
  const undue = outcomes.flatMap(({ vector, reply }) => (vector.refuse ? [reply] : []));
  const count = undue.length + forged.length;
  if (count >= ENOUGH && areAll(undue, 'result') && forged.every(isAccepted)) {
    return `accepts everything: ${count} requests that must be refused, none was`;
  }
  const missigned = forged.filter(({ forgery }) => forgery.reason === 'signature-mismatch');
  if (missigned.length >= ENOUGH && missigned.every(isAccepted)) {
    return `accepts any signature: ${missigned.length} wrong ones, none was refused`;
  }
  const due = rightReplies(outcomes, forged);
  // One that errs in every signature accepts what is signed with its own mistake.
  return due.length >= ENOUGH && areAll(due, 'refused') && !forged.some(isAccepted)
    ? `refuses everything: ${due.length} rightly signed requests, none was accepted`
    : undefined;
}

/** The replies to rightly signed requests. */
function rightReplies(
  outcomes: readonly Outcome[],
  forged: readonly ForgedOutcome[],
): readonly Reply[] {
  const own = outcomes.map(({ vector, reply, controlReply }) =>
    vector.expect ? reply : controlReply,
  );
  const controls = new Set(forged.map(({ controlReply }) => controlReply));
  return [...own, ...controls].flatMap((reply) => reply ?? []);
}

function areAll(replies: readonly Reply[], kind: Reply['kind']): boolean {
  return replies.every((reply) => reply.kind === kind);
}
