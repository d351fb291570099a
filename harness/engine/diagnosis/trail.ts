/**
 * The calls of all steps for one question, and what mistakes change in them.
 *
 * @module
 */
import { type Mistake, type StepName, wrapStep } from '../../../reference/mistakes/index.ts';
import { base64 } from '../../../reference/signing/bytes.ts';
import { type Context, InputError, type Steps } from '../../../reference/signing/index.ts';
import { type AnyFunction, isFunction } from '../../../reference/values.ts';
import { getOrInsert } from '../get-or-insert.ts';
import { type Call, isContext } from './recorder.ts';

/** The recorded calls of all steps for one question and one set of mistakes. */
export interface Trail {
  readonly set: readonly Mistake[];
  readonly answer: string | undefined;
  readonly calls: ReadonlyMap<StepName, readonly Call[]>;
  /** The answers with one more mistake, cached. */
  readonly answers: Map<Mistake, Further>;
  /** The same answers, by the effect of that mistake on the calls. */
  readonly answersOfEffects: Map<string, Further>;
  /** For the trail without mistakes: the trails with sets of mistakes. */
  readonly found: Map<readonly Mistake[], Trail>;
  /** Trails with further mistakes that change no call of this one. */
  readonly whole: Map<string, Trail>;
  /** Whether a step threw, so that steps after it have no calls. */
  readonly isCutShort: boolean;
  readonly inactive?: Inactive;
  /** Contexts in which steps without calls in this trail are watched; created when needed. */
  watched?: Mistaken | undefined;
  /** Contexts in which no step is watched; created when needed. */
  unwatched?: Mistaken | undefined;
}

/** A context without the mistakes of a trail, and the same with them. */
export interface Mistaken {
  readonly without: Context;
  readonly made: Context;
}

/** Those mistakes of a trail's set that change no call. */
export interface Inactive {
  readonly mistakes: readonly Mistake[];
  /** The trail without them. */
  readonly reduced: Trail;
  readonly steps: ReadonlySet<StepName>;
  /** The end of the last call of these steps. */
  readonly lastEnd: number;
  /** Whether the trail has calls of all these steps. */
  readonly areAllCalled: boolean;
  /** Whether calls of those steps that the trail does not call are noticed. */
  readonly areWatched: boolean;
  /** By step: whether all calls of these steps end before its first one does; cached. */
  readonly apart: Map<StepName, boolean>;
  /** The steps that the calls of these steps lead to. */
  readonly reached: ReadonlySet<string>;
  /** The context of the whole set. */
  readonly context: Context;
}

/** What an implementation with one more mistake than those of a trail answers. */
export interface Further {
  readonly answer: string | undefined;
  /** Whether it calls steps that the trail does not call. */
  readonly strays: boolean;
  /** Whether it calls its own steps otherwise than the trail, so that mistakes with the same effect may differ. */
  readonly differs: boolean;
}

/** Steps whose results cannot be compared. For mistakes in them, the answer is always computed. */
export const OPAQUE: readonly StepName[] = ['blockHash', 'partHash', 'blockSize'];
export const OPAQUE_STEPS: ReadonlySet<string> = new Set(OPAQUE);

/** For a mistake that changes no call. */
export const unchanged = (answer: string | undefined): Further => ({
  answer,
  strays: false,
  differs: false,
});

/** The end of the last call of a step. */
export const findLastEnd = (step: StepName, { calls }: Trail): number =>
  calls.get(step)?.at(-1)?.end ?? 0;

/** Whether all calls of inactive mistakes end before the first call of a step does. */
export function isApart(
  step: StepName,
  { calls, isCutShort }: Trail,
  { lastEnd, steps }: Inactive,
): boolean {
  if (steps.has(step)) return false;
  if (lastEnd === 0) return true;
  // The results of opaque steps are functions, which call steps later.
  if (isCutShort || OPAQUE_STEPS.has(step)) return false;
  const [first] = calls.get(step) ?? [];
  return first === undefined || first.end > lastEnd;
}

/**
 * The changed results of the calls of a mistake's steps, as a key; the empty string if it changes none.
 *
 * @param all the mistakes of the trail and this one, in the order in which they are made
 * @param context for the steps that its steps call; by default, those of the trail
 */
export function computeEffectKey(
  mistake: Mistake,
  { calls }: Trail,
  right: Context,
  all: readonly Mistake[],
  context?: Context,
): string {
  let key = '';
  let touched = 0;
  const steps = mistake.steps;
  for (const step of steps) {
    const own = calls.get(step);
    if (!own) continue;
    if (OPAQUE.includes(step)) {
      key += `${step} ${mistake.id}\n`;
      touched += 1;
      continue;
    }
    const wrapped = wrapInSet(step, all, right);
    if (!isFunction(wrapped)) continue;
    const results =
      joinComparisons(step, wrapped, calls, all, right) ??
      joinChangedResults(wrapped, own, context);
    if (results === '') continue;
    key += `${step} ${results}\n`;
    touched += 1;
  }
  // Its changed results may lead to calls of its steps that are not recorded.
  if (touched > 0 && touched < steps.length) key += mistake.id;
  return key;
}

const parts = new WeakMap<Mistake, Map<string, Mistake>>();

/** The part of a mistake in called steps, cached; undefined if that is all of it or nothing. */
export function findCalledPart(mistake: Mistake, { calls }: Trail): Mistake | undefined {
  const steps = mistake.steps;
  if (steps.length === 1) return undefined;
  const called = steps.filter((step) => calls.has(step));
  if (called.length === 0 || called.length === steps.length) return undefined;
  const known = getOrInsert(parts, mistake, () => new Map());
  return getOrInsert(known, called.join(), () => createPart(mistake, called));
}

