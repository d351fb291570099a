/**
 * The search for the mistakes that together give the very answers that were seen, wrong and right.
 *
 * It grows sets of mistakes. A set grows by what reproduces one more wrong answer and makes no right answer wrong; where nothing
 * does, by what reproduces more parts of one, then by two mistakes at once. What it may compute is bounded by evaluations,
 * never by time, so that the same answers give the same causes on every machine.
 *
 * @module
 */
import {
  fittedEncoders,
  joinedSpelling,
  type Mistake,
  type StepName,
  spellingOf,
  stepsOf,
} from '../../reference/mistakes/index.ts';
import type { Question } from '../adapter/messages.ts';
import { type Conditional, conditionals, isConditional } from './conditions.ts';
import { type Observation, REFUSED } from './observation.ts';
import type { Effect, Predictor } from './predictor.ts';

export interface Limits {
  /** Answers that may be computed. */
  readonly evaluations?: number;
  /** Mistakes in a set. */
  readonly mistakes?: number;
  /** What is believed already. */
  readonly start?: readonly Made[];
}

const EVALUATIONS = 50_000;
/** The same for what is left open after that: in all, for each operation, and for each mistake in whose place others are tried. */
const OF_REST = 30_000;
const OF_OPERATION = 15_000;
const OF_EXCHANGE = 6_000;
const MORE_MISTAKES = 4;
/** Mistakes of this cost are tried first, in all witnesses. */
const PLAIN = 1;
const MISTAKES = 8;

/** Sets that wait to grow, and ways in which each grows. */
const WAITING = 12;
const WAYS = 3;
/** Wrong answers in which a further mistake is looked for: the smallest, of different operations. */
const WITNESSES = 8;
/** So many that suggest something are enough, and fewer where something explains this share of them. */
const SUGGESTING = 3;
const NEARLY_ALL = 0.9;
const TELLING = 48;
const BARE = 24;
/** Once this share of them is explained, others are chosen, of those that are still open. */
const MOST_OPEN = 0.5;
/** Candidates that are held against right answers: those that are worth most, and at least this share of the best. */
const CANDIDATES = 24;
const WORTH = 0.5;
/** For mistakes that are made for some requests only: wrong answers that suggest them, and how many they have to give. */
const CONDITION_WITNESSES = 3;
const CONDITIONED = 6;
const LEAST_CONDITIONAL = 3;
/** For pairs: wrong answers, and pairs tried on each. */
const PAIR_WITNESSES = 3;
const PAIRS = 2500;

/** That a mistake is made in some operations only costs as much as a mistake. */
const BOUNDS = 1;

/** A mistake, made everywhere or in some operations only. */
export interface Made {
  readonly mistake: Mistake;
  readonly within?: ReadonlySet<string>;
}

interface State {
  readonly made: readonly Made[];
  /** How many wrong answers it reproduces. */
  readonly explained: number;
  /** How alike the others are, each between 0 and 1. */
  readonly likeness: number;
}

/** What a further mistake does in one operation. */
interface Tally {
  explained: number;
  /** Of those explained, the ones that carry more than a yes or a no. */
  solid: number;
  likeness: number;
  /** Right answers that it would make wrong. */
  contradicted: number;
  /** Wrong answers that were explained before, perhaps by chance, and no longer would be. */
  lost: number;
  /** Wrong answers that it changes into other wrong ones. */
  open: number;
}

interface Extension {
  readonly made: readonly Made[];
  readonly score: number;
  readonly cost: number;
}

export class Search {
  readonly #all: readonly Observation[];
  readonly #wrong: readonly Observation[];
  /** Of the wrong answers, as many as tell mistakes apart; the smallest of each operation. */
  #telling: readonly Observation[];
  readonly #right: readonly Observation[];
  readonly #predictor: Predictor;
  #most: number;
  readonly #start: readonly Made[];
  #last: number;
  readonly #end: number;
  /** Wrong answers, and sets beside which no pair of mistakes gives them. */
  readonly #barren = new Set<string>();

