/**
 * Which known mistakes explain what went wrong.
 *
 * @module
 */
import type { Mistake } from '../../reference/mistakes/index.ts';
import type { Dialect } from '../adapter/messages.ts';
import { type Cause, diagnosis } from '../diagnosis/diagnose.ts';
import { Predictor } from '../diagnosis/hypothesis.ts';
import type { Observation } from '../diagnosis/observation.ts';
import type { ContentFolder } from '../suite/content.ts';
import type { Input } from '../suite/vector.ts';
import type { Failure } from './trial.ts';

/** Explanations by several mistakes at once take their time, so only so many are looked for in a run. */
const SEARCHES = 2;

export class Explainer {
  readonly #dialect: Dialect;
  readonly #contents: ContentFolder;
  #searches = 0;

  constructor(dialect: Dialect, contents: ContentFolder) {
    this.#dialect = dialect;
    this.#contents = contents;
  }

  /**
   * The known mistakes that give the wrong answers of a failure; none where none do.
   *
   * @param beside what else was seen, right and wrong: it tells mistakes apart that this failure alone does not
   * @param found mistakes that were found before; where they suffice, no other is accused
   */
  causes(
    failure: Failure,
    beside: readonly Observation[],
    found: readonly Mistake[],
  ): readonly Cause[] {
    const wrong = wrongIn(failure);
    if (wrong.length === 0) return [];
    const predictor = new Predictor(this.#dialect, this.#contents);
    const isOfContent = hasContent(failure.vector);
    // What a request says and what a file holds have no step in common; contents take long.
    const quick = beside.filter(
      ({ question }) => hasContent(question) === isOfContent && predictor.isQuick(question),
    );
    // What else is wrong may be another's doing; right answers are what a set of mistakes has to give as well.
    const right = quick.filter((one) => one.right === one.actual);
    const known = knownCauses([...wrong, ...right], found, predictor);
    if (known.length > 0) return known;
    const single = singleCause(wrong, quick, predictor);
    if (single) return [single];
    const joined = joinedCauses([...wrong, ...right], found, predictor);
    if (joined.length > 0) return joined;
    if (++this.#searches > SEARCHES) return [];
    const own = wrong.map((one) => ({ ...one, id: 'own' }));
    // So few answers do not show that an operation goes a way of its own.
    return diagnosis([...own, ...right], predictor).causes.filter(({ within }) => !within);
  }

  /** Whether mistakes that were found before, one, two or all of them, give these wrong answers. */
  isExplained(failure: Failure, sets: readonly (readonly Mistake[])[]): boolean {
    const wrong = wrongIn(failure);
    if (wrong.length === 0) return false;
    const predictor = new Predictor(this.#dialect, this.#contents);
    return sets.some((set) => areGiven(wrong, set, predictor));
  }

  /** Whether a single known mistake gives these wrong answers, and the right ones. */
  hasCandidate(failure: Failure, right: readonly Observation[]): boolean {
    const predictor = new Predictor(this.#dialect, this.#contents);
    return fitting(wrongIn(failure), right, predictor).length > 0;
  }
}

/** Mistakes that were found before, where they give all these answers. */
function knownCauses(
  observed: readonly Observation[],
  found: readonly Mistake[],
  predictor: Predictor,
): readonly Cause[] {
  const set = combinations(found).find((mistakes) => areGiven(observed, mistakes, predictor));
  return (set ?? []).map(exactly);
}

/** Mistakes that were found before, and one that was not, where they give all these answers together. */
function joinedCauses(
  observed: readonly Observation[],
  found: readonly Mistake[],
  predictor: Predictor,
): readonly Cause[] {
  const [first] = observed;
  if (!first || !predictor.isQuick(first.question)) return [];
  const others = predictor.relevant(first.question);
  const sets = combinations(found).flatMap((set) => others.map((other) => [...set, other]));
  return (sets.find((set) => areGiven(observed, set, predictor)) ?? []).map(exactly);
}

function exactly(mistake: Mistake): Cause {
  return { mistake, confidence: 'exact', others: [], explains: [] };
}

/** The mistake that fits best: gives every right answer, and the most of the wrong ones beside. */
function singleCause(
  wrong: readonly Observation[],
  beside: readonly Observation[],
  predictor: Predictor,
): Cause | undefined {
  const right = beside.filter((one) => one.right === one.actual);
  const also = beside.filter((one) => one.right !== one.actual);
  const ranked = fitting(wrong, right, predictor).map((mistake) => ({
    mistake,
    score: also.filter((one) => areGiven([one], [mistake], predictor)).length,
  }));
  const best = Math.max(...ranked.map(({ score }) => score));
  const [meant, ...others] = ranked
    .filter(({ score }) => score === best)
    .map(({ mistake }) => mistake);
  if (!meant) return undefined;
  return {
    mistake: meant,
    confidence: others.length === 0 ? 'exact' : 'one of',
    others,
    explains: [],
  };
}

/** The mistakes that give all of these answers, right ones and wrong ones. */
function fitting(
  wrong: readonly Observation[],
  right: readonly Observation[],
  predictor: Predictor,
): readonly Mistake[] {
  const [first] = wrong;
  if (!first || !predictor.isQuick(first.question)) return [];
  return predictor
    .relevant(first.question)
    .filter((mistake) => areGiven([...wrong, ...right], [mistake], predictor));
}

function areGiven(
  observed: readonly Observation[],
  set: readonly Mistake[],
  predictor: Predictor,
): boolean {
  return observed.every(({ question, actual }) => predictor.answer(question, set) === actual);
}

function hasContent({ input }: { readonly input: Input }): boolean {
  return 'content' in input;
}

/** Observations that are wrong. */
export function wrongIn({ observed }: Failure): readonly Observation[] {
  return observed.filter(({ right, actual }) => right !== actual);
}

/** The sets in which known mistakes may show together: one, two or all. */
export function combinations(mistakes: readonly Mistake[]): readonly (readonly Mistake[])[] {
  const pairs = mistakes.flatMap((a, i) => mistakes.slice(i + 1).map((b) => [a, b]));
  return [...mistakes.map((one) => [one]), ...pairs, ...(mistakes.length > 2 ? [mistakes] : [])];
}
