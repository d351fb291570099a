/**
 * Refusals and exceptions of correct requests that no mistake explains, but a property of the request does.
 *
 * @module
 */
import type { Mistake } from '../../../reference/mistakes/index.ts';
import type { Outcome } from '../judge/outcome.ts';
import { otherCause, UNDUE_REFUSAL } from '../other-causes.ts';
import { type Conditional, type Effected, fitConditions } from './conditional-mistakes.ts';
import type { Diagnosis, FoundCause } from './diagnose.ts';
import { listExplained } from './doubt.ts';
import { isWronglyRefused, type Observation, operationsOf, REFUSED } from './observation.ts';

/** How many refused requests suggest conditions. */
const WITNESSES = 3;

/** The least share of the refusals that a condition explains, in all operations and in one: a few may have a property by chance. */
const SHARE = 0.2;
const SHARE_OF_ONE = 0.5;

/** A signature that does not match may be computed wrongly, so the refusal shows no check of the request. */
const MISMATCH = 'signature-mismatch';

const BARE: Mistake = { ...otherCause(UNDUE_REFUSAL), change: {}, steps: [], order: 0, cost: 1 };

/**
 * Adds a cause for each condition that separates refusals and exceptions without a cause from the answered requests. No further
 * question confirms it, so it is never certain.
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
  const ids = new Set(refused.flatMap(({ id = [] }) => id));
  const isWeak = ({ confidence, explains }: FoundCause): boolean =>
    confidence === 'one of' && explains.every((id) => ids.has(id));
  const explained = listExplained(found.causes);
  const surely = listExplained(found.causes.filter((cause) => !isWeak(cause)));
  const added = separateRefusals(
    refused.filter(({ id = '' }) => !surely.has(id)),
    observed.filter(({ right, actual }) => right !== REFUSED && actual !== REFUSED),
    ({ id = '' }) => !explained.has(id),
  ).map((fitted) => toCause(fitted, outcomes));
  const now = listExplained(added);
  const isKept = (cause: FoundCause): boolean =>
    !isWeak(cause) || cause.explains.some((id) => !now.has(id));
  return {
    ...found,
    causes: [...found.causes.filter(isKept), ...added],
    unexplained: found.unexplained.filter((id) => !now.has(id)),
  };
}

/**
 * The conditions that separate refused requests from answered ones: first in all operations with open refusals together, then in each
 * of them. A condition counts if it explains an open refusal.
 */
function separateRefusals(
  refused: readonly Observation[],
  answered: readonly Observation[],
  isOpen: (one: Observation) => boolean,
): readonly Fitted[] {
  const operations = [...operationsOf(refused.filter(isOpen))];
  const byId = new Map<string, Fitted>();
  let left = refused;
  for (const scope of [operations, ...operations.map((one) => [one])]) {
    const share = scope === operations ? SHARE : SHARE_OF_ONE;
    const isOwn = ({ question }: Observation): boolean => scope.includes(question.operation);
    for (;;) {
      const own = left.filter(isOwn);
      const fitted = fitCondition(own, answered.filter(isOwn));
      if (!fitted?.refused.some(isOpen) || fitted.refused.length < own.length * share) break;
      const { mistake } = fitted;
      const before = byId.get(mistake.id)?.refused ?? [];
      byId.set(mistake.id, { mistake, refused: [...before, ...fitted.refused] });
      left = left.filter((one) => !fitted.refused.includes(one));
    }
  }
  return [...byId.values()];
}

/** Whether a correct request of a vector is refused for another reason than its signature. */
const isUndue = (one: Observation): boolean =>
  one.id !== undefined && !one.isControl && one.reason !== MISMATCH && isWronglyRefused(one);

interface Fitted {
  readonly mistake: Conditional;
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
  const operations = operationsOf(refused);
  const first = outcomes.find(({ vector }) => vector.id === explains[0]);
  return {
    mistake: { id, wrong, fix, rule: first?.vector.rules[0] ?? rule },
    confidence: 'one of',
    others: [],
    explains,
    refuses: (question) => operations.has(question.operation) && mistake.holds(question),
  };
}
