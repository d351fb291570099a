/**
 * Refusals and exceptions of correct requests that no mistake explains, but a property of the request does.
 *
 * @module
 */
import type { Mistake } from '../../../reference/mistakes/index.ts';
import type { Outcome } from '../judge/outcome.ts';
import { otherCause, UNDUE_REFUSAL } from '../other-causes.ts';
import { type Effected, fitConditions } from './conditional-mistakes.ts';
import type { Diagnosis, FoundCause } from './diagnose.ts';
import { listExplained } from './doubt.ts';
import { isWronglyRefused, type Observation, REFUSED } from './observation.ts';

/** How many refused requests suggest conditions. */
const WITNESSES = 3;

/** The least share of the refusals that a condition explains, in all operations and in one: a few may have a property by chance. */
const SHARE = 0.2;
const SHARE_OF_ONE = 0.5;

/** A signature that does not match may be computed wrongly, so the refusal shows no check of the request. */
const MISMATCH = 'signature-mismatch';

const BARE: Mistake = { ...otherCause(UNDUE_REFUSAL), change: {}, order: 0, cost: 1 };

/**
 * Adds a cause for each condition that separates refusals and exceptions without a cause from the answered requests: first in all
 * operations together, then in each of them. No further question confirms it, so it is never certain.
 *
 * An uncertain cause that explains only refusals may fit by chance. It is dropped if a condition also explains all of them.
 *
 * @param observed the answers and the exceptions
 */
export function addUndueRefusals(
  found: Diagnosis,
  observed: readonly Observation[],
  outcomes: readonly Outcome[],
): Diagnosis {
  const refused = observed.filter(isUndue);
  const refusedIds = new Set(refused.flatMap(({ id = [] }) => id));
  const isWeak = ({ confidence, explains }: FoundCause): boolean =>
    confidence === 'one of' && explains.every((id) => refusedIds.has(id));
  const explained = listExplained(found.causes);
  const surely = listExplained(found.causes.filter((cause) => !isWeak(cause)));
  const answered = observed.filter(({ right, actual }) => right !== REFUSED && actual !== REFUSED);
  let left = refused.filter(({ id = '' }) => !surely.has(id));
  const isOpen = ({ id = '' }: Observation): boolean => !explained.has(id);
  const operations = [...new Set(left.filter(isOpen).map(({ question }) => question.operation))];
  const added: FoundCause[] = [];
  for (const scope of [operations, ...operations.map((one) => [one])]) {
    const share = scope === operations ? SHARE : SHARE_OF_ONE;
    const isOwn = ({ question }: Observation): boolean => scope.includes(question.operation);
    for (;;) {
      const own = left.filter(isOwn);
      const fitted = fitCondition(own, answered.filter(isOwn));
      if (!fitted?.refused.some(isOpen) || fitted.refused.length < own.length * share) break;
      added.push(toCause(fitted, outcomes));
      left = left.filter((one) => !fitted.refused.includes(one));
    }
  }
  const now = listExplained(added);
  const joined = [...new Set(added.map(({ mistake }) => mistake.id))].flatMap((id) =>
    joinCauses(added.filter(({ mistake }) => mistake.id === id)),
  );
  const kept = found.causes.filter(
    (cause) => !isWeak(cause) || cause.explains.some((id) => !now.has(id)),
  );
  return {
    ...found,
    causes: [...kept, ...joined],
    unexplained: found.unexplained.filter((id) => !now.has(id)),
  };
}

/** One cause for those of several operations that have the same condition. */
function joinCauses(same: readonly FoundCause[]): readonly FoundCause[] {
  const explains = same.flatMap((cause) => cause.explains);
  return same.slice(0, 1).map((first) => ({ ...first, explains }));
}

/** Whether a correct request of a vector is refused for another reason than its signature. */
const isUndue = (one: Observation): boolean =>
  one.id !== undefined && !one.isControl && one.reason !== MISMATCH && isWronglyRefused(one);

interface Fitted {
  readonly mistake: Mistake;
  readonly refused: readonly Observation[];
}

/** The condition that most of some refused requests have and no answered one has, with these requests. */
function fitCondition(
  refused: readonly Observation[],
  answered: readonly Observation[],
): Fitted | undefined {
  const effected: readonly Effected[] = [
    ...refused.map(({ question }) => ({ question, gain: 1, isContradiction: false }) as const),
    ...answered.map(({ question }) => ({ question, gain: -1, isContradiction: true }) as const),
  ];
  const [best] = refused
    .slice(0, WITNESSES)
    .flatMap(({ question }) => fitConditions(BARE, effected, question))
    .sort(([one, a], [other, b]) => b - a || one.cost - other.cost);
  if (!best) return undefined;
  const [mistake] = best;
  return { mistake, refused: refused.filter(({ question }) => mistake.holds(question)) };
}

function toCause({ mistake, refused }: Fitted, outcomes: readonly Outcome[]): FoundCause {
  const { id, wrong, fix, rule } = mistake;
  const explains = refused.flatMap((one) => one.id ?? []);
  const first = outcomes.find(({ vector }) => vector.id === explains[0]);
  return {
    mistake: { id, wrong, fix, rule: first?.vector.rules[0] ?? rule },
    confidence: 'one of',
    others: [],
    explains,
  };
}
