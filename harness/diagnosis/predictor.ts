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
  readonly given: readonly unknown[];
  result: unknown;
  /** The result as it is compared, once that was needed. */
  shown?: string;
}
type AnyStep = (...given: readonly unknown[]) => unknown;

/** What a question went through: each step with its calls. */
interface Trail {
  readonly context: Context;
  readonly answer: string | undefined;
  readonly calls: ReadonlyMap<StepName, readonly Call[]>;
  /** What each further mistake up to a cost does, once that was asked for. */
  readonly effects: Map<number, readonly Effect[]>;
}

/** Steps whose results cannot be compared: a mistake in one is tried by asking. */
const OPAQUE: readonly StepName[] = ['blockHash', 'partHash', 'blockSize'];

export class Predictor {
  readonly #right: Context;
  readonly #answering: Answering;
  readonly #isQuick: (question: Question) => boolean;
  readonly #trails = new Map<Question, Map<string, Trail>>();
  readonly #answers = new Map<Question, Map<string, string | undefined>>();
  /** Answers that were computed: what a search is bounded by. */
  evaluations = 0;

  constructor(
    right: Context,
    answering: Answering,
    isQuick: (question: Question) => boolean = () => true,
  ) {
    this.#right = right;
    this.#answering = answering;
    this.#isQuick = isQuick;
  }

  /** Whether the answer takes no time worth counting. */
  isQuick(question: Question): boolean {
    return this.#isQuick(question);
  }

  /** The answer with these mistakes; nothing where they make the implementation break. */
  answer(question: Question, mistakes: readonly Mistake[]): string | undefined {
    const made = madeAt(question, mistakes);
    const name = nameOf(made);
    const trail = this.#trails.get(question)?.get(name);
    if (trail) return trail.answer;
    const known = this.#answers.get(question) ?? new Map<string, string | undefined>();
    this.#answers.set(question, known);
    if (!known.has(name)) known.set(name, this.answerTo(question, made));
    return known.get(name);
  }

  /** The same, asked once only. */
  answerTo(question: Question, mistakes: readonly Mistake[]): string | undefined {
    return this.#evaluated(question, mistakenIn(this.#right, madeAt(question, mistakes)));
  }