  constructor(
    observed: readonly Observation[],
    predictor: Predictor,
    { evaluations = EVALUATIONS, mistakes = MISTAKES, start = [] }: Limits = {},
  ) {
    this.#all = observed;
    this.#wrong = observed.filter(({ right, actual }) => right !== actual);
    this.#telling = telling(this.#wrong, 1);
    this.#right = inTurns(observed.filter(({ right, actual }) => right === actual));
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

  /** The mistakes that explain most, none of them needless. The best set grows first; the others are what is left to try. */
  found(): readonly Made[] {
    let best = this.#state(this.#start);
    let waiting: readonly State[] = [best];
    let left = this.#wrong.length;
    for (;;) {
      const isLast = this.#open(best.made).every((one) => this.#telling.includes(one));
      [best, waiting] = this.#best(waiting, isLast ? 1 : MOST_OPEN);
      best = this.#state(this.#widened(best.made));
      const open = this.#open(best.made);
      if (isLast || open.length >= left || open.length === 0 || this.isSpent) break;
      left = open.length;
      // What hides behind a mistake that is seen nearly everywhere shows in what that one leaves open.
      const explained = this.#wrong.filter((one) => !open.includes(one));
      this.#telling = [...telling(open, 1), ...telling(explained, 0.5)];
      waiting = [best, ...waiting].map((state) => this.#state(state.made)).sort(better);
    }
    return this.#withoutNeedless(this.#exchanged(this.#ofOperations(best.made)));
  }

  /** Goes on with each operation that has answers left: what is hard to explain in one may have used up what may be computed. */
  #ofOperations(made: readonly Made[]): readonly Made[] {
    const operations = new Set(this.#open(made).map(({ question }) => question.operation));
    return [...operations].reduce((all, operation) => {
      const open = this.#open(all);
      const own = open.filter(({ question }) => question.operation === operation);
      if (own.length === 0) return all;
      const others = this.#wrong.filter((one) => !open.includes(one));
      this.#telling = [...telling(own, 1), ...telling(others, 0.5)];
      this.#allow(OF_OPERATION);
      this.#most = all.length + MORE_MISTAKES;
      const [best] = this.#best([this.#state(all)], 1);
      return this.#open(best.made).length < open.length ? this.#widened(best.made) : all;
    }, made);
  }

  /** Puts others in the place of mistakes that were found before what hides beside them. */
  #exchanged(made: readonly Made[]): readonly Made[] {
    return made.reduce((all, one) => {
      const open = this.#open(all);
      if (open.length === 0 || !all.includes(one)) return all;
      const rest = all.filter((other) => other !== one);
      const own = this.#open(rest).filter((wrong) => !open.includes(wrong));
      const others = this.#wrong.filter((wrong) => !open.includes(wrong) && !own.includes(wrong));
      this.#telling = [...telling(open, 0.5), ...telling(own, 0.5), ...telling(others, 0.5)];
      this.#allow(OF_EXCHANGE);
      this.#most = all.length;
      const [best] = this.#best([this.#state(rest)], 1);
      return this.#open(best.made).length < open.length ? this.#widened(best.made) : all;
    }, made);
  }

  #open(made: readonly Made[]): readonly Observation[] {
    return this.#wrong.filter((one) => !this.explains(one, made));
  }

  /** The best of the sets that grow from some, and those that still wait; it grows until it explains a share of what is open. */
  #best(start: readonly State[], share: number): readonly [best: State, waiting: readonly State[]] {
    const seen = new Set(start.map(nameOf));
    let waiting = start;
    let best = start[0] ?? this.#state([]);
    const open = this.#telling.length - best.explained;
    const enough = best.explained + Math.ceil(open * share);
    while (best.explained < enough && !this.isSpent) {
      const [next, ...others] = waiting;
      if (!next) break;
      const grown = next.made.length < this.#most ? this.#extensions(next) : [];
      const states = grown
        .map(({ made }) => this.#state(made))
        .filter((state) => !seen.has(nameOf(state)) && seen.add(nameOf(state)));
      waiting = [...states, ...others].sort(better).slice(0, WAITING);
      if (waiting[0] && better(waiting[0], best) < 0) best = waiting[0];
    }
    return [best, waiting.filter((state) => state !== best)];
  }

