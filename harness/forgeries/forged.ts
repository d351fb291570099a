/**
 * Requests of signing vectors, signed with known mistakes.
 *
 * @module
 */
import { MISTAKES, type Mistake, touches } from '../../reference/mistakes/index.ts';
import type { Dialect, Question } from '../adapter/messages.ts';
import { mistakenReply, stepsUsed } from '../diagnosis/mistaken-reply.ts';
import type { Vector } from '../suite/vector.ts';
import { carried, forgedReason, isRight } from './carried.ts';
import type { Forgery } from './forgery.ts';

/** Refusals that rules of the levels open and advised ask for: a verifier may accept what is signed well otherwise. */
const LEFT_OPEN: ReadonlySet<string> = new Set([
  'header-name',
  'header-value',
  'parameter-repeated',
  'query-malformed',
  'body-malformed',
]);

/** Rules of the level open: a request that breaks one of these alone is no forgery. */
const OPEN_RULES: ReadonlySet<string> = new Set(['5.2/scheme-case']);

/**
 * The forgeries of one vector's request; mistakes with which a signer sends the same share one.
 *
 * A mistake leaves none where the request that it makes is signed as it says: a verifier has to accept that.
 */
export function forgeriesOf(
  vector: Vector,
  dialect: Dialect,
  mistakes: readonly Mistake[] = MISTAKES,
): readonly Forgery[] {
  const control = rightRequest(vector, dialect);
  if (!control) return [];
  const used = stepsUsed(vector, dialect);
  const touching = mistakes.filter(
    (mistake) => touches(mistake, used) && !OPEN_RULES.has(mistake.rule),
  );
  const bySent = new Map<string, Question & { mistakes: string[] }>();
  for (const mistake of touching) {
    const sent = carried(vector, [mistake], dialect);
    if (!sent) continue;
    const known = bySent.get(JSON.stringify(sent));
    if (known) known.mistakes.push(mistake.id);
    else bySent.set(JSON.stringify(sent), { ...sent, mistakes: [mistake.id] });
  }
  return [...bySent.values()].flatMap((sent) => {
    const reason = forgedReason(sent, dialect);
    const isForged = reason !== undefined && !LEFT_OPEN.has(reason);
    return isForged ? [{ ...sent, reason, vector: vector.id, control }] : [];
  });
}

/** The mistakes of signers, beyond those that lead to it, with which a verifier accepts a forgery. */
export function acceptingMistakes(
  { operation, keys, input, mistakes: own }: Forgery,
  dialect: Dialect,
  mistakes: readonly Mistake[],
): readonly string[] {
  const question = { operation, keys, input };
  const used = stepsUsed(question, dialect);
  const accepting = mistakes.filter(
    (mistake) =>
      !own.includes(mistake.id) &&
      touches(mistake, used) &&
      mistakenReply(question, [mistake], dialect).kind === 'result',
  );
  return accepting.map(({ id }) => id);
}

/** What a right signer sends: the vector's request, or where that cannot be signed, its control's. */
function rightRequest(vector: Vector, dialect: Dialect): Question | undefined {
  const { operation, keys, input, expect, control } = vector;
  // What is advised no verifier has to refuse, and what is open has no right answer.
  if (['advised', 'open'].includes(vector.level) || !(expect ?? control)) return undefined;
  const signed = {
    operation,
    keys: control?.keys ?? keys,
    input: { ...input, ...control?.input },
  };
  const sent = carried(signed, [], dialect);
  return sent && isRight(sent, dialect) ? sent : undefined;
}
