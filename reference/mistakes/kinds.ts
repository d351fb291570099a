/**
 * Applies the changes of a kind to a step: to its result, to its first argument, or to the whole step.
 *
 * @module
 */
import { SPECIFICATION } from '../signing/index.ts';
import { type AnyFunction, isFunction } from '../values.ts';
import { type Kind, type StepName, UNCHECKED, type Wraps } from './changes/change.ts';
import { encode } from './changes/encoders.ts';
import { JSON_NUMBER } from './changes/numbers.ts';

/** A change of a step, with the clause that follows the noun of its place. */
export interface StepChange {
  readonly id: string;
  readonly clause: string;
  readonly fix: string;
  /** The rule that it breaks, if not that of its place. */
  readonly rule?: string | undefined;
  readonly cost: number;
  readonly order: number;
  readonly wrap: (right: never) => unknown;
  /** The same as `wrap`, if it replaces the correct step. */
  readonly replacement?: ((right: AnyFunction) => unknown) | undefined;
  /** Further steps that the same mistake changes. */
  readonly also?: Wraps | undefined;
}

/** The order of changes of one step: replacements first, then changes of lists, then changes of texts. */
const ORDER = { instead: 0, list: 1, text: 2 } as const;

/** Converts the changes of a kind to changes of a step. */
type Converter = <F>(kind: Kind<F>) => readonly StepChange[];

/** The converter converts each kind only once, although several places share it. */
function createConverter(order: number, wrap: (apply: AnyFunction) => (right: AnyFunction) => unknown, replaces = false): Converter {
  const converted = new Map<unknown, readonly StepChange[]>();
  return (kind) => {
    const known = converted.get(kind);
    if (known) return known;
    const changes = kind.changes.map(([id, clause, apply, notes]): StepChange => {
      const { fix = kind.fix, rule, cost = 1, also } = notes ?? {};
      // Only `instead` takes values that are not functions.
      const made = isFunction(apply) ? wrap(apply) : () => apply;
      return { id, clause, fix, rule, cost, order, wrap: made, replacement: replaces ? made : undefined, also };
    });
    converted.set(kind, changes);
    return changes;
  };
}

const afterStep =
  (apply: AnyFunction) =>
  (right: AnyFunction): AnyFunction =>
  (...given) =>
    apply(right(...given));
const aroundStep =
  (apply: AnyFunction) =>
  (right: AnyFunction): AnyFunction =>
  (...given) =>
    apply(right, ...given);

/** Changes the result of the step. */
export const returned: Converter = createConverter(ORDER.text, afterStep);

/** Changes the list in the result of the step. */
export const listed: Converter = createConverter(ORDER.list, afterStep);

/** Changes the first argument of the step. */
export const given: Converter = createConverter(
  ORDER.text,
  (apply) =>
    (right): AnyFunction =>
    (first, ...rest) =>
      right(apply(first), ...rest),
);

/** Replaces the correct step, or the correct value. */
export const instead: Converter = createConverter(ORDER.instead, (apply) => () => apply, true);

/** By step: the functions that replace it. */
const replaced = new Map<StepName, WeakSet<AnyFunction>>();

/** The wrap of a change at a step. If another change replaced the step before, that takes effect where this one changes nothing. */
export function besideOthers(step: StepName, { wrap, replacement }: StepChange): StepChange['wrap'] {
  if (!replacement) return wrap;
  return (earlier: AnyFunction) => {
    const known = replaced.get(step) ?? new WeakSet();
    replaced.set(step, known);
    const correct: unknown = SPECIFICATION.steps[step];
    const other = known.has(earlier) && isFunction(correct) ? correct : undefined;
    const own = replacement(other ?? earlier);
    if (!isFunction(own)) return own;
    const made = other ? ifChanged(own, other, earlier) : own;
    known.add(made);
    return made;
  };
}

/** The result of a wrong step, or of an earlier wrong one where that result is correct. */
const ifChanged =
  (own: AnyFunction, correct: AnyFunction, earlier: AnyFunction): AnyFunction =>
  (...given) => {
    const result = own(...given);
    return isResult(result, () => correct(...given)) ? earlier(...given) : result;
  };

function isResult(value: unknown, call: () => unknown): boolean {
  let result: unknown;
  try {
    result = call();
  } catch {
    return false;
  }
  const [elements, others] = [value, result].map(elementsOf);
  if (!elements || !others) return value === result;
  return elements.length === others.length && elements.every((element, i) => element === others[i]);
}

const elementsOf = (value: unknown): readonly unknown[] | undefined => {
  if (Array.isArray(value)) return value;
  return value instanceof Uint8Array ? [...value] : undefined;
};

/** Replaces the correct step with a wrong one, which receives the correct one as its first argument. */
export const around: Converter = createConverter(ORDER.instead, aroundStep);
/** As `around`, but in the order of changes of lists. */
export const aroundList: Converter = createConverter(ORDER.list, aroundStep);
/** As `around`, but in the order of changes of texts. */
export const aroundText: Converter = createConverter(ORDER.text, aroundStep);

/** The step refuses any other text, unless another mistake accepts it. */
const inPlaceOfNumbers: Converter = createConverter(
  ORDER.instead,
  (apply) =>
    (right): AnyFunction =>
    (...given) =>
      (JSON_NUMBER.test(String(given[0])) ? apply : right)(...given),
  true,
);

/** Encodes those characters whose encoding it changes; for the others, a second encoder of the step takes effect. */
export const insteadForChangedCharacters: Converter = createConverter(
  ORDER.instead,
  (apply) =>
    (right): AnyFunction =>
    (text, ...rest) => {
      const own = apply(text);
      const correct = encode(String(text));
      if (own === correct) return right(text, ...rest);
      const other = right(text, ...rest);
      if (other === correct) return own;
      const characters = Array.from(String(text), (one) => [encode(one), apply(one), right(one, ...rest)] as const);
      // Some encoders treat a character differently in another place.
      const isEach = own === joinTexts(characters, 1) && other === joinTexts(characters, 2);
      return isEach ? characters.map(([due, first, second]) => (first === due ? second : first)).join('') : own;
    },
);

const joinTexts = (rows: readonly (readonly unknown[])[], at: number): string => rows.map((row) => row[at]).join('');

/** Replaces the correct step for arguments that are numbers. Costs more, so that a change of an earlier step wins if both fit. */
export const insteadForNumbers: Converter = (kind) => inPlaceOfNumbers(kind).map((change) => ({ ...change, cost: change.cost + 1 }));

/** The same changes with another fix, at a place where the fix of the kind is wrong. */
export const withFix = (fix: string, changes: readonly StepChange[]): readonly StepChange[] => changes.map((change) => ({ ...change, fix }));

/** The same changes with other fixes, and perhaps rules, for some of the fixes of the kind. */
export const withFixes = (others: ReadonlyMap<string, Pick<StepChange, 'fix' | 'rule'>>, changes: readonly StepChange[]): readonly StepChange[] =>
  changes.map((change) => ({ ...change, ...others.get(change.fix) }));

/** The same changes with another rule, at a place where that of the place does not fit. */
export const withRule = (rule: string, changes: readonly StepChange[]): readonly StepChange[] => changes.map((change) => ({ ...change, rule }));

export const unchecked = (fix: string): readonly StepChange[] => instead({ fix, changes: [UNCHECKED] });
