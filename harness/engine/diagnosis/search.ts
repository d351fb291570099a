/**
 * Searches for the set of mistakes that gives all observed answers, wrong and correct ones.
 *
 * It grows sets of mistakes. A set grows by a mistake that reproduces one more wrong answer and contradicts no correct one;
 * else by a mistake that reproduces more parts of a wrong answer; else by two mistakes at once. Evaluations limit the search,
 * not time, so that the same answers give the same causes on every machine.
 *
 * @module
 */
import {
  fittedEncoders,
  joinedSpans,
  joinedSpelling,
  type Mistake,
  type StepName,
  spellingOf,
  stepsOf,
  touches,
} from '../../../reference/mistakes/index.ts';
import type { Question } from '../protocol.ts';
import {
  type Counted,
  countEffects,
  countLimited,
  type Effected,
  fitConditions,
  isFitted,
  isTelling,
  makeConditionals,
  makeStepConditionals,
} from './conditions.ts';
import { type Observation, REFUSED } from './observation.ts';
import { type Effect, OPAQUE_STEPS, type Predictor } from './predictor.ts';

export interface Limits {
  /** The most answers to compute. */
  readonly evaluations?: number;
  /** The most mistakes in a set. */
  readonly mistakes?: number;
  /** The mistakes to start from. */
  readonly start?: readonly ScopedMistake[];
}

const EVALUATIONS = 50_000;
/** Further evaluations for open answers: in all, for each operation, and for each mistake that others may replace. */
const OF_REST = 30_000;
const OF_OPERATION = 15_000;
const OF_EXCHANGE = 20_000;
/** Further evaluations for mistakes that a few answers contradict: a difficult search has used up all others. */
const OF_NEAREST = 10_000;
/** The most evaluations to drop mistakes that fit a verdict. */
const OF_SIFTING = 4000;
const MORE_MISTAKES = 4;
/** Mistakes up to this cost are tried first, on all witnesses. */
const PLAIN = 1;
const MISTAKES = 12;

/** The most sets that wait to grow, and the most extensions of each. */
const WAITING = 12;
const WAYS = 3;
/** The search ends after it has grown as many sets without finding a better one. */
const FRUITLESS = 16;
/** The number of wrong answers that suggest further mistakes: the smallest ones, of different operations. */
const WITNESSES = 8;
/** The search stops after this many witnesses with suggestions, or once a suggestion explains this share of the open answers. */
const SUGGESTING = 3;
const NEARLY_ALL = 0.9;
/** The most wrong answers that every candidate is compared with: with a result, and verdicts alone. */
const TELLING = 48;
const BARE = 24;
/** Once this share of them is explained, the search chooses others among the open answers. */
const MOST_OPEN = 0.5;
/** The most candidates to check against correct answers, and the least worth of each, as a share of the best. */
const CANDIDATES = 24;
const WORTH = 0.5;
/** The most mistakes that explain a bare verdict and no correct answer contradicts. */
const VERDICTS = 160;
/** For conditional mistakes: the witnesses, the most base mistakes of a rival, and the least number of answers to reproduce. */
const CONDITION_WITNESSES = 3;
const CONDITIONED = 6;
const LEAST_CONDITIONAL = 3;
/** For pairs of mistakes: the witnesses, and the most pairs to try on each. */
const PAIR_WITNESSES = 3;
const PAIRS = 6000;
/** The most pairs on a large content that hash it again. */
const HASHING_PAIRS = 60;
/** For how many mistakes a large content is hashed before the limit counts. */
const HASHED = 16;
/** Of mistakes that give the same answer alone, as many are paired with others. */
const ALIKE = 3;
/** Texts that make other private keys, and so other digests. */
const OTHER_KEYS = ['', '1', '2'];
/** How much each wrong part of the answer of a mistake adds to its cost. */
const OFF = 2;

/** The least number of open answers that a nearest mistake explains, for each answer that contradicts it. */
const LEAST_NEAR = 4;

/** The most mistakes of a set that are dropped together. */
const DROPPED = 3;

/** The cost of limiting a mistake to some operations. */
const BOUNDS = 1;

/** A mistake in all operations, or only in those of `within`. */
export interface ScopedMistake {
  readonly mistake: Mistake;
  readonly within?: ReadonlySet<string>;
}

interface State {
  readonly made: readonly ScopedMistake[];
  /** The number of wrong answers that the set reproduces. */
  readonly explained: number;
  /** The sum of the likenesses of the other wrong answers, each between 0 and 1. */
  readonly likeness: number;
}

/** A correct answer, and whether a mistake changes it. */
interface PlainAnswer {
  readonly question: Question;
  readonly right: string;
  readonly isChangedBy: (mistake: Mistake) => boolean;
}

/** The effects of a further mistake in one operation, as numbers of answers. */
interface Tally {
  explained: number;
  /** Explained answers that are more than a verdict. */
  solid: number;
  likeness: number;
  /** Correct answers that it makes wrong. */
  contradicted: number;
  /** Wrong answers that the set explains, perhaps by chance, and that it would no longer explain. */
  lost: number;
  /** Wrong answers for which it predicts another wrong answer. */
  open: number;
}

interface Extension {
  readonly made: readonly ScopedMistake[];
  readonly score: number;
  readonly cost: number;
}

/** Whether to compute the effect of a mistake. */
type IsCandidate = (mistake: Mistake) => boolean;

const isAny: IsCandidate = () => true;

const costsAtMost =
  (most: number): IsCandidate =>
  ({ cost }) =>
    cost <= most;

/** Mistakes that fit as well as another one. */
interface Rivals {
  readonly everywhere: readonly Mistake[];
  readonly inVerifiers: readonly Mistake[];
}

export class Search {
  readonly #all: readonly Observation[];
  readonly #wrong: readonly Observation[];
  /** The wrong answers that every candidate is compared with: the smallest of each operation. */
  #telling: readonly Observation[];
  readonly #right: readonly Observation[];
  /** By operation: correct answers of which it is known which mistakes change them. */
  readonly #plain = new Map<string, readonly PlainAnswer[]>();
  readonly #predictor: Predictor;
  #most: number;
  readonly #start: readonly ScopedMistake[];
  #last: number;
  #end: number;
  /** The steps of operations without wrong answers, once they are needed. */
  #shared: ReadonlySet<StepName> | undefined;
  /** Wrong answers and sets for which the search for pairs failed. */
  readonly #barren = new Set<string>();

  constructor(
    observed: readonly Observation[],
    predictor: Predictor,
    { evaluations = EVALUATIONS, mistakes = MISTAKES, start = [] }: Limits = {},
  ) {
    this.#all = observed;
    this.#wrong = observed.filter(({ right, actual }) => right !== actual);
    this.#telling = selectTelling(this.#wrong, 1);
    this.#right = interleaveByOperation(observed.filter(({ right, actual }) => right === actual));
    this.#predictor = predictor;
    this.#most = mistakes;
    this.#start = start;
    this.#last = predictor.evaluations + evaluations;
    this.#end = this.#last + OF_REST;
  }

  get isSpent(): boolean {
    return this.#predictor.evaluations > this.#last;
  }

