/**
 * Mistakes: those of the register, and all that places and changes generate.
 *
 * @module
 */

import type { StepName } from './changes/change.ts';
import { generatedAt, generatedBeside, generatedMistakes, spannedAt } from './generated.ts';
import type { Mistake } from './mistake.ts';
import { MISTAKES, REWORDED } from './register.ts';

export type { StepName, Wraps } from './changes/change.ts';
export { fittedEncoders, joinedSpelling, spellingOf } from './fitted.ts';
export { type Cause, type Mistake, mistaken, stepsOf, touches, wrapStep } from './mistake.ts';
export { generatedMistakes, MISTAKES };

/** The mistakes whose ids are like this one: those of the register, and those generated at its place. */
export const mistakesBeside = (id: string): readonly Mistake[] => [...MISTAKES, ...generatedBeside(id).filter((mistake) => !REWORDED.has(mistake.id))];

/** The id in the register of a generated mistake that has words of its own there. */
export const registeredAs = (id: string): string | undefined => REWORDED.get(id);

/** Whether the register has a generated mistake, in words of its own. */
export const isReworded = ({ id }: Mistake): boolean => REWORDED.has(id);

const NAMED: ReadonlySet<Mistake> = new Set(MISTAKES);

/** Whether a mistake has words of its own. */
export const isNamed = (mistake: Mistake): boolean => NAMED.has(mistake);

const at = new Map<StepName, readonly Mistake[]>();

/** The mistakes that change this step: those of the register first, then the plainest. */
export function mistakesAt(step: StepName): readonly Mistake[] {
  const known = at.get(step);
  if (known) return known;
  const named = MISTAKES.filter(({ change }) => step in change);
  const generated = [...generatedAt(step), ...spannedAt(step)].filter(({ id }) => !REWORDED.has(id));
  const found = [...named, ...generated.sort((a, b) => a.cost - b.cost)];
  at.set(step, found);
  return found;
}
