/**
 * Finds the smallest set of mistakes that explains all answers of an adapter, wrong and correct ones.
 *
 * A set counts only if an implementation with exactly these mistakes gives the same answers, byte for byte: the wrong ones
 * and the correct ones. So the diagnosis never accuses a correct implementation.
 *
 * @module
 */
import { type Cause, isNamed, type Mistake } from '../../../reference/mistakes/index.ts';
import type { Question } from '../protocol.ts';
import { isFitted } from './conditional-mistakes.ts';
import { addNearest } from './nearest.ts';
import {
  isBareVerdict,
  isWrong,
  isWrongText,
  type Observation,
  operationsOf,
} from './observation.ts';
import type { ObservedAnswers } from './observed-answers.ts';
import type { Predictor } from './predictor.ts';
import { findRivals } from './rivals.ts';
import { type ScopedMistake, selectMistakes } from './scoped-mistake.ts';
import { type Limits, Search } from './search.ts';
import { dropNeedless } from './simplification.ts';

/** A cause and its evidence. */
export interface FoundCause {
  readonly mistake: Cause;
  /**
   * exact: no other mistake fits. one of: the `others` fit too; without others, too little shows the mistake. nearest:
   * the mistake explains most of the answers that it changes, but not all.
   */
  readonly confidence: 'exact' | 'one of' | 'nearest';
  readonly others: readonly Cause[];
  /** The operations with this mistake, if correct answers of other operations contradict it there. */
  readonly within?: readonly string[];
  /** The vectors that fail because of it: first those without another cause, then the others; each group sorted by size. */
  readonly explains: readonly string[];
  /** Whether a cause without steps refuses a correct request. Absent if it is not limited to some requests. */
  readonly refuses?: (question: Question) => boolean;
  /** How many of the answers that it changes differ from the prediction; only for `nearest`. */
  readonly differing?: readonly [differing: number, of: number];
}

export interface Diagnosis {
  readonly causes: readonly FoundCause[];
  /** Failing vectors that no set of mistakes explains; the smallest first. */
  readonly unexplained: readonly string[];
}

/** Whether a cause changes steps, and so predicts answers. */
export const isMistake = (cause: Cause): cause is Mistake => 'change' in cause;

/** Larger than the length of any question. */
const LARGE = 1e9;

/** @param known mistakes that were found before; the search for others is skipped */
export function diagnose(
  observed: readonly Observation[],
  predictor: Predictor,
  limits?: Limits,
  known?: readonly ScopedMistake[],
): Diagnosis {
  const ordered = sortBySize(observed, predictor);
  const wrong = ordered.filter(isWrong);
  if (wrong.length === 0) return { causes: [], unexplained: [] };
  const search = new Search(selectQuick(ordered, predictor), predictor, limits);
  const made = known
    ? keepBelievable(dropNeedless(search.observed, known), search.observed)
    : findBelievable(search);
  const all = made.map((one) => [one, toFoundCause(one, made, search, ordered)] as const);
  const joined = joinAlike(all, made, wrong, search.observed);
  if (joined) return diagnose(observed, predictor, limits, joined);
  const causes = all
    .map(([, cause]) => cause)
    .filter(({ explains }) => explains.length > 0)
    .sort((a, b) => b.explains.length - a.explains.length);
  return {
    causes,
    unexplained: listIds(wrong.filter((one) => !search.observed.explains(one, made))),
  };
}

/** The questions from the smallest to the largest: hashing large contents is slow, and small ones usually show the same. */
function sortBySize(
  observed: readonly Observation[],
  predictor: Predictor,
): readonly Observation[] {
  const size = ({ question }: Observation): number =>
    JSON.stringify(question.input).length + (predictor.isLight(question) ? 0 : LARGE);
  return observed
    .map((one) => [size(one), one] as const)
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one);
}