/** A mistake in some of its steps. It is never shown, so it gets no sentences: writing them takes time. */
const createPart = (
  { id, rule, change, order, cost }: Mistake,
  steps: readonly StepName[],
): Mistake => ({
  // Differs from that of the whole mistake, because effects are compared by it.
  id: `${id} in ${steps.join()}`,
  rule,
  wrong: '',
  fix: '',
  change: Object.fromEntries(steps.map((step) => [step, change[step]])),
  steps,
  order,
  cost,
});

/** The steps that the calls of the steps of some mistakes lead to. */
export function findReached(
  mistakes: readonly Mistake[],
  { calls }: Trail,
  set: readonly Mistake[],
  right: Context,
): ReadonlySet<string> {
  const reached = new Set<string>();
  for (const step of mistakes.flatMap(({ steps }) => steps)) {
    if (!takesContext(step, calls)) continue;
    const wrapped = wrapInSet(step, set, right);
    if (!isFunction(wrapped)) continue;
    for (const { given } of calls.get(step) ?? []) addReached(reached, wrapped, given);
  }
  return reached;
}

/** Whether the calls of a step may lead to others: a step that takes no context calls none. */
function takesContext(step: StepName, calls: Trail['calls']): boolean {
  return calls.get(step)?.[0]?.given.some(isContext) ?? false;
}

/** Whether the calls of a mistake's steps may lead to others. */
export const mayLead = (mistake: Mistake, { calls }: Trail): boolean =>
  mistake.steps.some((step) => takesContext(step, calls));

/** Adds the names of the steps that a call leads to. */
function addReached(reached: Set<string>, step: AnyFunction, given: readonly unknown[]): void {
  const at = given.findIndex(isContext);
  const context = given[at];
  if (!isContext(context)) return;
  const steps = new Proxy(context.steps, {
    get(own, name) {
      reached.add(String(name));
      const called: unknown = Reflect.get(own, name);
      return called;
    },
  });
  try {
    step(...given.with(at, { ...context, steps }));
  } catch {
    // After a refusal there are no further calls.
  }
}

/** A step with the changes of some mistakes, made in their order. */
function wrapInSet(step: StepName, mistakes: readonly Mistake[], right: Context): unknown {
  const wraps = mistakes.length === 1 ? mistakes : mistakes.filter(({ change }) => change[step]);
  const [only] = wraps;
  if (only && wraps.length === 1) return wrapCorrectStep(step, only, right);
  const ordered = wraps.toSorted((a, b) => a.order - b.order);
  return ordered.reduce((made, one) => wrapStep(step, made, one), right.steps[step]);
}

const wrappedSteps = new WeakMap<Steps, Map<StepName, WeakMap<Mistake, Steps[StepName]>>>();

/** Wraps a correct step with one mistake, cached. */
function wrapCorrectStep(step: StepName, mistake: Mistake, { steps }: Context): unknown {
  const byStep = getOrInsert(wrappedSteps, steps, () => new Map());
  const byMistake = getOrInsert(byStep, step, () => new WeakMap());
  return getOrInsert(byMistake, mistake, () => wrapStep(step, steps[step], mistake));
}

/** The changed results of a step for recorded calls; the empty string if none is changed. */
function joinChangedResults(
  step: AnyFunction,
  calls: readonly Call[],
  context: Context | undefined,
): string {
  let joined = '';
  let isChanged = false;
  for (const call of calls) {
    const result = computeChangedResult(step, call, context);
    isChanged ||= result !== '';
    joined += `${result}\u0001`;
  }
  return isChanged ? joined : '';
}

/** Steps whose results a verifier only compares, each with the step that compares them. */
const COMPARED: ReadonlyMap<StepName, StepName> = new Map([
  ['receivedPublicKey', 'sameAccount'],
  ['receivedSignature', 'sameText'],
]);

/**
 * The changed results of the comparisons of a step's result: thousands of wrong signatures are refused like each other. The empty
 * string if none is changed; undefined if the result is used otherwise.
 */
function joinComparisons(
  step: StepName,
  wrapped: AnyFunction,
  calls: Trail['calls'],
  all: readonly Mistake[],
  right: Context,
): string | undefined {
  const comparison = COMPARED.get(step);
  const [call, ...others] = calls.get(step) ?? [];
  if (!comparison || !call || others.length > 0) return undefined;
  const compare = wrapInSet(comparison, all, right);
  const comparisons = calls.get(comparison) ?? [];
  if (!isFunction(compare) || comparisons.some(({ given }) => given[1] !== call.result)) {
    return undefined;
  }
  try {
    const changed = wrapped(...call.given);
    const results = comparisons.map(({ given: [held] }) => compare(held, changed));
    return comparisons.every(({ result }, i) => result === results[i]) ? '' : results.join();
  } catch {
    return undefined;
  }
}

/** The serialized result of a step for recorded arguments; the empty string if it equals the recorded result. */
function computeChangedResult(step: AnyFunction, call: Call, context: Context | undefined): string {
  const { given } = call;
  const own = context ? given.map((value) => (isContext(value) ? context : value)) : given;
  let result: unknown;
  try {
    result = step(...own);
  } catch (error) {
    result = error;
  }
  if (result === call.result) return '';
  const after = serialize(result);
  call.shown ??= serialize(call.result);
  return after === call.shown ? '' : after;
}

function serialize(value: unknown): string {
  if (typeof value === 'string') return `s${value}`;
  if (value instanceof Uint8Array) return `b${base64(value)}`;
  if (value instanceof Error) return `e${value instanceof InputError ? value.code : value.name}`;
  if (Array.isArray(value) && value[0] instanceof Uint8Array) return value.map(serialize).join(' ');
  return `j${JSON.stringify(value)}`;
}
