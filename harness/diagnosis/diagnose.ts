/**
 * The smallest set of known mistakes that explains what an adapter answered, wrong and right alike.
 *
 * A set of mistakes is believed only where an implementation with exactly these mistakes gives the very answers
 * that came back: the wrong ones, and the right ones too. So a right implementation is never accused.
 *
 * @module
 */
import type { Mistake } from '../../reference/mistakes/index.ts';
import type { Predictor } from './hypothesis.ts';
import type { Observation } from './observation.ts';

export interface Cause {
  readonly mistake: Mistake;
  /** exact: no other known mistake fits as well. one of: the `others` do. */
  readonly confidence: 'exact' | 'one of';
  readonly others: readonly Mistake[];
  /** The vectors that fail because of it, alone or with other causes; the smallest first. */
  readonly explains: readonly string[];
}

export interface Diagnosis {
  readonly causes: readonly Cause[];
  /** Failing vectors that no set of known mistakes explains. */
  readonly unexplained: readonly string[];
}

/** How long the search may take; in milliseconds. */
const TIME_LIMIT = 1500;

/** More mistakes than this are not looked for. */
const MOST_MISTAKES = 8;

/** How many failing answers a further mistake is looked for in: the smallest, of different operations. */
const TRIED = 6;

export function diagnosis(observed: readonly Observation[], predictor: Predictor): Diagnosis {
  const quick = observed.filter(({ question }) => predictor.isQuick(question)).sort(bySize);
  const failing = quick.filter(({ right, actual }) => right !== actual);
  const search = new Search(quick, predictor);
  const found = failing.length === 0 ? [] : search.smallestSet();
  const causes = found.map((mistake): Cause => {
    const others = search.replacements(found, mistake);
    return {
      mistake,
      confidence: others.length === 0 ? 'exact' : 'one of',
      others,
      explains: [...new Set(search.explainedBy(found, mistake).map(({ id }) => id))],
    };
  });
  const explained = new Set(causes.flatMap(({ explains }) => explains));
  const failed = observed.filter(({ right, actual }) => right !== actual).map(({ id }) => id);
  return {
    causes: causes.sort((a, b) => b.explains.length - a.explains.length),
    unexplained: [...new Set(failed)].filter((id) => !explained.has(id)),
  };
}

function bySize(a: Observation, b: Observation): number {
  return JSON.stringify(a.question.input).length - JSON.stringify(b.question.input).length;
}

/** How well a set of mistakes fits: wrong answers that it gives as well, right ones that it would not give. */
interface Fit {
  readonly explained: number;
  readonly contradicted: number;
}

class Search {
  readonly #observed: readonly Observation[];
  readonly #predictor: Predictor;
  readonly #deadline = Date.now() + TIME_LIMIT;

  constructor(observed: readonly Observation[], predictor: Predictor) {
    this.#observed = observed;
    this.#predictor = predictor;
  }

  /** Adds mistakes as long as each explains more and contradicts nothing, then drops what proves needless. */
  smallestSet(): readonly Mistake[] {
    let set: readonly Mistake[] = [];
    while (set.length < MOST_MISTAKES && Date.now() < this.#deadline) {
      const extension = this.#bestExtension(set);
      if (!extension) break;
      set = extension;
    }
    return set.filter((mistake) => {
      const without = set.filter((other) => other !== mistake);
      return this.#fit(without).explained < this.#fit(set).explained;
    });
  }

