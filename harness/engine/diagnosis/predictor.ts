/**
 * Predicts the answers of an implementation with given mistakes.
 *
 * @module
 */

import {
  type Mistake,
  mistaken,
  mistakesAt,
  type StepName,
  touches,
  withFurther,
} from '../../../reference/mistakes/index.ts';
import type { Context, Steps } from '../../../reference/signing/index.ts';
import { withoutStacks } from '../answer.ts';
import { getOrInsert } from '../get-or-insert.ts';
import { groupByKey } from '../group-by-key.ts';
import type { Question } from '../protocol.ts';
import { isConditional } from './conditional-mistakes.ts';
import type { Effect, KnownEffects } from './effects.ts';
import { REFUSED } from './observation.ts';
import { Recorder, Watch } from './recorder.ts';
import {
  computeEffectKey,
  type Further,
  findCalledPart,
  findLastEnd,
  findReached,
  type Inactive,
  isApart,
  type Mistaken,
  mayLead,
  OPAQUE_STEPS,
  type Trail,
  unchanged,
} from './trail.ts';

/** Answers a question with the steps of a context; returns `undefined` if a step throws. */
export type AnswerFunction = (question: Question, context: Context) => string | undefined;

/** Facts about a question beside its answer. */
interface QuestionFacts {
  /** The size of the content, in bytes. */
  readonly sizeOf?: (question: Question) => number;
  /** The steps that the correct answer uses. */
  readonly findSteps?: (question: Question) => ReadonlySet<StepName> | undefined;
  /** The effects of single mistakes on the correct answer. */
  readonly findEffects?: (question: Question) => KnownEffects | undefined;
  /** The reason of a refusal. */
  readonly reasonOf?: AnswerFunction;
}

const NO_FACTS: Required<QuestionFacts> = {
  sizeOf: () => 0,
  findSteps: () => undefined,
  findEffects: () => undefined,
  reasonOf: () => undefined,
};

/** In bytes. Mistakes in the hash of larger contents are not computed. */
export const LARGEST_CONTENT: number = 9 * 1024 * 1024;
const LIGHT_CONTENT = 64 * 1024;

/** Once so many answers with single mistakes are known, a trail is recorded for the others. */
const ALONE = 4;

/** Hashing so many bytes takes as long as an answer without a content. */
const HASHED_BYTES = 32 * 1024;

export class Predictor {
  readonly #right: Context;
  readonly #answering: AnswerFunction;
  readonly #facts: Required<QuestionFacts>;
  readonly #trails = new Map<Question, Map<string, Trail>>();
  /** By a list of mistakes: the list that stands for it. */
  readonly #arranged = new WeakMap<readonly Mistake[], readonly Mistake[]>();
  /** The same by the ids of the mistakes. */
  readonly #lists = new Map<string, readonly Mistake[]>();
  /** The contexts of lists of mistakes, most of which apply to many questions. */
  readonly #contexts = new WeakMap<readonly Mistake[], Context>();
  readonly #recorders = new Map<string, Recorder>();
  readonly #steps = new Map<Question, ReadonlySet<StepName>>();
  readonly #effects = new Map<Question, KnownEffects | undefined>();
  /** The answers without mistakes and with a single one, as far as they were computed for themselves. */
  readonly #alone = new Map<Question, Map<Mistake | undefined, string | undefined>>();
  readonly #single = new Map<Mistake, readonly Mistake[]>();
  /** For each question, by the mistakes in the block hash, and by the block hash without this cache. */
  readonly #blockHashes = new Map<Question, Map<string | Steps['blockHash'], Steps['blockHash']>>();
  readonly #watch: Watch;
  /** The number of computed answers, which limits a search. The hash of a large content counts as several. */
  evaluations = 0;

  constructor(right: Context, answering: AnswerFunction, facts: QuestionFacts = {}) {
    this.#right = right;
    this.#answering = answering;
    this.#facts = { ...NO_FACTS, ...facts };
    this.#watch = new Watch(right);
  }