  /** Whether an implementation with these mistakes gives the answer that was given. */
  explains({ question, right, actual }: Observation, made: readonly Made[]): boolean {
    const set = setFor(question.operation, made);
    return (set.length === 0 ? right : this.#predictor.answer(question, set)) === actual;
  }

  /** Other mistakes that would give every answer that one of a set gives; the plainest first. */
  rivals(made: readonly Made[], one: Made): readonly Mistake[] {
    const without = made.filter((other) => other !== one);
    const [witness] = this.#wrong.filter(
      (wrong) => this.explains(wrong, made) && !this.explains(wrong, without),
    );
    if (!witness) return [];
    const set = setFor(witness.question.operation, without);
    const { mistake } = one;
    const fitting = this.#effects(witness.question, set)
      .filter(({ answer }) => answer === witness.actual)
      .flatMap(({ mistakes }) => mistakes);
    // A condition that fits one mistake may fit another one as well.
    const bare = isConditional(mistake) ? [mistake.bare, ...fitting.slice(0, CONDITIONED)] : [];
    let rivals = [...fitting, ...new Set(bare.flatMap(conditionals))];
    // What was asked to tell them apart tells most; it belongs to no vector.
    const asked = this.#all.filter(({ id }) => id === undefined);
    const seen = new Set([...asked, ...this.#telling, ...this.#wrong, ...this.#right]);
    for (const { question } of seen) {
      if (rivals.length === 0) break;
      if (one.within && !one.within.has(question.operation)) continue;
      const own = setFor(question.operation, without);
      const same = this.#predictor
        .effectsOf(question, own, [mistake, ...rivals])
        .find(({ mistakes }) => mistakes.includes(mistake));
      rivals = rivals.filter((rival) => same?.mistakes.includes(rival));
    }
    return rivals;
  }

  #state(made: readonly Made[]): State {
    let explained = 0;
    let like = 0;
    for (const one of this.#telling) {
      if (this.explains(one, made)) explained += 1;
      else like += likeness(this.#answer(one, made), one.actual);
    }
    return { made, explained, likeness: like };
  }

  #answer({ question }: Observation, made: readonly Made[]): string | undefined {
    return this.#predictor.answer(question, setFor(question.operation, made));
  }

  #extensions(state: State): readonly Extension[] {
    const open = this.#telling.filter((one) => !this.explains(one, state.made));
    for (const most of [PLAIN, Number.POSITIVE_INFINITY]) {
      const single = this.#grown(
        state,
        open,
        (one) => [...this.#fitting(state, one, most), ...this.#fitted(state, one)],
        true,
      );
      const best = single[0]?.score ?? 0;
      if (best >= open.length * NEARLY_ALL) return single;
      const conditional = this.#conditional(state, open, best, most);
      if (conditional.length > 0) return conditional;
      if (single.length > 0) return single;
    }
    const part = this.#grown(state, open, (one) => this.#partlyFitting(state, one), false);
    if (part.length > 0) return part;
    for (const one of open.slice(0, PAIR_WITNESSES)) {
      const pairs = this.#pairs(state, one);
      if (pairs.length > 0) return pairs;
    }
    return [];
  }