  #allow(evaluations: number): void {
    this.#last = Math.min(this.#end, this.#predictor.evaluations + evaluations);
  }

  /** Finds the set that explains the most answers, without needless mistakes. The best set grows first. */
  findMistakes(): readonly ScopedMistake[] {
    let best = this.#createState(this.#start);
    let waiting: readonly State[] = [best];
    let left = this.#wrong.length;
    for (;;) {
      const isLast = this.#listOpen(best.made).every((one) => this.#telling.includes(one));
      [best, waiting] = this.#growBest(waiting, isLast ? 1 : MOST_OPEN);
      best = this.#createState(this.#widenScopes(this.#replaceByRivals(best.made)));
      const open = this.#listOpen(best.made);
      if (isLast || open.length >= left || open.length === 0 || this.isSpent) break;
      left = open.length;
      // A mistake that affects nearly all answers hides others; the answers that it does not explain show them.
      const explained = this.#wrong.filter((one) => !open.includes(one));
      this.#telling = [...selectTelling(open, 1), ...selectTelling(explained, 0.5)];
      waiting = [best, ...waiting]
        .map((state) => this.#createState(state.made))
        .sort(compareStates);
    }
    this.#allow(OF_EXCHANGE);
    const replaced = this.#replaceByRivals(best.made);
    const made = this.#exchangeMistakes(this.#searchOperations(replaced));
    const needed = this.dropNeedless(this.#dropConditions(this.addNearest(made)));
    // A needless mistake may have kept a rival from explaining more.
    this.#allow(OF_EXCHANGE);
    return this.#joinSpans(this.#replaceByRivals(needed));
  }

  /** Searches each operation with open answers again, because a difficult operation may have used up the evaluations. */
  #searchOperations(made: readonly ScopedMistake[]): readonly ScopedMistake[] {
    const operations = new Set(this.#listOpen(made).map(({ question }) => question.operation));
    return [...operations].reduce((all, operation) => {
      const open = this.#listOpen(all);
      const own = open.filter(({ question }) => question.operation === operation);
      if (own.length === 0) return all;
      const others = this.#wrong.filter((one) => !open.includes(one));
      this.#telling = [...selectTelling(own, 1), ...selectTelling(others, 0.5)];
      this.#allow(OF_OPERATION);
      this.#most = all.length + MORE_MISTAKES;
      const [best] = this.#growBest([this.#createState(all)], 1);
      return this.#listOpen(best.made).length < open.length ? this.#widenScopes(best.made) : all;
    }, made);
  }

  /** Tries to replace each mistake: it may have been chosen before another one explained its answers better. */
  #exchangeMistakes(made: readonly ScopedMistake[]): readonly ScopedMistake[] {
    return made.reduce((all, one) => {
      const open = this.#listOpen(all);
      if (!all.includes(one) || !this.#canChangeAny(open, one)) return all;
      const rest = all.filter((other) => other !== one);
      const own = this.#listOpen(rest).filter((wrong) => !open.includes(wrong));
      const others = this.#wrong.filter((wrong) => !open.includes(wrong) && !own.includes(wrong));
      this.#telling = [
        ...selectTelling(open, 0.5),
        ...selectTelling(own, 0.5),
        ...selectTelling(others, 0.5),
      ];
      this.#allow(OF_EXCHANGE);
      this.#most = all.length;
      const [best] = this.#growBest([this.#createState(rest)], 1);
      return this.#listOpen(best.made).length < open.length ? this.#widenScopes(best.made) : all;
    }, made);
  }

  #canChangeAny(answers: readonly Observation[], one: ScopedMistake): boolean {
    return answers.some(({ question }) =>
      this.#predictor.canChange(question, selectMistakes(question.operation, [one])),
    );
  }

  /**
   * Adds mistakes that a few answers contradict, if they explain many open answers of an operation: a mistake like the real
   * one, which differs from it in rare cases. It may replace conditional mistakes.
   */
  addNearest(made: readonly ScopedMistake[]): readonly ScopedMistake[] {
    this.#end = this.#predictor.evaluations + OF_NEAREST;
    const operations = new Set(this.#listOpen(made).map(({ question }) => question.operation));
    return [...operations].reduce((all, operation) => {
      const own = this.#all.filter(({ question }) => question.operation === operation);
      const open = own.filter((one) => isOpenText(one) && !this.explains(one, all));
      if (open.length < LEAST_NEAR) return all;
      const rest = all.filter(({ mistake }) => !isFitted(mistake));
      this.#allow(OF_OPERATION);
      const fitting = open
        .slice(0, PAIR_WITNESSES)
        .flatMap((one) => this.#findContradicted({ made: rest }, one));
      const nearest = this.#chooseNearest(own, rest, [...new Set(fitting)]);
      if (!nearest) return all;
      const nearer = this.#widenScopes([
        ...rest,
        { mistake: nearest, within: new Set([operation]) },
      ]);
      return this.#countExplained(nearer) > this.#countExplained(all) ? nearer : all;
    }, made);
  }

  /** The candidate that explains the most answers, less three for each correctly predicted one that it contradicts. */
  #chooseNearest(
    observed: readonly Observation[],
    made: readonly ScopedMistake[],
    candidates: readonly Mistake[],
  ): Mistake | undefined {
    const effects = new Map<Mistake, Effected[]>(candidates.map((mistake) => [mistake, []]));
    for (const { question, right, actual } of observed) {
      if (this.isSpent) return undefined;
      const set = selectMistakes(question.operation, made);
      const isGiven = this.#predictGiven(question, right, set) === actual;
      for (const { answer, mistakes } of this.#predictor.computeChanges(
        question,
        set,
        candidates,
      )) {
        const gain = isGiven ? -1 : answer === actual ? 1 : 0;
        for (const mistake of mistakes)
          effects.get(mistake)?.push({ question, gain, isContradiction: isGiven });
      }
    }
    const counted = [...effects].map(([mistake, own]) => countEffects(mistake, own));
    const most = counted.toSorted((a, b) => b.gained - a.gained).slice(0, CONDITIONED);
    const limited = most.flatMap(({ mistake }) =>
      countLimited(mistake, effects.get(mistake) ?? []),
    );
    const near = [...counted, ...limited].filter(
      ({ gained, lost }) => gained >= LEAST_NEAR && lost * LEAST_NEAR <= gained,
    );
    const worth = ({ gained, lost }: Counted): number => gained - 3 * lost;
    return near.sort((a, b) => worth(b) - worth(a) || a.mistake.cost - b.mistake.cost)[0]?.mistake;
  }

  #listOpen(made: readonly ScopedMistake[]): readonly Observation[] {
    return this.#wrong.filter((one) => !this.explains(one, made));
  }

  /** Replaces each mistake by a rival that explains more answers: the answers that both were compared with may not have told them apart. */
  #replaceByRivals(made: readonly ScopedMistake[]): readonly ScopedMistake[] {
    return made.reduce((all, one) => {
      const open = this.#listOpen(all);
      const rest = all.filter((other) => other !== one);
      if (open.length === 0) return all;
      const own = this.#wrong.filter(
        (wrong) => !open.includes(wrong) && !this.explains(wrong, rest),
      );
      const [witness] = own;
      if (!witness) return all;
      const telling = selectTelling(open, 0.5);
      const rivals = this.#findFitting({ made: rest }, witness, this.#inStepsOfAny(telling, rest));
      const judged = [...telling, ...selectTelling(own, 0.5)];
      const [best] = this.#rankRivals(one, rest, rivals, judged);
      if (!best) return all;
      const better = all.map((other) => (other === one ? { ...one, mistake: best } : other));
      return this.#countExplained(better) > this.#countExplained(all) ? better : all;
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
    for (const { question, right, actual } of answers) {
      if (this.isSpent || (within && !within.has(question.operation))) continue;
      const set = selectMistakes(question.operation, rest);
      const changes = this.#predictor.computeChanges(question, set, rivals);
      const fitting = new Set(
        changes.filter(({ answer }) => answer === actual).flatMap(({ mistakes }) => mistakes),
      );
      // The replaced mistake hides that the others explain this answer; a rival must not change it.
      if (this.#predictGiven(question, right, set) === actual) {
        const changing = new Set(changes.flatMap(({ mistakes }) => mistakes));
        for (const rival of rivals) if (!changing.has(rival)) fitting.add(rival);
      }
      for (const mistake of fitting) counts.set(mistake, (counts.get(mistake) ?? 0) + 1);
    }
    return [...counts]
      .sort(([one, a], [other, b]) => b - a || one.cost - other.cost)
      .map(([mistake]) => mistake);
  }

  /** The number of answers, wrong and correct ones, that a set gives. */
  #countExplained(made: readonly ScopedMistake[]): number {
    return this.#all.filter((seen) => this.explains(seen, made)).length;
  }

  /** Grows sets until the best one explains a share of the open answers. */
  #growBest(
    start: readonly State[],
    share: number,
  ): readonly [best: State, waiting: readonly State[]] {
    const seen = new Set(start.map(stateName));
    let waiting = start;
    let best = start[0] ?? this.#createState([]);
    const open = this.#telling.length - best.explained;
    const enough = best.explained + Math.ceil(open * share);
    let fruitless = 0;
    while (best.explained < enough && fruitless < FRUITLESS && !this.isSpent) {
      const [next, ...others] = waiting;
      if (!next) break;
      fruitless += 1;
      const extensions = next.made.length < this.#most ? this.#findExtensions(next) : [];
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

  /** Whether an implementation with these mistakes gives the observed answer. */
  explains({ question, right, actual }: Observation, made: readonly ScopedMistake[]): boolean {
    return this.#predictGiven(question, right, selectMistakes(question.operation, made)) === actual;
  }

  /** The answer of an implementation with a set of mistakes. It is not computed if they cannot change the correct one. */
  #predictGiven(question: Question, right: string, set: readonly Mistake[]): string | undefined {
    return this.#predictor.canChange(question, set)
      ? this.#predictor.predict(question, set)
      : right;
  }

  /**
   * Other mistakes that would give all the answers that one mistake of a set gives. If only verdicts show the mistake, those
   * come last that correct answers of other operations contradict: a verifier often has code of its own for a step.
   */
  findRivals(made: readonly ScopedMistake[], one: ScopedMistake): Rivals {
    const without = made.filter((other) => other !== one);
    const explained = this.#wrong.filter(
      (wrong) => this.explains(wrong, made) && !this.explains(wrong, without),
    );
    const [witness] = explained;
    if (!witness) return { everywhere: [], inVerifiers: [] };
    const isCandidate = this.#inStepsOfEach(firstOfEachOperation(explained), without);
    const all = this.#listPossibleRivals(without, one.mistake, witness, isCandidate);
    const operations = new Set(explained.map(({ question }) => question.operation));
    const isInVerifiers = explained.every(isBareVerdict);
    const alike = this.#filterAlike(all, without, one, (operation) => {
      return !isInVerifiers || operations.has(operation);
    });
    if (!isInVerifiers) return { everywhere: alike, inVerifiers: [] };
    const everywhere = this.#filterAlike(alike, without, one, (name) => !operations.has(name));
    return { everywhere, inVerifiers: alike.filter((rival) => !everywhere.includes(rival)) };
  }

  /** The mistakes that give one of the answers that a mistake gives. */
  #listPossibleRivals(
    without: readonly ScopedMistake[],
    mistake: Mistake,
    witness: Observation,
    isCandidate: IsCandidate,
  ): readonly Mistake[] {
    const { operation } = witness.question;
    const plain = this.#listPlain(operation, selectMistakes(operation, without));
    // Correct answers also contradict the bare rivals of a conditional mistake, and the rivals of one that is only near.
    const isContradicted = isFitted(mistake) || plain.some((one) => one.isChangedBy(mistake));
    const state = { made: without };
    const found = isContradicted
      ? this.#findContradicted(state, witness, isCandidate)
      : this.#findFitting(state, witness, isCandidate);
    const fitting = this.#siftVerdicts(state, witness, found);
    // The condition of this mistake may also fit others.
    const bare = isFitted(mistake) ? [mistake.unconditional, ...fitting.slice(0, CONDITIONED)] : [];
    const conditioned = bare.flatMap((one) => [
      ...makeConditionals(one, witness.question),
      ...makeStepConditionals(one),
    ]);
    return [...fitting, ...new Set(conditioned)];
  }

  /** The rivals with the same effect as a mistake on every answer of some operations. */
  #filterAlike(
    rivals: readonly Mistake[],
    without: readonly ScopedMistake[],
    { mistake, within }: ScopedMistake,
    isJudged: (operation: string) => boolean,
  ): readonly Mistake[] {
    // Further questions, which have no id, were asked to tell these mistakes apart.
    const asked = this.#all.filter(({ id }) => id === undefined);
    let left = rivals;
    for (const { question } of new Set([
      ...asked,
      ...this.#telling,
      ...this.#wrong,
      ...this.#right,
    ])) {
      const { operation } = question;
      if (left.length === 0) break;
      if ((within && !within.has(operation)) || !isJudged(operation)) continue;
      const own = selectMistakes(operation, without);
      const changes = this.#predictor.computeChanges(question, own, [mistake, ...left]);
      const effects = new Map(
        changes.flatMap((effect) => effect.mistakes.map((one) => [one, effect] as const)),
      );
      const effect = effects.get(mistake);
      left = left.filter((rival) => effects.get(rival) === effect);
    }
    return left;
  }

  #createState(made: readonly ScopedMistake[]): State {
    let explained = 0;
    let like = 0;
    for (const one of this.#telling) {
      if (this.explains(one, made)) explained += 1;
      else like += computeLikeness(this.#predict(one, made), one.actual);
    }
    return { made, explained, likeness: like };
  }

  #predict({ question }: Observation, made: readonly ScopedMistake[]): string | undefined {
    return this.#predictor.predict(question, selectMistakes(question.operation, made));
  }

  #findExtensions(state: State): readonly Extension[] {
    const open = this.#telling.filter((one) => !this.explains(one, state.made));
    const telling = open.filter((one) => !isBareVerdict(one));
    const findSingle = (witnesses: readonly Observation[], most: number): readonly Extension[] =>
      this.#extendBy(
        state,
        witnesses,
        (one) => [
          ...this.#findFitting(state, one, costsAtMost(most)),
          ...this.#fitEncoders(state, one),
        ],
        true,
      );
    const plain = findSingle(open, PLAIN);
    // Many mistakes explain a verdict, so a costlier mistake that explains a full answer comes first.
    const isWeak = !plain.some(({ made }) => telling.some((one) => this.explains(one, made)));
    const costly = isWeak ? findSingle(telling, Number.POSITIVE_INFINITY) : [];
    const known = [...costly, ...plain];
    const single = known.length > 0 ? known : findSingle(open, Number.POSITIVE_INFINITY);
    const best = single[0]?.score ?? 0;
    if (best >= open.length * NEARLY_ALL) return single;
    const most = plain.length > 0 ? PLAIN : Number.POSITIVE_INFINITY;
    const conditional = this.#findConditional(state, open, best, most);
    if (conditional.length > 0) {
      const costlier = findSingle(open, Number.POSITIVE_INFINITY);
      return (costlier[0]?.score ?? 0) >= (conditional[0]?.score ?? 0) ? costlier : conditional;
    }
    if (single.length > 0) return single;
    const part = this.#extendBy(state, open, (one) => this.#findPartlyFitting(state, one), false);
    // Thousands of pairs lead to the same verdict, so none of them is known to be the cause.
    return part.length > 0 ? part : this.#findFirstPairs(state, telling);
  }

  /** The pairs that reproduce the first of some answers for which there are any. */
  #findFirstPairs(state: State, telling: readonly Observation[]): readonly Extension[] {
    for (const one of telling.slice(0, PAIR_WITNESSES)) {
      const pairs = this.#findPairs(state, one);
      if (pairs.length > 0) return pairs;
    }
    return [];
  }

  /** The best extensions that witnesses among the open answers suggest. */
  #extendBy(
    state: State,
    open: readonly Observation[],
    candidates: (one: Observation) => readonly Mistake[],
    mustExplain: boolean,
  ): readonly Extension[] {
    let found: readonly Extension[] = [];
    let joint: Extension = { made: state.made, score: 0, cost: 0 };
    let [tried, suggesting] = [0, 0];
    for (const one of open) {
      if (this.isSpent || suggesting === SUGGESTING || tried === WITNESSES) break;
      // A witness that these extensions explain would suggest one of them again.
      if (joint.score > 0 && this.explains(one, joint.made)) continue;
      tried += 1;
      const fitting = this.#siftVerdicts(state, one, candidates(one));
      const own = this.#rankExtensions(state, fitting, mustExplain);
      const [best] = own;
      if (best) suggesting += 1;
      // Verdicts fit by chance, so mistakes that explain only verdicts are added one at a time.
      if (best && mustExplain && best.score > 0 && !isBareVerdict(one))
        joint = joinExtensions(joint, best);
      const others = own.filter((one) => !found.some((before) => isSame(before, one)));
      found = [...found, ...others].sort((a, b) => b.score - a.score || a.cost - b.cost);
      if ((found[0]?.score ?? 0) >= open.length * NEARLY_ALL) break;
    }
    const isJoint = joint.made.length > state.made.length + 1;
    return [...(isJoint ? [joint] : []), ...found].slice(0, WAYS);
  }

  /**
   * If a wrong answer is only a verdict, thousands of mistakes predict it. This drops those that correct answers of the same
   * operation contradict, and keeps a limited number, of which those come first whose steps no other operation uses.
   */
  #siftVerdicts(
    { made }: Pick<State, 'made'>,
    witness: Observation,
    candidates: readonly Mistake[],
  ): readonly Mistake[] {
    if (!isBareVerdict(witness)) return candidates;
    const { operation } = witness.question;
    const set = selectMistakes(operation, made);
    const last = this.#predictor.evaluations + OF_SIFTING;
    let left = candidates;
    const own = this.#right.filter(({ question }) => question.operation === operation);
    // A mistake that changes one correct verdict probably changes others of the same kind.
    const isAlike = ({ right }: Observation): boolean =>
      (right === REFUSED) === (witness.right === REFUSED);
    const telling = [...own.filter(isAlike), ...own.filter((one) => !isAlike(one))];
    for (const { question, right } of telling) {
      if (left.length <= CANDIDATES || this.#predictor.evaluations > last) break;
      if (this.#predictGiven(question, right, set) !== right) continue;
      const changing = this.#predictor.computeChanges(question, set, left);
      const contradicted = new Set(changing.flatMap(({ mistakes }) => mistakes));
      left = left.filter((mistake) => !contradicted.has(mistake));
    }
    if (left.length <= CANDIDATES) return left;
    // Some of each step, because the reasons of refusals may tell the steps apart.
    const mixed = interleave(left, (mistake) => stepsOf(mistake).join());
    return this.#putUnsharedFirst(mixed).slice(0, VERDICTS);
  }

  #putUnsharedFirst(mistakes: readonly Mistake[]): readonly Mistake[] {
    this.#shared ??= this.#listStepsOfCorrectOperations();
    const shared = this.#shared;
    const isShared = (mistake: Mistake): boolean =>
      stepsOf(mistake).some((step) => shared.has(step));
    return [...mistakes.filter((one) => !isShared(one)), ...mistakes.filter(isShared)];
  }

  /** The effects of each single further candidate on a question, without those that known changes of correct answers exclude. */
  #computeEffects(
    question: Question,
    set: readonly Mistake[],
    isCandidate: IsCandidate = isAny,
  ): readonly Effect[] {
    const plain = this.#listPlain(question.operation, set);
    return this.#computeAllEffects(
      question,
      set,
      (one) => isCandidate(one) && !plain.some(({ isChangedBy }) => isChangedBy(one)),
    );
  }

  /** Correct answers of an operation that a set does not change, with known changes. */
  #listPlain(operation: string, set: readonly Mistake[]): readonly PlainAnswer[] {
    const known = this.#plain.get(operation) ?? this.#findPlain(operation);
    this.#plain.set(operation, known);
    return known.filter(
      ({ question, right }) => this.#predictGiven(question, right, set) === right,
    );
  }

  #findPlain(operation: string): readonly PlainAnswer[] {
    return this.#right.flatMap(({ question, right }) => {
      if (question.operation !== operation) return [];
      const isChangedBy = this.#predictor.findKnownChanges(question);
      return isChangedBy ? [{ question, right, isChangedBy }] : [];
    });
  }

  /**
   * The effects of each single further candidate on a question.
   *
   * A large content is hashed only for mistakes that no correct answer about a small content contradicts.
   */
  #computeAllEffects(
    question: Question,
    set: readonly Mistake[],
    isCandidate: IsCandidate = isAny,
  ): readonly Effect[] {
    let left = this.#predictor.listRelevantMistakes(question, set).filter(isCandidate);
    if (this.#predictor.isLight(question))
      return this.#predictor.computeChanges(question, set, left);
    for (const { question: small, right } of this.#right) {
      if (small.operation !== question.operation || !this.#predictor.isLight(small)) continue;
      if (this.#predictGiven(small, right, set) !== right) continue;
      const changing = this.#predictor.computeChanges(small, set, left);
      const contradicted = new Set(changing.flatMap(({ mistakes }) => mistakes));
      left = left.filter((mistake) => !contradicted.has(mistake));
    }
    const effects: Effect[] = [];
    for (let at = 0; at < left.length && !this.isSpent; at += HASHED) {
      effects.push(...this.#predictor.computeChanges(question, set, left.slice(at, at + HASHED)));
    }
    return effects;
  }

  /** Candidates that reproduce an observed answer. */
  #findFitting(
    { made }: Pick<State, 'made'>,
    { question, actual }: Observation,
    isCandidate?: IsCandidate,
  ): readonly Mistake[] {
    return this.#computeEffects(question, selectMistakes(question.operation, made), isCandidate)
      .filter(({ answer }) => answer === actual)
      .flatMap(({ mistakes }) => mistakes);
  }

  /** Whether a mistake is made in steps that an implementation with a set of mistakes uses for any of some answers. */
  #inStepsOfAny(answers: readonly Observation[], made: readonly ScopedMistake[]): IsCandidate {
    const steps = new Set(answers.flatMap((one) => this.#listSteps(one, made)));
    return (mistake) => touches(mistake, steps);
  }

  /** Whether it is made in steps that are used for each of them. */
  #inStepsOfEach(answers: readonly Observation[], made: readonly ScopedMistake[]): IsCandidate {
    const used = answers.map((one) => new Set(this.#listSteps(one, made)));
    return (mistake) => used.every((steps) => touches(mistake, steps));
  }

  #listSteps({ question }: Observation, made: readonly ScopedMistake[]): readonly StepName[] {
    return this.#predictor.listSteps(question, selectMistakes(question.operation, made));
  }

  /** The same, including mistakes that correct answers contradict. */
  #findContradicted(
    { made }: Pick<State, 'made'>,
    { question, actual }: Observation,
    isCandidate?: IsCandidate,
  ): readonly Mistake[] {
    return this.#computeAllEffects(question, selectMistakes(question.operation, made), isCandidate)
      .filter(({ answer }) => answer === actual)
      .flatMap(({ mistakes }) => mistakes);
  }

  /** Encoders derived from the answers, if these show the encoded text. */
  #fitEncoders(state: State, { question, actual }: Observation): readonly Mistake[] {
    const set = selectMistakes(question.operation, state.made);
    const spellingIn = (one: Observation): ReadonlyMap<string, string> | undefined =>
      spellingOf(this.#predict(one, state.made) ?? '', one.actual);
    const own = spellingIn({ question, actual, right: '' });
    if (!own) return [];
    const all = this.#telling
      .filter((one) => one.question.operation === question.operation)
      .flatMap((one) => spellingIn(one) ?? []);
    const encoders = fittedEncoders(
      joinedSpelling(all) ?? own,
      this.#predictor.listSteps(question, set),
    );
    return this.#predictor
      .computeEffects(question, set, encoders)
      .filter(({ answer }) => answer === actual)
      .flatMap(({ mistakes }) => mistakes);
  }

  /** Extensions by conditional mistakes: correct answers contradict their unconditional form. */
  #findConditional(
    state: State,
    open: readonly Observation[],
    least: number,
    most: number,
  ): readonly Extension[] {
    const witnesses = open.filter((one) => !isBareVerdict(one)).slice(0, CONDITION_WITNESSES);
    for (const witness of witnesses) {
      const bare = this.#filterWorthier(
        state,
        this.#findContradicted(state, witness, costsAtMost(most)),
        open,
        least,
      );
      const found = bare
        .flatMap((one) => this.#fitConditions(state, one, witness.question))
        .filter(({ score }) => score > least)
        .sort((a, b) => b.score - a.score || a.cost - b.cost);
      if (found.length > 0) return found.slice(0, WAYS);
    }
    return [];
  }

  /** The candidates that reproduce more than a number of open answers. */
  #filterWorthier(
    state: State,
    candidates: readonly Mistake[],
    open: readonly Observation[],
    least: number,
  ): readonly Mistake[] {
    const counts = new Map<Mistake, number>();
    for (const { question, actual } of open) {
      if (this.isSpent) return [];
      const set = selectMistakes(question.operation, state.made);
      for (const { answer, mistakes } of this.#predictor.computeChanges(
        question,
        set,
        candidates,
      )) {
        if (answer !== actual) continue;
        for (const mistake of mistakes) counts.set(mistake, (counts.get(mistake) ?? 0) + 1);
      }
    }
    return [...counts]
      .filter(([, count]) => count > least && count >= LEAST_CONDITIONAL)
      .sort(([, a], [, b]) => b - a)
      .slice(0, CONDITIONED)
      .map(([mistake]) => mistake);
  }

  /** Conditions of a mistake in all operations, or else in those where it explains an answer. */
  #fitConditions(state: State, bare: Mistake, witness: Question): readonly Extension[] {
    const effected = this.#listEffects(state, bare);
    const own = new Set(
      effected.filter(({ gain }) => gain === 1).map(({ question }) => question.operation),
    );
    const inOwn = effected.filter(({ question }) => own.has(question.operation));
    const toExtension =
      (within?: ReadonlySet<string>) =>
      ([mistake, score]: readonly [Mistake, number]): Extension => {
        const made = [...state.made, { mistake, ...(within && { within }) }];
        return { made, score, cost: mistake.cost + (within ? BOUNDS : 0) };
      };
    const everywhere = fitConditions(bare, effected, witness).map(toExtension());
    const ofRequests =
      everywhere.length > 0 || inOwn.length === effected.length
        ? everywhere
        : fitConditions(bare, inOwn, witness).map(toExtension(own));
    return [...ofRequests, ...this.#fitSteps(state, bare, effected, witness)];
  }

  /** The mistake for some texts of its step only. */
  #fitSteps(
    state: State,
    bare: Mistake,
    effected: readonly Effected[],
    witness: Question,
  ): readonly Extension[] {
    const explained = effected.filter(({ gain }) => gain === 1).length;
    const contradicted = effected.filter(({ isContradiction }) => isContradiction).length;
    if (contradicted === 0 || !isTelling(explained, contradicted)) return [];
    const set = selectMistakes(witness.operation, state.made);
    const { actual } = this.#findObservation(witness);
    const fitting = this.#predictor
      .computeChanges(witness, set, makeStepConditionals(bare))
      .filter(({ answer }) => answer === actual)
      .flatMap(({ mistakes }) => mistakes);
    // A condition and a scope together fit too many answers by chance.
    return this.#rankExtensions(state, fitting, true).filter(
      ({ score, made }) => score >= LEAST_CONDITIONAL && made.at(-1)?.within === undefined,
    );
  }

  /** What a further mistake does to each answer that it changes. */
  #listEffects({ made }: State, mistake: Mistake): readonly Effected[] {
    const effected: Effected[] = [];
    for (const one of new Set([...this.#telling, ...this.#right])) {
      if (this.isSpent) return [];
      const { question, right, actual } = one;
      const set = selectMistakes(question.operation, made);
      const before = this.#predictGiven(question, right, set);
      const [effect] = this.#predictor.computeChanges(question, set, [mistake]);
      if (!effect) continue;
      const isLost = before === actual;
      const isGiven = effect.answer === actual && !isBareVerdict(one);
      effected.push({
        question,
        gain: isLost ? -1 : isGiven ? 1 : 0,
        isContradiction: isLost && right === actual,
      });
    }
    return effected;
  }

  /** Mistakes that give more parts of the observed answer; of these, those with the most similar answers. */
  #findPartlyFitting(state: State, one: Observation): readonly Mistake[] {
    if (one.actual === REFUSED) return [];
    const before = countShared(this.#predict(one, state.made), one.actual);
    const effects = this.#computeEffects(
      one.question,
      selectMistakes(one.question.operation, state.made),
    )
      .filter(({ answer }) => countShared(answer, one.actual) > before)
      .map((effect) => [computeLikeness(effect.answer, one.actual), effect] as const);
    const best = Math.max(...effects.map(([like]) => like));
    return effects.filter(([like]) => like === best).flatMap(([, { mistakes }]) => mistakes);
  }

  /** The extensions by one of the candidates that no answer contradicts, the best first. */
  #rankExtensions(
    state: State,
    candidates: readonly Mistake[],
    mustExplain: boolean,
  ): readonly Extension[] {
    const tallies = this.#tallyCandidates(state, candidates);
    const found = candidates.flatMap((mistake): readonly Extension[] => {
      const own = tallies.get(mistake);
      return own ? this.#toExtensions(state, mistake, own, mustExplain) : [];
    });
    const ordered = found.sort((a, b) => b.score - a.score || a.cost - b.cost);
    // One of several equally good mistakes of the same steps is enough; the others are its rivals.
    const seen = new Set<string>();
    return ordered
      .filter(({ score, made }) => {
        const name = `${score} ${made.slice(-1).flatMap(({ mistake }) => stepsOf(mistake))}`;
        return !seen.has(name) && seen.add(name);
      })
      .slice(0, WAYS);
  }

  #toExtensions(
    { made }: State,
    mistake: Mistake,
    tallies: ReadonlyMap<string, Tally>,
    mustExplain: boolean,
  ): readonly Extension[] {
    // Another scope of the same mistake is no further mistake; its scope is widened at the end.
    if (made.some((one) => one.mistake === mistake)) return [];
    const all = [...tallies];
    const fits = ({ contradicted }: Tally): boolean => contradicted === 0;
    const gains = ({ explained, likeness: like }: Tally): boolean =>
      mustExplain ? explained > 0 : explained > 0 || like > 0;
    const isEverywhere = all.every(([, tally]) => fits(tally));
    const kept = all.filter(([, tally]) => fits(tally) && (isEverywhere || gains(tally)));
    if (!kept.some(([, tally]) => gains(tally))) return [];
    const sum = (value: (tally: Tally) => number): number =>
      kept.reduce((total, [, tally]) => total + value(tally), 0);
    const explained = sum((tally) => tally.explained - tally.lost);
    const open = sum((tally) => tally.open);
    // A verdict can agree by chance, so the mistake must predict every answer that it changes.
    if (mustExplain && sum((tally) => tally.solid) === 0 && open > 0) return [];
    const within = isEverywhere ? undefined : new Set(kept.map(([operation]) => operation));
    const score = explained - open / 4 + sum((tally) => tally.likeness) / 8 - (within ? 0.5 : 0);
    return [{ made: [...made, { mistake, ...(within && { within }) }], score, cost: mistake.cost }];
  }

  /** Counts the effects of each candidate on the answers of each operation. */
  #tallyCandidates(
    { made }: State,
    candidates: readonly Mistake[],
  ): ReadonlyMap<Mistake, ReadonlyMap<string, Tally>> {
    const tallies = new Map<Mistake, Map<string, Tally>>(candidates.map((one) => [one, new Map()]));
    for (const one of this.#telling) this.#tally(one, made, candidates, tallies);
    const worth = (mistake: Mistake): number =>
      [...(tallies.get(mistake)?.values() ?? [])].reduce(
        (sum, { explained, likeness: like }) => sum + explained + like,
        0,
      );
    const ranked = candidates
      .map((mistake) => [worth(mistake), mistake] as const)
      .sort(([a, x], [b, y]) => b - a || x.cost - y.cost);
    const least = (ranked[0]?.[0] ?? 0) * WORTH;
    const worthy = ranked.filter(([own]) => own >= least).map(([, mistake]) => mistake);
    const open = this.#telling.filter((one) => !this.explains(one, made));
    const left = (open.every(isBareVerdict) ? this.#putUnsharedFirst(worthy) : worthy).slice(
      0,
      CANDIDATES,
    );
    for (const one of this.#right) {
      // Candidates that were not checked against all correct answers do not count.
      if (this.isSpent) return new Map();
      const { operation } = one.question;
      const undecided = left.filter((mistake) => isOpen(tallies.get(mistake), operation));
      if (undecided.length > 0) this.#tally(one, made, undecided, tallies);
    }
    const kept = new Set(left);
    for (const mistake of candidates) if (!kept.has(mistake)) tallies.delete(mistake);
    return tallies;
  }

  /** The steps of one correct answer of each operation without wrong answers. */
  #listStepsOfCorrectOperations(): ReadonlySet<StepName> {
    const wrong = new Set(this.#wrong.map(({ question }) => question.operation));
    const correct = this.#right.filter(({ question: { operation } }) => !wrong.has(operation));
    return new Set(
      firstOfEachOperation(correct).flatMap(({ question }) =>
        this.#predictor.listSteps(question, []),
      ),
    );
  }

  #tally(
    one: Observation,
    made: readonly ScopedMistake[],
    candidates: readonly Mistake[],
    tallies: ReadonlyMap<Mistake, Map<string, Tally>>,
  ): void {
    const { question, actual, right } = one;
    const { operation } = question;
    const bare = isBareVerdict(one);
    const set = selectMistakes(operation, made);
    const before = this.#predictGiven(question, right, set);
    for (const { answer, mistakes } of this.#predictor.computeChanges(question, set, candidates)) {
      const isGiven = answer === actual;
      const gain = isGiven ? 0 : computeLikeness(answer, actual) - computeLikeness(before, actual);
      for (const mistake of mistakes) {
        const own = tallies.get(mistake);
        const tally = own?.get(operation) ?? {
          explained: 0,
          solid: 0,
          likeness: 0,
          contradicted: 0,
          lost: 0,
          open: 0,
        };
        own?.set(operation, tally);
        if (isGiven) tally.explained += 1;
        if (isGiven && !bare) tally.solid += 1;
        if (before === actual) tally[right === actual ? 'contradicted' : 'lost'] += 1;
        else if (!isGiven) {
          tally.open += gain > 0 ? 0 : 1;
          tally.likeness += gain;
        }
      }
    }
  }

  /** Pairs of mistakes that reproduce one answer; first those of mistakes that keep what is correct in it, then the cheapest. */
  #findPairs(state: State, { question, actual }: Observation): readonly Extension[] {
    const set = selectMistakes(question.operation, state.made);
    // Mistakes in other steps change nothing here.
    const steps = new Set<string>(this.#predictor.listSteps(question, set));
    const key = set.filter((one) => stepsOf(one).some((step) => steps.has(step)));
    const name = `${this.#all.findIndex((one) => one.question === question)} ${joinSortedIds(key)}`;
    if (this.#barren.has(name)) return [];
    this.#barren.add(name);
    let left = PAIRS;
    let hashing = this.#predictor.isLight(question) ? PAIRS : HASHING_PAIRS;
    for (const [a, b] of this.#drawPairs(question, set, actual)) {
      if (this.isSpent || left === 0) break;
      left -= 1;
      if ((touches(a, OPAQUE_STEPS) || touches(b, OPAQUE_STEPS)) && hashing-- <= 0) continue;
      if (this.#predictor.predictUncached(question, [...set, a, b]) !== actual) continue;
      const first: State = this.#createState([...state.made, { mistake: a }]);
      const found = this.#rankExtensions(
        first,
        this.#findFitting(first, this.#findObservation(question)),
        true,
      );
      if (found.length > 0) return found;
    }
    // A pair that was not checked against all answers may still fit.
    if (this.isSpent) this.#barren.delete(name);
    return [];
  }

  /** If the correct answer has another form than the actual one, the first mistake of each pair gives that form. */
  #drawPairs(
    question: Question,
    set: readonly Mistake[],
    actual: string,
  ): Iterable<readonly [Mistake, Mistake]> {
    const before = this.#predictor.predict(question, set) ?? '';
    const isIn = (text: string): ((part: string) => boolean) => {
      const parts = new Set(text.split(MARKS));
      return (part) => parts.has(part);
    };
    const shared = before.split(MARKS).filter(isIn(actual));
    const wrong = before.split(MARKS).filter((part) => !isIn(actual)(part));
    /** The number of parts that the answer has wrong: correct ones lost, and wrong ones kept. */
    const countWrong = (answer = ''): number =>
      shared.length - shared.filter(isIn(answer)).length + wrong.filter(isIn(answer)).length;
    const all = this.#computeEffects(question, set).flatMap(({ answer, mistakes }) => {
      const off = countWrong(answer);
      return mistakes
        .slice(0, ALIKE)
        .map((one): Priced => ({ answer, one, price: one.cost + off * OFF }));
    });
    const [form, correct] = [outlineOf(actual), outlineOf(before)];
    if (form === correct) return combinePairs(all, all);
    const firsts = all.filter(({ answer = '', one }) => {
      const own = outlineOf(answer);
      return own === form || (own !== correct && this.#isResizing(question, set, one));
    });
    return combinePairs(firsts.length > 0 ? firsts : all, all);
  }

  /** Whether a mistake makes some answers longer than others, because digests differ: another mistake then changes the length as well. */
  #isResizing(question: Question, set: readonly Mistake[], mistake: Mistake): boolean {
    const growths = OTHER_KEYS.map((added) => {
      const keys = { ...question.keys, privateKey: question.keys.privateKey + added };
      const [right = '', wrong = ''] = [set, [...set, mistake]].map((made) =>
        this.#predictor.predictUncached({ ...question, keys }, made),
      );
      return wrong.length - right.length;
    });
    return new Set(growths).size > 1;
  }

  #findObservation(question: Observation['question']): Observation {
    const found = this.#all.find((one) => one.question === question);
    if (!found) throw new Error('the question was not observed');
    return found;
  }

  /** Widens the scopes of mistakes: others of the set may have hidden a mistake in further operations when it was found. */
  #widenScopes(made: readonly ScopedMistake[]): readonly ScopedMistake[] {
    return made.reduce((all, one) => {
      const { mistake, within } = one;
      if (!within) return all;
      const everywhere = all.map((other) => (other === one ? { mistake } : other));
      const gained = new Set<string>();
      const lost = new Set<string>();
      for (const seen of this.#all) {
        const { operation } = seen.question;
        if (within.has(operation)) continue;
        const [before, after] = [this.explains(seen, all), this.explains(seen, everywhere)];
        if (after !== before) (after ? gained : lost).add(operation);
      }
      if (lost.size === 0) return everywhere;
      const more = [...gained].filter((operation) => !lost.has(operation));
      const wider = { mistake, within: new Set([...within, ...more]) };
      return more.length === 0 ? all : all.map((other) => (other === one ? wider : other));
    }, made);
  }

  /**
   * Drops each condition without which as many answers are explained: a mistake that was found later explains the others, or
   * the condition only stands for some operations.
   */
  #dropConditions(made: readonly ScopedMistake[]): readonly ScopedMistake[] {
    return made.reduce((all, one) => {
      const { mistake } = one;
      if (!isFitted(mistake)) return all;
      const rest = all.filter((other) => other !== one);
      const own = this.#wrong.filter((seen) => !this.explains(seen, rest));
      const within = new Set(
        own.filter((seen) => this.explains(seen, all)).map(({ question }) => question.operation),
      );
      const bare = { ...one, mistake: mistake.unconditional };
      const simpler = [bare, { ...bare, within }].map((simple) =>
        all.map((other) => (other === one ? simple : other)),
      );
      const most = this.#countExplained(all);
      return simpler.find((set) => this.#countExplained(set) >= most) ?? all;
    }, made);
  }

  /** Replaces two mistakes by one that makes the change of one of them in the steps of both. */
  #joinSpans(made: readonly ScopedMistake[]): readonly ScopedMistake[] {
    const everywhere = made.filter(({ within }) => !within);
    for (const [at, one] of everywhere.entries()) {
      for (const other of everywhere.slice(at + 1)) {
        // Mistakes of one step are made in the order of the set, so the later place counts.
        const joined = joinedSpans(one.mistake, other.mistake).map((mistake) =>
          made.flatMap((kept) => (kept === one ? [] : kept === other ? [{ mistake }] : [kept])),
        );
        const best = joined.find((set) => this.#countExplained(set) >= this.#countExplained(made));
        if (best) return this.#joinSpans(best);
      }
    }
    return made;
  }

  /** Drops the mistakes without which a set explains as many wrong answers. Some are needless only together. */
  dropNeedless(made: readonly ScopedMistake[]): readonly ScopedMistake[] {
    // Dropping fewer first could leave a larger set.
    for (let size = Math.min(DROPPED, made.length - 1); size > 0; size -= 1) {
      const needless = this.#findNeedless(made, size);
      if (needless) return this.dropNeedless(made.filter((one) => !needless.includes(one)));
    }
    return made;
  }

  /** Some mistakes of a set without which it explains as many wrong answers. */
  #findNeedless(
    made: readonly ScopedMistake[],
    size: number,
  ): readonly ScopedMistake[] | undefined {
    const explained = this.#wrong.filter((one) => this.explains(one, made));
    const without = (some: readonly ScopedMistake[]): readonly ScopedMistake[] =>
      made.filter((one) => !some.includes(one));
    // An answer that one of the mistakes is needed for decides about most subsets.
    const needs = new Map(
      made.map((one) => [one, explained.find((seen) => !this.explains(seen, without([one])))]),
    );
    return subsetsOf(made, size).find((some) => {
      const rest = without(some);
      const isNeeded = (one: ScopedMistake): boolean => {
        const need = needs.get(one);
        return need !== undefined && !this.explains(need, rest);
      };
      if (size > 1 && some.some(isNeeded)) return false;
      return this.#wrong.filter((one) => this.explains(one, rest)).length >= explained.length;
    });
  }
}

