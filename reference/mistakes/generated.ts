/**
 * The mistakes that places and changes generate: a change at a place, and a change in all places of a span.
 *
 * @module
 */

import { keysOf } from '../values.ts';
import type { StepName, Wraps } from './changes/change.ts';
import { besideOthers, type StepChange } from './kinds.ts';
import type { Mistake } from './mistake.ts';
import { PLACES, type Place, SPANS } from './places.ts';

export const kebab = (name: string): string => name.replace(/[A-Z0-9]+/g, (capital, at: number) => `${at > 0 ? '-' : ''}${capital.toLowerCase()}`);

/** A change in several steps costs more than the same change in one. */
const FURTHER_STEP = 1;

/** A generated mistake. There are tens of thousands, so their sentences are composed only on access. */
class Generated implements Mistake {
  readonly id: string;
  readonly rule: string;
  readonly change: Wraps;
  readonly steps: readonly StepName[];
  readonly order: number;
  readonly cost: number;
  readonly #noun: string;
  readonly #placed: PlacedChange;
  readonly #others: readonly PlacedChange[];

  /** @param others the same change at the further steps */
  constructor(steps: readonly StepName[], prefix: string, noun: string, placed: PlacedChange, others: readonly PlacedChange[] = []) {
    const [{ rule }, change] = placed;
    this.id = `${prefix}/${change.id}`;
    this.rule = change.rule ?? rule;
    this.order = change.order;
    this.cost = change.cost + FURTHER_STEP * (steps.length - 1);
    this.#noun = noun;
    this.#placed = placed;
    this.#others = others;
    const wraps: Partial<Record<StepName, unknown>> = {};
    for (const [at, step] of steps.entries()) wraps[step] = besideOthers(step, others[at - 1]?.[1] ?? change);
    this.change = Object.assign(wraps, change.also);
    this.steps = keysOf(this.change);
  }

  get wrong(): string {
    return `${this.#noun} ${this.#placed[1].clause}`;
  }

  /** The fix of the change; of a span whose steps differ in it, the fix of each step. */
  get fix(): string {
    const [, { fix }] = this.#placed;
    if (this.#others.every(([, other]) => other.fix === fix)) return fix.replaceAll('{noun}', this.#noun);
    return [this.#placed, ...this.#others].map(([{ noun }, change]) => change.fix.replaceAll('{noun}', noun)).join('; ');
  }
}

/** A change at a place. */
type PlacedChange = readonly [Place, StepChange];

const changes = new Map<StepName, ReadonlyMap<string, PlacedChange>>();

function changesAt(step: StepName): ReadonlyMap<string, PlacedChange> {
  const known = changes.get(step);
  if (known) return known;
  const found = new Map<string, PlacedChange>();
  for (const place of PLACES) {
    if (place.step !== step) continue;
    for (const change of place.changes) {
      // A change of a kind can apply to the input and to the result of a step, and two kinds can use the same id.
      let id = change.id;
      for (let count = 2; found.has(id); count += 1) id = `${change.id}-${count}`;
      found.set(id, [place, id === change.id ? change : { ...change, id }]);
    }
  }
  changes.set(step, found);
  return found;
}

/** The change with this id at those of these steps that have it. */
const sameChanges = (steps: readonly StepName[], id: string): readonly PlacedChange[] =>
  steps.map((step) => changesAt(step).get(id)).filter((same) => same !== undefined);

/** The spans with their places, as in ids. */
const NAMED_SPANS = SPANS.map(([steps, noun]) => ({ steps, noun, prefix: steps.map(kebab).join('+') }));

const known = new Map<StepName, readonly Mistake[]>();

/** The mistakes that change this step, alone or as the first step of a span; generated once. */
export function generatedAt(step: StepName): readonly Mistake[] {
  const before = known.get(step);
  if (before) return before;
  const own = [...changesAt(step)];
  const mistakes = own.map(([, placed]) => new Generated([step], kebab(step), placed[0].noun, placed));
  for (const { steps, noun, prefix } of NAMED_SPANS) {
    if (steps[0] !== step) continue;
    for (const [id, placed] of own) {
      const same = sameChanges(steps.slice(1), id);
      if (same.length === steps.length - 1) mistakes.push(new Generated(steps, prefix, noun, placed, same));
    }
  }
  known.set(step, mistakes);
  return mistakes;
}

/** The mistakes of spans that contain this step after the first position. */
export const spannedAt = (step: StepName): readonly Mistake[] =>
  NAMED_SPANS.filter(({ steps }) => steps.indexOf(step) > 0).flatMap(({ steps, prefix }) =>
    generatedAt(steps[0]).filter(({ id }) => id.startsWith(`${prefix}/`)),
  );

/** The spans that contain a place, as in ids. */
export const spansWith = (place: string): readonly string[] => NAMED_SPANS.map(({ prefix }) => prefix).filter((prefix) => prefix.split('+').includes(place));

/** Every generated mistake. */
export const generatedMistakes = (): readonly Mistake[] => [...new Set(PLACES.map(({ step }) => step))].flatMap(generatedAt);

const steps = new Map(PLACES.map(({ step }) => [kebab(step), step]));

/** The generated mistakes of the place or span in an id; empty for an unknown place. */
export function generatedBeside(id: string): readonly Mistake[] {
  const [prefix = ''] = id.split('/');
  const step = steps.get(prefix.split('+')[0] ?? '');
  return step ? generatedAt(step).filter((mistake) => mistake.id.startsWith(`${prefix}/`)) : [];
}

/** The generated mistake with this id, created without the others of its place. */
export function generatedMistake(id: string): Mistake {
  const [, prefix = '', change = ''] = /^([^/]*)\/(.*)$/s.exec(id) ?? [];
  const names = prefix.split('+').flatMap((name) => steps.get(name) ?? []);
  const found = names[0] && changesAt(names[0]).get(change);
  if (!found) throw new Error(`no place and change generate ${id}`);
  const span = NAMED_SPANS.find((one) => one.prefix === prefix);
  return new Generated(names, prefix, span?.noun ?? found[0].noun, found, sameChanges(names.slice(1), change));
}
