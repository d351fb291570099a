/**
 * A known mistake: the specification with one step swapped.
 *
 * @module
 */
import type { Context, Steps } from '../signing/index.ts';

export interface Mistake {
  /** What goes wrong, in kebab-case; never reused for something else. */
  readonly id: string;
  /** The rule of `vectors/rules.yaml` that it breaks. */
  readonly rule: string;
  /** The step as the mistake has it; several only where one slip of the pen changes several. */
  readonly swap: Partial<Steps>;
  /** What the implementation does, in one clause: `repeated headers are joined with ", "`. */
  readonly cause: string;
  /** What to do instead, in one clause: `join the values of one name with a bare ","`. */
  readonly fix: string;
  /** A published SDK that shows it, with its version. */
  readonly seen?: string;
  /** Why a single vector is all that can catch it. */
  readonly once?: string;
}

/** The specification as somebody understands it who makes these mistakes; of two that swap one step, the last counts. */
export function mistaken(context: Context, mistakes: readonly Mistake[]): Context {
  const swaps = mistakes.map(({ swap }) => swap);
  return { ...context, steps: Object.assign({}, context.steps, ...swaps) as Steps };
}
