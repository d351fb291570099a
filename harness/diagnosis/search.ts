/**
 * The search for the smallest set of known mistakes that gives the very answers that were seen.
 *
 * @module
 */
import type { Mistake } from '../../reference/mistakes/index.ts';
import type { Predicting } from './hypothesis.ts';
import { type Observation, REFUSED } from './observation.ts';

/** More mistakes than this are not looked for. */
const MOST_MISTAKES = 16;

const TRIED = 60;

/** The same for several mistakes at once, of which there are many more. */
const TRIED_FOR_SEVERAL = 6;

/** How well a set of mistakes fits. */
interface Fit {
  /** Wrong answers that it gives as well. */
  readonly digests: number;
  /** Undue refusals that it gives as well. */
  readonly refusals: number;
  /** Right answers that it would not give. */
  readonly contradicted: number;
}

export class Search {
  readonly #observed: readonly Observation[];
  readonly #predictor: Predicting;
  readonly #limit: number;
  readonly #tried: number;
  readonly #start = process.cpuUsage();

  /**
   * @param limit for several mistakes at once; with 0, only single ones are added
   * @param tried in how many failing answers a further mistake is looked for: the smallest, of different operations
   */
  constructor(
    observed: readonly Observation[],
    predictor: Predicting,
    limit: number,
    tried: number = TRIED,
  ) {
    this.#observed = observed;
    this.#predictor = predictor;
    this.#limit = limit;
    this.#tried = tried;
  }