  /** The best extensions that some of the open answers suggest; no further one is asked once nearly all are explained. */
  #grown(
    state: State,
    open: readonly Observation[],
    candidates: (one: Observation) => readonly Mistake[],
    mustExplain: boolean,
  ): readonly Extension[] {
    let found: readonly Extension[] = [];
    let suggesting = 0;
    for (const one of open.slice(0, WITNESSES)) {
      if (this.isSpent || suggesting === SUGGESTING) break;
      const own = this.#ranked(state, candidates(one), mustExplain);
      if (own.length > 0) suggesting += 1;
      const others = own.filter((one) => !found.some((before) => isSame(before, one)));
      found = [...found, ...others].sort((a, b) => b.score - a.score || a.cost - b.cost);
      if ((found[0]?.score ?? 0) >= open.length * NEARLY_ALL) break;
    }
    return found.slice(0, WAYS);
  }

  /**
   * What each single further mistake makes of a question.
   *
   * A large content is hashed only for those that right answers about small ones do not speak against.
   */
  #effects(
    question: Question,
    set: readonly Mistake[],
    most: number = Number.POSITIVE_INFINITY,
  ): readonly Effect[] {
    if (this.#predictor.isLight(question)) return this.#predictor.effects(question, set, most);
    let left = this.#predictor.relevant(question, set).filter(({ cost }) => cost <= most);
    for (const { question: small, right, actual } of this.#right) {
      if (small.operation !== question.operation || !this.#predictor.isLight(small)) continue;
      if (this.#predictor.answer(small, set) !== right) continue;
      left = this.#predictor
        .effectsOf(small, set, left)
        .flatMap(({ answer, mistakes }) => (answer === actual ? mistakes : []));
    }
    const before = this.#predictor.answer(question, set);
    return this.#predictor.effectsOf(question, set, left).filter(({ answer }) => answer !== before);
  }

  /** Mistakes that reproduce an answer. */
  #fitting(state: State, { question, actual }: Observation, most?: number): readonly Mistake[] {
    return this.#effects(question, setFor(question.operation, state.made), most)
      .filter(({ answer }) => answer === actual)
      .flatMap(({ mistakes }) => mistakes);
  }

  /** Encoders that are read off the answers, where these show what they wrote. */
  #fitted(state: State, { question, actual }: Observation): readonly Mistake[] {
    const set = setFor(question.operation, state.made);
    const spellingIn = (one: Observation): ReadonlyMap<string, string> | undefined =>
      spellingOf(this.#answer(one, state.made) ?? '', one.actual);
    const own = spellingIn({ question, actual, right: '' });
    if (!own) return [];
    const all = this.#telling
      .filter((one) => one.question.operation === question.operation)
      .flatMap((one) => spellingIn(one) ?? []);
    const encoders = fittedEncoders(
      joinedSpelling(all) ?? own,
      this.#predictor.stepsOf(question, set),
    );
    return this.#predictor
      .effectsOf(question, set, encoders)
      .filter(({ answer }) => answer === actual)
      .flatMap(({ mistakes }) => mistakes);
  }

  /** Mistakes that are made for some requests only: right answers speak against the bare ones. */
  #conditional(
    state: State,
    open: readonly Observation[],
    least: number,
    most: number,
  ): readonly Extension[] {
    const witnesses = open.filter((one) => !isBare(one)).slice(0, CONDITION_WITNESSES);
    for (const witness of witnesses) {
      const bare = this.#worthier(state, this.#fitting(state, witness, most), open, least);
      const possible = bare.flatMap(conditionals).filter(({ holds }) => holds(witness.question));
      const found = this.#uncontradicted(state, possible)
        .map(([mistake, score]): Extension => {
          return { made: [...state.made, { mistake }], score, cost: mistake.cost };
        })
        .filter(({ score }) => score > least)
        .sort((a, b) => b.score - a.score || a.cost - b.cost);
      if (found.length > 0) return found.slice(0, WAYS);
    }
    return [];
  }

  /** The candidates that reproduce more than so many open answers. */
  #worthier(
    state: State,
    candidates: readonly Mistake[],
    open: readonly Observation[],
    least: number,
  ): readonly Mistake[] {
    const counts = new Map<Mistake, number>();
    for (const { question, actual } of open) {
      if (this.isSpent) return [];
      const set = setFor(question.operation, state.made);
      for (const { answer, mistakes } of this.#predictor.effectsOf(question, set, candidates)) {
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

  /** The conditional mistakes that no right answer speaks against, where one does against the bare one; with their scores. */
  #uncontradicted(
    { made }: State,
    possible: readonly Conditional[],
  ): readonly (readonly [mistake: Conditional, score: number])[] {
    let left = possible;
    const tallies = new Map(possible.map((one) => [one, { given: 0, open: 0 }]));
    const contradicted = new Set<Mistake>();
    for (const one of [...this.#telling, ...this.#right]) {
      if (left.length === 0 || this.isSpent) return [];
      const set = setFor(one.question.operation, made);
      const before = this.#predictor.answer(one.question, set);
      const bare = [...new Set(left.map((mistake) => mistake.bare))];
      for (const { answer, mistakes } of this.#predictor.effectsOf(one.question, set, bare)) {
        if (answer === before) continue;
        const held = left.filter(
          (mistake) => mistakes.includes(mistake.bare) && mistake.holds(one.question),
        );
        if (one.right === one.actual && before === one.actual) {
          for (const mistake of mistakes) contradicted.add(mistake);
          left = left.filter((mistake) => !held.includes(mistake));
          continue;
        }
        for (const tally of held.flatMap((mistake) => tallies.get(mistake) ?? [])) {
          if (before === one.actual) tally.given -= 1;
          else if (answer !== one.actual) tally.open += 1;
          else if (!isBare(one)) tally.given += 1;
        }
      }
    }
    return left.flatMap((mistake) => {
      const { given = 0, open = 0 } = tallies.get(mistake) ?? {};
      const isOwn = given >= LEAST_CONDITIONAL && contradicted.has(mistake.bare);
      return isOwn ? [[mistake, given - open / 4] as const] : [];
    });
  }

  /** Mistakes that bring an answer nearest to what was given. */
  #partlyFitting(state: State, one: Observation): readonly Mistake[] {
    if (one.actual === REFUSED) return [];
    const before = likeness(this.#answer(one, state.made), one.actual);
    const effects = this.#effects(one.question, setFor(one.question.operation, state.made)).map(
      (effect) => [likeness(effect.answer, one.actual), effect] as const,
    );
    const best = Math.max(...effects.map(([like]) => like));
    if (!(best > before)) return [];
    return effects.filter(([like]) => like === best).flatMap(([, { mistakes }]) => mistakes);
  }

  /** The extensions by one of the candidates that no answer speaks against, the best first. */
  #ranked(
    state: State,
    candidates: readonly Mistake[],
    mustExplain: boolean,
  ): readonly Extension[] {
    const tallies = this.#tallies(state, candidates);
    const found = candidates.flatMap((mistake): readonly Extension[] => {
      const own = tallies.get(mistake);
      return own ? this.#extension(state, mistake, own, mustExplain) : [];
    });
    const ordered = found.sort((a, b) => b.score - a.score || a.cost - b.cost);
    // Of those that are as good in the same place, one is enough: the others are its rivals.
    const seen = new Set<string>();
    return ordered
      .filter(({ score, made }) => {
        const name = `${score} ${made.slice(-1).flatMap(({ mistake }) => stepsOf(mistake))}`;
        return !seen.has(name) && seen.add(name);
      })
      .slice(0, WAYS);
  }

  #extension(
    { made }: State,
    mistake: Mistake,
    tallies: ReadonlyMap<string, Tally>,
    mustExplain: boolean,
  ): readonly Extension[] {
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
    // A verdict alone can agree by chance: then the mistake must predict every answer that it changes.
    if (mustExplain && sum((tally) => tally.solid) === 0 && open > 0) return [];
    const within = isEverywhere ? undefined : new Set(kept.map(([operation]) => operation));
    const score = explained - open / 4 + sum((tally) => tally.likeness) / 8 - (within ? 0.5 : 0);
    return [{ made: [...made, { mistake, ...(within && { within }) }], score, cost: mistake.cost }];
  }

  /** What each candidate does to the answers of each operation. */
  #tallies(
    { made }: State,
    candidates: readonly Mistake[],
  ): ReadonlyMap<Mistake, ReadonlyMap<string, Tally>> {
    const tallies = new Map<Mistake, Map<string, Tally>>(candidates.map((one) => [one, new Map()]));
    for (const one of this.#telling) this.#note(one, made, candidates, tallies);
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
    const left = (open.every(isBare) ? this.#sifted(worthy, made, tallies) : worthy).slice(
      0,
      CANDIDATES,
    );
    for (const one of this.#right) {
      // Candidates that were not held against every right answer are none.
      if (this.isSpent) return new Map();
      const { operation } = one.question;
      const undecided = left.filter((mistake) => isOpen(tallies.get(mistake), operation));
      if (undecided.length > 0) this.#note(one, made, undecided, tallies);
    }
    const kept = new Set(left);
    for (const mistake of candidates) if (!kept.has(mistake)) tallies.delete(mistake);
    return tallies;
  }

  /**
   * Hundreds of mistakes predict the same verdict. This drops those that right answers of the same operations contradict, and
   * puts those first whose steps no other operation uses.
   */
  #sifted(
    candidates: readonly Mistake[],
    made: readonly Made[],
    tallies: ReadonlyMap<Mistake, Map<string, Tally>>,
  ): readonly Mistake[] {
    const operations = new Set(this.#wrong.map(({ question }) => question.operation));
    let left = candidates;
    for (const one of this.#right) {
      if (left.length <= CANDIDATES || this.isSpent) break;
      if (!operations.has(one.question.operation)) continue;
      this.#note(one, made, left, tallies);
      left = left.filter((mistake) => {
        const own = [...(tallies.get(mistake)?.values() ?? [])];
        return own.some(({ explained, contradicted }) => explained > 0 && contradicted === 0);
      });
    }
    const shared = this.#stepsOfRightOperations();
    const isShared = (mistake: Mistake): boolean =>
      stepsOf(mistake).some((step) => shared.has(step));
    return [...left.filter((one) => !isShared(one)), ...left.filter(isShared)];
  }

  /** The steps of one right answer of each operation that has no wrong one. */
  #stepsOfRightOperations(): ReadonlySet<StepName> {
    const seen = new Set(this.#wrong.map(({ question }) => question.operation));
    const first = this.#right.filter(({ question: { operation } }) => {
      return !seen.has(operation) && seen.add(operation);
    });
    return new Set(first.flatMap(({ question }) => this.#predictor.stepsOf(question, [])));
  }

  #note(
    one: Observation,
    made: readonly Made[],
    candidates: readonly Mistake[],
    tallies: ReadonlyMap<Mistake, Map<string, Tally>>,
  ): void {
    const { question, actual, right } = one;
    const { operation } = question;
    const bare = isBare(one);
    const set = setFor(operation, made);
    const before = set.length === 0 ? right : this.#predictor.answer(question, set);
    for (const { answer, mistakes } of this.#predictor.effectsOf(question, set, candidates)) {
      if (answer === before) continue;
      const isGiven = answer === actual;
      const gain = isGiven ? 0 : likeness(answer, actual) - likeness(before, actual);
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

  /** Two mistakes at once that reproduce one answer, the cheapest first. */
  #pairs(state: State, { question, actual }: Observation): readonly Extension[] {
    const set = setFor(question.operation, state.made);
    // What else is made elsewhere changes nothing here.
    const steps = new Set<string>(this.#predictor.stepsOf(question, set));
    const key = set.filter((one) => stepsOf(one).some((step) => steps.has(step)));
    const name = `${this.#all.findIndex((one) => one.question === question)} ${namesOf(key)}`;
    if (this.#barren.has(name)) return [];
    this.#barren.add(name);
    const effects = this.#effects(question, set)
      .flatMap(({ mistakes: [plainest] }) => plainest ?? [])
      .sort((a, b) => a.cost - b.cost);
    let left = PAIRS;
    for (let sum = 1; sum < 2 * effects.length && left > 0 && !this.isSpent; sum++) {
      for (let i = Math.max(0, sum - effects.length + 1); i < sum - i && left > 0; i++) {
        const [a, b] = [effects[i], effects[sum - i]];
        if (!a || !b) continue;
        left -= 1;
        if (this.#predictor.answerTo(question, [...set, a, b]) !== actual) continue;
        const first: State = this.#state([...state.made, { mistake: a }]);
        const found = this.#ranked(first, this.#fitting(first, this.#observation(question)), true);
        if (found.length > 0) return found;
      }
    }
    return [];
  }

  #observation(question: Observation['question']): Observation {
    return this.#all.find((one) => one.question === question) as Observation;
  }

  /** Without the bounds of a mistake that others of the set hid when it was found: it is made there too. */
  #widened(made: readonly Made[]): readonly Made[] {
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

  #withoutNeedless(made: readonly Made[]): readonly Made[] {
    const count = (set: readonly Made[]): number =>
      this.#wrong.filter((one) => this.explains(one, set)).length;
    let kept = made;
    for (const one of made) {
      const rest = kept.filter((other) => other !== one);
      if (count(rest) >= count(kept)) kept = rest;
    }
    return kept;
  }
}

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

/** Whether a right answer of an operation can still say something of a candidate. */
function isOpen(tallies: ReadonlyMap<string, Tally> | undefined, operation: string): boolean {
  if (!tallies) return false;
  const own = tallies.get(operation);
  if (own && own.contradicted > 0) return false;
  const isEverywhere = [...tallies.values()].every(({ contradicted }) => contradicted === 0);
  return isEverywhere || (own !== undefined && own.explained > 0);
}

/** The mistakes that are made in an operation. */
export function setFor(operation: string, made: readonly Made[]): readonly Mistake[] {
  return made
    .filter(({ within }) => !within || within.has(operation))
    .map(({ mistake }) => mistake);
}

/** Whether an answer is a yes or a no alone. */
export const isBare = ({ question, actual }: Observation): boolean =>
  actual === REFUSED || question.operation.startsWith('verify-');

/** As many of some wrong answers as tell mistakes apart. A yes or a no fits many mistakes: those come last. */
function telling(wrong: readonly Observation[], share: number): readonly Observation[] {
  const solid = wrong.filter((one) => !isBare(one));
  return [
    ...inTurns(solid).slice(0, TELLING * share),
    ...inTurns(wrong.filter(isBare)).slice(0, BARE * share),
  ];
}

/** The smallest of each operation in turn. */
function inTurns(observed: readonly Observation[]): readonly Observation[] {
  const groups = new Map<string, Observation[]>();
  for (const one of observed) {
    const group = groups.get(one.question.operation) ?? [];
    groups.set(one.question.operation, group);
    group.push(one);
  }
  const longest = Math.max(0, ...[...groups.values()].map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) =>
    [...groups.values()].flatMap((group) => group[i] ?? []),
  ).flat();
}