/** The mistakes that the search finds, without those that most of the answers contradict. */
function findBelievable(search: Search): readonly ScopedMistake[] {
  const keep = (found: readonly ScopedMistake[]): readonly ScopedMistake[] =>
    keepBelievable(found, search.observed);
  const found = search.findMistakes();
  const believable = keep(found);
  if (believable.length === found.length) return believable;
  // Mistakes that fit only together may have stood for a single one, which explains fewer answers or which a few answers contradict.
  return keep(search.addSingle(keep(addNearest(search.candidates, believable))));
}

/** The set with one mistake instead of two that it fits as well as each of them, if that explains as many answers. */
function joinAlike(
  causes: readonly (readonly [ScopedMistake, FoundCause])[],
  made: readonly ScopedMistake[],
  wrong: readonly Observation[],
  observed: ObservedAnswers,
): readonly ScopedMistake[] | undefined {
  const scopeOf = ([{ within }, { explains }]: (typeof causes)[number]): ReadonlySet<string> =>
    within ?? operationsOf(wrong.filter(({ id = '' }) => explains.includes(id)));
  for (const [at, first] of causes.entries()) {
    const [one, cause] = first;
    const fitting = new Set([cause.mistake, ...cause.others]);
    for (const second of causes.slice(at + 1)) {
      const [other, { mistake, others }] = second;
      const rest = made.filter((kept) => kept !== one && kept !== other);
      const shared = [mistake, ...others].filter(isMistake).filter((rival) => fitting.has(rival));
      const within = new Set([...scopeOf(first), ...scopeOf(second)]);
      const joined = shared
        .flatMap((rival) => [{ mistake: rival }, { mistake: rival, within }])
        .map((joint) => [...rest, joint])
        .find((set) => observed.explainsAsMany(set, made));
      if (joined) return joined;
    }
  }
  return undefined;
}

/** The observations without large contents; all of them if only large contents have wrong answers. */
function selectQuick(
  observed: readonly Observation[],
  predictor: Predictor,
): readonly Observation[] {
  const quick = observed.filter(({ question }) => predictor.isQuick(question));
  return quick.some(isWrong) ? quick : observed;
}

/** The mistakes of a diagnosis that apply to an operation. */
export function listMistakesIn(
  operation: string,
  causes: readonly FoundCause[],
): readonly Mistake[] {
  return causes
    .filter((cause) => isMadeIn(operation, cause))
    .flatMap(({ mistake }) => (isMistake(mistake) ? [mistake] : []));
}

export function isMadeIn(operation: string, { within }: FoundCause): boolean {
  return within === undefined || within.includes(operation);
}

/** A mistake can predict fewer wrong verdicts than this by chance. */
const FEW = 3;
/** Beside so many times as many verdicts that nothing explains, it can predict any number of them by chance. */
const TIMES = 8;

/** The least share of the answers that a mistake changes and predicts correctly. */
const SHARE = 0.5;

/**
 * Drops the mistakes that are contradicted by most of the answers that they change.
 *
 * One at a time, the one that explains the fewest answers first: a wrong mistake hides what the others explain.
 */
function keepBelievable(
  found: readonly ScopedMistake[],
  observed: ObservedAnswers,
): readonly ScopedMistake[] {
  const made = found.map((one) =>
    isBounded(one, found, observed) ? one : { mistake: one.mistake },
  );
  const open = observed.listOpen(made);
  const doubtful = made.flatMap((one) => {
    const touched = filterTouched(one, made, observed.all, observed.predictor);
    const reproduced = touched.filter((seen) => observed.explains(seen, made));
    const count = reproduced.filter(isWrong).length;
    return isBelievable(one.mistake, touched, reproduced, open) ? [] : [[count, one] as const];
  });
  const [worst] = doubtful.sort(([a], [b]) => a - b);
  if (!worst) return made;
  return keepBelievable(
    made.filter((one) => one !== worst[1]),
    observed,
  );
}

