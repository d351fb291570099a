/**
 * The smallest set of mistakes that explains what an adapter answered, wrong and right alike.
 *
 * A set of mistakes is believed only where an implementation with exactly these mistakes gives the very answers
 * that came back: the wrong ones, and the right ones too. So a right implementation is never accused.
 *
 * @module
 */
import { type Cause, isNamed, type Mistake } from '../../reference/mistakes/index.ts';
import { isConditional } from './conditions.ts';
import type { Observation } from './observation.ts';
import type { Predictor } from './predictor.ts';
import { isBare, type Limits, type Made, Search, setFor } from './search.ts';

/** What is said of one cause. */
export interface FoundCause {
  readonly mistake: Cause;
  /**
   * exact: no other mistake fits as well. one of: the `others` do. nearest: what the mistake changes is like what was
   * answered, but some answers differ.
   */
  readonly confidence: 'exact' | 'one of' | 'nearest';
  readonly others: readonly Cause[];
  /** The operations that it is made in, where right answers of others speak against it. */
  readonly within?: readonly string[];
  /** The vectors that fail because of it: those that show it alone before those that show others too, the smallest first. */
  readonly explains: readonly string[];
  /** Of the answers that it changes, how many came back otherwise; only of the nearest. */
  readonly differing?: readonly [differing: number, of: number];
}

export interface Diagnosis {
  readonly causes: readonly FoundCause[];
  /** Failing vectors that no set of mistakes explains; the smallest first. */
  readonly unexplained: readonly string[];
}

/** What stands behind the name of a cause that is not certain. */
export function certainty({ confidence, differing }: FoundCause): string {
  if (confidence === 'one of') return ' (one of several)';
  return differing ? ` (nearest: ${differing[0]} of ${differing[1]} answers differ)` : '';
}

/** The same in a sentence about one failure. */
export function certaintyWords(cause: FoundCause): string {
  return cause.others.length > 0 ? ' (or one alike)' : certainty(cause);
}

/** A cause that changes steps, and so predicts answers. */
export const isMistake = (cause: Cause): cause is Mistake => 'change' in cause;

/** Counts for more than the length of any question. */
const LARGE = 1e9;

/** @param known the mistakes, where they are known already: no others are looked for */
export function diagnosis(
  observed: readonly Observation[],
  predictor: Predictor,
  limits?: Limits,
  known?: readonly Made[],
): Diagnosis {
  // Large contents last: they take long, and small ones say what they say.
  const size = ({ question }: Observation): number =>
    JSON.stringify(question.input).length + (predictor.isLight(question) ? 0 : LARGE);
  const ordered = observed
    .map((one) => [size(one), one] as const)
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one);
  const quick = ordered.filter(({ question }) => predictor.isQuick(question));
  const wrong = ordered.filter(({ right, actual }) => right !== actual);
  if (wrong.length === 0) return { causes: [], unexplained: [] };
  const search = new Search(quick, predictor, limits);
  const made = believed(known ?? search.found(), search, quick, predictor);
  const causes = made
    .map((one) => findingOf(one, made, search, ordered, predictor))
    .filter(({ explains }) => explains.length > 0)
    .sort((a, b) => b.explains.length - a.explains.length);
  return { causes, unexplained: idsOf(wrong.filter((one) => !search.explains(one, made))) };
}

/** The mistakes that a diagnosis says are made in an operation. */
export function mistakesIn(operation: string, causes: readonly FoundCause[]): readonly Mistake[] {
  return causes
    .filter((cause) => isMadeIn(operation, cause))
    .flatMap(({ mistake }) => (isMistake(mistake) ? [mistake] : []));
}

export function isMadeIn(operation: string, { within }: FoundCause): boolean {
  return within === undefined || within.includes(operation);
}

/** A mistake predicts fewer wrong verdicts than this by chance, where most wrong answers have another cause. */
const FEW = 3;

/** Of the answers that a mistake changes, at least this share has to be what came back. */
const SHARE = 0.5;

/** Without the mistakes that most of what they change speaks against. */
function believed(
  found: readonly Made[],
  search: Search,
  quick: readonly Observation[],
  predictor: Predictor,
): readonly Made[] {
  const made = found.map((one) =>
    isBounded(one, found, search, quick, predictor) ? one : { mistake: one.mistake },
  );
  const wrong = quick.filter(isWrong);
  const isMostOpen = wrong.filter((seen) => !search.explains(seen, made)).length > wrong.length / 2;
  const kept = made.filter((one) => {
    const touched = touchedBy(one, made, quick, predictor);
    const reproduced = touched.filter((seen) => search.explains(seen, made));
    // A single verdict can agree by chance, and a condition is chosen to agree: there, the mistake must predict every answer.
    const hasSolid = reproduced.some(isSolidEvidence);
    if (!hasSolid && reproduced.filter(isWrong).length < FEW && isMostOpen) return false;
    return hasSolid && !isConditional(one.mistake)
      ? reproduced.length > touched.length * SHARE
      : reproduced.length === touched.length;
  });
  return kept.length === made.length ? kept : believed(kept, search, quick, predictor);
}