  /** The mistakes that can change the answer at all, those of the register first. */
  relevant(question: Question): readonly Mistake[] {
    const used = [...this.#trail(question, []).calls.keys()];
    return [...new Set(used.flatMap(mistakesAt))];
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
    const trail = this.#trail(question, set);
    const known = trail.effects.get(most);
    if (known) return known;
    const all = [...new Set([...trail.calls.keys()].flatMap(mistakesAt))];
    const candidates = all.filter(({ cost }) => cost <= most);
    const effects = this.effectsOf(question, set, candidates).filter(
      ({ answer }) => answer !== trail.answer,
    );
    trail.effects.set(most, effects);
    return effects;
  }

  /** The answers with one of these mistakes each; of those that do the same to every call, one is computed. */
  effectsOf(
    question: Question,
    set: readonly Mistake[],
    candidates: readonly Mistake[],
  ): readonly Effect[] {
    const isKnown = this.#trails.get(question)?.has(nameOf(madeAt(question, set)));
    if (candidates.length <= FEW && !isKnown) {
      return grouped(candidates.map((one) => [this.answerTo(question, [...set, one]), one]));
    }
    const trail = this.#trail(question, set);
    const groups = new Map<string, Mistake[]>();
    const untouched: Mistake[] = [];
    for (const mistake of candidates) {
      if (set.includes(mistake)) continue;
      const isMade = !isConditional(mistake) || mistake.holds(question);
      const key = isMade ? effectKey(mistake, madeAt(question, set), trail, this.#right) : '';
      if (key === '') untouched.push(mistake);
      else {
        const group = groups.get(key);
        if (group) group.push(mistake);
        else groups.set(key, [mistake]);
      }
    }
    const answered = [...groups.values()].flatMap((mistakes) => {
      const [first] = mistakes;
      const answer = first && this.answerTo(question, [...set, first]);
      return mistakes.map((one) => [answer, one] as const);
    });
    return grouped([...untouched.map((one) => [trail.answer, one] as const), ...answered]);
  }

  #trail(question: Question, mistakes: readonly Mistake[]): Trail {
    const set = madeAt(question, mistakes);
    const name = nameOf(set);
    const known = this.#trails.get(question) ?? new Map<string, Trail>();
    this.#trails.set(question, known);
    const before = known.get(name);
    if (before) return before;
    const context = mistakenIn(this.#right, set);
    const calls = new Map<StepName, Call[]>();
    const answer = this.#evaluated(question, recording(context, calls));
    const trail: Trail = { context, answer, calls, effects: new Map() };
    known.set(name, trail);
    return trail;
  }

  #evaluated(question: Question, context: Context): string | undefined {
    this.evaluations += 1;
    const { stackTraceLimit } = Error;
    // A refusal is thrown; nobody reads where.
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

/** So few mistakes are tried one by one; to note the calls of a question takes longer. */
const FEW = 4;

const nameOf = (mistakes: readonly Mistake[]): string => mistakes.map(({ id }) => id).join(' ');

/** As `mistaken`, without copying the steps that stay. */
function mistakenIn(right: Context, mistakes: readonly Mistake[]): Context {
  if (mistakes.length === 0) return right;
  const steps = Object.create(right.steps) as Record<string, unknown>;
  const ordered = mistakes.length > 1 ? [...mistakes].sort((a, b) => a.order - b.order) : mistakes;
  for (const { change } of ordered) {
    for (const [name, wrap] of Object.entries(change)) {
      steps[name] = (wrap as (step: unknown) => unknown)(steps[name]);
    }
  }
  return { ...right, steps: steps as unknown as Steps };
}

/** Notes every call of a step; what is passed on as context is the recording one. */
function recording(context: Context, calls: Map<StepName, Call[]>): Context {
  const recorders = new Map<string, unknown>();
  const steps = new Proxy(context.steps, {
    get(target, name: string) {
      const known = recorders.get(name);
      if (known !== undefined) return known;
      const step: unknown = target[name as StepName];
      const noted: Call[] = [];
      calls.set(name as StepName, noted);
      const recorder = typeof step === 'function' ? recorderOf(step as AnyStep, noted) : step;
      recorders.set(name, recorder);
      return recorder;
    },
  });
  return { ...context, steps };
}

const recorderOf =
  (step: AnyStep, noted: Call[]): AnyStep =>
  (...given) => {
    const call: Call = { given, result: undefined };
    noted.push(call);
    try {
      call.result = step(...given);
      return call.result;
    } catch (error) {
      call.result = error;
      throw error;
    }
  };

/** What a mistake makes of the calls of its steps; the empty text where it changes none. */
function effectKey(
  mistake: Mistake,
  set: readonly Mistake[],
  { context, calls }: Trail,
  right: Context,
): string {
  let key = '';
  const steps = stepsOf(mistake);
  for (const step of steps) {
    const own = calls.get(step);
    if (!own) continue;
    if (OPAQUE.includes(step)) {
      key += `${step} ${mistake.id}\n`;
      continue;
    }
    const wrapped = stepWith(step, mistake, set, right) as AnyStep;
    const results = own.map((call) => {
      call.shown ??= shownValue(call.result);
      const after = shownResult(wrapped, call.given, context);
      return after === call.shown ? '' : after;
    });
    if (results.some((result) => result !== '')) key += `${step} ${results.join('\u0001')}\n`;
  }
  return key;
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

/** The recorder is not asked again: steps that a step takes are those of the set. */
function shownResult(step: AnyStep, given: readonly unknown[], context: Context): string {
  try {
    return shownValue(step(...given.map((one) => (isContext(one) ? context : one))));
  } catch (error) {
    return shownValue(error);
  }
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
