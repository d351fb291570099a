/**
 * All mistakes: those of the register, and those that places and changes generate.
 *
 * @module
 */

import type { StepName } from './changes/change.ts';
import { fittedMistake } from './fitted.ts';
import { generatedAt, generatedBeside, generatedMistakes, spannedAt, spansWith } from './generated.ts';
import type { Mistake } from './mistake.ts';
import { MISTAKES, REWORDED } from './register.ts';

export type { StepName, Wraps } from './changes/change.ts';
export { fittedEncoders, guessedTypes, joinedSpelling, otherWord, replacedWords, spellingOf, WORD_STEPS } from './fitted.ts';
export { type Cause, isStepName, type Mistake, mistaken, touches, withFurther, wrapStep } from './mistake.ts';
export { knownExtensionOf } from './single-step/positional-lines.ts';
export { generatedMistakes, MISTAKES };

/** The mistakes of the register, those generated at the place of an id, and the deduced one with this id; for "did you mean" hints. */
export function mistakesBeside(id: string): readonly Mistake[] {
  const generated = generatedBeside(id).filter((mistake) => !REWORDED.has(mistake.id));
  return [...MISTAKES, ...generated, ...[fittedMistake(id) ?? []].flat()];
}

/** The id of the register entry that rewords a generated mistake; `undefined` if it has none. */
export const registeredAs = (id: string): string | undefined => REWORDED.get(id);

/** Whether the register rewords a generated mistake. */
export const isReworded = ({ id }: Mistake): boolean => REWORDED.has(id);

/**
 * The mistakes of making the change of one mistake in the steps of both, if one span has all of them. If both make the same change,
 * also in the steps of a span that contains one of them: the other may only stand for the rest of that span.
 */
export function joinedSpans(one: Mistake, other: Mistake): readonly Mistake[] {
  const [[place = '', change], [otherPlace = '', otherChange]] = [one.id.split('/'), other.id.split('/')];
  const spans = change === otherChange ? [place, otherPlace].flatMap(spansWith) : [`${place}+${otherPlace}`, `${otherPlace}+${place}`];
  const ids = [...new Set([change, otherChange])].flatMap((shared) => (shared === undefined ? [] : spans.map((span) => `${span}/${shared}`)));
  return ids.flatMap((id) => {
    const found = generatedBeside(id).find((mistake) => mistake.id === id);
    return MISTAKES.find((mistake) => mistake.id === registeredAs(id)) ?? found ?? [];
  });
}

const NAMED: ReadonlySet<Mistake> = new Set(MISTAKES);

/** Whether a mistake is in the register. */
export const isNamed = (mistake: Mistake): boolean => NAMED.has(mistake);

const at = new Map<StepName, readonly Mistake[]>();

/** The mistakes that change this step: first those of the register, then generated ones by rising cost. */
export function mistakesAt(step: StepName): readonly Mistake[] {
  const known = at.get(step);
  if (known) return known;
  const named = MISTAKES.filter(({ change }) => step in change);
  const generated = [...generatedAt(step), ...spannedAt(step)].filter(({ id }) => !REWORDED.has(id));
  const found = [...named, ...generated.sort((a, b) => a.cost - b.cost)];
  at.set(step, found);
  return found;
}