/**
 * Whether the operations that a mistake is not made in are right where it would be seen.
 *
 * Where most of what is unexplained in one of them is what the mistake would change, another mistake of the same step is made
 * everywhere, and the bounds only hide what speaks against this one.
 */
function isBounded(
  one: Made,
  made: readonly Made[],
  search: Search,
  quick: readonly Observation[],
  predictor: Predictor,
): boolean {
  const { mistake, within } = one;
  if (!within) return true;
  const open = quick.filter(
    (seen) => !within.has(seen.question.operation) && !search.explains(seen, made),
  );
  const isTouched = ({ question }: Observation): boolean => {
    const set = setFor(question.operation, made);
    return predictor.answer(question, [...set, mistake]) !== predictor.answer(question, set);
  };
  const operations = new Set(open.map(({ question }) => question.operation));
  return [...operations].every((operation) => {
    const own = open.filter(({ question }) => question.operation === operation);
    return own.filter(isTouched).length <= own.length * SHARE;
  });
}

const isWrong = ({ right, actual }: Observation): boolean => right !== actual;

const isSolidEvidence = (one: Observation): boolean => isWrong(one) && !isBare(one);

/** The answers that would be others without this mistake. */
function touchedBy(
  one: Made,
  made: readonly Made[],
  observed: readonly Observation[],
  predictor: Predictor,
): readonly Observation[] {
  const without = made.filter((other) => other !== one);
  return observed.filter(({ question, right }) => {
    const { operation } = question;
    if (one.within && !one.within.has(operation)) return false;
    const [all, rest] = [setFor(operation, made), setFor(operation, without)];
    const before = rest.length === 0 ? right : predictor.answer(question, rest);
    return predictor.answer(question, all) !== before;
  });
}

function findingOf(
  one: Made,
  made: readonly Made[],
  search: Search,
  observed: readonly Observation[],
  predictor: Predictor,
): FoundCause {
  const quick = observed.filter(({ question }) => predictor.isQuick(question));
  const touched = touchedBy(one, made, quick, predictor);
  const differing = touched.filter((seen) => !search.explains(seen, made)).length;
  const [mistake = one.mistake, ...others] = plainestFirst([
    one.mistake,
    ...search.rivals(made, one),
  ]);
  const wrong = observed.filter(({ right, actual }) => right !== actual);
  return {
    mistake,
    confidence: differing > 0 ? 'nearest' : others.length === 0 ? 'exact' : 'one of',
    others: differing > 0 ? [] : others,
    ...(one.within && { within: [...one.within] }),
    explains: idsOf(attributed(one, made, wrong, search)),
    ...(differing > 0 && { differing: [differing, touched.length] as const }),
  };
}

/** Those of the register first, then the plainest; each once. */
export function plainestFirst(mistakes: readonly Mistake[]): readonly Mistake[] {
  const rank = (mistake: Mistake): number => (isNamed(mistake) ? 0 : 1);
  return [...new Set(mistakes)].sort((a, b) => rank(a) - rank(b) || a.cost - b.cost);
}

/**
 * The wrong answers of the set in which a mistake has a part; those that it gives alone, to a vector itself, first.
 *
 * One that two mistakes give, each by itself, such as a refusal, is the doing of both.
 */
function attributed(
  one: Made,
  made: readonly Made[],
  wrong: readonly Observation[],
  search: Search,
): readonly Observation[] {
  const without = made.filter((other) => other !== one);
  const isAlone = (seen: Observation): boolean =>
    search.explains(seen, [one]) && !search.explains(seen, without);
  const rank = (seen: Observation): number => (isAlone(seen) ? 0 : 1) + (seen.isControl ? 2 : 0);
  return wrong
    .filter(
      (seen) =>
        search.explains(seen, made) &&
        (!search.explains(seen, without) || search.explains(seen, [one])),
    )
    .map((seen) => [rank(seen), seen] as const)
    .sort(([a], [b]) => a - b)
    .map(([, seen]) => seen);
}

/** The vectors that observations belong to, each once. */
function idsOf(observed: readonly Observation[]): readonly string[] {
  return [...new Set(observed.flatMap(({ id }) => id ?? []))];
}
