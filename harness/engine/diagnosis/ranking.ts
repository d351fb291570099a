/**
 * Compares candidates with all answers, wrong and correct ones, and ranks the sets that they extend.
 *
 * @module
 */
import type { Mistake } from '../../../reference/mistakes/index.ts';
import { CANDIDATES, type Candidates } from './candidates.ts';
import { computeLikeness } from './likeness.ts';
import { isBareVerdict, type Observation } from './observation.ts';
import type { ObservedAnswers } from './observed-answers.ts';
import type { ScopedMistake } from './scoped-mistake.ts';

/** The effects of a further mistake in one operation, as numbers of answers. */
interface Tally {
  explained: number;
  /** Explained answers that are more than a verdict. */
  solid: number;
  likeness: number;
  /** Correct answers that it makes wrong. */
  contradicted: number;
  /** Wrong answers that the set explains, perhaps by chance, and that it would no longer explain. */
  lost: number;
  /** Wrong answers for which it predicts another wrong answer. */
  open: number;
}

const NOTHING: Tally = {
  explained: 0,
  solid: 0,
  likeness: 0,
  contradicted: 0,
  lost: 0,
  open: 0,
};

/** A set with a further mistake, or with several. */
export interface Extension {
  readonly made: readonly ScopedMistake[];
  readonly score: number;
  readonly cost: number;
  /** Whether the further mistake makes an answer wrong that the set explains. */
  readonly isLosing?: boolean;
}

/** The least worth of a candidate, as a share of the best. */
const WORTH = 0.5;
/** The most extensions of a set. */
export const WAYS = 3;

/** The extensions by one of some mistakes that no answer contradicts, the best first. */
export function rankExtensions(
  candidates: Candidates,
  made: readonly ScopedMistake[],
  mistakes: readonly Mistake[],
  mustExplain: boolean,
): readonly Extension[] {
  const tallies = tallyMistakes(candidates, made, mistakes);
  const found = mistakes.flatMap((mistake): readonly Extension[] => {
    const own = tallies.get(mistake);
    return own ? toExtensions(made, mistake, own, mustExplain) : [];
  });
  // One of several equally good mistakes of the same steps is enough; the others are its rivals.
  const seen = new Set<string>();
  return found
    .sort(compareExtensions)
    .filter(({ score, made: longer }) => {
      const name = `${score} ${longer.slice(-1).flatMap(({ mistake }) => mistake.steps)}`;
      return !seen.has(name) && seen.add(name);
    })
    .slice(0, WAYS);
}

/** The best extensions come first. */
export const compareExtensions = (a: Extension, b: Extension): number =>
  b.score - a.score || a.cost - b.cost;

function toExtensions(
  made: readonly ScopedMistake[],
  mistake: Mistake,
  tallies: ReadonlyMap<string, Tally>,
  mustExplain: boolean,
): readonly Extension[] {
  // Another scope of the same mistake is no further mistake; its scope is widened at the end.
  if (made.some((one) => one.mistake === mistake)) return [];
  const all = [...tallies];
  // In an operation in which it hides more answers than it explains, the mistake is probably not made.
  const fits = ({ contradicted, lost, explained: gained }: Tally): boolean =>
    contradicted === 0 && lost <= gained;
  const gains = ({ explained, likeness: like }: Tally): boolean =>
    mustExplain ? explained > 0 : explained > 0 || like > 0;
  const isEverywhere = all.every(([, tally]) => fits(tally));
  const kept = all.filter(([, tally]) => fits(tally) && (isEverywhere || gains(tally)));
  if (!kept.some(([, tally]) => gains(tally))) return [];
  const sum = (value: (tally: Tally) => number): number =>
    kept.reduce((total, [, tally]) => total + value(tally), 0);
  const explained = sum((tally) => tally.explained - tally.lost);
  const open = sum((tally) => tally.open);
  // A verdict can agree by chance, so the mistake must predict every answer that it changes.
  if (mustExplain && sum((tally) => tally.solid) === 0 && open > 0) return [];
  const within = isEverywhere ? undefined : new Set(kept.map(([operation]) => operation));
  const score = explained - open / 4 + sum((tally) => tally.likeness) / 8 - (within ? 0.5 : 0);
  const isLosing = sum((tally) => tally.lost) > 0;
  const further = { mistake, ...(within && { within }) };
  return [{ made: [...made, further], score, cost: mistake.cost, isLosing }];
}

type Tallies = ReadonlyMap<Mistake, Map<string, Tally>>;

/** Counts the effects of each of some mistakes on the answers of each operation. */
function tallyMistakes(
  candidates: Candidates,
  made: readonly ScopedMistake[],
  mistakes: readonly Mistake[],
): Tallies {
  const { observed } = candidates;
  const tallies: Tallies = new Map(mistakes.map((one) => [one, new Map()]));
  for (const one of observed.telling) addToTallies(observed, one, made, mistakes, tallies);
  const worth = (mistake: Mistake): number =>
    [...(tallies.get(mistake)?.values() ?? [])].reduce(
      (sum, { explained, likeness: like }) => sum + explained + like,
      0,
    );
  const ranked = mistakes
    .map((mistake) => [worth(mistake), mistake] as const)
    .sort(([a, x], [b, y]) => b - a || x.cost - y.cost);
  const least = (ranked[0]?.[0] ?? 0) * WORTH;
  const worthy = ranked.filter(([own]) => own >= least).map(([, mistake]) => mistake);
  const open = observed.telling.filter((one) => !observed.explains(one, made));
  const left = (open.every(isBareVerdict) ? candidates.putUnsharedFirst(worthy) : worthy).slice(
    0,
    CANDIDATES,
  );
  for (const one of observed.right) {
    // Candidates that were not checked against all correct answers do not count.
    if (observed.budget.isSpent) return new Map();
    const { operation } = one.question;
    const undecided = left.filter((mistake) => isOpen(tallies.get(mistake), operation));
    if (undecided.length > 0) addToTallies(observed, one, made, undecided, tallies);
  }
  return new Map([...tallies].filter(([mistake]) => left.includes(mistake)));
}

function addToTallies(
  observed: ObservedAnswers,
  one: Observation,
  made: readonly ScopedMistake[],
  candidates: readonly Mistake[],
  tallies: Tallies,
): void {
  const { question, actual, right } = one;
  const { operation } = question;
  const bare = isBareVerdict(one);
  const before = observed.predictGiven(one, made);
  for (const { answer, mistakes } of observed.computeChanges(question, made, candidates)) {
    const isGiven = answer === actual;
    const gain = isGiven ? 0 : computeLikeness(answer, actual) - computeLikeness(before, actual);
    for (const mistake of mistakes) {
      const own = tallies.get(mistake);
      const tally = own?.get(operation) ?? { ...NOTHING };
      own?.set(operation, tally);
      if (isGiven) tally.explained += 1;
      if (isGiven && !bare) tally.solid += 1;
      if (before === actual) tally[right === actual ? 'contradicted' : 'lost'] += 1;
      else if (!isGiven) {
        tally.open += gain > 0 ? 0 : 1;
        tally.likeness += gain;
      }
    }
  }
}

/** Whether a correct answer of an operation can still decide about a candidate. */
function isOpen(tallies: ReadonlyMap<string, Tally> | undefined, operation: string): boolean {
  if (!tallies) return false;
  const own = tallies.get(operation);
  if (own && own.contradicted > 0) return false;
  const isEverywhere = [...tallies.values()].every(({ contradicted }) => contradicted === 0);
  return isEverywhere || (own !== undefined && own.explained > 0);
}