  /** Whether the content of a question is small enough to hash it for a few mistakes. */
  isQuick(question: Question): boolean {
    return this.#facts.sizeOf(question) <= LARGEST_CONTENT;
  }

  /** Whether the content is small enough to hash it for all mistakes. */
  isLight(question: Question): boolean {
    return this.#facts.sizeOf(question) <= LIGHT_CONTENT;
  }

  /** The answer with these mistakes; `undefined` if they make a step throw. */
  predict(question: Question, mistakes: readonly Mistake[]): string | undefined {
    return mistakes.length < 2
      ? this.#predictAlone(question, mistakes[0])
      : this.#findTrail(question, mistakes).answer;
  }

  /** The answer with a single mistake or none. For the first few mistakes, it takes less time than the recording of a trail. */
  #predictAlone(question: Question, mistake: Mistake | undefined): string | undefined {
    const known = getOrInsert(this.#alone, question, () => new Map());
    if (known.has(mistake)) return known.get(mistake);
    const trail =
      known.size < ALONE ? this.#trails.get(question)?.get('') : this.#recordTrail(question, []);
    const answer = trail
      ? mistake
        ? this.#findFurther(question, trail, mistake).answer
        : trail.answer
      : this.predictUncached(question, this.#listOf(mistake));
    known.set(mistake, answer);
    return answer;
  }

  /** The same list for each mistake, because contexts are cached by lists. */
  #listOf(mistake: Mistake | undefined): readonly Mistake[] {
    if (!mistake) return [];
    return getOrInsert(this.#single, mistake, () => [mistake]);
  }

  /** The same without caching. */
  predictUncached(question: Question, mistakes: readonly Mistake[]): string | undefined {
    const context = this.#createContext(question, filterActive(question, mistakes));
    return this.#evaluate(question, context);
  }

  /**
   * Predicts the answer of a set with one more mistake, without caching it: for few mistakes, a trail takes longer than their
   * answers. The context of the set is created once, because that takes as long as an answer.
   */
  predictorOfFurther(
    question: Question,
    set: readonly Mistake[],
  ): (mistake: Mistake) => string | undefined {
    const active = filterActive(question, set);
    const { made, without } = this.#pairWith(active, this.#right);
    return (mistake) =>
      filterActive(question, [mistake]).length === 0
        ? this.predictUncached(question, active)
        : withFurther(made, without, active, mistake, (context) =>
            this.#evaluate(question, this.#hashOnce(question, [...active, mistake], context)),
          );
  }

  /** The same, and whether there are calls that a trail does not have. */
  #predictFurther(question: Question, trail: Trail, mistake: Mistake): Further {
    trail.watched ??= this.#pairWith(trail.set, this.#watch.createContext(trail.calls));
    Object.assign(this.#watch, { strayed: false, differed: false });
    const answer = this.#useFurther(question, trail, trail.watched, mistake, (context) => {
      this.#watch.compareCalls(mistake.steps, context, trail.calls);
      return this.#evaluate(question, context);
    });
    return { answer, strays: this.#watch.strayed, differs: this.#watch.differed };
  }

  /** The reason of the refusal that these mistakes lead to; `undefined` if they lead to another answer. */
  predictReason(question: Question, mistakes: readonly Mistake[]): string | undefined {
    return this.#facts.reasonOf(question, mistaken(this.#right, filterActive(question, mistakes)));
  }

  /** Whether a mistake in addition to a set refuses a question in its own steps. */
  refusesByItself(question: Question, set: readonly Mistake[], mistake: Mistake): boolean {
    const { calls } = this.#recordTrail(question, filterActive(question, [...set, mistake]));
    return mistake.steps.some((step) =>
      calls.get(step)?.some(({ result }) => result instanceof Error),
    );
  }

