/**
 * A change: one way in which a kind of value can be wrong, whatever the value is for.
 *
 * A generated mistake is a change at a place. Its sentence is the place's noun followed by the change's clause: "the
 * name of a parameter" + "is written in lower case".
 *
 * @module
 */

import type { Context, Steps } from '../../signing/index.ts';

export type StepName = keyof Steps;

/** Each step that a mistake changes: the function takes the correct step and returns a wrong one. */
export type Wraps = { readonly [Name in StepName]?: (right: Steps[Name]) => Steps[Name] };

export type Bytes = Uint8Array;

/** A name and a text, such as a parameter or a header. */
export type Item = readonly [name: string, text: string];

export interface ChangeNotes {
  /** The fix, in which `{noun}` is replaced with the noun of the place; by default, the fix of the kind. */
  readonly fix?: string;
  /** The rule that the change breaks; by default, that of the place. */
  readonly rule?: string;
  /** From 1 for a common change to 4 for a rare one. The search prefers the cheapest change that fits. */
  readonly cost?: number;
  /** Further steps that the same mistake changes. */
  readonly also?: Wraps;
}

/** The notes of changes that share a fix. */
export interface Fix extends ChangeNotes {
  readonly fix: string;
}
export const fixedBy = (fix: string, rule?: string): Fix => (rule === undefined ? { fix } : { fix, rule });

/** @typeParam F the type of the changed function or value, which depends on the kind */
export type Change<F> = readonly [id: string, clause: string, apply: F, notes?: ChangeNotes | undefined];

/** The changes of one kind. */
export interface Kind<F> {
  /** The default fix, in which `{noun}` is replaced with the noun of the place. */
  readonly fix: string;
  readonly changes: readonly Change<F>[];
}

/** Creates a kind. */
export const kind = <F>(fix: string, changes: readonly Change<NoInfer<F>>[]): Kind<F> => ({ fix, changes });

/**
 * Changes written as a table: `'id: clause': change`.
 *
 * @param fix if the fix of the kind does not fit
 */
export const table = <F>(rows: Readonly<Record<string, F>>, cost = 1, fix?: string): readonly Change<F>[] =>
  Object.entries(rows).map(([row, apply]) => {
    const colon = row.indexOf(': ');
    return [row.slice(0, colon), row.slice(colon + 2), apply, fix === undefined ? { cost } : { cost, fix }];
  });

/** Creates a kind from a table. */
export const tabular = <F>(fix: string, rows: Readonly<Record<string, NoInfer<F>>>): Kind<F> => ({ fix, changes: table(rows) });

/**
 * The changes of a kind, applied to a part of an argument or result of a step.
 *
 * @param id `$` is replaced with the id of each change
 * @param clause `$` is replaced with its clause
 * @param notes by default, each change keeps its fix and costs one more
 */
export const inside = <F, G>(changes: readonly Change<F>[], id: string, clause: string, apply: (own: F) => G, notes?: ChangeNotes): Change<G>[] =>
  changes.map(([own, said, change, { cost = 1, fix } = {}]) => {
    const inner = fix === undefined ? { cost: cost + 1 } : { cost: cost + 1, fix };
    return [id.replace('$', () => own), clause.replace('$', () => said), apply(change), notes ?? inner];
  });

/** The same changes with the noun of the part that they change in their fixes. */
export const ofPart = <F>(noun: string, changes: readonly Change<F>[]): Change<F>[] =>
  changes.map(([id, clause, apply, notes]) => [id, clause, apply, notes?.fix === undefined ? notes : { ...notes, fix: notes.fix.replaceAll('{noun}', noun) }]);

/** The same changes of another type of value. */
export const applied = <F, G>(changes: readonly Change<F>[], apply: (own: F) => G): Change<G>[] => changes.map(([id, clause, change, notes]) => [id, clause, apply(change), notes]);

/** A wrong step that receives the correct step as its first argument, then the arguments of the step. */
export type Around<Name extends StepName> = Steps[Name] extends (...given: infer Given) => infer Made ? (right: Steps[Name], ...given: Given) => Made : never;

/** Leaves out a check. */
export const UNCHECKED: Change<() => undefined> = ['unchecked', 'is not checked', () => undefined];

/**
 * The same context with some steps replaced, for a call within a mistake. The others are inherited, because to copy so many takes longer
 * than most answers; a copy of such a context would lose them.
 */
export function replaceSteps(context: Context, steps: Partial<Steps>): Context {
  const own: Steps = Object.create(context.steps);
  return { ...context, steps: Object.assign(own, steps) };
}