/** @param touched the answers that the mistake changes; `reproduced` are those that it predicts, `open` those without an explanation */
function isBelievable(
  mistake: Mistake,
  touched: readonly Observation[],
  reproduced: readonly Observation[],
  open: readonly Observation[],
): boolean {
  if (isImpostor(mistake, reproduced.filter(isWrong), open)) return false;
  // A verdict can agree by chance, and a condition is chosen to agree. In both cases the mistake must predict every answer.
  if (!reproduced.some(isWrongText) || isFitted(mistake))
    return reproduced.length === touched.length;
  const isMost = (own: readonly Observation[], all: readonly Observation[]): boolean =>
    own.length > all.length * SHARE;
  const isFull = (seen: Observation): boolean => !isBareVerdict(seen);
  return isMost(reproduced, touched) && isMost(reproduced.filter(isFull), touched.filter(isFull));
}

/**
 * Whether a mistake that explains few answers may fit them by chance: at least as many answers of their operations have no
 * explanation. Verdicts fit by chance more often than texts do, and so do mistakes that no author is known to make; a condition
 * is chosen to fit.
 */
function isImpostor(
  mistake: Mistake,
  explained: readonly Observation[],
  open: readonly Observation[],
): boolean {
  const operations = operationsOf(explained);
  const beside = open.filter(({ question }) => operations.has(question.operation));
  const isSolid = explained.some(isWrongText);
  if (!isSolid && beside.length >= explained.length * TIMES) return true;
  const isLikely = explained.length >= FEW || (isSolid && isNamed(mistake));
  return (isFitted(mistake) || !isLikely) && beside.length >= explained.length;
}

/**
 * Whether the scope of a mistake is real.
 *
 * It is not if, in an operation outside the scope, the mistake would change most of the unexplained answers and fewer of the
 * explained ones. Then another mistake of the same step affects all operations, and the scope only hides the answers that
 * contradict this one.
 */
function isBounded(
  { mistake, within }: ScopedMistake,
  made: readonly ScopedMistake[],
  observed: ObservedAnswers,
): boolean {
  if (!within) return true;
  const outside = observed.all.filter(({ question }) => !within.has(question.operation));
  const open = outside.filter((seen) => !observed.explains(seen, made));
  const isTouched = ({ question }: Observation): boolean => {
    const set = selectMistakes(question.operation, made);
    const { predictor } = observed;
    return predictor.predict(question, [...set, mistake]) !== predictor.predict(question, set);
  };
  return [...operationsOf(open)].every((operation) => {
    const all = outside.filter(({ question }) => question.operation === operation);
    const own = all.filter((seen) => open.includes(seen));
    const touched = own.filter(isTouched).length;
    if (touched <= own.length * SHARE) return true;
    return all.filter((seen) => !open.includes(seen) && isTouched(seen)).length >= touched;
  });
}

/** The answers that this mistake changes. */
function filterTouched(
  one: ScopedMistake,
  made: readonly ScopedMistake[],
  observed: readonly Observation[],
  predictor: Predictor,
): readonly Observation[] {
  const without = made.filter((other) => other !== one);
  return observed.filter(({ question, right }) => {
    const { operation } = question;
    if (one.within && !one.within.has(operation)) return false;
    const [all, rest] = [selectMistakes(operation, made), selectMistakes(operation, without)];
    if (!predictor.canChange(question, all)) return false;
    const before = rest.length === 0 ? right : predictor.predict(question, rest);
    return predictor.predict(question, all) !== before;
  });
}

function toFoundCause(
  one: ScopedMistake,
  made: readonly ScopedMistake[],
  search: Search,
  all: readonly Observation[],
): FoundCause {
  const { observed } = search;
  const { predictor } = observed;
  const without = made.filter((other) => other !== one);
  const touched = filterTouched(one, made, observed.all, predictor);
  const differing = touched.filter((seen) => !observed.explains(seen, made)).length;
  const attributed = filterAttributed(one, made, all.filter(isWrong), observed);
  const { everywhere, inVerifiers } = findRivals(search.candidates, made, one);
  const plainest = sortPlainestFirst([one.mistake, ...everywhere]);
  const rivals = plainest.concat(sortPlainestFirst(inVerifiers));
  const fitting = filterByReason(rivals, without, attributed, all, predictor);
  const [mistake = one.mistake, ...others] = fitting;
  const verdicts = inVerifiers.length > 0 ? attributed : [];
  const within = one.within ?? findScope(mistake, made, verdicts, observed);
  return {
    mistake,
    confidence: differing > 0 ? 'nearest' : others.length === 0 ? 'exact' : 'one of',
    others: differing > 0 ? [] : others,
    ...(within && { within: [...within] }),
    explains: listIds(attributed),
    ...(differing > 0 && { differing: [differing, touched.length] as const }),
  };
}

