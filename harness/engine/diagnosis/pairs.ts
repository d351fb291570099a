/**
 * Extends sets by two mistakes at once, if no single one gives a wrong answer.
 *
 * @module
 */
import { type Mistake, touches } from '../../../reference/mistakes/index.ts';
import type { Question } from '../protocol.ts';
import type { Candidates } from './candidates.ts';
import { MARKS, outlineOf } from './likeness.ts';
import type { Observation } from './observation.ts';
import type { Predictor } from './predictor.ts';
import { type Extension, rankExtensions } from './ranking.ts';
import { joinSortedIds, type ScopedMistake, selectMistakes } from './scoped-mistake.ts';
import { OPAQUE_STEPS } from './trail.ts';

/** The number of wrong answers that suggest pairs, and the most pairs to try on each. */
const WITNESSES = 3;
const PAIRS = 6000;
/** The most pairs on a large content that hash it again. */
const HASHING_PAIRS = 60;
/** Of mistakes that give the same answer alone, as many are paired with others. */
const ALIKE = 3;
/** Texts that make other private keys, and so other digests. */
const OTHER_KEYS = ['', '1', '2'];
/** How much each wrong part of the answer of a mistake adds to its cost. */
const OFF = 2;

/** Extensions by pairs that reproduce the first of some answers for which there are any. */
export function findPairs(
  candidates: Candidates,
  made: readonly ScopedMistake[],
  telling: readonly Observation[],
): readonly Extension[] {
  for (const one of telling.slice(0, WITNESSES)) {
    const pairs = findPairsFor(candidates, made, one);
    if (pairs.length > 0) return pairs;
  }
  return [];
}

/** Pairs of mistakes that reproduce one answer; first those of mistakes that keep what is correct in it, then the cheapest. */
function findPairsFor(
  candidates: Candidates,
  made: readonly ScopedMistake[],
  one: Observation,
): readonly Extension[] {
  const { question, actual } = one;
  const { observed, barren } = candidates;
  const { budget, predictor } = observed;
  const set = selectMistakes(question.operation, made);
  // Mistakes in other steps change nothing here.
  const key = set.filter(observed.inStepsOfAny([one], made));
  const name = `${observed.all.indexOf(one)} ${joinSortedIds(key)}`;
  if (barren.has(name)) return [];
  barren.add(name);
  let left = PAIRS;
  let hashing = predictor.isLight(question) ? PAIRS : HASHING_PAIRS;
  const predictPair = createPairPredictor(predictor, question, set);
  for (const [a, b] of drawPairs(candidates, made, one)) {
    if (budget.isSpent || left === 0) break;
    left -= 1;
    if ((touches(a, OPAQUE_STEPS) || touches(b, OPAQUE_STEPS)) && hashing-- <= 0) continue;
    if (predictPair(a, b) !== actual) continue;
    const first = [...made, { mistake: a }];
    const found = rankExtensions(candidates, first, candidates.findFitting(first, one), true);
    if (found.length > 0) return found;
  }
  // A pair that was not checked against all answers may still fit.
  if (budget.isSpent) barren.delete(name);
  return [];
}

/** Predicts the answers of a set with a pair. Consecutive pairs with the same first mistake share its context. */
function createPairPredictor(
  predictor: Predictor,
  question: Question,
  set: readonly Mistake[],
): (a: Mistake, b: Mistake) => string | undefined {
  let first: Mistake | undefined;
  let predict = predictor.predictorOfFurther(question, set);
  return (a, b) => {
    if (a !== first) predict = predictor.predictorOfFurther(question, [...set, a]);
    first = a;
    return predict(b);
  };
}

/** If the correct answer has another form than the actual one, the first mistake of each pair gives that form. */
function drawPairs(
  candidates: Candidates,
  made: readonly ScopedMistake[],
  { question, actual }: Observation,
): Iterable<readonly [Mistake, Mistake]> {
  const { predictor } = candidates.observed;
  const set = selectMistakes(question.operation, made);
  const before = predictor.predict(question, set) ?? '';
  const isIn = (text: string): ((part: string) => boolean) => {
    const parts = new Set(text.split(MARKS));
    return (part) => parts.has(part);
  };
  const shared = before.split(MARKS).filter(isIn(actual));
  const wrong = before.split(MARKS).filter((part) => !isIn(actual)(part));
  /** The number of parts that the answer has wrong: correct ones lost, and wrong ones kept. */
  const countWrong = (answer = ''): number =>
    shared.length - shared.filter(isIn(answer)).length + wrong.filter(isIn(answer)).length;
  const all = candidates.computeEffects(question, made).flatMap(({ answer, mistakes }) => {
    const off = countWrong(answer);
    return mistakes
      .slice(0, ALIKE)
      .map((one): Priced => ({ answer, one, price: one.cost + off * OFF }));
  });
  const [form, correct] = [outlineOf(actual), outlineOf(before)];
  if (form === correct) return combinePairs(all, all);
  const firsts = all.filter(({ answer = '', one }) => {
    const own = outlineOf(answer);
    return own === form || (own !== correct && isResizing(predictor, question, set, one));
  });
  return combinePairs(firsts.length > 0 ? firsts : all, all);
}

/** Whether a mistake makes some answers longer than others, because digests differ: another mistake then changes the length as well. */
function isResizing(
  predictor: Predictor,
  question: Question,
  set: readonly Mistake[],
  mistake: Mistake,
): boolean {
  const growths = OTHER_KEYS.map((added) => {
    const keys = { ...question.keys, privateKey: question.keys.privateKey + added };
    const [right = '', wrong = ''] = [set, [...set, mistake]].map((made) =>
      predictor.predictUncached({ ...question, keys }, made),
    );
    return wrong.length - right.length;
  });
  return new Set(growths).size > 1;
}

/** A mistake for a pair; pairs with the lowest sum of prices are tried first. */
interface Priced {
  /** With this mistake alone. */
  readonly answer: string | undefined;
  readonly one: Mistake;
  readonly price: number;
}

/** The pairs of two lists, the cheapest first. */
function* combinePairs(
  firsts: readonly Priced[],
  seconds: readonly Priced[],
): Iterable<readonly [Mistake, Mistake]> {
  const pricesOf = (list: readonly Priced[]) => new Set(list.map(({ price }) => price));
  const sums = [...pricesOf(firsts)]
    .flatMap((a) => [...pricesOf(seconds)].map((b) => [a, b] as const))
    .filter(([a, b]) => firsts !== seconds || a <= b)
    .sort(([a, b], [c, d]) => a + b - c - d);
  for (const [a, b] of sums) {
    const others = seconds.filter(({ price }) => price === b);
    for (const { one } of firsts.filter(({ price }) => price === a)) {
      for (const { one: other } of others) if (one !== other) yield [one, other];
    }
  }
}
