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
  /** The mistakes that change the correct answer to a question by themselves; `undefined` if the build did not compute them. */
  findChanging(dialect: Dialect, question: Question): PackedMistakes | undefined;
  /** The vectors of the package. */
  vectors(): readonly Vector[];
}

/** A set of mistakes: by step, a bit for each mistake of the step, in Base64. */
export type PackedMistakes = Readonly<Partial<Record<StepName, string>>>;

/** The size, in bytes, of the content that an input describes by a recipe; 0 without a recipe. */
export function contentSize(input: Input): number {
  const { content } = input;
  return content && 'recipe' in content ? content.recipe.size : 0;
}

/** The named members of an input. */
export function pickMembers(input: Input, names: readonly string[]): Input {
  return Object.fromEntries(Object.entries(input).filter(([name]) => names.includes(name)));
}
