/**
 * What an implementation with certain mistakes would have answered.
 *
 * @module
 */
import {
  type Mistake,
  mistakesAt,
  type StepName,
  stepsOf,
} from '../../reference/mistakes/index.ts';
import { type Context, InputError, type Steps } from '../../reference/signing/index.ts';
import type { Question } from '../adapter/messages.ts';
import { isConditional } from './conditions.ts';

/** Answers by the steps of a context; nothing where these make the implementation break. */
export type Answering = (question: Question, context: Context) => string | undefined;

/** Mistakes that do the same to one question. */
export interface Effect {
  readonly answer: string | undefined;
  /** The plainest first. */
  readonly mistakes: readonly Mistake[];
}

interface Call {
  /** With the context of the trail in place of the recording one. */
  readonly given: readonly unknown[];
  result: unknown;
  /** Which of the calls of a trail ended first, second and so on. */
  end: number;
  /** The result as it is compared, once that was needed. */
  shown?: string;
}
type AnyStep = (...given: readonly unknown[]) => unknown;

/** What a question went through: each step with its calls. */
interface Trail {
  readonly set: readonly Mistake[];
  readonly answer: string | undefined;
  readonly calls: ReadonlyMap<StepName, readonly Call[]>;
  /** The answers with one more mistake, as far as they were asked for. */
  readonly answers: Map<Mistake, string | undefined>;
  /** The same by what that mistake makes of the calls. */
  readonly answersOfEffects: Map<string, string | undefined>;
  /** What each further mistake up to a cost does, once that was asked for. */
  readonly effects: Map<number, readonly Effect[]>;
  /** Of the right trail: those with sets of mistakes. */
  readonly effective: Map<string, Trail>;
  /** With more mistakes, that change nothing on it by themselves. */
  readonly whole: Map<string, Trail>;
  /** Of such a one: the trail without them, when the last step that they change was over, and their steps that are not on it. */
  readonly reduced?: Trail;
  readonly lastOfAsleep?: number;
  readonly missing?: ReadonlySet<string>;
}

/** Steps whose results cannot be compared: a mistake in one is tried by asking. */
const OPAQUE: readonly StepName[] = ['blockHash', 'partHash', 'blockSize'];

/** In bytes. */
const LARGEST_CONTENT = 9 * 1024 * 1024;
const LIGHT_CONTENT = 64 * 1024;

export class Predictor {
  readonly #right: Context;
  readonly #answering: Answering;
  readonly #sizeOf: (question: Question) => number;
  readonly #trails = new Map<Question, Map<string, Trail>>();
  readonly #recorders = new Map<string, Recorder>();
  /** Answers that were computed: what a search is bounded by. */
  evaluations = 0;

  constructor(
    right: Context,
    answering: Answering,
    sizeOf: (question: Question) => number = () => 0,
  ) {
    this.#right = right;
    this.#answering = answering;
    this.#sizeOf = sizeOf;
  }

  /** Whether the content of a question is small enough to be hashed for single mistakes. */
  isQuick(question: Question): boolean {
    return this.#sizeOf(question) <= LARGEST_CONTENT;
  }

  /** Whether it is small enough to be hashed for all mistakes. */
  isLight(question: Question): boolean {
    return this.#sizeOf(question) <= LIGHT_CONTENT;
  }

  /** The answer with these mistakes; nothing where they make the implementation break. */
  answer(question: Question, mistakes: readonly Mistake[]): string | undefined {
    return this.#trail(question, mistakes).answer;
  }

  /** The same, asked once only. */
  answerTo(question: Question, mistakes: readonly Mistake[]): string | undefined {
    return this.#evaluated(question, mistakenIn(this.#right, madeAt(question, mistakes)));
  }

  /** The further mistakes that can change the answer at all, those of the register first. */
  relevant(question: Question, set: readonly Mistake[] = []): readonly Mistake[] {
    const { calls } = this.#trail(question, set);
    return [...new Set([...calls.keys()].flatMap(mistakesAt))].filter((one) => !set.includes(one));
  }

