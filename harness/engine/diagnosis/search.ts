/**
 * Searches for the set of mistakes that gives all observed answers, wrong and correct ones.
 *
 * It grows sets of mistakes. A set grows by a mistake that reproduces one more wrong answer and contradicts no correct one;
 * else by a mistake that reproduces more parts of a wrong answer; else by two mistakes at once. Evaluations limit the search,
 * not time, so that the same answers give the same causes on every machine.
 *
 * @module
 */
import type { Mistake } from '../../../reference/mistakes/index.ts';
import { Budget } from './budget.ts';
import { Candidates, pickLeadingTo } from './candidates.ts';
import { findExtensions, findSingle } from './extensions.ts';
import { computeLikeness } from './likeness.ts';
import { addNearest } from './nearest.ts';
import { type Observation, operationsOf } from './observation.ts';
import { ObservedAnswers } from './observed-answers.ts';
import type { Predictor } from './predictor.ts';
import { BOUNDS, joinSortedIds, type ScopedMistake } from './scoped-mistake.ts';
import {
  dropConditions,
  dropNeedless,
  joinSpans,
  narrowScopes,
  widenScopes,
} from './simplification.ts';
import { selectTelling } from './telling.ts';

export interface Limits {
  /** The most answers to compute. */
  readonly evaluations?: number;
  /** The most mistakes in a set. */
  readonly mistakes?: number;
  /** The mistakes to start from. */
  readonly start?: readonly ScopedMistake[];
  /** The operations that are searched again one by one; by default, all with open answers. */
  readonly operations?: ReadonlySet<string>;
}

const EVALUATIONS = 50_000;
/** Further evaluations for open answers: for each operation, and for each mistake that others may replace. */
const OF_OPERATION = 15_000;
const OF_EXCHANGE = 20_000;
const OF_MERGE = 5_000;
/** A mistake that more answers need is not merged with another one. */
const MERGED = 3;
/** The most mistakes in a set, and the most that a single operation adds to it. */
const MISTAKES = 12;
const MORE_MISTAKES = 4;
/** Once this share of them is explained, the search chooses others among the open answers. */
const MOST_OPEN = 0.5;
/** The most sets that wait to grow. */
const WAITING = 12;
/** How many of the best rivals of a mistake are compared by all answers. */
const TRIED_RIVALS = 4;
/** The search ends after it has grown as many sets without finding a better one. */
const FRUITLESS = 16;

interface State {
  readonly made: readonly ScopedMistake[];
  /** The number of wrong answers that the set reproduces. */
  readonly explained: number;
  /** The sum of the likenesses of the other wrong answers, each between 0 and 1. */
  readonly likeness: number;
}

export class Search {
  readonly observed: ObservedAnswers;
  readonly candidates: Candidates;
  #most: number;
  readonly #start: readonly ScopedMistake[];
  readonly #isSearched: (operation: string) => boolean;

  constructor(
    observed: readonly Observation[],
    predictor: Predictor,
    { evaluations = EVALUATIONS, mistakes = MISTAKES, start = [], operations }: Limits = {},
  ) {
    this.observed = new ObservedAnswers(observed, predictor, new Budget(predictor, evaluations));
    this.candidates = new Candidates(this.observed);
    this.#most = mistakes;
    this.#start = start;
    this.#isSearched = (operation) => operations === undefined || operations.has(operation);
  }

  /** Finds the set that explains the most answers, without needless mistakes. */
  findMistakes(): readonly ScopedMistake[] {
    const grown = this.#growAll();
    this.observed.budget.allow(OF_EXCHANGE);
    const replaced = this.#replaceByRivals(grown);
    const made = this.#exchangeMistakes(this.#searchOperations(replaced));
    const needed = dropNeedless(
      this.observed,
      dropConditions(this.observed, addNearest(this.candidates, made)),
    );
    // A needless mistake may have kept a rival from explaining more.
    this.observed.budget.allow(OF_EXCHANGE);
    const merged = this.#mergePairs(this.#replaceByRivals(needed));
    return joinSpans(this.observed, narrowScopes(this.observed, merged, this.observed.all));
  }

