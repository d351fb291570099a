/**
 * A cause says why an answer is wrong; a mistake is a cause that changes steps of the specification.
 *
 * @module
 */
import { type Context, SPECIFICATION, type Steps } from '../signing/index.ts';
import type { StepName, Wraps } from './changes/change.ts';

export interface Cause {
  /** What goes wrong, in kebab-case; never reused for something else. */
  readonly id: string;
  /** The rule of `vectors/rules.yaml` that it breaks. */
  readonly rule: string;
  /** What the implementation does, in one clause: `repeated headers are joined with ", "`. */
  readonly wrong: string;
  /** What to do instead, in one clause: `join the values of one name with a bare ","`. */
  readonly fix: string;
  /** A published SDK that shows it, with its version. */
  readonly seen?: string;
  /** Why only a single vector can catch the mistake. */
  readonly once?: string;
}

export interface Mistake extends Cause {
  readonly change: Wraps;
  /** The steps that it changes. A search asks for them millions of times, so they are listed once. */
  readonly steps: readonly StepName[];
  /** If two mistakes change one step, the one with the lower order is applied first. */
  readonly order: number;
  /** 1 for a common mistake; higher for a rare one, and for each further step. */
  readonly cost: number;
}

/** The context with the steps of an implementation that makes these mistakes. */
export function mistaken(context: Context, mistakes: readonly Mistake[]): Context {
  if (mistakes.length === 0) return context;
  // A copy instead of a prototype chain keeps the same object shape for all contexts, which is faster.
  const steps: Steps = { ...context.steps };
  const ordered = mistakes.length > 1 ? [...mistakes].sort((a, b) => a.order - b.order) : mistakes;
  for (const mistake of ordered) {
    for (const name of mistake.steps) wrapInPlace(steps, name, mistake);
  }
  return { ...context, steps };
}

/**
 * Calls a function with the context of one more mistake, which is applied last of those with the same order.
 *
 * @param made `mistaken(context, set)`. Its steps are changed during the call: to copy them takes longer than most answers
 */
export function withFurther<T>(made: Context, context: Context, set: readonly Mistake[], mistake: Mistake, use: (context: Context) => T): T {
  const names = mistake.steps;
  const isLast = !set.some((other) => other.order > mistake.order && names.some((name) => other.change[name]));
  if (!isLast) return use(mistaken(context, [...set, mistake]));
  const before = names.map((name) => made.steps[name]);
  for (const name of names) wrapInPlace(made.steps, name, mistake);
  try {
    return use(made);
  } finally {
    for (const [i, name] of names.entries()) Object.assign(made.steps, { [name]: before[i] });
  }
}

function wrapInPlace<Name extends StepName>(steps: { -readonly [One in Name]: Steps[One] }, name: Name, mistake: Mistake): void {
  steps[name] = wrapStep(name, steps[name], mistake);
}

/** A step with the change of a mistake. */
export function wrapStep<Name extends StepName>(name: Name, step: Steps[Name], { change }: Mistake): Steps[Name] {
  const wrap = change[name];
  return wrap ? wrap(step) : step;
}

/** Whether a mistake changes one of these steps. */
export function touches(mistake: Mistake, steps: ReadonlySet<string>): boolean {
  for (const step of mistake.steps) if (steps.has(step)) return true;
  return false;
}

/** Whether the specification has a step of this name. */
export const isStepName = (name: string | symbol): name is StepName => Object.hasOwn(SPECIFICATION.steps, name);