  /** The steps that a question takes with these mistakes. */
  stepsOf(question: Question, set: readonly Mistake[]): readonly StepName[] {
    return [...this.#trail(question, set).calls.keys()];
  }

  /**
   * What each single further mistake makes of a question, apart from the answer that the set gives already.
   *
   * @param most cost of the mistakes
   */
  effects(
    question: Question,
    set: readonly Mistake[],
    most: number = Number.POSITIVE_INFINITY,
  ): readonly Effect[] {
    const trail = this.#wholeTrail(question, set);
    const known = trail.effects.get(most);
    if (known) return known;
    const answered: (readonly [answer: string | undefined, mistake: Mistake])[] = [];
    for (const mistake of this.relevant(question, trail.set)) {
      if (mistake.cost > most) continue;
      const answer = this.#further(question, trail, mistake);
      if (answer !== trail.answer) answered.push([answer, mistake]);
    }
    const effects = grouped(answered);
    trail.effects.set(most, effects);
    return effects;
  }

  /** The answers with one of these mistakes each; of those that do the same to every call, one is computed. */
  effectsOf(
    question: Question,
    set: readonly Mistake[],
    candidates: readonly Mistake[],
  ): readonly Effect[] {
    const trail = this.#wholeTrail(question, set);
    const further = candidates.filter((mistake) => !set.includes(mistake));
    return grouped(further.map((one) => [this.#further(question, trail, one), one]));
  }

  /** A trail on which further mistakes are made beside all of a set, also beside those that change nothing on it by themselves. */
  #wholeTrail(question: Question, mistakes: readonly Mistake[]): Trail {
    const trail = this.#trail(question, mistakes);
    const set = madeAt(question, mistakes);
    if (set.length === trail.set.length) return trail;
    const name = nameOf(set);
    const known = trail.whole.get(name);
    if (known) return known;
    const answersOfEffects = new Map([['', trail.answer]]);
    const asleep = set.filter((mistake) => !trail.set.includes(mistake));
    const missing = asleep.flatMap(stepsOf).filter((step) => !trail.calls.has(step));
    const whole: Trail = {
      ...trail,
      set,
      reduced: trail,
      missing: new Set(missing),
      lastOfAsleep: Math.max(...asleep.map((mistake) => lastEnd(mistake, trail))),
      answers: new Map(),
      answersOfEffects,
      effects: new Map(),
    };
    trail.whole.set(name, whole);
    return whole;
  }

  /** The answer with one more mistake. */
  #further(question: Question, trail: Trail, mistake: Mistake): string | undefined {
    if (isConditional(mistake) && !mistake.holds(question)) return trail.answer;
    const { set, answers, answersOfEffects, reduced, lastOfAsleep = 0 } = trail;
    if (answers.has(mistake)) return answers.get(mistake);
    // What was over before this mistake is made is not changed by it.
    const isApart = reduced && firstEnd(mistake, trail) > lastOfAsleep;
    if (isApart && !callsMissing(mistake, trail, this.#right)) {
      return this.#further(question, reduced, mistake);
    }
    const key = effectKey(mistake, trail, this.#right);
    if (!answersOfEffects.has(key)) {
      answersOfEffects.set(key, this.answerTo(question, [...set, mistake]));
    }
    const answer = answersOfEffects.get(key);
    answers.set(mistake, answer);
    return answer;
  }

  /** The trail with those of some mistakes that change a step on it. */
  #trail(question: Question, mistakes: readonly Mistake[]): Trail {
    const set = madeAt(question, mistakes);
    const right = this.#recordedTrail(question, []);
    if (set.length === 0) return right;
    const name = nameOf(set);
    const known = right.effective.get(name);
    if (known) return known;
    const isEffective = (trail: Trail, mistake: Mistake): boolean =>
      !trail.set.includes(mistake) && effectKey(mistake, trail, this.#right) !== '';
    const reduced = set.reduce(
      (trail, mistake) =>
        isEffective(trail, mistake)
          ? this.#recordedTrail(question, [...trail.set, mistake])
          : trail,
      right,
    );
    // One that changes nothing by itself may change what another one made.
    const isWhole = !set.some((mistake) => isEffective(reduced, mistake));
    const trail = isWhole ? reduced : this.#recordedTrail(question, set);
    right.effective.set(name, trail);
    return trail;
  }

  #recordedTrail(question: Question, set: readonly Mistake[]): Trail {
    const name = nameOf(set);
    const known = this.#trails.get(question) ?? new Map<string, Trail>();
    this.#trails.set(question, known);
    const before = known.get(name);
    if (before) return before;
    const recorder = this.#recorderOf(name, set);
    const [answer, calls] = recorder.recorded((asked) => this.#evaluated(question, asked));
    const trail: Trail = {
      set,
      answer,
      calls,
      answers: new Map(),
      answersOfEffects: new Map([['', answer]]),
      effects: new Map(),
      effective: new Map(),
      whole: new Map(),
    };
    known.set(name, trail);
    return trail;
  }

  #recorderOf(name: string, set: readonly Mistake[]): Recorder {
    const known = this.#recorders.get(name);
    if (known) return known;
    const made = new Recorder(mistakenIn(this.#right, set));
    this.#recorders.set(name, made);
    return made;
  }

  #evaluated(question: Question, context: Context): string | undefined {
    this.evaluations += 1;
    const { stackTraceLimit } = Error;
    // Refusals are thrown, and stack traces are slow to make.
    Error.stackTraceLimit = 0;
    try {
      return this.#answering(question, context);
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  }
}

function grouped(
  answered: readonly (readonly [answer: string | undefined, mistake: Mistake])[],
): readonly Effect[] {
  const byAnswer = new Map<string | undefined, Mistake[]>();
  for (const [answer, mistake] of answered) {
    const same = byAnswer.get(answer);
    if (same) same.push(mistake);
    else byAnswer.set(answer, [mistake]);
  }
  return [...byAnswer].map(([answer, mistakes]) => ({ answer, mistakes }));
}

/** Those that are made for every request, and those whose condition holds. */
const madeAt = (question: Question, mistakes: readonly Mistake[]): readonly Mistake[] =>
  mistakes.some(isConditional)
    ? mistakes.filter((one) => !isConditional(one) || one.holds(question))
    : mistakes;

const nameOf = (mistakes: readonly Mistake[]): string => mistakes.map(({ id }) => id).join(' ');

/** As `mistaken`, without copying the steps that stay. */
function mistakenIn(right: Context, mistakes: readonly Mistake[]): Context {
  if (mistakes.length === 0) return right;
  // A copy, not an heir: the steps of all contexts are found in the same places.
  const steps: Record<string, unknown> = { ...right.steps };
  const ordered = mistakes.length > 1 ? [...mistakes].sort((a, b) => a.order - b.order) : mistakes;
  for (const { change } of ordered) {
    for (const [name, wrap] of Object.entries(change)) {
      steps[name] = (wrap as (step: unknown) => unknown)(steps[name]);
    }
  }
  return { ...right, steps: steps as unknown as Steps };
}

/** Notes every call of the steps of a context; what is passed on as context is the recording one. */
class Recorder {
  readonly #context: Context;
  readonly #recording: Context;
  #calls = new Map<StepName, Call[]>();
  #ended = 0;

  constructor(context: Context) {
    this.#context = context;
    const steps: Record<string, unknown> = { ...context.steps };
    for (const [name, step] of Object.entries(steps)) {
      if (typeof step === 'function') steps[name] = this.#recorderOf(name as StepName, step);
      else Object.defineProperty(steps, name, { get: () => this.#read(name as StepName, step) });
    }
    this.#recording = { ...context, steps: steps as unknown as Steps };
  }

  /** What is done with the recording context, and the calls that it made. */
  recorded<T>(use: (context: Context) => T): readonly [T, ReadonlyMap<StepName, readonly Call[]>] {
    const calls = new Map<StepName, Call[]>();
    this.#calls = calls;
    return [use(this.#recording), calls];
  }

  #read(name: StepName, value: unknown): unknown {
    if (!this.#calls.has(name)) this.#calls.set(name, []);
    return value;
  }

  #recorderOf(name: StepName, step: unknown): AnyStep {
    return (...given) => {
      const at = given.findIndex(isContext);
      const call: Call = {
        given: at < 0 ? given : given.with(at, this.#context),
        result: undefined,
        end: 0,
      };
      const known = this.#calls.get(name);
      if (known) known.push(call);
      else this.#calls.set(name, [call]);
      try {
        call.result = (step as AnyStep)(...given);
        return call.result;
      } catch (error) {
        call.result = error;
        throw error;
      } finally {
        call.end = ++this.#ended;
      }
    };
  }
}

/** When the last call that a mistake changes was over. */
const lastEnd = (mistake: Mistake, { calls }: Trail): number =>
  Math.max(0, ...stepsOf(mistake).flatMap((step) => calls.get(step)?.at(-1)?.end ?? []));

/** When the first one was. */
const firstEnd = (mistake: Mistake, { calls }: Trail): number =>
  Math.min(
    Number.POSITIVE_INFINITY,
    ...stepsOf(mistake).flatMap((step) => calls.get(step)?.map(({ end }) => end) ?? []),
  );

/** What a mistake makes of the calls of its steps; the empty text where it changes none. */
function effectKey(mistake: Mistake, { set, calls }: Trail, right: Context): string {
  let key = '';
  let touched = 0;
  const steps = stepsOf(mistake);
  for (const step of steps) {
    const own = calls.get(step);
    if (!own) continue;
    if (OPAQUE.includes(step)) {
      key += `${step} ${mistake.id}\n`;
      touched += 1;
      continue;
    }
    const wrapped = stepWith(step, mistake, set, right) as AnyStep;
    const results = own.map((call) => changedResult(wrapped, call));
    if (results.every((result) => result === '')) continue;
    key += `${step} ${results.join('\u0001')}\n`;
    touched += 1;
  }
  // What one step makes otherwise, another one may be given.
  if (touched > 0 && touched < steps.length) key += mistake.id;
  return key;
}

/** Whether a mistake makes one of its steps call another that is missing on the trail, and that the set changes. */
function callsMissing(mistake: Mistake, trail: Trail, right: Context): boolean {
  const { missing = new Set(), set, calls } = trail;
  if (missing.size === 0) return false;
  const steps = stepsOf(mistake).filter((step) => calls.has(step));
  // What these return calls steps later.
  if (steps.some((step) => OPAQUE.includes(step))) return true;
  return steps.some((step) => {
    const wrapped = stepWith(step, mistake, set, right) as AnyStep;
    return calls.get(step)?.some(({ given }) => callsAny(wrapped, given, missing));
  });
}

function callsAny(step: AnyStep, given: readonly unknown[], names: ReadonlySet<string>): boolean {
  const at = given.findIndex(isContext);
  if (at < 0) return false;
  const context = given[at] as Context;
  let isCalled = false;
  const steps = new Proxy(context.steps, {
    get(own, name) {
      isCalled ||= names.has(String(name));
      return own[name as StepName];
    },
  });
  try {
    step(...given.with(at, { ...context, steps }));
  } catch {
    // A refusal calls nothing more.
  }
  return isCalled;
}

function stepWith(
  step: StepName,
  mistake: Mistake,
  set: readonly Mistake[],
  right: Context,
): unknown {
  if (set.length === 0) return wrappedRight(step, mistake, right);
  const wraps = [...set, mistake]
    .filter(({ change }) => change[step])
    .sort((a, b) => a.order - b.order);
  return wraps.reduce<unknown>(
    (made, { change }) => (change[step] as unknown as (before: unknown) => unknown)(made),
    right.steps[step],
  );
}

const wrappedSteps = new WeakMap<Steps, WeakMap<Mistake, Map<StepName, unknown>>>();

/** The right step with one mistake, wrapped once. */
function wrappedRight(step: StepName, mistake: Mistake, { steps }: Context): unknown {
  const byMistake = wrappedSteps.get(steps) ?? new WeakMap<Mistake, Map<StepName, unknown>>();
  wrappedSteps.set(steps, byMistake);
  const byStep = byMistake.get(mistake) ?? new Map<StepName, unknown>();
  byMistake.set(mistake, byStep);
  if (!byStep.has(step)) {
    const wrap = mistake.change[step] as unknown as (before: unknown) => unknown;
    byStep.set(step, wrap(steps[step]));
  }
  return byStep.get(step);
}

/** What a step makes of a call, as it is compared; the empty text where that is what it made before. */
function changedResult(step: AnyStep, call: Call): string {
  let result: unknown;
  try {
    result = step(...call.given);
  } catch (error) {
    result = error;
  }
  if (result === call.result) return '';
  const after = shownValue(result);
  call.shown ??= shownValue(call.result);
  return after === call.shown ? '' : after;
}

const isContext = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'steps' in value && 'dialect' in value;

function shownValue(value: unknown): string {
  if (typeof value === 'string') return `s${value}`;
  if (value instanceof Uint8Array) return `b${Buffer.from(value).toString('latin1')}`;
  if (value instanceof Error) return `e${value instanceof InputError ? value.code : value.name}`;
  if (Array.isArray(value) && value[0] instanceof Uint8Array)
    return value.map(shownValue).join(' ');
  return `j${JSON.stringify(value)}`;
}