  /** Adds mistakes as long as each explains more and contradicts nothing, then drops what proves needless. */
  smallestSet(start: readonly Mistake[] = []): readonly Mistake[] {
    let set = start;
    for (const kind of ['digests', 'refusals'] as const) {
      while (set.length < MOST_MISTAKES) {
        const extension = this.#bestExtension(set, kind);
        if (!extension) break;
        set = extension;
      }
    }
    for (const mistake of set) {
      const rest = set.filter((other) => other !== mistake);
      if (explained(this.#fit(rest)) >= explained(this.#fit(set))) set = rest;
    }
    return set;
  }

  /** Mistakes that would explain the same answers in the place of one of the set. */
  replacements(set: readonly Mistake[], mistake: Mistake): readonly Mistake[] {
    const without = set.filter((other) => other !== mistake);
    const fit = this.#fit(set);
    const [witness] = this.explainedBy(set, mistake);
    if (!witness) return [];
    return this.#predictor
      .relevant(witness.question)
      .filter((other) => !set.includes(other) && this.explains(witness, [...without, other]))
      .filter((other) => isAsGood(this.#fit([...without, other]), fit));
  }

  /** The wrong answers that the set explains with a mistake and not without it. */
  explainedBy(set: readonly Mistake[], mistake: Mistake): readonly Observation[] {
    const without = set.filter((other) => other !== mistake);
    return this.#wrong().filter((one) => this.explains(one, set) && !this.explains(one, without));
  }

  /**
   * The wrong answers of the set in which a mistake has a part; those that it gives alone, to a vector itself, first.
   *
   * One that two mistakes give, each by itself, such as a refusal, is the doing of both.
   */
  attributedTo(
    wrong: readonly Observation[],
    set: readonly Mistake[],
    mistake: Mistake,
  ): readonly Observation[] {
    const without = set.filter((other) => other !== mistake);
    const own = wrong.filter(
      (one) =>
        this.explains(one, set) && (!this.explains(one, without) || this.explains(one, [mistake])),
    );
    const isAlone = (one: Observation): boolean =>
      this.explains(one, [mistake]) && !this.explains(one, without);
    const rank = (one: Observation): number => (isAlone(one) ? 0 : 1) + (one.isControl ? 2 : 0);
    return own
      .map((one) => [rank(one), one] as const)
      .sort(([a], [b]) => a - b)
      .map(([, one]) => one);
  }

  /** The set with one mistake more that explains most; with two or three more where no single one explains anything. */
  #bestExtension(
    set: readonly Mistake[],
    kind: 'digests' | 'refusals',
  ): readonly Mistake[] | undefined {
    const open = this.#wrong().filter(
      (one) => isRefusal(one) === (kind === 'refusals') && !this.explains(one, set),
    );
    const tried = differentOperations(open).slice(0, this.#tried);
    for (const count of [1, 2, 3]) {
      const few = count === 1 ? tried : tried.slice(0, TRIED_FOR_SEVERAL);
      const candidates = few.flatMap((one) => this.#extensions(one, set, count));
      const best = this.#best(set, candidates, kind);
      if (best) return best;
      if (this.#isLate()) return undefined;
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
      if (count > 1 && this.#isLate()) return;
      if (chosen.length === count) {
        if (this.explains(one, [...set, ...chosen])) found.push([...set, ...chosen]);
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

  #isLate(): boolean {
    const { user, system } = process.cpuUsage(this.#start);
    return user + system > this.#limit;
  }

  #best(
    set: readonly Mistake[],
    candidates: readonly (readonly Mistake[])[],
    kind: 'digests' | 'refusals',
  ): readonly Mistake[] | undefined {
    const before = this.#fit(set);
    let best: readonly Mistake[] | undefined;
    let bestFit = before;
    for (const candidate of new Map(candidates.map((one) => [names(one), one])).values()) {
      if (candidate.length > set.length + 1 && this.#isLate()) break;
      const fit = this.#fit(candidate);
      // A right answer that the mistakes would have made wrong speaks against them, whatever else they explain.
      if (fit.contradicted > before.contradicted || fit[kind] <= before[kind]) continue;
      // Of two that explain as many of the kind, the one that explains more of the other is meant.
      if (
        fit[kind] < bestFit[kind] ||
        (fit[kind] === bestFit[kind] && explained(fit) <= explained(bestFit))
      )
        continue;
      if (kind === 'refusals' && !this.#isCredible(candidate, set)) continue;
      [best, bestFit] = [candidate, fit];
    }
    return best;
  }

  #fit(set: readonly Mistake[]): Fit {
    const fit = { digests: 0, refusals: 0, contradicted: 0 };
    for (const one of this.#observed) {
      const fits = this.explains(one, set);
      if (one.right === one.actual) fit.contradicted += fits ? 0 : 1;
      else if (isRefusal(one)) fit.refusals += fits ? 1 : 0;
      else fit.digests += fits ? 1 : 0;
    }
    return fit;
  }

  /**
   * Whether refusals alone are enough to accuse: a refusal carries no digest, and many mistakes lead to it now and then.
   *
   * The right ones lead to all in an operation, and no wrong answer that they would have changed shows another digest.
   */
  #isCredible(candidate: readonly Mistake[], set: readonly Mistake[]): boolean {
    const left = this.#wrong().filter((one) => !this.explains(one, set));
    const explained = left.filter((one) => isRefusal(one) && this.explains(one, candidate));
    const operations = new Set(explained.map(({ question }) => question.operation));
    return left.every((one) =>
      isRefusal(one)
        ? !operations.has(one.question.operation) || explained.includes(one)
        : this.explains(one, candidate) || !this.#touches(one, candidate, set),
    );
  }

  /** Whether the further mistakes of a candidate change an answer. */
  #touches(
    { question }: Observation,
    candidate: readonly Mistake[],
    set: readonly Mistake[],
  ): boolean {
    return this.#predictor.answer(question, candidate) !== this.#predictor.answer(question, set);
  }

  #wrong(): readonly Observation[] {
    return this.#observed.filter(({ right, actual }) => right !== actual);
  }

  /** Whether an implementation with exactly these mistakes gives the answer that was given. */
  explains({ question, right, actual }: Observation, set: readonly Mistake[]): boolean {
    return (set.length === 0 ? right : this.#predictor.answer(question, set)) === actual;
  }
}

function explained({ digests, refusals }: Fit): number {
  return digests + refusals;
}

function isAsGood(a: Fit, b: Fit): boolean {
  return a.digests >= b.digests && a.refusals >= b.refusals && a.contradicted <= b.contradicted;
}

/** A refusal where an answer is due. */
function isRefusal({ actual }: Observation): boolean {
  return actual === REFUSED;
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
