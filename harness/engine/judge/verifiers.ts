/**
 * Faults of verifiers that only many replies show: the signature has no effect, or a mistake is shared with the signer.
 *
 * @module
 */

import { type Cause, MISTAKES, type Mistake } from '../../../reference/mistakes/index.ts';
import { isVerifier } from '../../../reference/operations.ts';
import type { Reply } from '../protocol.ts';
import { type ForgedOutcome, type Forgery, isAccepted } from './forgery.ts';
import type { Outcome, Run } from './outcome.ts';

/** Fewer requests prove nothing about a verifier. */
const ENOUGH = 5;

const MISMATCH = 'signature-mismatch';

export interface BlindVerifier {
  readonly operation: string;
  /** Whether it accepts every request, not only every signature. */
  readonly acceptsEverything: boolean;
  /** Its fault, as a sentence. */
  readonly sentence: string;
}

/** Finds the verifiers that give all requests the same answer. */
export function findBlindVerifiers({
  outcomes,
  forged = [],
}: Pick<Run, 'outcomes' | 'forged'>): readonly BlindVerifier[] {
  const operations = new Set(outcomes.map(({ vector }) => vector.operation));
  const verifying = [...operations].filter((name) => isVerifier(name));
  return verifying.flatMap((operation) => {
    const own = outcomes.filter(
      ({ vector, reply }) =>
        vector.operation === operation && !vector.accept && reply.kind !== 'unsupported',
    );
    const ownForged = forged.filter(({ forgery }) => forgery.operation === operation);
    return findBlindness(operation, own, ownForged) ?? [];
  });
}

function findBlindness(
  operation: string,
  outcomes: readonly Outcome[],
  forged: readonly ForgedOutcome[],
): BlindVerifier | undefined {
  const blind = (does: string, acceptsEverything = false): BlindVerifier => {
    return { operation, acceptsEverything, sentence: `${operation} ${does}` };
  };
  const undue = outcomes.flatMap(({ vector, reply }) => (vector.refuse ? [reply] : []));
  const count = undue.length + forged.length;
  // A single mistake can accept all requests that must be refused for one reason.
  const reasons = new Set([
    ...outcomes.flatMap(({ vector }) => vector.refuse?.reason ?? []),
    ...forged.map(({ forgery }) => forgery.reason),
  ]);
  const areVaried = reasons.size > 1 && reasons.has(MISMATCH);
  if (count >= ENOUGH && areVaried && areAllOfKind(undue, 'result') && forged.every(isAccepted)) {
    const does = `accepts everything: it refused none of ${count} requests that must be refused`;
    return blind(does, true);
  }
  const missigned = forged.filter(({ forgery }) => forgery.reason === MISMATCH);
  if (missigned.length >= ENOUGH && missigned.every(isAccepted)) {
    return blind(`accepts any signature: it refused none of ${missigned.length} wrong ones`);
  }
  const due = collectDueReplies(outcomes, forged);
  // A verifier that computes all signatures wrongly accepts requests that are signed with its own mistake.
  return due.length >= ENOUGH && areAllOfKind(due, 'refused') && !forged.some(isAccepted)
    ? blind(`refuses everything: it accepted none of ${due.length} correctly signed requests`)
    : undefined;
}

/** The replies to correctly signed requests. */
function collectDueReplies(
  outcomes: readonly Outcome[],
  forged: readonly ForgedOutcome[],
): readonly Reply[] {
  const own = outcomes.map(({ vector, reply, controlReply }) =>
    vector.expect ? reply : controlReply,
  );
  const controls = new Set(forged.map(({ controlReply }) => controlReply));
  return [...own, ...controls].flatMap((reply) => reply ?? []);
}

const areAllOfKind = (replies: readonly Reply[], kind: Reply['kind']): boolean =>
  replies.every((reply) => reply.kind === kind);