/** The subsets with so many items. */
const subsetsOf = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  size === 0
    ? [[]]
    : items.flatMap((item, at) =>
        subsetsOf(items.slice(at + 1), size - 1).map((rest) => [item, ...rest]),
      );

/** A mistake for a pair; pairs with the lowest sum of prices are tried first. */
interface Priced {
  /** With this mistake alone. */
  readonly answer: string | undefined;
  readonly one: Mistake;
  readonly price: number;
}

/** The pairs of two lists, the cheapest first. */
function* combinePairs(
  firsts: readonly Priced[],
  seconds: readonly Priced[],
): Iterable<readonly [Mistake, Mistake]> {
  const pricesOf = (list: readonly Priced[]) => new Set(list.map(({ price }) => price));
  const sums = [...pricesOf(firsts)]
    .flatMap((a) => [...pricesOf(seconds)].map((b) => [a, b] as const))
    .filter(([a, b]) => firsts !== seconds || a <= b)
    .sort(([a, b], [c, d]) => a + b - c - d);
  for (const [a, b] of sums) {
    const others = seconds.filter(({ price }) => price === b);
    for (const { one } of firsts.filter(({ price }) => price === a)) {
      for (const { one: other } of others) if (one !== other) yield [one, other];
    }
  }
}

const DIGESTS: readonly (readonly [name: string, form: RegExp])[] = [
  ['hexadecimal', /^[0-9a-f]{16,}$/],
  ['upper-case hexadecimal', /^[0-9A-F]{16,}$/],
  ['base64', /^[0-9A-Za-z+/_-]{16,}$/],
];

