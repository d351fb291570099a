/**
 * Mistakes that one operation makes and others do not: published implementations have entry points that share no code.
 *
 * @module
 */
import type { Mistake } from '../../reference/mistakes/index.ts';
import type { Predicting } from './hypothesis.ts';
import type { Observation } from './observation.ts';
import { Search } from './search.ts';

/** An operation that leaves more unexplained than a few is seldom explained by itself. */
const TRIED = 12;

/** Mistakes with which an implementation answers, everywhere or in one operation, and what they are to explain. */
export interface Way {
  readonly operation?: string;
  readonly set: readonly Mistake[];
  readonly search: Search;
  readonly wrong: readonly Observation[];
}

/**
 * The ways of operations that the common one leaves unexplained, each found in the answers of its operation alone.
 *
 * That is weaker evidence than answers of all operations, so nothing may stay unexplained that its mistakes would change.
 */
export function waysApart(
  common: Way,
  quick: readonly Observation[],
  predictor: Predicting,
): readonly Way[] {
  const left = common.wrong.filter((one) => !isExplainedBy(common, one));
  // What a verifier answers holds no digest, so it fits now and then by chance.
  const operations = [...new Set(left.map(({ question }) => question.operation))].filter(
    (operation) => !operation.startsWith('verify-'),
  );
  const ways = operations.map((operation) => wayOf(operation, common, quick, predictor));
  const sure = ways.flatMap(({ set, search }) =>
    set.filter((mistake) => search.replacements(set, mistake).length === 0),
  );
  return credible(
    ways.map((way) => ({ ...way, set: withMistakesOf([...common.set, ...sure], way) })),
    common,
    left,
    predictor,
  );
}

/** Whether a way is that of the observation, and leads to it. */
export function isExplainedBy({ wrong, search, set }: Way, one: Observation): boolean {
  return wrong.includes(one) && search.explains(one, set);
}

function wayOf(
  operation: string,
  { set, wrong }: Way,
  quick: readonly Observation[],
  predictor: Predicting,
): Way {
  const isOwn = ({ question }: Observation): boolean => question.operation === operation;
  const search = new Search(quick.filter(isOwn), predictor, 0, TRIED);
  return { operation, set: search.smallestSet(set), search, wrong: wrong.filter(isOwn) };
}

/** The set of an operation, where several mistakes fit with one that is made elsewhere too. */
function withMistakesOf(elsewhere: readonly Mistake[], { set, search }: Way): readonly Mistake[] {
  return set.map((mistake) => {
    if (elsewhere.includes(mistake)) return mistake;
    return search.replacements(set, mistake).find((one) => elsewhere.includes(one)) ?? mistake;
  });
}

/** Those without the ones whose mistakes are about something that goes wrong in a way that nobody knows. */
function credible(
  ways: readonly Way[],
  common: Way,
  left: readonly Observation[],
  predictor: Predicting,
): readonly Way[] {
  const unknown = left.filter((one) => !ways.some((way) => isExplainedBy(way, one)));
  const isAbout = (mistake: Mistake, { question }: Observation): boolean =>
    predictor.isQuick(question) &&
    predictor.answer(question, [...common.set, mistake]) !== predictor.answer(question, common.set);
  const kept = ways.filter(({ set }) => {
    const own = set.filter((mistake) => !common.set.includes(mistake));
    return own.length > 0 && !own.some((mistake) => unknown.some((one) => isAbout(mistake, one)));
  });
  return kept.length === ways.length ? kept : credible(kept, common, left, predictor);
}