/** More explained first, then more alike, then fewer, cheaper and more general mistakes. */
function better(a: State, b: State): number {
  const cost = ({ made }: State): number =>
    made.reduce((sum, { mistake, within }) => sum + mistake.cost + (within ? BOUNDS : 0), 0);
  return b.explained - a.explained || b.likeness - a.likeness || cost(a) - cost(b);
}

const nameOf = ({ made }: State): string => namesOf(made.map(({ mistake }) => mistake));

const namesOf = (mistakes: readonly Mistake[]): string =>
  mistakes
    .map(({ id }) => id)
    .sort()
    .join(' ');

const MARKS = /[?&:,"/ =\n]/;

/** How many parts of what was given are in an answer, between 0 and 1; a digest counts as one part. */
export function likeness(answer: string | undefined, actual: string): number {
  if (answer === undefined || actual === REFUSED || answer === REFUSED) return 0;
  if (answer === actual) return 1;
  const parts = actual.split(MARKS);
  const others = answer.split(MARKS);
  let same = 0;
  const left = new Map<string, number>();
  for (const part of others) left.set(part, (left.get(part) ?? 0) + 1);
  for (const part of parts) {
    const count = left.get(part) ?? 0;
    if (count === 0) continue;
    left.set(part, count - 1);
    same += 1;
  }
  return (same / (parts.length + others.length - same)) * 0.99;
}
