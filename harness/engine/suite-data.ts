/**
 * Data of the suite that callers pass to the engine. The engine reads no files, so that it runs in browsers.
 *
 * @module
 */
import type { StepName } from '../../reference/mistakes/index.ts';
import type { Dialect, Question } from './protocol.ts';
import type { Input, Vector } from './vector.ts';

export interface SuiteData {
  /** The steps that the correct answer to a question uses; `undefined` if the build did not compute them. */
  findSteps(dialect: Dialect, question: Question): ReadonlySet<StepName> | undefined;
  /** The effects of single mistakes on the correct answer to a question; `undefined` if the build did not compute them. */
  findEffects(dialect: Dialect, question: Question): PackedEffects | undefined;
  vectors(): readonly Vector[];
}

/** By step, in Base64: a bit for each mistake of the step, which is 1 if it changes the answer; then a byte for each 1. */
export interface PackedEffects {
  /** The answer is only a verdict, and the bytes are missing. */
  readonly isVerdict: boolean;
  readonly steps: Readonly<Partial<Record<StepName, string>>>;
}

/** The size, in bytes, of the content that an input describes by a recipe; 0 without a recipe. */
export function contentSize(input: Input): number {
  const { content } = input;
  return content && 'recipe' in content ? content.recipe.size : 0;
}

export function pickMembers(input: Input, names: readonly string[]): Input {
  return Object.fromEntries(Object.entries(input).filter(([name]) => names.includes(name)));
}