/** The forms and lengths of the parts of an answer that look like digests. */
const outlineOf = (answer: string): string =>
  answer
    .split(/[?&:," =\n]/)
    .flatMap((part) => {
      const name = DIGESTS.find(([, form]) => form.test(part))?.[0];
      return name === undefined ? [] : `${name} ${part.length}`;
    })
    .join();

/** The extension by the mistakes of two extensions of one set. */
const joinExtensions = (joint: Extension, { made, score, cost }: Extension): Extension => ({
  made: [...joint.made, ...made.slice(-1)],
  score: joint.score + score,
  cost: joint.cost + cost,
});

/** Whether two extensions add the same mistake in the same operations. */
function isSame(a: Extension, b: Extension): boolean {
  const [one, other] = [a.made.at(-1), b.made.at(-1)];
  const within = [...(one?.within ?? [])];
  return (
    one?.mistake === other?.mistake &&
    one?.within?.size === other?.within?.size &&
    within.every((operation) => other?.within?.has(operation))
  );
}

/** Whether a correct answer of an operation can still decide about a candidate. */
function isOpen(tallies: ReadonlyMap<string, Tally> | undefined, operation: string): boolean {
  if (!tallies) return false;
  const own = tallies.get(operation);
  if (own && own.contradicted > 0) return false;
  const isEverywhere = [...tallies.values()].every(({ contradicted }) => contradicted === 0);
  return isEverywhere || (own !== undefined && own.explained > 0);
}

const selected = new WeakMap<readonly ScopedMistake[], Map<string, readonly Mistake[]>>();

/** The mistakes that are made in an operation: the same list each time, so that the predictor can cache by it. */
export function selectMistakes(
  operation: string,
  made: readonly ScopedMistake[],
): readonly Mistake[] {
  const byOperation = selected.get(made) ?? new Map<string, readonly Mistake[]>();
  selected.set(made, byOperation);
  const known = byOperation.get(operation);
  if (known) return known;
  const own = made.filter(({ within }) => !within || within.has(operation));
  const mistakes = own.map(({ mistake }) => mistake);
  byOperation.set(operation, mistakes);
  return mistakes;
}

/** Whether an answer is only a verdict: a refusal, or the result of a verify operation. */
export const isBareVerdict = ({ question, actual }: Observation): boolean =>
  actual === REFUSED || question.operation.startsWith('verify-');

/** Whether an answer is wrong, and more than a verdict. */
const isOpenText = (one: Observation): boolean => one.right !== one.actual && !isBareVerdict(one);

/** Chooses wrong answers that tell mistakes apart. Bare verdicts fit many mistakes, so they come last. */
function selectTelling(wrong: readonly Observation[], share: number): readonly Observation[] {
  const solid = wrong.filter((one) => !isBareVerdict(one));
  return [
    ...interleaveByOperation(solid).slice(0, TELLING * share),
    ...interleaveByOperation(wrong.filter(isBareVerdict)).slice(0, BARE * share),
  ];
}

function firstOfEachOperation(observed: readonly Observation[]): readonly Observation[] {
  const seen = new Set<string>();
  return observed.filter(
    ({ question: { operation } }) => !seen.has(operation) && seen.add(operation),
  );
}

/** Alternates between the operations, the smallest observations first. */
const interleaveByOperation = (observed: readonly Observation[]): readonly Observation[] =>
  interleave(observed, ({ question }) => question.operation);

/** Alternates between groups, in the order of their first items. */
function interleave<T>(items: readonly T[], groupOf: (item: T) => string): readonly T[] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = groupOf(item);
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  const longest = Math.max(0, ...[...groups.values()].map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) =>
    [...groups.values()].flatMap((group) => group.slice(i, i + 1)),
  ).flat();
}

