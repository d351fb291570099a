/**
 * The smallest set of known mistakes that explains what an adapter answered, wrong and right alike.
 *
 * A set of mistakes is believed only where an implementation with exactly these mistakes gives the very answers
 * that came back: the wrong ones, and the right ones too. So a right implementation is never accused.
 *
 * @module
 */
import type { Mistake } from '../../reference/mistakes/index.ts';
import type { Predicting } from './hypothesis.ts';
import type { Observation } from './observation.ts';
import { Search } from './search.ts';
import { isExplainedBy, type Way, waysApart } from './ways.ts';

export interface Cause {
  readonly mistake: Mistake;
  /** exact: no other known mistake fits as well. one of: the `others` do. */
  readonly confidence: 'exact' | 'one of';
  readonly others: readonly Mistake[];
  /** The operations that it is made in, where right answers of others speak against it. */
  readonly within?: readonly string[];
  /** The vectors that fail because of it: those that show it alone before those that show others too, the smallest first. */
  readonly explains: readonly string[];
}

export interface Diagnosis {
  readonly causes: readonly Cause[];
  /** Failing vectors that no set of known mistakes explains; the smallest first. */
  readonly unexplained: readonly string[];
}

/** How long the search for several mistakes at once may compute, however busy the machine is; in microseconds. */
const TIME_LIMIT = 1_000_000;

/** @param limit for the search for several mistakes at once; with 0, only single ones are added */
export function diagnosis(
  observed: readonly Observation[],
  predictor: Predicting,
  limit: number = TIME_LIMIT,
): Diagnosis {
  const ordered = [...observed].sort(bySize);
  const quick = ordered.filter(({ question }) => predictor.isQuick(question));
  const wrong = ordered.filter(({ right, actual }) => right !== actual);
  const search = new Search(quick, predictor, limit);
  const found = search.smallestSet();
  const common: Way = { set: found, search, wrong };
  const apart = waysApart(common, quick, predictor);
  const isApart = (one: Observation): boolean => apart.some((way) => way.wrong.includes(one));
  const rest: Way = { ...common, wrong: wrong.filter((one) => !isApart(one)) };
  const all = [rest, ...apart];
  return {
    causes: [...new Set(all.flatMap(({ set }) => set))]
      .map((mistake) => causeOf(mistake, rest, all))
      .filter(({ explains }) => explains.length > 0)
      .sort((a, b) => b.explains.length - a.explains.length),
    unexplained: idsOf(wrong.filter((one) => !all.some((way) => isExplainedBy(way, one)))),
  };
}

/** The mistakes that a diagnosis says are made in an operation. */
export function mistakesIn(operation: string, causes: readonly Cause[]): readonly Mistake[] {
  return causes.filter((cause) => isMadeIn(operation, cause)).map(({ mistake }) => mistake);
}

export function isMadeIn(operation: string, { within }: Cause): boolean {
  return within === undefined || within.includes(operation);
}

/** @param common the way of all operations but those that have one of their own */
function causeOf(mistake: Mistake, common: Way, all: readonly Way[]): Cause {
  const made = all.filter(({ set }) => set.includes(mistake));
  const isEverywhere = made.includes(common);
  const others = alike(mistake, isEverywhere ? [common] : made);
  return {
    mistake,
    confidence: others.length === 0 ? 'exact' : 'one of',
    others,
    ...(!isEverywhere && { within: made.flatMap(({ operation }) => operation ?? []) }),
    explains: idsOf(
      made.flatMap(({ search, set, wrong }) => search.attributedTo(wrong, set, mistake)),
    ),
  };
}

/** Other mistakes that would fit in the place of one, wherever it is made. */
function alike(mistake: Mistake, ways: readonly Way[]): readonly Mistake[] {
  const [first, ...rest] = ways.map(({ set, search }) => search.replacements(set, mistake));
  return (first ?? []).filter((other) => rest.every((others) => others.includes(other)));
}

/** The vectors that observations belong to, each once. */
function idsOf(observed: readonly Observation[]): readonly string[] {
  return [...new Set(observed.flatMap(({ id }) => id ?? []))];
}

function bySize(a: Observation, b: Observation): number {
  return JSON.stringify(a.question.input).length - JSON.stringify(b.question.input).length;
}