  /** Grows sets, the best one first, until no further one explains more of the answers that are open then. */
  #growAll(): readonly ScopedMistake[] {
    let best = this.#createState(this.#start);
    let waiting: readonly State[] = [best];
    let left = this.observed.wrong.length;
    for (;;) {
      const isLast = this.observed
        .listOpen(best.made)
        .every((one) => this.observed.telling.includes(one));
      [best, waiting] = this.#growBest(waiting, isLast ? 1 : MOST_OPEN);
      const widened = widenScopes(this.observed, this.#replaceByRivals(best.made));
      best = this.#createState(narrowScopes(this.observed, widened));
      const open = this.observed.listOpen(best.made);
      if (isLast || open.length >= left || open.length === 0 || this.observed.budget.isSpent) break;
      left = open.length;
      // A mistake that affects nearly all answers hides others; the answers that it does not explain show them.
      const explained = this.observed.wrong.filter((one) => !open.includes(one));
      this.observed.telling = [...selectTelling(open, 1), ...selectTelling(explained, 0.5)];
      waiting = [best, ...waiting]
        .map((state) => this.#createState(state.made))
        .sort(compareStates);
    }
    return best.made;
  }

  /** Replaces two mistakes by a single one that explains as many answers. It tries mistakes that few answers need. */
  #mergePairs(made: readonly ScopedMistake[]): readonly ScopedMistake[] {
    const open = new Set(this.observed.listOpen(made));
    for (const one of made) {
      const rest = made.filter((other) => other !== one);
      const lost = this.observed.listOpen(rest).filter((wrong) => !open.has(wrong));
      const others = rest.filter((other) => this.observed.canChangeAny(lost, other));
      if (lost.length > MERGED || others.length === 0) continue;
      this.observed.budget.allow(OF_MERGE);
      const merged = this.#replaceByRivals(rest, others);
      if (this.observed.explainsAsMany(merged, made)) return this.#mergePairs(merged);
    }
    return made;
  }

