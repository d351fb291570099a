/**
 * Extends a set of mistakes: by one that gives a further wrong answer, by a conditional one, by one that gives more parts of an
 * answer, or by two at once.
 *
 * @module
 */
import type { Mistake } from '../../../reference/mistakes/index.ts';
import { type Candidates, costsAtMost } from './candidates.ts';
import { findConditional } from './conditional-extensions.ts';
import { deduceMistakes } from './fitted-candidates.ts';
import { isBareVerdict, type Observation } from './observation.ts';
import { findPairs } from './pairs.ts';
import { compareExtensions, type Extension, rankExtensions, WAYS } from './ranking.ts';
import type { ScopedMistake } from './scoped-mistake.ts';
import { interleaveByOperation } from './telling.ts';

/** Mistakes up to this cost are tried first, on all witnesses. */
const PLAIN = 1;
/** The number of wrong answers that suggest further mistakes: the smallest ones, of different operations. */
const WITNESSES = 8;
/** The search stops after this many witnesses with suggestions, or once a suggestion explains this share of the open answers. */
const SUGGESTING = 3;
const NEARLY_ALL = 0.9;

/** The best extensions, at most `WAYS`. */
export function findExtensions(
  candidates: Candidates,
  made: readonly ScopedMistake[],
): readonly Extension[] {
  const { observed } = candidates;
  const open = observed.telling.filter((one) => !observed.explains(one, made));
  const telling = open.filter((one) => !isBareVerdict(one));
  const plain = findSingle(candidates, made, open, PLAIN);
  // Many mistakes explain a verdict, so a costlier mistake that explains a full answer comes first.
  const isWeak = !plain.some(
    ({ made: longer, isLosing }) =>
      !isLosing && telling.some((one) => observed.explains(one, longer)),
  );
  const costly = isWeak ? findSingle(candidates, made, telling) : [];
  const known = [...costly, ...plain];
  const single = known.length > 0 ? known : findSingle(candidates, made, open);
  const best = single[0]?.score ?? 0;
  if (best >= open.length * NEARLY_ALL) return single;
  const most = plain.length > 0 ? PLAIN : Number.POSITIVE_INFINITY;
  const conditional = findConditional(candidates, made, open, best, most);
  if (conditional.length > 0) {
    const costlier = findSingle(candidates, made, open);
    return (costlier[0]?.score ?? 0) >= (conditional[0]?.score ?? 0) ? costlier : conditional;
  }
  if (single.length > 0) return single;
  const list = (one: Observation): readonly Mistake[] => candidates.findPartlyFitting(made, one);
  const partial = extendBy(candidates, made, open, list, false);
  // Thousands of pairs lead to the same verdict, so none of them is known to be the cause.
  return partial.length > 0 ? partial : findPairs(candidates, made, telling);
}

/** The best extensions by one mistake that gives the answer of a witness. */
export function findSingle(
  candidates: Candidates,
  made: readonly ScopedMistake[],
  witnesses: readonly Observation[],
  most: number = Number.POSITIVE_INFINITY,
): readonly Extension[] {
  const { observed } = candidates;
  const isCandidate = costsAtMost(most);
  const known = observed.wrong.filter(
    (one) => candidates.isKnown(made, one) && !observed.explains(one, made),
  );
  const listKnown = (one: Observation): readonly Mistake[] =>
    candidates.findKnownFitting(made, one, isCandidate);
  const quick = extendBy(candidates, made, interleaveByOperation(known), listKnown, true);
  if ((quick[0]?.score ?? 0) >= witnesses.length * NEARLY_ALL) return quick;
  const listAll = (one: Observation): readonly Mistake[] => [
    ...candidates.findFitting(made, one, isCandidate),
    ...deduceMistakes(observed, made, one),
  ];
  const slow = extendBy(candidates, made, witnesses, listAll, true);
  return slow.length > 0 ? slow : quick;
}

/** The best extensions that witnesses among the open answers suggest. */
function extendBy(
  candidates: Candidates,
  made: readonly ScopedMistake[],
  open: readonly Observation[],
  suggest: (one: Observation) => readonly Mistake[],
  mustExplain: boolean,
): readonly Extension[] {
  const { observed } = candidates;
  let found: readonly Extension[] = [];
  let joint: Extension = { made, score: 0, cost: 0 };
  let [tried, suggesting] = [0, 0];
  for (const one of open) {
    if (observed.budget.isSpent || suggesting === SUGGESTING || tried === WITNESSES) break;
    // A witness that these extensions explain would suggest one of them again.
    if (joint.score > 0 && observed.explains(one, joint.made)) continue;
    tried += 1;
    const fitting = candidates.siftVerdicts(made, one, suggest(one));
    const own = rankExtensions(candidates, made, fitting, mustExplain);
    const [best] = own;
    if (best) suggesting += 1;
    // Verdicts fit by chance, so mistakes that explain only verdicts are added one at a time.
    if (best && mustExplain && best.score > 0 && !isBareVerdict(one))
      joint = joinExtensions(joint, best);
    const others = own.filter((one) => !found.some((before) => isSame(before, one)));
    found = [...found, ...others].sort(compareExtensions);
    if ((found[0]?.score ?? 0) >= open.length * NEARLY_ALL) break;
  }
  const isJoint = joint.made.length > made.length + 1;
  return [...(isJoint ? [joint] : []), ...found].slice(0, WAYS);
}

/** The extension by the mistakes of two extensions of one set. */
const joinExtensions = (joint: Extension, { made, score, cost }: Extension): Extension => ({
  made: [...joint.made, ...made.slice(-1)],
  score: joint.score + score,
  cost: joint.cost + cost,
});

/** Whether two extensions add the same mistake in the same operations. */
function isSame(a: Extension, b: Extension): boolean {
  const [one, other] = [a.made.at(-1), b.made.at(-1)];
  const within = [...(one?.within ?? [])];
  return (
    one?.mistake === other?.mistake &&
    one?.within?.size === other?.within?.size &&
    within.every((operation) => other?.within?.has(operation))
  );
}