/** Sorts by explained answers, then by likeness, then by the cost of the mistakes. */
function compareStates(a: State, b: State): number {
  const cost = ({ made }: State): number =>
    made.reduce((sum, { mistake, within }) => sum + mistake.cost + (within ? BOUNDS : 0), 0);
  return b.explained - a.explained || b.likeness - a.likeness || cost(a) - cost(b);
}

const stateName = ({ made }: State): string => joinSortedIds(made.map(({ mistake }) => mistake));

const joinSortedIds = (mistakes: readonly Mistake[]): string =>
  mistakes
    .map(({ id }) => id)
    .sort()
    .join(' ');

const MARKS = /[?&:,"/ =\n]/;

/** In characters. Longer answers are not compared part by part: one mebibyte takes a minute. */
const LONGEST_COMPARED = 64 * 1024;

/** The share of common parts of two answers, between 0 and 1; a digest counts as one part. */
function computeLikeness(answer: string | undefined, actual: string): number {
  if (answer === undefined || actual === REFUSED || answer === REFUSED) return 0;
  if (answer === actual) return 1;
  if (actual.length > LONGEST_COMPARED) return 0;
  const same = countShared(answer, actual);
  return (same / (answer.split(MARKS).length + actual.split(MARKS).length - same)) * 0.99;
}

/** The number of common parts of two answers. */
function countShared(answer: string | undefined, actual: string): number {
  if (answer === undefined || actual.length > LONGEST_COMPARED) return 0;
  const left = new Map<string, number>();
  for (const part of answer.split(MARKS)) left.set(part, (left.get(part) ?? 0) + 1);
  let same = 0;
  for (const part of actual.split(MARKS)) {
    const count = part === '' ? 0 : (left.get(part) ?? 0);
    if (count === 0) continue;
    left.set(part, count - 1);
    same += 1;
  }
  return same;
}