  /** Searches each operation with open answers again, because a difficult operation may have used up the evaluations. */
  #searchOperations(made: readonly ScopedMistake[]): readonly ScopedMistake[] {
    const operations = operationsOf(this.observed.listOpen(made));
    return [...operations].filter(this.#isSearched).reduce((all, operation) => {
      const open = this.observed.listOpen(all);
      const own = open.filter(({ question }) => question.operation === operation);
      if (own.length === 0) return all;
      const others = this.observed.wrong.filter((one) => !open.includes(one));
      this.observed.telling = [...selectTelling(own, 1), ...selectTelling(others, 0.5)];
      this.observed.budget.allow(OF_OPERATION);
      this.#most = all.length + MORE_MISTAKES;
      return this.#growToFewer(open.length, all) ?? all;
    }, made);
  }

  /** Tries to replace each mistake: it may have been chosen before another one explained its answers better. */
  #exchangeMistakes(made: readonly ScopedMistake[]): readonly ScopedMistake[] {
    return made.reduce((all, one) => {
      const open = this.observed.listOpen(all);
      if (!all.includes(one) || !this.observed.canChangeAny(open, one)) return all;
      const rest = all.filter((other) => other !== one);
      const own = this.observed.listOpen(rest).filter((wrong) => !open.includes(wrong));
      const others = this.observed.wrong.filter(
        (wrong) => !open.includes(wrong) && !own.includes(wrong),
      );
      this.observed.telling = [
        ...selectTelling(open, 0.5),
        ...selectTelling(own, 0.5),
        ...selectTelling(others, 0.5),
      ];
      this.observed.budget.allow(OF_EXCHANGE);
      this.#most = all.length;
      return this.#growToFewer(open.length, rest) ?? all;
    }, made);
  }

  /** Grows a set; `undefined` if the best one leaves as many answers open, or more. */
  #growToFewer(open: number, made: readonly ScopedMistake[]): readonly ScopedMistake[] | undefined {
    const [best] = this.#growBest([this.#createState(made)], 1);
    const isBetter = this.observed.listOpen(best.made).length < open;
    return isBetter ? widenScopes(this.observed, best.made) : undefined;
  }

  /** Replaces each mistake by a rival that explains more answers: the answers that both were compared with may not have told them apart. */
  #replaceByRivals(
    made: readonly ScopedMistake[],
    replaced: readonly ScopedMistake[] = made,
  ): readonly ScopedMistake[] {
    return replaced.reduce((all, one) => {
      const open = this.observed.listOpen(all);
      const rest = all.filter((other) => other !== one);
      if (open.length === 0) return all;
      const own = this.observed.wrong.filter(
        (wrong) => !open.includes(wrong) && !this.observed.explains(wrong, rest),
      );
      const [witness] = own;
      if (!witness) return all;
      const telling = selectTelling(open, 0.5);
      // If the mistake made some of the open answers wrong, a rival in other steps explains them.
      const isLosing = open.some((lost) => this.observed.explains(lost, rest));
      const fitting = this.candidates.findFitting(
        rest,
        witness,
        isLosing ? undefined : this.observed.inStepsOfAny(telling, rest),
      );
      const rivals = this.candidates.siftVerdicts(rest, witness, fitting);
      const judged = [...telling, ...selectTelling(own, 0.5)];
      const ranked = this.#rankRivals(one, rest, rivals, judged);
      // The answers that no rival was judged by may tell the first ones apart.
      const sets = ranked
        .slice(0, TRIED_RIVALS)
        .map((rival) => all.map((other) => (other === one ? { ...one, mistake: rival } : other)));
      return sets.reduce((best, set) => (this.observed.explainsMore(set, best) ? set : best), all);
    }, made);
  }

  /** The rivals of a mistake that reproduce some of these answers, the one that reproduces most first. */
  #rankRivals(
    { within }: ScopedMistake,
    rest: readonly ScopedMistake[],
    rivals: readonly Mistake[],
    answers: readonly Observation[],
  ): readonly Mistake[] {
    const counts = new Map<Mistake, number>();
    for (const one of answers) {
      const { question, actual } = one;
      if (this.observed.budget.isSpent || (within && !within.has(question.operation))) continue;
      const changes = this.observed.computeChanges(question, rest, rivals);
      const fitting = new Set(pickLeadingTo(actual, changes));
      // The replaced mistake hides that the others explain this answer; a rival must not change it.
      if (this.observed.explains(one, rest)) {
        const changing = new Set(changes.flatMap(({ mistakes }) => mistakes));
        for (const rival of rivals) if (!changing.has(rival)) fitting.add(rival);
      }
      for (const mistake of fitting) counts.set(mistake, (counts.get(mistake) ?? 0) + 1);
    }
    return [...counts]
      .sort(([one, a], [other, b]) => b - a || one.cost - other.cost)
      .map(([mistake]) => mistake);
  }

  /** Grows sets until the best one explains a share of the open answers. */
  #growBest(
    start: readonly State[],
    share: number,
  ): readonly [best: State, waiting: readonly State[]] {
    const seen = new Set(start.map(stateName));
    let waiting = start;
    let best = start[0] ?? this.#createState([]);
    const open = this.observed.telling.length - best.explained;
    const enough = best.explained + Math.ceil(open * share);
    let fruitless = 0;
    while (best.explained < enough && fruitless < FRUITLESS && !this.observed.budget.isSpent) {
      const [next, ...others] = waiting;
      if (!next) break;
      fruitless += 1;
      const extensions =
        next.made.length < this.#most ? findExtensions(this.candidates, next.made) : [];
      const grown = extensions.map(({ made }) => this.#createState(made));
      // One of its mistakes may stand for a costlier one that fits more answers.
      if (next === best && grown.every(({ explained }) => explained <= next.explained))
        grown.push(this.#createState(this.#replaceByRivals(next.made)));
      const states = grown.filter(
        (state) => !seen.has(stateName(state)) && seen.add(stateName(state)),
      );
      waiting = [...states, ...others].sort(compareStates).slice(0, WAITING);
      if (waiting[0] && compareStates(waiting[0], best) < 0) {
        best = waiting[0];
        fruitless = 0;
      }
    }
    return [best, waiting.filter((state) => state !== best)];
  }

  #createState(made: readonly ScopedMistake[]): State {
    let explained = 0;
    let like = 0;
    for (const one of this.observed.telling) {
      if (this.observed.explains(one, made)) explained += 1;
      else like += computeLikeness(this.observed.predict(one, made), one.actual);
    }
    return { made, explained, likeness: like };
  }

  /** Adds mistakes, one after the other, that explain further answers by themselves. */
  addSingle(made: readonly ScopedMistake[]): readonly ScopedMistake[] {
    this.observed.telling = selectTelling(this.observed.wrong, 1);
    this.observed.budget.allow(OF_OPERATION);
    let best = this.#createState(made);
    for (;;) {
      const open = this.observed.telling.filter((one) => !this.observed.explains(one, best.made));
      const [next] = findSingle(this.candidates, best.made, open)
        .map((one) => this.#createState(one.made))
        .sort(compareStates);
      if (!next || next.explained <= best.explained) return widenScopes(this.observed, best.made);
      best = next;
    }
  }
}

/** Sorts by explained answers, then by likeness, then by the cost of the mistakes. */
function compareStates(a: State, b: State): number {
  const cost = ({ made }: State): number =>
    made.reduce((sum, { mistake, within }) => sum + mistake.cost + (within ? BOUNDS : 0), 0);
  return b.explained - a.explained || b.likeness - a.likeness || cost(a) - cost(b);
}

const stateName = ({ made }: State): string => joinSortedIds(made.map(({ mistake }) => mistake));