  /** The effects of single mistakes on the correct answer; `undefined` if they are not known without computing them. */
  findKnownEffects(question: Question): KnownEffects | undefined {
    const before = this.#effects.get(question);
    if (before || this.#effects.has(question)) return before;
    const effects = this.#facts.findEffects(question);
    this.#effects.set(question, effects);
    return effects;
  }

  /** The further mistakes in steps that the question uses; those of the register come first. */
  listRelevantMistakes(question: Question, set: readonly Mistake[] = []): readonly Mistake[] {
    const { calls } = this.#findTrail(question, set);
    const all = listMistakesAt([...calls.keys()]);
    const further = set.length === 0 ? all : all.filter((one) => !set.includes(one));
    // Mistakes in the hash of a large content are slow to compute, and small contents show them.
    return this.isQuick(question) ? further : further.filter((one) => !touches(one, OPAQUE_STEPS));
  }

  /** The steps that the question uses with these mistakes. */
  listSteps(question: Question, set: readonly Mistake[]): readonly StepName[] {
    return [...this.#findTrail(question, set).calls.keys()];
  }

  /** The different texts that a step returns for the question with these mistakes. */
  listTexts(question: Question, set: readonly Mistake[], step: StepName): readonly string[] {
    const calls = this.#findTrail(question, set).calls.get(step) ?? [];
    return [...new Set(calls.map(({ result }) => result))].filter((one) => typeof one === 'string');
  }

  /** The effects of all single further mistakes that change the answer. */
  computeAllEffects(question: Question, set: readonly Mistake[]): readonly Effect[] {
    return this.computeChanges(question, set, this.listRelevantMistakes(question, set));
  }

  /** Whether any of some mistakes can change the answer. No answer is computed if the steps of the question are known. */
  canChange(question: Question, mistakes: readonly Mistake[]): boolean {
    if (mistakes.length === 0) return false;
    const steps = this.#findUsedSteps(question);
    return mistakes.some((mistake) => touches(mistake, steps));
  }

  /** The effects of those candidates that change the answer of the set. */
  computeChanges(
    question: Question,
    set: readonly Mistake[],
    candidates: readonly Mistake[],
  ): readonly Effect[] {
    const steps = this.#findUsedSteps(question);
    const isAble = (mistake: Mistake): boolean => touches(mistake, steps);
    const able = set.some(isAble) ? candidates : candidates.filter(isAble);
    if (able.length === 0) return [];
    const before = this.predict(question, set);
    return this.computeEffects(question, set, able).filter(({ answer }) => answer !== before);
  }

  #findUsedSteps(question: Question): ReadonlySet<StepName> {
    return getOrInsert(
      this.#steps,
      question,
      () => this.#facts.findSteps(question) ?? new Set(this.listSteps(question, [])),
    );
  }

  /** The answers with one of the candidates each. Candidates with the same effect on all calls share one computation. */
  computeEffects(
    question: Question,
    set: readonly Mistake[],
    candidates: readonly Mistake[],
  ): readonly Effect[] {
    const further = candidates.filter((mistake) => !set.includes(mistake));
    if (set.length === 0 && further.length < ALONE) {
      return groupByAnswer(further.map((one) => [this.#predictAlone(question, one), one]));
    }
    const trail = this.#findWholeTrail(question, set);
    return groupByAnswer(
      further.map((one) => [this.#findFurther(question, trail, one).answer, one]),
    );
  }

  /** As `computeEffects`, without caching. */
  computeEffectsUncached(
    question: Question,
    set: readonly Mistake[],
    candidates: readonly Mistake[],
  ): readonly Effect[] {
    const predict = this.predictorOfFurther(question, set);
    return groupByAnswer(candidates.map((one) => [predict(one), one]));
  }

  /** A trail for further mistakes in addition to the whole set, including mistakes of the set that change no call by themselves. */
  #findWholeTrail(question: Question, mistakes: readonly Mistake[]): Trail {
    const list = this.#arrange(mistakes);
    const trail = this.#findTrail(question, list);
    const set = filterActive(question, list);
    return set.length === trail.set.length
      ? trail
      : getOrInsert(trail.whole, joinIds(set), () => this.#createWholeTrail(question, trail, set));
  }

  /** The same list for the same mistakes in any order, unless some of them change one step: these are made in their order. */
  #arrange(mistakes: readonly Mistake[]): readonly Mistake[] {
    return getOrInsert(this.#arranged, mistakes, () => {
      const steps = mistakes.flatMap(({ steps }) => steps);
      const isAnyOrder = new Set(steps).size === steps.length;
      const ordered = isAnyOrder ? mistakes.toSorted(compareIds) : mistakes;
      return getOrInsert(this.#lists, joinIds(ordered), () => ordered);
    });
  }

  #createWholeTrail(question: Question, trail: Trail, set: readonly Mistake[]): Trail {
    return {
      ...trail,
      set,
      inactive: this.#describeInactive(question, trail, set),
      answers: new Map(),
      answersOfEffects: new Map([['', unchanged(trail.answer)]]),
      watched: undefined,
      unwatched: undefined,
    };
  }

  #describeInactive(question: Question, trail: Trail, set: readonly Mistake[]): Inactive {
    const mistakes = set.filter((mistake) => !trail.set.includes(mistake));
    const steps = new Set(mistakes.flatMap(({ steps }) => steps));
    const uncalled = [...steps].filter((step) => !trail.calls.has(step));
    return {
      mistakes,
      reduced: trail,
      steps,
      lastEnd: Math.max(0, ...[...steps].map((step) => findLastEnd(step, trail))),
      areAllCalled: uncalled.length === 0,
      areWatched: this.#isWatched(steps, trail),
      reached: findReached(mistakes, trail, set, this.#right),
      apart: new Map(),
      context: this.#createContext(question, set),
    };
  }

  /** The answer with one more mistake. */
  #findFurther(question: Question, trail: Trail, mistake: Mistake): Further {
    const known = trail.answers.get(mistake);
    if (known) return known;
    if (isConditional(mistake)) {
      return mistake.holds(question)
        ? this.#findFurther(question, trail, mistake.unconditional)
        : unchanged(trail.answer);
    }
    const further =
      this.#findReduced(question, trail, mistake) ??
      this.#findByPart(question, trail, mistake) ??
      this.#findByEffect(question, trail, mistake);
    trail.answers.set(mistake, further);
    return further;
  }

  /** The answer with the part of a mistake in called steps, if that part leads to none of its other steps. */
  #findByPart(question: Question, trail: Trail, mistake: Mistake): Further | undefined {
    const part = findCalledPart(mistake, trail);
    if (!part || !this.#isWatched(mistake.steps, trail)) return undefined;
    const further = this.#findFurther(question, trail, part);
    return further.strays ? undefined : further;
  }

  /** Whether calls of those of some steps that a trail does not call are noticed. */
  #isWatched(steps: Iterable<StepName>, { calls, set }: Trail): boolean {
    // A mistake of the trail may replace a step, so that the watched one is not called.
    return [...steps].every(
      (step) =>
        calls.has(step) || (this.#watch.canWatch(step) && !set.some(({ change }) => change[step])),
    );
  }

  /** The answer of a mistake with the same effect, or a computed one. */
  #findByEffect(question: Question, trail: Trail, mistake: Mistake): Further {
    const key = this.#computeKey(question, trail, mistake);
    const known = trail.answersOfEffects.get(key);
    if (known && !known.differs) return known;
    const further = this.#predictFurther(question, trail, mistake);
    if (!known) trail.answersOfEffects.set(key, further);
    return further;
  }

  /** The effect of one more mistake on the calls of a trail, and of those of the set that it may activate. */
  #computeKey(question: Question, trail: Trail, mistake: Mistake): string {
    const { inactive } = trail;
    const steps = mistake.steps;
    const activable = inactive && touches(mistake, inactive.reached) ? inactive.mistakes : [];
    const all = [...trail.set, mistake];
    const isNested = steps.length > 1 || activable.length > 0;
    if (!isNested) return computeEffectKey(mistake, trail, this.#right, all, inactive?.context);
    const keyIn = (context: Context): string =>
      [mistake, ...activable]
        .map((one) => computeEffectKey(one, trail, this.#right, all, context))
        .join('');
    trail.unwatched ??= this.#pairWith(trail.set, this.#right);
    return this.#useFurther(question, trail, trail.unwatched, mistake, keyIn);
  }

  /** A context and the same with the mistakes of a set, whose steps are its own, because `withFurther` changes them. */
  #pairWith(set: readonly Mistake[], without: Context): Mistaken {
    return { without, made: mistaken({ ...without, steps: { ...without.steps } }, set) };
  }

  /** Calls a function with the context of one more mistake than those of a trail. */
  #useFurther<T>(
    question: Question,
    { set }: Trail,
    { without, made }: Mistaken,
    mistake: Mistake,
    use: (context: Context) => T,
  ): T {
    return withFurther(made, without, set, mistake, (context) =>
      use(this.#hashOnce(question, [...set, mistake], context)),
    );
  }

  /** The answer without the inactive mistakes of a trail, if one more mistake cannot activate them. */
  #findReduced(question: Question, trail: Trail, mistake: Mistake): Further | undefined {
    const { inactive } = trail;
    if (!inactive || !this.#isApart(mistake, trail, inactive)) return undefined;
    const further = this.#findFurther(question, inactive.reduced, mistake);
    return further.strays && !inactive.areAllCalled ? undefined : further;
  }

  /** Whether all calls of the inactive mistakes end before a mistake takes effect, and it leads to no others. */
  #isApart(mistake: Mistake, trail: Trail, inactive: Inactive): boolean {
    const { areWatched, apart, lastEnd, steps } = inactive;
    const isStepApart = (step: StepName): boolean =>
      getOrInsert(apart, step, () => isApart(step, trail, inactive));
    if (!areWatched || !mistake.steps.every(isStepApart)) return false;
    if (lastEnd === 0 || !mayLead(mistake, trail)) return true;
    const led = findReached([mistake], trail, [...trail.set, mistake], this.#right);
    return ![...steps].some((step) => led.has(step));
  }

  /** The trail with those of some mistakes that change a call. */
  #findTrail(question: Question, mistakes: readonly Mistake[]): Trail {
    const right = this.#recordTrail(question, []);
    const list = this.#arrange(mistakes);
    return getOrInsert(right.found, list, () =>
      this.#searchTrail(question, right, filterActive(question, list)),
    );
  }

  #searchTrail(question: Question, right: Trail, set: readonly Mistake[]): Trail {
    if (set.length === 0) return right;
    // Mistakes of one step are made in the order of the set.
    const withOneMore = (trail: Trail, mistake: Mistake): readonly Mistake[] =>
      set.filter((one) => one === mistake || trail.set.includes(one));
    const isEffective = (trail: Trail, mistake: Mistake): boolean =>
      !trail.set.includes(mistake) &&
      computeEffectKey(mistake, trail, this.#right, withOneMore(trail, mistake)) !== '';
    const reduced = set.reduce(
      (trail, mistake) =>
        isEffective(trail, mistake)
          ? this.#recordTrail(question, withOneMore(trail, mistake))
          : trail,
      right,
    );
    return this.#isWhole(question, set, reduced) ? reduced : this.#recordTrail(question, set);
  }

  /** Whether the other mistakes of a set change no call of a trail, not even together. */
  #isWhole(question: Question, set: readonly Mistake[], trail: Trail): boolean {
    if (trail.set.length === set.length) return true;
    const context = this.#createContext(question, set);
    return set.every(
      (mistake) =>
        trail.set.includes(mistake) ||
        computeEffectKey(mistake, trail, this.#right, set, context) === '',
    );
  }

  #recordTrail(question: Question, set: readonly Mistake[]): Trail {
    const name = joinIds(set);
    const known = getOrInsert(this.#trails, question, () => new Map());
    return getOrInsert(known, name, () => this.#createTrail(name, question, set));
  }

  #createTrail(name: string, question: Question, set: readonly Mistake[]): Trail {
    const recorder = this.#recorderOf(name, question, set);
    const [answer, calls] = recorder.record((asked) => this.#evaluate(question, asked));
    return {
      set,
      answer,
      calls,
      isCutShort:
        answer === undefined ||
        answer === REFUSED ||
        [...calls.values()].some((own) => own.some(({ result }) => result instanceof Error)),
      answers: new Map(),
      answersOfEffects: new Map([['', unchanged(answer)]]),
      found: new Map(),
      whole: new Map(),
    };
  }

  #recorderOf(name: string, question: Question, set: readonly Mistake[]): Recorder {
    if (hashesBlocks(question)) return new Recorder(this.#createContext(question, set));
    return getOrInsert(this.#recorders, name, () => new Recorder(mistaken(this.#right, set)));
  }

  /** The context of an implementation with these mistakes, which hashes the blocks of a content only once. */
  #createContext(question: Question, set: readonly Mistake[]): Context {
    const known = getOrInsert(this.#contexts, set, () => mistaken(this.#right, set));
    return this.#hashOnce(question, set, known);
  }

  /** The context with these mistakes, changed to hash the blocks of a content only once. */
  #hashOnce(question: Question, set: readonly Mistake[], context: Context): Context {
    if (!hashesBlocks(question)) return context;
    const known = getOrInsert(this.#blockHashes, question, () => new Map());
    const key = joinIds(set.filter(({ change }) => change.blockHash));
    const { blockHash: own } = context.steps;
    const charge = (): void => {
      this.evaluations += Math.trunc(this.#facts.sizeOf(question) / HASHED_BYTES);
    };
    if (set.some(({ change }) => change.partHash)) charge();
    // Different mistakes may have the same change.
    const blockHash = known.get(key) ?? known.get(own) ?? cacheBlocks(own, charge);
    known.set(key, blockHash).set(own, blockHash);
    return { ...context, steps: { ...context.steps, blockHash } };
  }

  #evaluate(question: Question, context: Context): string | undefined {
    this.evaluations += 1;
    return withoutStacks(() => this.#answering(question, context));
  }
}

const mistakesBySteps = new Map<string, readonly Mistake[]>();

/** The mistakes in any of some steps, cached: there are thousands, and few lists of steps. */
function listMistakesAt(steps: readonly StepName[]): readonly Mistake[] {
  const name = steps.join();
  return getOrInsert(mistakesBySteps, name, () => [...new Set(steps.flatMap(mistakesAt))]);
}

function groupByAnswer(
  answered: readonly (readonly [answer: string | undefined, mistake: Mistake])[],
): readonly Effect[] {
  return [...groupByKey(answered)].map(([answer, mistakes]) => ({ answer, mistakes }));
}

/** The unconditional mistakes, and those whose condition holds. */
export const filterActive = (
  question: Question,
  mistakes: readonly Mistake[],
): readonly Mistake[] =>
  mistakes.some(isConditional)
    ? mistakes.filter((one) => !isConditional(one) || one.holds(question))
    : mistakes;

const hashesBlocks = ({ input }: Question): boolean => 'content' in input;

const compareIds = (a: Mistake, b: Mistake): number => (a.id < b.id ? -1 : Number(a.id > b.id));

const joinIds = (mistakes: readonly Mistake[]): string => mistakes.map(({ id }) => id).join(' ');

/** A block hash for a single content that hashes its blocks only once: they are many megabytes. */
export function cacheBlocks(
  blockHash: Steps['blockHash'],
  onHash: () => void = () => {},
): Steps['blockHash'] {
  const known = new Map<number, readonly Uint8Array[]>();
  return (size) => {
    const before = known.get(size);
    if (before) return { update: () => {}, digests: () => before };
    const { update, digests } = blockHash(size);
    return {
      update,
      digests: () => {
        onHash();
        const all = digests();
        known.set(size, all);
        return all;
      },
    };
  };
}
