/**
 * Records the calls of the steps of the specification.
 *
 * @module
 */
import type { StepName } from '../../../reference/mistakes/index.ts';
import type { Context, Steps } from '../../../reference/signing/index.ts';
import { type AnyFunction, hasMembers, isFunction, keysOf } from '../../../reference/values.ts';
import { getOrInsert } from '../get-or-insert.ts';

/** A call of a step. */
export interface Call {
  /** The arguments, with the context of the trail instead of the recording one. */
  readonly given: readonly unknown[];
  result: unknown;
  /** The rank of this call by the time of its end. */
  end: number;
  /** The serialized result, cached. */
  shown?: string;
}

/** Records every call of the steps of a context. Steps receive the recording context, so that nested calls are recorded too. */
export class Recorder {
  readonly #context: Context;
  readonly #recording: Context;
  #calls = new Map<StepName, Call[]>();
  #ended = 0;

  constructor(context: Context) {
    this.#context = context;
    const steps: Steps = { ...context.steps };
    for (const name of keysOf(steps)) {
      const step: unknown = steps[name];
      const own = isFunction(step)
        ? { value: this.#recorderOf(name, step) }
        : { get: () => this.#read(name, step) };
      Object.defineProperty(steps, name, own);
    }
    this.#recording = { ...context, steps };
  }

  /** Runs a function with the recording context; returns its result and the calls. */
  record<T>(use: (context: Context) => T): readonly [T, ReadonlyMap<StepName, readonly Call[]>] {
    const calls = new Map<StepName, Call[]>();
    this.#calls = calls;
    return [use(this.#recording), calls];
  }

  #read(name: StepName, value: unknown): unknown {
    getOrInsert(this.#calls, name, () => []);
    return value;
  }

  #recorderOf(name: StepName, step: AnyFunction): AnyFunction {
    return (...given) => {
      const own = given.indexOf(this.#recording);
      const at = own < 0 ? given.findIndex(isContext) : own;
      const call: Call = {
        given: at < 0 ? given : given.with(at, this.#context),
        result: undefined,
        end: 0,
      };
      getOrInsert(this.#calls, name, (): Call[] => []).push(call);
      try {
        call.result = step(...given);
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

/** Notes calls of the steps of a context. */
export class Watch {
  readonly #right: Context;
  readonly #watched: Steps;
  /** Whether a watched step was called. */
  strayed = false;
  /** Whether a step under comparison had another call than there was. */
  differed = false;

  constructor(right: Context) {
    this.#right = right;
    const steps: Steps = { ...right.steps };
    for (const name of keysOf(steps)) {
      const step: unknown = steps[name];
      if (!isFunction(step)) continue;
      const watched: AnyFunction = (...given) => {
        this.strayed = true;
        return step(...given);
      };
      Object.assign(steps, { [name]: watched });
    }
    this.#watched = steps;
  }

  canWatch(name: StepName): boolean {
    return isFunction(this.#watched[name]);
  }

  /** The correct context with those steps watched that have no calls. */
  createContext(calls: ReadonlyMap<StepName, readonly Call[]>): Context {
    const steps: Steps = { ...this.#watched };
    for (const name of calls.keys()) Object.assign(steps, { [name]: this.#right.steps[name] });
    return { ...this.#right, steps };
  }

  /** Notes calls of some steps of a context that are more than there were, or have another first argument. */
  compareCalls(
    names: readonly StepName[],
    { steps }: Context,
    calls: ReadonlyMap<StepName, readonly Call[]>,
  ): void {
    for (const name of names) {
      const step: unknown = steps[name];
      if (!isFunction(step)) continue;
      const before = (calls.get(name) ?? []).values();
      const compared: AnyFunction = (...given) => {
        const { value: call } = before.next();
        if (!call || isOther(given[0], call.given[0])) this.differed = true;
        return step(...given);
      };
      Object.assign(steps, { [name]: compared });
    }
  }
}

/** Whether two texts, or the bytes of two arrays, differ. Other arguments are not compared: they are often made anew. */
function isOther(one: unknown, other: unknown): boolean {
  if (typeof one === 'string') return one !== other;
  if (!(one instanceof Uint8Array && other instanceof Uint8Array)) return false;
  return one.length !== other.length || one.some((byte, at) => byte !== other[at]);
}

export const isContext = (value: unknown): value is { readonly steps: object } =>
  hasMembers(value) && 'dialect' in value && hasMembers(value['steps']);
