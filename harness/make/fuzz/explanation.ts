/**
 * Finds the mistakes that explain a failure.
 *
 * @module
 */
import type { Mistake } from '../../../reference/mistakes/index.ts';
import { diagnose, type FoundCause } from '../../engine/diagnosis/diagnose.ts';
import type { Observation } from '../../engine/diagnosis/observation.ts';
import type { Predictor } from '../../engine/diagnosis/predictor.ts';
import { createPredictor } from '../../engine/diagnosis/reference-reply.ts';
import { dropSynonyms, preferNamed } from '../../engine/diagnosis/synonyms.ts';
import type { Dialect } from '../../engine/protocol.ts';
import type { SuiteData } from '../../engine/suite-data.ts';
import type { Input } from '../../engine/vector.ts';
import type { Failure } from './trial.ts';

/** The limit for searches in a run. Failures that known mistakes explain need no search. */
const SEARCHES = 12;

/** Marks the answers of the failure itself. */
const OWN = 'own';

export class Explainer {
  readonly #predictor: Predictor;
  readonly #data: SuiteData;
  #searches = 0;

  constructor(dialect: Dialect, data: SuiteData) {
    this.#predictor = createPredictor(dialect, data);
    this.#data = data;
  }

  /**
   * The mistakes that reproduce the wrong answers of a failure; empty if the search finds nothing.
   *
   * @param beside other answers, correct and wrong: they tell mistakes apart that this failure alone does not
   * @param found mistakes of earlier failures; if they suffice, no other mistake is considered
   */
  findCauses(
    failure: Failure,
    beside: readonly Observation[],
    found: readonly Mistake[],
  ): readonly FoundCause[] {
    const wrong = wrongAnswers(failure);
    if (wrong.length === 0) return [];
    const isOfContent = hasContent(failure.trial.vector);
    // Questions about requests and about contents share no step, and contents take long.
    const near = beside.filter(
      ({ question }) => hasContent(question) === isOfContent && this.#predictor.isQuick(question),
    );
    const right = near.filter((one) => one.right === one.actual);
    const set = combinations(found).find((mistakes) =>
      this.#isReproduced([...wrong, ...right], mistakes),
    );
    if (set)
      return set.map((mistake) => ({ mistake, confidence: 'exact', others: [], explains: [] }));
    if (++this.#searches > SEARCHES) return [];
    const own = wrong.map((one) => ({ ...one, id: OWN }));
    const others = near.filter((one) => !wrong.some(({ question }) => question === one.question));
    const start = found.map((mistake) => ({ mistake }));
    for (const made of [start, []]) {
      const { causes, unexplained } = diagnose([...own, ...others], this.#predictor, {
        start: made,
      });
      // With few answers, some mistake always reproduces most of them.
      const isNearest = causes.some(({ confidence }) => confidence === 'nearest');
      if (!unexplained.includes(OWN) && !isNearest)
        return dropSynonyms(
          causes.filter(({ explains }) => explains.includes(OWN)),
          [...own, ...others].map(({ question }) => question.operation),
          this.#data,
        ).map(preferNamed);
      if (start.length === 0) break;
    }
    return [];
  }

  /** Whether one of the sets of mistakes reproduces the wrong answers. */
  isExplained(failure: Failure, sets: readonly (readonly Mistake[])[]): boolean {
    const wrong = wrongAnswers(failure);
    return wrong.length > 0 && sets.some((set) => this.#isReproduced(wrong, set));
  }

  /** Whether a single mistake reproduces the wrong answers and the correct ones. */
  hasCandidate(failure: Failure, right: readonly Observation[]): boolean {
    const [first, ...others] = wrongAnswers(failure);
    if (!first || !this.#predictor.isQuick(first.question)) return false;
    const given = this.#predictor
      .computeAllEffects(first.question, [])
      .find(({ answer }) => answer === first.actual);
    let candidates = given?.mistakes ?? [];
    for (const { question, actual } of [...others, ...right]) {
      const same = this.#predictor.computeEffects(question, [], candidates);
      candidates = same.find(({ answer }) => answer === actual)?.mistakes ?? [];
    }
    return candidates.length > 0;
  }

  #isReproduced(observed: readonly Observation[], set: readonly Mistake[]): boolean {
    return observed.every(
      ({ question, actual }) => this.#predictor.predict(question, set) === actual,
    );
  }
}

function hasContent({ input }: { readonly input: Input }): boolean {
  return 'content' in input;
}

export function wrongAnswers({ observed }: Failure): readonly Observation[] {
  return observed.filter(({ right, actual }) => right !== actual);
}

/** The sets in which mistakes may occur together: each alone, each pair, and all. */
export function combinations(mistakes: readonly Mistake[]): readonly (readonly Mistake[])[] {
  const pairs = mistakes.flatMap((a, i) => mistakes.slice(i + 1).map((b) => [a, b]));
  return [...mistakes.map((one) => [one]), ...pairs, ...(mistakes.length > 2 ? [mistakes] : [])];
}