  /** Mistakes that would explain the same answers in the place of one of the set. */
  replacements(set: readonly Mistake[], mistake: Mistake): readonly Mistake[] {
    const without = set.filter((other) => other !== mistake);
    const fit = this.#fit(set);
    const [witness] = this.explainedBy(set, mistake);
    if (!witness) return [];
    return this.#predictor
      .relevant(witness.question)
      .filter((other) => !set.includes(other) && this.#explains(witness, [...without, other]))
      .filter((other) => isAsGood(this.#fit([...without, other]), fit));
  }

  /** The wrong answers that the set explains with a mistake and not without it. */
  explainedBy(set: readonly Mistake[], mistake: Mistake): readonly Observation[] {
    const without = set.filter((other) => other !== mistake);
    return this.#wrong().filter((one) => this.#explains(one, set) && !this.#explains(one, without));
  }

  /** The set with one mistake more that explains most; with two or three more where no single one explains anything. */
  #bestExtension(set: readonly Mistake[]): readonly Mistake[] | undefined {
    const open = this.#wrong().filter((one) => !this.#explains(one, set));
    const tried = differentOperations(open).slice(0, TRIED);
    for (const count of [1, 2, 3]) {
      const candidates = tried.flatMap((one) => this.#extensions(one, set, count));
      const best = this.#best(set, candidates);
      if (best) return best;
      if (Date.now() > this.#deadline) return undefined;
    }
    return undefined;
  }

  /** The ways to add a number of mistakes to the set so that it gives one wrong answer. */
  #extensions(
    one: Observation,
    set: readonly Mistake[],
    count: number,
  ): readonly (readonly Mistake[])[] {
    const fitting = this.#predictor
      .relevant(one.question)
      .filter((mistake) => !set.includes(mistake));
    const found: (readonly Mistake[])[] = [];
    const extend = (chosen: readonly Mistake[], from: number): void => {
      if (Date.now() > this.#deadline) return;
      if (chosen.length === count) {
        if (this.#explains(one, [...set, ...chosen])) found.push([...set, ...chosen]);
        return;
      }
      for (let i = from; i < fitting.length; i++) {
        const mistake = fitting[i];
        if (mistake && !chosen.some((other) => clash(other, mistake)))
          extend([...chosen, mistake], i + 1);
      }
    };
    extend([], 0);
    return found;
  }

  #best(
    set: readonly Mistake[],
    candidates: readonly (readonly Mistake[])[],
  ): readonly Mistake[] | undefined {
    const before = this.#fit(set);
    let best: readonly Mistake[] | undefined;
    let bestFit = before;
    for (const candidate of new Map(candidates.map((one) => [names(one), one])).values()) {
      const fit = this.#fit(candidate);
      // A right answer that the mistakes would have made wrong speaks against them, whatever else they explain.
      if (fit.contradicted > before.contradicted || fit.explained <= bestFit.explained) continue;
      [best, bestFit] = [candidate, fit];
    }
    return best;
  }

  #fit(set: readonly Mistake[]): Fit {
    let explained = 0;
    let contradicted = 0;
    for (const one of this.#observed) {
      const fits = this.#explains(one, set);
      if (one.right !== one.actual) explained += fits ? 1 : 0;
      else if (!fits) contradicted++;
    }
    return { explained, contradicted };
  }

  #wrong(): readonly Observation[] {
    return this.#observed.filter(({ right, actual }) => right !== actual);
  }

  #explains({ question, actual }: Observation, set: readonly Mistake[]): boolean {
    return this.#predictor.answer(question, set) === actual;
  }
}

function isAsGood(a: Fit, b: Fit): boolean {
  return a.explained >= b.explained && a.contradicted <= b.contradicted;
}

/** Two mistakes about one step cannot both be made. */
function clash(a: Mistake, b: Mistake): boolean {
  return Object.keys(a.swap).some((step) => step in b.swap);
}

function names(mistakes: readonly Mistake[]): string {
  return mistakes
    .map(({ id }) => id)
    .sort()
    .join(' ');
}

/** The smallest of each operation in turn. */
function differentOperations(observed: readonly Observation[]): readonly Observation[] {
  const operations = [...new Set(observed.map(({ question }) => question.operation))];
  const lists = operations.map((operation) =>
    observed.filter(({ question }) => question.operation === operation),
  );
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list[i] ?? [])).flat();
}