export interface SharedMistake {
  /** The verifiers that make the mistake. */
  readonly operations: readonly string[];
  /** Several if the accepted requests do not tell them apart. */
  readonly mistakes: readonly Mistake[];
  /** The requests that were signed with it and accepted. */
  readonly accepted: readonly Forgery[];
  /** Whether the correct requests were refused, so that the verifiers make the mistake instead of only allowing it. */
  readonly isMade: boolean;
}

/** A shared mistake, by ids. */
type Finding = Pick<SharedMistake, 'operations' | 'accepted'> & {
  readonly mistakes: readonly string[];
};

/** The mistakes of accepted requests; the one that most requests show comes first. */
export function findSharedMistakes(outcomes: readonly ForgedOutcome[]): readonly SharedMistake[] {
  const operations = [...new Set(outcomes.map(({ forgery }) => forgery.operation))];
  const merged: Finding[] = [];
  for (const found of operations.flatMap((name) => findSharedMistakesIn(name, outcomes))) {
    const same = merged.findIndex(({ mistakes }) => intersect(mistakes, found.mistakes).length > 0);
    const known = merged[same];
    if (!known) merged.push(found);
    else {
      merged[same] = {
        operations: [...new Set([...known.operations, ...found.operations])],
        mistakes: intersect(known.mistakes, found.mistakes),
        accepted: [...known.accepted, ...found.accepted],
      };
    }
  }
  merged.sort((a, b) => b.accepted.length - a.accepted.length);
  return merged.map(({ operations: own, mistakes, accepted }) => ({
    operations: own,
    mistakes: MISTAKES.filter(({ id }) => mistakes.includes(id)),
    accepted,
    isMade: outcomes
      .filter(({ forgery }) => accepted.includes(forgery))
      .every(({ controlReply }) => controlReply?.kind === 'refused'),
  }));
}

/** The outcomes of forged requests that none of some causes explains. */
export function filterUncaused(
  forged: readonly ForgedOutcome[],
  causes: readonly { readonly mistake: Pick<Cause, 'id'> }[],
): readonly ForgedOutcome[] {
  const ids = new Set(causes.map(({ mistake }) => mistake.id));
  return forged.filter(({ causes: own = [] }) => !own.some((id) => ids.has(id)));
}

/** Finds the fewest mistakes that explain all accepted requests. A mistake counts only if all requests that it explains were accepted. */
function findSharedMistakesIn(
  operation: string,
  outcomes: readonly ForgedOutcome[],
): readonly Finding[] {
  const own = outcomes.filter(({ forgery }) => forgery.operation === operation);
  const accepted = own.filter(isAccepted).map(({ forgery }) => forgery);
  const refused = own
    .filter((one) => !isAccepted(one))
    .flatMap(({ forgery }) => acceptingMistakes(forgery));
  const found: Finding[] = [];
  let open = accepted;
  while (open.length > 0) {
    const names = open.flatMap(acceptingMistakes).filter((name) => !refused.includes(name));
    const best = findMostShown([...new Set(names)], open) ?? open[0]?.mistakes ?? [];
    const shown = open.filter((forgery) => acceptingMistakes(forgery).includes(best[0] ?? ''));
    found.push({ operations: [operation], mistakes: best, accepted: shown });
    open = open.filter((forgery) => !shown.includes(forgery));
  }
  return found;
}

function acceptingMistakes({ mistakes, acceptedWith = [] }: Forgery): readonly string[] {
  return [...mistakes, ...acceptedWith];
}

/** The mistakes that explain the most forgeries; several if they explain the same ones. */
function findMostShown(
  names: readonly string[],
  of: readonly Forgery[],
): readonly string[] | undefined {
  const shown = (name: string): readonly Forgery[] =>
    of.filter((forgery) => acceptingMistakes(forgery).includes(name));
  const [best] = [...names].sort((a, b) => shown(b).length - shown(a).length);
  if (best === undefined) return undefined;
  const most = shown(best);
  return names.filter((name) => {
    const others = shown(name);
    return others.length === most.length && others.every((forgery) => most.includes(forgery));
  });
}

function intersect(a: readonly string[], b: readonly string[]): readonly string[] {
  return a.filter((name) => b.includes(name));
}
