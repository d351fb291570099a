/**
 * Which mistakes explain what went wrong.
 *
 * @module
 */
import type { Mistake } from '../../reference/mistakes/index.ts';
import type { Dialect } from '../adapter/messages.ts';
import { diagnosis, type FoundCause } from '../diagnosis/diagnose.ts';
import type { Observation } from '../diagnosis/observation.ts';
import type { Predictor } from '../diagnosis/predictor.ts';
import { predictorOf } from '../diagnosis/suite-predictor.ts';
import { withoutSynonyms, worded } from '../diagnosis/synonyms.ts';
import type { ContentFolder } from '../suite/content.ts';
import type { Input } from '../suite/vector.ts';
import type { Failure } from './trial.ts';

/** Explanations that no mistake found before gives are looked for so often in a run. */
const SEARCHES = 12;

/** The answers of a failure, told from those beside it. */
const OWN = 'own';

export class Explainer {
  readonly #predictor: Predictor;
  #searches = 0;

  constructor(dialect: Dialect, contents: ContentFolder) {
    this.#predictor = predictorOf(dialect, contents);
  }

  /**
   * The mistakes that give the wrong answers of a failure; none where none do.
   *
   * @param beside what else was seen, right and wrong: it tells mistakes apart that this failure alone does not
   * @param found mistakes that were found before; where they suffice, no other is accused
   */
  causes(
    failure: Failure,
    beside: readonly Observation[],
    found: readonly Mistake[],
  ): readonly FoundCause[] {
    const wrong = wrongIn(failure);
    if (wrong.length === 0) return [];
    const isOfContent = hasContent(failure.vector);
    // What a request says and what a file holds have no step in common; contents take long.
    const near = beside.filter(
      ({ question }) => hasContent(question) === isOfContent && this.#predictor.isQuick(question),
    );
    const right = near.filter((one) => one.right === one.actual);
    const set = combinations(found).find((mistakes) =>
      this.#isGiven([...wrong, ...right], mistakes),
    );
    if (set) return set.map(exactly);
    if (++this.#searches > SEARCHES) return [];
    const own = wrong.map((one) => ({ ...one, id: OWN }));
    const others = near.filter((one) => !wrong.some(({ question }) => question === one.question));
    const start = found.map((mistake) => ({ mistake }));
    for (const made of [start, []]) {
      const { causes, unexplained } = diagnosis([...own, ...others], this.#predictor, {
        start: made,
      });
      // Of few answers, some mistake is always like most.
      const isNearest = causes.some(({ confidence }) => confidence === 'nearest');
      if (!unexplained.includes(OWN) && !isNearest)
        return withoutSynonyms(
          causes.filter(({ explains }) => explains.includes(OWN)),
          [...own, ...others].map(({ question }) => question.operation),
        ).map(worded);
      if (start.length === 0) break;
    }
    return [];
  }

  /** Whether mistakes that were found before, one, two or all of them, give these wrong answers. */
  isExplained(failure: Failure, sets: readonly (readonly Mistake[])[]): boolean {
    const wrong = wrongIn(failure);
    return wrong.length > 0 && sets.some((set) => this.#isGiven(wrong, set));
  }

  /** Whether a single mistake gives these wrong answers, and the right ones. */
  hasCandidate(failure: Failure, right: readonly Observation[]): boolean {
    const [first, ...others] = wrongIn(failure);
    if (!first || !this.#predictor.isQuick(first.question)) return false;
    const given = this.#predictor
      .effects(first.question, [])
      .find(({ answer }) => answer === first.actual);
    let candidates = given?.mistakes ?? [];
    for (const { question, actual } of [...others, ...right]) {
      const same = this.#predictor.effectsOf(question, [], candidates);
      candidates = same.find(({ answer }) => answer === actual)?.mistakes ?? [];
    }
    return candidates.length > 0;
  }

  #isGiven(observed: readonly Observation[], set: readonly Mistake[]): boolean {
    return observed.every(
      ({ question, actual }) => this.#predictor.answer(question, set) === actual,
    );
  }
}

function exactly(mistake: Mistake): FoundCause {
  return { mistake, confidence: 'exact', others: [], explains: [] };
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
