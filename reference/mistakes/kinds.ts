/**
 * How the changes of a kind become changes of a step: of what it returns, of what it is given, or of the whole step.
 *
 * @module
 */
import type { Steps } from '../signing/index.ts';
import type { Change, Kind, StepName, Wraps } from './changes/change.ts';

/** Any step; which one it is, its place knows. */
export type Step = (...given: readonly unknown[]) => unknown;

/** A change of a step, with the words that go behind the noun of its place. */
export interface StepChange {
  readonly id: string;
  readonly clause: string;
  readonly fix: string;
  readonly cost: number;
  readonly order: number;
  readonly wrap: (right: never) => unknown;
  /** Further steps that the same slip of the pen changes. */
  readonly also?: Wraps | undefined;
}

/** On one step: replacements first, then lists and their order, then texts, then encodings. */
const ORDER = { instead: 0, list: 1, text: 2 } as const;

/** Turns the changes of a kind into changes of a step, once for all places. */
type Way = <F>(kind: Kind<F>) => readonly StepChange[];

function way(order: number, wrap: (apply: Step) => (right: Step) => unknown): Way {
  const made = new Map<unknown, readonly StepChange[]>();
  return (kind) => {
    const known = made.get(kind);
    if (known) return known;
    const changes = kind.changes.map(([id, clause, apply, notes]): StepChange => {
      const { fix = kind.fix, cost = 1, also } = notes ?? {};
      return { id, clause, fix, cost, order, wrap: wrap(apply as Step), also };
    });
    made.set(kind, changes);
    return changes;
  };
}

const afterStep =
  (apply: Step) =>
  (right: Step): Step =>
  (...given) =>
    apply(right(...given));
const aroundStep =
  (apply: Step) =>
  (right: Step): Step =>
  (...given) =>
    apply(right, ...given);

/** Changes what the step returns. */
export const returned: Way = way(ORDER.text, afterStep);

/** Changes the list that the step returns. */
export const listed: Way = way(ORDER.list, afterStep);

/** Changes what the step is given first. */
export const given: Way = way(
  ORDER.text,
  (apply) =>
    (right): Step =>
    (first, ...rest) =>
      right(apply(first), ...rest),
);

/** Puts another step, or another value, in the place of the right one. */
export const instead: Way = way(ORDER.instead, (apply) => () => apply);

/** A wrong step that receives the right one first, then the arguments of the step. */
export type Around<Name extends StepName> = Steps[Name] extends (...given: infer Given) => infer Made ? (right: Steps[Name], ...given: Given) => Made : never;

/** Puts a wrong step in the place of the right one, which it receives as its first argument. */
export const around: Way = way(ORDER.instead, aroundStep);
/** The same, in the order of changes of lists. */
export const aroundList: Way = way(ORDER.list, aroundStep);
/** The same, in the order of changes of texts. */
export const aroundText: Way = way(ORDER.text, aroundStep);

/** JSON's numbers; what is none is refused, or accepted by another mistake. */
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

const inPlaceOfNumbers: Way = way(
  ORDER.instead,
  (apply) =>
    (right): Step =>
    (...given) =>
      (NUMBER.test(String(given[0])) ? apply : right)(...given),
);

/** Puts another step in the place of the right one where that is given a number; dearer than in the steps that it takes, which it hides. */
export const insteadForNumbers: Way = (kind) => inPlaceOfNumbers(kind).map((change) => ({ ...change, cost: change.cost + 1 }));

/** Leaves a check out. */
export const UNCHECKED: Change<() => undefined> = ['unchecked', 'is not checked', () => undefined];
export const unchecked = (fix: string): readonly StepChange[] => instead({ fix, changes: [UNCHECKED] });