/** The operations of some verdicts that a mistake explains, if it would change answers of other operations. */
function findScope(
  mistake: Mistake,
  made: readonly ScopedMistake[],
  verdicts: readonly Observation[],
  observed: ObservedAnswers,
): ReadonlySet<string> | undefined {
  const scope = operationsOf(verdicts);
  if (scope.size === 0) return undefined;
  const others = observed.all.filter(({ question }) => !scope.has(question.operation));
  const isWider = filterTouched({ mistake }, made, others, observed.predictor).length > 0;
  return isWider ? scope : undefined;
}

/** As many refusals of each operation show the reason that an implementation gives. */
const REASONS = 3;

/**
 * The rivals that predict the most reasons of undue refusals; all of them if none predicts any.
 *
 * An implementation that gives the same reason for every refusal tells nothing by it.
 */
function filterByReason(
  rivals: readonly Mistake[],
  rest: readonly ScopedMistake[],
  wrong: readonly Observation[],
  observed: readonly Observation[],
  predictor: Predictor,
): readonly Mistake[] {
  const reasons = new Set(observed.flatMap(({ reason = [] }) => reason));
  if (rivals.length < 2 || reasons.size < 2) return rivals;
  const counts = new Map<string, number>();
  const refused = wrong.filter(({ reason, question: { operation } }) => {
    const count = counts.get(operation) ?? 0;
    if (reason !== undefined) counts.set(operation, count + 1);
    return reason !== undefined && count < REASONS;
  });
  const scores = rivals.map((rival) => {
    const agrees = ({ question, reason }: Observation): boolean =>
      predictor.predictReason(question, [...selectMistakes(question.operation, rest), rival]) ===
      reason;
    return refused.filter(agrees).length;
  });
  const most = Math.max(...scores);
  return rivals.filter((_, i) => scores[i] === most);
}

/** Sorts mistakes: those of the register first, then by cost; drops duplicates. */
export function sortPlainestFirst(mistakes: readonly Mistake[]): readonly Mistake[] {
  const rank = (mistake: Mistake): number => (isNamed(mistake) ? 0 : 1);
  return [...new Set(mistakes)].sort((a, b) => rank(a) - rank(b) || a.cost - b.cost);
}

/**
 * The wrong answers that a mistake contributes to; first those that it gives alone, to the vector and not to its control.
 *
 * An answer that each of two mistakes gives by itself, such as a refusal, counts for both.
 */
function filterAttributed(
  one: ScopedMistake,
  made: readonly ScopedMistake[],
  wrong: readonly Observation[],
  observed: ObservedAnswers,
): readonly Observation[] {
  const without = made.filter((other) => other !== one);
  const isAlone = (seen: Observation): boolean =>
    observed.explains(seen, [one]) && !observed.explains(seen, without);
  const rank = (seen: Observation): number => (isAlone(seen) ? 0 : 1) + (seen.isControl ? 2 : 0);
  return wrong
    .filter(
      (seen) =>
        observed.explains(seen, made) &&
        (!observed.explains(seen, without) || observed.explains(seen, [one])),
    )
    .map((seen) => [rank(seen), seen] as const)
    .sort(([a], [b]) => a - b)
    .map(([, seen]) => seen);
}

/** The ids of the vectors of some observations, each once. */
function listIds(observed: readonly Observation[]): readonly string[] {
  return [...new Set(observed.flatMap(({ id }) => id ?? []))];
}
